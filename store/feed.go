package store

import (
	"context"
	"database/sql"
	"path"
	"slices"
	"strings"

	"downwind"
)

// FeedItems lists served items, newest first; 50 unless the filter says otherwise (at most 1,000).
func (db *DB) FeedItems(ctx context.Context, f downwind.FeedFilter) ([]downwind.FeedItem, error) {
	var w where
	if f.Providers != nil {
		if len(f.Providers) == 0 {
			return nil, nil
		}
		w.any("provider", f.Providers)
	}
	if f.Incident != "" {
		provider, id := splitKey(f.Incident)
		if id == "" {
			w.add("incident = ?", provider)
		} else {
			w.add("(incident = ? OR provider = ? AND incident = ?)", f.Incident, provider, id)
		}
	}
	if len(f.Kinds) > 0 {
		kinds := make([]string, len(f.Kinds))
		for i, k := range f.Kinds {
			kinds[i] = string(k)
		}
		w.any("kind", kinds)
	} else {
		w.add("kind <> ?", string(downwind.ChangeEdit))
	}
	if f.Min != "" {
		w.any("impact", atLeast(f.Min))
	}
	if !f.Since.IsZero() {
		w.add("published_at >= ?", micros(f.Since))
	}
	n := f.Limit
	if n <= 0 {
		n = 50
	}
	n = min(n, 1000)
	// Globs are matched here, so more rows than asked for may be read; the loop ends at the limit.
	read := limit(n, 1000)
	if f.Component != "" || f.Region != "" {
		read = " LIMIT 20000"
	}
	var list []downwind.FeedItem
	rows, err := db.readers.pool.QueryContext(ctx, `SELECT seq, id, provider, incident, update_id, kind, impact, phase, title, text, components, regions,
		posted_at, published_at, version FROM feed_item`+w.String()+" ORDER BY published_at DESC"+read, w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() && len(list) < n {
		it, err := scanItem(rows)
		if err != nil {
			return nil, err
		}
		if globs(f.Component, it.Components) && globs(f.Region, it.Regions) {
			list = append(list, it)
		}
	}
	return list, rows.Err()
}

func scanItem(r *sql.Rows) (downwind.FeedItem, error) {
	var it downwind.FeedItem
	err := r.Scan(&it.Seq, &it.ID, &it.Provider, &it.Incident, &it.Update, &it.Kind, &it.Impact, &it.Phase, &it.Title, &it.Text,
		fromJSON{&it.Components}, fromJSON{&it.Regions}, at{&it.PostedAt}, at{&it.PublishedAt}, &it.Version)
	return it, err
}

// atLeast lists the impacts that are as grave as the least one wanted.
func atLeast(least downwind.Impact) []string {
	var list []string
	for _, i := range []downwind.Impact{
		downwind.ImpactNone, downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical, downwind.ImpactMaintenance, downwind.ImpactUnknown, "",
	} {
		if i.Rank() >= least.Rank() {
			list = append(list, string(i))
		}
	}
	return list
}

// globs reports whether one of the names fits the glob; no glob fits all. Case does not matter.
func globs(glob string, names []string) bool {
	if glob == "" {
		return true
	}
	// A slash is an ordinary letter in a name.
	fold := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x1f") }
	folded := fold(glob)
	return slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(folded, fold(name))
		return err == nil && ok || strings.EqualFold(glob, name)
	})
}

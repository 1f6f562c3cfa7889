// Package webtest serves the pages from made-up data, for tests and for looking at every page without a daemon.
package webtest

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// A Store is a web.Reader in memory. Its fields may be filled before it is served; afterwards use its methods.
type Store struct {
	mu sync.Mutex
	// Clock ends kept values.
	Clock       downwind.Clock
	SourceRows  []downwind.Source
	Records     []downwind.IncidentRecord
	History     map[string][]downwind.Version
	PartRows    map[string][]downwind.Part
	Comps       map[string][]downwind.Component
	Items       []downwind.FeedItem
	TeamRows    map[string]downwind.Team
	Dests       []downwind.Destination
	Subs        []downwind.Subscription
	DeliverRows []downwind.Delivery
	HoldRows    []downwind.Hold
	NoteRows    []downwind.Note
	TokenRows   []downwind.Token
	JobRows     []downwind.Job
	// Kept are the temporary values by kind and key.
	Kept map[string]kept
}

type kept struct {
	value []byte
	until time.Time
}

func missing(what string) error { return fmt.Errorf("%s: %w", what, downwind.ErrNotFound) }

// Sources implements web.Reader.
func (s *Store) Sources(context.Context) ([]downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.SourceRows), nil
}

// Source implements web.Reader.
func (s *Store) Source(_ context.Context, provider string) (downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, src := range s.SourceRows {
		if src.Provider == provider {
			return src, nil
		}
	}
	return downwind.Source{}, missing("source " + provider)
}

// Incident implements web.Reader.
func (s *Store) Incident(_ context.Context, provider, id string) (downwind.IncidentRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rec := range s.Records {
		if rec.Incident.Provider == provider && rec.Incident.ID == id {
			return rec, nil
		}
	}
	return downwind.IncidentRecord{}, missing("incident " + provider + "/" + id)
}

// Incidents implements web.Reader: the latest first seen first.
func (s *Store) Incidents(_ context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.IncidentRecord
	for _, rec := range s.Records {
		inc := &rec.Incident
		if f.Provider != "" && inc.Provider != f.Provider || f.Providers != nil && !slices.Contains(f.Providers, inc.Provider) ||
			f.Open != nil && inc.Open() != *f.Open || f.Kind != "" && inc.Kind != f.Kind ||
			!f.Since.IsZero() && rec.FirstSeen.Before(f.Since) || !f.Until.IsZero() && !rec.FirstSeen.Before(f.Until) ||
			f.Query != "" && !strings.Contains(strings.ToLower(inc.Title), strings.ToLower(f.Query)) {
			continue
		}
		rec.Cursor = rec.FirstSeen.UTC().Format(time.RFC3339Nano) + "|" + inc.Key()
		out = append(out, rec)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Cursor > out[j].Cursor })
	if f.Before != "" {
		if !strings.Contains(f.Before, "|") {
			return nil, fmt.Errorf("cursor: %w", downwind.ErrInvalid)
		}
		out = slices.DeleteFunc(out, func(r downwind.IncidentRecord) bool { return r.Cursor >= f.Before })
	}
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

// Versions implements web.Reader.
func (s *Store) Versions(_ context.Context, provider, id string) ([]downwind.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.History[provider+"/"+id]), nil
}

// Version implements web.Reader.
func (s *Store) Version(_ context.Context, id int64) (downwind.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, versions := range s.History {
		for _, v := range versions {
			if v.ID == id {
				return v, nil
			}
		}
	}
	return downwind.Version{}, missing("version")
}

// Components implements web.Reader.
func (s *Store) Components(_ context.Context, provider string) ([]downwind.Component, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Comps[provider], nil
}

// Publish adds an item as the daemon's store would: numbered, dated, dates rising by a second at least.
func (s *Store) Publish(item downwind.FeedItem, now time.Time) downwind.FeedItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	item.Seq, item.PublishedAt = int64(len(s.Items)+1), now.UTC().Truncate(time.Second)
	if n := len(s.Items); n > 0 && !item.PublishedAt.After(s.Items[n-1].PublishedAt) {
		item.PublishedAt = s.Items[n-1].PublishedAt.Add(time.Second)
	}
	s.Items = append(s.Items, item)
	return item
}

// FeedItems implements web.Reader: newest first.
func (s *Store) FeedItems(_ context.Context, f downwind.FeedFilter) ([]downwind.FeedItem, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	var out []downwind.FeedItem
	for i := len(s.Items) - 1; i >= 0 && len(out) < limit; i-- {
		item := s.Items[i]
		if f.Providers != nil && !slices.Contains(f.Providers, item.Provider) ||
			len(f.Kinds) > 0 && !slices.Contains(f.Kinds, item.Kind) || len(f.Kinds) == 0 && item.Kind == downwind.ChangeEdit ||
			f.Min != "" && item.Impact.Rank() < f.Min.Rank() || !fits(f.Component, item.Components) || !fits(f.Region, item.Regions) {
			continue
		}
		out = append(out, item)
	}
	return out, nil
}

func fits(pattern string, names []string) bool {
	return pattern == "" || slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return err == nil && ok
	})
}

// Team implements web.Reader.
func (s *Store) Team(_ context.Context, id string) (downwind.Team, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.TeamRows[id]
	if !ok {
		return t, missing("team " + id)
	}
	return t, nil
}

// Teams implements web.Reader.
func (s *Store) Teams(context.Context) ([]downwind.Team, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.Team
	for _, t := range s.TeamRows {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// TeamBySecret implements web.Reader.
func (s *Store) TeamBySecret(_ context.Context, secret string) (downwind.Team, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.TeamRows {
		if t.Secret == secret {
			return t, nil
		}
	}
	return downwind.Team{}, missing("team")
}

// RotateSecret implements web.Reader.
func (s *Store) RotateSecret(_ context.Context, team string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.TeamRows[team]
	if !ok {
		return "", missing("team " + team)
	}
	t.Secret = fmt.Sprintf("%032x", len(t.Secret)+len(s.Kept)+7)
	s.TeamRows[team] = t
	return t.Secret, nil
}

// SaveStack implements web.Reader.
func (s *Store) SaveStack(_ context.Context, team string, stack downwind.Stack, by string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.TeamRows[team]
	if !ok {
		return missing("team " + team)
	}
	t.Stack, t.StackBy, t.StackAt = stack, by, at
	s.TeamRows[team] = t
	return nil
}

// AddRule implements web.Reader.
func (s *Store) AddRule(_ context.Context, team string, r downwind.Rule) (downwind.Rule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.TeamRows[team]
	if !ok {
		return r, missing("team " + team)
	}
	r.ID = 1
	for _, have := range t.Rules {
		r.ID = max(r.ID, have.ID+1)
	}
	t.Rules = append(slices.Clone(t.Rules), r)
	s.TeamRows[team] = t
	return r, nil
}

// DeleteRule implements web.Reader.
func (s *Store) DeleteRule(_ context.Context, team string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.TeamRows[team]
	if !ok {
		return missing("team " + team)
	}
	kept := slices.DeleteFunc(slices.Clone(t.Rules), func(r downwind.Rule) bool { return r.ID == id })
	if len(kept) == len(t.Rules) {
		return missing("rule")
	}
	t.Rules = kept
	s.TeamRows[team] = t
	return nil
}

// Destinations implements web.Reader.
func (s *Store) Destinations(_ context.Context, team string) ([]downwind.Destination, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.Dests), func(d downwind.Destination) bool { return d.Team != team }), nil
}

// Subscriptions implements web.Reader.
func (s *Store) Subscriptions(_ context.Context, destination string) ([]downwind.Subscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.Subs), func(x downwind.Subscription) bool { return x.Destination != destination }), nil
}

// SaveSubscription implements web.Wishes.
func (s *Store) SaveSubscription(_ context.Context, sub downwind.Subscription) (downwind.Subscription, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, old := range s.Subs {
		if old.Destination == sub.Destination && old.Target == sub.Target && old.Provider == sub.Provider && old.Component == sub.Component {
			s.Subs[i].Filter = sub.Filter
			return s.Subs[i], true, nil
		}
		sub.ID = max(sub.ID, old.ID+1)
	}
	s.Subs = append(s.Subs, sub)
	return sub, false, nil
}

// DeleteSubscription implements web.Wishes.
func (s *Store) DeleteSubscription(_ context.Context, destination string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.Subs)
	s.Subs = slices.DeleteFunc(s.Subs, func(x downwind.Subscription) bool { return x.Destination == destination && x.ID == id })
	if len(s.Subs) == n {
		return missing("subscription")
	}
	return nil
}

// SaveDestination implements web.Wishes.
func (s *Store) SaveDestination(_ context.Context, d downwind.Destination) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.Dests {
		if s.Dests[i].ID == d.ID {
			s.Dests[i] = d
			return nil
		}
	}
	s.Dests = append(s.Dests, d)
	return nil
}

// Deliveries implements web.Reader.
func (s *Store) Deliveries(_ context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.DeliverRows), func(d downwind.Delivery) bool {
		return behind(f.Before, d.UpdatedAt, f.BeforeID <= d.ID) || f.Team != "" && d.Team != f.Team || f.Incident != "" && d.Incident != f.Incident || f.State != "" && d.State != f.State
	})
	slices.SortFunc(list, func(a, b downwind.Delivery) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID))
	})
	return first(list, f.Limit), nil
}

// behind reports whether a line stands before the place where a listing goes on; newer ones do, and of those of one time the
// ones that are told earlier.
func behind(before, at time.Time, earlier bool) bool {
	return !before.IsZero() && (at.After(before) || at.Equal(before) && earlier)
}

// first keeps the first n of a list, all when n is zero.
func first[T any](list []T, n int) []T {
	if n > 0 && len(list) > n {
		return list[:n]
	}
	return list
}

// Parts implements web.Reader.
func (s *Store) Parts(_ context.Context, delivery string) ([]downwind.Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.PartRows[delivery], nil
}

// Holds implements web.Reader.
func (s *Store) Holds(_ context.Context, f downwind.HoldFilter) ([]downwind.Hold, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.HoldRows), func(h downwind.Hold) bool {
		return behind(f.Before, h.At, f.BeforeID <= h.ID) || f.Team != "" && h.Team != f.Team || f.Incident != "" && h.Incident != f.Incident
	})
	slices.SortFunc(list, func(a, b downwind.Hold) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	return first(list, f.Limit), nil
}

// Notes implements web.Reader.
func (s *Store) Notes(context.Context) ([]downwind.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.NoteRows), nil
}

// AddToken implements web.Tokens.
func (s *Store) AddToken(_ context.Context, t downwind.Token) (downwind.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.ID = int64(len(s.TokenRows) + 1)
	s.TokenRows = append(s.TokenRows, t)
	return t, nil
}

// Tokens implements web.Tokens.
func (s *Store) Tokens(context.Context) ([]downwind.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.TokenRows), nil
}

// RevokeToken implements web.Tokens.
func (s *Store) RevokeToken(_ context.Context, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.TokenRows {
		if s.TokenRows[i].ID == id {
			s.TokenRows[i].Revoked = s.Clock.Now()
			return nil
		}
	}
	return missing("token")
}

// TokenByHash implements web.Tokens.
func (s *Store) TokenByHash(_ context.Context, hash string) (downwind.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.TokenRows {
		if t.Hash == hash && t.Revoked.IsZero() {
			return t, nil
		}
	}
	return downwind.Token{}, missing("token")
}

// PutTemp implements web.Temp.
func (s *Store) PutTemp(_ context.Context, kind, key string, value []byte, until time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.Kept[kind+"/"+key]; ok && old.until.After(s.Clock.Now()) {
		return false, nil
	}
	s.Kept[kind+"/"+key] = kept{value, until}
	return true, nil
}

// Temp implements web.Temp.
func (s *Store) Temp(_ context.Context, kind, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.Kept[kind+"/"+key]
	if !ok || !k.until.After(s.Clock.Now()) {
		return nil, missing(kind)
	}
	return k.value, nil
}

// TakeTemp implements web.Temp.
func (s *Store) TakeTemp(ctx context.Context, kind, key string) ([]byte, error) {
	value, err := s.Temp(ctx, kind, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.Kept, kind+"/"+key)
	return value, err
}

// KeptKinds counts the kept values of a kind.
func (s *Store) KeptKinds(kind string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.Kept {
		if strings.HasPrefix(key, kind+"/") {
			n++
		}
	}
	return n
}

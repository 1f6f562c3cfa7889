package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"downwind"
)

const (
	headColumns   = "i.provider, i.id, i.first_seen, i.changed_at, i.withdrawn, i.versions, i.version"
	recordColumns = headColumns + ", v.state"
)

// headFields are the places for headColumns.
func headFields(rec *downwind.IncidentRecord) []any {
	return []any{&rec.Incident.Provider, &rec.Incident.ID, at{&rec.FirstSeen}, at{&rec.ChangedAt}, at{&rec.Withdrawn}, &rec.Versions, &rec.VersionID}
}

func cursorOf(rec *downwind.IncidentRecord) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(micros(rec.FirstSeen), 10) + "|" + rec.Incident.Provider + "|" + rec.Incident.ID))
}

func (db *DB) scanRecord(row interface{ Scan(...any) error }) (downwind.IncidentRecord, error) {
	var rec downwind.IncidentRecord
	var inc downwind.Incident
	if err := row.Scan(append(headFields(&rec), packed{db, &inc})...); err != nil {
		return rec, err
	}
	rec.Cursor = cursorOf(&rec)
	give(&rec, inc)
	return rec, nil
}

// Incident returns the newest archived state of an incident.
func (db *DB) Incident(ctx context.Context, provider, id string) (downwind.IncidentRecord, error) {
	rec, err := db.scanRecord(db.read().row(ctx, "SELECT "+recordColumns+` FROM incident i JOIN version v ON v.id = i.version
		WHERE i.provider = $1 AND i.id = $2`, provider, id))
	return rec, missing(err, "incident "+provider+"/"+id)
}

// Incidents lists the archive, the latest first seen first; 100 a page unless the filter says otherwise (at most 1,000).
func (db *DB) Incidents(ctx context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error) {
	var w where
	providers := f.Providers
	if f.Provider != "" {
		providers = []string{f.Provider}
	}
	if providers != nil {
		if len(providers) == 0 {
			return nil, nil
		}
		w.any("i.provider", providers)
	}
	if f.Open != nil {
		w.add("i.is_open = ?", flag(*f.Open))
	}
	if f.Kind != "" {
		w.add("i.kind = ?", string(f.Kind))
	}
	if !f.Since.IsZero() {
		w.add("i.first_seen >= ?", micros(f.Since))
	}
	if !f.Until.IsZero() {
		w.add("i.first_seen < ?", micros(f.Until))
	}
	if f.Query != "" {
		w.add(`LOWER(i.title) LIKE ? ESCAPE '\'`, "%"+likeEscape(strings.ToLower(f.Query))+"%")
	}
	if f.Before != "" {
		seen, provider, id, err := cursor(f.Before)
		if err != nil {
			return nil, err
		}
		w.add("(i.first_seen, i.provider, i.id) < (CAST(? AS BIGINT), ?, ?)", seen, provider, id)
	}
	n := f.Limit
	if n <= 0 {
		n = 100
	}
	var list []downwind.IncidentRecord
	err := each(ctx, db.plain(), func(r *sql.Rows) error {
		var rec downwind.IncidentRecord
		err := r.Scan(headFields(&rec)...)
		rec.Cursor = cursorOf(&rec)
		list = append(list, rec)
		return err
	}, "SELECT "+headColumns+" FROM incident i"+w.String()+
		" ORDER BY i.first_seen DESC, i.provider DESC, i.id DESC"+limit(n, 1000), w.args...)
	if err != nil {
		return nil, err
	}
	return list, db.fillStates(ctx, list)
}

func cursor(s string) (seen int64, provider, id string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	parts := strings.SplitN(string(raw), "|", 3)
	if err == nil && len(parts) == 3 {
		seen, err = strconv.ParseInt(parts[0], 10, 64)
	}
	if err != nil || len(parts) != 3 {
		return 0, "", "", fmt.Errorf("cursor of a listing cannot be read: %w", downwind.ErrInvalid)
	}
	return seen, parts[1], parts[2], nil
}

func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}

const versionColumns = "id, provider, incident, number, hash, state, changes, fetched, seen_at, last_seen, leaf"

func (db *DB) scanVersion(row interface{ Scan(...any) error }) (downwind.Version, error) {
	var v downwind.Version
	err := row.Scan(&v.ID, &v.Provider, &v.Incident, &v.Number, &v.Hash, packed{db, &v.State}, packed{db, &v.Changes}, fromJSON{&v.Fetch},
		at{&v.SeenAt}, at{&v.LastSeen}, &v.Leaf)
	v.State.Provider = v.Provider
	return v, err
}

// Versions returns all archived states of an incident, oldest first.
func (db *DB) Versions(ctx context.Context, provider, id string) ([]downwind.Version, error) {
	var list []downwind.Version
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		v, err := db.scanVersion(r)
		list = append(list, v)
		return err
	}, "SELECT "+versionColumns+" FROM version WHERE provider = $1 AND incident = $2 ORDER BY number", provider, id)
	return list, err
}

// Version returns one archived state by its id.
func (db *DB) Version(ctx context.Context, versionID int64) (downwind.Version, error) {
	v, err := db.scanVersion(db.read().row(ctx, "SELECT "+versionColumns+" FROM version WHERE id = $1", versionID))
	return v, missing(err, fmt.Sprintf("version %d", versionID))
}

// VersionByLeaf returns the archived state at an index of the transparency log.
func (db *DB) VersionByLeaf(ctx context.Context, leaf int64) (downwind.Version, error) {
	v, err := db.scanVersion(db.read().row(ctx, "SELECT "+versionColumns+" FROM version WHERE leaf = $1", leaf))
	return v, missing(err, fmt.Sprintf("leaf %d", leaf))
}

// Body returns a raw body by its SHA-256, hex.
func (db *DB) Body(ctx context.Context, sha string) ([]byte, error) {
	var data []byte
	if err := db.read().row(ctx, "SELECT data FROM body WHERE sha = $1", sha).Scan(&data); err != nil {
		return nil, missing(err, "body "+sha)
	}
	return db.unpack(data)
}

// plain is the read pool without prepared statements, for texts that vary with their filter.
func (db *DB) plain() querier { return reader{&statements{pool: db.readers.pool, off: true}} }

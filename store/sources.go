package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"downwind"
)

const sourceColumns = `provider, url, endpoint, platform, state, etag, last_modified, body_hash, last_read, last_tried, next_due,
	failures, error, first_read, told, polls, hot, wanted, every`

func scanSource(row interface{ Scan(...any) error }) (downwind.Source, error) {
	var s downwind.Source
	var every int64
	err := row.Scan(&s.Provider, &s.URL, &s.Endpoint, &s.Platform, &s.State, &s.ETag, &s.LastModified, &s.BodyHash,
		at{&s.LastRead}, at{&s.LastTried}, at{&s.NextDue}, &s.Failures, &s.Error, at{&s.FirstRead}, &s.Told, &s.Polls,
		&s.Hot, &s.Wanted, &every)
	s.Interval = time.Duration(every) * time.Microsecond
	return s, err
}

func listSources(ctx context.Context, q querier, text string, args ...any) ([]downwind.Source, error) {
	var list []downwind.Source
	err := each(ctx, q, func(r *sql.Rows) error {
		s, err := scanSource(r)
		list = append(list, s)
		return err
	}, text, args...)
	return list, err
}

// SyncSources makes the given sources those that are polled: new ones are added and due at once, known ones keep their
// memory, missing ones rest until they are listed again. Another URL or platform starts a source's memory of answers afresh;
// that its history was taken in is kept, because incidents are known by provider.
func (db *DB) SyncSources(ctx context.Context, sources []downwind.Source) error {
	return db.write(ctx, "list the sources", func(t tx) error {
		known := make(map[string]downwind.Source)
		old, err := listSources(ctx, t, "SELECT "+sourceColumns+" FROM source"+db.dialect.lock())
		if err != nil {
			return err
		}
		for _, s := range old {
			known[s.Provider] = s
		}
		if _, err := t.exec(ctx, "UPDATE source SET listed = 0 WHERE listed = 1"); err != nil {
			return err
		}
		for _, s := range sources {
			if k, ok := known[s.Provider]; ok {
				s = remember(k, s)
			} else if s.State == "" {
				s.State = downwind.SourceStale
			}
			if err := putSource(ctx, t, s); err != nil {
				return fmt.Errorf("source %s: %w", s.Provider, err)
			}
		}
		return nil
	})
}

// remember merges a listed source into what is known of it.
func remember(known, listed downwind.Source) downwind.Source {
	s := known
	if listed.Wanted && !known.Wanted {
		s.NextDue = time.Time{}
	}
	s.Wanted, s.Interval = listed.Wanted, listed.Interval
	moved := listed.URL != known.URL
	if moved || listed.Platform != "" && listed.Platform != known.Platform && known.Platform != "" && known.LastRead.IsZero() {
		s.URL, s.Endpoint, s.Platform = listed.URL, listed.Endpoint, listed.Platform
		s.ETag, s.LastModified, s.BodyHash, s.NextDue = "", "", "", time.Time{}
	}
	if s.Platform == "" {
		s.Platform = listed.Platform
	}
	if s.Endpoint == "" {
		s.Endpoint = listed.Endpoint
	}
	return s
}

func putSource(ctx context.Context, t tx, s downwind.Source) error {
	_, err := t.exec(ctx, `INSERT INTO source (`+sourceColumns+`, listed)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,1)
		ON CONFLICT (provider) DO UPDATE SET url=excluded.url, endpoint=excluded.endpoint, platform=excluded.platform,
		state=excluded.state, etag=excluded.etag, last_modified=excluded.last_modified, body_hash=excluded.body_hash,
		last_read=excluded.last_read, last_tried=excluded.last_tried, next_due=excluded.next_due, failures=excluded.failures,
		error=excluded.error, first_read=excluded.first_read, told=excluded.told, polls=excluded.polls, hot=excluded.hot,
		wanted=excluded.wanted, every=excluded.every, listed=1`,
		s.Provider, s.URL, s.Endpoint, s.Platform, string(s.State), s.ETag, s.LastModified, s.BodyHash, micros(s.LastRead),
		micros(s.LastTried), micros(s.NextDue), s.Failures, s.Error, micros(s.FirstRead), flag(s.Told), s.Polls, flag(s.Hot),
		flag(s.Wanted), s.Interval.Microseconds())
	return err
}

// ClaimDue takes up to limit listed sources that are due, the longest overdue first, for the owner and the time of the lease.
// On PostgreSQL several processes share the work; a source is held by one at a time.
func (db *DB) ClaimDue(ctx context.Context, now time.Time, owner string, lease time.Duration, limit int) ([]downwind.Source, error) {
	var list []downwind.Source
	err := db.write(ctx, "claim due sources", func(t tx) (err error) {
		list, err = listSources(ctx, t, `UPDATE source SET claim_owner = $1, claim_until = $2 WHERE provider IN (
			SELECT provider FROM source WHERE listed = 1 AND next_due <= $3 AND claim_until <= $3
			ORDER BY next_due, provider LIMIT $4`+db.dialect.skipLocked()+`) RETURNING `+sourceColumns,
			owner, micros(now.Add(lease)), micros(now), limit)
		return err
	})
	return list, err
}

// SaveSource stores what a poll left and frees the claim. Hot and Wanted are left to Apply and SetWanted; a source that
// became hot or wanted while it was read is due again at once, since the poll counted on a longer pause.
func (db *DB) SaveSource(ctx context.Context, s downwind.Source) error {
	return db.write(ctx, "save source "+s.Provider, func(t tx) error {
		r, err := t.exec(ctx, `UPDATE source SET url=$2, endpoint=$3, platform=$4, state=$5, etag=$6, last_modified=$7,
			body_hash=$8, last_read=$9, last_tried=$10, failures=$12, error=$13,
			next_due=CASE WHEN wanted + hot > $18 THEN 0 ELSE CAST($11 AS BIGINT) END,
			first_read=CASE WHEN first_read > 0 THEN first_read ELSE $14 END, told=$15, polls=$16,
			every=$17, claim_owner='', claim_until=0 WHERE provider=$1`,
			s.Provider, s.URL, s.Endpoint, s.Platform, string(s.State), s.ETag, s.LastModified, s.BodyHash,
			micros(s.LastRead), micros(s.LastTried), micros(s.NextDue), s.Failures, s.Error, micros(s.FirstRead),
			flag(s.Told), s.Polls, s.Interval.Microseconds(), flag(s.Wanted)+flag(s.Hot))
		if err != nil {
			return err
		}
		return changed(r, "source "+s.Provider)
	})
}

// Source returns one source.
func (db *DB) Source(ctx context.Context, provider string) (downwind.Source, error) {
	s, err := scanSource(db.read().row(ctx, "SELECT "+sourceColumns+" FROM source WHERE provider = $1", provider))
	return s, missing(err, "source "+provider)
}

// Sources returns the listed sources by provider.
func (db *DB) Sources(ctx context.Context) ([]downwind.Source, error) {
	return listSources(ctx, db.read(), "SELECT "+sourceColumns+" FROM source WHERE listed = 1 ORDER BY provider")
}

// SetWanted sets which providers at least one team depends on; providers that are not named are no longer wanted.
func (db *DB) SetWanted(ctx context.Context, wanted map[string]bool) error {
	return db.write(ctx, "mark wanted sources", func(t tx) error {
		var on, off []string
		err := each(ctx, t, func(r *sql.Rows) error {
			var provider string
			var now bool
			if err := r.Scan(&provider, &now); err != nil {
				return err
			}
			switch want := wanted[provider]; {
			case want && !now:
				on = append(on, provider)
			case !want && now:
				off = append(off, provider)
			}
			return nil
		}, "SELECT provider, wanted FROM source")
		if err != nil {
			return err
		}
		for _, p := range on { // due at once: the pause of an idle source is over
			if _, err := t.exec(ctx, "UPDATE source SET wanted = 1, next_due = 0 WHERE provider = $1", p); err != nil {
				return err
			}
		}
		for _, p := range off {
			if _, err := t.exec(ctx, "UPDATE source SET wanted = 0 WHERE provider = $1", p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Components returns the components of the newest document of a provider; nil before the first poll.
func (db *DB) Components(ctx context.Context, provider string) ([]downwind.Component, error) {
	return db.components(ctx, db.read(), provider)
}

func (db *DB) components(ctx context.Context, q querier, provider string) ([]downwind.Component, error) {
	var list []downwind.Component
	err := q.row(ctx, "SELECT components FROM source WHERE provider = $1", provider).Scan(packed{db, &list})
	return list, missing(err, "source "+provider)
}

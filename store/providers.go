package store

import (
	"context"
	"database/sql"

	"downwind"
)

// SaveProvider keeps a provider that people added, or changes it.
func (db *DB) SaveProvider(ctx context.Context, p downwind.Provider) error {
	state, err := text(p)
	if err != nil {
		return err
	}
	return db.write(ctx, "save provider "+p.Slug, func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO provider (slug, state, at) VALUES ($1,$2,$3)
			ON CONFLICT (slug) DO UPDATE SET state = excluded.state`, p.Slug, state, micros(db.clock.Now()))
		return err
	})
}

// Providers lists the providers that people added, by slug.
func (db *DB) Providers(ctx context.Context) ([]downwind.Provider, error) {
	var list []downwind.Provider
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		var p downwind.Provider
		if err := r.Scan(fromJSON{&p}); err != nil {
			return err
		}
		list = append(list, p)
		return nil
	}, "SELECT state FROM provider ORDER BY slug")
	return list, err
}

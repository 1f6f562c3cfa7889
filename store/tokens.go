package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"downwind"
)

const tokenColumns = "id, name, team, scopes, hash, created_at, last_used, revoked"

func scanToken(row interface{ Scan(...any) error }) (downwind.Token, error) {
	var t downwind.Token
	err := row.Scan(&t.ID, &t.Name, &t.Team, fromJSON{&t.Scopes}, &t.Hash, at{&t.CreatedAt}, at{&t.LastUsed}, at{&t.Revoked})
	return t, err
}

// AddToken stores a token by its hash and returns it with its id. A hash that is there already is ErrConflict.
func (db *DB) AddToken(ctx context.Context, token downwind.Token) (downwind.Token, error) {
	if token.Hash == "" {
		return token, fmt.Errorf("store: token without hash: %w", downwind.ErrInvalid)
	}
	if token.CreatedAt.IsZero() {
		token.CreatedAt = db.clock.Now()
	}
	scopes, err := text(append([]string{}, token.Scopes...))
	if err != nil {
		return token, err
	}
	err = db.write(ctx, "add token", func(t tx) error {
		err := t.row(ctx, "INSERT INTO token (name, team, scopes, hash, created_at) VALUES ($1,$2,$3,$4,$5) RETURNING id",
			token.Name, token.Team, scopes, token.Hash, micros(token.CreatedAt)).Scan(&token.ID)
		if duplicate(err) {
			return fmt.Errorf("token %s is there already: %w", token.Name, downwind.ErrConflict)
		}
		return err
	})
	return token, err
}

// Tokens lists all tokens, revoked ones too, oldest first.
func (db *DB) Tokens(ctx context.Context) ([]downwind.Token, error) {
	var list []downwind.Token
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		t, err := scanToken(r)
		list = append(list, t)
		return err
	}, "SELECT "+tokenColumns+" FROM token ORDER BY id")
	return list, err
}

// RevokeToken ends a token; ending it twice changes nothing.
func (db *DB) RevokeToken(ctx context.Context, id int64) error {
	return db.write(ctx, "revoke token", func(t tx) error {
		r, err := t.exec(ctx, "UPDATE token SET revoked = CASE WHEN revoked = 0 THEN CAST($2 AS BIGINT) ELSE revoked END WHERE id = $1", id, micros(db.clock.Now()))
		if err != nil {
			return err
		}
		return changed(r, fmt.Sprintf("token %d", id))
	})
}

// tokenUseEvery is how often the time of last use is written.
const tokenUseEvery = time.Minute

// TokenByHash returns the living token with this hash and keeps when it was used. A revoked one is ErrNotFound.
func (db *DB) TokenByHash(ctx context.Context, hash string) (downwind.Token, error) {
	token, err := scanToken(db.read().row(ctx, "SELECT "+tokenColumns+" FROM token WHERE hash = $1 AND revoked = 0", hash))
	if err != nil {
		return token, missing(err, "token")
	}
	now := db.clock.Now()
	if now.Sub(token.LastUsed) < tokenUseEvery {
		return token, nil
	}
	return token, db.write(ctx, "use token", func(t tx) error {
		_, err := t.exec(ctx, "UPDATE token SET last_used = $2 WHERE id = $1", token.ID, micros(now))
		return err
	})
}

// PutTemp keeps a small value until an instant, by kind and key: one-time links, sessions, replay caches, states of
// dialogs. A key that is there and has not expired is left alone and stored is false.
func (db *DB) PutTemp(ctx context.Context, kind, key string, value []byte, until time.Time) (stored bool, err error) {
	if value == nil {
		value = []byte{}
	}
	err = db.write(ctx, "keep "+kind, func(t tx) error {
		r, err := t.exec(ctx, `INSERT INTO temp (kind, name, value, until) VALUES ($1,$2,$3,$4)
			ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, until = excluded.until WHERE temp.until <= $5`,
			kind, key, value, micros(until), micros(db.clock.Now()))
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		stored = n > 0
		return err
	})
	return stored, err
}

// SetTemp is PutTemp that replaces what is there.
func (db *DB) SetTemp(ctx context.Context, kind, key string, value []byte, until time.Time) error {
	if value == nil {
		value = []byte{}
	}
	return db.write(ctx, "keep "+kind, func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO temp (kind, name, value, until) VALUES ($1,$2,$3,$4)
			ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value, until = excluded.until`, kind, key, value, micros(until))
		return err
	})
}

// Temp returns a kept value; ErrNotFound when it is not there or has expired.
func (db *DB) Temp(ctx context.Context, kind, key string) ([]byte, error) {
	var value []byte
	err := db.read().row(ctx, "SELECT value FROM temp WHERE kind = $1 AND name = $2 AND until > $3", kind, key, micros(db.clock.Now())).Scan(&value)
	return value, missing(err, kind)
}

// TakeTemp returns a kept value once: whoever takes it removes it.
func (db *DB) TakeTemp(ctx context.Context, kind, key string) ([]byte, error) {
	var value []byte
	err := db.write(ctx, "take "+kind, func(t tx) error {
		var until time.Time
		err := t.row(ctx, "DELETE FROM temp WHERE kind = $1 AND name = $2 RETURNING value, until", kind, key).Scan(&value, at{&until})
		if err == nil && !until.After(db.clock.Now()) {
			value = nil
		}
		return err
	})
	if err == nil && value == nil {
		err = sql.ErrNoRows
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%s: %w", kind, downwind.ErrNotFound)
	}
	return value, err
}

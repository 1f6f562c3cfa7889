package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"downwind"
)

const installColumns = "platform, workspace, enterprise, name, app, bot, installer, scopes, sealed, at"

var errNoSealer = errors.New("tokens of installs are stored encrypted only: set the key file")

func (db *DB) scanInstall(row interface{ Scan(...any) error }) (downwind.Install, error) {
	var i downwind.Install
	var sealed []byte
	if err := row.Scan(&i.Platform, &i.Workspace, &i.Enterprise, &i.Name, &i.App, &i.Bot, &i.Installer, fromJSON{&i.Scopes}, &sealed, at{&i.At}); err != nil {
		return i, err
	}
	if db.sealer == nil {
		return i, errNoSealer
	}
	token, err := db.sealer.Unseal(sealed)
	if err != nil {
		return i, fmt.Errorf("token of %s cannot be decrypted with this key file: %w", i, err)
	}
	i.Token = string(token)
	return i, nil
}

// SaveInstall stores an install; the same workspace replaces. Its token is encrypted, or nothing is stored.
func (db *DB) SaveInstall(ctx context.Context, i downwind.Install) error {
	if db.sealer == nil {
		return fmt.Errorf("store: install of %s: %w", i, errNoSealer)
	}
	sealed, err := db.sealer.Seal([]byte(i.Token))
	if err != nil {
		return fmt.Errorf("store: encrypt the token of %s: %w", i, err)
	}
	scopes, err := text(append([]string{}, i.Scopes...))
	if err != nil {
		return err
	}
	if i.At.IsZero() {
		i.At = db.clock.Now()
	}
	return db.write(ctx, "save install of "+i.String(), func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO install (`+installColumns+`) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)
			ON CONFLICT (platform, enterprise, workspace) DO UPDATE SET name=excluded.name, app=excluded.app, bot=excluded.bot,
			installer=excluded.installer, scopes=excluded.scopes, sealed=excluded.sealed, at=excluded.at`,
			i.Platform, i.Workspace, i.Enterprise, i.Name, i.App, i.Bot, i.Installer, scopes, sealed, micros(i.At))
		return err
	})
}

// Install returns the install of a workspace with its token.
func (db *DB) Install(ctx context.Context, platform, workspace string) (downwind.Install, error) {
	i, err := db.scanInstall(db.read().row(ctx, "SELECT "+installColumns+" FROM install WHERE platform = $1 AND workspace = $2 ORDER BY at DESC LIMIT 1", platform, workspace))
	return i, missing(err, "install of "+platform+":"+workspace)
}

// Installs lists all installs of a platform, or all for the empty word.
func (db *DB) Installs(ctx context.Context, platform string) ([]downwind.Install, error) {
	var list []downwind.Install
	err := each(ctx, db.read(), func(r *sql.Rows) error {
		i, err := db.scanInstall(r)
		list = append(list, i)
		return err
	}, "SELECT "+installColumns+" FROM install WHERE $1 = '' OR platform = $1 ORDER BY platform, workspace", platform)
	return list, err
}

// DeleteInstall erases an install and its token.
func (db *DB) DeleteInstall(ctx context.Context, platform, workspace string) error {
	return db.write(ctx, "delete install of "+platform+":"+workspace, func(t tx) error {
		r, err := t.exec(ctx, "DELETE FROM install WHERE platform = $1 AND workspace = $2", platform, workspace)
		if err != nil {
			return err
		}
		return changed(r, "install of "+platform+":"+workspace)
	})
}

// AgeKey reads an age identity from a file, or makes the file (mode 0600) with a new one, and seals with it.
func AgeKey(path string) (Sealer, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = newAgeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	ids, err := age.ParseIdentities(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("key file %s holds no age identity: %w", path, downwind.ErrInvalid)
	}
	for _, id := range ids {
		if x, ok := id.(*age.X25519Identity); ok {
			return ageSealer{x}, nil
		}
	}
	return nil, fmt.Errorf("key file %s holds no X25519 identity: %w", path, downwind.ErrInvalid)
}

func newAgeKey(path string) ([]byte, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	raw := []byte("# Encrypts the tokens of installs. Keep it apart from the database's backups.\n" + id.String() + "\n")
	_, err = f.Write(raw)
	return raw, errors.Join(err, f.Sync(), f.Close())
}

type ageSealer struct{ id *age.X25519Identity }

// Seal implements Sealer.
func (s ageSealer) Seal(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := age.Encrypt(&b, s.id.Recipient())
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// Unseal implements Sealer.
func (s ageSealer) Unseal(sealed []byte) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), s.id)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, 1<<20))
}

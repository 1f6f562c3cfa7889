package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"downwind/store"
)

// A sealer encrypts the tokens of installs with age to a key that lies in a file of its own.
type sealer struct{ identity *age.X25519Identity }

// openSealer reads the key, or makes one at first use (mode 0600). Without store.key_file the key lies in the data
// directory; a database elsewhere then has no installs to encrypt.
func (a *App) openSealer() (store.Sealer, error) {
	path := a.cfg.Path(a.cfg.Store.KeyFile)
	if path == "" {
		if a.opts.DataDir == "" {
			return nil, nil
		}
		path = filepath.Join(a.opts.DataDir, "downwind.key")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newSealer(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the store: %w", err)
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s holds no age key (AGE-SECRET-KEY-1…)", path)
	}
	return &sealer{id}, nil
}

func newSealer(path string) (store.Sealer, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make the key of the store: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the key of the store: %w", err)
	}
	if err := os.WriteFile(path, []byte(id.String()+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("keep the key of the store: %w", err)
	}
	return &sealer{id}, nil
}

// Seal implements store.Sealer.
func (s *sealer) Seal(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, s.identity.Recipient())
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	return out.Bytes(), nil
}

// Unseal implements store.Sealer.
func (s *sealer) Unseal(sealed []byte) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), s.identity)
	if err != nil {
		return nil, errors.New("decrypt: the key file is not the one that it was encrypted with")
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("decrypt: the stored value is damaged")
	}
	return plain, nil
}

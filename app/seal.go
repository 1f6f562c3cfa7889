package app

import (
	"os"

	"downwind/store"
)

// openSealer reads the key that encrypts the tokens of installs, or makes one at first use. Without store.key_file it
// lies in the data directory.
func (a *App) openSealer() (store.Sealer, error) {
	path := a.cfg.Path(a.cfg.Store.KeyFile)
	if path == "" {
		if err := os.MkdirAll(a.opts.DataDir, 0o700); err != nil {
			return nil, err
		}
		path = a.dataPath("downwind.key")
	}
	return store.AgeKey(path)
}

//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"downwind"
)

// takeLock holds an exclusive lock on a file until it is closed or the process ends.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the lock file: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s is held by another downwind: stop it, or use PostgreSQL for more than one process: %w", path, downwind.ErrConflict)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

package chat_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// leaksNothing looks for a marker in every file below a folder.
func leaksNothing(t *testing.T, dir, marker string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if bytes.Contains(raw, []byte(marker)) {
			t.Errorf("%s holds a value of an uploaded file", filepath.Base(path))
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d files seen: %v", seen, err)
	}
}

//go:build unix

package stackparse_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"downwind/stackparse"
)

// TestReadPathsOfOddFiles: a link that is named by itself is followed, a pipe is not waited for, a picture is no text.
func TestReadPathsOfOddFiles(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"package.json": `{"dependencies":{"stripe":"1"}}`, "requirements.txt": "\x89PNG\r\n\x1a\n" + strings.Repeat("twilio\n", 50)} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe.env")
	if err := os.Symlink(repo, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{link, pipe})
	if err != nil {
		t.Fatal(err)
	}
	if s.Use("stripe") == nil || s.Use("twilio") != nil {
		t.Errorf("uses %q", summary(s))
	}
	var told []string
	for _, f := range s.Files {
		for _, d := range f.Diagnostics {
			told = append(told, filepath.Base(f.Path)+": "+d.Summary)
		}
	}
	if want := []string{"requirements.txt: binary content, not read as text", "pipe.env: not a regular file: not read"}; !slices.Equal(told, want) {
		t.Errorf("diagnostics %q, want %q", told, want)
	}
}

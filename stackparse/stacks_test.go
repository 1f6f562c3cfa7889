package stackparse_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/stackparse"
)

// defaultRegistries are providers that every manifest names; the stacks of testdata do not list them.
var defaultRegistries = map[string]bool{"npm": true, "hexpm": true, "pub-dev": true, "cocoapods": true, "nuget": true, "maven-central": true, "docker": true}

// TestStacks reads whole small stacks: each folder of testdata/stacks gives the uses in the file NAME.expected beside it,
// guesses left out.
func TestStacks(t *testing.T) {
	const root = "testdata/stacks"
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(root, e.Name()+".expected"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{filepath.Join(root, e.Name())})
			if err != nil {
				t.Fatal(err)
			}
			var kept downwind.Stack
			for _, u := range s.Providers {
				if u.Confidence != downwind.Guess && !defaultRegistries[u.Provider] {
					kept.Providers = append(kept.Providers, u)
				}
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), summary(kept)); diff != "" {
				t.Errorf("uses (-want +got):\n%s", diff)
			}
		})
	}
}

package stackparse_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downwind"
	"downwind/catalog"
	"downwind/stackparse"
)

// registries may always be listed: a package implies the registry it comes from.
var registries = []string{
	"npm", "pypi", "rubygems", "crates-io", "packagist", "hexpm", "maven-central", "nuget", "go-proxy", "pub-dev", "cocoapods",
	"quay", "jsr", "gemfury", "feedz", "chainguard", "docker",
}

// TestCorpus holds precision and recall of the providers on the stack corpus, which lies beside the module.
func TestCorpus(t *testing.T) {
	const dir = "../../shared/corpus/stacks"
	answers, err := filepath.Glob(dir + "/*/expected.json")
	if err != nil || len(answers) == 0 {
		t.Skipf("the stack corpus is not in %s", dir)
	}
	c, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	slug := func(s string) string {
		if p, ok := c.Lookup(s); ok {
			return p.Slug
		}
		return s
	}
	hit, wrong, missed, sure, sureRight := 0, 0, 0, 0, 0
	for _, file := range answers {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Providers []struct{ Provider, Tier string }
		}
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		needed, free := map[string]bool{}, map[string]bool{}
		for _, p := range want.Providers {
			if p.Tier == "runtime" || p.Tier == "delivery" {
				needed[slug(p.Provider)] = true
			} else {
				free[slug(p.Provider)] = true
			}
		}
		root := filepath.Join(filepath.Dir(file), "files")
		s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{root})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, u := range s.Providers {
			showEvidence(t, root, u)
			if u.Confidence == downwind.Guess {
				continue
			}
			got[u.Provider] = true
			allowed := free[u.Provider] || slices.Contains(registries, u.Provider)
			if needed[u.Provider] {
				hit++
			} else if !allowed {
				wrong++
				t.Logf("%s: %s is not used: %+v", root, u.Provider, u.Evidence[0])
			}
			if u.Confidence == downwind.Sure && (needed[u.Provider] || !allowed) {
				sure++
				if needed[u.Provider] {
					sureRight++
				}
			}
		}
		for p := range needed {
			if !got[p] {
				missed++
				t.Logf("%s: %s is missed", root, p)
			}
		}
	}
	precision, recall := float64(hit)/float64(hit+wrong), float64(hit)/float64(hit+missed)
	if precision < 0.98 || recall < 0.96 || float64(sureRight) < 0.99*float64(sure) {
		t.Errorf("precision %.3f, recall %.3f, sure %d of %d right", precision, recall, sureRight, sure)
	}
}

// showEvidence checks that every file named exists and every line lies within it.
func showEvidence(t *testing.T, root string, u downwind.Use) {
	t.Helper()
	for _, e := range u.Evidence {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
		if err != nil {
			t.Errorf("evidence of %s: %v", u.Provider, err)
			continue
		}
		if lines := strings.Count(string(b), "\n") + 1; e.Line < 0 || e.Line > lines {
			t.Errorf("evidence of %s: %s has no line %d", u.Provider, e.File, e.Line)
		}
	}
}

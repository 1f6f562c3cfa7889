package all_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"downwind/stackparse/all"
)

// TestEveryParserIsTested holds every parser to the same: its folder has fixtures, a broken one among them, a golden
// answer for each, and a fuzz target.
func TestEveryParserIsTested(t *testing.T) {
	fuzz := regexp.MustCompile(`(?m)^func Fuzz\w+\(f \*testing\.F\)`)
	folders := map[string]bool{}
	for _, p := range all.Parsers() {
		pkg := reflect.TypeOf(p).PkgPath()
		dir := filepath.Join("..", pkg[strings.LastIndexByte(pkg, '/')+1:])
		folders[filepath.Base(dir)] = true
		t.Run(p.Name(), func(t *testing.T) {
			tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
			if err != nil || len(tests) == 0 {
				t.Fatalf("%s has no tests", dir)
			}
			found := false
			for _, f := range tests {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				found = found || fuzz.Match(b)
			}
			if !found {
				t.Errorf("%s has no fuzz target", dir)
			}
			fixtures, broken := 0, 0
			for _, depth := range []string{"*", "*/*"} {
				list, _ := filepath.Glob(filepath.Join(dir, "testdata", depth+".golden"))
				for _, g := range list {
					fixtures++
					if _, err := os.Stat(strings.TrimSuffix(g, ".golden")); err != nil {
						t.Errorf("%s has no fixture", g)
					}
					if strings.HasPrefix(filepath.Base(g), "broken") {
						broken++
					}
				}
			}
			if fixtures < 2 || broken == 0 {
				t.Errorf("%s: %d fixtures, %d broken; want at least two, one broken", dir, fixtures, broken)
			}
		})
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Name() {
		case "all", "internal", "stackparsetest", "testdata":
			continue
		}
		if e.IsDir() && !folders[e.Name()] {
			t.Errorf("folder %s is not in the list", e.Name())
		}
	}
}

// TestNamesAreUnique: StackFile.Kind is the parser's name.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range all.Parsers() {
		if seen[p.Name()] {
			t.Errorf("two parsers are called %q", p.Name())
		}
		seen[p.Name()] = true
	}
}

package stackparse_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"downwind"
	"downwind/stackparse"
)

// TestPlaces reads small stacks that show where providers run: every file of testdata/places holds cases of one kind, each
// begun by "=== name". Before a case's files, in the form of txtar, stand lines "provider: regions", which are all
// providers of which a region is known, lines "provider/service", which must be among the services, lines "+provider",
// which must be among the providers, and lines "!provider", which must not.
func TestPlaces(t *testing.T) {
	files, err := filepath.Glob("testdata/places/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in testdata/places: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for text := range strings.SplitSeq("\n"+string(data), "\n=== ") {
			title, body, ok := strings.Cut(text, "\n")
			if !ok || title == "" {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(name), ".txt")+"/"+title, func(t *testing.T) { placesCase(t, body) })
		}
	}
}

func placesCase(t *testing.T, body string) {
	a := txtar.Parse([]byte(body))
	in := map[string][]byte{}
	for _, f := range a.Files {
		in[f.Name] = f.Data
	}
	s := reader(stackparse.Options{}).ReadFiles(context.Background(), in)
	var want, got []string
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		provider, service, ok := strings.Cut(line, "/")
		switch {
		case line == "":
		case line[0] == '+', line[0] == '!':
			if u := s.Use(line[1:]); (u != nil && u.Confidence != downwind.Guess) != (line[0] == '+') {
				t.Errorf("not so: %s (%+v)", line, u)
			}
		case !ok:
			want = append(want, line)
		case s.Use(provider) == nil || !slices.Contains(s.Use(provider).Services, service):
			t.Errorf("no service %s of %s", service, provider)
		}
	}
	for _, u := range s.Providers {
		if len(u.Regions) > 0 && u.Confidence != downwind.Guess {
			got = append(got, u.Provider+": "+strings.Join(u.Regions, " "))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("regions (-want +got):\n%s", diff)
	}
}

// Package stackparsetest has the tests that every parser of stack files shares: fixtures with golden answers and a
// fuzz target. A fixture is a file, or a folder of files that are read together, in the parser's testdata; its golden
// answer lies beside it as NAME.golden and is renewed by "go test -update".
package stackparsetest

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind/catalog"
	"downwind/stackparse"
)

var update = flag.Bool("update", false, "renew the golden files")

// limit is how long one fixture may take, on a machine that is busy.
const limit = 10 * time.Second

// Run parses every fixture of testdata and compares what was found with the golden answer. Every file of a fixture
// must be claimed by the parser, and one fixture at least must be broken: its name begins with "broken".
func Run(t *testing.T, p stackparse.Parser) {
	t.Helper()
	RunIn(t, p, "testdata")
}

// RunIn is Run for a folder with several parsers, whose fixtures lie in folders of their own.
func RunIn(t *testing.T, p stackparse.Parser, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".golden") || e.Name() == "fuzz" {
			continue
		}
		if strings.HasPrefix(e.Name(), "broken") {
			broken++
		}
		t.Run(e.Name(), func(t *testing.T) {
			got := Describe(t, p, filepath.Join(dir, e.Name()))
			golden := filepath.Join(dir, e.Name()+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
		})
	}
	if broken == 0 {
		t.Errorf("no fixture in %s begins with \"broken\"", dir)
	}
}

// Describe parses a fixture and writes its facts and diagnostics down, a line each.
func Describe(t *testing.T, p stackparse.Parser, root string) string {
	t.Helper()
	var in []stackparse.Input
	names := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, file)
		name := filepath.ToSlash(rel)
		if name == "." {
			name = strings.TrimPrefix(filepath.Base(root), "broken.")
		}
		names[name] = true
		in = append(in, input(name, b, names))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range in {
		if !p.Claims(f.Path) {
			t.Errorf("%s does not claim %s", p.Name(), f.Path)
		}
	}
	results := Parse(t, p, in)
	var b strings.Builder
	for _, f := range in {
		describe(&b, f, results[f.Path], len(in) > 1)
	}
	return b.String()
}

// signatures are read once: a fuzz target asks them for every input.
var signatures = sync.OnceValue(catalog.EmbeddedSignatures)

func input(name string, b []byte, names map[string]bool) stackparse.Input {
	return stackparse.Input{
		Path: name, Data: b, Known: signatures().Has,
		Beside: func(rel string) bool { return names[path.Join(path.Dir(name), rel)] },
	}
}

// Parse reads files with a parser, all together when it is a TreeParser.
func Parse(t testing.TB, p stackparse.Parser, in []stackparse.Input) map[string]*stackparse.Result {
	t.Helper()
	out := map[string]*stackparse.Result{}
	for _, f := range in {
		out[f.Path] = &stackparse.Result{}
	}
	start := time.Now()
	if tree, ok := p.(stackparse.TreeParser); ok {
		tree.ParseTree(context.Background(), in, func(p string) *stackparse.Result {
			if out[p] == nil {
				out[p] = &stackparse.Result{}
			}
			return out[p]
		})
	} else {
		for _, f := range in {
			p.Parse(context.Background(), f, out[f.Path])
			streamed(t, p, f, out[f.Path])
		}
	}
	if d := time.Since(start); d > limit {
		t.Errorf("parsing took %v", d)
	}
	return out
}

// streamed reads a file of a Streamer piece by piece, too, whatever its size: the answer is the same.
func streamed(t testing.TB, p stackparse.Parser, in stackparse.Input, want *stackparse.Result) {
	t.Helper()
	if s, ok := p.(stackparse.Streamer); !ok || !s.Streams(in.Path) {
		return
	}
	whole := in.Data
	in.Data = whole[:min(len(whole), 4096)]
	for _, size := range []int{1, 7, 4096} {
		in.Again = func() io.Reader { return &pieces{whole, size} }
		got := &stackparse.Result{}
		p.Parse(context.Background(), in, got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s in pieces of %d bytes (-as a whole +in pieces):\n%s", in.Path, size, diff)
		}
	}
}

// pieces hands a text out in pieces of one size.
type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(to[:min(len(to), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}

func describe(b *strings.Builder, f stackparse.Input, r *stackparse.Result, named bool) {
	if named {
		fmt.Fprintf(b, "== %s %s\n", f.Path, r.Kind)
	}
	facts := slices.Clone(r.Facts)
	slices.SortStableFunc(facts, func(a, b stackparse.Fact) int { return a.Line - b.Line })
	for _, x := range facts {
		fmt.Fprintf(b, "%d %s %s", x.Line, x.Kind, x.Name)
		for _, s := range []string{x.Show, x.Version, x.Provider, x.Service, x.Source, strings.Join(x.Regions, ",")} {
			if s != "" {
				fmt.Fprintf(b, " %q", s)
			}
		}
		for _, flag := range []struct {
			on   bool
			word string
		}{{x.State == stackparse.Loose, "loose"}, {x.State == stackparse.Faint, "faint"}, {x.Dev, "dev"}, {x.Transitive, "transitive"}, {x.Secret, "secret"}, {x.Template, "template"}} {
			if flag.on {
				b.WriteString(" " + flag.word)
			}
		}
		b.WriteByte('\n')
	}
	for _, d := range r.Diagnostics {
		fmt.Fprintf(b, "! %d %s\n", d.Line, d.Summary)
	}
}

// Fuzz feeds a parser with damaged variants of its fixtures under each of the names, and demands that it ends soon, does not
// panic, and tells only lines that exist.
func Fuzz(f *testing.F, p stackparse.Parser, names ...string) {
	f.Helper()
	for i, n := range names {
		if !p.Claims(n) {
			f.Fatalf("%s does not claim %s", p.Name(), n)
		}
		f.Add(uint8(i), []byte("{\"a\": [1, {\"b\": \"c.example.com\"}]}\n"))
	}
	_ = filepath.WalkDir("testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(file, ".golden") || strings.Contains(file, "fuzz") {
			return nil
		}
		if b, err := os.ReadFile(file); err == nil {
			which := slices.Index(names, strings.TrimPrefix(filepath.Base(file), "broken."))
			f.Add(uint8(max(which, 0)), b)
		}
		return nil
	})
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		name := names[int(which)%len(names)]
		lines := strings.Count(string(data), "\n") + 1
		for _, r := range Parse(t, p, []stackparse.Input{input(name, data, map[string]bool{name: true})}) {
			for _, x := range r.Facts {
				if x.Line < 0 || x.Line > lines {
					t.Errorf("%s: fact %s %q on line %d of %d", name, x.Kind, x.Name, x.Line, lines)
				}
			}
		}
	})
}

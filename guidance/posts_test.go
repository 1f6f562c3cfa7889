package guidance

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ownPost is one case of testdata/posts.txt.
type ownPost struct {
	name     string
	post     Post
	zone     string
	want     [][2]time.Time
	conflict string
	none     bool
}

func parseStamp(t testing.TB, s string) time.Time {
	t.Helper()
	if s == "-" {
		return time.Time{}
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if v, err := time.Parse(layout, s); err == nil {
			return v
		}
	}
	t.Fatalf("no time: %q", s)
	return time.Time{}
}

func ownPosts(t testing.TB) []ownPost {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "posts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []ownPost
	inBody := false
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		if name, ok := strings.CutPrefix(line, "== "); ok {
			out, inBody = append(out, ownPost{name: name}), false
			continue
		}
		if len(out) == 0 {
			continue
		}
		p := &out[len(out)-1]
		if inBody {
			p.post.Body += line + "\n"
			continue
		}
		key, rest, _ := strings.Cut(line, " ")
		switch key {
		case "":
			inBody = true
		case "posted":
			p.post.PostedAt = parseStamp(t, rest)
		case "zone":
			p.zone = rest
		case "want":
			a, b, _ := strings.Cut(rest, " ")
			p.want = append(p.want, [2]time.Time{parseStamp(t, a), parseStamp(t, b)})
		case "conflict":
			p.conflict = rest
		case "none":
			p.none = true
		default:
			t.Fatalf("%s: unknown line %q", p.name, line)
		}
	}
	for i := range out {
		out[i].post.Body = strings.TrimSpace(out[i].post.Body)
	}
	return out
}

func TestOwnPosts(t *testing.T) {
	var golden strings.Builder
	posts := ownPosts(t)
	if len(posts) < 150 {
		t.Errorf("only %d posts of our own", len(posts))
	}
	for _, p := range posts {
		g := Explain(p.post, Known{Zone: p.zone})
		fmt.Fprintf(&golden, "== %s\n", p.name)
		for _, w := range g.Windows {
			fmt.Fprintf(&golden, "%s %s approx=%v %q\n", stamp(w.Start), stamp(w.End), w.Approx, w.Text)
		}
		t.Run(p.name, func(t *testing.T) {
			if p.none == (len(p.want) > 0) {
				t.Fatal("the case wants neither windows nor none")
			}
			var got [][2]time.Time
			for _, w := range g.Windows {
				got = append(got, [2]time.Time{w.Start, w.End})
				if !strings.Contains(p.post.Body, w.Text) || w.Text == "" {
					t.Errorf("the evidence is not verbatim: %q", w.Text)
				}
				if w.StartFrom != "" && !strings.Contains(p.post.Body, w.StartFrom) {
					t.Errorf("the words of the start are not verbatim: %q", w.StartFrom)
				}
			}
			if diff := cmp.Diff(p.want, got); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", p.post.Body, diff)
			}
			if p.conflict != "" && !strings.Contains(strings.Join(g.Conflicts, "\n"), p.conflict) {
				t.Errorf("conflicts %q do not tell %q", g.Conflicts, p.conflict)
			}
			if p.conflict == "" && len(g.Conflicts) > 0 {
				t.Errorf("unexpected conflicts %q", g.Conflicts)
			}
			checkInvariants(t, g)
		})
	}
	path := filepath.Join("testdata", "posts.golden")
	if *update {
		if err := os.WriteFile(path, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), golden.String()); diff != "" {
		t.Errorf("evidence differs from %s (-want +got):\n%s", path, diff)
	}
}

// checkInvariants holds what is true of all guidance.
func checkInvariants(t testing.TB, g downwind.Guidance) {
	t.Helper()
	for i, w := range g.Windows {
		if w.Start.IsZero() && w.End.IsZero() {
			t.Errorf("window %d has no bound", i)
		}
		if !w.Start.IsZero() && !w.End.IsZero() && w.End.Before(w.Start) {
			t.Errorf("window %d ends before it starts: %v", i, w)
		}
	}
	if (g.Replay == nil) != (len(g.Windows) == 0) {
		t.Errorf("the envelope does not go with the windows: %v, %d windows", g.Replay, len(g.Windows))
	}
	if g.Padded != nil && !g.Padded.End.IsZero() && g.Padded.End.Before(g.Padded.Start) {
		t.Errorf("padded period %v is negative", g.Padded)
	}
	for _, a := range g.Advice {
		if strings.ContainsAny(a, "{}") || len(a) > 220 {
			t.Errorf("advice is not a short sentence: %q", a)
		}
	}
}

package guidance

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"downwind"
)

// annotated is one post of the shared corpus with its windows; other readings that the annotation accepts stand in Also.
type annotated struct {
	ID, Provider, Body string
	PostedAt           *time.Time `json:"posted_at"`
	Windows            []struct {
		Start, End *time.Time
		Also       []struct{ Start, End *time.Time }
	}
}

func loadAnnotated(t testing.TB) []annotated {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "corpus", "windows", "dev.jsonl"))
	if err != nil {
		t.Skip("the annotated posts are not beside the module")
	}
	defer f.Close()
	var out []annotated
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var r annotated
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// within compares a bound with an annotated one, to the minute.
func within(got time.Time, want *time.Time) bool {
	if want == nil || got.IsZero() {
		return want == nil && got.IsZero()
	}
	return got.Sub(*want).Abs() <= time.Minute
}

// exactSet reports whether the windows are those annotated and no others; an accepted other reading stands for its window,
// and for those that lie inside it.
func exactSet(r annotated, got []downwind.Window) bool {
	used := make([]bool, len(got))
	take := func(s, e *time.Time) bool {
		for i, w := range got {
			if !used[i] && within(w.Start, s) && within(w.End, e) {
				used[i] = true
				return true
			}
		}
		return false
	}
	var joined []struct{ Start, End *time.Time }
	var missed int
	for _, w := range r.Windows {
		found := take(w.Start, w.End)
		for _, a := range w.Also {
			if !found && take(a.Start, a.End) {
				found = true
				joined = append(joined, a)
			}
		}
		if !found {
			missed++
			for _, j := range joined {
				if w.Start != nil && w.End != nil && !j.Start.After(w.Start.Add(time.Minute)) && !w.End.After(j.End.Add(time.Minute)) {
					missed--
					break
				}
			}
		}
	}
	for i, w := range got {
		if used[i] {
			continue
		}
		accepted := false
		for _, g := range r.Windows {
			for _, a := range g.Also {
				accepted = accepted || within(w.Start, a.Start) && within(w.End, a.End)
			}
		}
		if !accepted {
			return false
		}
	}
	return missed == 0
}

func TestAnnotatedPosts(t *testing.T) {
	posts := loadAnnotated(t)
	exact, negatives, clean := 0, 0, 0
	for _, r := range posts {
		p := Post{ID: r.ID, Provider: r.Provider, Body: r.Body}
		if r.PostedAt != nil {
			p.PostedAt = *r.PostedAt
		}
		g := Explain(p, Known{})
		checkInvariants(t, g)
		if exactSet(r, g.Windows) {
			exact++
		}
		if len(r.Windows) == 0 {
			negatives++
			if len(g.Windows) == 0 {
				clean++
			}
		}
	}
	share := float64(exact) / float64(len(posts))
	t.Logf("exact sets %.3f of %d posts, %d of %d without a window left alone", share, len(posts), clean, negatives)
	if share < 0.96 {
		t.Errorf("exact sets %.3f, want at least 0.96", share)
	}
	if clean != negatives {
		t.Errorf("%d of %d posts without a window got one", negatives-clean, negatives)
	}
}

package when

import (
	"testing"
	"time"

	"downwind/guidance/internal/hostile"
)

// TestLooksGrowWithTheText holds that the rules look at twice as many tokens of twice a text, and no more: each looks at some
// before and after a time, and never at all of them. It counts looks, since times tell little on a machine that others use.
func TestLooksGrowWithTheText(t *testing.T) {
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, unit := range hostile.Units() {
		t.Run(name, func(t *testing.T) {
			var looks, tokens [3]int
			for i := range looks {
				p := new(parser)
				p.read(Input{Text: hostile.Text(unit, 1<<(15+i)), Posted: at})
				looks[i], tokens[i] = p.looks, len(p.t)
			}
			t.Logf("%d looks at %d tokens", looks, tokens)
			for i := range looks {
				if i > 0 && looks[i] > 9*looks[i-1]/4+1000 {
					t.Errorf("not linear: %d looks after %d", looks[i], looks[i-1])
				}
				if looks[i] > 40*tokens[i]+400_000 {
					t.Errorf("%d looks at %d tokens: some rule looks at whole sentences", looks[i], tokens[i])
				}
			}
		})
	}
}

// TestReadsUpToItsBound holds that what lies behind the bound of tokens is not read, and that what lies before is.
func TestReadsUpToItsBound(t *testing.T) {
	const told = "Requests failed between 10:00 and 10:20 UTC. "
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"before": {told + hostile.Text("a ", 2*maxTokens), 1},
		"behind": {hostile.Text("a ", 2*maxTokens) + told, 0},
	} {
		t.Run(name, func(t *testing.T) {
			spans, _ := Read(Input{Text: c.text, Posted: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)})
			if len(spans) != c.want {
				t.Errorf("got %v, want %d spans", spans, c.want)
			}
		})
	}
}

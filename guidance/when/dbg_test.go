package when

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestDebug(t *testing.T) {
	id := os.Getenv("ID")
	if id == "" {
		t.Skip("ID is not set")
	}
	for _, r := range corpus(t) {
		if r.ID != id {
			continue
		}
		in := Input{Text: r.Body}
		if r.PostedAt != nil {
			in.Posted = *r.PostedAt
		}
		l := lexer{b: clean(in.Text), raw: in.Text}
		l.lex()
		p := parser{in: in, b: l.b, t: l.t}
		p.promote()
		p.phrases()
		p.split()
		p.points()
		p.docZone()
		p.ranges()
		p.roles()
		for k, pt := range p.pts {
			fmt.Printf("pt %d %q rng=%d weak=%v clock=%v/%d date=%v %+v sent=%d sec=%d\n", k, r.Body[pt.start:pt.end], pt.rng, pt.weak, pt.hasClock, pt.clock, pt.hasDate, pt.date, pt.sent, p.sents[pt.sent].section)
		}
		for _, m := range p.marks {
			fmt.Printf("mark %+v %s\n", m, time.Unix(m.in.unix, 0).UTC())
		}
		for _, g := range p.rngs {
			s, e := p.bounds(g)
			fmt.Printf("rng %+v rank=%d %v %v\n", g, p.rank(g), time.Unix(s.unix, 0).UTC(), time.Unix(e.unix, 0).UTC())
		}
		for i, s := range p.sents {
			if s.last >= s.first && s.last < len(p.t) && i < 12 {
				fmt.Printf("S%d %d %q\n", i, s.section, r.Body[p.t[s.first].start:p.t[s.last].end])
			}
		}
	}
}

package when

import "strings"

// namedRows builds the spans of a timeline whose rows say themselves what impact begins and what ends: "start of the EU impact",
// "[first outage end]". A row that ends impact closes the last that began one of the same name; the periods may lie across each other.
func (p *parser) namedRows() []Span {
	var on []*mark
	var out []Span
	ends := 0
	for i := range p.marks {
		m := &p.marks[i]
		switch {
		case m.role == roleRecovery && m.weight() > 1:
			return nil // prose states an end of it all
		case m.sec != secTimeline || m.strength < 3 || m.part:
		case m.role == roleOnset:
			on = append(on, m)
		case m.role == roleRecovery:
			ends++
			name := p.impactName(m.pt)
			for n, o := range on {
				if o != nil && p.impactName(o.pt) == name && m.in.unix > o.in.unix {
					s := p.open(o, m)
					s.own = true
					out, on[n] = append(out, s), nil
					break
				}
			}
		}
	}
	if len(on) < 2 || ends != len(on) || len(out) != len(on) {
		return nil
	}
	return out
}

// impactName returns what the row of point k calls the impact that begins or ends in it: "first" of "first-outage start", "eu" of
// "end of EU impact", "2" of "outage 2 begins"; empty where it gives it no name.
func (p *parser) impactName(k int) string {
	lo := p.pts[k].last + 1
	hi := p.lineEnd(lo)
	j := lo
	for j < hi && !(p.impactNoun(j) && (p.says(j+1, min(hi, j+3))|p.says(max(lo, j-4), j))&(cOnset|cEnd|cWeakRec) != 0) {
		j++
	}
	if j == hi {
		return ""
	}
	if own, _, ok := strings.Cut(p.text(j), "-"); ok {
		return own
	}
	if j+1 < hi && p.t[j+1].k == kNum {
		return p.text(j + 1)
	}
	name := ""
	for n := j - 1; n >= max(lo, j-2) && p.t[n].k == kWord && p.t[n].w.c&^cPart == 0 && p.t[n].w.id == wNone; n-- {
		name = p.text(n) + " " + name
	}
	return name
}

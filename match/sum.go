package match

import (
	"slices"
	"strconv"

	"downwind"
	"downwind/catalog"
)

// sum joins the findings of all items into one answer: the strongest wins, and names what it is about.
func (c *hearing) sum(fs findings) downwind.Match {
	for i := range fs {
		if fs[i].level > misses && c.notUs(&fs[i]) {
			fs[i].level, fs[i].held, fs[i].whyNot = misses, downwind.HeldRule, "people of this team said that this is not theirs"
		}
	}
	best := misses
	for _, f := range fs {
		best = max(best, f.level)
	}
	if best == mayHit && fs.onlyDashboard() && fs.held(downwind.HeldRegion) {
		best = misses // a console that suffers beside trouble elsewhere
		for i := range fs {
			if fs[i].level == mayHit {
				fs[i].level, fs[i].held = misses, downwind.HeldDashboard
				fs[i].whyNot = "only the console beside it is hit"
			}
		}
	}
	// Of several calls of a general client no file tells which one is made; a page that lists one is taken at its word.
	if best == hits && len(c.inc.Components) > 1 && fs.endpointsOnly(c.use) {
		fs = fs.withoutNames()
	}
	if best == misses {
		return c.no(fs)
	}
	m := downwind.Match{Affected: true, Verdict: downwind.AffectedPossible, Urgency: downwind.UrgencyNone}
	weak := true
	for i := range fs {
		f := &fs[i]
		if f.level != best {
			continue
		}
		if f.item.listed && !slices.Contains(m.Components, f.item.name) {
			m.Components = append(m.Components, f.item.name)
		}
		for _, p := range f.places {
			if !slices.Contains(m.Regions, p) {
				m.Regions = append(m.Regions, p)
			}
		}
		m.Urgency = worse(m.Urgency, f.urgency)
		m.OpenQuestion = orElse(m.OpenQuestion, f.question)
		weak = weak && f.weak
		m.Why = append(m.Why, c.reasons(f)...)
	}
	m.Why = unique(m.Why)
	m.Used = len(m.Components)
	if best == hits {
		m.OpenQuestion = ""
		m.Verdict = downwind.AffectedSure
		if weak || c.wide && !c.everywhere || c.use.use.Confidence != downwind.Sure {
			m.Verdict = downwind.AffectedLikely
		}
	}
	return m
}

// maxReasons bounds the reasons that one answer carries.
const maxReasons = 8

func unique(rs []downwind.Reason) []downwind.Reason {
	var out []downwind.Reason
	for _, r := range rs {
		if !slices.ContainsFunc(out, func(o downwind.Reason) bool { return o.File == r.File && o.Line == r.Line && o.Match == r.Match }) && len(out) < maxReasons {
			out = append(out, r)
		}
	}
	return out
}

// reasons says which lines of the stack met which words of the incident.
func (c *hearing) reasons(f *finding) []downwind.Reason {
	words := orElse(f.item.name, c.inc.Title)
	var out []downwind.Reason
	for n, a := range f.assets {
		if n == maxReasons {
			break
		}
		text := a.ev.Match + " in " + a.ev.File
		if a.ev.Region != "" {
			text += " (" + a.ev.Region + ")"
		}
		text += " meets " + strconv.Quote(words)
		if f.question != "" {
			text += "; open: " + f.question
		}
		out = append(out, downwind.Reason{File: a.ev.File, Line: a.ev.Line, Match: a.ev.Match, Words: words, Text: text})
	}
	return out
}

func worse(a, b downwind.Urgency) downwind.Urgency {
	rank := map[downwind.Urgency]int{downwind.UrgencyNone: 0, downwind.UrgencyDashboard: 1, downwind.UrgencyBuild: 2, downwind.UrgencyRuntime: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func (fs findings) onlyDashboard() bool {
	for _, f := range fs {
		if f.level > misses && f.urgency != downwind.UrgencyDashboard {
			return false
		}
	}
	return true
}

func (fs findings) held(r downwind.HoldReason) bool {
	return slices.ContainsFunc(fs, func(f finding) bool { return f.level == misses && f.held == r })
}

// endpointsOnly reports whether nothing but calls of a general client is hit and no source line tells which one is used.
func (fs findings) endpointsOnly(h *holding) bool {
	for _, f := range fs {
		if f.level == hits && (f.item.service == nil || f.item.service.Class != catalog.ServiceEndpoint || h.narrowed) {
			return false
		}
	}
	return true
}

func (fs findings) withoutNames() findings {
	for i := range fs {
		if fs[i].level == hits {
			it := *fs[i].item
			it.listed = false
			fs[i].item = &it
		}
	}
	return fs
}

// no explains a negative answer: by the place when the product is used elsewhere, else by the first reason.
func (c *hearing) no(fs findings) downwind.Match {
	pick := &fs[0]
	order := []downwind.HoldReason{downwind.HeldRule, downwind.HeldRegion, downwind.HeldSelfHosted, downwind.HeldNothing, downwind.HeldProduct}
	for _, want := range order {
		i := slices.IndexFunc(fs, func(f finding) bool { return f.held == want })
		if i >= 0 {
			pick = &fs[i]
			break
		}
	}
	m := downwind.Match{Held: pick.held, WhyNot: pick.whyNot, Why: unique(c.reasons(pick))}
	if m.Held == "" {
		m.Held, m.WhyNot = downwind.HeldProduct, "no file shows a use of what is hit"
	}
	return m
}

// vague answers for notices that name neither service nor component.
func (c *hearing) vague() downwind.Match {
	if c.harmless {
		return downwind.Match{Held: downwind.HeldNothing, WhyNot: "the provider expects nobody to notice the work"}
	}
	if len(c.models) > 0 && c.models[0] != "?" && resoldAs(c.provider) != nil {
		f := c.judgeItem(&item{})
		return c.sum(findings{f})
	}
	f := finding{item: &item{}, level: mayHit, assets: c.use.real(), question: "product", urgency: downwind.UrgencyRuntime}
	if c.residue != "" {
		it := &item{name: c.residue, unknown: true}
		f = c.judgeUnknown(it)
		f.item = it
		if f.level == misses {
			return c.no(findings{f})
		}
		f.level, f.question = mayHit, "product"
	}
	if len(c.sparedServices) > 0 && c.allSpared() {
		return downwind.Match{Held: downwind.HeldProduct, WhyNot: "the words clear what these files use"}
	}
	c.judgePlace(&f)
	if f.level == hits {
		f.level = mayHit
	}
	f.urgency = c.urgencyOf(&f)
	return c.sum(findings{f})
}

// allSpared reports whether the words clear every service that the files show.
func (c *hearing) allSpared() bool {
	n := 0
	for _, a := range c.use.assets {
		for _, s := range a.services {
			if s.Class == catalog.ServiceControl || s.Class == catalog.ServiceFeature {
				continue
			}
			n++
			if !slices.Contains(c.sparedServices, s) {
				return false
			}
		}
	}
	if n == 0 {
		return slices.ContainsFunc(c.sparedServices, func(s *catalog.Service) bool { return s.Class == catalog.ServiceCore })
	}
	return true
}

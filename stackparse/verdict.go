package stackparse

import (
	"cmp"
	"slices"
	"strings"

	"downwind"
)

// maxEvidence bounds the evidence kept per provider; every service and region keeps at least one.
const maxEvidence = 120

// stack draws the conclusions from all facts.
func (j *judge) stack(names func(string) string) downwind.Stack {
	j.confirm()
	j.placeLoose()
	var s downwind.Stack
	for _, slug := range sortedKeys(j.drafts) {
		use, own := j.decide(slug, j.drafts[slug])
		if len(own) > 0 {
			if s.SelfHosted == nil {
				s.SelfHosted = map[string][]downwind.Evidence{}
			}
			s.SelfHosted[slug] = own
		}
		if use != nil {
			use.Name = names(slug)
			s.Providers = append(s.Providers, *use)
		}
	}
	for _, u := range s.Providers {
		delete(j.weak, u.Provider)
	}
	if len(j.weak) > 0 {
		s.Weak = j.weak
		for _, list := range s.Weak {
			sortEvidence(list)
		}
	}
	s.Unknown = j.unknown
	sortEvidence(s.Unknown)
	s.Dropped = j.dropped
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortEvidence(list []downwind.Evidence) {
	slices.SortFunc(list, func(a, b downwind.Evidence) int { return compareEvidence(&a, &b) })
}

func compareEvidence(a, b *downwind.Evidence) int {
	if c := cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line); c != 0 {
		return c // as mostly
	}
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Match, b.Match), strings.Compare(a.Service, b.Service), strings.Compare(a.Region, b.Region))
}

// decide judges one provider: its use, nil where there is none, and the evidence that the team runs the software itself.
func (j *judge) decide(slug string, d *draft) (*downwind.Use, []downwind.Evidence) {
	d.offKit(func(e downwind.Evidence) { j.weaken(slug, e) })
	j.apart(slug, d)
	anchored, firm := false, false
	for _, g := range d.signs {
		anchored = anchored || g.anchor && g.level >= likely && g.Relation == downwind.Hosted
		firm = firm || g.level >= likely && g.Relation == downwind.Hosted && g.Kind != "config_file"
	}
	own := ownEvidence(d)
	away := map[string]bool{} // services that are pointed elsewhere
	if !anchored {
		for _, r := range d.redirects {
			away[r.Service] = true
		}
		for _, g := range d.servers {
			if g.Relation == downwind.ClientOnly {
				away[""] = true
			}
		}
	}
	kept := d.signs[:0] // what is dropped is judged no more
	for _, g := range d.signs {
		switch {
		case away[""], g.Service != "" && away[g.Service] && !g.anchor:
			if len(d.redirects)+len(d.servers) > 0 && g.level >= pending {
				j.weaken(slug, g.Evidence)
			}
			continue
		case g.level == pending:
			if !firm {
				j.weaken(slug, g.Evidence)
				continue
			}
			g.level = likely
		}
		kept = append(kept, g)
	}
	if len(away) > 0 {
		kept = dropGeneric(slug, kept, away)
	}
	if len(kept) == 0 {
		return nil, own
	}
	return j.use(slug, d, kept), own
}

// dropGeneric: where S3 is pointed at another store and nothing else of AWS shows but keys, a region and the kit that speaks to
// any such store, AWS is not used.
func dropGeneric(slug string, signs []*sign, away map[string]bool) []*sign {
	if slug != "aws" || !away["s3"] {
		return signs
	}
	for _, g := range signs {
		kit := isPackage(g.Kind) && (g.Service == "" || g.Service == "s3")
		if g.anchor || g.Kind != "env" && !kit && g.level > guess {
			return signs
		}
	}
	return nil
}

func ownEvidence(d *draft) []downwind.Evidence {
	var own []downwind.Evidence
	for _, g := range slices.Concat(d.servers, d.redirects) {
		own = append(own, g.Evidence)
	}
	sortEvidence(own)
	return slices.Compact(own)
}

func (j *judge) use(slug string, d *draft, signs []*sign) *downwind.Use {
	top := nothing
	for _, g := range signs {
		top = max(top, g.level)
	}
	u := &downwind.Use{Provider: slug, Confidence: confidence(top)}
	services, regions := map[string]bool{}, map[string]bool{}
	for _, g := range signs {
		if g.quiet && top > guess || g.level == guess && g.Kind == KindUse && top > guess {
			continue
		}
		if g.Service != "" && (g.level >= likely || g.Kind == "env" || top == guess) {
			services[g.Service] = true
		}
		if g.level >= likely || top == guess {
			for _, r := range append([]string{g.Region}, g.more...) {
				if r != "" {
					regions[r] = true
				}
			}
		}
	}
	for _, r := range d.regions {
		if r.level >= likely || top == guess {
			regions[r.region] = true
		}
		signs = append(signs, &sign{Evidence: r.evidence, level: r.level})
	}
	if len(regions) == 0 { // then what a program falls back to is the best that is known
		for _, r := range d.regions {
			if r.level == guess && r.evidence.Kind == "code" && !r.evidence.Dev {
				regions[r.region] = true
			}
		}
	}
	u.Services, u.Regions = sortedKeys(services), sortedKeys(regions)
	u.Evidence = j.picked.evidence(signs)
	return u
}

func confidence(l level) downwind.Confidence {
	switch l {
	case sure:
		return downwind.Sure
	case likely:
		return downwind.Likely
	}
	return downwind.Guess
}

// picking is a choice of evidence that goes on: out are the first of their topics, spare the next ones, as far as there is room.
type picking struct {
	out, spare []downwind.Evidence
	told       map[topic]bool
}

// evidence orders signs, surest first, drops repetitions and keeps at least one of every file, service and region.
func (p *picking) evidence(signs []*sign) []downwind.Evidence {
	slices.SortStableFunc(signs, func(a, b *sign) int {
		return cmp.Or(int(b.level)-int(a.level), compareEvidence(&a.Evidence, &b.Evidence))
	})
	const most = 4 * maxEvidence
	p.out, p.spare = p.out[:0], p.spare[:0]
	clear(p.told)
	for _, g := range signs {
		if len(p.out) >= most {
			break
		}
		p.pick(g.Evidence)
		for _, r := range g.more {
			e := g.Evidence
			e.Region = r
			p.pick(e)
		}
	}
	room := min(max(maxEvidence-len(p.out), 0), len(p.spare))
	all := slices.Concat(p.out, p.spare[:room])
	return all[:min(len(all), most)]
}

// A topic is what evidence tells something about.
type topic struct{ file, service, region string }

func (p *picking) pick(e downwind.Evidence) {
	t := topic{e.File, e.Service, e.Region}
	switch {
	case !p.told[t]:
		p.told[t] = true
		p.out = append(p.out, e)
	case len(p.out)+len(p.spare) < maxEvidence && !slices.Contains(p.out, e) && !slices.Contains(p.spare, e):
		p.spare = append(p.spare, e)
	}
}

// isDefault reports whether a region is the default of a parameter of its own file.
func (l *looseRegion) isDefault() bool {
	file, _, _ := strings.Cut(l.fact.Param, "#")
	return file == l.file
}

// placeLoose gives the regions of settings to the provider that their names speak of.
func (j *judge) placeLoose() {
	set := map[string]bool{}
	for _, l := range j.loose {
		if l.fact.Param != "" && !l.isDefault() {
			set[l.fact.Param] = true
		}
	}
	for _, l := range j.loose {
		if set[l.fact.Param] && l.isDefault() {
			continue
		}
		for _, raw := range l.fact.Regions {
			slug, region := j.regionOwner(l.fact, raw)
			if slug == "" || region == "" {
				continue
			}
			lv := sure
			switch {
			case l.fact.State == Faint || l.fact.Dev && !l.fact.Template:
				lv = guess
			case l.fact.Template || l.fact.State == Loose && l.fact.As != "":
				lv = likely
			}
			d := j.draft(slug)
			d.regions = append(d.regions, regionSign{region: region, level: lv, evidence: downwind.Evidence{
				File: l.file, Line: l.fact.Line, Kind: cmp.Or(l.fact.As, "env"), Match: cmp.Or(l.fact.Show, l.fact.Name), Direct: true, Dev: l.fact.Dev, Region: region, Relation: downwind.Hosted,
			}})
		}
	}
}

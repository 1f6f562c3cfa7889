// Package match judges whether an incident hits a team: provider, then service, then place. It is pure: no clock, no I/O.
//
// An incident is read once into a Reading (which services and places its components and words name, and which they spare);
// a Reading is then judged against any number of stacks. Every answer carries its reasons: for yes the line of the stack and
// the words of the incident that met, for no what did not fit. The rules are told in docs/relevance.md.
package match

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// Known is what is known of the provider's page apart from the incident.
type Known struct {
	Provider downwind.Provider
	// Components are all that the page lists, with their groups.
	Components []downwind.Component
}

// A Judge holds the gazetteers of places and services. Its answers depend on nothing else; what it found in sentences and evidence of
// late it remembers, because posts are read again with every later one, and files with every incident. It is safe for concurrent use.
type Judge struct {
	regions  *catalog.Regions
	services *catalog.Services

	titles  memo[inText, *clause]
	clauses memo[inText, []*clause]
	places  memo[inText, []catalog.PlaceMention]
	hints   memo[inFiles, []*catalog.Service]
}

// New returns a judge with the given gazetteers.
func New(regions *catalog.Regions, services *catalog.Services) *Judge {
	j := &Judge{regions: regions, services: services}
	j.clauses.weigh = func(post []*clause) int { return 1 + len(post) }
	return j
}

// Default returns a judge with the built-in gazetteers; the error names the row of a table that cannot be read.
func Default() (*Judge, error) {
	r, err := catalog.LoadRegions()
	if err != nil {
		return nil, err
	}
	s, err := catalog.LoadServices()
	if err != nil {
		return nil, err
	}
	return New(r, s), nil
}

// Match judges one incident against one stack, with the words that people of the team have given.
func (j *Judge) Match(inc *downwind.Incident, stack *downwind.Stack, rules []downwind.Rule, k Known) downwind.Match {
	return j.Read(inc, k).Judge(stack, rules)
}

// Judge answers for one stack. It may be called from many goroutines.
func (r *Reading) Judge(stack *downwind.Stack, rules []downwind.Rule) downwind.Match {
	c := &hearing{Reading: r, stack: stack}
	return c.answer(c.decide(rules))
}

// Outside answers for a stack in which nothing at all names the incident's provider, without reading the incident. False: something
// does, so the incident has to be read.
func (j *Judge) Outside(inc *downwind.Incident, stack *downwind.Stack, rules []downwind.Rule, k Known) (downwind.Match, bool) {
	c := &hearing{Reading: j.blank(inc, k), stack: stack}
	c.hear(rules)
	if c.ruleAdds() || findUse(stack, c.provider) != nil || ownServers(stack, c.provider) != nil || c.resells() {
		return downwind.Match{}, false
	}
	if no := c.heldByRule(); no != nil {
		return c.answer(*no), true
	}
	return c.answer(*c.weakly()), true
}

// answer fills in what every answer carries.
func (c *hearing) answer(m downwind.Match) downwind.Match {
	r := c.Reading
	m.Incident, m.Provider = r.inc.ID, r.inc.Provider
	m.Of = len(r.inc.Components)
	if !m.Affected {
		m.Verdict, m.Urgency = downwind.NotAffected, downwind.UrgencyNone
		m.Components, m.Regions, m.Used = nil, nil, 0
	}
	return m
}

// A hearing is one reading before one stack.
type hearing struct {
	*Reading
	stack *downwind.Stack
	use   *holding
	rules []downwind.Rule
}

// hear keeps the rules that are about the incident's provider.
func (c *hearing) hear(rules []downwind.Rule) {
	for _, r := range rules {
		if sameProvider(r.Provider, c.provider) {
			c.rules = append(c.rules, r)
		}
	}
}

// decide goes from the provider to the services to the places, and stops at the first that rules the incident out.
func (c *hearing) decide(rules []downwind.Rule) downwind.Match {
	c.hear(rules)
	if no := c.heldByRule(); no != nil {
		return *no
	}
	if no := c.noHolding(); no != nil {
		return *no
	}
	if no := c.registryHeld(); no != nil {
		return *no
	}
	if len(c.items) == 0 {
		return c.vague()
	}
	best := findings{}
	for i := range c.items {
		best = append(best, c.judgeListed(&c.items[i]))
	}
	return c.sum(best)
}

// judgeListed judges one item; a place of a mixed list by the services beside it, of which one must be hit there.
func (c *hearing) judgeListed(it *item) finding {
	if !it.site {
		return c.judgeItem(it)
	}
	best := finding{}
	for i := range c.items {
		beside := c.items[i]
		if beside.service == nil {
			continue
		}
		beside.name, beside.places, beside.listed = it.name, it.places, true
		f := c.judgeItem(&beside)
		if best.item == nil || f.level > best.level || f.level == best.level && f.held == downwind.HeldRegion {
			best = f
		}
	}
	return best
}

// noHolding answers for stacks that do not use the provider, or only seem to; nil when they do.
func (c *hearing) noHolding() *downwind.Match {
	use := findUse(c.stack, c.provider)
	own := ownServers(c.stack, c.provider)
	if use == nil && c.ruleAdds() {
		use = &downwind.Use{
			Provider: c.provider, Confidence: downwind.Likely, Manual: true,
			Evidence: []downwind.Evidence{{Kind: "rule", Match: "added by a person", Direct: true}},
		}
	}
	if use == nil {
		if m := c.upstream(); m != nil {
			return m
		}
		if len(own) > 0 {
			return selfHosted(c.name, own)
		}
		return c.weakly()
	}
	h, held := c.hold(use, own)
	if h != nil {
		c.use = h
		return nil
	}
	if m := c.upstream(); m != nil && held != downwind.HeldTypeOnly {
		return m
	}
	if held == downwind.HeldSelfHosted && len(own) > 0 {
		return selfHosted(c.name, own)
	}
	return c.notProof(use.Evidence[0], held)
}

// weakly answers for stacks in which at most signs that prove nothing name the provider.
func (c *hearing) weakly() *downwind.Match {
	for slug, es := range c.stack.Weak {
		if !sameProvider(slug, c.provider) || len(es) == 0 {
			continue
		}
		switch e := es[0]; {
		case e.Relation == downwind.TypeOnly:
			return c.notProof(e, downwind.HeldTypeOnly)
		case !e.Direct:
			return c.notProof(e, downwind.HeldTransitive)
		case e.Relation == downwind.ClientOnly:
			return c.notProof(e, downwind.HeldSelfHosted)
		}
	}
	return &downwind.Match{Held: downwind.HeldProvider, WhyNot: fmt.Sprintf("these files do not use %s", c.name)}
}

// notProof says why a sign of the provider is no use of its service.
func (c *hearing) notProof(e downwind.Evidence, held downwind.HoldReason) *downwind.Match {
	m := &downwind.Match{Held: held, Why: []downwind.Reason{{File: e.File, Line: e.Line, Match: e.Match}}}
	switch held {
	case downwind.HeldSelfHosted:
		m.WhyNot = fmt.Sprintf("%s works with any server, and no file names a host of %s", e.Match, c.name)
	case downwind.HeldTransitive:
		m.WhyNot = fmt.Sprintf("%s comes in through another package only", e.Match)
	default:
		m.WhyNot = fmt.Sprintf("%s gives types, mocks or helpers; nothing calls %s", e.Match, c.name)
	}
	return m
}

func selfHosted(name string, own []downwind.Evidence) *downwind.Match {
	e := own[0]
	return &downwind.Match{
		Held:   downwind.HeldSelfHosted,
		Why:    []downwind.Reason{{File: e.File, Line: e.Line, Match: e.Match}},
		WhyNot: fmt.Sprintf("these files run or call their own server (%s), not %s", e.Match, name),
	}
}

// findUse returns the stack's use of a provider, also under another spelling of its slug.
func findUse(s *downwind.Stack, provider string) *downwind.Use {
	for i := range s.Providers {
		if sameProvider(s.Providers[i].Provider, provider) && len(s.Providers[i].Evidence) > 0 {
			return &s.Providers[i]
		}
	}
	return nil
}

func ownServers(s *downwind.Stack, provider string) []downwind.Evidence {
	for slug, es := range s.SelfHosted {
		if sameProvider(slug, provider) {
			return es
		}
	}
	return nil
}

// sameProvider compares slugs by letters and digits, as downwind.Fold would, without making new strings.
func sameProvider(a, b string) bool {
	if a == b {
		return true
	}
	i, k := 0, 0
	for {
		for i < len(a) && !slugByte(a[i]) {
			i++
		}
		for k < len(b) && !slugByte(b[k]) {
			k++
		}
		if i == len(a) || k == len(b) {
			return i == len(a) && k == len(b)
		}
		if a[i] != b[k] {
			return false
		}
		i++
		k++
	}
}

func slugByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// upstream answers for stacks that reach the provider's product through a reseller ("openai/…" in another's gateway).
func (c *hearing) upstream() *downwind.Match {
	for i := range c.stack.Providers {
		u := &c.stack.Providers[i]
		if sameProvider(u.Provider, c.provider) {
			continue
		}
		for _, e := range u.Evidence {
			if !resold(e, c.provider) || c.spared(e) || c.clearsReseller(u, e) {
				continue
			}
			return &downwind.Match{
				Affected: true, Verdict: downwind.AffectedPossible, Urgency: downwind.UrgencyRuntime, OpenQuestion: "upstream",
				Why: []downwind.Reason{{
					File: e.File, Line: e.Line, Match: e.Match, Words: c.inc.Title,
					Text: fmt.Sprintf("a model of %s is called through %s", c.name, u.Name),
				}},
			}
		}
	}
	return nil
}

// clearsReseller reports whether the words clear the provider, or the product of it, through which a model is called ("Vertex AI is
// not affected").
func (c *hearing) clearsReseller(u *downwind.Use, e downwind.Evidence) bool {
	return slices.ContainsFunc(c.clearing, func(cl *clause) bool {
		if start, _ := findName(cl.text, u.Name); start >= 0 {
			return true
		}
		return slices.ContainsFunc(c.judge.services.Mentions(u.Provider, upperFirst(cl.text), false), func(m catalog.ServiceMention) bool {
			return slices.ContainsFunc(m.Services, func(s *catalog.Service) bool { return s.Key == e.Service })
		})
	})
}

// resells reports whether any file calls the provider's product through another one.
func (c *hearing) resells() bool {
	if resoldAs(c.provider) == nil {
		return false
	}
	return slices.ContainsFunc(c.stack.Providers, func(u downwind.Use) bool {
		return slices.ContainsFunc(u.Evidence, func(e downwind.Evidence) bool { return resold(e, c.provider) })
	})
}

// spared reports whether the incident is about another model than the one the evidence names, or not about models at all.
func (c *hearing) spared(e downwind.Evidence) bool {
	if len(c.models) > 0 && !slices.ContainsFunc(c.models, func(m string) bool { return m == "?" || strings.Contains(downwind.Fold(e.Match), downwind.Fold(m)) }) {
		return true
	}
	for i := range c.items {
		s := c.items[i].service
		if s == nil {
			return false
		}
		switch s.Class {
		case catalog.ServiceDashboard, catalog.ServiceWebsite, catalog.ServiceSpecial, catalog.ServiceScreen:
		default:
			return false
		}
	}
	return len(c.items) > 0
}

// resellerModels are the beginnings of model names that resellers' files use, by the vendor of the model.
var resellerModels = [...]struct {
	vendor string
	starts []string
}{
	{"anthropic", []string{"anthropic/", "anthropic.", "claude"}},
	{"openai", []string{"openai/", "gpt-"}},
	{"google-gemini", []string{"google/", "gemini"}},
	{"deepgram", []string{"deepgram/"}},
	{"cartesia", []string{"cartesia/"}},
	{"elevenlabs", []string{"elevenlabs/"}},
	{"assemblyai", []string{"assemblyai/"}},
	{"groq", []string{"groq/"}},
	{"rime", []string{"rime/"}},
	{"inworld", []string{"inworld/"}},
	{"mistral-ai", []string{"mistral/", "mistral."}},
	{"cohere", []string{"cohere/", "cohere."}},
	{"xai", []string{"xai/"}},
	{"deepseek", []string{"deepseek-ai/", "deepseek/"}},
	{"cerebras", []string{"cerebras/"}},
}

// resoldAs returns the beginnings of a vendor's models in resellers' files, none for vendors that nobody resells.
func resoldAs(vendor string) []string {
	for i := range resellerModels {
		if resellerModels[i].vendor == vendor {
			return resellerModels[i].starts
		}
	}
	return nil
}

func resold(e downwind.Evidence, vendor string) bool {
	if e.Kind != "model" {
		return false
	}
	m := strings.ToLower(e.Match)
	for _, area := range [...]string{"us.", "eu.", "apac.", "global."} {
		m = strings.TrimPrefix(m, area)
	}
	for _, p := range resoldAs(vendor) {
		if strings.HasPrefix(m, p) {
			return true
		}
	}
	return false
}

// registryHeld answers for package registries that the files do not ask: vendored, offline, or behind a mirror. Nil: they do.
func (c *hearing) registryHeld() *downwind.Match {
	if _, is := c.judge.services.Trait(c.provider, "registry"); !is {
		return nil
	}
	for _, a := range c.use.assets {
		if a.ev.Kind == "setting" && strings.HasPrefix(a.ev.Match, "offline") && !c.about(catalog.ServicePublish) {
			return &downwind.Match{
				Held:   downwind.HeldVendored,
				Why:    []downwind.Reason{{File: a.ev.File, Line: a.ev.Line, Match: a.ev.Match}},
				WhyNot: fmt.Sprintf("packages are kept with the code, so installing does not ask %s", c.name),
			}
		}
	}
	return nil
}

// about reports whether any item of the incident is of a class.
func (r *Reading) about(class catalog.ServiceClass) bool {
	return slices.ContainsFunc(r.items, func(it item) bool { return it.service != nil && it.service.Class == class })
}

package match

import (
	"fmt"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// level is how far one item hits one stack.
type level int

const (
	misses level = iota
	mayHit
	hits
)

// A finding is the answer for one item.
type finding struct {
	item     *item
	level    level
	assets   []*asset
	held     downwind.HoldReason
	whyNot   string
	question string
	urgency  downwind.Urgency
	// places are the incident's places in which the stack is hit, as the incident writes them.
	places []string
	// weak says that a documented default or a custom of the provider carries a part of the answer.
	weak bool
}

type findings []finding

func (c *hearing) judgeItem(it *item) finding {
	f := c.judgeService(it)
	f.item = it
	if f.level > misses {
		c.judgePlace(&f)
	}
	if f.level > misses {
		c.judgeNarrowing(&f)
	}
	if f.level > misses {
		f.urgency = c.urgencyOf(&f)
		if c.use.devOnly && !f.shipped() {
			f.level, f.question = min(f.level, mayHit), orElse(f.question, "development only")
			f.urgency = downwind.UrgencyBuild
		}
		if c.harmless {
			f.level, f.held, f.whyNot = misses, downwind.HeldNothing, "the provider expects nobody to notice the work"
		}
	}
	return f
}

// shipped reports whether a development dependency reaches browsers or is a tool that deploys.
func (f *finding) shipped() bool {
	return slices.ContainsFunc(f.assets, func(a *asset) bool { return !a.ev.Dev || a.build })
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// judgeService decides whether the stack uses what the item names.
func (c *hearing) judgeService(it *item) finding {
	h := c.use
	if it.service == nil {
		if it.unknown {
			return c.judgeUnknown(it)
		}
		return finding{level: hits, assets: h.real()}
	}
	s := it.service
	if c.ruled(downwind.RuleComponent, it.name) {
		return finding{level: hits, assets: h.real()}
	}
	shown, against := h.showing(s)
	if against != nil && len(shown) == 0 || against != nil && s.Class == catalog.ServiceProduct && against.ev.Kind == "setting" {
		return finding{held: downwind.HeldProduct, assets: []*asset{against}, whyNot: fmt.Sprintf("%s rules %s out", against.ev.Match, it.name)}
	}
	if c.hostedOnly && len(shown) > 0 && ownRunners(shown) {
		return finding{held: downwind.HeldSelfHosted, assets: shown, whyNot: "the workflows run on the team's own runners, and the notice speaks of hosted ones"}
	}
	switch s.Class {
	case catalog.ServiceWebsite:
		return finding{held: downwind.HeldProduct, assets: h.real(), whyNot: it.name + " is for readers, and no stack depends on it"}
	case catalog.ServiceDashboard:
		return finding{level: mayHit, assets: h.real(), question: "whether people work in " + it.name}
	case catalog.ServiceCore, catalog.ServiceWhole:
		return c.judgeCore(it, shown)
	case catalog.ServiceGuess:
		if len(shown) > 0 {
			return finding{level: mayHit, assets: shown, question: "feature"}
		}
		return c.unused(it)
	}
	if len(shown) > 0 {
		return c.judgeShown(it, shown)
	}
	return c.judgeHinted(it)
}

func ownRunners(shown []*asset) bool {
	own := false
	for _, a := range shown {
		if a.ev.Kind != "ci" {
			continue
		}
		if !strings.Contains(strings.ToLower(a.ev.Match), "self-hosted") {
			return false
		}
		own = true
	}
	return own
}

// judgeCore answers for what every customer uses.
func (c *hearing) judgeCore(it *item, shown []*asset) finding {
	if _, is := c.judge.services.Trait(c.provider, "registry"); is {
		for _, a := range c.use.assets {
			if a.ev.Kind == "setting" && strings.HasPrefix(a.ev.Match, "mirror") {
				return finding{level: mayHit, assets: []*asset{&a}, question: "mirror"}
			}
		}
	}
	if len(shown) > 0 {
		return finding{level: hits, assets: shown}
	}
	return finding{level: hits, assets: c.use.real()}
}

// judgeShown answers where files show the service.
func (c *hearing) judgeShown(it *item, shown []*asset) finding {
	if it.service.Class == catalog.ServiceProduct && onlyGuess(c.use, shown) {
		return finding{level: mayHit, assets: shown, question: "feature"}
	}
	return finding{level: hits, assets: shown}
}

// onlyGuess reports whether a service rests on nothing but a file that other programs write as well.
func onlyGuess(h *holding, shown []*asset) bool {
	return h.use.Confidence == downwind.Guess && !h.use.Manual && !slices.ContainsFunc(shown, func(a *asset) bool { return a.ev.Kind != "config_file" })
}

// judgeHinted answers where no file shows the service itself.
func (c *hearing) judgeHinted(it *item) finding {
	h := c.use
	_, against := h.showing(it.service)
	if under := h.under(it.service); len(under) > 0 && against == nil {
		return finding{level: mayHit, assets: under, question: "product"}
	}
	switch it.service.Class {
	case catalog.ServiceProduct:
		if _, serves := c.judge.services.Trait(c.provider, "general"); serves && h.general && !h.narrowed {
			return finding{level: mayHit, assets: h.real(), question: "product"}
		}
	case catalog.ServiceGeneral, catalog.ServiceEndpoint:
		if h.general && !h.narrowed {
			return finding{level: mayHit, assets: h.real(), question: "product"}
		}
	case catalog.ServiceOption:
		if h.general {
			return finding{level: mayHit, assets: h.real(), question: "product"}
		}
	case catalog.ServiceFeature, catalog.ServiceLogins:
		return finding{level: mayHit, assets: h.real(), question: "feature"}
	case catalog.ServiceOutbound:
		return finding{level: mayHit, assets: h.real(), question: "feature"}
	}
	return c.unused(it)
}

func (c *hearing) unused(it *item) finding {
	return finding{held: downwind.HeldProduct, assets: c.use.real(), whyNot: fmt.Sprintf("no file shows a use of %s", it.name)}
}

// judgeNarrowing applies what limits the trouble to a part: features and models.
func (c *hearing) judgeNarrowing(f *finding) {
	if c.sshOnly && f.item.service != nil && !slices.ContainsFunc(f.assets, func(a *asset) bool { return !overHTTPS(a.ev) }) {
		f.level, f.held, f.whyNot = misses, downwind.HeldProduct, "only access by SSH is hit, and these files check out by HTTPS"
		return
	}
	if c.trialOnly && !slices.ContainsFunc(c.use.assets, func(a asset) bool { return forTrial.MatchString(strings.ToLower(a.ev.Match)) }) {
		f.level, f.held, f.whyNot = misses, downwind.HeldProduct, "only what is for trying out is hit, and no file names it"
		return
	}
	if c.judgeEngine(f) {
		return
	}
	if c.shard != "" && f.level == hits && !slices.ContainsFunc(c.use.assets, func(a asset) bool { return strings.Contains(strings.ToLower(a.ev.Match), c.shard) }) {
		f.level, f.question = mayHit, "region"
	}
	for i, s := range c.features {
		shown, against := c.use.showing(s)
		name := s.Names[0]
		if s.Key == "payment-method" {
			name = c.variants[i]
			shown, against = c.use.variant(shown, name)
		}
		switch {
		case len(shown) > 0:
		case against != nil && slices.Contains(c.on, f.item.service) && slices.Contains(f.assets, against):
			// The evidence is the very thing on which that fails ("outbound calls fail on phone numbers").
		case against != nil:
			f.level, f.held = misses, downwind.HeldProduct
			f.assets, f.whyNot = []*asset{against}, fmt.Sprintf("the trouble is with %s only, and %s shows another use", name, against.ev.Match)
			return
		case f.level == hits:
			f.level, f.question = mayHit, "feature"
		}
	}
	if len(c.models) == 0 || f.item.service != nil && f.item.service.Class == catalog.ServiceDashboard {
		return
	}
	if len(c.use.models) == 0 {
		f.level, f.question = min(f.level, mayHit), "model"
		return
	}
	if c.models[0] == "?" {
		f.level, f.question = min(f.level, mayHit), "model"
		return
	}
	for _, a := range c.use.models {
		for _, m := range c.models {
			if sameModel(m, a.ev.Match) {
				f.assets = []*asset{a}
				return
			}
		}
	}
	a := c.use.models[0]
	f.level, f.held, f.assets = misses, downwind.HeldProduct, []*asset{a}
	f.whyNot = fmt.Sprintf("only %s is hit, and these files use %s", strings.ReplaceAll(strings.Join(c.models, ", "), "*", " models"), a.ev.Match)
}

// overHTTPS reports whether evidence shows a checkout by HTTPS: the customary action, or an address that says so.
func overHTTPS(e *downwind.Evidence) bool {
	m := strings.ToLower(e.Match)
	return e.Kind == "gh_action" && strings.HasPrefix(m, "actions/checkout") || strings.Contains(m, "https://")
}

// variant returns the assets that name one way to pay, and one that names others only. What comes with cards no file names.
func (h *holding) variant(shown []*asset, word string) (of []*asset, against *asset) {
	code := strings.ReplaceAll(downwind.Fold(word), "directdebit", "debit")
	if byCard.has(code) {
		return nil, nil
	}
	code = payCode(code)
	for _, a := range shown {
		if a.ev.Kind != "setting" {
			continue
		}
		against = a
		if strings.Contains(downwind.Fold(a.ev.Match), code) {
			of = append(of, a)
		}
	}
	return of, against
}

// byCard are brands of cards, and what checks or holds them.
var byCard = words(`applepay googlepay 3dsecure 3ds visa mastercard amex americanexpress discover dinersclub unionpay`)

// payCode returns the code that files have for a way to pay, most often the word itself (docs.stripe.com/payments/payment-methods).
func payCode(word string) string {
	switch word {
	case "ach", "achdebit":
		return "usbankaccount"
	case "cashapppay":
		return "cashapp"
	case "przelewy24":
		return "p24"
	}
	return word
}

// sameModel compares the name of a model in a notice with the one in a file, which may carry a vendor and a date.
func sameModel(notice, file string) bool {
	if fam, ok := strings.CutSuffix(notice, "*"); ok {
		return strings.Contains(downwind.Fold(file), downwind.Fold(fam))
	}
	if strings.Contains(notice, "/") && strings.Contains(file, "/") {
		n, f := downwind.Fold(notice), downwind.Fold(strings.SplitN(file, ":", 2)[0])
		return n == f || !strings.ContainsAny(n, "0123456789") && strings.HasPrefix(f, n) // "cartesia/sonic" is a family
	}
	notice = notice[strings.LastIndexByte(notice, '/')+1:]
	n, f := downwind.Fold(notice), downwind.Fold(file[strings.LastIndexByte(file, '/')+1:])
	if n == f {
		return true
	}
	rest, ok := strings.CutPrefix(f, n)
	if !ok {
		return strings.HasSuffix(f, n) && len(n) > 4
	}
	return len(rest) >= 6 && strings.Trim(rest, "0123456789") == "" || rest == "latest"
}

// linked reports whether what runs depends on a provider that else serves building: programs call it, as a package of its clients shows,
// or it answers under a host that the files name.
func (c *hearing) linked(f *finding, builder bool) bool {
	if _, registry := c.judge.services.Trait(c.provider, "registry"); registry || !builder || c.buildOnly {
		return false
	}
	live := f.item.service != nil && f.item.service.Live
	return slices.ContainsFunc(f.assets, func(a *asset) bool {
		return !a.build && !a.ev.Dev && (packageKind(a.ev.Kind) || live && a.ev.Kind == "domain")
	})
}

// urgencyOf says what suffers.
func (c *hearing) urgencyOf(f *finding) downwind.Urgency {
	s := f.item.service
	if s != nil {
		switch s.Class {
		case catalog.ServiceDashboard:
			return downwind.UrgencyDashboard
		case catalog.ServiceControl, catalog.ServicePublish, catalog.ServiceLogins:
			return downwind.UrgencyBuild
		}
		if s.Build {
			return downwind.UrgencyBuild
		}
	}
	if _, is := c.judge.services.Trait(c.provider, "build"); (is || c.buildOnly) && !c.linked(f, is) {
		return downwind.UrgencyBuild
	}
	if len(f.assets) > 0 && !slices.ContainsFunc(f.assets, func(a *asset) bool { return !a.build }) {
		return downwind.UrgencyBuild
	}
	return downwind.UrgencyRuntime
}

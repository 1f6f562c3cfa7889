package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/internal/pattern"
)

// judgeUnknown answers for a component that the gazetteer does not know: by the host or the words of its name in the evidence, or as
// the whole provider where its name says no more than that.
func (c *hearing) judgeUnknown(it *item) finding {
	if f, ok := c.judgeHost(it); ok {
		return f
	}
	words := nameWords(it.name, c.name+" "+c.provider)
	if len(words) == 0 {
		if len(c.judge.services.Of(c.provider)) > manyServices {
			return finding{level: mayHit, assets: c.use.real(), question: "product"}
		}
		return finding{level: hits, assets: c.use.real()}
	}
	var shown []*asset
	for i := range c.use.assets {
		a := &c.use.assets[i]
		text := downwind.Fold(a.ev.Match + " " + a.ev.Service)
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
			shown = append(shown, a)
		}
	}
	if len(shown) > 0 {
		named := downwind.Fold(c.withoutPlaces(it.name))
		// The signature's own word for the service is the page's: no guess. Similar words are one.
		same := slices.ContainsFunc(shown, func(a *asset) bool { return a.ev.Service != "" && downwind.Fold(a.ev.Service) == named })
		return finding{level: hits, assets: shown, weak: !same}
	}
	switch {
	case c.judge.services.Told(c.provider):
		if c.use.general && !c.use.narrowed {
			return finding{level: mayHit, assets: c.use.real(), question: "product"}
		}
		return c.unused(it)
	case shard.MatchString(strings.TrimSpace(it.name)):
		return finding{level: mayHit, assets: c.use.real(), question: "region"}
	case slices.ContainsFunc(words, mainWords.has):
		// What a provider of few services is bought for, as far as its name tells.
		return finding{level: hits, assets: c.use.real(), weak: true}
	}
	return finding{level: mayHit, assets: c.use.real(), question: "product"}
}

// judgeHost answers for a component that is named by its host: the files call that host, or another one of the provider.
func (c *hearing) judgeHost(it *item) (finding, bool) {
	host := hostName.FindString(strings.ToLower(it.name))
	if host == "" || sameProvider(downwind.Fold(host), downwind.Fold(c.name)) {
		return finding{}, false
	}
	var other *asset
	for i := range c.use.assets {
		a := &c.use.assets[i]
		if a.ev.Kind != "domain" {
			continue
		}
		if called := strings.ToLower(a.ev.Match); called == host || strings.HasSuffix(called, "."+host) {
			return finding{level: hits, assets: []*asset{a}}, true
		}
		other = a
	}
	if other == nil {
		return finding{}, false
	}
	f := c.unused(it)
	f.assets = []*asset{other}
	return f, true
}

// hostName finds the name of a host in a component's name; one label before the domain at least.
var hostName = pattern.New(`\b[a-z0-9-]+(?:\.[a-z0-9-]+)+\.(?:com|io|org|net|dev|ai|app|cloud|co|sh)\b`)

// shard fits names of one of many like installations of a provider ("NA224", "Pod 19"), of which files tell nothing.
var shard = pattern.New(`^(?:[A-Z]{2,4}-?\d{1,4}|(?i:pod|shard|cell|cluster|instance|stack) ?[\w-]{1,8})$`)

// mainWords are words for what customers buy a provider for.
var mainWords = words(`sending delivery ingest* process* collection tracking database* cluster* checkout payment* transaction* playback calls call authentication
	authorization login* sign-in deploy* build* connect* compute runtime hosting machines instances nodes endpoint* request* traffic registry downloads coordination
	evaluation gateway events message* messaging queries executions runs jobs functions workers channels websocket* email* sms mail cdn proxy routing analysis uploads scans snapshots`)

// manyServices is from how many services on a general name ("Operations") no longer means what every customer uses.
const manyServices = 60

// plainWords are words of components' names that mean the provider as a whole.
var plainWords = words(`api apis service services core platform cloud system systems production public main server servers backend application app rest all the and
	network infrastructure global components component operations website general`)

// nameWords returns the telling words of a component's name, folded.
func nameWords(name, provider string) []string {
	var out []string
	own := strings.Fields(strings.ToLower(strings.ReplaceAll(provider, "-", " ")))
	for _, w := range strings.FieldsFunc(name, func(c rune) bool { return !isWordRune(c) }) {
		w = strings.ToLower(w)
		if len(w) < 3 || plainWords.has(w) || slices.ContainsFunc(own, func(o string) bool { return w == o || len(o) > 3 && strings.HasPrefix(w, o) }) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// screens are words for what people look at; a component that is named by one and by nothing that programs call is a console.
var screens = words(`editor interface* inbox chart* reports reporting studio desktop mobile ios android ui playground explorer`)

// callable are words for what programs call.
var callable = words(`api apis sdk* push client* library libraries intake ingest*`)

// forPeople reports whether a component is a screen by its name ("Visual Editor", "Desktop application").
func forPeople(name string) bool {
	low := strings.ToLower(name)
	return screens.in(low) && !callable.in(low)
}

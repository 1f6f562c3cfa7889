package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

// focus narrows a list of several services to those that the words speak of: pages often tick neighbours, and text beats the list.
// It leaves the list alone where the title names none of it, and where a model or a zone fails, which takes all that use it along.
func (r *Reading) focus(t *prose) {
	if len(r.models) > 0 || r.zoneOnly || t.says(severalNamed) {
		return
	}
	named := make([]bool, len(r.items))
	some := false
	for i := range r.items {
		it := &r.items[i]
		if it.service == nil {
			return // places and unknown names may stand for anything
		}
		if !it.listed {
			named[i] = true
			continue
		}
		switch it.service.Class {
		case catalog.ServiceWhole, catalog.ServiceWebsite:
			return
		}
		named[i] = r.speaksOf(t.title, it)
		if named[i] && it.service.Class == catalog.ServiceCore && !r.shares(it) {
			return // what all else of the provider stands on
		}
		some = some || named[i] && it.service.Class != catalog.ServiceDashboard
	}
	if !some {
		return
	}
	for i := range r.items {
		named[i] = named[i] || t.some(func(c *clause) bool { return c.tone != spared && r.speaksOf(c, &r.items[i]) })
	}
	kept := r.items[:0:0]
	for i, it := range r.items {
		if named[i] {
			kept = append(kept, it)
		}
	}
	if len(r.items)-len(kept) <= mostNeighbours {
		r.items = kept
	}
}

var (
	// publishing, fetching and browsing are what package registries are used for, by the words of notices.
	publishing = pattern.New(`\b(?:publish\w*|upload\w*|push(?:es|ed|ing)?)\b`)
	fetching   = pattern.New(`\b(?:install\w*|download\w*|restor\w+|pull(?:s|ing)?|fetch\w*|resolv\w+)\b`)
	browsing   = pattern.New(`\b(?:search\w*|websites?|web (?:site|page)s?)\b`)
)

// registryPart reads the main thing of a package registry as its publishing or its website, where words say that this fails and clear
// fetching.
func (r *Reading) registryPart(t *prose) {
	if _, registry := r.judge.services.Trait(r.provider, "registry"); !registry || !t.some(func(c *clause) bool { return c.tone == spared && fetching.MatchString(c.subject()) }) {
		return
	}
	fails := func(what *pattern.Regexp) bool {
		return slices.ContainsFunc(t.trouble(), func(c *clause) bool { return what.MatchString(c.low) })
	}
	part := catalog.ServicePublish
	switch {
	case fails(fetching):
		return
	case fails(publishing):
	case fails(browsing):
		part = catalog.ServiceWebsite
	default:
		return
	}
	all := r.judge.services.Of(r.provider)
	at := slices.IndexFunc(all, func(s *catalog.Service) bool { return s.Class == part })
	if at < 0 {
		return
	}
	for i := range r.items {
		if s := r.items[i].service; s != nil && (s.Class == catalog.ServiceCore || s.Class == catalog.ServiceWhole) || s == nil && len(r.items[i].places) == 0 {
			r.items[i].service, r.items[i].unknown = all[at], false
		}
	}
}

// mostNeighbours bounds how many components words take off a list: a longer list was made with care.
const mostNeighbours = 2

// severalThings are words that stand for more than they name.
var severalThings = pattern.New(`\b(?:multiple|several|various|many|all|most|other|some)\s+(?:of\s+(?:our|the)\s+)?(?:\w+\s+)?(?:services|products|components|apis|systems|features|resources)\b|\bincluding\b|\bamong\b`)

// speaksOf reports whether a clause names an item's service, in the gazetteer's words or in the page's. Components that share a
// service are told apart by their own names.
func (r *Reading) speaksOf(c *clause, it *item) bool {
	name := strings.TrimSpace(r.withoutPlaces(it.name))
	start, _ := findName(c.text, name)
	if start >= 0 || r.shares(it) {
		return start >= 0
	}
	for _, m := range c.services {
		if slices.Contains(m.Services, it.service) {
			return true
		}
	}
	return false
}

// shares reports whether another component of the list, of another name, is the same service to the gazetteer.
func (r *Reading) shares(it *item) bool {
	name := downwind.Fold(r.withoutPlaces(it.name))
	return slices.ContainsFunc(r.items, func(x item) bool {
		return x.listed && x.service == it.service && downwind.Fold(r.withoutPlaces(x.name)) != name
	})
}

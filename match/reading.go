package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

// An item is one thing that the incident reports to be hit: a component of its list, or a service that its words name.
type item struct {
	// name is the component's name as the page writes it, or the words.
	name string
	// listed says that name stands in the incident's list.
	listed bool
	// service is what is hit; nil: the item names a place only, or something the gazetteer does not know (unknown).
	service *catalog.Service
	unknown bool
	// site says that the item is a place in which the services beside it are hit.
	site bool
	// places are those that the item itself names; none: those of the incident.
	places []catalog.Place
	// start and end are where the text names it, both 0 for components.
	start, end int
}

// A Reading is what one incident says, ready to be judged against stacks. It is immutable.
type Reading struct {
	judge    *Judge
	inc      *downwind.Incident
	provider string
	name     string
	// own are regions of the page that the gazetteer does not know.
	own   []catalog.Place
	items []item
	// places are those hit, from the page's own fields, the title and the words; everywhere says that none is spared.
	places     []catalog.Place
	everywhere bool
	// allOver says that the words report all regions, whatever places the components have.
	allOver bool
	// sparedPlaces are those that the words clear.
	sparedPlaces []catalog.Place
	// wide says that places on several continents are hit.
	wide bool
	// zoneOnly says that one availability zone is hit; zones are those named.
	zoneOnly bool
	zones    []catalog.Place
	// multiRegion says that a place of several regions is hit that holds what is kept in it, and nothing of the regions themselves.
	multiRegion bool
	// atEdge says that the words speak of places near visitors, not of regions.
	atEdge bool
	// cloud is the slug of the only cloud that is hit, where the words name one.
	cloud string
	// models are the only models that are hit.
	models []string
	// engines are the only engines of databases and caches that are hit.
	engines []string
	// features narrow the trouble to a part of the services hit.
	features []*catalog.Service
	// variants are the words that named the features, one each ("BLIK" of payment methods).
	variants []string
	// on are the services of which the title says that something fails on them.
	on []*catalog.Service
	// sparedServices are those that the words clear.
	sparedServices []*catalog.Service
	// clearing are the clauses that clear something.
	clearing []*clause
	// buildOnly says that what runs is not hit, only building, deploying and changing.
	buildOnly bool
	// sshOnly says that access by SSH fails and that by HTTPS works.
	sshOnly bool
	// shard is the one of many like installations of the provider that alone is hit, empty for none.
	shard string
	// trialOnly says that only what is meant for trying out is hit: sandboxes and test modes.
	trialOnly bool
	// harmless says that the words announce that nothing will be felt.
	harmless bool
	// hostedOnly says that only what the provider hosts is hit ("on hosted runners").
	hostedOnly bool
	// residue are words of the title that name something unknown; empty: the notice is vague.
	residue string
}

// Whole is the slug under which stacks know a provider whose page may have another ("datadog-eu" is Datadog's for one region).
func (j *Judge) Whole(provider string) string {
	if whole, ok := j.services.Trait(provider, "page-of"); ok {
		return whole
	}
	return provider
}

// blank is a reading that knows whose incident it is, and no word of it yet.
func (j *Judge) blank(inc *downwind.Incident, k Known) *Reading {
	r := &Reading{judge: j, inc: inc, provider: j.Whole(inc.Provider), name: k.Provider.Name}
	if r.name == "" {
		r.name = inc.Provider
	}
	return r
}

// Read reads an incident. The result can be judged against any number of stacks.
func (j *Judge) Read(inc *downwind.Incident, k Known) *Reading {
	r := j.blank(inc, k)
	r.own = j.ownRegions(r.provider, k.Provider.Regions)
	text := j.readText(r.provider, inc)
	r.readScope(text)
	r.readItems(text, k)
	r.readPlaces(text)
	if place, ok := j.services.Trait(inc.Provider, "page-place"); ok && len(r.places) == 0 {
		r.places = j.regions.Resolve(r.provider, place)
	}
	r.readNarrowing(text)
	r.registryPart(text)
	r.focus(text)
	return r
}

// components returns all components of the incident, those of its updates included, each once.
func components(inc *downwind.Incident) []downwind.Component {
	out := slices.Clone(inc.Components)
	seen := map[string]bool{}
	for _, c := range out {
		seen[downwind.Fold(c.Name)] = true
	}
	for _, u := range inc.Updates {
		for _, c := range u.Components {
			name := c.Name
			if known(seen, name) {
				continue
			}
			seen[downwind.Fold(name)] = true
			out = append(out, c)
		}
	}
	return out
}

// known reports whether a component was seen, also when written with its group in front ("Cloud Platform - Cloud Dashboard").
func known(seen map[string]bool, name string) bool {
	if seen[downwind.Fold(name)] {
		return true
	}
	if _, bare, ok := strings.Cut(name, " - "); ok {
		return seen[downwind.Fold(bare)]
	}
	return false
}

// readItems lists what is hit: the components, then services that only the words name.
func (r *Reading) readItems(t *prose, k Known) {
	for _, c := range components(r.inc) {
		r.items = append(r.items, r.readComponent(c, slices.ContainsFunc(r.inc.Components, func(x downwind.Component) bool { return x.Name == c.Name }))...)
	}
	listed := len(r.items) > 0
	titled := r.qualify(t.title.text, r.mentioned(t.title, k))
	r.narrowToDashboard(t.title.text, titled)
	if !listed {
		r.add(titled)
	}
	if !listed && len(r.items) == 0 {
		for _, cl := range t.failing() {
			r.add(r.mentioned(cl, k))
		}
	}
	if listed {
		r.addUnlisted(t, titled, k)
	}
	r.placeServices()
	r.dropSpared(t)
	if len(r.items) == 0 {
		r.residue = r.leftover(t.title.text)
	}
}

// addUnlisted adds services that the list leaves out, because text beats the list: those of which the title says that they fail, and
// those of which a post says that they fail, too.
func (r *Reading) addUnlisted(t *prose, titled []item, k Known) {
	for _, c := range t.clauses {
		if c.tone == failing && anyOf(c.low, []string{"also "}) && alsoHit.MatchString(c.low) {
			for _, it := range r.mentioned(c, k) {
				if it.service.Class == catalog.ServiceProduct {
					r.add([]item{it})
				}
			}
		}
	}
	if r.fill(titled) || r.consolesOnly() || r.namesListed(t.title.text) ||
		t.some(func(c *clause) bool { return c.tone != spared && c.tone != recovered && r.namesListed(c.text) }) {
		return
	}
	// Beside logins or publishing, the name of the main thing is no more than the brand ("Docker Hub logins failing").
	brand := r.about(catalog.ServiceLogins) || r.about(catalog.ServicePublish)
	for _, it := range titled {
		if r.partOfListed(it.name) {
			continue
		}
		if it.service.Class == catalog.ServiceProduct || it.service.Class == catalog.ServiceCore && !brand {
			r.add([]item{it})
		}
	}
}

// alsoHit are words by which a post adds to what is hit.
var alsoHit = pattern.New(`\b(?:also|additionally)\s+(?:\w+ing\s+)?(?:affect|impact|hit|extend|see|seeing|fail|involv)\w*`)

// partOfListed reports whether the words begin or end the name of a listed component: "Machine" is that of "Machines API", "API" that of
// "Server APIs".
func (r *Reading) partOfListed(words string) bool {
	short := strings.TrimSuffix(downwind.Fold(words), "s")
	return short != "" && slices.ContainsFunc(r.inc.Components, func(c downwind.Component) bool {
		name := strings.TrimSuffix(downwind.Fold(c.Name), "s")
		return strings.HasPrefix(name, short) || strings.HasSuffix(name, short)
	})
}

// namesListed reports whether words name a component of the list: other services of the title then only tell more of that one ("Phone
// Numbers: inbound calls are rejected").
func (r *Reading) namesListed(text string) bool {
	low := strings.ToLower(text)
	for _, c := range r.inc.Components {
		name := strings.TrimSpace(strings.ToLower(r.withoutPlaces(c.Name)))
		if name == "" {
			continue
		}
		if start, _ := findName(low, name); start >= 0 {
			return true
		}
	}
	return false
}

// consolesOnly reports whether all that the list names is for people to look at.
func (r *Reading) consolesOnly() bool {
	return !slices.ContainsFunc(r.items, func(it item) bool {
		return it.service == nil || it.service.Class != catalog.ServiceDashboard && it.service.Class != catalog.ServiceWebsite
	})
}

// placeServices reads a list of services and places together ("Durable Objects", "Singapore"): the services are hit in those places.
func (r *Reading) placeServices() {
	var places []catalog.Place
	services := false
	for _, it := range r.items {
		if it.listed && it.service == nil && !it.unknown {
			places = append(places, it.places...)
		}
		services = services || it.listed && it.service != nil
	}
	if !services || len(places) == 0 {
		return
	}
	for i := range r.items {
		switch it := &r.items[i]; {
		case it.service == nil && !it.unknown:
			it.site = true
		case len(it.places) == 0:
			it.places = places
		}
	}
}

// narrowToDashboard reads general components as the console where the title speaks of nothing else ("Dashboard exports fail").
// A component that the title calls by its name stays what it is ("Console and API unavailable").
func (r *Reading) narrowToDashboard(title string, titled []item) {
	if len(titled) == 0 || slices.ContainsFunc(titled, func(it item) bool { return it.service.Class != catalog.ServiceDashboard }) {
		return
	}
	general := func(it item) bool {
		if start, _ := findName(title, it.name); start >= 0 && it.service != titled[0].service {
			return false
		}
		return it.unknown || it.service != nil && (it.service.Class == catalog.ServiceCore || it.service.Class == catalog.ServiceWhole || it.service.Class == catalog.ServiceDashboard)
	}
	if slices.ContainsFunc(r.items, func(it item) bool { return !general(it) }) {
		return
	}
	for i := range r.items {
		r.items[i].service, r.items[i].unknown = titled[0].service, false
	}
}

// qualify leaves out services of a title that only tell in what way another, listed one fails ("inbound calls to phone numbers").
func (r *Reading) qualify(title string, titled []item) []item {
	listed := func(s *catalog.Service) bool {
		return slices.ContainsFunc(r.items, func(it item) bool { return it.listed && it.service == s })
	}
	return slices.DeleteFunc(titled, func(a item) bool {
		if a.service == nil || listed(a.service) {
			return false
		}
		if slices.ContainsFunc(r.items, func(it item) bool { start, _ := findName(it.name, a.name); return it.listed && start >= 0 }) {
			return true // the list says it more exactly ("EAS Build - iOS")
		}
		if a.start == 0 && strings.HasPrefix(title[a.end:], ":") && a.service.Class == catalog.ServiceCore && slices.ContainsFunc(r.items, func(it item) bool { return it.listed && it.service != nil }) {
			return true // a heading that names the provider's main thing ("rubygems.org: pushes fail")
		}
		return slices.ContainsFunc(titled, func(b item) bool {
			if b.end <= a.end || !listed(b.service) {
				return false
			}
			return strings.HasPrefix(title[a.end:], ":") || qualifier.MatchString(strings.ToLower(title[a.end:b.start]))
		})
	})
}

// qualifier joins the way in which something fails with the thing itself.
var qualifier = pattern.New(`^\s+(?:to|on|for|from|of|via|through|over|with)\s+(?:(?:the|our|your)\s+)?$`)

// fill gives components that are places, or the provider as a whole, the service that the title names ("Functions timing out", component "fra1").
func (r *Reading) fill(titled []item) bool {
	titled = slices.DeleteFunc(slices.Clone(titled), func(it item) bool { return it.service.Class == catalog.ServiceWebsite })
	whole := func(it item) bool { return it.service != nil && it.service.Class == catalog.ServiceWhole }
	if len(titled) == 0 || slices.ContainsFunc(r.items, func(it item) bool { return !whole(it) && (it.service != nil || len(it.places) == 0) }) {
		return false
	}
	for i := range r.items {
		r.items[i].service = titled[0].service
	}
	return true
}

// add takes in items of services that are not there yet.
func (r *Reading) add(items []item) {
	for _, it := range items {
		if !slices.ContainsFunc(r.items, func(x item) bool { return x.service != nil && x.service == it.service }) {
			r.items = append(r.items, it)
		}
	}
}

// mentioned lists the services that a clause names, the page's other components included.
func (r *Reading) mentioned(c *clause, k Known) []item {
	text := c.text
	var out []item
	for _, m := range apposed(text, r.servicesAsWritten(c)) {
		if m.Start > 0 && text[m.Start-1] == '.' {
			continue // the end of a longer host ("de.example.io")
		}
		if rest := text[m.End:]; len(rest) > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9' {
			continue // the beginning of a model's name ("GPT-4.1")
		}
		for _, s := range m.Services {
			if s.Class == catalog.ServiceFeature || s.Class == catalog.ServiceOutbound {
				continue
			}
			out = append(out, item{name: m.Text, service: s, start: m.Start, end: m.End})
		}
	}
	if len(out) > 0 {
		return out
	}
	low := " " + c.low + " "
	for _, listed := range k.Components {
		if len(listed.Name) > 3 && strings.Contains(low, " "+strings.ToLower(listed.Name)+" ") {
			out = append(out, r.readComponent(listed, false)...)
		}
	}
	return slices.DeleteFunc(out, func(it item) bool { return it.service == nil })
}

// apposed joins a product with the word that follows it at once: its interface is the product ("Programmable Voice API"), its
// console the console ("Workers Dashboard").
func apposed(text string, ms []catalog.ServiceMention) []catalog.ServiceMention {
	var out []catalog.ServiceMention
	for _, m := range ms {
		if last := len(out) - 1; last >= 0 && strings.TrimSpace(text[out[last].End:m.Start]) == "" {
			switch m.Services[0].Class {
			case catalog.ServiceCore, catalog.ServiceWhole, catalog.ServiceControl:
				continue
			case catalog.ServiceDashboard:
				out[last] = m
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

// readComponent takes a component's name and group apart into services and places.
func (r *Reading) readComponent(c downwind.Component, listed bool) []item {
	base := item{name: c.Name, listed: listed}
	name := c.Name
	services := r.judge.services.Named(r.provider, name)
	if services == nil {
		base.places = r.placesIn(name)
		services = r.servicesIn(name, base.places)
	} else if cloud := cloudIn(name); cloud == "" {
		base.places = r.placesOf(name)
	}
	if len(base.places) == 0 && c.Group != "" {
		base.places = r.placesOf(c.Group)
	}
	if services == nil && c.Group != "" {
		if services = r.judge.services.Named(r.provider, c.Group); services == nil && len(base.places) == 0 {
			services = r.servicesIn(c.Group, nil)
		}
	}
	if services == nil && len(r.judge.services.Of(r.provider)) < manyServices && forPeople(name) {
		services = r.judge.services.Named("*", "Dashboard")
	}
	if services == nil {
		base.unknown = len(base.places) == 0 || r.tableless() && r.namesThing(name)
		return []item{base}
	}
	var out []item
	for _, s := range services {
		it := base
		it.service = s
		out = append(out, it)
	}
	return out
}

// tableless reports whether the gazetteer holds no service of the provider, so that its page alone tells what there is.
func (r *Reading) tableless() bool { return !r.judge.services.Told(r.provider) }

// namesThing reports whether a component's name says more than a place and the provider ("EU West - Message API").
func (r *Reading) namesThing(name string) bool {
	return len(nameWords(r.withoutPlaces(name), r.name+" "+r.provider)) > 0
}

// withoutPlaces takes the places out of a component's name.
func (r *Reading) withoutPlaces(name string) string {
	for _, m := range slices.Backward(r.placesNamed(name)) {
		name = name[:m.Start] + " " + name[m.End:]
	}
	return name
}

// placesOf returns the places in a name that is known as a service; a whole name that is a place as well stays a service.
func (r *Reading) placesOf(name string) []catalog.Place {
	var out []catalog.Place
	for _, m := range r.placesNamed(name) {
		if len(m.Text) < len(strings.TrimSpace(name)) || r.judge.services.Named(r.provider, name) == nil {
			out = append(out, m.Places...)
		}
	}
	return out
}

// placesIn returns the places of a component's name, only the narrowest kind ("Frankfurt, Germany - (FRA)" is Frankfurt).
func (r *Reading) placesIn(name string) []catalog.Place {
	ms := r.placesNamed(name)
	narrow := catalog.PlaceGlobal
	for _, m := range ms {
		narrow = max(narrow, m.Places[0].Kind)
	}
	point := narrow == catalog.PlaceRegion || narrow == catalog.PlaceCity
	var out []catalog.Place
	for _, m := range ms {
		k := m.Places[0].Kind
		if k == narrow || point && (k == catalog.PlaceRegion || k == catalog.PlaceCity) {
			for _, p := range m.Places {
				if !slices.ContainsFunc(out, func(q catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code }) {
					out = append(out, p)
				}
			}
		}
	}
	if point {
		out = dropCities(out)
	}
	return out
}

// dropCities leaves the cities out where a region says the same more exactly.
func dropCities(ps []catalog.Place) []catalog.Place {
	if !slices.ContainsFunc(ps, func(p catalog.Place) bool { return p.Kind == catalog.PlaceRegion }) {
		return ps
	}
	return slices.DeleteFunc(ps, func(p catalog.Place) bool { return p.Kind == catalog.PlaceCity })
}

// servicesIn finds the services in a component's name once its places are taken out.
func (r *Reading) servicesIn(name string, places []catalog.Place) []*catalog.Service {
	rest := name
	for _, m := range slices.Backward(r.placesNamed(name)) {
		if len(places) > 0 {
			rest = rest[:m.Start] + " ; " + rest[m.End:]
		}
	}
	for _, part := range strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune(";:()/", c) }) {
		part = strings.Trim(part, " -–,.")
		if found := r.judge.services.Named(r.provider, part); found != nil {
			return found
		}
		if found := r.judge.services.Named(r.provider, r.bare(part)); found != nil {
			return found
		}
	}
	var out []*catalog.Service
	for _, m := range r.judge.services.Mentions(r.provider, rest, true) {
		for _, s := range m.Services {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	if len(out) > 1 {
		// The words around a product ("… API", "… Dashboard") say less than the product itself unless it is a console.
		for _, s := range out {
			if s.Class == catalog.ServiceDashboard || s.Class == catalog.ServiceWebsite {
				return []*catalog.Service{s}
			}
		}
	}
	if len(out) == 1 && out[0].Provider == "*" && len(nameWords(rest, r.name+" "+r.provider+" "+strings.Join(out[0].Names, " "))) > 0 {
		return nil // a common word ("portal") beside the name of something else
	}
	return out
}

// bare takes the vendor's name off a product's ("Amazon DynamoDB", "Google Cloud Run").
func (r *Reading) bare(name string) string {
	for _, v := range [...]string{r.name, "Amazon", "AWS", "Azure", "Microsoft", "Google Cloud", "Google", "GCP"} {
		if v == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(name, v+" "); ok {
			return rest
		}
	}
	return name
}

// dropSpared takes out services that the words clear and the title does not name.
func (r *Reading) dropSpared(t *prose) {
	titled := map[*catalog.Service]bool{}
	for _, m := range r.servicesAsWritten(t.title) {
		for _, s := range m.Services {
			titled[s] = true
		}
	}
	failed := map[*catalog.Service]bool{}
	for _, cl := range t.clauses {
		if cl.tone != spared && cl.tone != failing {
			continue
		}
		for _, m := range cl.services {
			for _, s := range m.Services {
				switch {
				case cl.tone == failing:
					failed[s] = true
				case !titled[s] && (!failed[s] || cl.denies()):
					r.sparedServices = append(r.sparedServices, s)
				}
			}
		}
	}
	if len(r.sparedServices) == 0 {
		return
	}
	r.items = slices.DeleteFunc(r.items, func(it item) bool {
		return it.service != nil && slices.Contains(r.sparedServices, it.service) && !(it.listed && len(r.items) == 1)
	})
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

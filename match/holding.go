package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

// An asset is one piece of evidence with what it shows: services, and where they run.
type asset struct {
	ev       *downwind.Evidence
	services []*catalog.Service
	// beneath are services that may run under what the evidence shows.
	beneath []*catalog.Service
	places  []catalog.Place
	// build says that it serves building, testing and deploying only.
	build bool
	// infra says that it is a resource, which has a place of its own even when the files do not tell it.
	infra bool
}

// A holding is what a stack uses of one provider.
type holding struct {
	use    *downwind.Use
	assets []asset
	// narrowed says that files name single products, so that a general client does not hint at all others.
	narrowed bool
	// general says that a client or key that serves all products alike is there.
	general bool
	// zones are the zones that the files name; models the model names.
	zones  []catalog.Place
	models []*asset
	// devOnly says that nothing but development dependencies shows the provider.
	devOnly bool
	// clouds are the slugs of the clouds that the files name for this provider.
	clouds map[string]bool
	// anywhere are places set for the provider as a whole.
	anywhere []catalog.Place
}

// packageKind reports whether evidence of a kind comes from lists of dependencies.
func packageKind(kind string) bool {
	switch kind {
	case "npm", "pypi", "go", "gem", "cargo", "composer", "maven", "nuget", "hex", "pub", "pod":
		return true
	}
	return false
}

// hold sorts the evidence of a use. When nothing of it means use of the hosted service, the reason says what it means instead.
func (c *hearing) hold(use *downwind.Use, own []downwind.Evidence) (*holding, downwind.HoldReason) {
	_, registry := c.judge.services.Trait(c.provider, "registry")
	h := &holding{use: use, devOnly: true}
	var client, transitive, redirected bool
	confirmed := false
	for i := range use.Evidence {
		e := &use.Evidence[i]
		switch {
		case use.Manual:
			confirmed = true
		case e.Relation == downwind.TypeOnly:
			continue
		case !e.Direct && packageKind(e.Kind) && !registry:
			transitive = true
			continue
		case redirectedBy(own, e):
			redirected = true
			continue
		case e.Relation == downwind.ClientOnly:
			client = true
		default:
			confirmed = true
		}
		h.assets = append(h.assets, c.asset(e))
		if !e.Dev {
			h.devOnly = false
		}
	}
	switch {
	case confirmed && h.onlySettings() && redirected:
		return nil, downwind.HeldSelfHosted
	case confirmed && h.onlySettings() && emulated(own):
		return nil, downwind.HeldTypeOnly
	case confirmed:
	case client || redirected:
		return nil, downwind.HeldSelfHosted
	case transitive:
		return nil, downwind.HeldTransitive
	default:
		return nil, downwind.HeldTypeOnly
	}
	c.settle(h)
	return h, ""
}

// redirectedBy reports whether files send a client elsewhere: a package or key of the provider without a host of its own.
func redirectedBy(own []downwind.Evidence, e *downwind.Evidence) bool {
	if len(own) == 0 || !packageKind(e.Kind) && e.Kind != "env" && e.Kind != "code" && e.Kind != "region" && e.Kind != "model" {
		return false
	}
	for _, o := range own {
		if o.Relation == downwind.TypeOnly {
			continue // a mock beside the client is for tests
		}
		if o.Service == "" || o.Service == e.Service || e.Service == "" && e.Kind != "env" {
			return true
		}
	}
	return false
}

// onlySettings reports whether nothing but settings names the provider: beside an emulator, or a client that is pointed at another
// server, they are for that.
func (h *holding) onlySettings() bool {
	return !h.use.Manual && !slices.ContainsFunc(h.assets, func(a asset) bool { return a.ev.Kind != "env" && a.ev.Kind != "region" && a.ev.Kind != "setting" })
}

func emulated(own []downwind.Evidence) bool {
	return slices.ContainsFunc(own, func(o downwind.Evidence) bool { return o.Relation == downwind.TypeOnly })
}

func (c *hearing) asset(e *downwind.Evidence) asset {
	a := asset{ev: e, build: e.Relation == downwind.BuildTime || buildKind(e.Kind) || buildsOnly(e)}
	switch e.Kind {
	case "tf_resource":
		a.infra = !strings.Contains(e.Match, "/")
	case "tf_backend", "cloudformation", "tfstate":
		a.infra = true
	}
	if off(e) {
		return a
	}
	if e.Service != "" {
		s := c.judge.services.Get(c.provider, e.Service)
		if s == nil {
			if named := c.judge.services.Named(c.provider, e.Service); named != nil {
				s = named[0]
			} else {
				s = &catalog.Service{Provider: c.provider, Key: e.Service, Class: catalog.ServiceProduct, Names: []string{e.Service}}
			}
		}
		a.services = append(a.services, s)
	}
	for _, s := range c.judge.shown(c.provider, e, false) {
		if !slices.Contains(a.services, s) {
			a.services = append(a.services, s)
		}
	}
	a.beneath = c.judge.shown(c.provider, e, true)
	for part := range strings.SplitSeq(e.Region, ",") {
		if e.Dev {
			break // settings for development pin nothing
		}
		a.places = append(a.places, c.judge.regions.Resolve(c.provider, part)...)
	}
	switch {
	case e.Kind == "zone":
		a.places = c.judge.regions.Resolve(c.provider, e.Match)
	case e.Kind == "domain" && len(a.places) == 0 && !e.Dev:
		a.places = c.hostPlaces(e.Match)
	}
	return a
}

// shown returns the services that a piece of evidence shows; with beneath, those that may run under what it shows.
func (j *Judge) shown(provider string, e *downwind.Evidence, beneath bool) []*catalog.Service {
	return j.hints.get(inFiles{provider, e.Kind, e.Match, e.Service, beneath}, func() []*catalog.Service {
		return j.services.Shown(provider, e.Kind, e.Match, e.Service, beneath)
	})
}

// off reports whether evidence is a setting that switches something off: it shows no use of it.
func off(e *downwind.Evidence) bool {
	return e.Kind == "setting" && strings.HasSuffix(strings.ToLower(e.Match), "=false")
}

// hostPlaces reads the place out of a host's labels ("x.eu-central.example.cloud"): a label that is a region of the provider.
func (c *hearing) hostPlaces(host string) []catalog.Place {
	host = strings.ToLower(host)
	if bare, ok := c.judge.services.Trait(c.provider, "bare-host"); ok {
		domain, place, _ := strings.Cut(bare, ":")
		if tenant, found := strings.CutSuffix(host, "."+domain); found && !strings.Contains(tenant, ".") {
			return c.judge.regions.Resolve(c.provider, place)
		}
	}
	labels := strings.Split(host, ".")
	for i := 0; i < len(labels)-2; i++ {
		if len(labels[i]) < 2 || i == 0 && len(labels[i]) < 3 {
			continue
		}
		label := labels[i]
		if at := stamp.FindStringIndex(label); at != nil && c.judge.regions.Own(c.provider, label) == nil {
			label = label[:at[0]]
		}
		for _, p := range c.judge.regions.Own(c.provider, label) {
			if p.Kind == catalog.PlaceRegion || p.Kind == catalog.PlaceGroup {
				return []catalog.Place{p}
			}
		}
	}
	return nil
}

// stamp is the number of one of many like installations behind the name of a region ("eastus-8").
var stamp = pattern.New(`-\d{1,2}$`)

// buildKind reports whether evidence of a kind serves building and deploying only.
func buildKind(kind string) bool {
	switch kind {
	case "tf_backend", "ci", "gh_action", "workflow", "submodule":
		return true
	}
	return false
}

var (
	// pipelineFile are definitions of pipelines.
	pipelineFile = pattern.New(`(?:^|/)(?:\.github/workflows/|\.gitea/workflows/|\.circleci/|\.buildkite/|\.gitlab-ci[^/]*$|bitbucket-pipelines\.yml$|azure-pipelines[^/]*$|jenkinsfile$|\.travis\.yml$)`)
	// deploying are commands after which what they name runs, those that deal with what runs only ("lk agent", "fly machine"),
	// and flags that name what it runs with ("--set-secrets").
	deploying = pattern.New(`^--|\b(?:deploy|agent|machine|up|create|update-service|update-function|promote|apply|launch|release|start|run)\b`)
	imageFile = pattern.New(`(?:^|/)(?:[^/]*[._-])?(?:dockerfile|containerfile)(?:[._-][^/]*)?$`)
)

// buildsOnly reports whether evidence stands where only building and deploying read it: in a pipeline, or as the image that a
// build starts from. What a pipeline deploys runs afterwards.
func buildsOnly(e *downwind.Evidence) bool {
	file := strings.ToLower(e.File)
	switch e.Kind {
	case "env", "domain", "gh_action", "step", "use":
		if pipelineFile.MatchString(file) {
			return true
		}
	case "command":
		return pipelineFile.MatchString(file) && !deploying.MatchString(strings.ToLower(e.Match))
	}
	return (e.Kind == "image" || e.Kind == "domain" && strings.Contains(e.Match, "/")) && imageFile.MatchString(file)
}

// hostClouds parts the names of clouds in hosts of those who ride on them ("c.westeurope.azure.confluent.cloud").
var hostClouds = strings.NewReplacer(".", " ", "azuredatabricks", "azure", "amazonaws", " ")

// settle works out what the assets mean together.
func (c *hearing) settle(h *holding) {
	clouds := map[string]bool{}
	for _, a := range h.assets {
		if a.ev.Kind == "domain" && !a.ev.Dev {
			if cl := cloudIn(hostClouds.Replace(strings.ToLower(a.ev.Match))); cl != "" && cl != c.provider {
				clouds[cl] = true
			}
		}
		if a.ev.Kind == "setting" {
			if cl := cloudIn(strings.ReplaceAll(a.ev.Match, "=", " ")); cl != "" {
				clouds[cl] = true
			}
		}
	}
	told := len(clouds)
	for i := range h.assets {
		a := &h.assets[i]
		if told == 1 {
			a.places = slices.DeleteFunc(a.places, func(p catalog.Place) bool { return p.Cloud != "" && !clouds[p.Cloud] })
		}
		if len(a.places) == 1 && a.places[0].Cloud != "" {
			clouds[a.places[0].Cloud] = true
		}
		narrow := false
		for _, s := range a.services {
			switch s.Class {
			case catalog.ServiceProduct, catalog.ServiceGeneral, catalog.ServiceEndpoint:
				narrow = true
			}
		}
		h.narrowed = h.narrowed || narrow
		if !narrow && (packageKind(a.ev.Kind) && !c.splitBy(a.ev.Kind) || a.ev.Kind == "env" || a.ev.Kind == "rule" || a.ev.Kind == "domain") {
			h.general = true
		}
		for _, p := range a.places {
			if p.Kind == catalog.PlaceZone {
				h.zones = append(h.zones, p)
			}
		}
		if a.ev.Kind == "model" {
			h.models = append(h.models, a)
		}
		if a.ev.Kind != "country" && (len(a.services) == 0 || !narrow && !a.infra) {
			h.anywhere = append(h.anywhere, a.places...)
		}
	}
	h.clouds = clouds
	for _, r := range c.rules {
		if r.Kind == downwind.RuleRegion && r.Region != "" {
			h.anywhere = append(h.anywhere, c.judge.regions.Resolve(c.provider, r.Region)...)
		}
	}
	if len(h.anywhere) == 0 && !slices.ContainsFunc(h.assets, func(a asset) bool { return len(a.places) > 0 }) {
		for _, name := range h.use.Regions {
			h.anywhere = append(h.anywhere, c.judge.regions.Resolve(c.provider, name)...)
		}
	}
}

// splitBy reports whether the provider has a package of its own for each product in an ecosystem: one of them hints at no other.
func (c *hearing) splitBy(kind string) bool {
	kinds, ok := c.judge.services.Trait(c.provider, "split-packages")
	return ok && slices.Contains(strings.Split(kinds, "+"), kind)
}

// showing returns the assets that show a service, and whether a file rules the service out.
func (h *holding) showing(s *catalog.Service) (shown []*asset, against *asset) {
	for i := range h.assets {
		a := &h.assets[i]
		if slices.Contains(a.services, s) {
			shown = append(shown, a)
			continue
		}
		for _, x := range a.services {
			if x.Key == s.Key && x.Provider == s.Provider {
				shown = append(shown, a)
				break
			}
		}
		if slices.ContainsFunc(s.Against, func(p catalog.ServiceHint) bool { return p.Fits(a.ev.Kind, a.ev.Match, a.ev.Service) }) {
			against = a
		}
	}
	return shown, against
}

// only returns the one region that all evidence of the use with a place names, nil where there are several or none.
func (h *holding) only() []catalog.Place {
	var out []catalog.Place
	for _, a := range h.assets {
		for _, p := range a.places {
			if p.Kind != catalog.PlaceRegion {
				continue
			}
			if len(out) > 0 && out[0].Code != p.Code {
				return nil
			}
			out = []catalog.Place{p}
		}
	}
	return out
}

// under returns the assets beneath which a service may run.
func (h *holding) under(s *catalog.Service) []*asset {
	var out []*asset
	for i := range h.assets {
		if slices.Contains(h.assets[i].beneath, s) {
			out = append(out, &h.assets[i])
		}
	}
	return out
}

// real returns the assets that show a use of the provider at all, clients and hosts first.
func (h *holding) real() []*asset {
	var out []*asset
	for i := range h.assets {
		out = append(out, &h.assets[i])
	}
	return out
}

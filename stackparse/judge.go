package stackparse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"downwind"
	"downwind/catalog"
)

// level orders confidence for counting; nothing is no evidence at all.
type level uint8

const (
	nothing level = iota
	pending       // a client that also talks to software run by the team: counts when something else confirms
	guess
	likely
	sure
)

// A sign is one piece of evidence on the way to a Use.
type sign struct {
	downwind.Evidence
	level level
	// anchor: a host, resource or account of the provider itself, which no redirection can take away.
	anchor bool
	// quiet: neither services nor regions are taken from it.
	quiet bool
	// template: from a file of examples.
	template bool
	// more are further regions; weakly those that do not count.
	more []string
	// literal: stands in a program, so that it holds for one client alone.
	literal bool
}

type draft struct {
	signs []*sign
	// redirects are settings that point this provider's client elsewhere.
	redirects []sign
	// servers are images by which the team runs the provider's software itself.
	servers []sign
	regions []regionSign
	// beneath are packages that put another server beneath the provider's kits.
	beneath []sign
}

type regionSign struct {
	region   string
	evidence downwind.Evidence
	level    level
}

// A judge gathers the facts of all files and decides what they prove.
type judge struct {
	sig     *catalog.Signatures
	drafts  map[string]*draft
	unknown []downwind.Evidence
	known   map[string]bool // what unknown holds already
	weak    map[string][]downwind.Evidence
	dropped int
	// regionFacts are settings that name a region without saying of whom; judged at the end.
	loose []looseRegion
	// cache are the signatures that were found, by what fits them.
	cache map[nameOf][]catalog.Signature
	// named remembers what byName said.
	named map[nameOf][]catalog.Signature
	// bySlug maps folded slugs of hosted providers to slugs.
	bySlug map[string]string
	// made are signs that are not used yet.
	made []sign
	// picked is room for the evidence of one provider after the other.
	picked picking
	// words maps words of variables to the one vendor whose they are.
	words map[string]string
	// calls are the hosts that programs call, by provider; keys are the providers of whom they read a variable.
	calls map[string][]sign
	keys  map[string]bool
	// plain are the services whose clients programs also make without pointing them elsewhere.
	plain map[nameOf]bool
	// schemed is the place of the last address whose scheme is a vendor's own ("cloudinary://"): no host stands there.
	schemed string
}

// A nameOf is a name that a signature of a kind may fit.
type nameOf struct{ kind, name string }

type looseRegion struct {
	file string
	fact Fact
}

func newJudge(sig *catalog.Signatures) *judge {
	return &judge{
		sig: sig, drafts: map[string]*draft{}, known: map[string]bool{}, weak: map[string][]downwind.Evidence{}, cache: map[nameOf][]catalog.Signature{}, named: map[nameOf][]catalog.Signature{},
		calls: map[string][]sign{}, keys: map[string]bool{}, plain: map[nameOf]bool{}, picked: picking{told: map[topic]bool{}},
	}
}

func (j *judge) draft(slug string) *draft {
	d := j.drafts[slug]
	if d == nil {
		d = &draft{}
		j.drafts[slug] = d
	}
	return d
}

func (j *judge) find(kind, name string) []catalog.Signature {
	key := nameOf{kind, name}
	if s, ok := j.cache[key]; ok {
		return s
	}
	s := j.sig.Find(kind, name)
	if s != nil { // most names are nobody's, and soon found to be so again
		j.cache[key] = s
	}
	return s
}

// file takes in the facts of one file.
func (j *judge) file(path string, facts []Fact) {
	for _, f := range facts {
		if f.Line < 0 {
			f.Line = 0
		}
		switch f.Kind {
		case KindRegion:
			j.loose = append(j.loose, looseRegion{path, f})
		case KindRedirect:
			j.redirect(path, f)
		case KindRegistry, KindUse:
			j.add(f.Provider, j.sign(path, inPlace(f, f.Provider), catalog.Signature{Service: f.Service, Relation: useRelation(f)}))
		case KindClient:
			j.client(path, f)
		case KindNamed:
			j.namedHost(path, f)
		case KindPlain:
			j.plain[nameOf{f.Provider, f.Service}] = true
		case KindCalled:
			j.called(path, f)
		case KindRead:
			j.read(f)
		case KindUnknown:
			j.strange(path, f)
		case "domain":
			j.host(path, f)
		case "env":
			j.variable(path, f)
		case "image":
			j.image(path, f)
		case "tf_provider", "tf_resource":
			j.infrastructure(path, f)
		case "url_scheme":
			j.scheme(path, f)
		default:
			rows := j.find(f.Kind, f.Name)
			if len(rows) == 0 && isPackage(f.Kind) && !f.Transitive && f.State == Firm {
				rows = j.byName(f.Kind, f.Name)
			}
			if f.Kind == "npm" {
				j.adapter(path, f)
			}
			for _, s := range rows {
				if s.Provider == f.Except {
					continue
				}
				if isPackage(f.Kind) && helper(f.Name) {
					s.Relation = downwind.TypeOnly
				}
				j.add(s.Provider, j.sign(path, inPlace(f, s.Provider), s))
			}
		}
	}
}

// inPlace brings the regions that a command, an address or a use of a provider names into the codes of its provider.
func inPlace(f Fact, provider string) Fact {
	if len(f.Regions) == 0 || f.Kind != "command" && f.Kind != "url_scheme" && f.Kind != KindUse {
		return f
	}
	regions := f.Regions
	f.Regions = nil
	for _, raw := range regions {
		if r := namedRegion(provider, raw); r != "" {
			f.Regions = append(f.Regions, r)
		}
	}
	return f
}

// clientNames are the kits in whose packages the catalogue has the services by the names that clients give them.
var clientNames = [...]struct{ kind, prefix string }{{"pypi", "mypy-boto3-"}, {"go", "github.com/aws/aws-sdk-go-v2/service/"}}

// client files the making of a client for one service: it waits for something else that shows the use.
func (j *judge) client(path string, f Fact) {
	for _, k := range clientNames {
		for _, s := range j.find(k.kind, k.prefix+f.Name) {
			if s.Provider != f.Provider || s.Service == "" {
				continue
			}
			s.Relation = downwind.ClientOnly
			g := j.sign(path, f, s)
			g.Kind, g.Relation = "code", downwind.Hosted
			j.add(f.Provider, g)
			return
		}
	}
}

func useRelation(f Fact) downwind.Relation {
	if f.Kind == KindRegistry {
		return downwind.BuildTime
	}
	return downwind.Hosted
}

// sign weighs a fact against the signature that fits it.
func (j *judge) sign(path string, f Fact, s catalog.Signature) sign {
	g := sign{Evidence: downwind.Evidence{
		File: path, Line: f.Line, Kind: cmp.Or(f.As, f.Kind), Match: cmp.Or(f.Show, f.Name), Version: f.Version, Direct: !f.Transitive,
		Dev: f.Dev, Service: cmp.Or(f.Service, s.Service), Region: s.Region, Relation: cmp.Or(f.Relation, s.Relation),
	}, template: f.Template}
	if len(f.Regions) > 0 {
		g.Region, g.more = f.Regions[0], f.Regions[1:]
	}
	switch {
	case s.Relation == downwind.TypeOnly:
		g.level = nothing
	case f.Transitive:
		g.level = nothing
	case s.Relation == downwind.ClientOnly:
		g.level = pending
	case f.Dev || f.State == Faint:
		g.level = guess
	case f.State == Loose:
		g.level = likely
	case s.Relation == downwind.BuildTime && isPackage(f.Kind):
		g.level = likely
	default:
		g.level = sure
	}
	g.anchor = f.Kind == "domain" || f.Kind == "tf_resource" || f.Kind == KindUse && !isPackage(f.As) || f.Kind == "command"
	g.quiet = f.Dev
	return g
}

func isPackage(kind string) bool {
	switch kind {
	case "npm", "pypi", "go", "gem", "cargo", "composer", "maven", "nuget", "hex", "pub", "pod":
		return true
	}
	return false
}

// add files a sign under its provider, or among the weak ones.
func (j *judge) add(slug string, g sign) {
	if g.level == nothing {
		j.weaken(slug, g.Evidence)
		return
	}
	const some = 32
	if len(j.made) == 0 {
		j.made = make([]sign, some)
	}
	d := j.draft(slug)
	d.signs = append(d.signs, &j.made[0])
	j.made[0] = g
	j.made = j.made[1:]
}

func (j *judge) weaken(slug string, e downwind.Evidence) {
	const most = 20
	if len(j.weak[slug]) < most {
		j.weak[slug] = append(j.weak[slug], e)
	}
}

func (j *judge) host(path string, f Fact) {
	rows := j.find("domain", f.Name)
	if len(rows) == 0 {
		if f.State == Firm && !f.Template && !f.Dev && registrable(f.Name) {
			j.strange(path, f)
		}
		return
	}
	for _, s := range rows {
		service, region := hostPlace(s.Provider, f.Name)
		if region == "" {
			region = labelRegion(s.Provider, f.Name)
		}
		if s.Service == "" || service != "" {
			s.Service = cmp.Or(service, s.Service)
		}
		if region != "" {
			s.Region = region
		}
		g := j.sign(path, f, s)
		if s.Relation == downwind.BuildTime {
			g.level = min(g.level, likely)
		}
		site := s.Key == "*."+f.Name && f.Linked && !f.Called // the front page of a vendor whose rows speak of the hosts below
		if !f.Listed && (site || linkHost(f.Name, s.Key == f.Name || f.Called)) {
			g.level, g.quiet, g.anchor = min(g.level, guess), true, false
		}
		j.add(s.Provider, g)
	}
}

// namedHost files a host of source code that tells a region: it waits for something else that shows the use.
func (j *judge) namedHost(path string, f Fact) {
	if f.Provider != "" { // the name of a resource
		if len(f.Regions) > 0 {
			g := j.sign(path, inPlace(Fact{Kind: KindUse, Name: f.Name, Show: f.Show, Line: f.Line, Regions: f.Regions}, f.Provider), catalog.Signature{Service: f.Service, Relation: downwind.ClientOnly})
			g.Kind, g.Relation, g.anchor = "code", downwind.Hosted, false
			j.add(f.Provider, g)
		}
		return
	}
	for _, s := range j.find("domain", f.Name) {
		service, region := hostPlace(s.Provider, f.Name)
		region = cmp.Or(region, labelRegion(s.Provider, f.Name), s.Region)
		if region == "" || s.Relation != downwind.Hosted {
			continue
		}
		s.Service, s.Region, s.Relation = cmp.Or(service, s.Service), region, downwind.ClientOnly
		g := j.sign(path, f, s)
		g.Kind, g.Relation = "code", downwind.Hosted
		j.add(s.Provider, g)
	}
}

// linkHost are hosts to which files link for people or to fetch sources. Site hosts of vendors also serve programs:
// called says that this one is known to, or that the path looks so.
func linkHost(h string, called bool) bool {
	switch h {
	case "github.com", "www.github.com", "raw.githubusercontent.com", "gitlab.com", "bitbucket.org", "codeload.github.com", "objects.githubusercontent.com", "gist.github.com":
		return true
	}
	first, rest, _ := strings.Cut(h, ".")
	switch first {
	case "www":
		name, _, _ := strings.Cut(rest, ".")
		return !called && !strings.HasSuffix(name, "apis") && !strings.HasSuffix(name, "api") // www.googleapis.com
	case "console", "dashboard":
		return !called
	case "docs", "status", "developer", "help", "support":
		return true
	}
	return strings.HasSuffix(h, ".github.io")
}

// helper are packages that carry a vendor's name without talking to it: instrumentations and detectors of
// OpenTelemetry, type packages, icon sets, lint rules.
func helper(name string) bool {
	n := strings.ToLower(name)
	for _, s := range []string{"opentelemetry-instrumentation", "opentelemetry-resource", "resource-detector", "trpc-opentelemetry", "simple-icons", "eslint-plugin", "eslint-config", "@types/", "types-", "-stubs", "instrumentation-aws-sdk", "opentelemetry-propagator", "opentelemetry-sdk-extension", "-mock", "mock-", "-emulator"} {
		if strings.Contains(n, s) {
			return true
		}
	}
	return false
}

func place(path string, line int) string { return path + ":" + strconv.Itoa(line) }

func (j *judge) scheme(path string, f Fact) {
	if f.Provider != "" {
		g := j.sign(path, f, catalog.Signature{Relation: downwind.Hosted})
		g.anchor = true
		j.add(f.Provider, g)
		return
	}
	for _, s := range j.find("url_scheme", f.Name) {
		if s.Relation == downwind.Hosted {
			j.schemed = place(path, f.Line)
		}
		g := j.sign(path, inPlace(f, s.Provider), s)
		g.level = min(g.level, likely)
		j.add(s.Provider, g)
	}
}

func (j *judge) infrastructure(path string, f Fact) {
	rows := j.find(f.Kind, f.Name)
	if f.Kind == "tf_resource" && f.Source != "" {
		rows = j.ofSource(rows, f.Name, f.Source)
	} else if f.Kind == "tf_provider" && len(rows) == 0 {
		rows = j.namesake(f.Name)
	}
	if len(rows) == 0 {
		if f.Kind == "tf_provider" {
			j.strange(path, f)
		}
		return
	}
	for _, s := range rows {
		if s.Relation == downwind.TypeOnly {
			continue
		}
		g := j.sign(path, f, s)
		regions := append([]string(nil), f.Regions...)
		g.Region, g.more = "", nil
		for _, raw := range regions {
			if r := namedRegion(s.Provider, raw); r != "" && !slices.Contains(g.more, r) {
				g.more = append(g.more, r)
			}
		}
		if s.Provider == "aws" && awsGlobal(g.Service) || s.Provider == "google-cloud" && g.Service == "cloud-dns" || s.Provider == "azure" && g.Service == "front-door" {
			g.more = []string{"global"}
		}
		if len(g.more) > 0 {
			g.Region, g.more = g.more[0], g.more[1:]
		}
		j.add(s.Provider, g)
	}
}

// ofSource takes the rows of a resource type that agree with the address of its provider; a type without rows is
// judged by the address alone.
func (j *judge) ofSource(rows []catalog.Signature, kind, source string) []catalog.Signature {
	owners := j.find("tf_provider", source)
	if len(owners) == 0 {
		owners = j.namesake(source)
	}
	if len(rows) == 0 {
		return owners
	}
	for _, o := range owners {
		if o.Relation == downwind.TypeOnly {
			return nil
		}
		if !slices.ContainsFunc(rows, func(r catalog.Signature) bool { return r.Provider == o.Provider }) && !j.family(kind, o.Provider) {
			return owners
		}
	}
	return rows
}

// family says whether types that begin as this one does are a provider's own: a cloud's Terraform provider also makes
// resources of its sisters ("google_firebase_project").
func (j *judge) family(kind, provider string) bool {
	word, _, _ := strings.Cut(kind, "_")
	for r := range j.sig.Rows("tf_resource") {
		if r.Provider == provider && strings.HasPrefix(r.Key, word) && strings.HasPrefix(r.Key[len(word):], "_") {
			return true
		}
	}
	return false
}

// namesake finds a provider by its name where the address is the implied "hashicorp/NAME", as in code written before
// addresses had to be told.
func (j *judge) namesake(source string) []catalog.Signature {
	name, ok := strings.CutPrefix(source, "hashicorp/")
	if !ok {
		return nil
	}
	end := "/" + strings.ToLower(name)
	for r := range j.sig.Rows("tf_provider") {
		if strings.HasSuffix(r.Key, end) {
			return []catalog.Signature{r}
		}
	}
	return nil
}

// strange keeps what no signature fits, once per name.
func (j *judge) strange(path string, f Fact) {
	const most = 500
	key := f.Kind + " " + f.Name
	if j.known[key] || len(j.unknown) >= most {
		return
	}
	j.known[key] = true
	kind := f.Kind
	if kind == KindUnknown {
		kind = "provider"
	}
	j.unknown = append(j.unknown, downwind.Evidence{File: path, Line: f.Line, Kind: kind, Match: cmp.Or(f.Show, f.Name), Direct: true, Dev: f.Dev})
}

// configFile weighs the existence of a file.
func (j *judge) configFile(path string, rows []catalog.Signature) {
	for _, s := range rows {
		name := path[strings.LastIndexByte(path, '/')+1:]
		g := j.sign(path, Fact{Kind: "config_file", Name: name}, s)
		if s.Note == "guess" {
			g.level = guess // also used without the provider
		}
		j.add(s.Provider, g)
	}
}

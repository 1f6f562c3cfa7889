// Package marks finds the small signs in a team's files that prove no use of a provider by themselves but narrow one that
// other evidence shows: calls in source code, names of models, product switches, zones, runners, commands, mirrors of registries.
//
// A mark is attached only to providers that the stack uses anyway. Values of settings never become marks: only names from
// closed lists, hosts, regions and the words "true" and "false" do.
package marks

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"downwind"
	"downwind/stackparse/internal/words"
)

// A Mark is one sign of a provider.
type Mark struct {
	// Provider is the catalogue's slug.
	Provider string
	downwind.Evidence
	// Away says that the client is pointed at a server of somebody else: the evidence belongs to Stack.SelfHosted.
	Away bool
}

// Kinds of evidence that marks have beside those of the catalogue.
const (
	KindSetting  = "setting"
	KindModel    = "model"
	KindCode     = "code"
	KindRunner   = "ci"
	KindCommand  = "command"
	KindZone     = "zone"
	KindEndpoint = "endpoint"
	// KindCountry is a country that is served.
	KindCountry = "country"
	// KindUseOf is a service that a deployment step starts: it runs afterwards.
	KindUseOf = "deploys"
)

const (
	// MaxFile bounds the files that are looked at; bigger ones are generated.
	MaxFile = 256 << 10
	// maxConfig bounds files of configuration, which people write by hand.
	maxConfig = 64 << 10
	// maxMarks bounds the marks of one file, maxPerProvider those that are attached to one provider.
	maxMarks       = 200
	maxPerProvider = 60
)

var sourceEnds = []string{
	".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py", ".go", ".rb", ".php", ".java", ".kt", ".kts", ".cs", ".ex", ".exs", ".rs", ".swift",
	".dart", ".vue", ".svelte", ".astro", ".scala", ".erb", ".html", ".htm",
}

var configEnds = []string{
	".yml", ".yaml", ".toml", ".json", ".jsonc", ".tf", ".ini", ".conf", ".cfg", ".properties", ".sh", ".bash", ".tfvars", ".npmrc", ".env", ".xml",
}

// apart are folders whose files say nothing of what runs.
var apart = []string{"test", "tests", "spec", "specs", "__tests__", "__mocks__", "mocks", "fixtures", "testdata", "cassettes", "e2e", "docs", "doc", "node_modules", "examples", "dist", "build"}

// Claims says whether a file can hold marks, by its slash-separated path.
func Claims(p string) bool {
	base := strings.ToLower(path.Base(p))
	return (isSource(base) || isConfig(base)) && !besides(p, base)
}

// Source says whether a file is source code of what runs, by its slash-separated path.
func Source(p string) bool {
	base := strings.ToLower(path.Base(p))
	return isSource(base) && !besides(p, base)
}

// besides reports whether a file says nothing of what runs: made by tools, or for tests and documents.
func besides(p, base string) bool {
	if strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".lock") || lockfile(base) {
		return true
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		if slices.Contains(apart, dir) {
			return true
		}
	}
	return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.go") || strings.HasSuffix(base, "_test.py")
}

// lockfile reports whether a file pins dependencies without an ending that says so.
func lockfile(s string) bool {
	switch s {
	case "package-lock.json", "bun.lockb", "packages.lock.json", "pubspec.lock", "gradle.lockfile", ".terraform.lock.hcl", "pnpm-lock.yaml",
		"composer.lock", "npm-shrinkwrap.json", "deno.lock":
		return true
	}
	return false
}

func isSource(base string) bool {
	return slices.Contains(sourceEnds, path.Ext(base))
}

func isConfig(base string) bool {
	if strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "requirements") || strings.HasSuffix(base, ".dockerfile") {
		return true
	}
	switch base {
	case "makefile", "procfile", "gemfile", "justfile", "jenkinsfile", "pip.conf", "modules.txt", ".pnp.cjs", "config":
		return true
	}
	return slices.Contains(configEnds, path.Ext(base))
}

// maxLine bounds the lines that are looked at; longer ones are generated.
const maxLine = 4000

// Find returns the marks of one file, in the order of its lines.
func Find(p string, data []byte) []Mark {
	base := strings.ToLower(path.Base(p))
	source := isSource(base)
	if len(data) > MaxFile || !source && len(data) > maxConfig || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	f := &file{path: p, base: base, source: source, data: data}
	f.look()
	f.choose()
	f.lines()
	f.whole()
	return f.marks
}

// file is one file while it is read.
type file struct {
	path, base string
	data       []byte
	source     bool
	// seen are the words of the file, here those of the line; hits tell where they stand, line by line.
	seen, here words.Set
	hits       []words.Hit
	marks      []Mark
	// active are the rules whose words stand somewhere in the file.
	active struct {
		calls                                                       []call
		commands                                                    []command
		sources                                                     []source
		offline                                                     []offlineRule
		owners                                                      []owner
		nested, pools, terraform, platform, agent, payment, cognito bool
		// wants are the words of which a line must hold one to be looked at, unless every line is.
		wants words.Set
		every bool
	}
	// keys is the path of keys above the line, for YAML.
	keys []key
	// block is the Terraform block that the line stands in ("resource cloudflare_record").
	block string
	depth int
}

// vocabulary has the words by which rules are chosen, but for those of calls. Whatever a rule fits holds one of the rule's words.
var vocabulary = words.Folded()

func signs(list ...string) words.Run { return vocabulary.Add(list...) }

// look finds the words of the file.
func (f *file) look() {
	list := vocabulary
	if f.source {
		_, list = table()
	}
	f.hits = words.Find(list, f.data, make([]words.Hit, 0, 32))
	for _, h := range f.hits {
		f.seen.Add(h.Word)
	}
}

// lines holds the lines that the rules want against these.
func (f *file) lines() {
	hits := f.hits
	for n, at := 1, 0; at < len(f.data) && len(f.marks) < maxMarks; n++ {
		for len(hits) > 0 && (hits[0].At < at || !f.active.wants.Holds(hits[0].Word)) {
			hits = hits[1:]
		}
		if !f.active.every {
			if len(hits) == 0 {
				return
			}
			start := at + bytes.LastIndexByte(f.data[at:hits[0].At], '\n') + 1
			n += bytes.Count(f.data[at:start], []byte{'\n'})
			at = start
		}
		line, _, _ := bytes.Cut(f.data[at:], []byte{'\n'})
		at += len(line) + 1
		f.here = words.Set{}
		for len(hits) > 0 && hits[0].At < at {
			f.here.Add(hits[0].Word)
			hits = hits[1:]
		}
		if len(line) < maxLine {
			f.line(n, line)
		}
	}
}

type key struct {
	indent int
	name   string
}

func (f *file) add(provider, kind, match, service, region string, line int) {
	f.marks = append(f.marks, Mark{Provider: provider, Evidence: downwind.Evidence{
		File: f.path, Line: line, Kind: kind, Match: match, Direct: true, Service: service, Region: region, Relation: relation(kind),
	}})
}

func relation(kind string) downwind.Relation {
	switch kind {
	case KindRunner, KindCommand:
		return downwind.BuildTime
	}
	return downwind.Hosted
}

// picks reports whether the file holds one of the words of a rule, and has the lines looked at where they stand.
func (f *file) picks(rule words.Run) bool {
	if !f.seen.Has(rule) {
		return false
	}
	f.active.wants.AddRun(rule)
	return true
}

// choose finds the rules that can fit anything in the file, so that its lines are held against those only.
func (f *file) choose() {
	a := &f.active
	if f.source {
		f.chooseCode()
	} else {
		f.chooseSettings()
	}
	for _, o := range owners {
		if f.picks(o.signs) {
			a.owners = append(a.owners, o)
		}
	}
	f.picks(modelSigns)
	a.every = a.nested || a.terraform || a.platform || a.agent || a.cognito && !f.source || a.pools && !strings.Contains("/"+f.path, "/.github/workflows/")
}

func (f *file) chooseCode() {
	a := &f.active
	all, _ := table()
	for _, c := range all {
		if f.seen.Has(c.speaks) && f.picks(c.need) {
			a.calls = append(a.calls, c)
		}
	}
	a.payment = f.seen.Has(stripeSigns) && f.picks(methodSigns)
	a.cognito = f.picks(poolSigns)
	for _, rule := range [...]words.Run{dsnSigns, elsewhereSigns, siteSigns, redirectSigns} {
		f.picks(rule)
	}
}

func (f *file) chooseSettings() {
	a := &f.active
	for _, c := range commandTable {
		if f.picks(c.need) {
			a.commands = append(a.commands, c)
		}
	}
	for _, x := range sources {
		if (x.files[0] == "*" || x.files[len(x.files)-1] == "*" || contains(x.files, f.base)) && f.picks(x.need) {
			a.sources = append(a.sources, x)
		}
	}
	for _, x := range offline {
		if f.picks(x.need) {
			a.offline = append(a.offline, x)
		}
	}
	for _, rule := range [...]words.Run{countrySigns, zoneSigns, switchSigns, ownSigns} {
		f.picks(rule)
	}
	a.payment = f.seen.Has(paymentSigns) && f.picks(payWordSigns)
	a.cognito = f.seen.Has(anyPoolSigns) && f.seen.Has(cognitoSigns)
	a.pools = strings.HasPrefix(f.base, "azure-pipelines") || strings.Contains("/"+f.path, "/.circleci/") || strings.Contains("/"+f.path, "/.github/workflows/") && f.picks(runnerSigns)
	a.nested = (strings.HasSuffix(f.base, ".yml") || strings.HasSuffix(f.base, ".yaml")) && (strings.HasPrefix(f.base, "azure-pipelines") || f.seen.Has(chartSigns))
	a.terraform = strings.HasSuffix(f.base, ".tf") && f.seen.Has(terraformSigns)
	a.agent = f.base == "datadog.yaml" || f.base == "datadog.yml"
	a.platform = f.base == "vercel.json" || f.base == "firebase.json" || f.base == "netlify.toml" || strings.HasSuffix(f.path, "supabase/config.toml")
}

func (f *file) line(n int, text []byte) {
	if text = bytes.TrimRight(text, "\r"); f.comment(bytes.TrimSpace(text)) {
		return
	}
	raw := string(text)
	s := strings.TrimSpace(raw)
	if !f.source {
		f.nest(raw, s)
		f.settings(n, s)
		f.commands(n, s)
	}
	if len(f.active.owners) > 0 {
		f.names(n, s)
	}
	if f.here.Has(modelSigns) {
		f.models(n, s)
	}
	if f.source {
		f.calls(n, s)
	}
}

// comment reports whether nobody's program reads a line.
func (f *file) comment(s []byte) bool {
	starts := func(with string) bool { return bytes.HasPrefix(s, []byte(with)) }
	if f.source && !strings.HasSuffix(f.base, ".py") && !strings.HasSuffix(f.base, ".rb") {
		return len(s) == 0 || starts("//") || starts("*") || starts("/*") || starts("<!--")
	}
	return len(s) == 0 || starts("#") || starts("//")
}

// Attach adds marks to the uses of a stack. Providers without a use get none; services and regions of a use stay as they are.
func Attach(s *downwind.Stack, found []Mark) {
	count := map[string]int{}
	for _, m := range found {
		if m.Away {
			known := func(e downwind.Evidence) bool {
				return e.File == m.File && e.Line == m.Line && e.Kind == m.Kind && e.Match == m.Match && (e.Service == "" || e.Service == m.Service)
			}
			if u, own := s.Use(m.Provider), s.SelfHosted[m.Provider]; (u != nil || own != nil) && !slices.ContainsFunc(own, known) {
				if s.SelfHosted == nil {
					s.SelfHosted = map[string][]downwind.Evidence{}
				}
				s.SelfHosted[m.Provider] = append(s.SelfHosted[m.Provider], m.Evidence)
			}
			continue
		}
		u := s.Use(m.Provider)
		if u == nil || count[m.Provider] >= maxPerProvider || slices.Contains(u.Evidence, m.Evidence) {
			continue
		}
		count[m.Provider]++
		u.Evidence = append(u.Evidence, m.Evidence)
	}
}

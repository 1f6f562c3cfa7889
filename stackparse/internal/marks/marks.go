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
	"unicode/utf8"

	"downwind"
	"downwind/stackparse/internal/grams"
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
	if strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".lock") || lockfiles[base] {
		return true
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		if slices.Contains(apart, dir) {
			return true
		}
	}
	return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.go") || strings.HasSuffix(base, "_test.py")
}

var lockfiles = map[string]bool{
	"package-lock.json": true, "bun.lockb": true, "packages.lock.json": true, "pubspec.lock": true, "gradle.lockfile": true, ".terraform.lock.hcl": true, "pnpm-lock.yaml": true, "composer.lock": true, "npm-shrinkwrap.json": true, "deno.lock": true,
}

func isSource(base string) bool {
	return slices.ContainsFunc(sourceEnds, func(e string) bool { return strings.HasSuffix(base, e) })
}

func isConfig(base string) bool {
	if strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "requirements") || strings.HasSuffix(base, ".dockerfile") {
		return true
	}
	switch base {
	case "makefile", "procfile", "gemfile", "justfile", "jenkinsfile", "pip.conf", "modules.txt", ".pnp.cjs", "config":
		return true
	}
	return slices.ContainsFunc(configEnds, func(e string) bool { return strings.HasSuffix(base, e) })
}

// Find returns the marks of one file, in the order of its lines.
func Find(p string, data []byte) []Mark {
	base := strings.ToLower(path.Base(p))
	source := isSource(base)
	if len(data) > MaxFile || !source && len(data) > maxConfig || bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	f := &file{path: p, base: base, source: source, text: string(data)}
	f.lower = strings.ToLower(f.text)
	f.grams = grams.Of(f.lower)
	f.workflow = strings.Contains("/"+p, "/.github/workflows/") || f.base == ".gitlab-ci.yml" || strings.Contains("/"+p, "/.circleci/") || f.base == "bitbucket-pipelines.yml"
	f.choose()
	if f.busy() {
		n, at, plain := 0, 0, ascii(f.text)
		for line := range strings.Lines(f.text) {
			n++
			at += len(line)
			if len(line) > 4000 {
				continue
			}
			if plain {
				f.low = strings.TrimSpace(f.lower[at-len(line) : at])
			} else { // where letters of one case are longer than those of the other, places differ
				f.low = strings.ToLower(strings.TrimSpace(line))
			}
			f.line(n, strings.TrimRight(line, "\r\n"))
			if len(f.marks) >= maxMarks {
				break
			}
		}
	}
	f.whole()
	return f.marks
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// file is one file while it is read.
type file struct {
	path, base  string
	text, lower string
	grams       *grams.Set // of lower
	// low is the line in lower case.
	low      string
	source   bool
	workflow bool
	marks    []Mark
	// active are the rules whose words stand somewhere in the file.
	active struct {
		calls    []call
		commands []command
		sources  []source
		offline  []offlineRule
		owners   []owner
		// models are the parts of names of models that stand in the file.
		models []string
		zones, nested, pools, switches, redirect,
		terraform, platform, agent, own, dsn, elsewhere, site, payment, country, cognito bool
	}
	// keys is the path of keys above the line, for YAML.
	keys []key
	// block is the Terraform block that the line stands in ("resource cloudflare_record").
	block string
	depth int
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

// mentions reports whether the file names one of the words, which are in lower case.
func (f *file) mentions(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return f.grams.May(w) && strings.Contains(f.lower, w) })
}

// choose finds the rules that can fit anything in the file, so that its lines are held against those only.
func (f *file) choose() {
	a := &f.active
	if f.source {
		for _, c := range table() {
			if f.mentions(speaks[c.provider]...) && (len(c.need) == 0 || f.mentions(c.need...)) {
				a.calls = append(a.calls, c)
			}
		}
		a.cognito = f.mentions("user_pool", "userpool")
		a.dsn = f.mentions("sentry.io")
		a.elsewhere = f.mentions("anthropicbedrock", "anthropicvertex", "azureopenai")
		a.site = f.mentions("datadoghq", "ddog-gov")
		a.payment = f.mentions("stripe") && f.mentions("method_types", "methodtypes")
		a.redirect = f.mentions("base_url", "baseurl", "api_base", "apibase", "endpoint")
	} else {
		for _, c := range commandTable {
			if f.mentions(c.need...) {
				a.commands = append(a.commands, c)
			}
		}
		for _, x := range sources {
			if (x.files[0] == "*" || x.files[len(x.files)-1] == "*" || contains(x.files, f.base)) && f.mentions(x.need...) {
				a.sources = append(a.sources, x)
			}
		}
		for _, x := range offline {
			if f.mentions(x.need...) {
				a.offline = append(a.offline, x)
			}
		}
		a.payment = f.mentions("payment", "stripe")
		a.cognito = f.mentions("pool") && f.mentions("_pool", "cognito", "userpool")
		a.country = strings.Contains(f.text, "COUNTRY")
		a.zones = f.mentions("zone")
		a.switches = f.mentions("dd_")
		a.pools = strings.HasPrefix(f.base, "azure-pipelines") || strings.Contains("/"+f.path, "/.circleci/") || strings.Contains("/"+f.path, "/.github/workflows/")
		a.nested = (strings.HasSuffix(f.base, ".yml") || strings.HasSuffix(f.base, ".yaml")) && (strings.HasPrefix(f.base, "azure-pipelines") || f.mentions("datadog:"))
		a.terraform = strings.HasSuffix(f.base, ".tf") && f.mentions("proxied", "provider_name", "engine", "database_version", "cloud", `"remote"`)
		a.own = f.mentions("livekit_", "s3_endpoint", "aws_endpoint")
		a.agent = f.base == "datadog.yaml" || f.base == "datadog.yml"
		a.platform = f.base == "vercel.json" || f.base == "firebase.json" || f.base == "netlify.toml" || strings.HasSuffix(f.path, "supabase/config.toml")
	}
	for _, o := range owners {
		if f.grams.May(o.word) && strings.Contains(f.text, o.word) {
			a.owners = append(a.owners, o)
		}
	}
	for _, part := range modelParts {
		if f.mentions(part) {
			a.models = append(a.models, part)
		}
	}
}

// busy reports whether any rule can fit a line.
func (f *file) busy() bool {
	a := &f.active
	return len(a.calls)+len(a.commands)+len(a.sources)+len(a.offline)+len(a.owners)+len(a.models) > 0 || a.zones || a.nested || a.pools || a.switches ||
		a.redirect || a.own || a.dsn || a.elsewhere || a.agent || a.terraform || a.platform || a.site || a.payment || a.country || a.cognito
}

func (f *file) line(n int, raw string) {
	s := strings.TrimSpace(raw)
	if s == "" || f.comment(s) {
		return
	}
	if !f.source {
		f.nest(raw, s)
		f.settings(n, s)
		f.commands(n, s)
	}
	if len(f.active.owners) > 0 {
		f.names(n, s)
	}
	if len(f.active.models) > 0 {
		f.models(n, s)
	}
	if f.source {
		f.calls(n, s)
	}
}

// holds reports whether the line holds one of the words, which are in lower case.
func (f *file) holds(words []string) bool {
	for _, w := range words {
		if strings.Contains(f.low, w) {
			return true
		}
	}
	return false
}

func (f *file) comment(s string) bool {
	if f.source && !strings.HasSuffix(f.base, ".py") && !strings.HasSuffix(f.base, ".rb") {
		return strings.HasPrefix(s, "//") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "<!--")
	}
	return strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//")
}

// Attach adds marks to the uses of a stack. Providers without a use get none; services and regions of a use stay as they are.
func Attach(s *downwind.Stack, found []Mark) {
	count := map[string]int{}
	for _, m := range found {
		if m.Away {
			if u := s.Use(m.Provider); u != nil || s.SelfHosted[m.Provider] != nil {
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

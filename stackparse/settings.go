package stackparse

import (
	"encoding/base64"
	"strings"
	"sync"

	"downwind/internal/pattern"
)

// A Setting is one variable or key with its value, as environment files, compose, manifests and workflows have it.
type Setting struct {
	Name string
	// In is the name of what the setting belongs to in free configuration ("aws" of "aws: {region: …}"); may be empty.
	In    string
	Value string
	Line  int
	// Template marks files of examples, Commented lines that are commented out, Dev files for development and tests.
	Template, Commented, Dev bool
	// Secret says that the value comes from a secret store when deployed.
	Secret bool
	// Listed and Pipeline are those of Fact.
	Listed, Pipeline bool
	// Deep marks keys of free configuration ("livekit.host") whose name is no environment variable.
	Deep bool
}

var (
	envName    = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	reference  = pattern.New(`^\$?\{?\{?\s*[A-Za-z_$(][^\s"']*\}?\}?$`)
	secretRef  = pattern.New(`\$\{[A-Za-z_]\w*(?::?\?[^}]*)?\}|\$\([A-Za-z_]\w*\)|\$[A-Z_][A-Z0-9_]*\b`)
	hole       = pattern.New(`(?i)^(?:<[^>]*>|\[[^\]]*\]|your[-_ ].*|.*[-_ ]here|x{3,}|\.{3}|changeme|change[-_]me|todo|none|null|placeholder|replace.*|insert.*|example|dummy|foo|bar|fake.*|not-real|secret|test)$`)
	secretName = pattern.New(`(?i)(?:key|secret|token|password|passwd|dsn|credential|private|auth)`)
	regionName = pattern.New(`(?i)PINECONE_ENV(?:IRONMENT)?$|(?:^|[_.-])(?:region|location|site|edge|pop|cluster|realm|zone)s?(?:_?name)?$|(?i)(?:^|_)REGION_|\.region\.static$|(?:Region|Location)s?(?:Name)?$`)
	zoneName   = pattern.New(`(?i)zones?(?:_?name)?$`)
	// baseName are names whose value, where it is not told, is likely another vendor's address.
	baseName = pattern.New(`(?i)(?:base_?ur[li]|api_?base|endpoint)`)
	// poolID is the id of a pool of users of Cognito, which begins with its region.
	poolID = pattern.New(`^((?:us|eu|ap|sa|ca|me|af|il)-(?:gov-)?[a-z]+-[1-9])_[A-Za-z0-9]{6,}$`)
	// regionParam is the region in the query of an address.
	regionParam = pattern.New(`[?&]region(?:_name)?=([a-z][a-z0-9-]+)`)
	// withDefault is a variable with what counts where it is not set, as compose has it.
	withDefault = pattern.New(`^\$\{\w+:?-([^{}]+)\}$`)
	// eventHubs are names of settings for Event Hubs.
	eventHubs = pattern.New(`(?i)event_?-?hub`)
	// storeSetting is a key of free configuration by which a client of S3 is told where to go.
	storeSetting = pattern.New(`(?i)(?:^|[._-])(?:aws|s3)[._-](?:endpoint(?:[_-]?(?:url|override))?|service_?url)$`)
	schemeName   = pattern.New(`^[a-z][a-z0-9+.-]{0,14}$`)
	pointName    = pattern.New(`(?i)(?:base_?url|base_?uri|api_?base|endpoint|endpoint_?url|endpoint_?override|host|hostname|(?:^|_)url|api_?url|ws_?url|server_?url|service_?url|(?:^|_)uri|_ENDPOINT_URL_[A-Z0-9]+|_addr|_address|sentry_dsn)$`)
)

// Setting takes in a setting: its name as a fact, and of its value only host names, regions, and the service that an
// identifier names. The value itself is dropped here.
func (r *Result) Setting(s Setting) {
	if r.Full() {
		return
	}
	v := strings.TrimSpace(s.Value)
	if len(v) > 1 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		v = v[1 : len(v)-1]
	}
	if v != "" && secretName.MatchString(s.Name) {
		r.Dropped++
	}
	if services := emulated(v); services != nil {
		for _, service := range services {
			r.Facts = append(r.Facts, Fact{Kind: KindRedirect, Provider: "azure", Service: service, Name: "localhost", Show: s.Name, Line: s.Line, Dev: s.Dev, Template: s.Template})
		}
		return
	}
	if strings.EqualFold(s.Name, "GOOGLE_GENAI_USE_VERTEXAI") && (strings.EqualFold(v, "true") || v == "1") && !s.Commented {
		// The kit for Gemini then calls Vertex AI, in the place that is set for the cloud.
		r.Facts = append(r.Facts, Fact{Kind: KindRedirect, Provider: "google-gemini", Name: "aiplatform.googleapis.com", Show: s.Name, Line: s.Line, Dev: s.Dev, Template: s.Template},
			Fact{Kind: "domain", Name: "aiplatform.googleapis.com", Show: s.Name, Line: s.Line, Dev: s.Dev, Template: s.Template})
	}
	f := Fact{Kind: "env", Name: s.Name, Line: s.Line, Template: s.Template, Dev: s.Dev, Secret: s.Secret, Pipeline: s.Pipeline}
	isRef := strings.IndexByte(v, '$') >= 0 && secretRef.MatchString(v)
	switch {
	case s.Commented:
		f.State = Faint
	case s.Secret || isRef:
		f.State = Firm
	case v == "":
		f.State = Faint
	case len(v) < 64 && hole.MatchString(v):
		f.State = Loose
	}
	if envName.MatchString(s.Name) && !s.Deep {
		r.Add(f)
	}
	if v == "" {
		return
	}
	if m := withDefault.FindStringSubmatch(v); m != nil {
		v = m[1]
	}
	r.place(s, v, f)
	r.driver(s, v)
	if host := cloudID(s.Name, v); host != "" {
		r.Facts = append(r.Facts, Fact{Kind: "domain", Name: host, Show: s.Name, Line: s.Line, State: f.State, Dev: s.Dev, Template: s.Template})
		return
	}
	if r.account(s, v, f) {
		return
	}
	r.Value(s, v, f.State)
}

// place looks at names that say "region" or "site".
func (r *Result) place(s Setting, v string, f Fact) {
	show := ""
	if strings.EqualFold(s.Name, "static") && strings.EqualFold(s.In, "region") { // Spring's "region: {static: …}"
		s.Name, s.In, show = s.In, "", s.Name
	}
	const longest, longestList = 64, 400 // "google-compute-engine::northamerica-northeast1", with commas between several
	if !regionName.MatchString(s.Name) || strings.ContainsAny(v, "$/{}") || len(v) > longestList {
		return
	}
	if zoneName.MatchString(s.Name) && !awsZone.MatchString(v) && !gcpZone.MatchString(v) { // of DNS, or of time
		return
	}
	g := Fact{Kind: KindRegion, Name: s.Name, Show: show, Line: s.Line, State: f.State, Dev: s.Dev, Template: s.Template}
	if s.In != "" {
		g.Name, g.Show = s.In+"."+s.Name, s.Name
	}
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" && len(part) <= longest && !hole.MatchString(part) {
			g.Regions = append(g.Regions, part)
		}
	}
	if g.Regions != nil {
		r.Facts = append(r.Facts, g)
	}
}

// cloudID returns the host that a Cloud ID of Elastic holds ("name:base64 of host$id$id"), "" for other texts.
func cloudID(name, v string) string {
	if !strings.Contains(strings.ToUpper(name), "CLOUD_ID") && !strings.HasSuffix(strings.ToLower(name), "cloud.id") || len(v) > 600 {
		return ""
	}
	raw, err := base64.StdEncoding.DecodeString(v[strings.LastIndexByte(v, ':')+1:])
	if err != nil {
		return ""
	}
	first, _, ok := strings.Cut(string(raw), "$")
	host, class := cleanHost(first)
	if !ok || class != hostPublic {
		return ""
	}
	return host
}

// account looks at accounts of Snowflake, whose names may hold the region ("ab12345.eu-central-1"): they only look like hosts.
func (r *Result) account(s Setting, v string, f Fact) bool {
	up := strings.ToUpper(s.Name)
	if !strings.HasSuffix(up, "ACCOUNT") && !strings.HasSuffix(up, "ACCOUNT_NAME") || !strings.Contains(up, "SNOWFLAKE") && !s.Deep {
		return false
	}
	_, rest, _ := strings.Cut(v, ".")
	region, _, _ := strings.Cut(rest, ".")
	if !awsRegion.MatchString(region) && !gcpRegion.MatchString(region) {
		return false
	}
	r.Facts = append(r.Facts, Fact{Kind: KindRegion, Provider: "snowflake", Name: s.Name, Line: s.Line, State: f.State, Dev: s.Dev, Template: s.Template, Regions: []string{region}})
	return true
}

// emulators are published words in connection strings by which a client of Azure is pointed at an emulator.
var emulators = []struct {
	mark     string
	services []string
}{
	{"UseDevelopmentStorage=true", []string{"blob-storage", "queue-storage", "table-storage"}},
	{"devstoreaccount1", []string{"blob-storage", "queue-storage", "table-storage"}},
	{"C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM", []string{"cosmos-db"}}, // how the account key of every Cosmos emulator begins
	{"UseDevelopmentEmulator=true", []string{"service-bus", "event-hubs"}},
}

// emulated tells the services for which a value points at an emulator.
func emulated(v string) []string {
	for _, e := range emulators {
		if strings.Contains(v, e.mark) {
			return e.services
		}
	}
	return nil
}

func arns(v string) [][]string {
	if !strings.Contains(v, "arn:aws") {
		return nil
	}
	return arnShape.FindAllStringSubmatch(v, 20)
}

// googleResource is the name of a resource of Google's, which tells where it is.
var googleResource = pattern.New(`/locations/([a-z]+-[a-z]+[0-9]{1,2})/([A-Za-z]+)/`)

// googleResources maps kinds in such names to services.
var googleResources = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"keyRings": "cloud-kms", "queues": "cloud-tasks", "functions": "cloud-functions", "services": "cloud-run", "clusters": "gke", "repositories": "artifact-registry", "workflows": "workflows", "endpoints": "vertex-ai", "models": "vertex-ai", "publishers": "vertex-ai", "reasoningEngines": "vertex-ai",
		"indexEndpoints": "vertex-ai", "triggers": "eventarc", "processors": "document-ai", "workerPools": "cloud-build", "agents": "dialogflow-cx", "backups": "backup-for-gke", "deliveryPipelines": "cloud-deploy", "environments": "composer", "secrets": "secret-manager",
	}
})

// resources finds the names of Google's resources in a text.
func resources(v string) [][]string {
	if !strings.Contains(v, "/locations/") {
		return nil
	}
	return googleResource.FindAllStringSubmatch(v, 8)
}

// sqlInstance returns the region in the name of a Cloud SQL instance ("project:region:instance"), also as a flag's value
// and before a port; "" for other texts.
func sqlInstance(v string) string {
	if strings.Count(v, ":") < 2 {
		return ""
	}
	if m := instanceName.FindStringSubmatch(v); m != nil {
		return m[1]
	}
	return ""
}

var instanceName = pattern.New(`(?:^|[=/\s,])[a-z][a-z0-9-]{3,}:((?:us|europe|asia|northamerica|southamerica|australia|me|africa)-[a-z]+[0-9]{1,2}):[a-z]`)

// Value takes hosts, ARNs and schemes out of a text that stands for a setting.
func (r *Result) Value(s Setting, v string, state State) {
	if r.Full() {
		return
	}
	base := Fact{Line: s.Line, State: state, Template: s.Template, Dev: s.Dev, Listed: s.Listed, Pipeline: s.Pipeline}
	if state != Faint && !s.Commented {
		base.State = Firm
	}
	hosts := hostsIn(v)
	const allowList = 8 // more hosts in one value are a list of what may be reached, not of what is used
	if len(hosts) > allowList && !s.Listed && !oneDomain(hosts) {
		return
	}
	for _, h := range hosts {
		if h.class == hostPublic {
			f := base
			f.Kind, f.Name, f.Show, f.Called, f.Linked = "domain", h.host, h.show, h.called, strings.HasPrefix(h.scheme, "http")
			if strings.HasSuffix(h.host, ".servicebus.windows.net") && eventHubs.MatchString(s.In+s.Name) { // both services share these hosts
				f.Service = "event-hubs"
			}
			r.Facts = append(r.Facts, f)
		}
	}
	for _, m := range arns(v) {
		f := base
		f.Kind, f.Name, f.Provider, f.Service = "url_scheme", m[0], "aws", awsService(m[1])
		if reg := foldRegion("aws", m[2]); reg != "" {
			f.Regions = []string{reg}
		} else if awsGlobal(f.Service) && f.Service != "iam" { // a role that something takes on says nothing of a place
			f.Regions = []string{"global"}
		}
		r.Facts = append(r.Facts, f)
	}
	if m := poolID.FindStringSubmatch(v); m != nil {
		f := base
		f.Kind, f.Name, f.Provider, f.Service, f.Regions = KindUse, s.Name, "aws", "cognito", m[1:]
		r.Facts = append(r.Facts, f)
	}
	for _, m := range resources(v) {
		f := base
		f.Kind, f.Name, f.Show, f.Provider, f.Service, f.Regions = KindUse, m[0], "", "google-cloud", googleResources()[m[2]], m[1:2]
		r.Facts = append(r.Facts, f)
	}
	if region := sqlInstance(v); region != "" {
		f := base
		f.Kind, f.Name, f.Show, f.Provider, f.Service, f.Regions = KindUse, region, region, "google-cloud", "cloud-sql", []string{region}
		r.Facts = append(r.Facts, f)
	}
	if i := strings.Index(v, "://"); i > 0 && schemeName.MatchString(v[:i]) && !strings.HasPrefix(v, "http") {
		f := base
		f.Kind, f.Name = "url_scheme", v[:i+3]
		if m := regionParam.FindStringSubmatch(v); m != nil {
			f.Regions = m[1:]
		}
		r.Facts = append(r.Facts, f)
	}
	if pointName.MatchString(s.Name) && !s.Commented {
		f := base
		f.Kind, f.Show = KindRedirect, s.Name
		if len(hosts) > 0 {
			f.Name = hosts[0].host
			if f.Name == "" {
				f.Name = "localhost"
			}
			if hosts[0].class == hostPublic && s.Deep && (s.In != "" || strings.Contains(s.Name, ".")) && storeSetting.MatchString(s.In+"."+s.Name) {
				f.As, f.Provider, f.Service = "code", "aws", "s3"
			}
		} else if innerHost(s, v) {
			f.Name = v
		} else if !reference.MatchString(v) || !baseName.MatchString(s.Name) {
			return
		}
		r.Facts = append(r.Facts, f)
	}
}

// innerHost reports whether a setting names a server by one word, as those of a network of one's own are called ("soketi").
func innerHost(s Setting, v string) bool {
	return !s.Deep && !s.Dev && strings.HasSuffix(s.Name, "_HOST") && v != "localhost" && singleLabel.MatchString(v)
}

package marks

import (
	"slices"
	"strings"
	"sync"

	"downwind"
	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
)

// envNames are names of variables where a file sets or reads them.
var envNames = pattern.New(`\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b`)

// An owner is a word in names of variables with the provider that it stands for.
type owner struct {
	word, provider string
	signs          words.Run
}

// ownerOf makes an owner. A short word stands beside an underscore.
func ownerOf(word, provider string) owner {
	low := strings.ToLower(word)
	if len(low) < 3 {
		return owner{word, provider, signs(low+"_", "_"+low)}
	}
	return owner{word, provider, signs(low)}
}

// owners maps words in names of variables to the provider whose product they name. The first that fits wins.
var owners = []owner{
	ownerOf("LIVEKIT", "livekit"),
	ownerOf("TWILIO", "twilio"),
	ownerOf("STRIPE", "stripe"),
	ownerOf("SENTRY", "sentry"),
	ownerOf("SUPABASE", "supabase"),
	ownerOf("AUTH0", "auth0"),
	ownerOf("CLERK", "clerk"),
	ownerOf("SENDGRID", "sendgrid"),
	ownerOf("MAILGUN", "mailgun"),
	ownerOf("PAGERDUTY", "pagerduty"),
	ownerOf("ALGOLIA", "algolia"),
	ownerOf("PINECONE", "pinecone"),
	ownerOf("PAYPAL", "paypal"),
	ownerOf("CLOUDFLARE", "cloudflare"),
	ownerOf("TURNSTILE", "cloudflare"),
	ownerOf("DD", "datadog"),
	ownerOf("DATADOG", "datadog"),
	ownerOf("DEEPGRAM", "deepgram"),
	ownerOf("NETLIFY", "netlify"),
	ownerOf("VERCEL", "vercel"),
	ownerOf("BLOB_READ_WRITE", "vercel"),
	ownerOf("HEROKU", "heroku"),
	ownerOf("SLACK", "slack"),
	ownerOf("OPENAI", "openai"),
	ownerOf("ANTHROPIC", "anthropic"),
	ownerOf("FIREBASE", "firebase"),
	ownerOf("ATLAS", "mongodb-atlas"),
	ownerOf("GRAFANA", "grafana"),
	ownerOf("SIP", "livekit"),
}

// products are the words that make a variable's name tell of a product.
var products = pattern.New(`(?:^|_)(?:SIP|TRUNK|PHONE_NUMBER|INGRESS|EGRESS|RTMP|WHIP|RECORDINGS?|VERIFY|MESSAGING|SMS|WHATSAPP|TWIML|VOICE|STUDIO|FLOW|WORKSPACE|SYNC|CONVERSATIONS?|WEBHOOKS?|CONNECT|TERMINAL|PRICE|REPLAYS?|TRACES|PROFILES|AUTH_TOKEN|ACCESS_TOKEN|API_TOKEN|MANAGEMENT|MGMT|SAML|SSO|MFA|TUNNEL|SITE|PROFILING|APPSEC|LOGS|APM|LLMOBS|BLOB|PARSE|INBOUND|OUTBOUND|PAYOUTS?|AGENT|INFERENCE|FROM|CRON|MONITORS?|SRTP|TURNSTILE|PUBLIC_KEY|PRIVATE_KEY|DISPATCH|ANALYTICS)(?:_|$)`)

// names finds variables whose name tells of a product.
func (f *file) names(n int, s string) {
	if !strings.Contains(s, "_") {
		return
	}
	seen := map[string]bool{}
	if !slices.ContainsFunc(f.active.owners, func(o owner) bool { return strings.Contains(s, o.word) }) {
		return
	}
	for _, name := range envNames.FindAllString(s, 20) {
		if seen[name] || !products.MatchString(name) {
			continue
		}
		seen[name] = true
		for _, o := range f.active.owners {
			if hasWord(name, o.word) {
				f.add(o.provider, "env", name, "", "", n)
				break
			}
		}
	}
}

// countryName maps the codes that settings use to the names that status pages use.
var countryName = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"US": "United States", "CA": "Canada", "MX": "Mexico", "BR": "Brazil", "AR": "Argentina", "CL": "Chile", "CO": "Colombia", "PE": "Peru", "GB": "United Kingdom", "UK": "United Kingdom",
		"IE": "Ireland", "DE": "Germany", "FR": "France", "NL": "Netherlands", "BE": "Belgium", "AT": "Austria", "CH": "Switzerland", "ES": "Spain", "PT": "Portugal", "IT": "Italy", "PL": "Poland",
		"SE": "Sweden", "NO": "Norway", "DK": "Denmark", "FI": "Finland", "GR": "Greece", "CZ": "Czech Republic", "RO": "Romania", "HU": "Hungary", "TR": "Turkey", "UA": "Ukraine", "IN": "India",
		"JP": "Japan", "CN": "China", "HK": "Hong Kong", "TW": "Taiwan", "KR": "South Korea", "SG": "Singapore", "ID": "Indonesia", "MY": "Malaysia", "PH": "Philippines", "TH": "Thailand",
		"VN": "Vietnam", "AU": "Australia", "NZ": "New Zealand", "IL": "Israel", "AE": "United Arab Emirates", "SA": "Saudi Arabia", "ZA": "South Africa", "KE": "Kenya", "NG": "Nigeria", "EG": "Egypt",
	}
})

var countrySigns = signs("country")

var countrySet = pattern.New(`\b([A-Z][A-Z0-9_]*COUNTRY(?:_CODE)?)\s*[:=]\s*["']?([A-Z]{2})\b`)

// country finds the country that a setting serves. It says where people are, for services that reach them there.
func (f *file) country(n int, s string) {
	m := countrySet.FindStringSubmatch(s)
	if m == nil || countryName()[m[2]] == "" {
		return
	}
	for _, p := range [...]string{"twilio", "stripe"} {
		f.add(p, KindCountry, m[1], "", countryName()[m[2]], n)
	}
}

var userPool = pattern.New(`\b([A-Z][A-Z0-9_]*)\s*[:=]\s*["']?((?:us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d)_[A-Za-z0-9]{4,}`)

// pool finds the region in the id of a Cognito user pool.
func (f *file) pool(n int, s string) {
	if m := userPool.FindStringSubmatch(s); m != nil {
		f.add("aws", "env", m[1], "cognito", m[2], n)
	}
}

// hasWord reports whether a name holds a word between underscores.
func hasWord(name, word string) bool {
	return strings.Contains("_"+name+"_", "_"+word+"_")
}

// A command is a program that scripts and workflows run against a provider.
type command struct {
	provider, service, label string
	pattern                  *pattern.Regexp
	// need are words of which one stands in whatever fits.
	need words.Run
}

var commandTable = []command{
	{"npm", "package-publishing", "npm publish", pattern.New(`\b(?:npm|pnpm|yarn npm|yarn|bun|lerna|changeset) publish\b`), signs(" publish")},
	{"npm", "", "npm audit", pattern.New(`\b(?:npm|pnpm|yarn) audit\b`), signs(" audit")},
	{"pypi", "publishing", "twine upload", pattern.New(`\btwine upload\b|\b(?:poetry|uv|flit|hatch|pdm) publish\b`), signs("twine", " publish")},
	{"rubygems", "publishing", "gem push", pattern.New(`\bgem push\b`), signs("gem push")},
	{"crates-io", "publishing", "cargo publish", pattern.New(`\bcargo publish\b`), signs("cargo publish")},
	{"maven-central", "publishing", "mvn deploy", pattern.New(`\bmvn\w*\b.*\bdeploy\b|\bgradlew?\b.*\bpublish\w*\b`), signs("mvn", "gradle")},
	{"docker", "", "docker login", pattern.New(`\bdocker login\b`), signs("docker login")},
	{"docker", "pushes", "docker push", pattern.New(`\bdocker push\b`), signs("docker push")},
	{"livekit", "agents-hosted", "lk agent", pattern.New(`\b(?:lk|livekit-cli) (?:cloud )?agent (?:deploy|create|update|rollback|dockerfile)\b`), signs(" agent ")},
	{"vercel", "", "vercel deploy", pattern.New(`\b(?:npx |bunx )?vercel(?:\s+(?:deploy|build|pull|--prod|--token)|\s*$)`), signs("vercel")},
	{"netlify", "", "netlify deploy", pattern.New(`\bnetlify deploy\b|\bntl deploy\b`), signs(" deploy")},
	{"cloudflare", "", "wrangler deploy", pattern.New(`\bwrangler (?:pages )?(?:deploy|publish|secret|d1|r2|kv)\b`), signs("wrangler")},
	{"fly-io", "", "fly deploy", pattern.New(`\bfly(?:ctl)? (?:deploy|machine|scale|secrets)\b`), signs("fly")},
	{"supabase", "", "supabase deploy", pattern.New(`\bsupabase (?:db push|functions deploy|link|migration)\b`), signs("supabase")},
	{"heroku", "", "heroku", pattern.New(`\bheroku (?:container:|pg:|releases|run|config)|\bgit push heroku\b`), signs("heroku")},
	{"firebase", "", "firebase deploy", pattern.New(`\bfirebase deploy\b`), signs("firebase")},
	{"github", "api", "gh", pattern.New(`\bgh (?:pr|release|issue|api|run|workflow)\b`), signs("gh ")},
	{"digitalocean", "", "doctl", pattern.New(`\bdoctl \w+`), signs("doctl")},
	{"sentry", "sourcemaps", "sentry-cli", pattern.New(`\bsentry-cli \w+`), signs("sentry-cli")},
	{"aws", "s3", "aws s3", pattern.New(`\baws s3(?:api)? \w+`), signs("aws s3")},
	{"aws", "cloudformation", "sam deploy", pattern.New(`\b(?:sam|cdk) deploy\b|\baws cloudformation \w+`), signs(" deploy", "cloudformation")},
	{"aws", "ecr", "aws ecr", pattern.New(`\baws ecr \w+`), signs("aws ecr")},
	{"aws", "ecs", "aws ecs", pattern.New(`\baws ecs \w+`), signs("aws ecs")},
	{"aws", "lambda", "aws lambda", pattern.New(`\baws lambda \w+`), signs("aws lambda")},
	{"google-cloud", "cloud-run", "gcloud run", pattern.New(`\bgcloud (?:beta )?run \w+`), signs("gcloud")},
	{"google-cloud", "cloud-build", "gcloud builds", pattern.New(`\bgcloud builds \w+`), signs("gcloud")},
	{"google-cloud", "gke", "gcloud container", pattern.New(`\bgcloud container \w+`), signs("gcloud")},
	{"google-cloud", "cloud-functions", "gcloud functions", pattern.New(`\bgcloud functions \w+`), signs("gcloud")},
	{"azure", "", "az", pattern.New(`\baz (?:webapp|functionapp|aks|acr|storage|deployment|containerapp|vm|group) \w+`), signs("az ")},
	{"mongodb-atlas", "api", "atlas", pattern.New(`\batlas (?:clusters|deployments|backups|dbusers)\b`), signs("atlas ")},
}

var (
	runnerSigns = signs("runs-on")
	runnerLine  = pattern.New(`^(?:- )?runs-on\s*:\s*(.+)$`)
	regionFlag  = pattern.New(`--(?:region|location)[ =]["']?([a-z]+[a-z0-9-]*)`)
)

// commands finds what scripts and workflows run, and on which runners.
func (f *file) commands(n int, s string) {
	if f.active.pools && strings.HasPrefix(strings.TrimPrefix(s, "- "), "runs-on") {
		if m := runnerLine.FindStringSubmatch(s); m != nil {
			f.add("github", KindRunner, strings.TrimSpace("runs-on "+runner(m[1])), "actions", "", n)
		}
	}
	if f.active.pools {
		f.pools(n, s)
	}
	if f.here.Has(countrySigns) {
		f.country(n, s)
	}
	if f.active.cognito {
		f.pool(n, s)
	}
	for _, c := range f.active.commands {
		if !f.here.Has(c.need) {
			continue
		}
		m := c.pattern.FindString(s)
		if m == "" {
			continue
		}
		if c.provider == "docker" && otherRegistry(s) {
			continue
		}
		region := ""
		if m := regionFlag.FindStringSubmatch(s); m != nil {
			region = m[1]
		}
		f.add(c.provider, KindCommand, c.shown(s, m), c.service, region, n)
		if c.runs() {
			f.marks[len(f.marks)-1].Relation = downwind.Hosted
		}
	}
}

// runs reports whether what the command puts out runs at the provider afterwards.
func (c command) runs() bool {
	switch c.label {
	case "lk agent", "vercel deploy", "netlify deploy", "wrangler deploy", "fly deploy", "firebase deploy", "heroku", "gcloud run", "gcloud functions", "supabase deploy":
		return true
	}
	return false
}

// shown is the text by which a command is told: its label where that stands in the line, else the program and what it does; options
// and values between them are left out.
func (c command) shown(line, match string) string {
	if strings.Contains(line, c.label) {
		return c.label
	}
	words := strings.Fields(match)
	if len(words) > 2 || words[0] == "npx" || words[0] == "bunx" {
		words = words[len(words)-1:]
	}
	return strings.Join(words, " ")
}

var (
	poolLine  = pattern.New(`^(?:- )?pool\s*:\s*["']?([A-Za-z][\w -]*)`)
	imageLine = pattern.New(`^vmImage\s*:\s*["']?([\w.-]+)`)
	nameLine  = pattern.New(`^name\s*:\s*["']?([A-Za-z][\w -]*)`)
	// executor is the kind of machine that a job of CircleCI asks for, or the orb that gives one.
	executor = pattern.New(`^(?:- )?(docker|machine|macos)\s*:|circleci/(windows|macos)@|^resource_class\s*:\s*["']?(windows|macos)\.`)
	ownClass = pattern.New(`^resource_class\s*:\s*["']?([\w-]+/[\w.-]+)`)
)

// pools finds on whose machines other CI services run.
func (f *file) pools(n int, s string) {
	switch {
	case strings.HasPrefix(f.base, "azure-pipelines"):
		switch m := imageLine.FindStringSubmatch(s); {
		case m != nil:
			f.add("azure-devops", KindRunner, "vmImage "+m[1], "pipelines", "", n)
		case strings.Contains(s, "Azure Pipelines"):
		case poolLine.MatchString(s):
			f.add("azure-devops", KindRunner, "self-hosted "+poolLine.FindStringSubmatch(s)[1], "pipelines", "", n)
		case strings.HasSuffix(f.keyPath(), "pool.name") && nameLine.MatchString(s):
			f.add("azure-devops", KindRunner, "self-hosted "+nameLine.FindStringSubmatch(s)[1], "pipelines", "", n)
		}
	case strings.Contains("/"+f.path, "/.circleci/"):
		if m := ownClass.FindStringSubmatch(s); m != nil {
			if f.near("machine", n) {
				f.marks = f.marks[:len(f.marks)-1]
			}
			f.add("circleci", KindRunner, "self-hosted "+m[1], "pipelines", "", n)
		}
		if m := executor.FindStringSubmatch(s); m != nil && !f.near("self-hosted", n) {
			f.add("circleci", KindRunner, m[1]+m[2]+m[3], "", "", n)
		}
	}
}

// near reports whether the last mark is a runner that begins with a word, a few lines above at most: the same job.
func (f *file) near(word string, n int) bool {
	if len(f.marks) == 0 {
		return false
	}
	last := f.marks[len(f.marks)-1]
	return last.Kind == KindRunner && strings.HasPrefix(last.Match, word) && n-last.Line <= 3
}

var (
	tagsKey   = pattern.New(`(?m)^[ \t]*tags[ \t]*:[ \t]*(?:\[[ \t]*|\n[ \t]*-[ \t]*)["']?([\w.$-]+)`)
	scriptKey = pattern.New(`(?m)^[ \t]+script[ \t]*:`)
	anyJob    = pattern.New(`(?m)^default[ \t]*:`)
)

// tagged finds jobs of GitLab that ask for runners of the team's own, by a tag that none of the hosted ones has. A job without tags
// runs anywhere: then nothing is said.
func (f *file) tagged() {
	if !strings.HasPrefix(f.base, ".gitlab-ci") {
		return
	}
	text := string(f.data)
	found := tagsKey.FindAllStringSubmatchIndex(text, -1)
	if len(found) == 0 || len(found) < len(scriptKey.FindAllString(text, -1)) && !anyJob.MatchString(text) {
		return
	}
	for _, m := range found {
		tag := text[m[2]:m[3]]
		match := "self-hosted " + tag
		if strings.HasPrefix(tag, "saas-") || strings.HasPrefix(tag, "gitlab-org") || strings.HasPrefix(tag, "$") {
			match = "hosted " + tag
		}
		f.add("gitlab", KindRunner, match, "", "", 1+strings.Count(text[:m[2]], "\n"))
	}
}

// builds are commands of Cloud Build, less the tool, which stands apart.
var builds = []command{
	{"google-cloud", "cloud-run", "run deploy", pattern.New(`\brun (?:deploy|services|jobs)\b.{0,200}`), words.Run{}},
	{"google-cloud", "cloud-functions", "functions deploy", pattern.New(`\bfunctions deploy\b.{0,200}`), words.Run{}},
	{"google-cloud", "app-engine", "app deploy", pattern.New(`\bapp deploy\b.{0,200}`), words.Run{}},
	{"google-cloud", "gke", "gke-deploy", pattern.New(`\b(?:gke-deploy|container clusters)\b.{0,200}`), words.Run{}},
}

// flat finds commands that are written as lists of words, as Cloud Build has them.
func (f *file) flat() {
	if !strings.HasPrefix(f.base, "cloudbuild") {
		return
	}
	text := strings.Join(strings.FieldsFunc(string(f.data), func(r rune) bool { return strings.ContainsRune(" \t\r\n[],'\"", r) }), " ")
	text = strings.ReplaceAll(text, " - ", " ")
	for _, c := range builds {
		m := c.pattern.FindString(text)
		if m == "" {
			continue
		}
		region := ""
		if r := regionFlag.FindStringSubmatch(m); r != nil {
			region = r[1]
		}
		label := c.label
		if !strings.HasPrefix(m, label) {
			label = strings.Join(strings.Fields(m)[:2], " ")
		}
		f.add(c.provider, KindUseOf, label, c.service, region, 0)
	}
}

// runner reduces the value of runs-on to what matters: the team's own machines, or the label of a hosted one.
func runner(value string) string {
	if strings.Contains(value, "self-hosted") {
		return "self-hosted"
	}
	v := strings.Trim(value, `[]"' `)
	if i := strings.IndexAny(v, ", "); i > 0 {
		v = v[:i]
	}
	if len(v) > 40 || strings.Contains(v, "$") {
		return ""
	}
	return v
}

// otherRegistry reports whether a docker command names a registry of its own.
func otherRegistry(s string) bool {
	for _, w := range strings.Fields(s) {
		host, _, ok := strings.Cut(w, "/")
		if ok && strings.Contains(host, ".") && !strings.HasPrefix(w, "-") && host != "docker.io" {
			return true
		}
	}
	return strings.Contains(s, "ghcr.io") || strings.Contains(s, ".amazonaws.com") || strings.Contains(s, "azurecr.io") || strings.Contains(s, "pkg.dev")
}

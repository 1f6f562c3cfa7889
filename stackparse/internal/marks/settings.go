package marks

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
)

var (
	yamlKey   = pattern.New(`^(\s*)(?:- )?["']?([A-Za-z_][\w.-]*)["']?\s*:\s*(.*)$`)
	blockHead = pattern.New(`^(resource|data|provider|terraform|module|backend|cloud)\b(?:\s+"([^"]+)")?`)
	onOff     = pattern.New(`\b(DD_[A-Z_]+)\s*[:=]\s*["']?(true|false)\b`)
	onOffList = pattern.New(`name:\s*["']?(DD_[A-Z_]+)["']?\s*,\s*value:\s*["']?(true|false)\b`)
	zoneIs    = pattern.New(`\b(?:availability_zone|availability_zone_id|zone|zones|availability_zones|AvailabilityZone|AvailabilityZoneId)"?\s*[:=]\s*\[?\s*"?([a-z]{2,}-?[a-z]+-?\w*-?(?:\d[a-f]|az\d|[a-f]|\w\d-az\d))"?`)
	zoneID    = pattern.New(`"([a-z]{3,4}\d-az\d)"`)
	isTrue    = pattern.New(`(?i)^["']?(?:true|yes|on|1)\b`)
	isFalse   = pattern.New(`(?i)^["']?(?:false|no|off|0)\b`)
	ownServer = pattern.New(`\b(LIVEKIT_(?:URL|HOST|WS_URL)|(?:AWS_)?S3_ENDPOINT(?:_URL)?|AWS_ENDPOINT_URL(?:_S3)?)\b["']?\s*[:=]\s*["']?(?:[a-z]+://)?([A-Za-z0-9.-]+)`)
	urlHost   = pattern.New(`https?://(?:[^@/\s"']*@)?([A-Za-z0-9.-]+)`)
)

// Words of settings, beside those that stand with their rules.
var (
	switchSigns    = signs("dd_")
	ownSigns       = signs("livekit_", "s3_endpoint", "aws_endpoint")
	zoneSigns      = signs("zone")
	paymentSigns   = signs("payment", "stripe")
	anyPoolSigns   = signs("pool")
	cognitoSigns   = signs("_pool", "cognito", "userpool")
	chartSigns     = signs("datadog:")
	terraformSigns = signs("proxied", "provider_name", "engine", "database_version", "cloud {", `backend "remote"`)
	cacheSigns     = signs(".yarn/cache")
)

// nest keeps track of the YAML keys and Terraform blocks around a line.
func (f *file) nest(raw, s string) {
	if !f.active.nested && !f.active.terraform {
		return
	}
	if strings.HasSuffix(f.base, ".tf") {
		if m := blockHead.FindStringSubmatch(s); m != nil && (f.depth == 0 || m[1] == "backend" || m[1] == "cloud") {
			f.block = m[1] + " " + m[2]
		}
		f.depth = max(0, f.depth+strings.Count(s, "{")-strings.Count(s, "}"))
		return
	}
	m := yamlKey.FindStringSubmatch(raw)
	if m == nil {
		return
	}
	for len(f.keys) > 0 && f.keys[len(f.keys)-1].indent >= len(m[1]) {
		f.keys = f.keys[:len(f.keys)-1]
	}
	f.keys = append(f.keys, key{len(m[1]), m[2]})
}

func (f *file) keyPath() string {
	var parts []string
	for _, k := range f.keys {
		parts = append(parts, k.name)
	}
	return strings.Join(parts, ".")
}

// settings finds switches, zones, mirrors and offline marks in files of configuration.
func (f *file) settings(n int, s string) {
	if f.here.Has(switchSigns) {
		for _, re := range [...]*pattern.Regexp{onOff, onOffList} {
			for _, m := range re.FindAllStringSubmatch(s, -1) {
				f.add("datadog", KindSetting, m[1]+"="+strings.ToLower(m[2]), "", "", n)
			}
		}
	}
	if f.here.Has(ownSigns) {
		f.own(n, s)
	}
	if f.active.agent {
		f.agent(n, s)
	}
	if f.active.terraform {
		f.terraform(n, s)
	}
	if f.active.nested {
		f.helm(n, s)
	}
	if f.here.Has(zoneSigns) {
		f.zone(n, s)
	}
	if f.active.payment && f.here.Has(payWordSigns) {
		f.payments(n, s)
	}
	f.registry(n, s)
	if f.active.platform {
		f.platform(n, s)
	}
}

// own finds clients that settings point at a server inside the team's own network.
func (f *file) own(n int, s string) {
	m := ownServer.FindStringSubmatch(s)
	if m == nil || !inside(m[2]) {
		return
	}
	provider, service := "aws", "s3"
	switch {
	case strings.HasPrefix(m[1], "LIVEKIT"):
		provider, service = "livekit", ""
	case m[1] == "AWS_ENDPOINT_URL":
		service = ""
	}
	f.add(provider, KindEndpoint, m[2], service, "", n)
	f.marks[len(f.marks)-1].Away = true
}

// inside reports whether a host is the name of a container or of something in a cluster or a network of one's own.
func inside(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || host == "" {
		return false // where developers try things out
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".svc") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".lan")
}

// agent reads the file of Datadog's agent: where it sends, and whether logs are among it.
func (f *file) agent(n int, s string) {
	name, value, ok := strings.Cut(s, ":")
	if !ok {
		return
	}
	switch value = strings.Trim(strings.TrimSpace(value), `"'`); strings.TrimSpace(name) {
	case "site":
		f.add("datadog", "domain", value, "", datadogSite(value), n)
	case "logs_enabled":
		if isTrue.MatchString(value) {
			f.add("datadog", KindSetting, "logs_enabled=true", "", "", n)
		} else if isFalse.MatchString(value) {
			f.add("datadog", KindSetting, "logs_enabled=false", "", "", n)
		}
	}
}

func (f *file) terraform(n int, s string) {
	name, value, ok := strings.Cut(s, "=")
	if ok {
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case name == "proxied" && strings.HasPrefix(f.block, "resource cloudflare_"):
			if isTrue.MatchString(value) {
				f.add("cloudflare", KindSetting, "proxied=true", "", "", n)
			} else if isFalse.MatchString(value) {
				f.add("cloudflare", KindSetting, "proxied=false", "", "", n)
			}
		case (name == "engine" || name == "database_version") && managed.MatchString(f.block):
			if m := engineName.FindStringSubmatch(value); m != nil {
				f.add(cloudOf(f.block), KindSetting, name+"="+m[1], "", "", n)
			}
		case (name == "provider_name" || name == "backing_provider_name") && strings.HasPrefix(f.block, "resource mongodbatlas_"):
			f.add("mongodb-atlas", KindSetting, "provider_name="+cloudName(value), "", "", n)
		}
	}
	switch {
	case strings.HasPrefix(s, "cloud {"):
		f.add("hashicorp", KindSetting, "cloud", "hcp-terraform", "", n)
	case strings.HasPrefix(s, `backend "remote"`):
		f.add("hashicorp", KindSetting, "remote", "hcp-terraform", "", n)
	}
}

var (
	// managed are the resources that run one of several engines.
	managed    = pattern.New(`^resource (?:aws_(?:db_|rds_|elasticache_|memorydb_)|google_sql_|digitalocean_database_)`)
	engineName = pattern.New(`^"([A-Za-z][\w-]*)"`)
)

// cloudOf returns whose resource a block is.
func cloudOf(block string) string {
	switch {
	case strings.HasPrefix(block, "resource aws_"):
		return "aws"
	case strings.HasPrefix(block, "resource google_"):
		return "google-cloud"
	}
	return "digitalocean"
}

func cloudName(value string) string {
	up := strings.ToUpper(value)
	for _, c := range [...]string{"AWS", "GCP", "AZURE", "TENANT"} {
		if strings.Contains(up, c) {
			return c
		}
	}
	return "?"
}

// payMethods are methods of payment as Stripe names them.
var payMethods = []string{
	"ideal", "sepa_debit", "sepa", "bancontact", "klarna", "afterpay_clearpay", "affirm", "apple_pay", "google_pay", "us_bank_account", "ach", "bacs_debit", "alipay", "wechat_pay", "cashapp", "boleto", "oxxo", "pix", "konbini", "eps", "giropay", "blik", "p24", "przelewy24", "twint", "swish", "amazon_pay", "mobilepay", "revolut_pay", "multibanco", "grabpay", "paynow", "promptpay", "acss_debit", "au_becs_debit",
}

var (
	payWordSigns = signs(payMethods...)
	payWord      = pattern.New(`(?:^|["'\s:=\[,-])(` + strings.Join(payMethods, "|") + `)(?:["'\s,\]]|$)`)
)

// payments finds the payment methods that a file of configuration lists.
func (f *file) payments(n int, s string) {
	for _, m := range payWord.FindAllStringSubmatch(strings.ToLower(s), 20) {
		f.add("stripe", KindSetting, "payment_method "+m[1], "", "", n)
	}
}

// helm finds the switches of the Datadog chart and of similar values files.
func (f *file) helm(n int, s string) {
	p := f.keyPath()
	i := strings.Index(p, "datadog.")
	if i < 0 {
		return
	}
	_, value, ok := strings.Cut(s, ":")
	if !ok {
		return
	}
	value = strings.TrimSpace(value)
	leaf := p[i:]
	switch {
	case isTrue.MatchString(value):
		f.add("datadog", KindSetting, leaf+"=true", "", "", n)
	case isFalse.MatchString(value):
		f.add("datadog", KindSetting, leaf+"=false", "", "", n)
	}
}

func (f *file) zone(n int, s string) {
	seen := map[string]bool{}
	for _, re := range [...]*pattern.Regexp{zoneID, zoneIs} {
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			z := strings.ToLower(m[1])
			if seen[z] {
				continue
			}
			seen[z] = true
			provider := "aws"
			if len(z) > 2 && z[len(z)-2] == '-' {
				provider = "google-cloud"
			}
			f.add(provider, KindZone, m[1], "", "", n)
		}
	}
}

// registries are the default hosts of package registries.
var registries = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"npm": {"registry.npmjs.org", "registry.yarnpkg.com"}, "pypi": {"pypi.org", "files.pythonhosted.org", "pypi.python.org", "test.pypi.org"},
		"rubygems": {"rubygems.org", "index.rubygems.org"}, "go-proxy": {"proxy.golang.org"}, "crates-io": {"crates.io", "index.crates.io", "static.crates.io", "github.com"},
		"maven-central": {"repo1.maven.org", "repo.maven.apache.org", "central.sonatype.com"}, "packagist": {"packagist.org", "repo.packagist.org"},
	}
})

// A source is a setting that names where packages come from.
type source struct {
	registry string
	files    []string
	line     *pattern.Regexp
	need     words.Run
}

// An offlineRule fits lines that say that no registry is asked.
type offlineRule struct {
	registry string
	line     *pattern.Regexp
	need     words.Run
}

// sources are settings that name the registry that is asked, by the registry whose place they take.
var sources = []source{
	{"npm", []string{".npmrc", "*"}, pattern.New(`^registry\s*=|\bnpmRegistryServer\s*:|\bNPM_CONFIG_REGISTRY\s*[:=]|\bnpm_config_registry\s*[:=]`), signs("registry")},
	{"pypi", []string{"*"}, pattern.New(`^(?:-i|--index-url)[\s=]|^index-url\s*=|\b(?:PIP_INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX|POETRY_\w+_URL)\s*[:=]|pip3? install .*(?:-i|--index-url)[\s=]|--default-index[\s=]`), signs("index", "poetry_")},
	{"go-proxy", []string{"*"}, pattern.New(`\bGOPROXY\s*[:=]`), signs("goproxy")},
	{"rubygems", []string{"gemfile"}, pattern.New(`^source\s+['"]`), signs("source")},
	{"rubygems", []string{"*"}, pattern.New(`\bBUNDLE_MIRROR__`), signs("bundle_mirror")},
	{"crates-io", []string{"config.toml", "config"}, pattern.New(`^(?:registry|index)\s*=\s*"`), signs("registry", "index")},
	{"maven-central", []string{"settings.xml"}, pattern.New(`<url>`), signs("<url>")},
}

// offline are lines that say that packages are kept with the code.
var offline = []offlineRule{
	{"npm", pattern.New(`^enableNetwork\s*:\s*false|^offline\s*=\s*true|\bnpm (?:ci|install)\b.*--offline|\byarn install\b.*--offline|\bpnpm install\b.*--offline`), signs("enablenetwork", "offline")},
	{"pypi", pattern.New(`^--no-index\b|^no-index\s*=\s*true|\bPIP_NO_INDEX\s*[:=]\s*["']?(?:1|true)|pip3? install .*--no-index|\buv sync\b.*--offline`), signs("no-index", "no_index", "--offline")},
	{"go-proxy", pattern.New(`-mod=vendor|\bGOPROXY\s*[:=]\s*["']?(?:off|direct)\b`), signs("-mod=vendor", "goproxy")},
	{"rubygems", pattern.New(`\bbundle install\b.*--local|\bBUNDLE_LOCAL\b|BUNDLE_CACHE_ALL_PLATFORMS`), signs("--local", "bundle_local", "bundle_cache")},
	{"crates-io", pattern.New(`^offline\s*=\s*true|replace-with\s*=\s*"vendored-sources"|\bcargo build\b.*--offline`), signs("offline", "vendored-sources")},
	{"packagist", pattern.New(`"packagist(?:\.org)?"\s*:\s*false`), signs("packagist")},
	{"maven-central", pattern.New(`\bmvn\b.*(?:\s-o\b|--offline)`), signs("mvn")},
}

func (f *file) registry(n int, s string) {
	for _, o := range f.active.offline {
		if !f.here.Has(o.need) {
			continue
		}
		if m := strings.Fields(o.line.FindString(s)); len(m) > 0 {
			f.add(o.registry, KindSetting, "offline "+m[len(m)-1], "", "", n)
		}
	}
	for _, src := range f.active.sources {
		if !f.here.Has(src.need) || !src.line.MatchString(s) {
			continue
		}
		for _, m := range urlHost.FindAllStringSubmatch(s, 1) {
			host := strings.ToLower(m[1])
			if !contains(registries()[src.registry], host) && !strings.HasSuffix(host, ".golang.org") {
				f.add(src.registry, KindSetting, "mirror "+host, "", "", n)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// edgeFunction heads the settings of one of Supabase's functions.
var edgeFunction = pattern.New(`^\[functions\.[\w-]+\]`)

// platform finds sections of platforms' own files.
func (f *file) platform(n int, s string) {
	switch f.base {
	case "vercel.json":
		if strings.HasPrefix(s, `"crons"`) {
			f.add("vercel", KindSetting, "crons", "cron", "", n)
		}
	case "firebase.json":
		for _, part := range [...]string{"hosting", "functions", "firestore", "database", "storage"} {
			if strings.HasPrefix(s, `"`+part+`"`) {
				f.add("firebase", KindSetting, part, "", "", n)
			}
		}
	case "config.toml":
		if m := edgeFunction.FindString(s); m != "" {
			f.add("supabase", KindSetting, m, "edge-functions", "", n)
		}
	case "netlify.toml":
		switch {
		case strings.HasPrefix(s, "[functions") || strings.HasPrefix(s, "functions ") || strings.HasPrefix(s, "functions="):
			f.add("netlify", KindSetting, "functions", "functions", "", n)
		case strings.HasPrefix(s, "[[edge_functions]]"):
			f.add("netlify", KindSetting, "edge_functions", "edge-functions", "", n)
		}
	}
}

// whole looks at the file as a whole: files whose very presence says something.
func (f *file) whole() {
	f.flat()
	f.tagged()
	switch {
	case f.base == ".pnp.cjs" && f.seen.Has(cacheSigns):
		first := slices.IndexFunc(f.hits, func(h words.Hit) bool { return cacheSigns.Holds(h.Word) })
		f.add("npm", KindSetting, "offline .yarn/cache", "", "", 1+bytes.Count(f.data[:f.hits[first].At], []byte{'\n'}))
	case f.base == "modules.txt" && strings.HasSuffix(f.path, "vendor/modules.txt"):
		f.add("go-proxy", KindSetting, "offline modules.txt", "", "", 0)
	}
}

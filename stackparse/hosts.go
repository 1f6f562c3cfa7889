package stackparse

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"downwind/internal/pattern"
)

var (
	hostHole  = pattern.New(`\$?\{\{?[^{}]*\}?\}|<[^<>]*>|\[[A-Za-z][^\[\]]*\]|\$\([^()]*\)|\$[A-Za-z_]\w*|%\w+%|TEMPLATE`)
	hostShape = pattern.New(`^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+(?:[a-z][a-z0-9-]*[a-z0-9])$`)
	urlShape  = pattern.New(`(?i)\b([a-z][a-z0-9+.-]*)://([^\s"'<>\\|` + "`" + `]*)`)
	// callShape is an address for calls, whose scheme has no slashes ("sip:+49…@x.pstn.example.com", "turn:x.example.com:443?transport=tcp").
	callShape = pattern.New(`^(?i:sips?|stuns?|turns?):(?:[^@]*@)?([^?]+)`)
	// connection is the host in a text of "name=value" pairs by which drivers connect to databases.
	connection = pattern.New(`(?i)(?:^|[;\s])(?:host|hostname|hostaddr|server|data source|addr|address|network address|endpoint)\s*=\s*(?:tcp:|np:|lpc:)?([^;,\s]+)`)
	// bareShape is a host name, perhaps with port and path, that stands for itself.
	bareShape = pattern.New(`^(?i)(?:\*\.)?(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+\.?(?::\d+)?(?:/\S*)?$`)
)

// hostClass says what a host name can tell.
type hostClass uint8

const (
	hostNone     hostClass = iota // no host name
	hostInternal                  // loopback, private, or a name that only the team's own network knows
	hostPublic
)

// cleanHost reduces a host as written ("API.Twilio.COM.:443", "*.ingest.sentry.io") to lower-case ASCII labels.
// Holes left by templates ("[shop].myshopify.com", "${ID}.example.com") become the label "x".
func cleanHost(raw string) (string, hostClass) {
	h := strings.TrimSpace(raw)
	if i := strings.LastIndexByte(h, '@'); i >= 0 {
		h = h[i+1:]
	}
	if strings.HasPrefix(h, "[") && (strings.Contains(h, "::") || strings.Count(h, ":") > 2) {
		return "", hostInternal
	}
	h = strings.ReplaceAll(hostHole.ReplaceAllString(h, "x"), holeMark, "x")
	h, _, _ = strings.Cut(h, "/")
	h, _, _ = strings.Cut(h, "?")
	h, _, _ = strings.Cut(h, "#")
	if i := strings.LastIndexByte(h, ':'); i >= 0 && strings.Count(h, ":") == 1 {
		h = h[:i]
	}
	h = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(h), "*."), ".")
	if h == "" || len(h) > 253 {
		return "", hostNone
	}
	if _, err := netip.ParseAddr(h); err == nil {
		return "", hostInternal
	}
	for i := range len(h) {
		if h[i] >= 0x80 {
			a, err := idna.Lookup.ToASCII(h)
			if err != nil {
				return "", hostNone
			}
			h = a
			break
		}
	}
	if !strings.Contains(h, ".") {
		if singleLabel.MatchString(h) {
			return h, hostInternal
		}
		return "", hostNone
	}
	for _, s := range internalSuffixes {
		if strings.HasSuffix(h, s) {
			return h, hostInternal
		}
	}
	if !hostShape.MatchString(h) {
		return "", hostNone
	}
	return h, hostPublic
}

var singleLabel = pattern.New(`^[a-z][a-z0-9_-]*$`)

var spfHost = pattern.New(`\b(?:include|redirect|a|mx|exists)[:=]([A-Za-z0-9._-]+\.[a-z]{2,})`)

// registrable says whether a host ends in a public suffix that the root knows; ".example" counts, being used on purpose.
func registrable(host string) bool {
	suffix, icann := publicsuffix.PublicSuffix(host)
	return (icann || strings.Contains(suffix, ".")) && suffix != host || strings.HasSuffix(host, ".example")
}

// ownDomain is the domain under which a host was registered, without regard to the suffixes of hosting companies:
// "amazonaws.com" for all of Amazon's hosts.
func ownDomain(host string) string {
	suffix, icann := publicsuffix.PublicSuffix(host)
	for !icann && strings.Contains(suffix, ".") {
		_, parent, _ := strings.Cut(suffix, ".")
		suffix, icann = publicsuffix.PublicSuffix(parent)
	}
	labels := strings.Split(strings.TrimSuffix(host, "."+suffix), ".")
	return labels[len(labels)-1] + "." + suffix
}

// oneDomain says whether all hosts lie under one registered domain, as the brokers of a cluster do.
func oneDomain(hosts []foundHost) bool {
	for _, h := range hosts {
		if h.class != hostPublic || ownDomain(h.host) != ownDomain(hosts[0].host) {
			return false
		}
	}
	return true
}

var internalSuffixes = []string{".internal", ".local", ".localhost", ".svc", ".cluster", ".lan", ".home", ".localdomain", ".test", ".invalid", ".intranet", ".corp", ".docker"}

// A foundHost is a host inside a value.
type foundHost struct {
	host   string
	class  hostClass
	scheme string
	// show is what stands literally in the file where the host was made from a template; else empty.
	show string
	// called says that the path of the address is one that programs ask, not people.
	called bool
}

// calledPath begins paths of interfaces for programs.
var calledPath = pattern.New(`(?i)^/(?:[a-z0-9_-]+/){0,2}(?:api|rest|graphql|oauth2?|v[0-9]+(?:\.[0-9]+)?|access_token|token|webhooks?)(?:/|\.|$)`)

// holeMark stands in the place of a hole that a template left in a host name.
const holeMark = "\x01"

// literal returns what follows the last hole of a host, "" when it has none.
func literal(raw string) string {
	if at := strings.LastIndexByte(raw, '@'); at >= 0 {
		raw = raw[at+1:]
	}
	raw, _, _ = strings.Cut(raw, "/")
	i := strings.LastIndex(raw, holeMark)
	if i < 0 {
		for _, r := range raw {
			if r >= 0x80 { // written in its own script; the host is in ASCII
				name, _, _ := strings.Cut(raw, ":")
				return name
			}
		}
		return ""
	}
	rest := strings.TrimLeft(raw[i+len(holeMark):], ".-_")
	if i := strings.IndexAny(rest, ":/?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.ToLower(rest)
}

func addresses(value string) [][]string {
	if !strings.Contains(value, "://") {
		return nil
	}
	return urlShape.FindAllStringSubmatch(value, 20)
}

// hostsIn finds the hosts in a value: those of URLs, else the value itself when it is a host name or a list of them.
func hostsIn(value string) []foundHost {
	const longest = 16 << 10
	if len(value) < 4 || len(value) > longest {
		return nil
	}
	if strings.ContainsAny(value, "{<[$%") || strings.Contains(value, "TEMPLATE") {
		value = hostHole.ReplaceAllString(value, holeMark)
	}
	var out []foundHost
	if strings.HasPrefix(value, "v=spf1") {
		for _, m := range spfHost.FindAllStringSubmatch(value, 20) {
			if name, class := cleanHost(m[1]); class == hostPublic {
				out = append(out, foundHost{host: name, class: class, called: true})
			}
		}
		return out
	}
	for _, m := range addresses(value) {
		rest, called := m[2], false
		if i := strings.IndexAny(rest, "/?#;"); i >= 0 {
			called = calledPath.MatchString(rest[i:])
			rest = rest[:i]
		}
		rest = strings.TrimRight(rest, ")},.")
		if i := strings.LastIndexByte(rest, '@'); i >= 0 {
			rest = rest[i+1:]
		}
		for h := range strings.SplitSeq(rest, ",") {
			if name, class := cleanHost(h); class != hostNone {
				out = append(out, foundHost{name, class, strings.ToLower(m[1]), literal(h), called})
			}
		}
	}
	if out != nil || strings.Contains(value, "://") {
		return out
	}
	if strings.IndexByte(value, '.') < 0 {
		return nil
	}
	if strings.IndexByte(value, '=') >= 0 {
		for _, m := range connection.FindAllStringSubmatch(value, 4) {
			if name, class := cleanHost(m[1]); class == hostPublic && plausibleTLD(name) {
				out = append(out, foundHost{host: name, class: class, show: literal(m[1]), called: true})
			}
		}
		if out != nil {
			return out
		}
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		part = strings.Trim(part, `"'`)
		if strings.IndexByte(part, '.') < 0 {
			continue
		}
		if m := callShape.FindStringSubmatch(part); m != nil {
			part = m[1]
		}
		if !bareShape.MatchString(strings.ReplaceAll(part, holeMark, "x")) {
			continue
		}
		if name, class := cleanHost(part); class == hostPublic && plausibleTLD(name) {
			out = append(out, foundHost{host: name, class: class, show: literal(part)})
		}
	}
	return out
}

// plausibleTLD keeps file names ("server.js", "app.properties") from being read as hosts.
func plausibleTLD(host string) bool {
	tld := host[strings.LastIndexByte(host, '.')+1:]
	switch tld {
	case "js", "ts", "tsx", "jsx", "json", "yaml", "yml", "toml", "md", "txt", "py", "rb", "go", "rs", "php", "java", "kt", "sh", "sql", "log",
		"conf", "cfg", "ini", "env", "xml", "html", "css", "png", "svg", "jpg", "pem", "crt", "key", "lock", "properties", "class", "jar", "tf",
		"tfvars", "mjs", "cjs", "vue", "csproj", "dll", "exe", "zip", "gz", "tgz", "service", "handler", "main", "sock", "db", "sqlite", "sqlite3",
		"csv", "tsv", "dockerfile", "template", "example", "bak", "pdf", "lua", "ex", "exs", "dart", "swift", "gradle", "proto", "graphql":
		return tld == "example"
	}
	return true
}

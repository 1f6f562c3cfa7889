// Package sbom reads bills of materials: CycloneDX (JSON and XML, with services) and SPDX (JSON and tag-value).
package sbom

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"strings"
	"sync"

	"downwind/catalog"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "sbom".
func (Parser) Name() string { return "sbom" }

var sbomName = pattern.New(`(?i)^(?:.*[-_.])?s?bom(?:[-_.].*)?\.(?:json|xml)$|cyclonedx.*\.(?:json|xml)$|(?:\.|^)cdx\.(?:json|xml)$|\.?spdx(?:\.json|\.txt)?$|.*\.spdx\.json$`)

// Claims takes files with the usual names of bills of materials.
func (Parser) Claims(p string) bool { return sbomName.MatchString(path.Base(p)) }

// Sniffs knows bills by the keys that come first.
func (Parser) Sniffs(head []byte) bool {
	return bytes.Contains(head, []byte(`"bomFormat"`)) || bytes.Contains(head, []byte(`"spdxVersion"`))
}

// Streams takes all: bills of large images are large.
func (Parser) Streams(string) bool { return true }

// Parse tells the formats apart by their content.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	t := bytes.TrimSpace(in.Data)
	switch {
	case bytes.HasPrefix(t, []byte("<")):
		out.Kind = "cyclonedx"
		cyclonedxXML(in, out)
	case bytes.HasPrefix(t, []byte("{")):
		jsonBOM(in, out)
	default:
		out.Kind = "spdx"
		tagValue(in, out)
	}
}

// A component is one part of the bill.
type component struct {
	purl, ref string
	line      int
}

// jsonBOM reads CycloneDX or SPDX JSON value by value: bills of big images have hundreds of thousands of parts.
func jsonBOM(in stackparse.Input, out *stackparse.Result) {
	s := in.Stream()
	b := &bill{in: in, out: out, direct: map[string]bool{}}
	s.Object(func(key string, _ int) {
		switch key {
		case "bomFormat":
			out.Kind = "cyclonedx"
		case "spdxVersion":
			out.Kind = "spdx"
		case "metadata":
			m := s.Node()
			b.root = m.Get("component", "bom-ref").Str()
			b.owner(m)
		case "components":
			s.Array(func() { b.part(s) })
		case "services":
			for _, v := range s.Node().All() {
				b.service(v, 0)
			}
		case "dependencies":
			s.Array(func() {
				n := s.Node()
				if b.root != "" && n.Get("ref").Str() == b.root {
					for _, d := range n.Get("dependsOn").All() {
						b.direct[d.Str()] = true
					}
				}
			})
		case "packages":
			s.Array(func() { b.spdxPackage(s) })
		case "documentDescribes":
			for _, d := range s.Node().All() {
				b.roots = append(b.roots, d.Str())
			}
		case "relationships":
			s.Array(func() {
				n := s.Node()
				from, to := n.Get("spdxElementId").Str(), n.Get("relatedSpdxElement").Str()
				switch n.Get("relationshipType").Str() {
				case "DESCRIBES":
					b.roots = append(b.roots, to)
				case "DEPENDS_ON", "CONTAINS":
					b.edges = append(b.edges, [2]string{from, to})
				}
			})
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
	if out.Kind == "" {
		out.Kind = stackparse.Unread
		return
	}
	b.finish()
}

type bill struct {
	in     stackparse.Input
	out    *stackparse.Result
	root   string
	own    string // name of the owner, whose services are the team's own
	direct map[string]bool
	parts  []component
	roots  []string
	edges  [][2]string
}

func (b *bill) owner(m *scan.Node) {
	for _, k := range []string{"supplier", "manufacture", "manufacturer"} {
		if n := m.Get(k, "name").Str(); n != "" {
			b.own = n
		}
		if n := m.Get("component", k, "name").Str(); n != "" {
			b.own = n
		}
	}
}

func (b *bill) part(s *scan.Stream) {
	var c component
	s.Object(func(key string, line int) {
		switch key {
		case "purl":
			c.purl, c.line = s.Text(), line
		case "bom-ref":
			c.ref = s.Text()
		case "components":
			s.Array(func() { b.part(s) })
		}
	})
	b.keep(c)
}

func (b *bill) keep(c component) {
	b.out.Dependencies++
	if c.purl == "" {
		return
	}
	if kind, name, _ := splitPURL(c.purl); kind != "" && b.in.Known(kind, name) {
		b.parts = append(b.parts, c)
	} else if r := registries()[kind]; r != "" && !b.direct["registry "+r] {
		b.direct["registry "+r] = true
		b.out.Facts = append(b.out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: r, Name: c.purl, Line: c.line})
	}
}

var registries = sync.OnceValue(func() map[string]string {
	return map[string]string{"npm": "npm", "pypi": "pypi", "gem": "rubygems", "cargo": "crates-io", "composer": "packagist", "maven": "maven-central", "nuget": "nuget", "go": "go-proxy", "hex": "hexpm", "pub": "pub-dev", "pod": "cocoapods"}
})

var purlKinds = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"npm": "npm", "pypi": "pypi", "golang": "go", "gem": "gem", "cargo": "cargo", "composer": "composer", "maven": "maven", "nuget": "nuget",
		"hex": "hex", "pub": "pub", "cocoapods": "pod",
	}
})

// splitPURL takes a package URL apart into a kind of signature and a name as that kind writes it.
func splitPURL(p string) (kind, name, version string) {
	rest, ok := strings.CutPrefix(p, "pkg:")
	if !ok {
		return "", "", ""
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	typ, rest, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(rest, '@'); i > 0 {
		rest, version = rest[:i], rest[i+1:]
	}
	if u, err := url.PathUnescape(rest); err == nil {
		rest = u
	}
	kind = purlKinds()[strings.ToLower(typ)]
	if kind == "maven" {
		if i := strings.LastIndexByte(rest, '/'); i >= 0 {
			rest = rest[:i] + ":" + rest[i+1:]
		}
	}
	return kind, rest, version
}

// finish weighs the parts: what the root depends on is direct; where the bill does not say, at most a guess.
func (b *bill) finish() {
	roots := map[string]bool{}
	for _, r := range b.roots {
		roots[r] = true
	}
	for _, e := range b.edges {
		if roots[e[0]] {
			b.direct[e[1]] = true
		}
	}
	graph := false
	for k := range b.direct {
		graph = graph || !strings.HasPrefix(k, "registry ")
	}
	for _, c := range b.parts {
		kind, name, version := splitPURL(c.purl)
		f := stackparse.Fact{Kind: kind, Name: name, Show: c.purl, Line: c.line, Version: version, State: stackparse.Faint}
		if graph {
			f.State = stackparse.Loose
			f.Transitive = !b.direct[c.ref] && !b.direct[c.purl]
		} else {
			f.Transitive = len(b.parts) > 200
		}
		b.out.Facts = append(b.out.Facts, f)
	}
}

// service reads a CycloneDX service: its endpoints, and its name where that is a product's.
func (b *bill) service(n *scan.Node, depth int) {
	if depth > 20 {
		return
	}
	b.out.Dependencies++
	for _, e := range n.Get("endpoints").All() {
		b.out.Value(stackparse.Setting{Name: "endpoint", Line: e.Line}, e.Str(), stackparse.Firm)
	}
	name, provider := n.Get("name"), n.Get("provider", "name")
	if s, ok := products()[strings.ToLower(name.Str())]; ok {
		b.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: s.provider, Service: s.service, Name: name.Str(), Line: name.Line})
	} else if s, ok := products()[strings.ToLower(provider.Str())]; ok && provider.Str() != b.own {
		b.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: s.provider, Service: s.service, Name: provider.Str(), Line: provider.Line})
		if name != nil {
			b.offer(s.provider, name.Str(), name.Line)
		}
	} else if provider.Str() != "" && provider.Str() != b.own {
		for _, u := range n.Get("provider", "url").All() {
			b.out.Value(stackparse.Setting{Name: "provider", Line: u.Line}, u.Str(), stackparse.Loose)
		}
	}
	for _, x := range n.Get("services").All() {
		b.service(x, depth+1)
	}
}

// offer adds the service of a provider's that goes by a name there.
func (b *bill) offer(provider, name string, line int) {
	table, err := catalog.LoadServices()
	if err != nil {
		return
	}
	for _, s := range table.Named(provider, name) {
		switch s.Class {
		case catalog.ServiceWhole, catalog.ServiceDashboard, catalog.ServiceWebsite:
			continue
		}
		if s.Provider == provider {
			b.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: s.Key, Name: name, Line: line})
			return
		}
	}
}

type product struct{ provider, service string }

// products are names under which bills list a vendor's service.
var products = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"s3": {"aws", "s3"}, "amazon s3": {"aws", "s3"}, "aws s3": {"aws", "s3"}, "dynamodb": {"aws", "dynamodb"}, "amazon dynamodb": {"aws", "dynamodb"}, "sqs": {"aws", "sqs"}, "sns": {"aws", "sns"}, "aws lambda": {"aws", "lambda"},
		"amazon rds": {"aws", "rds"}, "cloudfront": {"aws", "cloudfront"}, "aws": {"aws", ""}, "amazon web services": {"aws", ""}, "google cloud": {"google-cloud", ""}, "google cloud storage": {"google-cloud", "cloud-storage"},
		"bigquery": {"google-cloud", "bigquery"}, "azure": {"azure", ""}, "microsoft azure": {"azure", ""}, "azure blob storage": {"azure", "blob-storage"}, "stripe": {"stripe", ""}, "twilio": {"twilio", ""}, "sendgrid": {"sendgrid", ""},
		"auth0": {"auth0", ""}, "okta": {"okta", ""}, "openai": {"openai", ""}, "anthropic": {"anthropic", ""}, "slack": {"slack", ""}, "github": {"github", ""}, "cloudflare": {"cloudflare", ""}, "datadog": {"datadog", ""},
		"sentry": {"sentry", ""}, "mongodb atlas": {"mongodb-atlas", "clusters"}, "snowflake": {"snowflake", ""}, "salesforce": {"salesforce", ""}, "paypal": {"paypal", ""}, "algolia": {"algolia", ""}, "pagerduty": {"pagerduty", ""},
		"livekit cloud": {"livekit", ""}, "livekit": {"livekit", ""}, "firebase": {"firebase", ""}, "supabase": {"supabase", ""}, "mailgun": {"mailgun", ""}, "fastly": {"fastly", "cdn"}, "vercel": {"vercel", ""}, "heroku": {"heroku", ""}, "adyen": {"adyen", ""},
	}
})

func (b *bill) spdxPackage(s *scan.Stream) {
	var c component
	s.Object(func(key string, _ int) {
		switch key {
		case "SPDXID":
			c.ref = s.Text()
		case "externalRefs":
			for _, r := range s.Node().All() {
				if l := r.Get("referenceLocator"); strings.HasPrefix(l.Str(), "pkg:") {
					c.purl, c.line = l.Str(), l.Line
				}
			}
		}
	})
	b.keep(c)
}

func cyclonedxXML(in stackparse.Input, out *stackparse.Result) {
	b := &bill{in: in, out: out, direct: map[string]bool{}}
	doc, probs := in.XML(b.partXML)
	out.Problems(probs)
	for s := range doc.Get("bom", "services").Values("service") {
		for e := range s.Get("endpoints").Values("endpoint") {
			out.Value(stackparse.Setting{Name: "endpoint", Line: e.Line}, e.Inner(), stackparse.Firm)
		}
		if name := s.Get("name"); name != nil {
			if p, ok := products()[strings.ToLower(name.Inner())]; ok {
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: name.Inner(), Line: name.Line})
			} else if by := s.Get("provider", "name"); by != nil {
				if p, ok := products()[strings.ToLower(by.Inner())]; ok {
					out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: by.Inner(), Line: by.Line})
					b.offer(p.provider, name.Inner(), name.Line)
				}
			}
		}
	}
	b.finish()
}

// partXML takes the parts of a bill, of which there may be hundreds of thousands, while it is read.
func (b *bill) partXML(names []string, n *scan.Node) bool {
	if len(names) < 3 || names[0] != "bom" {
		return false
	}
	switch names[1] + "/" + names[2] {
	case "metadata/component":
		if len(names) == 3 {
			b.root = n.Get("@bom-ref").Str()
		}
	case "components/component":
		if names[len(names)-1] != "component" || names[len(names)-2] != "components" {
			return false
		}
		if p := n.Get("purl"); p != nil {
			b.keep(component{p.Inner(), n.Get("@bom-ref").Str(), p.Line})
		}
		return true
	case "dependencies/dependency":
		if len(names) > 3 {
			return false
		}
		if b.root != "" && n.Get("@ref").Str() == b.root {
			for x := range n.Values("dependency") {
				b.direct[x.Get("@ref").Str()] = true
			}
		}
		return true
	}
	return false
}

// tagValue reads SPDX's text form.
func tagValue(in stackparse.Input, out *stackparse.Result) {
	b := &bill{in: in, out: out, direct: map[string]bool{}}
	id := ""
	seen := false
	in.Lines(func(line int, text string) {
		tag, v, ok := strings.Cut(text, ":")
		if !ok {
			return
		}
		v = strings.TrimSpace(v)
		switch tag {
		case "SPDXVersion":
			seen = true
		case "SPDXID":
			id = v
		case "ExternalRef":
			if i := strings.Index(v, "pkg:"); i >= 0 {
				b.keep(component{strings.TrimSpace(v[i:]), id, line})
			}
		case "Relationship":
			if w := strings.Fields(v); len(w) == 3 {
				switch w[1] {
				case "DESCRIBES":
					b.roots = append(b.roots, w[2])
				case "DEPENDS_ON", "CONTAINS":
					b.edges = append(b.edges, [2]string{w[0], w[2]})
				}
			}
		}
	})
	if !seen {
		out.Kind = stackparse.Unread
		return
	}
	b.finish()
}

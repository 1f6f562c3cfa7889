package stackparse

import (
	"cmp"
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
)

// redirect notes that a provider's client is pointed at a host. Whose client it is tells the name of the variable.
func (j *judge) redirect(path string, f Fact) {
	slug, service := f.Provider, f.Service
	if j.schemed == place(path, f.Line) {
		return
	}
	if slug == "" {
		slug, service = j.clientOf(cmp.Or(f.Show, f.Name))
	}
	if slug == "" {
		slug, service = j.innerServer(cmp.Or(f.Show, f.Name), f.Name)
	}
	if slug == "" {
		return
	}
	match := cmp.Or(f.Name, f.Show)
	if f.Name == "localhost" {
		match = cmp.Or(f.Show, f.Name)
	}
	e := downwind.Evidence{File: path, Line: f.Line, Kind: "endpoint", Match: match, Direct: true, Dev: f.Dev, Service: service, Relation: downwind.ClientOnly}
	if f.Name != "" {
		for _, s := range j.find("domain", f.Name) {
			if s.Provider == slug {
				return // it stays where it is, and the host is evidence of its own
			}
		}
	}
	_, class := cleanHost(f.Name)
	if f.Name == "localhost" || class == hostInternal && f.Template && cloudKey(slug) {
		if f.Template || f.Dev {
			return // an example for a developer's machine says nothing of what is deployed
		}
	}
	if f.Name == "" && f.Template || class == hostInternal && (strings.Contains(f.Name, "agent") || strings.Contains(f.Name, "collector")) {
		return // agents hand on to their vendor
	}
	d := j.draft(slug)
	d.redirects = append(d.redirects, sign{Evidence: e, literal: f.As == "code"})
}

// cloudKey reports whether an example may well name a stand-in where the deployed program has the cloud itself; a model server,
// a relay, or a server that speaks as Pusher does is what people run.
func cloudKey(slug string) bool {
	return slug != "openai" && slug != "anthropic" && slug != "litellm" && slug != "pusher"
}

// searchAdapter reports whether a package lets the interface kits of Algolia show results of another search server.
func searchAdapter(s string) bool {
	switch s {
	case "@meilisearch/instant-meilisearch", "typesense-instantsearch-adapter", "@searchkit/instantsearch-client", "searchkit",
		"@orama/instantsearch",
		"vanilla-meilisearch", "instantsearch-itemsjs-adapter":
		return true
	}
	return false
}

// adapter notes a package that puts another server beneath a kit: the kit alone is then no use of the vendor who gives it.
func (j *judge) adapter(path string, f Fact) {
	if !searchAdapter(f.Name) || f.Transitive {
		return
	}
	d := j.draft("algolia")
	d.beneath = append(d.beneath, sign{Evidence: downwind.Evidence{File: path, Line: f.Line, Kind: "endpoint", Match: f.Name, Direct: true, Dev: f.Dev, Relation: downwind.ClientOnly}})
}

// offKit takes the kits out of the signs of a provider where another server stands beneath them.
func (d *draft) offKit(weaken func(downwind.Evidence)) {
	if len(d.beneath) == 0 {
		return
	}
	d.signs = slices.DeleteFunc(d.signs, func(g *sign) bool {
		kit := isPackage(g.Kind) && strings.Contains(g.Match, "instantsearch")
		if kit {
			weaken(g.Evidence)
		}
		return kit
	})
	if len(d.signs) == 0 {
		d.servers = append(d.servers, d.beneath...)
	}
}

// innerServer says whose software a variable such as SUPABASE_URL finds inside the team's own network. Agents and
// collectors stand there too, and hand on to the vendor.
func (j *judge) innerServer(name, host string) (slug, service string) {
	up := strings.ToUpper(name)
	if _, class := cleanHost(host); class != hostInternal || host == "localhost" {
		return "", ""
	}
	for _, word := range []string{"AGENT", "PROXY", "COLLECTOR", "CONNECT", "FORWARD", "WEBHOOK", "CALLBACK", "REDIRECT"} {
		if strings.Contains(up, word) {
			return "", ""
		}
	}
	if !strings.HasSuffix(up, "_URL") && !strings.HasSuffix(up, "_HOST") && !strings.HasSuffix(up, "_ENDPOINT") {
		return "", ""
	}
	if rows, exact := j.variableRows(up); exact && rows[0].Relation == downwind.Hosted {
		return rows[0].Provider, cloudService(rows[0])
	}
	return "", ""
}

// cloudService is the service that one row of a cloud speaks of. Elsewhere a client that points away takes all of the
// provider with it.
func cloudService(row catalog.Signature) string {
	switch row.Provider {
	case "aws", "azure", "google-cloud":
		return row.Service
	}
	return ""
}

// clientOf says whose client a variable such as OPENAI_BASE_URL or S3_ENDPOINT configures.
func (j *judge) clientOf(name string) (slug, service string) {
	up := strings.ToUpper(name)
	if strings.HasSuffix(up, "SENTRY_DSN") {
		return "sentry", ""
	}
	if strings.Contains(up, "S3_ENDPOINT") || up == "AWS_ENDPOINT_URL" || up == "AWS_ENDPOINT" || strings.HasPrefix(up, "AWS_ENDPOINT_URL_") {
		if after, ok := strings.CutPrefix(up, "AWS_ENDPOINT_URL_"); ok && after != "S3" {
			return "aws", awsService(strings.ToLower(after))
		}
		return "aws", "s3"
	}
	rows, exact := j.variableRows(up)
	if exact && len(rows) > 0 && rows[0].Relation == downwind.ClientOnly {
		return rows[0].Provider, cloudService(rows[0])
	}
	for _, suffix := range []string{"_BASE_URL", "_API_BASE_URL", "_API_BASE", "_BASE_URI", "_ENDPOINT_URL", "_ENDPOINT", "_API_URL", "_WS_URL", "_SERVER_URL", "_API_HOST", "_HOST", "_URL", "_DSN"} {
		stem, ok := strings.CutSuffix(up, suffix)
		if !ok {
			continue
		}
		for _, p := range publicPrefixes {
			stem = strings.TrimPrefix(stem, p)
		}
		for _, key := range []string{stem + "_API_KEY", stem + "_API_TOKEN", stem + "_TOKEN"} {
			if rows := j.find("env", key); len(rows) > 0 && !strings.HasSuffix(rows[0].Key, "*") && rows[0].Relation != downwind.TypeOnly {
				return rows[0].Provider, cloudService(rows[0])
			}
		}
		return "", ""
	}
	return "", ""
}

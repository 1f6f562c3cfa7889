package kubernetes

import (
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// named adds a chart by its name.
func named(chart *scan.Node, out *stackparse.Result) {
	if chart.Str() != "" {
		out.Add(stackparse.Fact{Kind: "chart", Name: chart.Str(), Line: chart.Line})
	}
}

// release reads what Argo CD and Flux install: charts by name with the values given inline, and where the source lies.
func release(n *scan.Node, out *stackparse.Result) {
	n.Get("spec", "generators").Walk(func(key string, v *scan.Node) { // of a set: an application for each
		if low := strings.ToLower(key); strings.HasSuffix(low, "region") || strings.HasSuffix(low, "location") {
			out.Setting(stackparse.Setting{Name: key, Value: v.Text, Line: v.Line, Deep: true})
		}
	})
	n.WalkMaps(func(m *scan.Node) {
		named(m.Get("chart"), out)
		if c := m.Get("chart", "spec", "chart"); c != nil {
			named(c, out)
		}
		if u := m.Get("repoURL"); u != nil {
			source(u, m.Get("chart") == nil, out)
		}
		if v := m.Get("values"); v != nil {
			inline(v, out)
		}
		if v := m.Get("valuesObject"); v != nil {
			helmValues(v, out)
		}
		for _, p := range m.Get("parameters").All() {
			if k := p.Get("name"); k.Str() != "" {
				out.Setting(stackparse.Setting{Name: k.Str(), Value: p.Get("value").Str(), Line: k.Line, Deep: true})
			}
		}
	})
}

// source reads where an application's manifests come from. A chart's repository says little of its vendor; a git host is
// asked at every deployment.
func source(u *scan.Node, git bool, out *stackparse.Result) {
	for host, provider := range map[string]string{"github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket"} {
		if git && strings.Contains(u.Str(), host) {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Name: host, Line: u.Line, State: stackparse.Loose})
			return
		}
	}
	out.Value(stackparse.Setting{Name: "source", Line: u.Line}, u.Str(), stackparse.Faint)
}

// helmfile reads a list of releases: their charts, and the values that are set right there.
func helmfile(n *scan.Node, out *stackparse.Result) {
	for _, r := range n.Get("releases").All() {
		if c := r.Get("chart"); c.Str() != "" && !strings.HasPrefix(c.Str(), ".") {
			out.Add(stackparse.Fact{Kind: "chart", Name: c.Str()[strings.LastIndexByte(c.Str(), '/')+1:], Line: c.Line})
		}
		for _, s := range r.Get("set").All() {
			if k, v := s.Get("name"), s.Get("value"); k.Str() != "" {
				key := k.Str()[strings.LastIndexByte(k.Str(), '.')+1:]
				out.Setting(stackparse.Setting{Name: key, Value: v.Str(), Line: k.Line, Deep: !upper.MatchString(key)})
			}
		}
		for _, v := range r.Get("values").All() {
			if v.Kind == scan.Map {
				helmValues(v, out)
			}
		}
	}
}

// inline reads values that stand as a text in another object. Empty lines before it make its lines those of the file.
func inline(v *scan.Node, out *stackparse.Result) {
	if v.Kind == scan.Map {
		helmValues(v, out)
		return
	}
	if !v.Block {
		return
	}
	docs, _ := scan.YAML([]byte(strings.Repeat("\n", v.Line) + v.Str()))
	for _, d := range docs {
		helmValues(d, out)
	}
}

// solvers are the DNS hosts that cert-manager sets its challenges at.
var solvers = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"route53": {"aws", "route53"}, "cloudDNS": {"google-cloud", "cloud-dns"}, "azureDNS": {"azure", "dns"}, "cloudflare": {"cloudflare", "dns"}, "digitalocean": {"digitalocean", "dns"}, "akamai": {"akamai", ""},
	}
})

// issuer reads an issuer of certificates: its server, and whose DNS it answers with.
func issuer(acme *scan.Node, out *stackparse.Result) {
	if s := acme.Get("server"); s != nil {
		out.Value(stackparse.Setting{Name: "server", Line: s.Line}, s.Str(), stackparse.Firm)
	}
	for _, s := range acme.Get("solvers").All() {
		s.Get("dns01").Each(func(k string, line int, v *scan.Node) {
			p, ok := solvers()[k]
			if !ok {
				return
			}
			f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: k, Line: line}
			if k == "route53" {
				f.Regions = []string{"global"}
				if r := v.Get("region").Str(); r != "" {
					f.Regions = append(f.Regions, r)
				}
			}
			out.Add(f)
		})
	}
}

// zones reads whose DNS external-dns writes to, from its own values or those of a chart above it.
func zones(key string, m, v *scan.Node, out *stackparse.Result) {
	at := m.Get("provider")
	if strings.HasPrefix(key, "external") {
		at = v.Get("provider")
	}
	if name := at.Get("name"); name != nil {
		at = name
	}
	dns := solvers()
	p, ok := map[string]product{"aws": dns["route53"], "google": dns["cloudDNS"], "azure": dns["azureDNS"], "cloudflare": dns["cloudflare"], "digitalocean": dns["digitalocean"]}[at.Str()]
	if ok {
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: at.Str(), Line: at.Line})
	}
}

// stores are Velero's plug-ins for object stores and snapshots.
var stores = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"aws": {"aws", "s3"}, "velero.io/aws": {"aws", "s3"}, "gcp": {"google-cloud", "cloud-storage"}, "velero.io/gcp": {"google-cloud", "cloud-storage"}, "azure": {"azure", "blob-storage"}, "velero.io/azure": {"azure", "blob-storage"},
	}
})

// backup reads where Velero keeps backups. A store with an address of its own is that store, not the cloud whose
// protocol it speaks.
func backup(spec *scan.Node, out *stackparse.Result) {
	p, ok := stores()[spec.Get("provider").Str()]
	if !ok {
		return
	}
	if own := spec.Get("config", "s3Url"); own != nil {
		out.Value(stackparse.Setting{Name: "s3Url", Line: own.Line}, own.Str(), stackparse.Firm)
		return
	}
	f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: spec.Get("provider").Str(), Line: spec.Get("provider").Line}
	if r := spec.Get("config", "region").Str(); r != "" {
		f.Regions = []string{r}
	}
	out.Add(f)
}

// ownHosts reads the names under which the team itself is found. Those below a cloud's domain tell the cloud and the
// region; all others are nobody's.
func ownHosts(spec *scan.Node, out *stackparse.Result) {
	spec.Walk(func(key string, v *scan.Node) {
		switch key {
		case "dnsNames", "commonName", "host", "hostname", "hostnames", "hosts":
			h := strings.ToLower(strings.TrimPrefix(v.Str(), "*."))
			if strings.Count(h, ".") >= 2 && !strings.ContainsAny(h, " /:{}<>[]()$%") {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: "domain", Name: h, Line: v.Line, State: stackparse.Loose})
			}
		}
	})
}

// coreGroup reports whether an API group is one of Kubernetes itself; an address in their objects is read where it belongs.
func coreGroup(s string) bool {
	switch s {
	case "apps", "batch", "rbac.authorization.k8s.io", "networking.k8s.io", "apiextensions.k8s.io", "policy", "autoscaling", "storage.k8s.io",
		"admissionregistration.k8s.io", "apiregistration.k8s.io", "coordination.k8s.io", "scheduling.k8s.io", "argoproj.io",
		"helm.toolkit.fluxcd.io", "source.toolkit.fluxcd.io", "gateway.networking.k8s.io",
		"kustomize.toolkit.fluxcd.io", "external-secrets.io", "cert-manager.io", "velero.io":
		return true
	}
	return false
}

// custom says whether an object belongs to an operator, whose settings name the services it talks to.
func custom(api string) bool {
	group, _, ok := strings.Cut(api, "/")
	return ok && !coreGroup(group)
}

// addressKey reports whether operators keep the address of a service under a key.
func addressKey(s string) bool {
	switch s {
	case "url", "endpoint", "server", "address", "addr", "host", "hostname", "remoteurl", "remote_url", "apiurl", "api_url", "baseurl",
		"bootstrapservers", "queueurl", "serviceurl", "brokers", "dsn", "site", "hosts":
		return true
	}
	return false
}

// addresses takes in the addresses and places in the settings of an operator's object; places only
// where they are asked for.
func addresses(spec *scan.Node, api string, places bool, out *stackparse.Result) {
	group, _, _ := strings.Cut(api, "/")
	spec.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, _ int, v *scan.Node) {
			low := strings.ToLower(k)
			placed := places && (strings.HasSuffix(low, "region") || strings.HasSuffix(low, "regionname") || strings.HasSuffix(low, "location") || low == "zone" || low == "zones")
			if !addressKey(low) && !placed {
				return
			}
			for _, x := range v.All() {
				switch {
				case x.Kind != scan.String:
				case placed:
					out.Setting(stackparse.Setting{Name: k, In: group, Value: x.Str(), Line: x.Line, Deep: true})
				default:
					out.Value(stackparse.Setting{Name: k, Line: x.Line, Deep: true}, x.Str(), stackparse.Firm)
				}
			}
		})
	})
}

// arguments reads the command line of a container: addresses and identifiers in flags.
func arguments(m *scan.Node, out *stackparse.Result) {
	if m.Get("image") == nil && m.Get("name") == nil {
		return
	}
	for _, key := range []string{"args", "command"} {
		before := ""
		for _, a := range m.Get(key).All() {
			if a.Kind != scan.String || strings.ContainsAny(a.Str(), "\n ") {
				continue
			}
			flag, value, ok := strings.Cut(a.Str(), "=")
			switch {
			case ok:
				before = ""
			case strings.HasPrefix(flag, "-"):
				before = flag
				continue
			case before != "": // "--region", "eu-west-1"
				flag, value, before = before, a.Str(), ""
			default:
				flag, value = key, a.Str()
			}
			out.Setting(stackparse.Setting{Name: strings.TrimLeft(flag, "-"), Value: value, Line: a.Line, Deep: true})
		}
	}
}

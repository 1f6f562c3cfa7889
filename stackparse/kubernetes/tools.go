package kubernetes

import (
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/sinks"
)

// tools reads the settings of tools that watch, ship logs or put out releases, and says whether there were any.
func tools(n *scan.Node, out *stackparse.Result) bool {
	before := len(out.Facts)
	for _, s := range n.Get("datasources").All() {
		sink(s.Get("type"), s, sinks.Grafana(), out)
	}
	for _, group := range [...]string{"sinks", "sources"} {
		n.Get(group).Each(func(_ string, _ int, s *scan.Node) { sink(s.Get("type"), s, sinks.Vector(), out) })
	}
	for _, b := range n.Get("blobs").All() {
		if b.Get("endpoint") == nil {
			sink(b.Get("provider"), b, sinks.Blobs(), out)
		}
	}
	if n.Get("available_node_types") != nil { // of Ray
		sink(n.Get("provider", "type"), n.Get("provider"), sinks.Machines(), out)
	}
	if n.Get("scrape_configs") != nil || n.Get("remote_write") != nil {
		prometheus(n, out)
	}
	return len(out.Facts) > before
}

// sink adds the vendor that a kind names, with the place that its settings tell.
func sink(kind, settings *scan.Node, known map[string]sinks.Sink, out *stackparse.Result) {
	s, ok := known[kind.Str()]
	if !ok {
		return
	}
	f := stackparse.Fact{Kind: stackparse.KindUse, Provider: s.Provider, Service: s.Service, Name: kind.Str(), Line: kind.Line}
	if settings.Get("endpoint") != nil && s.Provider == "aws" {
		return // another store that speaks its protocol
	}
	settings.Walk(func(key string, v *scan.Node) {
		switch low := strings.ToLower(key); {
		case strings.HasSuffix(low, "region"), low == "site", low == "location":
			f.Regions = append(f.Regions, v.Text)
		case low == "url" || low == "host" || low == "uri":
			out.Value(stackparse.Setting{Name: key, Line: v.Line, Deep: true}, v.Text, stackparse.Firm)
		}
	})
	out.Add(f)
}

// prometheus reads where Prometheus finds machines, and where it writes to.
func prometheus(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			if s, ok := sinks.Discovery()[k]; ok {
				f := stackparse.Fact{Kind: stackparse.KindUse, Provider: s.Provider, Service: s.Service, Name: k, Line: line}
				for _, c := range v.All() {
					for _, key := range [...]string{"region", "zone"} {
						if r := c.Get(key).Str(); r != "" {
							f.Regions = append(f.Regions, r)
						}
					}
				}
				out.Add(f)
			}
		})
	})
	for _, w := range append(n.Get("remote_write").All(), n.Get("remote_read").All()...) {
		if u := w.Get("url"); u != nil {
			out.Value(stackparse.Setting{Name: "url", Line: u.Line, Deep: true}, u.Str(), stackparse.Firm)
		}
		if r := w.Get("sigv4", "region"); r.Str() != "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: "region", Line: r.Line, Regions: []string{r.Str()}})
		}
	}
}

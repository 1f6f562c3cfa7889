package platform

import (
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// expo reads what an Expo app is built with: its plug-ins with the addresses that they are given, and the key for maps.
func expo(app *scan.Node, out *stackparse.Result) {
	for _, p := range app.Get("plugins").All() {
		name, options := p, (*scan.Node)(nil)
		if p.Kind == scan.List && len(p.Items) > 1 {
			name, options = p.Items[0], p.Items[1]
		}
		if name.Str() != "" && !strings.HasPrefix(name.Str(), ".") {
			pkg := strings.TrimSuffix(name.Str(), "/expo")
			out.Add(stackparse.Fact{Kind: "npm", Name: pkg, Show: name.Str(), Line: name.Line})
		}
		options.Walk(func(key string, v *scan.Node) {
			out.Value(stackparse.Setting{Name: key, Line: v.Line, Deep: true}, v.Text, stackparse.Firm)
		})
	}
	for _, at := range [...]*scan.Node{app.Get("ios", "config", "googleMapsApiKey"), app.Get("android", "config", "googleMaps", "apiKey")} {
		if at.Str() != "" {
			show := "googleMapsApiKey"
			if at == app.Get("android", "config", "googleMaps", "apiKey") {
				show = "apiKey"
			}
			use(out, "google-maps", "", show, at.Line)
			out.Dropped++
		}
	}
}

// koyeb reads the regions of services on Koyeb.
func koyeb(n *scan.Node, out *stackparse.Result) {
	variablesOnly(n, out)
	n.WalkMaps(func(m *scan.Node) { region(out, "koyeb", "regions", m.Get("regions")) })
}

// dataConnect reads a service of Firebase Data Connect, which keeps its data in a database of Cloud SQL.
func dataConnect(n *scan.Node, out *stackparse.Result) {
	id := n.Get("serviceId")
	if id == nil {
		out.Kind = stackparse.Unread
		return
	}
	use(out, "firebase", "data-connect", "serviceId", id.Line)
	region(out, "firebase", "location", n.Get("location"))
}

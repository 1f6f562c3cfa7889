package kubernetes

import (
	"slices"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// storage reads the services of Rails' Active Storage that are kept as S3 does: one with an endpoint is another store than
// Amazon's, unless one without shows that this is used as well.
func storage(n *scan.Node, out *stackparse.Result) {
	plain, regions := false, map[int]bool{} // lines that tell the region of another store
	n.WalkMaps(func(m *scan.Node) {
		service := m.Get("service")
		if !strings.EqualFold(service.Str(), "s3") {
			return
		}
		if e := m.Get("endpoint"); e != nil && !strings.Contains(e.Str(), ".amazonaws.com") {
			out.Store(e.Str(), e.Line, stackparse.Firm, false)
			if r := m.Get("region"); r != nil {
				regions[r.Line] = true
			}
		} else if e != nil || m.Get("bucket") != nil {
			plain = true
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindPlain, Provider: "aws", Service: "s3", Name: service.Str(), Line: service.Line})
		}
	})
	if plain { // else nobody takes the region for one of Amazon's
		out.Facts = slices.DeleteFunc(out.Facts, func(f stackparse.Fact) bool { return f.Kind == stackparse.KindRegion && regions[f.Line] })
	}
}

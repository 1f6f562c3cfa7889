package kubernetes

import (
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/tfname"
)

// makers are operators whose objects each stand for a resource of a cloud: how their API groups end, with what comes before
// it for the module, and the name of the resource.
var makers = []struct {
	end  string
	name func(module, kind string) string
}{
	{".aws.upbound.io", tfname.AWS},
	{".aws.m.upbound.io", tfname.AWS},
	{".aws.crossplane.io", tfname.AWS},
	{".services.k8s.aws", tfname.AWS},
	{".gcp.upbound.io", tfname.Google},
	{".gcp.m.upbound.io", tfname.Google},
	{".gcp.crossplane.io", tfname.Google},
	{".cnrm.cloud.google.com", tfname.Google},
	{".azure.upbound.io", tfname.Azure},
	{".azure.m.upbound.io", tfname.Azure},
	{".azure.crossplane.io", tfname.Azure},
	{".azure.com", tfname.Azure},
}

// managed reads an object that stands for a resource of a cloud, with its place, and says whether this is one.
func managed(n *scan.Node, group string, out *stackparse.Result) bool {
	for _, m := range makers {
		module, ok := strings.CutSuffix(group, m.end)
		if !ok {
			continue
		}
		kind := n.Get("kind")
		f := stackparse.Fact{Kind: "tf_resource", As: "k8s", Name: m.name(module, kind.Str()), Show: kind.Str(), Line: kind.Line}
		for _, at := range [...]*scan.Node{n.Get("spec", "forProvider"), n.Get("spec", "initProvider"), n.Get("spec")} {
			for _, key := range [...]string{"region", "location", "zone"} {
				if r := at.Get(key).Str(); r != "" && f.Regions == nil {
					f.Regions = []string{r}
				}
			}
		}
		if r := n.Get("metadata", "annotations", "services.k8s.aws/region").Str(); r != "" && f.Regions == nil {
			f.Regions = []string{r}
		}
		out.Add(f)
		return true
	}
	return false
}

// cluster reads the cluster that eksctl sets up.
func cluster(n *scan.Node, api string, out *stackparse.Result) {
	at := n.Get("metadata", "region")
	if !strings.HasPrefix(api, "eksctl.io/") || at.Str() == "" {
		return
	}
	out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: "eks", Name: at.Str(), Line: at.Line, Regions: []string{at.Str()}})
}

// target reads where Cloud Deploy puts a release out: "projects/acme/locations/us-east5".
func target(n *scan.Node, out *stackparse.Result) {
	for _, at := range [...]*scan.Node{n.Get("run", "location"), n.Get("gke", "cluster")} {
		_, rest, ok := strings.Cut(at.Str(), "/locations/")
		if !ok {
			continue
		}
		place, _, _ := strings.Cut(rest, "/")
		service := "cloud-run"
		if strings.Contains(rest, "/clusters/") {
			service = "gke"
		}
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "google-cloud", Service: service, Name: "locations/" + place, Line: at.Line, Regions: []string{place}})
	}
}

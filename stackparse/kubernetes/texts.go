package kubernetes

import (
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

var (
	// entry is a line of a text that sets something, in the ways of properties, YAML, TOML and JSON.
	entry = pattern.New(`^(?:-\s+)?["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*["']?([^"',;\s{\[][^"',;]*)["']?[,;]?$`)
	// addressText is an address among other words.
	addressText = pattern.New(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>;,]+`)
	// longestLine bounds the lines of a text that are looked at.
	longestLine = 2048
)

// text reads a whole file that stands as a value, whatever it is: what its lines set, and the addresses in them. Line
// numbers count where the text is a literal block.
func text(name string, v *scan.Node, out *stackparse.Result) {
	at := v.Line
	for line := range strings.Lines(v.Str()) {
		if v.Block {
			at++
		}
		t := strings.TrimSpace(line)
		if len(t) < 4 || len(t) > longestLine || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") || t[0] == ';' || strings.HasPrefix(t, "--") {
			continue
		}
		if m := entry.FindStringSubmatch(t); m != nil {
			out.Setting(stackparse.Setting{Name: m[1], Value: strings.TrimSpace(m[2]), Line: at, Deep: !upper.MatchString(m[1])})
			continue
		}
		for _, address := range addressText.FindAllString(t, 8) {
			out.Value(stackparse.Setting{Name: name, Line: at, Deep: true}, address, stackparse.Loose)
		}
	}
}

// topologyKey reports whether a label says where a node is.
func topologyKey(s string) bool {
	switch s {
	case "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/zone",
		"failure-domain.beta.kubernetes.io/zone", "topology.gke.io/zone", "topology.ebs.csi.aws.com/zone", "topology.disk.csi.azure.com/zone":
		return true
	}
	return false
}

// terms reads the places among which nodes are chosen: "{key: topology.kubernetes.io/zone, operator: In, values: […]}".
func terms(m *scan.Node, out *stackparse.Result) {
	k := m.Get("key")
	if !topologyKey(k.Str()) || m.Get("operator").Str() == "NotIn" {
		return
	}
	for _, v := range m.Get("values").All() {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Name: "region", Show: v.Str(), Regions: []string{v.Str()}, Line: v.Line})
	}
}

// machines maps the beginnings of the kinds of Cluster API to whose machines they make.
var machines = []struct {
	begin string
	product
}{
	{"AWSManaged", product{"aws", "eks"}},
	{"AWS", product{"aws", "ec2"}},
	{"GCPManaged", product{"google-cloud", "gke"}},
	{"GCP", product{"google-cloud", "compute-engine"}},
	{"AzureManaged", product{"azure", "aks"}},
	{"AzureASOManaged", product{"azure", "aks"}},
	{"Azure", product{"azure", "virtual-machines"}},
	{"DOCluster", product{"digitalocean", "droplets"}},
	{"DOMachine", product{"digitalocean", "droplets"}},
	{"HCloud", product{"hetzner", ""}},
	{"Hetzner", product{"hetzner", ""}},
	{"Linode", product{"linode", ""}},
	{"VultrCluster", product{"vultr", ""}},
	{"IBMVPC", product{"ibm-cloud", ""}},
	{"OCI", product{"oracle-cloud", ""}},
}

// clusterAPI reads the objects of Cluster API, which make clusters of a cloud's machines, and says whether this is one.
func clusterAPI(n *scan.Node, group string, out *stackparse.Result) bool {
	if group == "kops.k8s.io" {
		return kops(n, out)
	}
	if !strings.HasSuffix(group, ".cluster.x-k8s.io") {
		return false
	}
	kind := n.Get("kind")
	for _, m := range machines {
		if !strings.HasPrefix(kind.Str(), m.begin) {
			continue
		}
		f := stackparse.Fact{Kind: stackparse.KindUse, Provider: m.provider, Service: m.service, Name: kind.Str(), Line: kind.Line}
		for _, key := range [...]string{"region", "location"} {
			if r := n.Get("spec", key).Str(); r != "" {
				f.Regions = append(f.Regions, r)
			}
		}
		out.Add(f)
		return true
	}
	return false
}

// kops reads a cluster that kops sets up: whose machines it is made of. Its places are those of its networks.
func kops(n *scan.Node, out *stackparse.Result) bool {
	at := n.Get("spec", "cloudProvider")
	name := at.Str()
	at.Each(func(k string, _ int, _ *scan.Node) { name = k })
	if p := map[string]product{"aws": {"aws", "ec2"}, "gce": {"google-cloud", "compute-engine"}, "azure": {"azure", "virtual-machines"}, "digitalocean": {"digitalocean", "droplets"}, "hetzner": {"hetzner", ""}}[name]; p.provider != "" {
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: name, Line: at.Line})
	}
	return false
}

// vaults are the stores that the CSI driver for secrets mounts from, by its own names.
var vaults = sync.OnceValue(func() map[string]product {
	return map[string]product{"aws": {"aws", "secrets-manager"}, "azure": {"azure", "key-vault"}, "gcp": {"google-cloud", "secret-manager"}, "vault": {}}
})

// mounted reads from whose store the CSI driver mounts secrets.
func mounted(spec *scan.Node, out *stackparse.Result) {
	at := spec.Get("provider")
	if p := vaults()[at.Str()]; p.provider != "" {
		f := stackparse.Fact{Kind: stackparse.KindUse, Provider: p.provider, Service: p.service, Name: at.Str(), Line: at.Line}
		if r := spec.Get("parameters", "region").Str(); r != "" {
			f.Regions = []string{r}
		}
		out.Add(f)
	}
}

// kustomization reads what Kustomize lays over objects: charts, names of images, and the maps and secrets that it makes.
func kustomization(n *scan.Node, out *stackparse.Result) {
	for _, c := range n.Get("helmCharts").All() {
		named(c.Get("name"), out)
	}
	for _, group := range [...]string{"configMapGenerator", "secretGenerator"} {
		generated(n.Get(group), group == "secretGenerator", out)
	}
	for _, i := range n.Get("images").All() {
		if v := i.Get("newName"); v.Str() != "" {
			out.Add(stackparse.Fact{Kind: "image", Name: v.Str(), Line: v.Line})
		}
	}
}

// generated reads the variables that Kustomize makes maps and secrets of: "NAME=value".
func generated(list *scan.Node, secret bool, out *stackparse.Result) {
	for _, g := range list.All() {
		for _, l := range g.Get("literals").All() {
			if k, v, ok := strings.Cut(l.Str(), "="); ok {
				out.Setting(stackparse.Setting{Name: k, Value: v, Line: l.Line, Secret: secret, Deep: !upper.MatchString(k)})
			}
		}
	}
}

package terraform

import (
	"bytes"
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// State implements stackparse.Parser for states and plans.
type State struct{}

// Name returns "tfstate".
func (State) Name() string { return "tfstate" }

// Claims takes states ("*.tfstate", also backups) and plans written by "terraform show -json".
func (State) Claims(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".tfstate") || strings.HasSuffix(base, ".tfstate.json") || strings.HasSuffix(base, ".tfstate.backup") ||
		strings.HasSuffix(base, ".json") && stateWord.MatchString(base)
}

// stateWord are words in names of states and plans that were written to a JSON file; the content decides.
var stateWord = pattern.New(`(?i)(?:^|[-_.])(?:tf)?(?:state|plan)(?:[-_.]|$)|tfstate|tfplan`)

// Sniffs knows states and plans by the keys that Terraform writes first.
func (State) Sniffs(head []byte) bool {
	return bytes.Contains(head, []byte(`"terraform_version"`)) && (bytes.Contains(head, []byte(`"version"`)) || bytes.Contains(head, []byte(`"format_version"`)))
}

// Streams takes all: states of large teams are large.
func (State) Streams(string) bool { return true }

// Parse reads one file value by value; attributes are looked at and dropped.
func (State) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	s := in.Stream()
	known := false
	s.Object(func(key string, _ int) {
		switch key {
		case "resources":
			known = true
			s.Array(func() { instance(s.Node(), out) })
		case "modules":
			known = true
			s.Array(func() { legacy(s.Node(), out) })
		case "planned_values", "prior_state", "values":
			known = true
			planned(s.Node(), out, 0)
		case "terraform_version", "lineage", "format_version":
			known = true
		case "configuration":
			configuration(s.Node(), out)
		case "backend":
			b := s.Node()
			if t := b.Get("type"); t != nil {
				regions := []string(nil)
				if r := b.Get("config", "region").Str(); r != "" {
					regions = []string{r}
				}
				backend(t.Str(), regions, t.Line, t.Str(), out)
			}
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
	if !known && s.Problem == nil {
		out.Kind = stackparse.Unread
	}
}

// stateSource takes the provider's address out of provider["registry.terraform.io/hashicorp/aws"].alias, or the name
// out of the older "provider.aws".
func stateSource(ref string) string {
	if _, after, ok := strings.Cut(ref, `["`); ok {
		ref, _, _ = strings.Cut(after, `"]`)
	} else if i := strings.LastIndex(ref, "provider."); i >= 0 {
		ref, _, _ = strings.Cut(ref[i+len("provider."):], ".")
	}
	if ref == "" {
		return ""
	}
	short, _ := address(ref)
	return short
}

func instance(n *scan.Node, out *stackparse.Result) {
	kind := n.Get("type")
	if kind.Str() == "" {
		return
	}
	if n.Get("mode").Str() == "data" && aside.MatchString(kind.Str()) {
		return
	}
	f := stackparse.Fact{Kind: "tf_resource", Name: kind.Str(), Line: kind.Line, Source: stateSource(n.Get("provider").Str())}
	if n.Get("mode").Str() == "data" {
		f.State = stackparse.Loose
	}
	for i, inst := range n.Get("instances").All() {
		if i >= 200 {
			break
		}
		f.Regions = append(f.Regions, attributes(inst.Get("attributes"), out)...)
		f.Regions = append(f.Regions, attributes(inst.Get("attributes_flat"), out)...)
	}
	f.Regions = unique(f.Regions)
	out.Add(f)
}

func unique(list []string) []string {
	seen := map[string]bool{}
	out := list[:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// attributes returns the regions that attributes tell, and adds the hosts among them.
func attributes(n *scan.Node, out *stackparse.Result) []string {
	if n == nil {
		return nil
	}
	var regions []string
	for _, name := range []string{"region", "location", "zone", "availability_zone", "region_name", "serverless_function_region"} {
		if v := n.Get(name).Str(); v != "" && len(v) < 40 {
			regions = append(regions, v)
		}
	}
	for _, name := range []string{"arn", "id"} {
		if p := strings.Split(n.Get(name).Str(), ":"); len(regions) == 0 && len(p) > 5 && p[0] == "arn" {
			if p[3] != "" {
				regions = append(regions, p[3])
			}
		}
	}
	n.Walk(func(key string, v *scan.Node) {
		if v.Kind != scan.String || len(v.Text) > 512 || !strings.Contains(v.Text, ".") || prose(key) || strings.Contains(key, "policy") ||
			strings.Contains(key, "password") || strings.Contains(key, "secret") || key == "Service" || strings.Contains(v.Text, "arn:") || principal.MatchString(v.Text) {
			return
		}
		out.Value(stackparse.Setting{Name: "attribute", Line: v.Line}, v.Text, stackparse.Firm)
	})
	return regions
}

// legacy reads a module of a version 3 state.
func legacy(n *scan.Node, out *stackparse.Result) {
	n.Get("resources").Each(func(key string, line int, v *scan.Node) {
		kind := v.Get("type").Str()
		if kind == "" {
			kind, _, _ = strings.Cut(strings.TrimPrefix(key, "data."), ".")
		}
		data := strings.HasPrefix(key, "data.")
		if data && aside.MatchString(kind) {
			return
		}
		f := stackparse.Fact{Kind: "tf_resource", Name: kind, Line: line, Source: stateSource(v.Get("provider").Str()), Regions: attributes(v.Get("primary", "attributes"), out)}
		if data {
			f.State = stackparse.Loose
		}
		out.Add(f)
	})
}

// planned reads the values of a plan, module by module.
func planned(n *scan.Node, out *stackparse.Result, depth int) {
	if n == nil || depth > 30 {
		return
	}
	if v := n.Get("values"); v != nil {
		planned(v, out, depth+1)
	}
	root := n
	if r := n.Get("root_module"); r != nil {
		root = r
	}
	for _, r := range root.Get("resources").All() {
		kind := r.Get("type")
		if kind.Str() == "" || r.Get("mode").Str() == "data" && aside.MatchString(kind.Str()) {
			continue
		}
		source, _ := address(r.Get("provider_name").Str())
		if r.Get("provider_name").Str() == "" {
			source = ""
		}
		out.Add(stackparse.Fact{Kind: "tf_resource", Name: kind.Str(), Line: kind.Line, Source: source, Regions: unique(attributes(r.Get("values"), out))})
	}
	for _, m := range root.Get("child_modules").All() {
		planned(m, out, depth+1)
	}
}

// configuration reads the provider configurations of a plan, whose region is often constant there.
func configuration(n *scan.Node, out *stackparse.Result) {
	n.Get("provider_config").Each(func(key string, line int, v *scan.Node) {
		source, _ := address(v.Get("full_name").Str())
		if v.Get("full_name").Str() == "" {
			source = "hashicorp/" + v.Get("name").Str()
		}
		f := stackparse.Fact{Kind: "tf_provider", Name: source, Show: key, Line: line, State: stackparse.Loose}
		if r := v.Get("expressions", "region", "constant_value").Str(); r != "" {
			f.Regions = []string{r}
		}
		out.Add(f)
	})
}

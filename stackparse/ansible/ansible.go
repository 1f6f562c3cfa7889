// Package ansible reads plays, tasks and inventories of Ansible, of which the modules name the vendor, and images that
// Packer describes as JSON.
package ansible

import (
	"bytes"
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/packer"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser. It comes before the reader of YAML of any kind.
type Parser struct{}

// Name returns "ansible".
func (Parser) Name() string { return "ansible" }

// Claims takes YAML, of which Parse leaves what is none of Ansible's, and Packer's files by name.
func (Parser) Claims(p string) bool {
	return (strings.HasSuffix(p, ".yml") || strings.HasSuffix(p, ".yaml")) && !strings.Contains(p, "ISSUE_TEMPLATE/") || packerName.MatchString(path.Base(p))
}

// Sniffs knows images that Packer describes.
func (Parser) Sniffs(head []byte) bool {
	return bytes.Contains(head, []byte(`"builders"`)) && bytes.Contains(head, []byte(`"type"`))
}

// packerName is a file of Packer, by its name.
var packerName = pattern.New(`^packer(?:[-_.].*)?\.json$|\.pkr\.json$`)

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	if strings.HasSuffix(in.Path, ".json") {
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		images(n, out)
		return
	}
	if !promising(in) {
		out.Kind = stackparse.Unread
		return
	}
	docs, probs := scan.YAML(in.Data)
	r := reader{out: out, plain: tasks(in.Path)}
	for _, d := range docs {
		if d.Kind == scan.Map {
			r.inventory(d)
			continue
		}
		r.plain = r.plain || play(d)
		if d.Kind == scan.List {
			r.list(d)
		}
	}
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
		return
	}
	out.Problems(probs)
}

// marks are words of which one stands in every file that names a module of a cloud.
var marks = [...]string{"aws", "ec2", "s3", "gcp_", "gc_", "azure_rm", "azcollection", "digital", "hcloud", "linode", "vultr", "scaleway", "cloudflare", "community.", "route53", "lambda", "rds", "ecs_", "plugin:", "slack", "datadog", "pagerduty"}

// promising says whether a file may be Ansible's: a list, or an inventory.
func promising(in stackparse.Input) bool {
	text := in.Data
	list := bytes.HasPrefix(text, []byte("- ")) || bytes.Contains(text, []byte("\n- "))
	if !list && !bytes.HasPrefix(text, []byte("plugin:")) && !bytes.Contains(text, []byte("\nplugin:")) {
		return false
	}
	for _, m := range marks {
		if bytes.Contains(text, []byte(m)) {
			return true
		}
	}
	return false
}

// tasks says whether a path is that of tasks, where modules may go by their old names.
func tasks(p string) bool {
	dir := path.Base(path.Dir(p))
	return dir == "tasks" || dir == "handlers"
}

// play says whether a document is a list of plays.
func play(n *scan.Node) bool {
	for _, x := range n.All() {
		if x.Get("hosts") != nil && (x.Get("tasks") != nil || x.Get("roles") != nil || x.Get("vars") != nil || x.Get("pre_tasks") != nil) {
			return true
		}
	}
	return false
}

type reader struct {
	out *stackparse.Result
	// plain says that modules may go by their old names, without a collection.
	plain bool
	// vars are the variables of the file that stand for a text.
	vars map[string]string
}

// list reads plays or tasks.
func (r *reader) list(n *scan.Node) {
	r.vars = map[string]string{}
	n.WalkMaps(func(m *scan.Node) {
		for _, group := range [...]string{"vars", "set_fact", "ansible.builtin.set_fact"} {
			m.Get(group).Each(func(k string, line int, v *scan.Node) {
				if v.Str() != "" {
					r.vars[k] = v.Str()
					r.out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line, Deep: true})
				}
			})
		}
		m.Get("environment").Each(func(k string, line int, v *scan.Node) {
			r.out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line})
		})
	})
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			if strings.HasPrefix(k, "group/") { // defaults of all modules of a collection
				r.group(strings.TrimPrefix(k, "group/"), v)
				return
			}
			r.module(k, line, v)
		})
	})
}

// module adds what a task's module shows.
func (r *reader) module(name string, line int, args *scan.Node) {
	f, ok := r.known(name)
	if !ok || args.Kind != scan.Map && args.Kind != scan.String && args.Kind != scan.Null {
		return
	}
	f.Line, f.Show = line, name
	for _, key := range placeKeys {
		for _, at := range args.Get(key).All() {
			if text := r.text(at.Str()); text != "" {
				f.Regions = append(f.Regions, text)
			}
		}
	}
	r.out.Add(f)
}

// placeKeys are the settings of modules that say where.
var placeKeys = [...]string{"region", "aws_region", "ec2_region", "location", "zone", "regions", "zones", "datacenter", "target_region", "destination_region"}

// text is what a value stands for: itself, or the variable of this file that it names; "" where that is not known.
func (r *reader) text(v string) string {
	if !strings.Contains(v, "{{") {
		return v
	}
	if m := variable.FindStringSubmatch(v); m != nil {
		return r.vars[m[1]]
	}
	return ""
}

var variable = pattern.New(`^\s*\{\{\s*(\w+)\s*\}\}\s*$`)

// group reads the defaults of a collection's modules.
func (r *reader) group(name string, v *scan.Node) {
	provider := map[string]string{"aws": "aws", "amazon.aws.aws": "aws", "gcp": "google-cloud", "google.cloud.gcp": "google-cloud", "azure": "azure", "azure.azcollection.azure": "azure", "hetzner.hcloud.all": "hetzner"}[name]
	for _, key := range placeKeys {
		if at := v.Get(key); provider != "" && r.text(at.Str()) != "" {
			r.out.Facts = append(r.out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: key, Line: at.Line, Regions: []string{r.text(at.Str())}})
		}
	}
}

// inventory reads a list of machines that a plug-in asks a cloud for.
func (r *reader) inventory(n *scan.Node) {
	name := n.Get("plugin")
	if name.Str() == "" {
		return
	}
	r.plain, r.vars = true, map[string]string{}
	r.module(name.Str(), name.Line, n)
	if len(r.out.Facts) > 0 {
		r.out.Facts[0].Show = name.Str()
	}
}

// images reads what Packer makes images with.
func images(n *scan.Node, out *stackparse.Result) {
	out.Kind = "packer"
	vars := n.Get("variables")
	for _, b := range n.Get("builders").All() {
		kind := b.Get("type")
		provider, service := packer.Builder(kind.Str())
		if provider == "" {
			continue
		}
		f := stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: service, Name: kind.Str(), Line: kind.Line}
		for _, key := range packer.Places {
			for _, at := range b.Get(key).All() {
				text := at.Str()
				if m := userVariable.FindStringSubmatch(text); m != nil {
					text = vars.Get(m[1]).Str()
				}
				if text != "" && !strings.Contains(text, "{{") {
					f.Regions = append(f.Regions, text)
				}
			}
		}
		out.Add(f)
	}
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}

// userVariable names a variable of Packer's.
var userVariable = pattern.New("^\\{\\{\\s*user\\s+[`\"](\\w+)[`\"]\\s*\\}\\}$")

package terraform

import (
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"downwind/internal/pattern"
	"downwind/stackparse"
)

// gruntName reports whether a file is one of Terragrunt: a unit, or what units read from the folders above.
func gruntName(s string) bool {
	switch s {
	case "terragrunt.hcl", "root.hcl", "region.hcl", "env.hcl", "account.hcl", "common.hcl", "terragrunt.stack.hcl":
		return true
	}
	return false
}

func terragruntFile(p string) bool {
	return gruntName(path.Base(p)) || path.Base(path.Dir(p)) == "_envcommon" && strings.HasSuffix(p, ".hcl")
}

type gruntFile struct {
	path string
	body hclBody
}

// generated is a provider in the text of a file that Terragrunt writes.
var generated = pattern.New(`^\s*provider\s+"([a-z0-9_-]+)"`)

// generatedRegion is a region in such a text.
var generatedRegion = pattern.New(`^\s*region\s*=\s*"([a-z0-9-]+)"`)

// terragrunt takes in a file: the regions it sets for its folder and those below, the providers it generates, and the
// store of the state. Its modules wait until all files are known.
func (t *tree) terragrunt(f *hclsyntax.Body, in stackparse.Input, out *stackparse.Result) {
	if f == nil {
		return
	}
	out.Kind = "terragrunt"
	b := hclBody{f, in.Data}
	t.grunt = append(t.grunt, gruntFile{in.Path, b})
	isRegion := func(name string) bool { return strings.HasSuffix(name, "region") }
	b.pairs(isRegion, func(name, value string, line int, _ bool) {
		if isRegion(name) && value != "" {
			out.Setting(stackparse.Setting{Name: name, Value: value, Line: line})
			t.regions[path.Dir(in.Path)] = value
		}
	})
	b.inner(func(name string, _ []string, _ int, inner body) {
		switch name {
		case "generate":
			inner.strings(func(_, text string, line int) {
				if m := generatedRegion.FindStringSubmatch(text); m != nil {
					out.Setting(stackparse.Setting{Name: "region", Value: m[1], Line: line, Deep: true})
					t.regions[path.Dir(in.Path)] = m[1]
				}
				if m := generated.FindStringSubmatch(text); m != nil {
					out.Add(stackparse.Fact{Kind: "tf_provider", Name: "hashicorp/" + m[1], Show: m[1], Line: line})
				}
			})
		case "remote_state":
			inner.strings(func(key, text string, line int) {
				if key == "backend" {
					backend(text, nil, line, key, out)
				}
			})
		}
	})
}

// units reads the modules of Terragrunt's files, each with the region of the nearest folder that sets one.
func (t *tree) units() {
	for _, g := range t.grunt {
		dir := path.Dir(g.path)
		var regions []string
		if r := t.nearest(dir); r != "" {
			regions = []string{r}
		}
		g.body.inner(func(name string, _ []string, _ int, inner body) {
			v, line, ok := inner.attr("source", nil)
			if name != "terraform" || !ok || !isString(v) {
				return
			}
			source := v.AsString()
			if m := t.dirs[path.Join(dir, strings.Replace(source, "//", "/", 1))]; m != nil && strings.HasPrefix(source, ".") {
				t.run(m, nil, regionsOf{"aws": regions, "google": regions, "azurerm": regions}, 1)
				return
			}
			registryModule(source, line, t.out(g.path), func(string) []string { return regions })
		})
	}
}

// nearest is the region that a folder, or the closest above it, sets.
func (t *tree) nearest(dir string) string {
	for {
		if r := t.regions[dir]; r != "" {
			return r
		}
		if dir == "." || dir == "/" {
			return ""
		}
		dir = path.Dir(dir)
	}
}

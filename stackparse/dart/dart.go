// Package dart reads pubspec.yaml and pubspec.lock.
package dart

import (
	"context"
	"path"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "pub".
func (Parser) Name() string { return "pub" }

// Claims takes pubspec.yaml and pubspec.lock.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "pubspec.yaml" || base == "pubspec.lock" || base == "pubspec.yml"
}

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	docs, probs := scan.YAML(in.Data)
	out.Problems(probs)
	for _, n := range docs {
		if base == "pubspec.lock" {
			lock(in, n, out)
			continue
		}
		group(n.Get("dependencies"), stackparse.Fact{}, out)
		group(n.Get("dev_dependencies"), stackparse.Fact{Dev: true}, out)
		group(n.Get("dependency_overrides"), stackparse.Fact{State: stackparse.Faint}, out)
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "pub-dev", Name: base})
	}
}

func group(n *scan.Node, base stackparse.Fact, out *stackparse.Result) {
	n.Each(func(name string, line int, v *scan.Node) {
		if v.Get("sdk") != nil || v.Get("path") != nil {
			out.Dependencies++
			return
		}
		f := base
		f.Kind, f.Name, f.Line, f.Version = "pub", name, line, v.Str()
		if ver := v.Get("version"); ver != nil {
			f.Version = ver.Str()
		}
		out.Add(f)
	})
}

func lock(in stackparse.Input, n *scan.Node, out *stackparse.Result) {
	beside := in.Beside("pubspec.yaml")
	n.Get("packages").Each(func(name string, line int, v *scan.Node) {
		kind := v.Get("dependency").Str()
		f := stackparse.Fact{Kind: "pub", Name: name, Line: line, Version: v.Get("version").Str()}
		f.Dev = kind == "direct dev"
		f.Transitive = beside || kind == "transitive" || strings.Contains(kind, "overridden")
		out.Add(f)
	})
}

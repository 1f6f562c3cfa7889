// Package dotnet reads NuGet's manifests: project files, packages.config, packages.lock.json and
// Directory.Packages.props, paket.dependencies, and appsettings*.json.
package dotnet

import (
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "nuget".
func (Parser) Name() string { return "nuget" }

// Claims takes the manifests of .NET.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	for _, s := range []string{".csproj", ".fsproj", ".vbproj"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	switch base {
	case "packages.config", "packages.lock.json", "Directory.Packages.props", "Directory.Build.props", "Directory.Build.targets", "paket.dependencies":
		return true
	}
	return false
}

// Streams takes packages.lock.json.
func (Parser) Streams(p string) bool { return path.Base(p) == "packages.lock.json" }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	switch base {
	case "packages.config":
		n, probs := scan.XML(in.Data)
		out.Problems(probs)
		for p := range n.Get("packages").Values("package") {
			out.Add(stackparse.Fact{Kind: "nuget", Name: p.Get("@id").Str(), Version: p.Get("@version").Str(), Line: p.Line, Dev: p.Get("@developmentDependency").Str() == "true"})
		}
	case "packages.lock.json":
		lock(in, out)
	case "paket.dependencies":
		paket(in, out)
	default:
		project(in, out)
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "nuget", Name: base})
	}
}

var (
	property    = pattern.New(`\$\(([^)]+)\)`)
	testProject = pattern.New(`(?i)(?:^|[./_-])(?:unit|integration|e2e|functional)?tests?(?:[./_-]|$)|\.Tests?\.`)
)

// project reads item groups. PackageVersion only offers a version; Update changes an entry that comes from elsewhere.
func project(in stackparse.Input, out *stackparse.Result) {
	doc, probs := scan.XML(in.Data)
	out.Problems(probs)
	props := map[string]string{}
	dev := testProject.MatchString(in.Path)
	doc.WalkMaps(func(n *scan.Node) {
		for g := range n.Values("PropertyGroup") {
			g.Each(func(k string, _ int, v *scan.Node) { props[k] = v.Inner() })
		}
		for p := range n.Values("PackageReference") {
			reference(p, props, dev, out)
		}
		out.Dependencies += n.Count("PackageVersion")
	})
	if dev || props["IsTestProject"] == "true" {
		for i := range out.Facts {
			out.Facts[i].Dev = true
		}
	}
}

func reference(p *scan.Node, props map[string]string, dev bool, out *stackparse.Result) {
	name := p.Get("@Include").Str()
	f := stackparse.Fact{Kind: "nuget", Name: name, Line: p.Line, Dev: dev}
	if name == "" {
		f.Name, f.State = p.Get("@Update").Str(), stackparse.Loose
	}
	if f.Name == "" {
		return
	}
	v := p.Get("@Version").Str()
	if v == "" {
		v = p.Get("Version").Inner()
	}
	f.Version = property.ReplaceAllStringFunc(v, func(m string) string {
		if x, ok := props[m[2:len(m)-1]]; ok {
			return x
		}
		return m
	})
	out.Add(f)
}

func lock(in stackparse.Input, out *stackparse.Result) {
	s := in.Stream()
	s.Object(func(key string, _ int) {
		if key != "dependencies" {
			return
		}
		s.Object(func(_ string, _ int) {
			s.Object(func(name string, line int) {
				kind, version := "", ""
				s.Object(func(key string, _ int) {
					switch key {
					case "type":
						kind = s.Text()
					case "resolved":
						version = s.Text()
					}
				})
				out.Dependencies++
				if in.Known("nuget", name) {
					out.Facts = append(out.Facts, stackparse.Fact{Kind: "nuget", Name: name, Line: line, Version: version, Transitive: kind != "Direct"})
				}
			})
		})
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
}

func paket(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		if w := strings.Fields(text); len(w) > 1 && w[0] == "nuget" {
			out.Add(stackparse.Fact{Kind: "nuget", Name: w[1], Line: line})
		}
	})
}

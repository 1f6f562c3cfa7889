// Package rust reads Cargo.toml and Cargo.lock.
package rust

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "cargo".
func (Parser) Name() string { return "cargo" }

// Claims takes Cargo.toml and Cargo.lock.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "Cargo.toml" || base == "Cargo.lock"
}

// Streams takes Cargo.lock.
func (Parser) Streams(p string) bool { return path.Base(p) == "Cargo.lock" }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if base == "Cargo.lock" {
		lock(in, out)
	} else {
		manifest(in, out)
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "crates-io", Name: base})
	}
}

func manifest(in stackparse.Input, out *stackparse.Result) {
	n, probs := scan.TOML(in.Data)
	out.Problems(probs)
	tables(n, out)
	n.Get("target").Each(func(_ string, _ int, v *scan.Node) { tables(v, out) })
	// In a workspace root the shared versions stand for the members, unless the root is a package with its own list.
	deps(n.Get("workspace", "dependencies"), stackparse.Fact{State: stackparse.Loose}, out)
}

func tables(n *scan.Node, out *stackparse.Result) {
	deps(n.Get("dependencies"), stackparse.Fact{}, out)
	deps(n.Get("dev-dependencies"), stackparse.Fact{Dev: true}, out)
	deps(n.Get("build-dependencies"), stackparse.Fact{Dev: true}, out)
}

// storeFeatures are features of object_store and opendal that name a vendor's storage.
var storeFeatures = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"aws": {"aws", "s3"}, "gcp": {"google-cloud", "cloud-storage"}, "azure": {"azure", "blob-storage"},
		"services-s3": {"aws", "s3"}, "services-gcs": {"google-cloud", "cloud-storage"}, "services-azblob": {"azure", "blob-storage"},
	}
})

func deps(table *scan.Node, base stackparse.Fact, out *stackparse.Result) {
	table.Each(func(name string, line int, v *scan.Node) {
		f := base
		f.Kind, f.Name, f.Line, f.Version = "cargo", name, line, v.Str()
		if ver := v.Get("version"); ver != nil {
			f.Version = ver.Str()
		}
		if p := v.Get("package"); p != nil {
			f.Show, f.Name = name, p.Str()
		}
		if v.Get("optional").Str() == "true" {
			f.State = stackparse.Faint
		}
		if v.Get("path") != nil && v.Get("version") == nil {
			out.Dependencies++
			return
		}
		out.Add(f)
		if strings.Contains(v.Get("git").Str(), "github.com/") {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindUse, Provider: "github", Service: "git-operations", Name: f.Name, Show: f.Show, Line: line, State: stackparse.Faint})
		}
		if name == "object_store" || name == "opendal" {
			for _, feature := range v.Get("features").All() {
				if s, ok := storeFeatures()[feature.Str()]; ok {
					g := f
					g.Kind, g.Provider, g.Service, g.Name, g.Show, g.Line = stackparse.KindUse, s.provider, s.service, feature.Str(), "", feature.Line
					g.State = max(g.State, stackparse.Loose)
					out.Facts = append(out.Facts, g)
				}
			}
		}
	})
}

func lock(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "cargo-lock"
	beside := in.Beside("Cargo.toml")
	name, at := "", 0
	flush := func(external bool) {
		if name != "" && external && in.Known("cargo", name) {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: "cargo", Name: name, Line: at, State: stackparse.Faint, Transitive: beside})
		}
		name = ""
	}
	in.ByteLines(func(line int, text []byte) {
		if v, ok := bytes.CutPrefix(text, []byte("name = ")); ok {
			out.Dependencies++
			name, at = strings.Trim(string(v), `" `), line
		} else if bytes.HasPrefix(text, []byte("source = ")) {
			flush(true)
		} else if string(text) == "[[package]]" {
			flush(false)
		}
	})
}

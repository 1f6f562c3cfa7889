// Package elixir reads mix.exs, mix.lock and the configuration in config/; nothing is run.
package elixir

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

// Name returns "mix".
func (Parser) Name() string { return "mix" }

// Claims takes mix.exs, mix.lock, gleam.toml and the scripts in config folders.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "mix.exs" || base == "mix.lock" || base == "gleam.toml" || settingsFile(p)
}

var (
	tuple = pattern.New(`\{\s*:([a-z0-9_]+)\s*,\s*(?:"([^"]*)")?([^{}]*)`)
	entry = pattern.New(`^\s*"([a-z0-9_]+)":\s*\{:(hex|git)\s*,`)
	only  = pattern.New(`only:\s*(\[[^\]]*\]|:\w+)`)
)

// Streams takes mix.lock.
func (Parser) Streams(p string) bool { return path.Base(p) == "mix.lock" }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if settingsFile(in.Path) {
		settings(in, out)
		return
	}
	switch base {
	case "mix.exs":
		manifest(in, out)
	case "mix.lock":
		beside := in.Beside("mix.exs")
		in.Lines(func(line int, text string) {
			if m := entry.FindStringSubmatch(text); m != nil {
				out.Dependencies++
				if in.Known("hex", m[1]) {
					out.Facts = append(out.Facts, stackparse.Fact{Kind: "hex", Name: m[1], Line: line, State: stackparse.Faint, Transitive: beside})
				}
			}
		})
	case "gleam.toml":
		n, probs := scan.TOML(in.Data)
		out.Problems(probs)
		n.Get("dependencies").Each(func(name string, line int, v *scan.Node) {
			out.Add(stackparse.Fact{Kind: "hex", Name: name, Line: line, Version: v.Str()})
		})
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "hexpm", Name: base})
	}
}

// manifest takes the tuples inside functions whose name speaks of dependencies.
func manifest(in stackparse.Input, out *stackparse.Result) {
	inside := false
	scan.Lines(in.Data, func(line int, text string) {
		code, _, _ := strings.Cut(text, "# ")
		t := strings.TrimSpace(code)
		if strings.HasPrefix(t, "#") || t == "" {
			return
		}
		if strings.HasPrefix(t, "def ") || strings.HasPrefix(t, "defp ") {
			inside = strings.Contains(t, "deps")
		}
		if !inside {
			return
		}
		for _, m := range tuple.FindAllStringSubmatch(code, -1) {
			f := stackparse.Fact{Kind: "hex", Name: m[1], Line: line, Version: m[2]}
			if o := only.FindStringSubmatch(m[3]); o != nil && !strings.Contains(o[1], "prod") {
				f.Dev = true
			}
			if strings.Contains(m[3], "path:") || strings.Contains(m[3], "in_umbrella: true") {
				out.Dependencies++
				continue
			}
			out.Add(f)
		}
	})
}

// Package ruby reads Gemfile, Gemfile.lock and gemspecs; nothing is run.
package ruby

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

// Name returns "ruby".
func (Parser) Name() string { return "ruby" }

// Claims takes Gemfile, gems.rb, their locks and *.gemspec.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "Gemfile" || base == "gems.rb" || base == "Gemfile.lock" || base == "gems.locked" || strings.HasSuffix(base, ".gemspec") || strings.HasSuffix(base, ".gemfile")
}

// Streams takes Gemfile.lock and gems.locked.
func (Parser) Streams(p string) bool {
	return strings.HasSuffix(p, ".lock") || strings.HasSuffix(p, ".locked")
}

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	switch {
	case strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".locked"):
		lock(in, out)
	case strings.HasSuffix(base, ".gemspec"):
		gemspec(in, out)
	default:
		gemfile(in, out)
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "rubygems", Name: base})
	}
}

var (
	gemLine   = pattern.New(`^\s*gem[\s(]+["']([^"']+)["'](?:\s*,\s*["']([^"']*)["'])?(.*)$`)
	groupLine = pattern.New(`^\s*group[\s(]+(.*?)\)?\s+do\b`)
	groupArg  = pattern.New(`groups?:?\s*(?:=>)?\s*(?::|\[)([^\]]*)`)
	blockLine = pattern.New(`^\s*(?:source|platforms?|install_if|path|git|if|unless|case|begin)\b.*`)
	sourceURL = pattern.New(`^\s*source[\s(]+["'](https?://[^"']+)["']`)
	specLine  = pattern.New(`\.add_(runtime_|development_)?dependency[\s(]+["']([^"']+)["'](?:\s*,\s*["']([^"']*)["'])?`)
)

var word = pattern.New(`\w+`)

// devGroup says whether all groups of a list are for development or tests.
func devGroup(list string) bool {
	any := false
	for _, g := range word.FindAllString(list, -1) {
		switch g {
		case "development", "test", "dev", "ci", "lint", "doc", "docs", "rubocop", "debug", "profile", "cucumber":
			any = true
		case "do", "optional", "true":
		default:
			return false
		}
	}
	return any
}

func gemfile(in stackparse.Input, out *stackparse.Result) {
	var blocks []bool // whether each open block is a development group
	scan.Lines(in.Data, func(line int, text string) {
		code := text
		if i := strings.Index(code, " #"); i >= 0 {
			code = code[:i]
		}
		t := strings.TrimSpace(code)
		if t == "" || t[0] == '#' {
			return
		}
		if m := gemLine.FindStringSubmatch(code); m != nil {
			f := stackparse.Fact{Kind: "gem", Name: m[1], Line: line, Version: m[2]}
			for _, dev := range blocks {
				f.Dev = f.Dev || dev
			}
			if g := groupArg.FindStringSubmatch(m[3]); g != nil {
				f.Dev = f.Dev || devGroup(g[1])
			}
			if strings.Contains(m[3], "path:") || strings.Contains(m[3], ":path") {
				f.Transitive = true
			}
			out.Add(f)
			return
		}
		if m := sourceURL.FindStringSubmatch(code); m != nil && !strings.Contains(m[1], "rubygems.org") {
			out.Value(stackparse.Setting{Name: "source", Line: line}, m[1], stackparse.Loose)
		}
		switch m := groupLine.FindStringSubmatch(code); {
		case m != nil:
			blocks = append(blocks, devGroup(m[1]))
		case strings.HasSuffix(t, " do") || strings.HasSuffix(t, "|") || blockLine.MatchString(t) && (strings.HasPrefix(t, "if ") || strings.HasPrefix(t, "unless ") || strings.HasPrefix(t, "case ") || t == "begin"):
			blocks = append(blocks, false)
		case t == "end" && len(blocks) > 0:
			blocks = blocks[:len(blocks)-1]
		}
	})
}

func gemspec(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "#") {
			return
		}
		if m := specLine.FindStringSubmatch(text); m != nil {
			out.Add(stackparse.Fact{Kind: "gem", Name: m[2], Line: line, Version: m[3], Dev: m[1] == "development_"})
		}
	})
}

// lock reads Gemfile.lock: DEPENDENCIES lists what is direct, without groups, which only the Gemfile tells.
func lock(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "ruby-lock"
	beside := in.Beside("Gemfile") || in.Beside("gems.rb")
	direct := map[string]bool{}
	section := ""
	each := func(f func(line int, text string)) {
		in.Lines(func(line int, text string) {
			if text != "" && text[0] != ' ' {
				section = strings.TrimSpace(text)
				return
			}
			f(line, text)
		})
	}
	each(func(line int, text string) {
		if section == "DEPENDENCIES" && strings.HasPrefix(text, "  ") {
			name, ver := gemName(text)
			direct[name] = true
			f := stackparse.Fact{Kind: "gem", Name: name, Line: line, Version: ver}
			if beside {
				f.Transitive = true
			}
			out.Add(f)
		}
	})
	each(func(line int, text string) {
		if !strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "     ") || section == "DEPENDENCIES" || section == "CHECKSUMS" {
			return
		}
		name, ver := gemName(text)
		if name == "" || direct[name] || section == "PATH" {
			return
		}
		out.Dependencies++
		if in.Known("gem", name) {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: "gem", Name: name, Line: line, Version: ver, Transitive: true})
		}
	})
}

func gemName(text string) (name, version string) {
	t := strings.TrimSpace(text)
	name, rest, _ := strings.Cut(t, " ")
	return strings.TrimSuffix(name, "!"), strings.Trim(rest, "() ")
}

// Package npm reads the manifests and lockfiles of JavaScript: package.json, package-lock.json (v1 to v3),
// npm-shrinkwrap.json, pnpm-lock.yaml and pnpm-workspace.yaml, yarn.lock (classic and berry), bun.lock, deno.json and
// deno.lock.
package npm

import (
	"context"
	"path"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/commands"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "npm".
func (Parser) Name() string { return "npm" }

// Claims takes the manifests and lockfiles, also with a word before them ("web.package.json").
func (Parser) Claims(p string) bool { return kindOf(p) != "" }

func kindOf(p string) string {
	base := path.Base(p)
	for _, name := range []string{
		"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
		"deno.json", "deno.jsonc", "deno.lock",
	} {
		if base == name || strings.HasSuffix(base, "."+name) {
			return name
		}
	}
	return ""
}

// Streams takes all but settings of Deno, which are read as a tree.
func (Parser) Streams(p string) bool {
	kind := kindOf(p)
	return kind != "deno.json" && kind != "deno.jsonc"
}

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	switch kindOf(in.Path) {
	case "package.json":
		manifest(in, out)
	case "package-lock.json", "npm-shrinkwrap.json":
		packageLock(in, out)
	case "pnpm-lock.yaml":
		out.Kind = "pnpm"
		pnpmLock(in, out)
	case "yarn.lock":
		out.Kind = "yarn"
		yarnLock(in, out)
	case "bun.lock":
		out.Kind = "bun"
		bunLock(in, out)
	case "deno.json", "deno.jsonc":
		out.Kind = "deno"
		denoJSON(in, out)
	case "deno.lock":
		out.Kind = "deno"
		denoLock(in, out)
	}
}

// registry notes where packages come from.
func registry(out *stackparse.Result, line int, show string) {
	out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "npm", Name: show, Line: line})
}

func manifest(in stackparse.Input, out *stackparse.Result) {
	s := in.Stream()
	if s.Peek() != scan.Map {
		out.Warn(1, "package.json: an object is expected")
		return
	}
	any := false
	s.Object(func(key string, line int) {
		switch key {
		case "dependencies", "devDependencies", "optionalDependencies", "peerDependencies":
			group(s, key, out)
			any = true
		case "scripts":
			s.Object(func(name string, line int) {
				if s.Peek() == scan.String {
					script(s.Text(), line, in, out)
				}
			})
		case "publishConfig":
			registry(out, line, key)
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
	if any {
		registry(out, 0, "package.json")
	}
}

func group(s *scan.Stream, key string, out *stackparse.Result) {
	if s.Peek() != scan.Map {
		out.Warn(s.Line(), "%s: an object is expected", key)
		return
	}
	s.Object(func(name string, line int) {
		spec := ""
		switch s.Peek() {
		case scan.String:
			spec = s.Text()
		case scan.Map, scan.List, scan.Number, scan.Bool:
			out.Warn(line, "%s: the version is no string", clip(name))
		}
		f := stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: version(spec), Dev: key == "devDependencies"}
		switch {
		case key == "optionalDependencies":
			f.State = stackparse.Faint
		case key == "peerDependencies":
			f.State = stackparse.Faint
		}
		dependency(f, spec, out)
	})
}

// dependency resolves aliases ("npm:stripe@15") and git sources.
func dependency(f stackparse.Fact, spec string, out *stackparse.Result) {
	if real, ok := strings.CutPrefix(spec, "npm:"); ok {
		f.Show = f.Name
		f.Name, f.Version = splitAt(real)
		if strings.Contains(f.Show, f.Name) {
			f.Show = ""
		}
	}
	for _, p := range []string{"workspace:", "link:", "file:", "portal:"} {
		if strings.HasPrefix(spec, p) {
			f.Transitive = f.Transitive || p != "workspace:"
			if p == "workspace:" {
				out.Dependencies++
				return
			}
		}
	}
	out.Add(f)
	if strings.Contains(spec, "github.com") || strings.HasPrefix(spec, "github:") {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindUse, Provider: "github", Service: "git-operations", Name: f.Name, Show: f.Show, Line: f.Line, State: stackparse.Faint})
	}
}

func version(spec string) string {
	if len(spec) > 40 || strings.Contains(spec, "://") {
		return ""
	}
	return spec
}

func splitAt(s string) (name, version string) {
	if i := strings.LastIndexByte(s, '@'); i > 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// script finds the commands of a script that run a tool against its vendor.
func script(text string, line int, in stackparse.Input, out *stackparse.Result) {
	for _, c := range commands.New(func(name string) bool { return in.Known("command", name) }).Find(text) {
		f := stackparse.Fact{Kind: "command", Name: c.Name, Show: c.Show, Line: line, State: stackparse.Loose}
		if c.Region != "" {
			f.Regions = strings.Split(c.Region, ",")
		}
		out.Facts = append(out.Facts, f)
	}
}

// packageLock reads lockfiles of npm. Version 2 and 3 tell what is direct in packages[""] and in the workspaces'
// entries; version 1 does not, so that its entries count at most as guesses, and as transitive beside a package.json.
func packageLock(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "npm-lock"
	beside := in.Beside("package.json")
	s := in.Stream()
	registry(out, 0, path.Base(in.Path))
	direct := map[string]bool{}
	seenPackages := false
	s.Object(func(key string, _ int) {
		switch key {
		case "packages":
			seenPackages = true
			s.Object(func(where string, line int) { lockPackage(in, s, where, line, direct, out) })
		case "dependencies":
			if seenPackages {
				return
			}
			s.Object(func(name string, line int) {
				out.Dependencies++
				if in.Known("npm", name) {
					v, dev := lockEntry(s)
					f := stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: v, Dev: dev, Transitive: beside, State: stackparse.Faint}
					out.Facts = append(out.Facts, f)
				}
			})
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
}

func lockPackage(in stackparse.Input, s *scan.Stream, where string, line int, direct map[string]bool, out *stackparse.Result) {
	i := strings.LastIndex(where, "node_modules/")
	if i < 0 {
		// The root, or a workspace: what it declares is direct.
		s.Object(func(key string, _ int) {
			switch key {
			case "dependencies", "devDependencies", "optionalDependencies":
				s.Object(func(name string, line int) {
					direct[name] = true
					f := stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: version(s.Text()), Dev: key == "devDependencies"}
					if key == "optionalDependencies" {
						f.State = stackparse.Faint
					}
					out.Add(f)
				})
			}
		})
		return
	}
	out.Dependencies++
	name := where[i+len("node_modules/"):]
	if direct[name] || !in.Known("npm", name) {
		return
	}
	v, dev := lockEntry(s)
	out.Facts = append(out.Facts, stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: v, Dev: dev, Transitive: true})
}

func lockEntry(s *scan.Stream) (version string, dev bool) {
	s.Object(func(key string, _ int) {
		switch key {
		case "version":
			version = s.Text()
		case "dev", "devOptional":
			dev = s.Text() == "true"
		}
	})
	return version, dev
}

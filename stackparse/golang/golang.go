// Package golang reads go.mod, go.sum and go.work.
package golang

import (
	"context"
	"path"
	"strings"

	"golang.org/x/mod/modfile"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "go".
func (Parser) Name() string { return "go" }

// Claims takes go.mod, go.sum and go.work.
func (Parser) Claims(p string) bool {
	switch path.Base(p) {
	case "go.mod", "go.sum", "go.work":
		return true
	}
	return false
}

// Streams takes go.sum.
func (Parser) Streams(p string) bool { return path.Base(p) == "go.sum" }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	switch path.Base(in.Path) {
	case "go.mod":
		mod(in, out)
	case "go.sum":
		sum(in, out)
	case "go.work":
		out.Dependencies += strings.Count(string(in.Data), "\n\t")
	}
}

type require struct {
	path, version string
	line          int
	indirect      bool
}

// mod reads requirements. A module that is replaced by a local folder is the team's own copy; one that is replaced by
// another module counts as that one.
func mod(in stackparse.Input, out *stackparse.Result) {
	reqs, replaced := parseMod(in, out)
	tools := map[string]bool{}
	for _, r := range reqs {
		f := stackparse.Fact{Kind: "go", Name: r.path, Line: r.line, Version: r.version, Transitive: r.indirect, Dev: tools[r.path]}
		if to, ok := replaced[r.path]; ok {
			if to == "" {
				f.Transitive = true
			} else if to != r.path {
				f.Show, f.Name = r.path, to
			}
		}
		out.Add(f)
	}
	if len(reqs) > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "go-proxy", Name: "go.mod"})
	}
}

// parseMod returns the requirements and what is replaced by which module ("" for a local folder).
func parseMod(in stackparse.Input, out *stackparse.Result) ([]require, map[string]string) {
	replaced := map[string]string{}
	f, err := modfile.ParseLax(in.Path, in.Data, nil)
	if err != nil {
		return scanMod(in, out, replaced), replaced
	}
	var reqs []require
	for _, r := range f.Require {
		reqs = append(reqs, require{r.Mod.Path, r.Mod.Version, r.Syntax.Start.Line, r.Indirect})
	}
	// ParseLax leaves replacements out; the line scan knows them.
	scanMod(in, &stackparse.Result{}, replaced)
	return reqs, replaced
}

// scanMod reads line by line and keeps the good lines of a file that the library refuses as a whole.
func scanMod(in stackparse.Input, out *stackparse.Result, replaced map[string]string) []require {
	var reqs []require
	block := ""
	scan.Lines(in.Data, func(line int, text string) {
		code, comment, _ := strings.Cut(text, "//")
		w := strings.Fields(code)
		switch {
		case len(w) == 0:
			return
		case w[0] == ")":
			block = ""
			return
		case len(w) == 2 && w[1] == "(":
			block = w[0]
			return
		}
		verb := block
		if verb == "" {
			verb, w = w[0], w[1:]
		}
		switch verb {
		case "require":
			if len(w) != 2 || !strings.HasPrefix(w[1], "v") {
				out.Warn(line, "require: a module and a version are expected")
				return
			}
			reqs = append(reqs, require{strings.Trim(w[0], `"`), w[1], line, strings.Contains(comment, "indirect")})
		case "replace":
			from, to, ok := strings.Cut(strings.Join(w, " "), "=>")
			if a, b := strings.Fields(from), strings.Fields(to); ok && len(a) > 0 && len(b) > 0 {
				if strings.HasPrefix(b[0], ".") || strings.HasPrefix(b[0], "/") {
					replaced[a[0]] = ""
				} else {
					replaced[a[0]] = b[0]
				}
			}
		}
	})
	return reqs
}

func sum(in stackparse.Input, out *stackparse.Result) {
	beside := in.Beside("go.mod")
	last := ""
	in.Lines(func(line int, text string) {
		w := strings.Fields(text)
		if len(w) != 3 || w[0] == last {
			return
		}
		last = w[0]
		out.Dependencies++
		if in.Known("go", w[0]) {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: "go", Name: w[0], Version: strings.TrimSuffix(w[1], "/go.mod"), Line: line, State: stackparse.Faint, Transitive: beside})
		}
	})
}

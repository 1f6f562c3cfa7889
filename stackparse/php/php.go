// Package php reads composer.json and composer.lock.
package php

import (
	"context"
	"path"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "composer".
func (Parser) Name() string { return "composer" }

// Claims takes composer.json and composer.lock.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "composer.json" || base == "composer.lock"
}

// Streams takes both.
func (Parser) Streams(string) bool { return true }

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	s := in.Stream()
	s.Object(func(key string, _ int) {
		switch {
		case base == "composer.json" && (key == "require" || key == "require-dev"):
			s.Object(func(name string, line int) {
				v := s.Text()
				if strings.Contains(name, "/") {
					out.Add(stackparse.Fact{Kind: "composer", Name: name, Line: line, Version: v, Dev: key == "require-dev"})
				}
			})
		case base == "composer.lock" && (key == "packages" || key == "packages-dev"):
			s.Array(func() { locked(in, s, key == "packages-dev", out) })
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
	if out.Dependencies > 0 {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "packagist", Name: base})
	}
}

func locked(in stackparse.Input, s *scan.Stream, dev bool, out *stackparse.Result) {
	name, version, at := "", "", 0
	s.Object(func(key string, line int) {
		switch key {
		case "name":
			name, at = s.Text(), line
		case "version":
			version = s.Text()
		}
	})
	out.Dependencies++
	if in.Known("composer", name) {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: "composer", Name: name, Line: at, Version: version, Dev: dev, State: stackparse.Faint, Transitive: in.Beside("composer.json")})
	}
}

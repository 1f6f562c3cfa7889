// Package dotenv reads environment files: .env and its relatives. Values never leave the parser.
package dotenv

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

// Name returns "env".
func (Parser) Name() string { return "env" }

// Claims takes .env, .env.*, *.env, env.example, .envrc, .dev.vars and files called "environment".
func (Parser) Claims(p string) bool {
	base := strings.ToLower(path.Base(p))
	switch base {
	case ".env", ".envrc", ".dev.vars", ".flaskenv", "environment", "env.example", "env.sample", "env.template", "dotenv", "example.env", ".prod.vars":
		return true
	}
	return strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, ".env-") || strings.HasPrefix(base, ".env_") || strings.HasSuffix(base, ".env") || strings.HasPrefix(base, "env.") && strings.HasSuffix(base, ".example")
}

var (
	assignment = pattern.New(`^\s*(?:export\s+|set\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*[=:]\s*(.*)$`)
	commented  = pattern.New(`^\s*#+\s*(?:export\s+)?([A-Z][A-Z0-9_]{2,})\s*=\s*(.*)$`)
	template   = pattern.New(`(?i)example|sample|template|dist|default|skel`)
	devName    = pattern.New(`(?i)(?:^|[._-])(?:dev|development|test|testing|local|ci|e2e)(?:[._-]|$)`)
)

// Parse reads one file line by line; quoted values may span lines.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	isTemplate, dev := template.MatchString(base), devName.MatchString(base)
	// What stands in ".env.local" belongs to one machine; only servers of its own are for development alone.
	machine := base == ".env.local"
	quote := byte(0)
	scan.Lines(in.Data, func(line int, text string) {
		text = strings.ReplaceAll(text, "\x00", "")
		if quote != 0 {
			if strings.IndexByte(text, quote) >= 0 {
				quote = 0
			}
			return
		}
		t := strings.TrimSpace(text)
		if t == "" {
			return
		}
		if t[0] == '#' {
			if m := commented.FindStringSubmatch(t); m != nil {
				v, _, _ := strings.Cut(m[2], " #")
				out.Setting(stackparse.Setting{Name: m[1], Value: v, Line: line, Template: isTemplate, Dev: dev, Commented: true})
			}
			return
		}
		m := assignment.FindStringSubmatch(text)
		if m == nil {
			if !strings.HasPrefix(t, "source ") && !strings.HasPrefix(t, "use ") && !strings.HasPrefix(t, "<<<<") && !strings.HasPrefix(t, "====") && !strings.HasPrefix(t, ">>>>") && strings.HasPrefix(base, ".env") && base != ".envrc" {
				out.Warn(line, "NAME=value is expected")
			}
			return
		}
		v := m[2]
		if v != "" && (v[0] == '"' || v[0] == '\'') {
			if end := strings.IndexByte(v[1:], v[0]); end >= 0 {
				v = v[1 : end+1]
			} else {
				quote, v = v[0], v[1:]
			}
		} else if i := strings.Index(v, " #"); i >= 0 {
			v = v[:i]
		} else if strings.HasPrefix(v, "#") {
			v = ""
		}
		own := strings.Contains(v, "localhost") || strings.Contains(v, "127.0.0.1")
		out.Setting(stackparse.Setting{Name: m[1], Value: v, Line: line, Template: isTemplate, Dev: dev && (!machine || own)})
	})
}

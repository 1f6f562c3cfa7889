package deploy

import (
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

func nomadFile(base string) bool {
	return strings.HasSuffix(base, ".nomad") || strings.HasSuffix(base, ".nomad.hcl")
}

// nomadLine is an attribute of a job whose text stands on its line.
var nomadLine = pattern.New(`(?:^|[{\s])"?([A-Za-z_][A-Za-z0-9_]*)"?\s*=\s*"([^"]*)"`)

// nomad reads the images and variables of a job of Nomad, and of the templates in it.
func nomad(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		m := nomadLine.FindStringSubmatch(text)
		switch {
		case m == nil:
			if k, v, ok := strings.Cut(strings.TrimSpace(text), "="); ok && variable.MatchString(k) { // of a template
				out.Setting(stackparse.Setting{Name: k, Value: v, Line: line, Secret: strings.Contains(v, "{{")})
			}
		case m[1] == "image" && strings.ContainsAny(m[2], "/:"):
			out.Add(stackparse.Fact{Kind: "image", Name: m[2], Line: line})
		case variable.MatchString(m[1]):
			out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line})
		}
	})
}

var variable = pattern.New(`^[A-Z][A-Z0-9_]{2,}$`)

package config

import (
	"path"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/sinks"
)

// vector reads where Vector sends to, from its settings in TOML or JSON.
func vector(n *scan.Node, dev bool, out *stackparse.Result) {
	for _, group := range [...]string{"sinks", "sources"} {
		n.Get(group).Each(func(_ string, _ int, s *scan.Node) {
			t := s.Get("type")
			k, ok := sinks.Vector()[t.Str()]
			if !ok || s.Get("endpoint") != nil && k.Provider == "aws" {
				return
			}
			f := stackparse.Fact{Kind: stackparse.KindUse, Provider: k.Provider, Service: k.Service, Name: t.Str(), Line: t.Line, Dev: dev}
			for _, key := range [...]string{"region", "site"} {
				if r := s.Get(key).Str(); r != "" {
					f.Regions = append(f.Regions, r)
				}
			}
			out.Add(f)
		})
	}
}

// fluentBit says whether a path is configuration of Fluent Bit.
func fluentBit(p string) bool {
	base := strings.ToLower(path.Base(p))
	return strings.HasSuffix(base, ".conf") && (strings.HasPrefix(base, "fluent") || strings.Contains(strings.ToLower(path.Dir(p)), "fluent"))
}

// fluent reads the outputs of Fluent Bit: sections of "Key value" lines.
func fluent(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "fluent-bit"
	output := false
	last := -1 // the fact of the output that is being read
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		if t == "" || t[0] == '#' {
			return
		}
		if t[0] == '[' {
			output, last = strings.EqualFold(t, "[OUTPUT]"), -1
			return
		}
		key, value, ok := strings.Cut(t, " ")
		value = strings.TrimSpace(value)
		if !ok || !output {
			return
		}
		switch strings.ToLower(key) {
		case "name":
			if s, known := sinks.FluentBit()[strings.ToLower(value)]; known {
				last = len(out.Facts)
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: s.Provider, Service: s.Service, Name: value, Line: line})
			}
		case "region":
			if last >= 0 {
				out.Facts[last].Regions = []string{value}
			}
		case "host", "uri", "endpoint":
			out.Value(stackparse.Setting{Name: key, Line: line, Deep: true}, value, stackparse.Firm)
		}
	})
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}

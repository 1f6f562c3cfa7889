// Package config reads the free configuration of programs: JSON, TOML, properties and INI files in folders and under
// names that are used for settings (config/production.json, appsettings.json, application.properties), settings of
// frameworks in their own language, and of nginx. Only hosts,
// identifiers, regions and names of variables are taken.
package config

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

// Name returns "config".
func (Parser) Name() string { return "config" }

var settingName = pattern.New(`(?i)^(?:appsettings(?:\..*)?|application(?:[-_.].*)?|bootstrap|config(?:uration)?(?:[-_.].*)?|settings(?:[-_.].*)?|production|staging|default|prod|runtime|secrets|sentry|(?:.*[-_.])?trunk|pgbouncer|odbc|newrelic|datadog|datadog-ci|env|environment|task-?def(?:inition)?(?:[-_.].*)?|local\.settings|amplify_outputs|awsconfiguration|vector|aws-(?:lambda|ecs|beanstalk)-tools-defaults|amplifyconfiguration)\.(?:json|json5|toml|properties|ini|conf|cnf)$`)

// ignored are names that look alike and configure tools.
var ignored = pattern.New(`(?i)^(?:tsconfig|jsconfig|jest\.config|babel\.config|nx|lerna|turbo|biome|renovate|angular|components|\.?eslintrc|api-extractor|typedoc|cypress)(?:\..*)?\.json$|schema|swagger|openapi|package|manifest\.json|gradle-wrapper\.properties|log4j|logging`)

// Claims takes settings by name, or by the name of their folder.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	if registryFile(p) || base == "bunfig.toml" || base == ".sentryclirc" || base == "config" && path.Base(path.Dir(p)) == ".dvc" || base == "telegraf.conf" || base == "fluent-bit.conf" || base == ".gitmodules" || programmed(p) || proxied(p) || fluentBit(p) {
		return true
	}
	ext := strings.ToLower(path.Ext(base))
	switch ext {
	case ".json", ".json5", ".toml", ".properties", ".ini", ".conf", ".cfg", ".alloy", ".river", ".xcconfig":
	default:
		return false
	}
	if ignored.MatchString(base) {
		return false
	}
	if ext == ".alloy" || ext == ".river" || ext == ".xcconfig" { // of Grafana's collector, and of Xcode
		return true
	}
	if settingName.MatchString(base) {
		return true
	}
	switch strings.ToLower(path.Base(path.Dir(p))) {
	case "config", "configs", "conf", "settings", "environments", "deploy", "deployment", "task-definitions", "ecs":
		return true
	}
	return false
}

var devFile = pattern.New(`(?i)(?:^|[-_.])(?:dev|development|test|testing|local|ci|example|sample)(?:[-_.]|$)`)

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if registryFile(in.Path) {
		registries(in, out)
		return
	}
	switch {
	case programmed(in.Path):
		code(in, out)
		return
	case proxied(in.Path):
		proxy(in, out)
		return
	case fluentBit(in.Path):
		fluent(in, out)
		return
	case base == ".gitmodules":
		submodules(in, out)
		return
	}
	dev := devFile.MatchString(strings.TrimSuffix(base, path.Ext(base)))
	switch strings.ToLower(path.Ext(base)) {
	case ".json", ".json5":
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		Tree(n, strings.TrimSuffix(base, path.Ext(base)), dev, out)
		containers(n, dev, out)
		vector(n, dev, out)
	case ".toml":
		n, probs := scan.TOML(in.Data)
		out.Problems(probs)
		Tree(n, strings.TrimSuffix(base, path.Ext(base)), dev, out)
		vector(n, dev, out)
	default:
		properties(in, dev, out)
	}
}

var upper = pattern.New(`^[A-Z][A-Z0-9_]{2,}$`)

// prose reports whether the text of a key is for people.
func prose(s string) bool {
	switch s {
	case "description", "$schema", "homepage", "documentation", "docs", "help", "comment", "//", "url_docs", "author", "license", "repository",
		"bugs", "title":
		return true
	}
	return false
}

// Tree takes what counts out of free configuration, by whose name its own settings go.
func Tree(n *scan.Node, name string, dev bool, out *stackparse.Result) {
	n.WalkNamed(func(in string, m *scan.Node) {
		if in == "" {
			in = name
		}
		// Task definitions: {"name": "STRIPE_KEY", "value": …} and {"name": …, "valueFrom": arn}.
		if name := m.Get("name"); upper.MatchString(name.Str()) && (m.Get("value") != nil || m.Get("valueFrom") != nil) {
			out.Setting(stackparse.Setting{Name: name.Str(), Value: m.Get("value").Str(), Line: name.Line, Secret: m.Get("valueFrom") != nil, Dev: dev})
		}
		if img := m.Get("image"); strings.ContainsAny(img.Str(), "/:") && !strings.Contains(img.Str(), "://") {
			out.Add(stackparse.Fact{Kind: "image", Name: img.Str(), Line: img.Line, Dev: dev})
		}
		m.Each(func(k string, line int, v *scan.Node) {
			if prose(k) {
				return
			}
			for _, x := range v.All() {
				if x.Kind != scan.String {
					continue
				}
				out.Setting(stackparse.Setting{Name: k, In: in, Value: x.Str(), Line: x.Line, Deep: !upper.MatchString(k), Dev: dev})
			}
		})
	})
}

// containers reads a task of ECS: that it is one, and where its logs go.
func containers(n *scan.Node, dev bool, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			switch {
			case k == "containerDefinitions":
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: "ecs", Name: k, Line: line, Dev: dev})
			case k == "logDriver" && v.Str() == "awslogs":
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: "cloudwatch", Name: v.Str(), Line: v.Line, Dev: dev})
			}
		})
	})
}

var (
	pair   = pattern.New(`^\s*([A-Za-z_][\w.:/@-]*)\s*[=:]\s*(.*?)\s*$`)
	sprung = pattern.New(`\$\{([A-Za-z_][\w.]*)(?::([^}]*))?\}`)
)

// properties reads "key = value" lines; "${VAR:default}" of Spring counts as the variable and its default.
func properties(in stackparse.Input, dev bool, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		if t == "" || t[0] == '#' || t[0] == ';' || t[0] == '!' {
			return
		}
		m := pair.FindStringSubmatch(text)
		if m == nil {
			return
		}
		value := m[2]
		for _, s := range sprung.FindAllStringSubmatch(value, 5) {
			if upper.MatchString(s[1]) {
				out.Setting(stackparse.Setting{Name: s[1], Value: s[2], Line: line, Dev: dev, Secret: s[2] == ""})
			}
		}
		value = sprung.ReplaceAllString(value, "$2")
		out.Setting(stackparse.Setting{Name: m[1], Value: value, Line: line, Deep: !upper.MatchString(m[1]), Dev: dev})
	})
}

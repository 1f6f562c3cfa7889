package jvm

import (
	"path"
	"slices"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// A catalogue is a version catalogue: what scripts may refer to as libs.x.y.
type catalogue struct {
	file              string
	libraries, plugin map[string]entry // by alias with dots
	bundles           map[string][]string
	used              map[string]bool
}

type entry struct {
	name, version string
	line          int
}

func dots(alias string) string {
	return strings.NewReplacer("-", ".", "_", ".").Replace(alias)
}

func (t *tree) loadCatalogue(f stackparse.Input, r *stackparse.Result) {
	r.Kind = "gradle-catalog"
	n, probs := scan.TOML(f.Data)
	r.Problems(probs)
	c := &catalogue{file: f.Path, libraries: map[string]entry{}, plugin: map[string]entry{}, bundles: map[string][]string{}, used: map[string]bool{}}
	version := func(v *scan.Node) string {
		if ref := v.Get("version", "ref").Str(); ref != "" {
			return n.Get("versions", ref).Str()
		}
		return v.Get("version").Str()
	}
	n.Get("libraries").Each(func(alias string, line int, v *scan.Node) {
		r.Dependencies++
		e := entry{line: line, version: version(v)}
		switch {
		case v.Str() != "":
			p := strings.Split(v.Str(), ":")
			if len(p) < 2 {
				return
			}
			e.name = p[0] + ":" + p[1]
			if len(p) > 2 {
				e.version = p[2]
			}
		case v.Get("module") != nil:
			e.name = v.Get("module").Str()
		default:
			e.name = v.Get("group").Str() + ":" + v.Get("name").Str()
		}
		c.libraries[dots(alias)] = e
	})
	n.Get("plugins").Each(func(alias string, line int, v *scan.Node) {
		id := v.Get("id").Str()
		if id == "" {
			id, _, _ = strings.Cut(v.Str(), ":")
		}
		c.plugin[dots(alias)] = entry{id, version(v), line}
	})
	n.Get("bundles").Each(func(alias string, _ int, v *scan.Node) {
		for _, x := range v.All() {
			c.bundles[dots(alias)] = append(c.bundles[dots(alias)], dots(x.Str()))
		}
	})
	t.catalogs[f.Path] = c
}

func (t *tree) loadProperties(f stackparse.Input, r *stackparse.Result) {
	r.Kind = "gradle-properties"
	props := map[string]string{}
	scan.Lines(f.Data, func(_ int, text string) {
		if k, v, ok := strings.Cut(text, "="); ok && !strings.HasPrefix(text, "#") {
			props[strings.TrimSpace(k)] = strings.TrimSpace(v)
			r.Dependencies++
		}
	})
	t.props[path.Dir(f.Path)] = props
}

// catalogFor finds the catalogue of a script: in gradle/ of its folder or of one above, else the only one there is.
func (t *tree) catalogFor(name, script string) *catalogue {
	for dir := path.Dir(script); ; dir = path.Dir(dir) {
		for _, p := range []string{path.Join(dir, "gradle", name+".versions.toml"), path.Join(dir, name+".versions.toml")} {
			if c := t.catalogs[p]; c != nil {
				return c
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if len(t.catalogs) == 1 {
		for _, c := range t.catalogs {
			return c
		}
	}
	return nil
}

var (
	configWord  = `([a-zA-Z]*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[rR]untime|[aA]nnotationProcessor|kapt|ksp|classpath|debugImplementation|coreLibraryDesugaring))`
	configLine  = pattern.New(`^\s*` + configWord + `\b(.*)$`)
	coordinate  = pattern.New(`["']([\w.$\{\}-]+):([\w.$\{\}-]+)(?::([^"'@]*))?(?:@\w+)?["']`)
	mapGroup    = pattern.New(`group\s*[:=]\s*["']([^"']+)["']`)
	mapName     = pattern.New(`name\s*[:=]\s*["']([^"']+)["']`)
	mapVersion  = pattern.New(`version\s*[:=]\s*["']([^"']+)["']`)
	libRef      = pattern.New(`\b(\w*[lL]ibs)\.((?:[\w]+\.)*[\w]+)`)
	pluginAlias = pattern.New(`alias\s*\(\s*(\w*[lL]ibs)\.plugins\.((?:\w+\.)*\w+)`)
	pluginID    = pattern.New(`^\s*id\s*[( ]\s*["']([^"']+)["']\)?(?:\s*version\s*["']([^"']+)["'])?`)
	variable    = pattern.New(`(?:^|[\s{])(?:def|val|var|ext\.|const val)?\s*(\w+)\s*=\s*["']([^"'$]+)["']`)
	// repositoryURL is where packages are fetched from or published to.
	repositoryURL = pattern.New(`\b(?:url|uri|maven|setUrl)\b[^"']*["'](https?://[^"'\s]+)["']`)
	constraint    = pattern.New(`\b(?:constraints|dependencyManagement|resolutionStrategy)\s*\{`)
)

// pluginPackages maps how ids of Gradle plug-ins begin to the library that tells the vendor.
var pluginPackages = []struct{ prefix, library string }{
	{"io.sentry.", "io.sentry:sentry"},
	{"com.google.firebase.crashlytics", "com.google.firebase:firebase-crashlytics"},
	{"com.google.firebase.firebase-perf", "com.google.firebase:firebase-perf"},
	{"com.google.firebase.appdistribution", "com.google.firebase:firebase-appdistribution"},
	{"com.google.gms.google-services", "com.google.firebase:firebase-common"},
	{"com.bugsnag.", "com.bugsnag:bugsnag-android"},
	{"com.datadoghq.", "com.datadoghq:dd-sdk-android"},
	{"com.dynatrace.", "com.dynatrace.agent:agent-android"},
	{"com.github.triplet.play", "com.google.apis:google-api-services-androidpublisher"},
	{"com.google.cloud.tools.appengine", "com.google.appengine:appengine-api-1.0-sdk"},
	{"com.rollbar.", "com.rollbar:rollbar-android"},
	{"newrelic", "com.newrelic.agent.android:android-agent"},
}

func pluginPackage(id string) (string, bool) {
	for _, p := range pluginPackages {
		if strings.HasPrefix(id, p.prefix) {
			return p.library, true
		}
	}
	return "", false
}

// gradle reads a script line by line, with the variables and catalogues that it can know of.
func (t *tree) gradle(f stackparse.Input, r *stackparse.Result) {
	vars := map[string]string{}
	for dir := path.Dir(f.Path); ; dir = path.Dir(dir) {
		for k, v := range t.props[dir] {
			if _, ok := vars[k]; !ok {
				vars[k] = v
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	offer, block := 0, false // inside constraints: depth of braces
	pending := ""
	scan.Lines(f.Data, func(line int, raw string) {
		text := stripComment(raw, &block)
		if strings.TrimSpace(text) == "" {
			return
		}
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			vars[m[1]] = m[2]
		}
		if offer > 0 || constraint.MatchString(text) {
			offer += strings.Count(text, "{") - strings.Count(text, "}")
			return
		}
		t.plugins(f, text, line, r)
		if m := repositoryURL.FindStringSubmatch(text); m != nil {
			r.Value(stackparse.Setting{Name: "repository", Line: line}, m[1], stackparse.Firm)
		}
		m := configLine.FindStringSubmatch(text)
		if m == nil {
			if pending != "" {
				t.coordinates(f, pending, text, line, vars, r)
				if strings.ContainsAny(text, ")") {
					pending = ""
				}
			}
			return
		}
		if !t.coordinates(f, m[1], m[2], line, vars, r) && strings.HasSuffix(strings.TrimSpace(m[2]), "(") {
			pending = m[1]
		} else {
			pending = ""
		}
	})
}

// stripComment takes comments off a line, across lines for /* */.
func stripComment(text string, block *bool) string {
	if *block {
		_, after, ok := strings.Cut(text, "*/")
		if !ok {
			return ""
		}
		*block, text = false, after
	}
	if i := strings.Index(text, "//"); i >= 0 && (i == 0 || text[i-1] != ':') {
		text = text[:i]
	}
	if before, after, ok := strings.Cut(text, "/*"); ok {
		_, rest, closed := strings.Cut(after, "*/")
		*block = !closed
		return before + rest
	}
	return text
}

// coordinates takes what stands after a configuration's name.
func (t *tree) coordinates(f stackparse.Input, config, rest string, line int, vars map[string]string, r *stackparse.Result) bool {
	lower := strings.ToLower(config)
	base := stackparse.Fact{Kind: "maven", Line: line, Dev: strings.Contains(lower, "test") || lower == "classpath"}
	if strings.Contains(rest, "project(") && !strings.Contains(rest, ":project") && coordinate.FindString(rest) == "" {
		return true
	}
	if g, n := mapGroup.FindStringSubmatch(rest), mapName.FindStringSubmatch(rest); g != nil && n != nil {
		f := base
		f.Name, f.Show = g[1]+":"+n[1], n[1]
		if v := mapVersion.FindStringSubmatch(rest); v != nil {
			f.Version = v[1]
		}
		r.Add(f)
		return true
	}
	found := false
	for _, m := range coordinate.FindAllStringSubmatch(rest, -1) {
		f := base
		f.Name, f.Show, f.Version = expand(m[1], vars)+":"+expand(m[2], vars), m[2], expand(m[3], vars)
		if strings.Contains(rest, "platform(") || strings.HasSuffix(f.Name, "-bom") {
			f.State = stackparse.Faint
		}
		r.Add(f)
		found = true
	}
	for _, m := range libRef.FindAllStringSubmatch(rest, -1) {
		if c := t.catalogFor(m[1], f.Path); c != nil {
			found = true
			c.refer(m[2], m[0], base, strings.Contains(rest, "platform("), r)
		}
	}
	return found
}

// refer resolves libs.a.b and libs.bundles.a.
func (c *catalogue) refer(alias, show string, base stackparse.Fact, platform bool, r *stackparse.Result) {
	alias = strings.TrimSuffix(strings.TrimSuffix(alias, ".get"), ".asProvider")
	var names []string
	if b, ok := strings.CutPrefix(alias, "bundles."); ok {
		names = c.bundles[b]
	} else {
		names = []string{alias}
	}
	for _, n := range names {
		e, ok := c.libraries[n]
		if !ok {
			continue
		}
		f := base
		f.Name, f.Show, f.Version = e.name, show, e.version
		if platform {
			f.State = stackparse.Faint
		}
		r.Add(f)
		c.used[n] = true
	}
}

func (t *tree) plugins(f stackparse.Input, text string, line int, r *stackparse.Result) {
	id, show, version := "", "", ""
	if m := pluginAlias.FindStringSubmatch(text); m != nil {
		if c := t.catalogFor(m[1], f.Path); c != nil {
			e := c.plugin[m[2]]
			id, show, version = e.name, m[1]+".plugins."+m[2], e.version
		}
	} else if m := pluginID.FindStringSubmatch(text); m != nil {
		id, show, version = m[1], m[1], m[2]
	}
	if strings.Contains(text, "apply false") {
		return
	}
	if name, ok := pluginPackage(id); ok {
		r.Add(stackparse.Fact{Kind: "maven", Name: name, Show: show, Line: line, Version: version})
	}
}

var scriptRef = pattern.New(`\$\{?(?:rootProject\.|project\.|ext\.|libs\.versions\.)?(\w+)\}?`)

func expand(s string, vars map[string]string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	return scriptRef.ReplaceAllStringFunc(s, func(m string) string {
		name := strings.Trim(m, "${}")
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[i+1:]
		}
		if v, ok := vars[name]; ok {
			return v
		}
		return m
	})
}

// rest adds the entries of catalogues that no script refers to, as faint signs, when there are no scripts at all.
func (t *tree) rest(out func(string) *stackparse.Result) {
	paths := make([]string, 0, len(t.catalogs))
	for p := range t.catalogs {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		c := t.catalogs[p]
		aliases := make([]string, 0, len(c.libraries))
		for a := range c.libraries {
			aliases = append(aliases, a)
		}
		slices.Sort(aliases)
		for _, a := range aliases {
			if e := c.libraries[a]; !c.used[a] {
				_, show, _ := strings.Cut(e.name, ":")
				out(p).Facts = append(out(p).Facts, stackparse.Fact{Kind: "maven", Name: e.name, Show: show, Line: e.line, Version: e.version, State: stackparse.Faint, Transitive: len(c.used) > 0})
			}
		}
	}
}

// Package jvm reads Maven (pom.xml with properties and parents of the same tree), Gradle (Groovy and Kotlin, version
// catalogues, gradle.lockfile) and sbt. Nothing is run or fetched.
package jvm

import (
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.TreeParser.
type Parser struct{}

// Name returns "jvm".
func (Parser) Name() string { return "jvm" }

// Claims takes pom.xml, Gradle's scripts, catalogues and lockfiles, and build.sbt.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return base == "pom.xml" || strings.HasSuffix(base, ".pom") || strings.HasSuffix(base, ".gradle") || strings.HasSuffix(base, ".gradle.kts") ||
		strings.HasSuffix(base, ".versions.toml") || base == "gradle.lockfile" || base == "build.sbt" || strings.HasSuffix(base, "gradle.properties")
}

// Parse reads one file by itself.
func (p Parser) Parse(ctx context.Context, in stackparse.Input, out *stackparse.Result) {
	p.ParseTree(ctx, []stackparse.Input{in}, func(string) *stackparse.Result { return out })
}

// ParseTree reads poms first by their coordinates, then everything with what its tree defines.
func (Parser) ParseTree(ctx context.Context, files []stackparse.Input, out func(string) *stackparse.Result) {
	t := &tree{poms: map[string]*pom{}, catalogs: map[string]*catalogue{}, props: map[string]map[string]string{}}
	for _, f := range files {
		switch base := path.Base(f.Path); {
		case base == "pom.xml" || strings.HasSuffix(base, ".pom"):
			t.loadPom(f, out(f.Path))
		case strings.HasSuffix(base, ".versions.toml"):
			t.loadCatalogue(f, out(f.Path))
		case strings.HasSuffix(base, "gradle.properties"):
			t.loadProperties(f, out(f.Path))
		}
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return
		}
		r := out(f.Path)
		switch base := path.Base(f.Path); {
		case t.poms[f.Path] != nil:
			r.Kind = "maven"
			t.pom(t.poms[f.Path], r)
			registry(base, r)
		case base == "gradle.lockfile":
			r.Kind = "gradle-lock"
			lockfile(f, r)
		case base == "build.sbt":
			r.Kind = "sbt"
			sbt(f, r)
			registry(base, r)
		case strings.HasSuffix(base, ".gradle") || strings.HasSuffix(base, ".gradle.kts"):
			r.Kind = "gradle"
			t.gradle(f, r)
			registry(base, r)
		}
	}
	t.rest(out)
}

func registry(base string, r *stackparse.Result) {
	if r.Dependencies > 0 {
		r.Facts = append(r.Facts, stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "maven-central", Name: base})
	}
}

type tree struct {
	poms     map[string]*pom
	catalogs map[string]*catalogue // by path
	props    map[string]map[string]string
}

// A pom is one Maven project.
type pom struct {
	path             string
	root             *scan.Node
	group, artifact  string
	parentG, parentA string
	relative         string
	props            map[string]string
}

func (t *tree) loadPom(f stackparse.Input, r *stackparse.Result) {
	doc, probs := scan.XML(f.Data)
	r.Problems(probs)
	n := doc.Get("project")
	if n == nil {
		r.Warn(1, "no <project> element")
		n = &scan.Node{Kind: scan.Map}
	}
	p := &pom{path: f.Path, root: n, props: map[string]string{}}
	parent := n.Get("parent")
	p.parentG, p.parentA = parent.Get("groupId").Inner(), parent.Get("artifactId").Inner()
	p.relative = parent.Get("relativePath").Inner()
	p.group, p.artifact = n.Get("groupId").Inner(), n.Get("artifactId").Inner()
	if p.group == "" {
		p.group = p.parentG
	}
	n.Get("properties").Each(func(k string, _ int, v *scan.Node) { p.props[k] = v.Inner() })
	p.props["project.groupId"], p.props["project.artifactId"], p.props["project.version"] = p.group, p.artifact, n.Get("version").Inner()
	t.poms[f.Path] = p
}

// parent finds the parent inside the tree: by its relative path, else by its coordinates.
func (t *tree) parent(p *pom) *pom {
	if p.parentA == "" {
		return nil
	}
	rel := p.relative
	if rel == "" {
		rel = "../pom.xml"
	}
	at := path.Join(path.Dir(p.path), rel)
	for _, x := range []string{at, path.Join(at, "pom.xml")} {
		if q := t.poms[x]; q != nil && q != p && q.artifact == p.parentA {
			return q
		}
	}
	for _, q := range t.poms {
		if q != p && q.artifact == p.parentA && q.group == p.parentG {
			return q
		}
	}
	return nil
}

var property = pattern.New(`\$\{([^}]+)\}`)

// resolve fills in properties from the project and its parents.
func (t *tree) resolve(p *pom, s string) string {
	for range 5 {
		if !strings.Contains(s, "${") {
			return s
		}
		s = property.ReplaceAllStringFunc(s, func(m string) string {
			key := m[2 : len(m)-1]
			for q, depth := p, 0; q != nil && depth < 10; q, depth = t.parent(q), depth+1 {
				if v, ok := q.props[key]; ok && v != m {
					return v
				}
			}
			return m
		})
	}
	return s
}

func (t *tree) pom(p *pom, r *stackparse.Result) {
	deps := func(n *scan.Node, state stackparse.State) {
		for d := range n.Get("dependencies").Values("dependency") {
			t.dependency(p, d, state, r)
		}
	}
	deps(p.root, stackparse.Firm)
	for profile := range p.root.Get("profiles").Values("profile") {
		deps(profile, stackparse.Loose)
	}
	// dependencyManagement and plug-ins only offer: they are no use by themselves.
	r.Dependencies += p.root.Get("dependencyManagement", "dependencies").Count("dependency")
	for repo := range p.root.Get("repositories").Values("repository") {
		if u := repo.Get("url"); u != nil {
			r.Value(stackparse.Setting{Name: "repository", Line: u.Line}, u.Inner(), stackparse.Loose)
		}
	}
}

func (t *tree) dependency(p *pom, d *scan.Node, state stackparse.State, r *stackparse.Result) {
	g, a := t.resolve(p, d.Get("groupId").Inner()), t.resolve(p, d.Get("artifactId").Inner())
	if g == "" || a == "" {
		return
	}
	f := stackparse.Fact{Kind: "maven", Name: g + ":" + a, Show: a, Line: d.Line, State: state}
	if n := d.Get("artifactId"); n != nil {
		f.Line = n.Line
	}
	v := t.resolve(p, d.Get("version").Inner())
	if !strings.Contains(v, "${") {
		f.Version = v
	}
	scope := d.Get("scope").Inner()
	if scope == "" {
		scope = t.managedScope(p, g, a)
	}
	f.Dev = scope == "test"
	if d.Get("optional").Inner() == "true" {
		f.State = stackparse.Faint
	}
	r.Add(f)
}

// managedScope is the scope that dependencyManagement of the project or its parents gives.
func (t *tree) managedScope(p *pom, g, a string) string {
	for q, depth := p, 0; q != nil && depth < 10; q, depth = t.parent(q), depth+1 {
		for d := range q.root.Get("dependencyManagement", "dependencies").Values("dependency") {
			if d.Get("artifactId").Inner() == a && t.resolve(q, d.Get("groupId").Inner()) == g {
				return d.Get("scope").Inner()
			}
		}
	}
	return ""
}

var sbtLine = pattern.New(`"([\w.-]+)"\s*%{1,3}\s*"([\w.-]+)"\s*%\s*("[^"]*"|\w+)(\s*%\s*(?:"test[^"]*"|Test))?`)

func sbt(f stackparse.Input, r *stackparse.Result) {
	scan.Lines(f.Data, func(line int, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "//") {
			return
		}
		for _, m := range sbtLine.FindAllStringSubmatch(text, -1) {
			r.Add(stackparse.Fact{Kind: "maven", Name: m[1] + ":" + m[2], Show: m[2], Line: line, Version: strings.Trim(m[3], `"`), Dev: m[4] != ""})
		}
	})
}

// lockfile lists everything that Gradle resolved, direct or not.
func lockfile(f stackparse.Input, r *stackparse.Result) {
	beside := f.Beside("build.gradle") || f.Beside("build.gradle.kts")
	scan.Lines(f.Data, func(line int, text string) {
		if text == "" || text[0] == '#' {
			return
		}
		p := strings.SplitN(text, ":", 3)
		if len(p) < 3 {
			return
		}
		r.Dependencies++
		if name := p[0] + ":" + p[1]; f.Known("maven", name) {
			v, conf, _ := strings.Cut(p[2], "=")
			r.Facts = append(r.Facts, stackparse.Fact{
				Kind: "maven", Name: name, Line: line, Version: v, State: stackparse.Faint, Transitive: beside,
				Dev: !strings.Contains(conf, "runtimeClasspath") && !strings.Contains(conf, "compileClasspath"),
			})
		}
	})
}

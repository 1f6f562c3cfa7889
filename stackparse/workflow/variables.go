package workflow

import (
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// A value is a text that a name stands for, and the line where that is said.
type value struct {
	text string
	line int
}

// variables are what the names of one file stand for: variables, inputs with their defaults, entries of matrices, loops of
// the shell. They are looked up only where the name of a place is asked for, and gathered when that happens first.
type variables struct {
	data []byte
	of   map[string][]value
}

const (
	// maxNames bounds the names of one file, maxValues those of one name, maxText the letters of a value.
	maxNames, maxValues, maxText = 2000, 12, 64
	// maxHops bounds the names that stand for other names.
	maxHops = 4
)

var (
	// reference is a name in the ways of pipelines and shells, perhaps with what counts where it is not set.
	reference = pattern.New(`\$\{\{\s*([^{}]+?)\s*\}\}|\$\{([A-Za-z_]\w*)(?:\[[@*]\])?(?::?[-=]([\w-]+))?\}|\$[(\[]([A-Za-z_][\w.]*)[)\]]|\$([A-Za-z_]\w*)|<<\s*([\w.-]+)\s*>>|\{\{\s*\.?(\w+)\s*\}\}`)
	// loop is a loop of the shell over words.
	loop = pattern.New(`\bfor\s+([A-Za-z_]\w*)\s+in\s+([^;]+)`)
	// fallback is the text that an expression falls back to.
	fallback = pattern.New(`'([\w-]+)'`)
	// word is a name in an expression.
	word = pattern.New(`[A-Za-z_][\w-]*(?:\.[\w-]+)*`)
	// declared are words before an assignment of the shell.
	declared = pattern.New(`^(?:export|readonly|local|declare|set|override)\s+(?:-\w+\s+)*`)
)

// resolve returns what a text stands for: itself, or what its only name does.
func (v *variables) resolve(text string, line int) []value { return v.follow(text, line, maxHops) }

func (v *variables) follow(text string, line, hops int) []value {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if !strings.ContainsAny(text, "$<{") {
		if text == "" || len(text) > maxText {
			return nil
		}
		return []value{{text, line}}
	}
	m := reference.FindStringSubmatch(text)
	if m == nil || m[0] != text || hops == 0 {
		return nil
	}
	if m[1] != "" {
		return v.expression(m[1], line, hops)
	}
	out := v.named(m[2]+m[4]+m[5]+m[6]+m[7], hops)
	if m[3] != "" {
		out = append(out, value{m[3], line})
	}
	return out
}

// expression returns what an expression of a workflow may be: what its names stand for, and the texts in quotes.
func (v *variables) expression(text string, line, hops int) (out []value) {
	for _, m := range fallback.FindAllStringSubmatch(text, maxValues) {
		out = append(out, value{m[1], line})
	}
	if len(out) == 0 || strings.Contains(text, "||") {
		for _, name := range word.FindAllString(fallback.ReplaceAllString(text, " "), maxValues) {
			out = append(out, v.named(name, hops)...)
		}
	}
	return out
}

// named returns what a name stands for; what stands before its last point says only where it is kept.
func (v *variables) named(name string, hops int) (out []value) {
	if v.of == nil {
		v.gather()
	}
	for _, x := range v.of[name[strings.LastIndexByte(name, '.')+1:]] {
		out = append(out, v.follow(x.text, x.line, hops-1)...)
	}
	return out[:min(len(out), maxValues)]
}

// gather reads the names of the file.
func (v *variables) gather() {
	v.of = map[string][]value{}
	g := gatherer{into: v.of}
	scan.Lines(v.data, g.line)
}

// A gatherer reads names line by line.
type gatherer struct {
	into map[string][]value
	// keys are the keys whose values stand on the lines below, by their indent.
	keys []openKey
	// entry is the name of a list entry that says it in a line of its own ("- name: region").
	entry string
}

type openKey struct {
	indent int
	name   string
}

func (g *gatherer) add(name, text string, line int) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if name == "" || text == "" || len(text) > maxText || len(g.into) > maxNames || len(g.into[name]) >= maxValues {
		return
	}
	g.into[name] = append(g.into[name], value{text, line})
}

// words adds each of several words.
func (g *gatherer) words(name, text string, line int) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" ,\"'()\t", r) }) {
		g.add(name, w, line)
	}
}

func (g *gatherer) line(n int, text string) {
	t := strings.TrimSpace(text)
	if t == "" || t[0] == '#' || strings.HasPrefix(t, "//") {
		return
	}
	if strings.Contains(t, "for ") {
		if m := loop.FindStringSubmatch(t); m != nil {
			g.words(m[1], strings.TrimSuffix(strings.TrimSpace(m[2]), "do"), n)
			return
		}
	}
	if i := strings.Index(t, " #"); i > 0 {
		t = strings.TrimSpace(t[:i])
	}
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	item, isItem := strings.CutPrefix(t, "- ")
	for len(g.keys) > 0 && (indent < g.keys[len(g.keys)-1].indent || indent == g.keys[len(g.keys)-1].indent && !isItem) {
		g.keys = g.keys[:len(g.keys)-1]
	}
	key, v, ok := pair(declared.ReplaceAllString(item, ""))
	if i := strings.IndexAny(item, ":="); ok && item[i] == '=' || strings.HasPrefix(v, "=") || strings.HasSuffix(key, "?") {
		g.assigned(key, strings.TrimPrefix(v, "="), n)
		return
	}
	switch {
	case strings.HasPrefix(item, "{"):
		g.flow("", item, n)
	case !ok && isItem && len(g.keys) > 0:
		g.add(g.keys[len(g.keys)-1].name, item, n)
	case !ok:
		if name, v, found := strings.Cut(item, "?="); found { // a default of Make
			g.assigned(strings.TrimSpace(name), v, n)
		}
	case v == "" || v == "|" || v == ">":
		g.keys = append(g.keys, openKey{indent, key})
	default:
		g.pair(key, v, isItem, n)
	}
}

// assigned takes an assignment; several words are the elements of a list.
func (g *gatherer) assigned(name, text string, line int) {
	if text = strings.TrimSpace(text); strings.ContainsAny(text, " ") && !strings.Contains(text, "$(") {
		g.words(name, text, line)
		return
	}
	g.add(name, text, line)
}

// pair takes "key: value". What is the default or the value of something bears that one's name.
func (g *gatherer) pair(key, v string, item bool, line int) {
	if item {
		g.entry = ""
	}
	switch key {
	case "name":
		g.entry = strings.Trim(v, `"'`)
	case "default", "value":
		if g.entry != "" {
			g.add(g.entry, v, line)
		} else if len(g.keys) > 0 {
			g.add(g.keys[len(g.keys)-1].name, v, line)
		}
		return
	}
	switch v[0] {
	case '[', '{':
		g.flow(key, v, line)
	default:
		g.add(key, v, line)
	}
}

// flow takes a list or a map that stands in one line.
func (g *gatherer) flow(name, text string, line int) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.Trim(part, "[]{} ")
		key, v, ok := strings.Cut(part, ":")
		if !ok {
			g.add(name, part, line)
			continue
		}
		if key = strings.Trim(strings.TrimSpace(key), `"'`); key == "default" && name != "" {
			key = name
		}
		g.add(key, v, line)
	}
}

var (
	// imagesAt are the hosts of registries whose place is told by a name.
	imagesAt = pattern.New(`([\w.${}<>()-][\w.${}<>() -]*)(-docker\.pkg\.dev|\.dkr\.ecr\.([\w.${}<>() -]+)\.amazonaws\.com)\b`)
	// tfVariable is a value for a variable of Terraform among the words of a command.
	tfVariable = pattern.New(`-var[= ]["']?(\w*(?:region|location|zone)\w*)=([\w${}. -]+)`)
	// pulumiConfig is a value for a stack of Pulumi.
	pulumiConfig = pattern.New(`\bpulumi\s+config\s+set\s+(?:--\S+\s+)*([a-z-]+):(region|location|zone)\s+(\S+)`)
)

// told adds the places that a line names by names of variables: in the hosts of registries, and as values for Terraform
// and Pulumi.
func (r *reader) told(text string, n int) {
	if r.host != "google-cloud" && (strings.Contains(text, "-docker.pkg.dev") || strings.Contains(text, ".dkr.ecr.")) { // builds knows them better
		r.registry(text, n)
	}
	if strings.Contains(text, "-var") {
		for _, m := range tfVariable.FindAllStringSubmatch(text, 4) {
			r.placed("", m[1], m[2], n)
		}
	}
	if strings.Contains(text, "config set") {
		if m := pulumiConfig.FindStringSubmatch(text); m != nil {
			r.placed(pulumiClouds[m[1]], m[2], m[3], n)
		}
	}
}

// pulumiClouds are the providers whose namespaces hold a place.
var pulumiClouds = map[string]string{"aws": "aws", "aws-native": "aws", "gcp": "google-cloud", "azure-native": "azure", "azure": "azure", "digitalocean": "digitalocean"}

// registry adds the registries of Google and Amazon whose place stands in a variable.
func (r *reader) registry(text string, n int) {
	for _, m := range imagesAt.FindAllStringSubmatch(text, 4) {
		service, provider, show, place := "artifact-registry", "google-cloud", "docker.pkg.dev", m[1]
		if m[3] != "" {
			service, provider, show, place = "ecr", "aws", ".dkr.ecr.", m[3]
		}
		refs := reference.FindAllString(place, -1)
		f := stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: service, Name: show, Line: n}
		if len(refs) == 0 {
			if strings.ContainsAny(m[1], "$<{") && !strings.ContainsAny(place, "$<{") { // only the account is open
				f.Regions = []string{place}
				r.out.Add(f)
			}
			continue
		}
		r.out.Add(f)
		r.placed(provider, "region", refs[len(refs)-1], n)
	}
}

// placed adds the places that a text says or stands for; whose they are tells the provider or, where it is "", the name.
func (r *reader) placed(provider, name, text string, n int) {
	for _, x := range r.names.resolve(text, n) {
		r.out.Facts = append(r.out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: name, Show: x.text, Line: x.line, Regions: []string{x.text}})
	}
}

package workflow

import (
	"strings"

	"downwind/internal/pattern"
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
	// assignment is one of the shell by itself.
	assignment = pattern.New(`^\s*([A-Za-z_]\w*)=["']?([\w./:-]+)["']?\s*$`)
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
	// entry is the name of a list entry that says it in a line of its own ("- name: region"), column where that begins.
	entry  string
	column int
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
	if strings.Contains(t, ";") {
		for part := range strings.SplitSeq(t, ";") { // several in one line
			if m := assignment.FindStringSubmatch(part); m != nil {
				g.add(m[1], m[2], n)
			}
		}
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
		column := indent
		if isItem {
			column += len(t) - len(item)
		}
		g.pair(key, v, column, n)
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
func (g *gatherer) pair(key, v string, column, line int) {
	switch key {
	case "name":
		g.entry, g.column = strings.Trim(v, `"'`), column
	case "default", "value":
		if g.entry != "" && g.column == column {
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

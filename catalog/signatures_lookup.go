package catalog

import (
	"slices"
	"strings"
)

// A signatureTable indexes the rows of one kind: exact keys, prefixes by their length, and patterns with a * inside.
type signatureTable struct {
	kind  string
	rows  []Signature
	exact map[string][]int32
	// prefix maps what stands before a trailing * (or, for domains, after a leading "*.").
	prefix  map[string][]int32
	lengths []int // of the prefixes, longest first
	globs   []int32
}

func indexSignatures(kind string, rows []Signature) *signatureTable {
	t := &signatureTable{kind: kind, rows: rows, exact: make(map[string][]int32, len(rows)), prefix: map[string][]int32{}}
	seen := map[int]bool{}
	add := func(key string, i int) {
		t.prefix[key] = append(t.prefix[key], int32(i))
		if !seen[len(key)] {
			seen[len(key)] = true
			t.lengths = append(t.lengths, len(key))
		}
	}
	for i, r := range rows {
		key := r.Key
		stars := strings.Count(key, "*")
		if kind == "command" {
			if tool, _, more := strings.Cut(key, " "); more {
				add(tool+" ", i)
			}
		}
		switch {
		case kind == "domain" && stars == 1 && strings.HasPrefix(key, "*."):
			add(key[2:], i)
		case kind == "tf_resource":
			add(strings.TrimSuffix(key, "*"), i)
		case stars == 0:
			t.exact[key] = append(t.exact[key], int32(i))
		case stars == 1 && strings.HasSuffix(key, "*") && kind != "config_file":
			add(key[:len(key)-1], i)
		default:
			t.globs = append(t.globs, int32(i))
		}
	}
	slices.SortFunc(t.lengths, func(a, b int) int { return b - a })
	return t
}

func (t *signatureTable) pick(ids []int32) []Signature {
	if len(ids) == 0 {
		return nil
	}
	out := make([]Signature, len(ids))
	for i, id := range ids {
		out[i] = t.rows[id]
	}
	return out
}

// foldSignature brings a name into the spelling in which its kind is compared.
func foldSignature(kind, name string) string {
	switch kind {
	case "pypi":
		return FoldPyPI(name)
	case "nuget", "domain", "gh_action", "tf_provider", "image", "step", "chart":
		return strings.ToLower(name)
	case "go":
		return trimMajor(name)
	}
	return name
}

// trimMajor takes the major version off a module path: one row speaks of all of them.
func trimMajor(module string) string {
	i := strings.LastIndex(module, "/v")
	if i < 0 || i+2 == len(module) || strings.Trim(module[i+2:], "0123456789") != "" {
		return module
	}
	return module[:i]
}

// FoldPyPI normalises a Python package name after PEP 503: lower case, runs of "-", "_" and "." are one "-".
func FoldPyPI(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	dash := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '-' || c == '_' || c == '.':
			dash = true
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteByte(c)
	}
	return b.String()
}

// Find returns the most specific rows for a name of a kind: an exact key before a prefix, a longer prefix before a
// shorter. Several providers may have equally specific rows; rows of relation "type" say that the name is no use.
// The result is nil where no row fits.
func (s *Signatures) Find(kind, name string) []Signature {
	t, err := s.table(kind)
	if err != nil || name == "" {
		return nil
	}
	name = foldSignature(kind, name)
	switch kind {
	case "domain":
		return t.findHost(name)
	case "image":
		return t.findImage(name)
	case "go":
		return t.findModule(name)
	case "pod":
		if ids := t.exact[name]; ids != nil {
			return t.pick(ids)
		}
		name, _, _ = strings.Cut(name, "/")
	case "config_file":
		return t.findFile(name)
	case "command":
		return t.findCommand(name)
	}
	if kind != "tf_resource" {
		if ids := t.exact[name]; ids != nil {
			return t.pick(ids)
		}
		if ids := t.exact[plainName(kind, name)]; ids != nil {
			return t.pick(ids)
		}
	}
	return t.pick(t.longest(name))
}

// plainName takes off what vendors put behind the name of a library that has more than one edition: the version of the
// interface of Google's gems, Kotlin's extensions of Android's libraries.
func plainName(kind, name string) string {
	switch kind {
	case "gem":
		if i := strings.LastIndex(name, "-v"); i > 0 && i+2 < len(name) && name[i+2] >= '0' && name[i+2] <= '9' {
			return name[:i]
		}
	case "maven":
		return strings.TrimSuffix(name, "-ktx")
	}
	return name
}

// Has says whether any row fits a name of a kind.
func (s *Signatures) Has(kind, name string) bool { return s.Find(kind, name) != nil }

// longest returns the rows of the longest prefix of name.
func (t *signatureTable) longest(name string) []int32 {
	for _, n := range t.lengths {
		if n <= len(name) {
			if ids := t.prefix[name[:n]]; ids != nil {
				return ids
			}
		}
	}
	return nil
}

func (t *signatureTable) findHost(host string) []Signature {
	host = strings.TrimPrefix(strings.TrimSuffix(host, "."), "*.")
	if ids := t.exact[host]; ids != nil {
		return t.pick(ids)
	}
	best, size := []int32(nil), 0
	for rest := host; ; {
		_, after, ok := strings.Cut(rest, ".")
		if !ok {
			break
		}
		if ids := t.prefix[after]; ids != nil {
			best, size = ids, len(after)
			break
		}
		rest = after
	}
	for _, id := range t.globs {
		key := t.rows[id].Key
		if n := len(key) - strings.Count(key, "*"); n > size && globMatch(key, host) {
			best, size = []int32{id}, n
		}
	}
	if best == nil {
		// A domain that is listed with any name below it also speaks for itself when it stands alone ("acme.com").
		best = t.prefix[host]
	}
	return t.pick(best)
}

func (t *signatureTable) findModule(path string) []Signature {
	for p := path; p != ""; {
		if ids := t.exact[p]; ids != nil {
			return t.pick(ids)
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			break
		}
		if short := trimMajor(p); short != p {
			p = short
			continue
		}
		if ids := t.longest(p); ids != nil && len(strings.TrimSuffix(t.rows[ids[0]].Key, "*")) >= i {
			return t.pick(ids)
		}
		p = p[:i]
	}
	return t.pick(t.longest(path))
}

// findCommand looks up a command line by as many of its first words as a row has. A tool with a space behind it asks for
// any command of that tool.
func (t *signatureTable) findCommand(line string) []Signature {
	if strings.HasSuffix(line, " ") {
		return t.pick(t.prefix[line])
	}
	for words := line; ; {
		if ids := t.exact[words]; ids != nil {
			return t.pick(ids)
		}
		i := strings.LastIndexByte(words, ' ')
		if i < 0 {
			return nil
		}
		words = words[:i]
	}
}

// findImage looks up an image reference without tag and digest; Docker Hub's own prefixes are optional.
func (t *signatureTable) findImage(name string) []Signature {
	for _, p := range []string{"docker.io/", "index.docker.io/", "registry-1.docker.io/", "registry.hub.docker.com/"} {
		if after, ok := strings.CutPrefix(name, p); ok {
			name = after
		}
	}
	name = strings.TrimPrefix(name, "library/")
	if ids := t.exact[name]; ids != nil {
		return t.pick(ids)
	}
	best, size := t.longest(name), 0
	if best != nil {
		size = len(t.rows[best[0]].Key) - 1
	}
	for _, id := range t.globs {
		key := t.rows[id].Key
		if n := len(key) - strings.Count(key, "*"); n > size && (globMatch(key, name) || globMatch(key+"/*", name)) {
			best, size = []int32{id}, n
		}
	}
	return t.pick(best)
}

// findFile matches path endings at a slash; a leading * stands for any start of the name, a trailing * for anything below.
func (t *signatureTable) findFile(path string) []Signature {
	var best []int32
	size := 0
	for rest := path; ; {
		if ids := t.exact[rest]; ids != nil {
			best, size = ids, len(rest)
			break
		}
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	for _, id := range t.globs {
		key := t.rows[id].Key
		if len(key) > size && (globMatch(key, path) || globMatch("*/"+key, path)) {
			best, size = []int32{id}, len(key)
		}
	}
	return t.pick(best)
}

// globMatch says whether name fits a pattern in which each * stands for any run of characters, "" included.
func globMatch(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}

package catalog

import "strings"

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
	t := s.table(kind)
	if t == nil {
		return nil
	}
	return t.pick(t.find(name))
}

// Has says whether any row fits a name of a kind.
func (s *Signatures) Has(kind, name string) bool {
	t := s.table(kind)
	return t != nil && t.find(name).n > 0
}

func (t *signatureTable) find(name string) rowRun {
	if name == "" {
		return rowRun{}
	}
	name = foldSignature(t.kind, name)
	switch t.kind {
	case "domain":
		return t.findHost(name)
	case "image":
		return t.findImage(name)
	case "go":
		return t.findModule(name)
	case "pod":
		if run := t.whole(name); run.n > 0 {
			return run
		}
		name, _, _ = strings.Cut(name, "/")
	case "config_file":
		return t.findFile(name)
	case "command":
		return t.findCommand(name)
	}
	if t.kind != "tf_resource" {
		if run := t.whole(name); run.n > 0 {
			return run
		}
		if plain := plainName(t.kind, name); plain != name {
			if run := t.whole(plain); run.n > 0 {
				return run
			}
		}
	}
	run, _ := t.longest(name)
	return run
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

func (t *signatureTable) findHost(host string) rowRun {
	host = strings.TrimPrefix(strings.TrimSuffix(host, "."), "*.")
	if run := t.whole(host); run.n > 0 {
		return run
	}
	best, size := rowRun{}, 0
	for rest := host; ; {
		_, after, ok := strings.Cut(rest, ".")
		if !ok {
			break
		}
		if run := t.after(after); run.n > 0 {
			best, size = run, len(after)
			break
		}
		rest = after
	}
	for _, id := range t.globs {
		key := t.key(id)
		if n := len(key) - strings.Count(key, "*"); n > size && globMatch(key, host) {
			best, size = rowRun{id, 1}, n
		}
	}
	if best.n == 0 {
		// A domain that is listed with any name below it also speaks for itself when it stands alone ("acme.com").
		best = t.after(host)
	}
	return best
}

func (t *signatureTable) findModule(path string) rowRun {
	for p := path; p != ""; {
		if run := t.whole(p); run.n > 0 {
			return run
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			break
		}
		if short := trimMajor(p); short != p {
			p = short
			continue
		}
		if run, key := t.longest(p); run.n > 0 && len(key) >= i {
			return run
		}
		p = p[:i]
	}
	run, _ := t.longest(path)
	return run
}

// findCommand looks up a command line by as many of its first words as a row has. A tool with a space behind it asks for
// any command of that tool.
func (t *signatureTable) findCommand(line string) rowRun {
	if h := toolHead(line); t.tools[h/64]&(1<<(h%64)) == 0 {
		return rowRun{}
	}
	if strings.HasSuffix(line, " ") {
		return t.after(line)
	}
	for words := line; ; {
		if run := t.whole(words); run.n > 0 {
			return run
		}
		i := strings.LastIndexByte(words, ' ')
		if i < 0 {
			return rowRun{}
		}
		words = words[:i]
	}
}

// findImage looks up an image reference without tag and digest; Docker Hub's own prefixes are optional.
func (t *signatureTable) findImage(name string) rowRun {
	for _, p := range []string{"docker.io/", "index.docker.io/", "registry-1.docker.io/", "registry.hub.docker.com/"} {
		if after, ok := strings.CutPrefix(name, p); ok {
			name = after
		}
	}
	name = strings.TrimPrefix(name, "library/")
	if run := t.whole(name); run.n > 0 {
		return run
	}
	best, key := t.longest(name)
	size := len(key)
	for _, id := range t.globs {
		key := t.key(id)
		if n := len(key) - strings.Count(key, "*"); n > size && (globMatch(key, name) || globMatch(key+"/*", name)) {
			best, size = rowRun{id, 1}, n
		}
	}
	return best
}

// findFile matches path endings at a slash; a leading * stands for any start of the name, a trailing * for anything below.
func (t *signatureTable) findFile(path string) rowRun {
	best, size := rowRun{}, 0
	for rest := path; ; {
		if run := t.whole(rest); run.n > 0 {
			best, size = run, len(rest)
			break
		}
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	for _, id := range t.globs {
		key := t.key(id)
		if len(key) > size && fileMatch(key, path) {
			best, size = rowRun{id, 1}, len(key)
		}
	}
	return best
}

// fileMatch says whether a path or one of its endings at a slash fits a pattern.
func fileMatch(pattern, path string) bool {
	for !globMatch(pattern, path) {
		_, after, ok := strings.Cut(path, "/")
		if !ok {
			return false
		}
		path = after
	}
	return true
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

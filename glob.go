package downwind

import "strings"

// Glob reports whether a name fits a pattern in which each * stands for any run of characters, also for none.
func Glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// FitsAny reports whether one of the names fits one of the patterns that people wrote for components or regions: as Glob,
// but only letters and digits decide, as in Fold. An empty name fits nothing.
func FitsAny(patterns, names []string) bool {
	for _, p := range patterns {
		parts := strings.Split(p, "*")
		for i := range parts {
			parts[i] = Fold(parts[i])
		}
		folded := strings.Join(parts, "*")
		for _, n := range names {
			if n = Fold(n); n != "" && Glob(folded, n) {
				return true
			}
		}
	}
	return false
}

package scan

import "bytes"

// Quoted reports whether a place in source code stands in a comment or in a text of several lines, so that what looks like
// code there is only told: between "/*" and "*/", or between three quotes.
func Quoted(text []byte, at int) bool {
	before := text[:at]
	if open := bytes.LastIndex(before, []byte("/*")); open >= 0 && bytes.LastIndex(before, []byte("*/")) < open && (open == 0 || opens(text[open-1])) {
		return true
	}
	for _, mark := range [...]string{`"""`, "'''"} {
		if bytes.Count(before, []byte(mark))%2 == 1 {
			return true
		}
	}
	return false
}

// opens reports whether a comment can begin after a byte; in globs and addresses ("src/**/*.ts", "https://a/*") it stands elsewhere.
func opens(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == '{' || c == '('
}

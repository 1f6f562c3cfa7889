package terraform

import (
	"bytes"

	"downwind/stackparse/internal/scan"
)

// tooDeep returns the line on which expressions nest deeper than is read, 0 where they nowhere do. The library's parser
// calls itself for every bracket, sign, condition and directive of a template, and an overflow of the stack cannot be
// caught. All are counted as they stand, in strings, too: templates nest there.
func tooDeep(b []byte) int {
	line, depth, inner, signs, conditions, directives := 1, 0, 0, 0, 0, 0
	for i, c := range b {
		switch c {
		case '\n':
			line++
			if inner == 0 { // the end of an expression, unless it stands in brackets
				signs, conditions = 0, 0
			}
			continue
		case ' ', '\t', '\r':
			continue
		case '[', '(':
			depth++
			inner++
		case ']', ')':
			depth, inner, conditions = max(depth-1, 0), max(inner-1, 0), 0
		case '{':
			depth++
			if i > 0 && b[i-1] == '%' {
				directives = max(directives+directive(b[i+1:]), 0)
			}
		case '}':
			depth, conditions = max(depth-1, 0), 0
		case '?':
			conditions++
		case ',':
			conditions = 0
		}
		if signs++; c != '!' && c != '-' {
			signs = 0
		}
		if max(depth, signs, conditions, directives) > scan.MaxDepth {
			return line
		}
	}
	return 0
}

// directive says whether a directive of a template opens one that needs an end, or closes one.
func directive(b []byte) int {
	b = bytes.TrimLeft(b[:min(len(b), 16)], "~ \t")
	switch {
	case bytes.HasPrefix(b, []byte("if")), bytes.HasPrefix(b, []byte("for")):
		return 1
	case bytes.HasPrefix(b, []byte("end")):
		return -1
	}
	return 0
}

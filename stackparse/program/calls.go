package program

import (
	"bytes"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

const (
	// maxCalls bounds the hosts that one file calls: more are a table of whom it could call.
	maxCalls = 4
	// maxRead bounds the variables that are taken from a file that calls hosts.
	maxRead = 40
)

var (
	// callable is an address that programs ask: of a host for programs, or by a path for them.
	callable = pattern.New(`^https?://(?:[a-z0-9-]+\.)*(?:[a-z0-9-]+-)?api(?:-[a-z0-9-]+)?\.|^https?://[a-z0-9.-]+/(?:[a-z0-9_-]+/){0,2}(?:api|v[0-9]+(?:\.[0-9]+)?|rest|graphql)(?:/|\.|$)`)
	// handed ends what stands before a text that is set to a name or handed to a call, not listed.
	handed = pattern.New(`[=:(]$|=>$|\breturn$|\|\|$|\?\?$|^@[a-z_]+$|\.(?:get|post|put|patch|delete)$`)
	// shown ends it where the text is only compared with something, or told to people.
	shown = pattern.New(`(?i)(?:includes|with|prefix|index_?of|match|test|equals?|replace|contains|expect|assert\w*|\blog|debug|info|warn\w*|error\w*|exception|print\w*|puts|echo|link\w*|window\.open|\bopen_?(?:url|browser)\w*)\($|[=!]=$|\b(?:case|raise|throw)\b`)
	// besides are words before an address of which is said that it may be reached, or what to read there.
	besides = pattern.New(`(?i)csp|src|allow|origin|cors|whitelist|deny|block|href|preconnect|prefetch|dns|doc|link|example|sample|mock|stub|intercept|help|homepage|website`)
	// reading is how programs read a variable.
	reading = pattern.New(`(?:[eE]nv(?:iron(?:ment)?)?!?|ENV|Variable|fromEnvironment|settings|config|var)(?:\.get|\.fetch)?[.(\[]\s*["']?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b`)
)

// calls adds the hosts that the program calls, of those whose places are given, with the variables that it reads.
func (f *file) calls(asked [][2]int) {
	var found stackparse.Result
	different := map[string]bool{}
	for _, at := range asked {
		n := len(found.Facts)
		line := 1 + bytes.Count(f.text[:at[0]], []byte{'\n'})
		found.Value(stackparse.Setting{Line: line}, string(f.text[at[0]:at[1]]), stackparse.Firm)
		for _, x := range found.Facts[n:] {
			if x.Kind == "domain" && f.in.Known("domain", x.Name) {
				different[x.Name] = true
			}
		}
	}
	if len(different) == 0 || len(different) > maxCalls {
		return
	}
	for _, x := range found.Facts {
		if different[x.Name] {
			f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindCalled, Name: x.Name, Show: x.Show, Line: x.Line})
		}
	}
	read := map[string]bool{}
	for _, m := range reading.FindAllSubmatch(f.text, maxRead) {
		if name := string(m[1]); !read[name] {
			read[name] = true
			f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindRead, Name: name})
		}
	}
}

// asks reports whether an address is one that the program asks: the beginning of a text that is set to a name or handed on.
func (f *file) asks(at [2]int, before string) bool {
	if at[0] == 0 || strings.IndexByte("\"'`", f.text[at[0]-1]) < 0 || at[1] < len(f.text) && f.text[at[1]] == ' ' {
		return false
	}
	if !callable.Match(f.text[at[0]:at[1]]) || besides.MatchString(before) || scan.Quoted(f.text, at[0]) {
		return false
	}
	lead := unquoted(before)
	if lead == "" { // the text begins its line
		start := at[0] - 1
		if start = bytes.LastIndexByte(f.text[:start], '\n'); start < 0 {
			return false
		}
		if lead = f.before(start); besides.MatchString(lead) {
			return false
		}
	}
	return (handed.MatchString(lead) || argument(lead)) && !shown.MatchString(lead)
}

// unquoted takes the beginning of a text off what stands before it: its mark, and the letter that says of what kind it is.
func unquoted(before string) string {
	s := strings.TrimRight(before, "\"'`")
	if n := len(s); n > 0 && strings.IndexByte("fFbBrR$@", s[n-1]) >= 0 && (n == 1 || strings.IndexByte(" =(:,", s[n-2]) >= 0) {
		s = s[:n-1]
	}
	return strings.TrimSpace(s)
}

// argument reports whether what follows is an argument of a call, but not of its first.
func argument(lead string) bool {
	if !strings.HasSuffix(lead, ",") {
		return false
	}
	depth := 0
	for i := len(lead) - 1; i >= 0; i-- {
		switch lead[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				return lead[i] == '(' && !shown.MatchString(lead[:i+1])
			}
			depth--
		}
	}
	return false
}

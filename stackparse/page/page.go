// Package page reads HTML: the scripts, frames and connections that a page loads from other hosts. Links for people
// are nothing.
package page

import (
	"bytes"
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "html".
func (Parser) Name() string { return "html" }

// Claims takes pages that are served as they stand; documentation and reports are left out.
func (Parser) Claims(p string) bool {
	base := strings.ToLower(path.Base(p))
	if !strings.HasSuffix(base, ".html") && !strings.HasSuffix(base, ".htm") {
		return false
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		switch dir {
		case "docs", "doc", "documentation", "coverage", "javadoc", "apidocs", "test", "tests", "fixtures", "testdata", "examples", "mails", "emails":
			return false
		}
	}
	return true
}

var loads = pattern.New(`(?i)<(script|iframe|link|img|source)\b[^>]*?\b(?:src|href)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)`)

// Parse reads one page; files beyond 1 MB are reports, not pages.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	const most = 1 << 20
	if len(in.Data) > most || !bytes.Contains(in.Data, []byte("//")) {
		out.Kind = stackparse.Unread
		return
	}
	comment := false
	scan.Lines(in.Data, func(line int, text string) {
		if comment {
			_, after, closed := strings.Cut(text, "-->")
			if !closed {
				return
			}
			comment, text = false, after
		}
		if before, after, ok := strings.Cut(text, "<!--"); ok {
			_, rest, closed := strings.Cut(after, "-->")
			comment, text = !closed, before+rest
		}
		if !strings.Contains(text, "//") {
			return
		}
		for _, m := range loads.FindAllStringSubmatch(text, 20) {
			link := strings.EqualFold(m[1], "link")
			if link && !strings.Contains(strings.ToLower(m[0]+text), "stylesheet") && !strings.Contains(text, "preconnect") && !strings.Contains(text, "preload") {
				continue
			}
			address := m[2]
			if strings.HasPrefix(address, "//") {
				address = "https:" + address
			}
			out.Dependencies++
			out.Value(stackparse.Setting{Name: "src", Line: line}, address, stackparse.Firm)
		}
	})
	if out.Dependencies == 0 {
		out.Kind = stackparse.Unread
	}
}

package feeds

import (
	"fmt"
	"strings"

	"downwind"
)

// Unknown notes a word of the platform that nobody knows, once per field and word; field is "phase", "impact", "status".
func Unknown(doc *downwind.Document, field, word string) {
	word = PlainLine(word)
	if len(word) > 60 {
		word = strings.ToValidUTF8(word[:60], "") + "…"
	}
	text := fmt.Sprintf("unknown %s %q is shown as unknown", field, word)
	for _, d := range doc.Diagnostics {
		if d.Summary == text {
			return
		}
	}
	const most = 50
	if len(doc.Diagnostics) < most {
		doc.Diagnostics = append(doc.Diagnostics, downwind.Diagnostic{Severity: downwind.SeverityWarning, Summary: text})
	}
}

// statePrefixes are the words that publishers put before a title, in lower case, with what they tell.
var statePrefixes = []struct {
	word  string
	phase downwind.Phase
}{
	{"resolved", downwind.Resolved},
	{"investigating", downwind.Investigating},
	{"identified", downwind.Identified},
	{"monitoring", downwind.Monitoring},
	{"completed", downwind.Completed},
	{"scheduled", downwind.Scheduled},
	{"in progress", downwind.InProgress},
	{"verifying", downwind.Verifying},
	{"postmortem", downwind.Postmortem},
	{"cancelled", downwind.Cancelled},
	{"canceled", downwind.Cancelled},
	{"closed", downwind.Resolved},
	{"fixed", downwind.Resolved},
	{"update", ""},
	{"updated", ""},
	{"new", ""},
	{"ongoing", downwind.Investigating},
	{"active", downwind.Investigating},
	{"mitigated", downwind.Monitoring},
}

// TrimState removes a state prefix from a title ("[Resolved] ", "RESOLVED: ", "Resolved - ") and returns the phase that it
// tells, "" for none.
func TrimState(title string) (rest string, phase downwind.Phase) {
	low := strings.ToLower(title)
	for _, s := range statePrefixes {
		if after, ok := strings.CutPrefix(low, "["+s.word+"]"); ok && len(low) == len(title) {
			return strings.TrimLeft(title[len(title)-len(after):], " :-–"), s.phase
		}
		after, ok := strings.CutPrefix(low, s.word)
		if !ok || len(low) != len(title) {
			continue
		}
		after = strings.TrimLeft(after, " ")
		for _, sep := range []string{": ", "- ", "– ", "— ", "| "} {
			if strings.HasPrefix(after, sep) {
				return strings.TrimSpace(title[len(title)-len(after)+len(sep):]), s.phase
			}
		}
	}
	return title, ""
}

// LastPart is the last part of an address's path, without query and fragment: how platforms name an incident in its
// address. It is empty for an address without a path.
func LastPart(address string) string {
	rest := address
	if _, after, ok := strings.Cut(rest, "://"); ok {
		_, rest, _ = strings.Cut(after, "/")
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimRight(rest, "/")
	return rest[strings.LastIndexByte(rest, '/')+1:]
}

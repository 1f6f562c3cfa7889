// Package hostile has texts that are made to cost the readers of prose time and memory. Tests and benchmarks use it.
package hostile

import "strings"

// Units are the pieces of such texts by name: each text is one of them repeated.
func Units() map[string]string {
	return map[string]string{
		"digits":       "1234567890",
		"clocks":       "12:34 ",
		"dashes":       "12:34-",
		"zones":        "UTC PST EST CET ",
		"mixed":        "between 12:34 UTC - 1330 PST and May 5, 2024 ~ ",
		"noStops":      "since 10:00 UTC errors recovered between 11:00 and ",
		"stars":        "**",
		"tags":         "<a <b ",
		"entities":     "&amp;&nbsp",
		"colons":       "://",
		"spaces":       " ",
		"newlines":     "\n",
		"wide":         "日2:00本",
		"words":        "resolved recovered failed ",
		"regions":      "US East (Chicago) us-east-1 ",
		"durations":    "5 minutes for 10 hours ",
		"parens":       "10:00 PT / ",
		"months":       "May 5 June 6 ",
		"slashes":      "1/2/",
		"workaround":   "please retry the request. ",
		"dots":         ".",
		"starred":      "** ",
		"dotted":       ". ",
		"manyRegions":  "US East 12:34-12:40 us-west-7 11:00-11:01 ",
		"manyWindows":  "between 10:00 and 10:01 UTC on 4 May 2026, from 5 June 2026 11:00 to 11:05 UTC, ",
		"unterminated": "<" + strings.Repeat("x", 200),
		"ranges":       "10:00-11:00 ",
		"zoned":        "10:00 - 11:00 UTC May 5 ",
		"offsets":      "UTC+8 ",
		"betweens":     "between ",
		"countries":    "US ",
		"slashed":      "a/b/c/",
		"numbers":      "1 2 3 ",
		"waves":        "resolved at 10:00 UTC. errors began at 11:00 UTC. ",
		"timeline":     "10:00 UTC - errors\n11:00 UTC - resolved\n",
		"stamps":       "2026-05-01T10:00:00Z/2026-05-01T11:00:00Z ",
		"months only":  "January February March ",
		"nested":       "<b><i><p>",
		"quotes":       `"'"'`,
	}
}

// Text repeats a unit up to n bytes, or a little more.
func Text(unit string, n int) string { return strings.Repeat(unit, (n+len(unit)-1)/len(unit)) }

// Package importtest keeps the directions of the house: data flows one way, the middle is pure, and a plugin folder
// knows its contract but never a sibling.
package importtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed lists, by the first folder of a package, what it may import of ours besides the root, and of other packages
// of its own family. The reasons stand in docs/design.md.
var allowed = map[string][]string{
	"secret":     {},
	"catalog":    {},
	"archive":    {},
	"feeds":      {"catalog"},
	"stackparse": {"catalog"},
	"match":      {"catalog"},
	"guidance":   {"catalog"},
	"plan":       {"archive", "match", "guidance", "catalog"},
	"proof":      {},
	"notify":     {"secret"},
	"deliver":    {"notify"},
	"store":      {"secret", "proof"},
	"chat":       {"catalog", "stackparse", "notify", "secret"},
	"web":        {"secret"},
	"config":     {"secret"},
	"internal":   {},
}

// everything may import all of ours: the wiring, the commands and the measuring programs.
var everything = []string{"app", "cmd", "bench"}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}}: {{join .Imports \" \"}}", "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 10 {
		t.Fatalf("go list names only %d packages", len(lines))
	}
	for _, line := range lines {
		pkg, imports, _ := strings.Cut(line, ": ")
		for _, imp := range strings.Fields(imports) {
			if reason := forbidden(pkg, imp); reason != "" {
				t.Errorf("%s imports %s: %s", pkg, imp, reason)
			}
		}
	}
}

// forbidden returns why a package may not import another, "" where it may.
func forbidden(pkg, imp string) string {
	if pkg == "downwind" {
		switch {
		case strings.Contains(strings.Split(imp, "/")[0], "."), strings.HasPrefix(imp, "downwind/"):
			return "the root imports the standard library only"
		case imp == "net/http" || imp == "database/sql" || imp == "os":
			return "the root does no I/O"
		}
		return ""
	}
	if !strings.HasPrefix(imp, "downwind/") {
		return ""
	}
	from, to := parts(pkg), parts(imp)
	switch {
	case slices.Contains(everything, from[0]):
		return ""
	case to[0] == "config" || to[0] == "app" || to[0] == "cmd":
		return "only app and cmd see the configuration and the wiring"
	case isTestHelper(from):
		return ""
	case to[0] == "internal":
		return "" // tools that know nothing of ours
	case from[0] == to[0]:
		return sibling(from, to)
	case from[0] == "chat" && to[0] == "notify" && len(to) > 1 && (len(from) < 2 || from[1] != to[1]):
		return "a chat folder may import its notify twin only"
	case !slices.Contains(allowed[from[0]], to[0]):
		return "data flows one way; see docs/design.md"
	case len(to) > 1 && to[0] != "notify" && to[0] != "proof":
		return "a plugin folder is known to its list and to app only"
	}
	return ""
}

func parts(pkg string) []string { return strings.Split(strings.TrimPrefix(pkg, "downwind/"), "/") }

// isTestHelper reports whether a package only serves tests (feedstest, slacktest, …).
func isTestHelper(path []string) bool {
	last := path[len(path)-1]
	return strings.HasSuffix(last, "test") || last == "preview"
}

// sibling judges an import within one family: contract and list may be imported, plugins may not import each other.
func sibling(from, to []string) string {
	switch {
	case len(to) > 1 && to[1] == "internal":
		return ""
	case len(from) == 1 && len(to) > 1 && (from[0] == "feeds" || from[0] == "stackparse" || from[0] == "notify" || from[0] == "chat"):
		return "a contract does not know its plugins"
	case len(from) > 1 && len(to) > 1 && from[1] != to[1] && from[1] != "all":
		return "a plugin folder imports its contract, never a sibling"
	}
	return ""
}

func TestForbidden(t *testing.T) {
	tests := []struct {
		pkg, imp string
		ok       bool
	}{
		{"downwind", "time", true},
		{"downwind", "net/http", false},
		{"downwind", "downwind/secret", false},
		{"downwind/plan", "downwind/match", true},
		{"downwind/plan", "downwind/store", false},
		{"downwind/feeds/aws", "downwind/feeds", true},
		{"downwind/feeds/aws", "downwind/feeds/gcloud", false},
		{"downwind/feeds/all", "downwind/feeds/gcloud", true},
		{"downwind/chat/slack", "downwind/notify/slack", true},
		{"downwind/chat/slack", "downwind/notify/discord", false},
		{"downwind/web", "downwind/store", false},
		{"downwind/store", "downwind/config", false},
		{"downwind/app", "downwind/config", true},
		{"downwind/match", "downwind/internal/pattern", true},
		{"downwind/internal/pattern", "downwind/match", false},
	}
	for _, tt := range tests {
		if got := forbidden(tt.pkg, tt.imp); (got == "") != tt.ok {
			t.Errorf("forbidden(%s, %s) = %q, want allowed %v", tt.pkg, tt.imp, got, tt.ok)
		}
	}
}

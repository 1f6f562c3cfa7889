package chat

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every command line in the documents parses, and every verb is described.
func TestDocumentedCommandsParse(t *testing.T) {
	line := regexp.MustCompile("`/(?:feed|downwind) ([^`…]+)`|(?m)^(?:Try: )?/(?:feed|downwind) (.+)$")
	for _, name := range []string{"commands.md", "install-slack.md", "install-discord.md"} {
		raw, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range line.FindAllStringSubmatch(string(raw), -1) {
			text := m[1] + m[2]
			if strings.Contains(text, "target:") || strings.Contains(text, "admins_only:") {
				continue // Discord's own form
			}
			found++
			if _, err := Parse(text); err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
			}
		}
		if found == 0 {
			t.Errorf("%s: no commands found", name)
		}
		if name != "commands.md" {
			continue
		}
		for _, verb := range verbNames() {
			if !strings.Contains(string(raw), "`"+verb) {
				t.Errorf("%s does not describe %s", name, verb)
			}
		}
		for _, key := range append(append([]string{}, subscribeKeys...), "at", "tz", "except") {
			if !strings.Contains(string(raw), key+":") {
				t.Errorf("%s does not describe %s:", name, key)
			}
		}
	}
}

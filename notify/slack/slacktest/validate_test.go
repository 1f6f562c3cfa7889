package slacktest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"downwind/notify/slack/slacktest"
)

func TestValidateRefuses(t *testing.T) {
	section := func(n int) string {
		return fmt.Sprintf(`{"type":"section","text":{"type":"mrkdwn","text":%q}}`, strings.Repeat("x", n))
	}
	button := func(id, label, url string) string {
		return fmt.Sprintf(`{"type":"button","action_id":%q,"url":%q,"text":{"type":"plain_text","text":%q}}`, id, url, label)
	}
	actions := func(b ...string) string { return `{"type":"actions","elements":[` + strings.Join(b, ",") + `]}` }
	for _, c := range []struct{ name, text, blocks, want string }{
		{"good", "x", section(3000), ""},
		{"long text", strings.Repeat("x", 4001), section(1), "text is longer"},
		{"long section", "x", section(3001), "at most 3000"},
		{"emoji count double", "x", fmt.Sprintf(`{"type":"section","text":{"type":"mrkdwn","text":%q}}`, strings.Repeat("😀", 1501)), "at most 3000"},
		{"long header", "x", fmt.Sprintf(`{"type":"header","text":{"type":"plain_text","text":%q}}`, strings.Repeat("x", 151)), "at most 150"},
		{"header with markup", "x", `{"type":"header","text":{"type":"mrkdwn","text":"x"}}`, "plain_text"},
		{"many blocks", "x", strings.TrimSuffix(strings.Repeat(section(1)+",", 51), ","), "at most 50"},
		{"all together", "x", strings.TrimSuffix(strings.Repeat(section(2700)+",", 5), ","), "all blocks"},
		{"empty text", "x", section(0), "empty text"},
		{"same id twice", "x", actions(button("a", "x", ""), button("a", "y", "")), "twice"},
		{"long label", "x", actions(button("a", strings.Repeat("x", 76), "")), "at most 75"},
		{"no http address", "x", actions(button("a", "x", "javascript:alert(1)")), "no http address"},
		{"unknown block", "x", `{"type":"marquee"}`, "unknown type"},
		{"empty context", "x", `{"type":"context","elements":[]}`, "1 to 10"},
	} {
		got := strings.Join(slacktest.Validate(c.text, json.RawMessage("["+c.blocks+"]")), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLive(t *testing.T) {
	for text, want := range map[string]bool{
		"<!channel>": true, "<@U012>": true, "<#C012>": true, "<!subteam^S1>": true, "<https://evil.example|x>": true, "see https://evil.example": true,
		"www.evil.example": true, "evil.com": true, "<!date^1^{time}|12:00>": false, "<https://ok.example/a|x>": false, "&lt;!channel&gt;": false, "`evil.com`": false, "plain": false,
	} {
		if got := len(slacktest.Live(text, "https://ok.example/")) > 0; got != want {
			t.Errorf("%q: live %v, want %v", text, got, want)
		}
	}
}

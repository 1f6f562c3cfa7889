package discordtest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"downwind/notify/discord/discordtest"
)

func TestValidateRefuses(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	row := func(b ...string) string { return `{"type":1,"components":[` + strings.Join(b, ",") + `]}` }
	for _, c := range []struct{ name, content, embeds, components, want string }{
		{"good", "", `{"title":"x","url":"https://a.example"}`, row(`{"type":2,"style":5,"label":"x","url":"https://a.example"}`), ""},
		{"nothing", "", "", "", "empty message"},
		{"long content", x(2001), "", "", "at most 2000"},
		{"long title", "", fmt.Sprintf(`{"title":%q}`, x(257)), "", "at most 256"},
		{"long description", "", fmt.Sprintf(`{"description":%q}`, x(4097)), "", "at most 4096"},
		{"long value", "", fmt.Sprintf(`{"fields":[{"name":"a","value":%q}]}`, x(1025)), "", "at most 1024"},
		{"empty value", "", `{"fields":[{"name":"a","value":" "}]}`, "", "empty field"},
		{"many fields", "", `{"fields":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","value":"b"},`, 26), ",") + `]}`, "", "at most 25"},
		{"all together", "", fmt.Sprintf(`{"description":%q},{"description":%q}`, x(4000), x(2001)), "", "at most 6000"},
		{"same url twice", "", `{"title":"a","url":"https://a.example"},{"title":"b","url":"https://a.example"}`, "", "is hidden"},
		{"six buttons", "x", "", row(strings.TrimSuffix(strings.Repeat(`{"type":2,"style":2,"label":"x","custom_id":"a"},`, 6), ",")), "6 components"},
		{"id twice", "x", "", row(`{"type":2,"style":2,"custom_id":"a"}`, `{"type":2,"style":2,"custom_id":"a"}`), "twice"},
		{"long id", "x", "", row(fmt.Sprintf(`{"type":2,"style":2,"custom_id":%q}`, x(101))), "at most 100"},
		{"link with an id", "x", "", row(`{"type":2,"style":5,"url":"https://a.example","custom_id":"a"}`), "exactly one"},
		{"link of the wrong style", "x", "", row(`{"type":2,"style":2,"url":"https://a.example"}`), "style 2"},
	} {
		got := strings.Join(discordtest.Validate(c.content, json.RawMessage("["+c.embeds+"]"), json.RawMessage("["+c.components+"]")), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestValidateCommandsRefuses(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"good":           {`[{"name":"feed","description":"x","options":[{"name":"sub","type":1,"description":"y"}]}]`, ""},
		"upper case":     {`[{"name":"Feed","description":"x"}]`, "bad name"},
		"no description": {`[{"name":"feed"}]`, "description"},
		"both":           {`[{"name":"feed","description":"x","options":[{"name":"a","type":3,"description":"y","autocomplete":true,"choices":[{}]}]}]`, "autocomplete"},
	} {
		got := strings.Join(discordtest.ValidateCommands(json.RawMessage(c.raw)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestLive(t *testing.T) {
	for text, want := range map[string]bool{
		"@everyone": true, "<@123>": true, "<@&123>": true, "<#123>": true, "</feed:123>": true, "<:kek:123>": true, "[a](https://evil.example)": true,
		"https://evil.example": true, "www.evil.example": true, "<t:1:f>": false, "[a](https://ok.example/b)": false, "@\u200beveryone": false, "`https://evil.example`": false, `\[a\](b)`: false,
	} {
		if got := len(discordtest.Live(text, "https://ok.example/")) > 0; got != want {
			t.Errorf("%q: live %v, want %v", text, got, want)
		}
	}
}

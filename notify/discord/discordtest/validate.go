package discordtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// size counts as Discord does at worst: in UTF-16 units.
func size(s string) int { return len(utf16.Encode([]rune(s))) }

type embed struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Fields      []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
	Footer *struct {
		Text string `json:"text"`
	} `json:"footer"`
	Author *struct {
		Name string `json:"name"`
	} `json:"author"`
}

// Validate reports what Discord would refuse or hide in a message: empty for a good one. The limits are those of
// docs.discord.com/developers/resources/message.
func Validate(content string, embeds, components json.RawMessage) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if size(content) > 2000 {
		bad("content of %d, at most 2000", size(content))
	}
	var list []embed
	if len(embeds) > 0 {
		if err := json.Unmarshal(embeds, &list); err != nil {
			return append(out, "embeds: "+err.Error())
		}
	}
	if content == "" && len(list) == 0 {
		bad("empty message")
	}
	if len(list) > 10 {
		bad("%d embeds, at most 10", len(list))
	}
	total := 0
	urls := map[string]bool{}
	for i, e := range list {
		if e.URL != "" && urls[e.URL] {
			bad("embed %d has the url of another and is hidden", i+1)
		}
		urls[e.URL] = true
		total += validEmbed(e, bad)
	}
	if total > 6000 {
		bad("embeds of %d in all, at most 6000", total)
	}
	validComponents(components, bad)
	return out
}

// validEmbed checks one embed and returns its length.
func validEmbed(e embed, bad func(string, ...any)) int {
	over := func(what, s string, limit int) int {
		if size(s) > limit {
			bad("%s of %d, at most %d", what, size(s), limit)
		}
		return size(s)
	}
	n := over("title", e.Title, 256) + over("description", e.Description, 4096)
	if len(e.Fields) > 25 {
		bad("%d fields, at most 25", len(e.Fields))
	}
	for _, f := range e.Fields {
		if strings.TrimSpace(f.Name) == "" || strings.TrimSpace(f.Value) == "" {
			bad("empty field %q", f.Name)
		}
		n += over("field name", f.Name, 256) + over("field value", f.Value, 1024)
	}
	if e.Footer != nil {
		n += over("footer", e.Footer.Text, 2048)
	}
	if e.Author != nil {
		n += over("author", e.Author.Name, 256)
	}
	if e.URL != "" && !strings.HasPrefix(e.URL, "https://") && !strings.HasPrefix(e.URL, "http://") {
		bad("url %q is no http address", e.URL)
	}
	return n
}

type component struct {
	Type       int         `json:"type"`
	Style      int         `json:"style"`
	Label      string      `json:"label"`
	URL        string      `json:"url"`
	CustomID   string      `json:"custom_id"`
	Options    []any       `json:"options"`
	Components []component `json:"components"`
}

func validComponents(raw json.RawMessage, bad func(string, ...any)) {
	if len(raw) == 0 {
		return
	}
	var rows []component
	if err := json.Unmarshal(raw, &rows); err != nil {
		bad("components: %v", err)
		return
	}
	if len(rows) > 5 {
		bad("%d rows, at most 5", len(rows))
	}
	ids := map[string]bool{}
	for _, row := range rows {
		if row.Type != 1 || len(row.Components) == 0 || len(row.Components) > 5 {
			bad("row of type %d with %d components", row.Type, len(row.Components))
		}
		for _, c := range row.Components {
			switch {
			case c.CustomID != "" && ids[c.CustomID]:
				bad("custom_id %q twice", c.CustomID)
			case size(c.CustomID) > 100:
				bad("custom_id of %d, at most 100", size(c.CustomID))
			case c.Type == 2 && (c.URL == "") == (c.CustomID == ""):
				bad("button %q needs exactly one of url and custom_id", c.Label)
			case c.Type == 2 && (c.Style == 5) != (c.URL != ""):
				bad("button %q: style %d with url %q", c.Label, c.Style, c.URL)
			case size(c.Label) > 80:
				bad("label of %d, at most 80", size(c.Label))
			case size(c.URL) > 512:
				bad("button url of %d, at most 512", size(c.URL))
			case len(c.Options) > 25:
				bad("%d options, at most 25", len(c.Options))
			}
			ids[c.CustomID] = true
		}
	}
}

var commandName = regexp.MustCompile(`^[-_\p{Ll}\p{N}]{1,32}$`)

// ValidateCommands reports what Discord would refuse in a list of commands.
func ValidateCommands(raw json.RawMessage) []string {
	type option struct {
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Type        int               `json:"type"`
		Options     []json.RawMessage `json:"options"`
		Choices     []any             `json:"choices"`
		Auto        bool              `json:"autocomplete"`
	}
	var out []string
	var walk func(raw json.RawMessage, path string, top bool)
	walk = func(raw json.RawMessage, path string, top bool) {
		var o option
		if err := json.Unmarshal(raw, &o); err != nil {
			out = append(out, path+": "+err.Error())
			return
		}
		path += "/" + o.Name
		message := top && o.Type > 1
		switch {
		case !message && !commandName.MatchString(o.Name):
			out = append(out, fmt.Sprintf("%s: bad name", path))
		case !message && (o.Description == "" || size(o.Description) > 100):
			out = append(out, fmt.Sprintf("%s: description of %d, 1 to 100", path, size(o.Description)))
		case len(o.Options) > 25 || len(o.Choices) > 25:
			out = append(out, path+": more than 25 options or choices")
		case o.Auto && len(o.Choices) > 0:
			out = append(out, path+": autocomplete together with choices")
		}
		for _, sub := range o.Options {
			walk(sub, path, false)
		}
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return []string{err.Error()}
	}
	if len(list) > 100 {
		out = append(out, fmt.Sprintf("%d commands, at most 100", len(list)))
	}
	for _, c := range list {
		walk(c, "", true)
	}
	return out
}

var (
	mention = regexp.MustCompile(`@(everyone|here)|<@[!&]?[0-9]+>`)
	live    = regexp.MustCompile(`@(everyone|here)\b|<(@[!&]?|#|id:|/[^>]*:|a?:[a-z_0-9]+:)[^>]*>`)
	masked  = regexp.MustCompile(`(^|[^\\])\[((?:[^\]\\]|\\.)*)\]\(([^)]*)\)`)
	address = regexp.MustCompile(`(?i)(https?://|www\.)[^\s)>]+`)
	codes   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// notified is who a message really pings.
func notified(p sent) []string {
	var out []string
	if p.AllowedMentions == nil {
		return mention.FindAllString(p.Content, -1)
	}
	for _, r := range p.AllowedMentions.Roles {
		if strings.Contains(p.Content, "<@&"+r+">") {
			out = append(out, r)
		}
	}
	return out
}

// Live lists what in a text names somebody or leads somewhere: mentions, emoji, command links, and links but those to
// the allowed beginnings of addresses. Timestamps are none of these.
func Live(text string, allowed ...string) []string {
	text = codes.ReplaceAllString(text, " ")
	var out []string
	ok := func(u string) bool {
		for _, a := range allowed {
			if strings.HasPrefix(u, a) {
				return true
			}
		}
		return false
	}
	out = append(out, live.FindAllString(text, -1)...)
	for _, m := range masked.FindAllStringSubmatch(text, -1) {
		if !ok(m[3]) {
			out = append(out, m[0])
		}
	}
	for _, u := range address.FindAllString(text, -1) {
		if !ok(u) {
			out = append(out, u)
		}
	}
	return out
}

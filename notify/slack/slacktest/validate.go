package slacktest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// Size counts as Slack does at worst: in UTF-16 units.
func size(s string) int { return len(utf16.Encode([]rune(s))) }

// Validate reports what Slack would refuse or silently cut in a message: empty for a good one. The limits are those of
// docs.slack.dev/reference/block-kit; 13,000 characters over all blocks is measured by others and undocumented.
func Validate(text string, blocks json.RawMessage) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if size(text) > 4000 {
		bad("text is longer than 4000: %d", size(text))
	}
	if len(blocks) == 0 {
		return out
	}
	var list []map[string]any
	if err := json.Unmarshal(blocks, &list); err != nil {
		return append(out, "blocks are no list: "+err.Error())
	}
	if len(list) > 50 {
		bad("%d blocks, at most 50", len(list))
	}
	total := 0
	for i, b := range list {
		total += validBlock(b, func(format string, args ...any) {
			bad("block %d (%v): %s", i+1, b["type"], fmt.Sprintf(format, args...))
		})
	}
	if total > 13000 {
		bad("all blocks together are longer than 13000: %d", total)
	}
	return out
}

// validBlock checks one block and returns its length.
func validBlock(b map[string]any, bad func(string, ...any)) int {
	if id, _ := b["block_id"].(string); size(id) > 255 {
		bad("block_id longer than 255")
	}
	switch b["type"] {
	case "header":
		return validText(b["text"], 150, true, bad)
	case "section":
		n := 0
		fields, _ := b["fields"].([]any)
		if b["text"] != nil || len(fields) == 0 {
			n = validText(b["text"], 3000, false, bad)
		}
		if len(fields) > 10 {
			bad("%d fields, at most 10", len(fields))
		}
		for _, f := range fields {
			n += validText(f, 2000, false, bad)
		}
		return n
	case "context":
		els, _ := b["elements"].([]any)
		if len(els) == 0 || len(els) > 10 {
			bad("%d elements, 1 to 10", len(els))
		}
		n := 0
		for _, e := range els {
			n += validText(e, 3000, false, bad)
		}
		return n
	case "actions":
		return validActions(b, bad)
	case "divider", "input", "image":
		return 0
	}
	bad("unknown type")
	return 0
}

func validText(v any, limit int, plain bool, bad func(string, ...any)) int {
	t, _ := v.(map[string]any)
	s, _ := t["text"].(string)
	switch {
	case s == "":
		bad("empty text")
	case size(s) > limit:
		bad("text of %d, at most %d", size(s), limit)
	}
	switch t["type"] {
	case "plain_text":
	case "mrkdwn":
		if plain {
			bad("must be plain_text")
		}
	default:
		bad("text of type %v", t["type"])
	}
	return size(s)
}

func validActions(b map[string]any, bad func(string, ...any)) int {
	els, _ := b["elements"].([]any)
	if len(els) == 0 || len(els) > 25 {
		bad("%d elements, 1 to 25", len(els))
	}
	seen := map[string]bool{}
	n := 0
	for _, e := range els {
		m, _ := e.(map[string]any)
		id, _ := m["action_id"].(string)
		if size(id) > 255 {
			bad("action_id longer than 255")
		}
		if id != "" && seen[id] {
			bad("action_id %q twice", id)
		}
		seen[id] = true
		if m["type"] != "button" {
			continue
		}
		n += validText(m["text"], 75, true, bad)
		if v, _ := m["value"].(string); size(v) > 2000 {
			bad("value longer than 2000")
		}
		if u, _ := m["url"].(string); u != "" {
			if size(u) > 3000 {
				bad("url longer than 3000")
			}
			if !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") {
				bad("url %q is no http address", u)
			}
		}
	}
	return n
}

var (
	entity  = regexp.MustCompile(`<([^>]*)>`)
	address = regexp.MustCompile(`(?i)(https?://|www\.)[^\s|>]+`)
	naked   = regexp.MustCompile(`(?i)\b[a-z0-9-]+\.(com|net|org|io|dev|example|evil|app|co|me)\b`)
	codes   = regexp.MustCompile("`[^`\n]*`")
)

// Live lists what in a mrkdwn text notifies somebody or leads somewhere: mentions, and links but those to the allowed
// beginnings of addresses. Dates are neither.
func Live(text string, allowed ...string) []string {
	var out []string
	ok := func(u string) bool {
		for _, a := range allowed {
			if strings.HasPrefix(u, a) {
				return true
			}
		}
		return false
	}
	for _, m := range entity.FindAllStringSubmatch(text, -1) {
		body := m[1]
		switch {
		case strings.HasPrefix(body, "!date^"):
		case strings.HasPrefix(body, "!"), strings.HasPrefix(body, "@"), strings.HasPrefix(body, "#"):
			out = append(out, m[0])
		case !ok(strings.SplitN(body, "|", 2)[0]):
			out = append(out, m[0])
		}
	}
	rest := codes.ReplaceAllString(entity.ReplaceAllString(text, " "), " ")
	for _, u := range append(address.FindAllString(rest, -1), naked.FindAllString(address.ReplaceAllString(rest, " "), -1)...) {
		if !ok(u) {
			out = append(out, u)
		}
	}
	return out
}

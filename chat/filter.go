package chat

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// FilterKinds are the values of kinds: in the order in which they are shown.
var FilterKinds = []string{"new", "update", "resolved", "postmortem", "edit", "maintenance"}

// keyAliases are other spellings of filter keys.
var keyAliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"kind": "kinds", "regions": "region", "components": "component", "severity": "min", "mentions": "mention",
		"threads": "thread", "ends": "end", "timezone": "tz", "zone": "tz", "in": "channel", "mentionfrom": "mention-from",
	}
})

// filter reads one key:value.
func (p *parser) filter(t token) error {
	key := t.key
	if a, ok := keyAliases()[key]; ok {
		key = a
	}
	if key == "for" && p.cmd.Verb == VerbMute {
		return p.setFor(t.word())
	}
	if !p.takes(key) {
		return p.unknownKey(t.key)
	}
	if len(t.values) == 0 {
		return p.fail(fmt.Sprintf("%s: needs a value after the colon.", key), p.repair(key, sample(key)))
	}
	if err := p.setFilter(key, t.values); err != nil {
		return err
	}
	p.cmd.Given = append(p.cmd.Given, key)
	return nil
}

func (p *parser) takes(key string) bool {
	for _, k := range p.info.keys {
		if k == key {
			return true
		}
	}
	return false
}

// sample is a right value of a key.
func sample(key string) string {
	return map[string]string{
		"min": "major", "kinds": "new,resolved", "region": "eu-*", "component": `"Webhooks"`, "only": "affected", "thread": "on", "end": "thread",
		"mention": "@oncall", "mention-from": "critical", "channel": "#ops", "at": "08:00", "tz": "Europe/Berlin", "except": "critical",
	}[key]
}

// repair writes the command so far with key:value added.
func (p *parser) repair(key, value string) string {
	c := p.cmd
	c.Given = nil
	for _, k := range p.cmd.Given {
		if k != key {
			c.Given = append(c.Given, k)
		}
	}
	return strings.TrimSpace(c.String() + " " + key + ":" + value)
}

func (p *parser) unknownKey(key string) error {
	if filterKey(key) || key == "for" {
		where := "subscribe"
		for _, i := range grammar() {
			for _, k := range i.keys {
				if k == key {
					where = string(i.verb)
				}
			}
		}
		return p.fail(fmt.Sprintf("%s does not take %s: (%s does).", p.cmd.Verb, key, where), p.cmd.String())
	}
	wrong := fmt.Sprintf("I don't know the filter %q.", echo(key))
	if len(p.info.keys) == 0 {
		return p.fail(wrong+fmt.Sprintf(" %s takes none.", p.cmd.Verb), p.cmd.String())
	}
	if near := closest(key, p.info.keys); len(near) > 0 {
		return p.fail(wrong+" Did you mean "+oneOf(near)+"?", p.repair(near[0], sample(near[0])))
	}
	return p.fail(wrong+" There are: "+strings.Join(p.info.keys, ", ")+".", p.cmd.String())
}

// setFilter stores the values of a key.
func (p *parser) setFilter(key string, values []string) error {
	f, v := &p.cmd.Filter, strings.Join(values, ",")
	switch key {
	case "min":
		return p.setImpact(key, v, &f.Min)
	case "mention-from":
		return p.setImpact(key, v, &f.MentionFrom)
	case "except":
		return p.setImpact(key, v, &p.cmd.Except)
	case "kinds":
		return p.setKinds(values)
	case "region":
		return p.setGlobs(key, values, &f.Regions)
	case "component":
		return p.setGlobs(key, values, &f.Components)
	case "only":
		switch strings.ToLower(v) {
		case "affected", "on", "yes":
			f.OnlyAffected, p.cmd.OnlyOff = true, false
		case "all", "off", "no":
			f.OnlyAffected, p.cmd.OnlyOff = false, true
		default:
			return p.fail(fmt.Sprintf("only: takes affected or all; you wrote %q.", echo(v)), p.repair(key, "affected"))
		}
	case "thread":
		switch strings.ToLower(v) {
		case "on", "yes":
			f.NoThread = false
		case "off", "no":
			f.NoThread = true
		default:
			return p.fail(fmt.Sprintf("thread: takes on or off; you wrote %q.", echo(v)), p.repair(key, "on"))
		}
	case "end":
		switch strings.ToLower(v) {
		case "thread":
			f.EndInThread = true
		case "channel":
			f.EndInThread = false
		default:
			return p.fail(fmt.Sprintf("end: takes channel or thread; you wrote %q.", echo(v)), p.repair(key, "thread"))
		}
	case "mention":
		return p.setMention(v)
	case "channel":
		p.cmd.Channel = "#" + strings.TrimLeft(v, "#")
		if p.cmd.Channel == "#" {
			return p.fail("channel: needs the name of a channel.", p.repair(key, "#ops"))
		}
	case "at":
		at, ok := parseClock(v)
		if !ok {
			return p.fail(fmt.Sprintf("at: takes a time such as 08:00; you wrote %q.", echo(v)), p.repair(key, "08:00"))
		}
		p.cmd.At = at
	case "tz":
		zone, ok := parseZone(v)
		if !ok {
			return p.fail(fmt.Sprintf("tz: takes the name of a time zone such as Europe/Berlin; you wrote %q.", echo(v)), p.repair(key, "Europe/Berlin"))
		}
		p.cmd.Timezone = zone
	}
	return nil
}

func (p *parser) setImpact(key, v string, to *downwind.Impact) error {
	if i, ok := impact(v); ok {
		*to = i
		return nil
	}
	wrong := fmt.Sprintf("%s: takes minor, major or critical; you wrote %q.", key, echo(v))
	near := ""
	if s, ok := synonyms()[strings.ToLower(v)]; ok {
		near = string(s)
	} else if c := closest(v, []string{"minor", "major", "critical"}); len(c) > 0 {
		near = c[0]
	}
	if near != "" {
		return p.fail(wrong+" Closest: "+near+".", p.repair(key, near))
	}
	return p.fail(wrong, p.repair(key, "major"))
}

func (p *parser) setKinds(values []string) error {
	have := map[string]bool{}
	for _, k := range p.cmd.Filter.Kinds {
		have[k] = true
	}
	for _, v := range values {
		k := strings.ToLower(v)
		switch k {
		case "updates", "edits", "postmortems":
			k = strings.TrimSuffix(k, "s")
		case "all":
			for _, each := range FilterKinds {
				have[each] = true
			}
			continue
		}
		if !contains(FilterKinds, k) {
			wrong := fmt.Sprintf("kinds: takes %s; you wrote %q.", oneOf(FilterKinds), echo(v))
			if near := closest(k, FilterKinds); len(near) > 0 {
				return p.fail(wrong+" Closest: "+near[0]+".", p.repair("kinds", near[0]))
			}
			return p.fail(wrong, p.repair("kinds", "new,resolved"))
		}
		have[k] = true
	}
	p.cmd.Filter.Kinds = inOrder(have)
	return nil
}

// inOrder lists the kinds of a set as the grammar orders them.
func inOrder(have map[string]bool) []string {
	var out []string
	for _, k := range FilterKinds {
		if have[k] {
			out = append(out, k)
		}
	}
	return out
}

func contains(list []string, v string) bool {
	for _, l := range list {
		if l == v {
			return true
		}
	}
	return false
}

// maxGlobs bounds the globs of one filter.
const maxGlobs = 25

func (p *parser) setGlobs(key string, values []string, to *[]string) error {
	for _, v := range values {
		if len(v) > 120 || strings.Contains(v, `"`) {
			return p.fail(fmt.Sprintf("%s: takes names of at most 120 characters.", key), p.repair(key, sample(key)))
		}
		if !contains(*to, v) {
			*to = append(*to, v)
		}
	}
	if len(*to) > maxGlobs {
		return p.fail(fmt.Sprintf("%s: takes at most %d names.", key, maxGlobs), p.repair(key, sample(key)))
	}
	sort.Strings(*to)
	return nil
}

func (p *parser) setMention(v string) error {
	name := strings.TrimLeft(v, "@&")
	switch strings.ToLower(name) {
	case "off", "none":
		p.cmd.Filter.Mention = ""
		return nil
	case "here", "channel", "everyone":
		return p.fail(fmt.Sprintf("mention: takes a group of people, not @%s, so that nobody is woken by accident.", strings.ToLower(name)), p.repair("mention", "@oncall"))
	}
	if name == "" || len(name) > 100 || strings.ContainsAny(name, "\" <>,") {
		return p.fail(fmt.Sprintf("mention: takes a group such as @oncall; you wrote %q.", echo(v)), p.repair("mention", "@oncall"))
	}
	p.cmd.Filter.Mention = name
	return nil
}

// parseZone reads an IANA name in any case.
func parseZone(v string) (string, bool) {
	if strings.EqualFold(v, "utc") || strings.EqualFold(v, "gmt") || strings.EqualFold(v, "z") {
		return "UTC", true
	}
	v = strings.ReplaceAll(v, " ", "_")
	if v == "" || strings.EqualFold(v, "local") || len(v) > 60 || strings.Contains(v, "..") {
		return "", false
	}
	if _, err := time.LoadLocation(v); err == nil {
		return v, true
	}
	// "europe/berlin" and "EUROPE/BERLIN": capitals after each break, but for small words.
	b := []byte(strings.ToLower(v))
	for i := range b {
		if i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-' {
			if b[i] >= 'a' && b[i] <= 'z' {
				b[i] -= 'a' - 'A'
			}
		}
	}
	name := string(b)
	if _, err := time.LoadLocation(name); err == nil {
		return name, true
	}
	if up := strings.ToUpper(v); !strings.Contains(up, "/") {
		if _, err := time.LoadLocation(up); err == nil {
			return up, true
		}
	}
	return "", false
}

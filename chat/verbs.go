package chat

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"downwind"
	"downwind/internal/pattern"
)

// Bounds of a mute, from the grammar.
const (
	minMute = 15 * time.Minute
	maxMute = 30 * 24 * time.Hour
)

// PreviewKinds are the layouts that preview shows.
var PreviewKinds = []string{"new", "update", "resolved", "postmortem", "edit", "maintenance", "reminder"}

// flat gives all words with their comma-separated parts apart.
func (p *parser) flat() []string {
	var out []string
	for _, t := range p.words {
		out = append(out, t.values...)
	}
	return out
}

// takeYes removes a trailing "yes" or "confirm" and remembers it.
func (p *parser) takeYes() {
	if n := len(p.words); n > 0 {
		switch strings.ToLower(p.words[n-1].word()) {
		case "yes", "confirm":
			p.words, p.cmd.Yes = p.words[:n-1], true
		}
	}
}

func (p *parser) bare() error {
	if len(p.words) > 0 {
		return p.fail(fmt.Sprintf("%s takes nothing after it, but %q came.", p.cmd.Verb, echo(p.words[0].word())), string(p.cmd.Verb))
	}
	return nil
}

func (p *parser) targets() error {
	for _, w := range p.flat() {
		switch {
		case p.takes("channel") && strings.HasPrefix(w, "#") && len(strings.TrimLeft(w, "#")) > 0:
			p.cmd.Channel = "#" + strings.TrimLeft(w, "#")
			p.cmd.Given = append(p.cmd.Given, "channel")
			continue
		case p.takes("mention") && strings.HasPrefix(w, "@") && len(w) > 1:
			if err := p.setMention(w); err != nil {
				return err
			}
			p.cmd.Given = append(p.cmd.Given, "mention")
			continue
		}
		t, err := target(w)
		if err != nil {
			return p.fail(err.Error()+".", p.info.example)
		}
		if !p.hasTarget(t) {
			p.cmd.Targets = append(p.cmd.Targets, t)
		}
	}
	if len(p.cmd.Targets) == 0 {
		return p.fail(fmt.Sprintf("%s needs a target: stack, all, a provider, provider/component, or the address of a status page.", p.cmd.Verb), p.info.example)
	}
	return nil
}

func (p *parser) hasTarget(t Target) bool {
	for _, have := range p.cmd.Targets {
		if have == t {
			return true
		}
	}
	return false
}

func (p *parser) unsubscribe() error {
	p.takeYes()
	if err := p.targets(); err != nil {
		return err
	}
	for i, t := range p.cmd.Targets {
		if t.Kind == TargetAll {
			p.cmd.All = true
			p.cmd.Targets = append(p.cmd.Targets[:i:i], p.cmd.Targets[i+1:]...)
			break
		}
	}
	return nil
}

func (p *parser) list() error {
	if len(p.words) == 1 && strings.EqualFold(p.words[0].word(), "all") {
		p.cmd.All = true
		return nil
	}
	return p.bare()
}

func (p *parser) optionalTargets() error {
	if len(p.words) == 0 {
		return nil
	}
	return p.targets()
}

func (p *parser) status() error { return p.optionalTargets() }
func (p *parser) feed() error   { return p.optionalTargets() }

func (p *parser) incident() error {
	words := make([]string, 0, len(p.words))
	for _, t := range p.words {
		words = append(words, t.word())
	}
	p.cmd.Incident = strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	return nil
}

// stackSubs are the second words of "stack" with those that mean the same.
var stackSubs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"import": "import", "upload": "import", "show": "show", "list": "show", "remove": "remove", "drop": "remove",
		"clear": "clear", "forget": "clear", "confirm": "confirm", "add": "add",
	}
})

func (p *parser) stack() error {
	if len(p.words) == 0 {
		p.cmd.Sub = "show"
		return nil
	}
	word := strings.ToLower(p.words[0].word())
	sub, ok := stackSubs()[word]
	if !ok {
		known := []string{"import", "show", "remove", "clear", "confirm", "add", "drop"}
		repair := "stack show"
		wrong := fmt.Sprintf("stack takes import, show, add, remove, confirm or clear; you wrote %q.", echo(word))
		if near := closest(word, known); len(near) > 0 {
			wrong += " Closest: " + near[0] + "."
			if repair = "stack " + near[0]; near[0] != "import" && near[0] != "show" && near[0] != "clear" {
				repair += " github"
			}
		}
		return p.fail(wrong, repair)
	}
	p.cmd.Sub, p.words = sub, p.words[1:]
	switch sub {
	case "import", "show":
		if len(p.words) > 0 {
			return p.fail(fmt.Sprintf("stack %s takes nothing after it, but %q came.", sub, echo(p.words[0].word())), "stack "+sub)
		}
		return nil
	case "clear":
		p.takeYes()
		if len(p.words) > 0 {
			return p.fail("stack clear takes nothing after it.", "stack clear")
		}
		return nil
	}
	if len(p.words) == 0 {
		return p.fail(fmt.Sprintf("stack %s needs a provider.", sub), "stack "+sub+" github")
	}
	return p.targets()
}

func (p *parser) check() error {
	for _, w := range p.flat() {
		t, err := target(w)
		if err != nil {
			return p.fail(err.Error()+".", p.info.example)
		}
		p.cmd.Targets = append(p.cmd.Targets, t)
	}
	return nil
}

func (p *parser) mute() error {
	var words []token
	for i := 0; i < len(p.words); i++ {
		w := strings.ToLower(p.words[i].word())
		if w == "for" && i+1 < len(p.words) {
			span := p.words[i+1].word()
			if i+2 < len(p.words) && isNumber(span) {
				span += p.words[i+2].word()
				i++
			}
			i++
			if err := p.setFor(span); err != nil {
				return err
			}
			continue
		}
		words = append(words, p.words[i])
	}
	// "mute github 2h" without the word "for".
	if n := len(words); p.cmd.For == 0 && n > 1 {
		if d, ok := parseFor(words[n-1].word()); ok && d >= minMute && d <= maxMute {
			p.cmd.For, words = d, words[:n-1]
		}
	}
	p.words = words
	return p.muteTargets()
}

func (p *parser) unmute() error { return p.muteTargets() }

func (p *parser) muteTargets() error {
	if len(p.words) == 0 {
		repair := p.info.example
		if p.cmd.For > 0 {
			repair = "mute all for " + formatFor(p.cmd.For)
		}
		return p.fail(fmt.Sprintf("%s what? A provider, an incident (provider/id), or all.", p.cmd.Verb), repair)
	}
	return p.targets()
}

func (p *parser) setFor(v string) error {
	base := Command{Verb: VerbMute, Targets: p.cmd.Targets}
	if len(base.Targets) == 0 {
		base.Targets = []Target{{Kind: TargetAll}}
		if len(p.words) > 0 && !strings.EqualFold(p.words[0].word(), "for") {
			if t, err := target(p.words[0].word()); err == nil {
				base.Targets = []Target{t}
			}
		}
	}
	repair := func(d time.Duration) string {
		base.For = d
		return base.String()
	}
	d, ok := parseFor(v)
	switch {
	case !ok:
		return p.fail(fmt.Sprintf("for takes a number and m, h or d, such as 15m, 2h or 3d; you wrote %q.", echo(v)), repair(2*time.Hour))
	case d < minMute:
		return p.fail("A mute lasts 15m at least.", repair(minMute))
	case d > maxMute:
		return p.fail("A mute lasts 30d at most, so that nothing stays silent for ever.", repair(maxMute))
	}
	p.cmd.For = d
	return nil
}

var spanForm = pattern.New(`^(?i)([0-9]{1,6}) ?(m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$`)

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// parseFor reads "15m", "2 hours", "3d", "1w".
func parseFor(s string) (time.Duration, bool) {
	m := spanForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, false
	}
	unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[m[2][0]|0x20]
	return time.Duration(n) * unit, true
}

func (p *parser) digest() error {
	if len(p.words) != 1 {
		return p.fail("digest takes daily, weekly or off.", p.info.example)
	}
	switch w := strings.ToLower(p.words[0].word()); w {
	case "daily", "weekly", "off":
		p.cmd.Digest = w
		return nil
	default:
		wrong, repair := fmt.Sprintf("digest takes daily, weekly or off; you wrote %q.", echo(w)), p.info.example
		if near := closest(w, []string{"daily", "weekly", "off"}); len(near) > 0 {
			wrong += " Closest: " + near[0] + "."
			repair = "digest " + near[0]
		}
		return p.fail(wrong, repair)
	}
}

func (p *parser) quiet() error {
	var w []string
	for _, s := range p.flat() {
		switch l := strings.ToLower(s); l {
		case "from", "between":
		case "to", "until", "and", "till":
			w = append(w, "-")
		default:
			w = append(w, l)
		}
	}
	text := strings.Join(w, "")
	if text == "off" {
		p.cmd.Quiet = "off"
		return nil
	}
	from, to, ok := strings.Cut(text, "-")
	a, okA := parseClock(from)
	b, okB := parseClock(to)
	if !ok || !okA || !okB || a == b {
		wrong := "quiet takes hours such as 22:00-07:00, or off."
		if text != "" {
			wrong = fmt.Sprintf("quiet takes hours such as 22:00-07:00, or off; you wrote %q.", echo(strings.Join(p.flat(), " ")))
		}
		return p.fail(wrong, "quiet 22:00-07:00")
	}
	p.cmd.Quiet = a + "-" + b
	return nil
}

// remind reads "2h", "every 2 hours" or "off".
func (p *parser) remind() error {
	var w []string
	for _, s := range p.flat() {
		if l := strings.ToLower(s); l != "every" && l != "after" {
			w = append(w, l)
		}
	}
	text := strings.Join(w, "")
	if text == "off" {
		p.cmd.Remind = "off"
		return nil
	}
	d, ok := parseFor(text)
	switch {
	case !ok && text == "":
		return p.fail("remind takes a time such as 30m or 2h, or off.", p.info.example)
	case !ok:
		return p.fail(fmt.Sprintf("remind takes a time such as 30m or 2h, or off; you wrote %q.", echo(strings.Join(p.flat(), " "))), p.info.example)
	case d < downwind.RemindLeast:
		return p.fail("A reminder comes after 15m at the earliest.", "remind 15m")
	case d > downwind.RemindMost:
		return p.fail("A reminder comes after 24h at the latest.", "remind 24h")
	}
	p.cmd.Remind = formatFor(d)
	return nil
}

var clockForm = pattern.New(`^(?i)([0-9]{1,2})(?:[:.h]?([0-9]{2}))? ?(am|pm|h)?$`)

// parseClock reads "8", "08:00", "8am", "10.30pm" as "08:00".
func parseClock(s string) (string, bool) {
	m := clockForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return "", false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	switch strings.ToLower(m[3]) {
	case "am", "pm":
		if hour < 1 || hour > 12 {
			return "", false
		}
		hour %= 12
		if strings.EqualFold(m[3], "pm") {
			hour += 12
		}
	}
	if hour == 24 && minute == 0 {
		hour = 0
	}
	if hour > 23 || minute > 59 {
		return "", false
	}
	return fmt.Sprintf("%02d:%02d", hour, minute), true
}

func (p *parser) preview() error {
	if len(p.words) == 0 {
		return nil
	}
	w := strings.ToLower(p.words[0].word())
	for _, k := range PreviewKinds {
		if w == k && len(p.words) == 1 {
			p.cmd.Kind = k
			return nil
		}
	}
	wrong := fmt.Sprintf("preview takes %s; you wrote %q.", oneOf(PreviewKinds), echo(w))
	repair := "preview new"
	if near := closest(w, PreviewKinds); len(near) > 0 {
		repair = "preview " + near[0]
	}
	return p.fail(wrong, repair)
}

func (p *parser) help() error {
	if len(p.words) == 0 {
		return nil
	}
	w := strings.ToLower(p.words[0].word())
	v := Verb(w)
	if a, ok := aliases()[w]; ok {
		v = a
	}
	if info(v) != nil {
		p.cmd.Topic = v
		return nil
	}
	repair, wrong := "help", fmt.Sprintf("There is no verb %q.", echo(w))
	if near := closest(w, verbNames()); len(near) > 0 {
		repair = "help " + near[0]
		wrong += " Did you mean " + oneOf(near) + "?"
	}
	return p.fail(wrong, repair)
}

var (
	hostForm = pattern.New(`^(?i)[a-z0-9*]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*\.[a-z][a-z0-9-]*[a-z0-9]\.?$`)
	nameForm = pattern.New(`^[\pL\pN][\pL\pN .&+'()_!-]*$`)
)

// target reads one word as a target.
func target(w string) (Target, error) {
	w = strings.TrimSpace(w)
	switch strings.ToLower(w) {
	case "stack":
		return Target{Kind: TargetStack}, nil
	case "all", "everything":
		return Target{Kind: TargetAll}, nil
	}
	if len(w) > 500 {
		return Target{}, fmt.Errorf("%q is too long for a target", echo(w))
	}
	if strings.Contains(w, "://") {
		u, err := url.Parse(w)
		if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || u.User != nil || strings.ContainsAny(w, " \"<>") {
			return Target{}, fmt.Errorf("%q is not an address that can be read; it takes https://host/path", echo(w))
		}
		return Target{Kind: TargetURL, Text: w}, nil
	}
	name, part, slash := strings.Cut(w, "/")
	name, part = strings.TrimSpace(name), strings.TrimSpace(part)
	if hostForm.MatchString(name) && len(name) < 254 {
		if slash && part != "" {
			if strings.ContainsAny(w, " \"<>") {
				return Target{}, fmt.Errorf("%q is not an address that can be read; it takes https://host/path", echo(w))
			}
			return Target{Kind: TargetURL, Text: "https://" + w}, nil
		}
		return Target{Kind: TargetDomain, Text: strings.ToLower(strings.TrimSuffix(name, "."))}, nil
	}
	if !nameForm.MatchString(name) || strings.Contains(part, `"`) {
		return Target{}, fmt.Errorf("%q is no provider, domain or address", echo(w))
	}
	if slash && part == "*" {
		part = ""
	}
	return Target{Kind: TargetProvider, Text: name, Component: part}, nil
}

// impact reads a grade for a key.
func impact(v string) (downwind.Impact, bool) {
	switch i := downwind.Impact(strings.ToLower(v)); i {
	case downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical:
		return i, true
	}
	return "", false
}

package chat

import (
	"fmt"
	"strings"
	"sync"

	"downwind"
)

// verbInfo says what a verb takes.
type verbInfo struct {
	verb Verb
	// keys are the filters it takes, in the grammar's order.
	keys []string
	// parse reads the words after the verb.
	parse func(*parser) error
	// example is a right command for repairs and help; about what it does, in a few words.
	example, about string
}

var subscribeKeys = []string{"min", "kinds", "region", "component", "only", "thread", "end", "mention", "mention-from", "channel"}

// grammar lists the verbs in the order in which help shows them.
func grammar() []verbInfo {
	return []verbInfo{
		{VerbSubscribe, subscribeKeys, (*parser).targets, "subscribe stack min:minor", "tell this channel about your stack, a provider, a component or a status page"},
		{VerbUnsubscribe, []string{"kinds", "region", "component", "channel"}, (*parser).unsubscribe, "unsubscribe github", "stop telling; with a filter, take only that away"},
		{VerbList, []string{"channel"}, (*parser).list, "list", "what this channel hears, its mutes and its state"},
		{VerbStatus, nil, (*parser).status, "status github", "how your providers are, and when we last read their pages"},
		{VerbWhy, nil, (*parser).incident, "why github", "why an incident was told here, or was not"},
		{VerbReplay, nil, (*parser).incident, "replay github", "the replay windows and the checklist again, to copy"},
		{VerbStack, []string{"region", "component"}, (*parser).stack, "stack import", "what you run on: import, show, add, remove, confirm, clear"},
		{VerbCheck, nil, (*parser).check, "check api.stripe.com", "read files or domains once, storing nothing"},
		{VerbMute, nil, (*parser).mute, "mute github for 2h", "silence a provider or an incident for 15m to 30d"},
		{VerbUnmute, nil, (*parser).unmute, "unmute github", "end a mute now"},
		{VerbAck, nil, (*parser).incident, "ack github", "mark an incident as seen"},
		{VerbDigest, []string{"at", "tz"}, (*parser).digest, "digest daily at:08:00 tz:Europe/Berlin", "collect what is not urgent, daily or weekly"},
		{VerbQuiet, []string{"tz", "except"}, (*parser).quiet, "quiet 22:00-07:00 tz:Europe/Berlin except:critical", "hours in which only urgent things are told"},
		{VerbRemind, nil, (*parser).remind, "remind 2h", "say again what is still open and nobody acknowledged, every 15m to 24h, or off"},
		{VerbPreview, nil, (*parser).preview, "preview resolved", "show how a message will look here (also: test)"},
		{VerbFeed, []string{"min", "kinds", "region", "component"}, (*parser).feed, "feed github", "RSS, Atom and JSON addresses of the same selection"},
		{VerbSettings, nil, (*parser).bare, "settings", "the settings of this channel"},
		{VerbHelp, nil, (*parser).help, "help subscribe", "this help, or that of one verb"},
	}
}

// aliases are other words for verbs.
var aliases = sync.OnceValue(func() map[string]Verb {
	return map[string]Verb{
		"test": VerbPreview, "ls": VerbList, "sub": VerbSubscribe, "follow": VerbSubscribe, "add": VerbSubscribe,
		"unsub": VerbUnsubscribe, "unfollow": VerbUnsubscribe, "remove": VerbUnsubscribe, "?": VerbHelp,
		"acknowledge": VerbAck, "reminder": VerbRemind, "reminders": VerbRemind, "silence": VerbMute, "snooze": VerbMute, "unsilence": VerbUnmute, "feeds": VerbFeed,
	}
})

func info(v Verb) *verbInfo {
	for _, i := range grammar() {
		if i.verb == v {
			return &i
		}
	}
	return nil
}

func verbNames() []string {
	var names []string
	for _, i := range grammar() {
		names = append(names, string(i.verb))
	}
	return append(names, "test")
}

// parser reads one command.
type parser struct {
	cmd   Command
	info  *verbInfo
	words []token
}

// Parse reads the text after a command's name. An empty text asks for help. Errors are *SyntaxError.
func Parse(text string) (Command, error) {
	if len(text) > MaxText {
		return Command{}, &SyntaxError{
			Wrong:  fmt.Sprintf("The command is longer than %d characters.", MaxText),
			Repair: "stack import",
		}
	}
	tokens := tokenize(text)
	if len(tokens) > 0 && tokens[0].key == "" {
		// The command's own name, typed twice, is no fault.
		switch strings.ToLower(tokens[0].word()) {
		case "/feed", "/downwind":
			tokens = tokens[1:]
		}
	}
	if len(tokens) == 0 {
		return Command{Verb: VerbHelp}, nil
	}
	return parseTokens(tokens)
}

// An Option is a named value of a command that comes in parts, as Discord sends it.
type Option struct {
	// Name is the option's: "target", "for", "incident", "sub" and the like are words, the rest filter keys.
	Name  string
	Value string
}

// ParseOptions reads a command whose parts are already apart; both ways lead through the same grammar.
func ParseOptions(verb, sub string, options []Option) (Command, error) {
	tokens := []token{{values: []string{verb}, raw: verb}}
	tokens = append(tokens, tokenize(sub)...)
	var tail []token
	size := 0
	for _, o := range options {
		if size += len(o.Value); size > MaxText {
			return Command{}, &SyntaxError{Wrong: fmt.Sprintf("The options are longer than %d characters together.", MaxText)}
		}
		name := strings.ReplaceAll(strings.ToLower(o.Name), "_", "-")
		if name == "for" {
			tail = append(tail, token{values: []string{"for"}, raw: "for"}, token{values: []string{clean(o.Value)}, raw: o.Value})
			continue
		}
		if !filterKey(name) {
			tokens = append(tokens, tokenize(o.Value)...)
			continue
		}
		t := token{key: name, values: splitValues(clean(o.Value)), raw: name + ":" + o.Value}
		tail = append(tail, t)
	}
	return parseTokens(append(tokens, tail...))
}

func parseTokens(tokens []token) (Command, error) {
	name := strings.ToLower(tokens[0].word())
	verb := Verb(name)
	if a, ok := aliases()[name]; ok {
		verb = a
	}
	p := &parser{info: info(verb)}
	if p.info == nil || tokens[0].key != "" {
		return Command{}, unknownVerb(tokens)
	}
	p.cmd.Verb = verb
	for _, t := range tokens[1:] {
		if t.key == "" {
			p.words = append(p.words, t)
		}
	}
	if err := p.info.parse(p); err != nil {
		return Command{}, err
	}
	for _, t := range tokens[1:] {
		if t.key != "" {
			if err := p.filter(t); err != nil {
				return Command{}, err
			}
		}
	}
	return p.finish()
}

// finish checks what only the whole command tells.
func (p *parser) finish() (Command, error) {
	c := &p.cmd
	c.Given = order(c.Given)
	if c.Verb == VerbMute && c.For == 0 {
		return Command{}, p.fail("For how long? A mute ends by itself, after 15m to 30d.", c.String()+" for 2h")
	}
	if c.Has("mention-from") && !c.Has("mention") && c.Verb == VerbSubscribe {
		// Allowed: it changes the mention that is there already.
		c.Filter.Mention = ""
	}
	return *c, nil
}

// order sorts keys as the grammar lists them.
func order(keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	var out []string
	for _, k := range []string{"min", "kinds", "region", "component", "only", "thread", "end", "mention", "mention-from", "channel", "at", "tz", "except"} {
		for _, g := range keys {
			if g == k {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// fail makes the error of this command so far.
func (p *parser) fail(wrong, repair string) error {
	understood := p.cmd.String()
	if understood == repair {
		understood = ""
	}
	return &SyntaxError{Understood: understood, Wrong: wrong, Repair: repair}
}

func unknownVerb(tokens []token) error {
	first := tokens[0]
	word := strings.ToLower(first.word())
	if first.key != "" {
		word = first.key
	}
	near := closest(word, verbNames())
	rest := make([]string, 0, len(tokens))
	for _, t := range tokens[1:] {
		rest = append(rest, t.raw)
	}
	if len(near) > 0 {
		repair := near[0]
		if tail := strings.Join(rest, " "); len(tail) < 120 && tail != "" {
			if _, err := Parse(repair + " " + tail); err == nil {
				repair += " " + clean(tail)
			}
		}
		return &SyntaxError{
			Wrong:  fmt.Sprintf("I don't know %q. Did you mean %s?", echo(word), oneOf(near)),
			Repair: repair,
		}
	}
	if looksLikeTarget(first) {
		return &SyntaxError{
			Wrong:  fmt.Sprintf("%q is no command. A command begins with a verb.", echo(word)),
			Repair: "subscribe " + first.raw,
		}
	}
	return &SyntaxError{Wrong: fmt.Sprintf("I don't know %q.", echo(word)), Repair: "help"}
}

// oneOf joins words as "a, b or c".
func oneOf(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

func looksLikeTarget(t token) bool {
	if t.key != "" || len(t.values) != 1 {
		return false
	}
	w := strings.ToLower(t.values[0])
	return w == "all" || strings.Contains(w, "://") || strings.Contains(w, ".") && !strings.HasSuffix(w, ".")
}

// synonyms are words for grades that people use.
var synonyms = sync.OnceValue(func() map[string]downwind.Impact {
	return map[string]downwind.Impact{
		"high": downwind.ImpactMajor, "low": downwind.ImpactMinor, "crit": downwind.ImpactCritical, "sev1": downwind.ImpactCritical,
		"p1": downwind.ImpactCritical, "sev2": downwind.ImpactMajor, "p2": downwind.ImpactMajor, "any": downwind.ImpactMinor,
		"all": downwind.ImpactMinor, "medium": downwind.ImpactMajor, "warning": downwind.ImpactMinor, "severe": downwind.ImpactCritical,
		"maj": downwind.ImpactMajor, "min": downwind.ImpactMinor, "none": downwind.ImpactMinor,
	}
})

func filterKey(k string) bool { return len(order([]string{k})) == 1 }

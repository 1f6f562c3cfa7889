package chat

import (
	"fmt"
	"strings"
	"time"

	"downwind"
)

// Verb is what a command asks for.
type Verb string

// The verbs of the grammar.
const (
	VerbHelp        Verb = "help"
	VerbSubscribe   Verb = "subscribe"
	VerbUnsubscribe Verb = "unsubscribe"
	VerbList        Verb = "list"
	VerbStatus      Verb = "status"
	VerbWhy         Verb = "why"
	VerbReplay      Verb = "replay"
	VerbStack       Verb = "stack"
	VerbCheck       Verb = "check"
	VerbMute        Verb = "mute"
	VerbUnmute      Verb = "unmute"
	VerbAck         Verb = "ack"
	VerbDigest      Verb = "digest"
	VerbQuiet       Verb = "quiet"
	VerbRemind      Verb = "remind"
	VerbPreview     Verb = "preview"
	VerbFeed        Verb = "feed"
	VerbSettings    Verb = "settings"
)

// TargetKind tells what a word means as a target.
type TargetKind string

// The kinds of targets, as far as the words alone tell.
const (
	TargetStack    TargetKind = "stack"
	TargetAll      TargetKind = "all"
	TargetProvider TargetKind = "provider" // a name, with a glob on components after the slash
	TargetURL      TargetKind = "url"
	TargetDomain   TargetKind = "domain"
)

// A Target is one thing that a command is about, not yet looked up in the catalogue.
type Target struct {
	Kind TargetKind
	// Text is the name, address or host as typed; empty for stack and all.
	Text string
	// Component is the part after the slash of a provider: a glob on component names or, for verbs about incidents, an incident's id.
	Component string
}

// String writes the target as it would be typed.
func (t Target) String() string {
	switch t.Kind {
	case TargetStack, TargetAll:
		return string(t.Kind)
	}
	if t.Component != "" {
		return quote(t.Text + "/" + t.Component)
	}
	if t.Kind == TargetURL {
		return t.Text
	}
	return quote(t.Text)
}

// A Command is what a person asks for, the same from words, options, dialogs and buttons.
type Command struct {
	Verb Verb
	// Sub is the second word of "stack": import, show, remove, clear, confirm, add.
	Sub     string
	Targets []Target
	// All widens list and unsubscribe to everything; Yes says that a question is answered already.
	All, Yes bool
	// Filter holds the filters; Given names the keys that were typed, in the order of the grammar.
	Filter downwind.Filter
	Given  []string
	// OnlyOff says only:all was typed, which turns OnlyAffected off.
	OnlyOff bool
	// Channel is another channel: "#C012" when the platform resolved it, else "#ops".
	Channel string
	// For is how long a mute lasts.
	For time.Duration
	// Incident is what why, replay and ack are about: "provider/id", an address or words of the title; empty: the newest here.
	Incident string
	// Digest is "daily", "weekly" or "off"; At "08:00"; Timezone an IANA name.
	Digest, At, Timezone string
	// Quiet is "22:00-07:00" or "off"; Except the impact that breaks it.
	Quiet  string
	Except downwind.Impact
	// Remind is "2h" or "off".
	Remind string
	// Kind is the layout that preview shows.
	Kind string
	// Topic is the verb that help explains.
	Topic Verb
}

// Has reports whether a filter key was typed.
func (c *Command) Has(key string) bool {
	for _, k := range c.Given {
		if k == key {
			return true
		}
	}
	return false
}

// String writes the command in its plain form, without the command's name: Parse reads the same Command back.
func (c Command) String() string {
	w := []string{string(c.Verb)}
	add := func(s ...string) { w = append(w, s...) }
	if c.Sub != "" {
		add(c.Sub)
	}
	if c.All {
		add("all")
	}
	for _, t := range c.Targets {
		add(t.String())
	}
	if c.Incident != "" {
		add(quote(c.Incident))
	}
	for _, v := range []string{c.Digest, c.Quiet, c.Remind, c.Kind, string(c.Topic)} {
		if v != "" {
			add(v)
		}
	}
	if c.For > 0 {
		add("for", formatFor(c.For))
	}
	for _, k := range c.Given {
		add(k + ":" + c.given(k))
	}
	if c.Yes {
		add("yes")
	}
	return strings.Join(w, " ")
}

// given writes the value of a filter key.
func (c *Command) given(key string) string {
	quoted := func(values []string) string {
		q := make([]string, len(values))
		for i, v := range values {
			q[i] = quote(v)
		}
		return strings.Join(q, ",")
	}
	switch key {
	case "min":
		return string(c.Filter.Min)
	case "kinds":
		return strings.Join(c.Filter.Kinds, ",")
	case "region":
		return quoted(c.Filter.Regions)
	case "component":
		return quoted(c.Filter.Components)
	case "only":
		if c.OnlyOff {
			return "all"
		}
		return "affected"
	case "thread":
		if c.Filter.NoThread {
			return "off"
		}
		return "on"
	case "end":
		if c.Filter.EndInThread {
			return "thread"
		}
		return "channel"
	case "mention":
		if c.Filter.Mention == "" {
			return "off"
		}
		return quote("@" + c.Filter.Mention)
	case "mention-from":
		return string(c.Filter.MentionFrom)
	case "channel":
		return quote(c.Channel)
	case "at":
		return c.At
	case "tz":
		return c.Timezone
	case "except":
		return string(c.Except)
	}
	return ""
}

// formatFor writes a duration with the largest unit that fits: "90m", "2h", "3d".
func formatFor(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

// A SyntaxError says what was understood of a command, what is wrong, and one repair to copy.
type SyntaxError struct {
	// Understood is the part that was understood, in the grammar's words; empty: nothing.
	Understood string
	// Wrong is a sentence on what is wrong.
	Wrong string
	// Repair is a whole command without the command's name, that is right.
	Repair string
}

// Error implements error with /downwind as the command's name.
func (e *SyntaxError) Error() string { return e.Text("/downwind") }

// Text writes the error for a command of the given name.
func (e *SyntaxError) Text(name string) string {
	var b strings.Builder
	if e.Understood != "" {
		b.WriteString("I understood: " + e.Understood + ". ")
	}
	b.WriteString(e.Wrong)
	if e.Repair != "" {
		b.WriteString(" Try: " + name + " " + e.Repair)
	}
	return b.String()
}

// Unwrap makes errors.Is(err, downwind.ErrInvalid) true.
func (e *SyntaxError) Unwrap() error { return downwind.ErrInvalid }

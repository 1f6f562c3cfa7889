package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"downwind"
)

// Limits per person and per channel.
const (
	commandsPerMinute = 20
	maxSubscriptions  = 500
)

// A Handler carries out commands and clicks. It is safe for concurrent use.
type Handler struct {
	Options
	rate pace
}

// New returns a handler.
func New(o Options) *Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	return &Handler{Options: o}
}

// place is where a command works: the team and the destination, and the rules for changing them.
type place struct {
	Caller
	team     downwind.Team
	dest     downwind.Destination
	settings Settings
}

// Run parses a command's text and carries it out.
func (h *Handler) Run(ctx context.Context, who Caller, text string) Answer {
	cmd, err := Parse(text)
	return h.parsed(ctx, who, cmd, err)
}

// RunOptions does the same for a command in parts.
func (h *Handler) RunOptions(ctx context.Context, who Caller, verb, sub string, options []Option) Answer {
	cmd, err := ParseOptions(verb, sub, options)
	return h.parsed(ctx, who, cmd, err)
}

func (h *Handler) parsed(ctx context.Context, who Caller, cmd Command, err error) Answer {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntaxAnswer(who, syntax)
	}
	if err != nil {
		return h.failed(who, "read the command", err)
	}
	return h.Handle(ctx, who, cmd)
}

func syntaxAnswer(who Caller, e *SyntaxError) Answer {
	var line []any
	if e.Understood != "" {
		line = append(line, "I understood: ", code(e.Understood), ". ")
	}
	line = append(line, their(e.Wrong))
	if e.Repair == "" {
		return private(say(words(line...)))
	}
	return private(say(words(line...), words("Try: ", code(who.Name()+" "+e.Repair))))
}

// Handle carries a command out.
func (h *Handler) Handle(ctx context.Context, who Caller, cmd Command) Answer {
	if !h.rate.take(who.Platform+who.Workspace+who.User, h.Clock.Now()) {
		return plainf("That was more than %d commands in a minute. Please wait a moment.", commandsPerMinute)
	}
	if cmd.Verb == VerbHelp {
		return help(who, cmd.Topic)
	}
	p, err := h.place(ctx, who)
	if err != nil {
		return h.failed(who, "find this channel's team", err)
	}
	if changes(cmd) {
		if a, ok := p.mayChange(); !ok {
			return a
		}
	}
	run, ok := map[Verb]func(context.Context, *place, Command) (Answer, error){
		VerbSubscribe: h.subscribe, VerbUnsubscribe: h.unsubscribe, VerbList: h.list, VerbStatus: h.status,
		VerbWhy: h.why, VerbReplay: h.replay, VerbStack: h.stack, VerbCheck: h.check, VerbMute: h.mute, VerbUnmute: h.unmute,
		VerbAck: h.ack, VerbDigest: h.digest, VerbQuiet: h.quiet, VerbRemind: h.reminders, VerbPreview: h.preview, VerbFeed: h.feed, VerbSettings: h.settingsDialog,
	}[cmd.Verb]
	if !ok {
		return h.failed(who, "carry out "+string(cmd.Verb), downwind.ErrInvalid)
	}
	a, err := run(ctx, p, cmd)
	if err != nil {
		return h.failed(who, "carry out "+string(cmd.Verb), err)
	}
	h.logChange(p, string(cmd.Verb), a)
	return a
}

// logChange leaves a line for each change that was announced: who, where and what, without provider text.
func (h *Handler) logChange(p *place, verb string, a Answer) {
	if a.Public != nil {
		h.Logger.Info("chat: change", "destination", p.dest.ID, "team", p.team.ID, "user", p.User, "by", p.By(), "verb", verb)
	}
}

// changes reports whether a command changes what others see.
func changes(c Command) bool {
	switch c.Verb {
	case VerbSubscribe, VerbUnsubscribe, VerbMute, VerbUnmute, VerbAck, VerbDigest, VerbQuiet, VerbRemind, VerbSettings:
		return true
	case VerbStack:
		return c.Sub != "show"
	}
	return false
}

func (h *Handler) place(ctx context.Context, who Caller) (*place, error) {
	if who.Platform == "" || who.Workspace == "" || who.Channel == "" {
		return nil, fmt.Errorf("%w: a command needs a channel", downwind.ErrInvalid)
	}
	team, dest, err := h.Store.TeamForChannel(ctx, who.Destination())
	if err != nil {
		return nil, err
	}
	p := &place{Caller: who, team: team, dest: dest}
	raw, err := h.Store.Temp(ctx, tempSettings, dest.ID)
	if err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return nil, err
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &p.settings); err != nil {
			return nil, fmt.Errorf("settings of %s: %w", dest.ID, err)
		}
	}
	return p, nil
}

// mayChange reports whether the caller may change things here; else the answer says who may.
func (p *place) mayChange() (Answer, bool) {
	trusted := p.settings.Role != "" && contains(p.Roles, p.settings.Role)
	switch {
	case p.Guest && !trusted:
		if p.Platform == downwind.PlatformDiscord {
			return plainf("Changing this takes the permission Manage Channels or Manage Server, or the role named in %s settings. Reading is free: %s list, status, why.", p.Name(), p.Name()), false
		}
		return plainf("Guests can read here but not change anything. Reading is free: %s list, status, why.", p.Name()), false
	case p.settings.AdminsOnly && !p.Admin:
		return plainf("In this channel only admins change this; an admin can alter that with %s settings.", p.Name()), false
	}
	return Answer{}, true
}

// failed logs the cause and tells the caller what did not work, without the cause.
func (h *Handler) failed(who Caller, what string, err error) Answer {
	h.Logger.Error("chat: could not "+what, "platform", who.Platform, "workspace", who.Workspace, "channel", who.Channel, "err", err)
	switch {
	case errors.Is(err, downwind.ErrForbidden):
		return plainf("You may not do this here.")
	case errors.Is(err, context.DeadlineExceeded):
		return plainf("That took too long. Nothing is lost: please repeat the command.")
	}
	return plainf("Something went wrong on our side, and it is logged. Please repeat the command; repeating does no harm.")
}

// pace bounds how many commands one person sends in a minute.
type pace struct {
	mu    sync.Mutex
	since time.Time
	count map[string]int
}

func (p *pace) take(who string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == nil || now.Sub(p.since) >= time.Minute || now.Before(p.since) {
		p.since, p.count = now, map[string]int{}
	}
	p.count[who]++
	return p.count[who] <= commandsPerMinute
}

// uses lists the slugs that the team runs on: those its files show and people added, without those people dropped.
func (p *place) uses() []string {
	dropped := map[string]bool{}
	var out []string
	for _, r := range p.team.Rules {
		switch r.Kind {
		case downwind.RuleDrop:
			dropped[r.Provider] = true
		case downwind.RuleAdd, downwind.RuleConfirm:
			out = union(out, []string{r.Provider})
		}
	}
	for _, u := range p.team.Stack.Providers {
		out = union(out, []string{u.Provider})
	}
	var kept []string
	for _, slug := range out {
		if !dropped[slug] {
			kept = append(kept, slug)
		}
	}
	return kept
}

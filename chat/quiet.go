package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
)

// mute silences providers, incidents or everything here until it ends by itself.
func (h *Handler) mute(ctx context.Context, p *place, cmd Command) (Answer, error) {
	mutes, a, err := h.muteTargets(ctx, p, cmd)
	if err != nil || mutes == nil {
		return a, err
	}
	until := h.Clock.Now().Add(cmd.For)
	return h.saveMutes(ctx, p, mutes, until)
}

func (h *Handler) saveMutes(ctx context.Context, p *place, mutes []downwind.Mute, until time.Time) (Answer, error) {
	have, err := h.Store.Mutes(ctx, p.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	var told [][]notify.Run
	for _, m := range mutes {
		for _, old := range have {
			if old.Provider == m.Provider && old.Incident == m.Incident {
				m.ID = old.ID
			}
		}
		m.Until, m.By = until, p.By()
		if _, err := h.Store.SaveMute(ctx, m); err != nil {
			return Answer{}, err
		}
		told = append(told, words(code(muteLabel(m)), " until ", instant(until)))
	}
	pub := say(words(bold(p.By()), " muted in this channel (resolved is still told):"))
	with(pub, list("", told...))
	return Answer{Public: pub, Private: say(words("Muted. To end it now: ", code(p.Name()+" unmute "+muteLabel(mutes[0]))))}, nil
}

func muteLabel(m downwind.Mute) string {
	switch {
	case m.Incident != "":
		return m.Incident
	case m.Provider != "":
		return m.Provider
	}
	return "all"
}

// muteTargets turns the targets of a command into mutes; provider/id is an incident. An incident is kept as its whole key.
func (h *Handler) muteTargets(ctx context.Context, p *place, cmd Command) ([]downwind.Mute, Answer, error) {
	var out []downwind.Mute
	plain := cmd
	plain.Targets = nil
	for _, t := range cmd.Targets {
		ref, isIncident := "", t.Kind == TargetProvider && t.Component != ""
		if isIncident {
			ref = t.Text + "/" + t.Component
		} else if t.Kind == TargetURL {
			if own, slug, id := h.ownAddress(t.Text); own && id != "" {
				ref, isIncident = slug+"/"+id, true
			}
		}
		if !isIncident {
			plain.Targets = append(plain.Targets, t)
			continue
		}
		ab, a, err := h.incident(ctx, p, Command{Verb: cmd.Verb, Incident: ref})
		if err != nil || ab == nil {
			return nil, a, err
		}
		inc := ab.record.Incident
		out = append(out, downwind.Mute{Destination: p.dest.ID, Provider: inc.Provider, Incident: inc.Key()})
	}
	targets, err := h.resolve(ctx, p, plain, false)
	if a, ok := repairable(p, err); ok || err != nil {
		return nil, a, orNil(ok, err)
	}
	for _, t := range targets {
		out = append(out, downwind.Mute{Destination: p.dest.ID, Provider: t.provider.Slug})
	}
	return out, Answer{}, nil
}

// unmute ends mutes now.
func (h *Handler) unmute(ctx context.Context, p *place, cmd Command) (Answer, error) {
	want, a, err := h.muteTargets(ctx, p, cmd)
	if err != nil || want == nil {
		return a, err
	}
	have, err := h.Store.Mutes(ctx, p.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	var told [][]notify.Run
	for _, m := range have {
		for _, w := range want {
			everything := w.Provider == "" && w.Incident == ""
			if !everything && (m.Provider != w.Provider || w.Incident != "" && m.Incident != w.Incident) {
				continue
			}
			if err := h.Store.DeleteMute(ctx, p.dest.ID, m.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
				return Answer{}, err
			}
			told = append(told, words(code(muteLabel(m))))
			break
		}
	}
	if len(told) == 0 {
		return private(say(words("Nothing like that is muted here: ", code(p.Name()+" list")))), nil
	}
	pub := say(words(bold(p.By()), " ended the mute of:"))
	with(pub, list("", told...))
	return Answer{Public: pub, Private: say(words("Done."))}, nil
}

// digest sets when what is not urgent is collected.
func (h *Handler) digest(ctx context.Context, p *place, cmd Command) (Answer, error) {
	d := p.dest
	if cmd.Digest == "off" {
		d.Digest, d.DigestAt = "", ""
	} else {
		d.Digest = cmd.Digest
		if cmd.Has("at") {
			d.DigestAt = cmd.At
		} else if d.DigestAt == "" {
			d.DigestAt = "08:00"
		}
	}
	if cmd.Has("tz") {
		d.Timezone = cmd.Timezone
	}
	what := "switched the digest of this channel off"
	if d.Digest != "" {
		what = fmt.Sprintf("set this channel's digest to %s at %s %s", d.Digest, d.DigestAt, zoneOf(d, p.team))
	}
	return h.saveDestination(ctx, p, d, what)
}

// quiet sets hours in which only what is urgent is told.
func (h *Handler) quiet(ctx context.Context, p *place, cmd Command) (Answer, error) {
	d := p.dest
	if cmd.Quiet == "off" {
		d.Quiet, d.QuietExcept = "", ""
	} else {
		d.Quiet = cmd.Quiet
		if cmd.Has("except") {
			d.QuietExcept = cmd.Except
		}
	}
	if cmd.Has("tz") {
		d.Timezone = cmd.Timezone
	}
	what := "switched the quiet hours of this channel off"
	if d.Quiet != "" {
		what = fmt.Sprintf("set this channel's quiet hours to %s %s", d.Quiet, zoneOf(d, p.team))
		if d.QuietExcept != "" {
			what += ", except " + string(d.QuietExcept)
		}
	}
	return h.saveDestination(ctx, p, d, what)
}

// reminders sets how long an open incident may stay unacknowledged before it is told again.
func (h *Handler) reminders(ctx context.Context, p *place, cmd Command) (Answer, error) {
	d := p.dest
	d.Remind = remindOf(cmd)
	what := "switched the reminders of this channel off"
	if d.Remind > 0 {
		what = "asked for a reminder here every " + formatFor(d.Remind) + " of what is still open and nobody acknowledged"
	}
	return h.saveDestination(ctx, p, d, what)
}

// remindOf is the length of time that a command asks for; zero for off.
func remindOf(cmd Command) time.Duration {
	d, _ := parseFor(cmd.Remind)
	return d
}

func (h *Handler) saveDestination(ctx context.Context, p *place, d downwind.Destination, what string) (Answer, error) {
	if d == p.dest {
		return private(say(words("Nothing changed: it is set that way already. ", code(p.Name()+" list")))), nil
	}
	if err := h.Store.SaveDestination(ctx, d); err != nil {
		return Answer{}, err
	}
	return Answer{Public: say(words(bold(p.By()), " "+what+".")), Private: say(words("Done. ", code(p.Name()+" list"), " shows it."))}, nil
}

// settingsDialog asks for the form with what is set now.
func (h *Handler) settingsDialog(ctx context.Context, p *place, _ Command) (Answer, error) {
	m := titled("Settings of this channel", h.stateBlock(p), small(words(
		"Change them with ", code(p.Name()+" quiet 22:00-07:00"), ", ", code(p.Name()+" digest daily"), ", ", code(p.Name()+" remind 2h"), ", ", code(p.Name()+" subscribe stack thread:off"), ".")))
	who := "anyone but guests"
	if p.Platform == downwind.PlatformDiscord {
		who = "those who may manage the server or the channel"
		if p.settings.Role != "" {
			who += ", and one role"
		}
	}
	if p.settings.AdminsOnly {
		who = "admins only"
	}
	with(m, text("Who may change things", words(who)))
	s := p.settings
	if h.SignIn != nil {
		role := "editor"
		if p.Admin {
			role = "admin"
		}
		link, err := h.SignIn(ctx, p.team.ID, role, p.By())
		if err != nil {
			return Answer{}, err
		}
		if s.SignIn = link; link != "" {
			m.Actions = append(m.Actions, notify.Action{Label: "Open this team's pages", URL: link})
			with(m, small(words("The link signs you in, once, within ten minutes. Do not pass it on.")))
		}
	}
	s.Quiet, s.Except, s.Timezone, s.Digest, s.At, s.Channel = p.dest.Quiet, p.dest.QuietExcept, zoneOf(p.dest, p.team), p.dest.Digest, p.dest.DigestAt, p.Channel
	if p.dest.Remind > 0 {
		s.Remind = formatFor(p.dest.Remind)
	}
	return Answer{Private: m, Dialog: DialogSettings, Settings: s}, nil
}

// SaveSettings takes the form of the settings in; empty Quiet, Digest or Remind switch these off.
func (h *Handler) SaveSettings(ctx context.Context, who Caller, s Settings) Answer {
	p, err := h.place(ctx, who)
	if err != nil {
		return h.failed(who, "find this channel's team", err)
	}
	if a, ok := p.mayChange(); !ok {
		return a
	}
	if (s.AdminsOnly != p.settings.AdminsOnly || s.Role != p.settings.Role) && !p.Admin {
		return plainf("Only an admin can change who may change things here.")
	}
	var w []string
	quiet, digest := "quiet off", "digest off"
	if s.Quiet != "" {
		quiet = "quiet " + s.Quiet
		if s.Except != "" {
			quiet += " except:" + string(s.Except)
		}
	}
	if s.Digest != "" && s.Digest != "off" {
		digest = "digest " + s.Digest
		if s.At != "" {
			digest += " at:" + s.At
		}
	}
	for _, line := range []string{quiet, digest} {
		if s.Timezone != "" {
			line += " tz:" + quote(s.Timezone)
		}
		w = append(w, line)
	}
	remind := s.Remind
	if remind == "" {
		remind = "off"
	}
	w = append(w, "remind "+remind)
	return h.applySettings(ctx, p, s, w)
}

// applySettings checks every line before the first change is made.
func (h *Handler) applySettings(ctx context.Context, p *place, s Settings, lines []string) Answer {
	d := p.dest
	for _, line := range lines {
		cmd, err := Parse(line)
		if a, ok := repairable(p, err); ok {
			return a
		}
		switch cmd.Verb {
		case VerbQuiet:
			d.Quiet, d.QuietExcept = cmd.Quiet, cmd.Except
			if cmd.Quiet == "off" {
				d.Quiet, d.QuietExcept = "", ""
			}
		case VerbDigest:
			d.Digest, d.DigestAt = cmd.Digest, cmd.At
			if cmd.Digest == "off" {
				d.Digest, d.DigestAt = "", ""
			} else if d.DigestAt == "" {
				d.DigestAt = "08:00"
			}
		case VerbRemind:
			d.Remind = remindOf(cmd)
		}
		// The form shows the team's zone where the channel has none of its own; sent back as it was, that changes nothing.
		if cmd.Has("tz") && cmd.Timezone != zoneOf(p.dest, p.team) {
			d.Timezone = cmd.Timezone
		}
	}
	changed := d != p.dest
	if changed {
		if err := h.Store.SaveDestination(ctx, d); err != nil {
			return h.failed(p.Caller, "save the settings", err)
		}
	}
	if s.AdminsOnly != p.settings.AdminsOnly || s.Role != p.settings.Role {
		if err := h.keepSettings(ctx, p, s); err != nil {
			return h.failed(p.Caller, "save the settings", err)
		}
		changed = true
	}
	if !changed {
		return plainf("Nothing changed.")
	}
	return Answer{
		Private: say(words("Saved.")),
		Public:  say(words(bold(p.By()), " changed this channel's settings: ", their(settingsText(d, s, p.team)), ".")),
	}
}

func settingsText(d downwind.Destination, s Settings, t downwind.Team) string {
	parts := []string{"quiet hours off", "digest off", "anyone but guests may change things"}
	if d.Quiet != "" {
		parts[0] = "quiet " + d.Quiet + " " + zoneOf(d, t)
		if d.QuietExcept != "" {
			parts[0] += " except " + string(d.QuietExcept)
		}
	}
	if d.Digest != "" {
		parts[1] = "digest " + d.Digest + " at " + d.DigestAt
	}
	if d.Platform == downwind.PlatformDiscord {
		parts[2] = "those who manage the channel may change things"
	}
	if s.AdminsOnly {
		parts[2] = "only admins may change things"
	}
	if d.Remind > 0 {
		parts = append(parts, "reminders every "+formatFor(d.Remind))
	}
	return strings.Join(parts, ", ")
}

// keepSettings replaces the rules on who may change things.
func (h *Handler) keepSettings(ctx context.Context, p *place, s Settings) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return h.Store.SetTemp(ctx, tempSettings, p.dest.ID, raw, h.Clock.Now().AddDate(100, 0, 0))
}

// preview shows how a message of a kind looks here.
func (h *Handler) preview(ctx context.Context, p *place, cmd Command) (Answer, error) {
	kind := cmd.Kind
	if kind == "" {
		kind = "new"
	}
	if h.Preview == nil {
		a := plainf("This Downwind cannot show previews.")
		return a, h.resume(ctx, p, &a)
	}
	alert, err := h.Preview(ctx, &p.team, kind)
	if err != nil {
		return Answer{}, err
	}
	alert.Sample = true
	m := notify.Compose(alert, notify.ComposeOptions{BaseURL: h.BaseURL, Root: kind == "new" || kind == "maintenance", Version: 1, Command: p.Name()})
	for i := range m.Actions {
		// Buttons of a sample lead nowhere.
		if m.Actions[i].ID != "" {
			m.Actions[i].ID = notify.ActionID(notify.VerbSample, strconv.Itoa(i))
		}
	}
	note := "This is how it would look here. It is a sample, and only you see it."
	subs, err := h.Store.Subscriptions(ctx, p.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	passed := "No subscription here would let it through: " + p.Name() + " subscribe stack"
	for _, s := range subs {
		if h.passes(&alert.Incident, p, s) == "" {
			passed = "The subscription to " + h.subLabel(s) + " would let it through."
			break
		}
	}
	a := Answer{Private: say(words(note), words(their(passed))), Preview: &m}
	return a, h.resume(ctx, p, &a)
}

// resume lets a paused destination receive again when nothing stands against it any more.
func (h *Handler) resume(ctx context.Context, p *place, a *Answer) error {
	if p.dest.Paused == "" {
		return nil
	}
	paused := p.dest.Paused
	p.dest.Paused = ""
	if reason := h.cannotPost(ctx, p); reason != "" {
		with(a.Private, text("Still paused", words(their(reason))))
		return nil
	}
	if h.Resume == nil || h.CanPost == nil || p.Guest {
		with(a.Private, text("Paused", words(their(paused))))
		return nil
	}
	if err := h.Resume(ctx, p.dest.ID); err != nil {
		return err
	}
	a.Public = say(words("This channel receives again; what is still current follows. It was paused because: ", their(paused), "."))
	return nil
}

package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"downwind"
)

// An alertRow is one message that would have been sent.
type alertRow struct {
	At         time.Time           `json:"at"`
	Provider   string              `json:"provider"`
	Incident   string              `json:"incident"`
	Title      string              `json:"title"`
	Kind       downwind.ChangeKind `json:"kind"`
	Root       bool                `json:"root"`
	Channel    bool                `json:"channel"`
	Push       bool                `json:"push"`
	Confidence downwind.Verdict    `json:"confidence"`
	Components []string            `json:"components"`
	Regions    []string            `json:"regions"`
	Replay     *downwind.Period    `json:"replay_window"`
	Why        []downwind.Reason   `json:"why"`
}

type holdRow struct {
	At       time.Time           `json:"at"`
	Incident string              `json:"incident"`
	Kind     downwind.ChangeKind `json:"kind"`
	Reason   downwind.HoldReason `json:"reason"`
	Text     string              `json:"text"`
}

type backtestReport struct {
	Schema    string `json:"schema"`
	Providers int    `json:"providers"`
	Incidents int    `json:"incidents"`
	// From and To are the first and the last moment at which anything was told or held, UTC; null where nothing was.
	From     *time.Time     `json:"from"`
	To       *time.Time     `json:"to"`
	Told     int            `json:"told"`
	Messages int            `json:"messages"`
	Channel  int            `json:"in_channel"`
	Pushes   int            `json:"pushes"`
	Merged   int            `json:"merged"`
	Held     map[string]int `json:"held"`
	Alerts   []alertRow     `json:"alerts"`
	Holds    []holdRow      `json:"holds"`
	Unread   []string       `json:"unreadable"`
}

func (b *backtest) report() backtestReport {
	r := backtestReport{Schema: backtestSchema, Providers: len(b.docs), Incidents: b.replay.Incidents, Held: map[string]int{}, Alerts: []alertRow{}, Holds: []holdRow{}, Unread: orEmpty(b.unread)}
	for _, a := range b.replay.Alerts {
		root := a.Alert.Before == nil
		switch {
		case root:
			r.Told++
		case a.RootOnly:
			r.Merged++
			continue
		}
		r.Messages++
		if root || a.Alert.Broadcast {
			r.Channel++
		}
		if a.Alert.Push {
			r.Pushes++
		}
		r.Alerts = append(r.Alerts, alertRow{
			At: a.Alert.SeenAt, Provider: a.Alert.Incident.Provider, Incident: a.Alert.Incident.ID, Title: a.Alert.Incident.Title, Kind: a.Alert.Kind,
			Root: root, Channel: root || a.Alert.Broadcast, Push: a.Alert.Push, Confidence: a.Alert.Match.Verdict,
			Components: orEmpty(a.Alert.Match.Components), Regions: orEmpty(a.Alert.Match.Regions), Replay: a.Alert.Guidance.Replay, Why: orEmpty(a.Alert.Match.Why),
		})
	}
	r.From, r.To = b.span()
	seen := map[string]bool{}
	for _, h := range b.replay.Holds {
		r.Holds = append(r.Holds, holdRow{h.At, h.Incident, h.Kind, h.Reason, h.Text})
		if key := h.Incident + string(h.Reason); !seen[key] {
			seen[key] = true
			r.Held[string(h.Reason)]++
		}
	}
	return r
}

// span is the time from the first to the last decision; both lists are in order by provider only.
func (b *backtest) span() (from, to *time.Time) {
	take := func(t time.Time) {
		t = t.UTC()
		if from == nil || t.Before(*from) {
			from = &t
		}
		if to == nil || t.After(*to) {
			to = &t
		}
	}
	for i := range b.replay.Alerts {
		take(b.replay.Alerts[i].Alert.SeenAt)
	}
	for i := range b.replay.Holds {
		take(b.replay.Holds[i].At)
	}
	return from, to
}

// heldWords say in a few words why incidents were held.
var heldWords = map[string]string{
	string(downwind.HeldProvider): "the files do not use the provider", string(downwind.HeldProduct): "the files do not use what is hit",
	string(downwind.HeldRegion): "used in another place", string(downwind.HeldSelfHosted): "the files run their own server",
	string(downwind.HeldTypeOnly): "types, mocks or emulators only", string(downwind.HeldTransitive): "somebody else's dependency only",
	string(downwind.HeldVendored): "packages are kept with the code", string(downwind.HeldDashboard): "only a console suffers: goes into the digest",
	string(downwind.HeldNothing): "nobody is expected to notice", string(downwind.HeldSeverity): "below the least impact that is told",
	string(downwind.HeldKinds): "a kind that is left out", string(downwind.HeldUntold): "over before anybody was told",
	string(downwind.HeldInconsequent): "edits that change no window, component or severity", string(downwind.HeldFlicker): "a mild signal that no second reading confirmed",
	string(downwind.HeldFlap): "the same incident opening and closing again and again", string(downwind.HeldFirstPoll): "history at first contact",
}

// print is a summary that people can paste: what would have been told, what held and why, then one line a message.
func (b *backtest) print(out io.Writer) error {
	r := b.report()
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s of %s replayed against a stack of %s", count(r.Incidents, "incident"), count(r.Providers, "provider"), count(len(b.stack.Providers), "provider"))
	if r.From != nil {
		fmt.Fprintf(&sb, ", %s to %s", r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
	}
	sb.WriteByte('\n')
	fmt.Fprintf(&sb, "%d told in %s: %d in the channel, %d in threads, %d with a ping; %s merged into a message that stood already\n",
		r.Told, count(r.Messages, "message"), r.Channel, r.Messages-r.Channel, r.Pushes, count(r.Merged, "update"))
	r.printHeld(&sb)
	if n := len(r.Unread); n > 0 {
		fmt.Fprintf(&sb, "%s not read: %s", count(n, "source"), r.Unread[0])
		if n > 1 {
			fmt.Fprintf(&sb, "; and %d more (--json lists them)", n-1)
		}
		sb.WriteByte('\n')
	}
	if err := r.printAlerts(&sb); err != nil {
		return err
	}
	_, err := io.WriteString(out, sb.String())
	return err
}

// printHeld lists the reasons for silence, the most frequent first.
func (r backtestReport) printHeld(sb *strings.Builder) {
	reasons := sortedKeys(r.Held)
	sort.SliceStable(reasons, func(i, k int) bool { return r.Held[reasons[i]] > r.Held[reasons[k]] })
	if len(reasons) == 0 {
		sb.WriteString("nothing held\n")
		return
	}
	sb.WriteString("held:\n")
	for _, reason := range reasons {
		words := heldWords[reason]
		if words == "" {
			words = reason
		}
		fmt.Fprintf(sb, "%7d  %s\n", r.Held[reason], words)
	}
}

func (r backtestReport) printAlerts(sb *strings.Builder) error {
	if len(r.Alerts) == 0 {
		return nil
	}
	sb.WriteByte('\n')
	w := tabwriter.NewWriter(sb, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SEEN (UTC)\tWHERE\tKIND\tSURE\tREPLAY\tINCIDENT")
	for _, a := range r.Alerts {
		where := "thread"
		if a.Channel {
			where = "channel"
		}
		if a.Root {
			where = "new"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s: %s\n", a.At.UTC().Format("2006-01-02 15:04"), where, a.Kind, a.Confidence, periodText(a.Replay), a.Provider, oneLine(a.Title))
	}
	return w.Flush()
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func periodText(p *downwind.Period) string {
	if p == nil {
		return "-"
	}
	text := func(t time.Time) string {
		if t.IsZero() {
			return "?"
		}
		return t.UTC().Format("15:04")
	}
	return text(p.Start) + "–" + text(p.End)
}

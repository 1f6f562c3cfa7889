package plan

import (
	"slices"
	"time"

	"downwind"
)

// Standing is one delivery with what decides whether people are reminded of it.
type Standing struct {
	Delivery downwind.Delivery
	// Parts are all messages of the delivery, oldest first.
	Parts []downwind.Part
	// Incident is its newest state; Withdrawn says that its page no longer shows it.
	Incident  downwind.Incident
	Withdrawn bool
	// Mutes are those of the destination.
	Mutes []downwind.Mute
}

// StillOpen reminds a destination of an incident that is going on and that nobody there has acknowledged, once nothing was
// said of it in the channel for as long as the destination asks (Destination.Remind). It returns the instant at which the
// reminder was due, and the reminder, or while the incident is muted the line of the ledger in its place; both nil when
// nothing is due. During quiet hours nothing is: it comes when they end.
func StillOpen(d *downwind.Destination, s Standing, now time.Time) (time.Time, *downwind.Raise, *downwind.Hold) {
	last, heard := lastHeard(s.Parts)
	due := heard.Add(d.Remind)
	if d.Remind <= 0 || heard.IsZero() || now.Before(due) || !reminds(s, last) || hushed(d, s.Incident.Impact, now) {
		return time.Time{}, nil, nil
	}
	if m := muted(s.Mutes, d.ID, &s.Incident, now); m != nil {
		return due, nil, &downwind.Hold{
			Destination: d.ID, Team: d.Team, Incident: s.Delivery.Incident, Kind: downwind.ChangeReminder, Reason: downwind.HeldMuted,
			Text: "no reminder: muted here until " + m.Until.UTC().Format("2006-01-02 15:04 UTC"), At: due,
		}
	}
	a := *last
	a.Kind, a.Changes, a.WindowChanges, a.Before = downwind.ChangeReminder, nil, nil, &last.Match
	a.NewlyYours, a.Cleared, a.InProgress = false, false, false
	a.Broadcast, a.Push, a.Quiet = true, true, false
	a.Mention = pinged(s.Parts)
	// The store tells raises apart by this instant, so that one reminder planned twice is sent once.
	a.SeenAt = due
	return due, &downwind.Raise{
		Delivery: s.Delivery.ID, Destination: d.ID, Team: d.Team, Incident: s.Delivery.Incident, Alert: a,
	}, nil
}

// lastHeard is the newest alert of a delivery, and when the channel itself last heard of it; zero while a message is on its way.
func lastHeard(parts []downwind.Part) (*downwind.Alert, time.Time) {
	if len(parts) == 0 {
		return nil, time.Time{}
	}
	var heard time.Time
	for i := range parts {
		p := &parts[i]
		if p.SentAt.IsZero() && p.Skipped == "" {
			return nil, time.Time{}
		}
		if p.Version == 1 || p.Alert.Broadcast {
			heard = later(heard, p.SentAt)
		}
	}
	return &parts[len(parts)-1].Alert, heard
}

// pinged is the group that the incident's messages pinged last, empty for none.
func pinged(parts []downwind.Part) string {
	for _, p := range slices.Backward(parts) {
		if p.Alert.Mention != "" {
			return p.Alert.Mention
		}
	}
	return ""
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// reminds reports whether an incident is one that people are reminded of: told as theirs, going on, taken by nobody.
func reminds(s Standing, last *downwind.Alert) bool {
	told := last.Announcement == nil && (last.Match.Affected && last.Match.Verdict != downwind.AffectedPossible || last.Because != "")
	return told && s.Delivery.State == downwind.DeliveryActive && s.Delivery.AckedAt.IsZero() && !s.Withdrawn &&
		s.Incident.Kind == downwind.KindIncident && s.Incident.Open() && !slices.Contains([]downwind.ChangeKind{downwind.ChangeWithdrawn, downwind.ChangeResolved}, last.Kind)
}

// hushed reports whether quiet hours keep something of this impact back.
func hushed(d *downwind.Destination, impact downwind.Impact, now time.Time) bool {
	return Quiet(d, now) && (d.QuietExcept == "" || impact.Rank() < d.QuietExcept.Rank())
}

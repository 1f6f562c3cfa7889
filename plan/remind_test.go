package plan_test

import (
	"testing"
	"time"

	"downwind"
	"downwind/plan"
)

// standing is an incident that was told at t0 as the team's and goes on.
func standing(change ...func(*plan.Standing)) plan.Standing {
	inc := downwind.Incident{Provider: "acme", ID: "i1", Kind: downwind.KindIncident, Title: "Errors", Phase: downwind.Identified, Impact: downwind.ImpactMajor, StartedAt: t0}
	s := plan.Standing{
		Delivery: downwind.Delivery{ID: "slack:T1:C1|acme/i1", Destination: "slack:T1:C1", Team: "ops", Incident: "acme/i1", State: downwind.DeliveryActive, RootID: "1"},
		Parts: []downwind.Part{{Version: 1, MessageID: "1", SentAt: t0, Alert: downwind.Alert{
			Kind: downwind.ChangeNew, Incident: inc, Match: downwind.Match{Affected: true, Verdict: downwind.AffectedSure}, Mention: "S1", Push: true,
		}}},
		Incident: inc,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestStillOpen(t *testing.T) {
	reply := func(minute int, broadcast bool) func(*plan.Standing) {
		return func(s *plan.Standing) {
			a := s.Parts[0].Alert
			a.Kind, a.Broadcast = downwind.ChangeUpdate, broadcast
			s.Parts = append(s.Parts, downwind.Part{Version: len(s.Parts) + 1, SentAt: at(minute), Alert: a})
		}
	}
	for _, tc := range []struct {
		name   string
		dest   func(*downwind.Destination)
		change func(*plan.Standing)
		now    int
		// due is the minute of the reminder, -1: none; held says that the ledger gets a line in its place.
		due  int
		held bool
	}{
		{"not asked for", func(d *downwind.Destination) { d.Remind = 0 }, nil, 600, -1, false},
		{"not yet", nil, nil, 119, -1, false},
		{"due", nil, nil, 120, 120, false},
		{"late, after the process was down", nil, nil, 700, 120, false},
		{"an update in the thread is not heard", nil, reply(90, false), 120, 120, false},
		{"worse was heard in the channel", nil, reply(90, true), 120, -1, false},
		{"two hours after that", nil, reply(90, true), 211, 210, false},
		{"the root is not out yet", nil, func(s *plan.Standing) { s.Parts[0].SentAt = time.Time{} }, 600, -1, false},
		{"a message is on its way", nil, func(s *plan.Standing) { s.Parts = append(s.Parts, downwind.Part{Version: 2}) }, 600, -1, false},
		{"acknowledged", nil, func(s *plan.Standing) { s.Delivery.AckedAt = at(5) }, 600, -1, false},
		{"over", nil, func(s *plan.Standing) { s.Incident.Phase = downwind.Resolved }, 600, -1, false},
		{"withdrawn", nil, func(s *plan.Standing) { s.Withdrawn = true }, 600, -1, false},
		{"planned work", nil, func(s *plan.Standing) { s.Incident.Kind = downwind.KindMaintenance }, 600, -1, false},
		{"no longer theirs", nil, func(s *plan.Standing) { s.Parts[0].Alert.Match = downwind.Match{Verdict: downwind.NotAffected} }, 600, -1, false},
		{"only possibly theirs", nil, func(s *plan.Standing) { s.Parts[0].Alert.Match.Verdict = downwind.AffectedPossible }, 600, -1, false},
		{"subscribed by name", nil, func(s *plan.Standing) {
			s.Parts[0].Alert.Match, s.Parts[0].Alert.Because = downwind.Match{}, "subscribed to acme by @ana"
		}, 120, 120, false},
		{"paused", nil, func(s *plan.Standing) { s.Delivery.State = downwind.DeliveryPaused }, 600, -1, false},
		{"muted", nil, func(s *plan.Standing) {
			s.Mutes = []downwind.Mute{{Destination: "slack:T1:C1", Provider: "acme", Until: at(700)}}
		}, 600, 120, true},
		{"the mute has ended", nil, func(s *plan.Standing) {
			s.Mutes = []downwind.Mute{{Destination: "slack:T1:C1", Provider: "acme", Until: at(500)}}
		}, 600, 120, false},
		{"quiet hours", func(d *downwind.Destination) { d.Quiet = "10:00-13:00" }, nil, 120, -1, false},
		{"quiet hours but for what is major", func(d *downwind.Destination) {
			d.Quiet, d.QuietExcept = "10:00-13:00", downwind.ImpactMajor
		}, nil, 120, 120, false},
		{"quiet hours are over", func(d *downwind.Destination) { d.Quiet = "10:00-13:00" }, nil, 180, 120, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := downwind.Destination{ID: "slack:T1:C1", Platform: downwind.PlatformSlack, Team: "ops", Remind: 2 * time.Hour}
			if tc.dest != nil {
				tc.dest(&d)
			}
			s := standing()
			if tc.change != nil {
				tc.change(&s)
			}
			due, raise, hold := plan.StillOpen(&d, s, at(tc.now))
			if (raise != nil) != (tc.due >= 0 && !tc.held) || (hold != nil) != tc.held {
				t.Fatalf("reminder %v, hold %v", raise, hold)
			}
			if tc.due >= 0 && !due.Equal(at(tc.due)) {
				t.Errorf("due %v, want %v", due, at(tc.due))
			}
			if raise != nil && (raise.Alert.Kind != downwind.ChangeReminder || !raise.Alert.Broadcast || raise.Alert.Mention != "S1" || !raise.Alert.SeenAt.Equal(due) || raise.Done) {
				t.Errorf("raise %+v", raise)
			}
			if hold != nil && (hold.Reason != downwind.HeldMuted || hold.Text == "") {
				t.Errorf("hold %+v", hold)
			}
		})
	}
}

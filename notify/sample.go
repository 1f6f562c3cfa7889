package notify

import (
	"time"

	"downwind"
)

// sampleKinds are the kinds that Sample knows, in the order in which an incident goes.
var sampleKinds = []downwind.ChangeKind{
	downwind.ChangeNew, downwind.ChangeUpdate, downwind.ChangeSeverity, downwind.ChangeComponents, downwind.ChangeResolved,
	downwind.ChangeReopened, downwind.ChangePostmortem, downwind.ChangeEdit, downwind.ChangeWithdrawn, downwind.ChangeMaintenance, downwind.ChangeReminder,
}

// SampleKinds lists the kinds that Sample knows.
func SampleKinds() []downwind.ChangeKind { return append([]downwind.ChangeKind{}, sampleKinds...) }

// Sample is a made-up alert of a kind for previews and tests, told at the given time. The provider does not exist, and
// the alert is marked as a sample.
func Sample(kind downwind.ChangeKind, now time.Time) downwind.Alert {
	now = now.UTC().Truncate(time.Minute)
	if kind == downwind.ChangeMaintenance {
		return sampleMaintenance(now)
	}
	s := &sample{now: now, t0: now.Add(-50 * time.Minute)}
	switch kind {
	case downwind.ChangeUpdate:
		s.update()
	case downwind.ChangeSeverity, downwind.ChangeComponents:
		s.worse(kind)
	case downwind.ChangeResolved:
		s.resolved()
	case downwind.ChangeReopened:
		s.reopened()
	case downwind.ChangePostmortem:
		s.postmortem()
	case downwind.ChangeEdit:
		s.edit()
	case downwind.ChangeWithdrawn:
		s.first()
		s.a.Kind, s.a.Changes = downwind.ChangeWithdrawn, []downwind.Change{{Kind: downwind.ChangeWithdrawn, Incident: sampleID}}
	case downwind.ChangeReminder:
		s.update()
		s.a.Kind, s.a.Changes, s.a.Broadcast, s.a.Push = downwind.ChangeReminder, nil, true, true
	default:
		s.first()
		s.a.SeenAt = s.t0.Add(40 * time.Second)
	}
	s.a.Sample = true
	return s.a
}

const sampleID = "frankfurt-api"

// sample tells the story step by step.
type sample struct {
	now, t0 time.Time
	a       downwind.Alert
}

func (s *sample) post(id string, phase downwind.Phase, after time.Duration, body string) {
	s.a.Incident.Phase = phase
	s.a.Incident.Updates = append(s.a.Incident.Updates, downwind.Update{ID: id, Phase: phase, Body: body, PostedAt: s.t0.Add(after)})
}

func (s *sample) first() {
	api := downwind.Component{ID: "c1", Name: "API", Group: "Frankfurt", Status: downwind.PartialOutage}
	hooks := downwind.Component{ID: "c2", Name: "Webhooks", Group: "Frankfurt", Status: downwind.Degraded}
	s.a = downwind.Alert{
		Kind: downwind.ChangeNew, Changes: []downwind.Change{{Kind: downwind.ChangeNew, Incident: sampleID, Update: "u1"}},
		ProviderName: "ExampleCloud", SeenAt: s.now, Version: 8841, LogSize: 9120, LogRoot: "1a2b3c4d", Push: true,
		Incident: downwind.Incident{
			Provider: "examplecloud", ID: sampleID, Kind: downwind.KindIncident, Title: "Elevated API errors in Frankfurt",
			URL: "https://status.examplecloud.example/incidents/frankfurt-api", Impact: downwind.ImpactMinor, StartedAt: s.t0,
			Components: []downwind.Component{api, hooks},
		},
		Match: downwind.Match{
			Incident: "examplecloud/" + sampleID, Provider: "examplecloud", Affected: true, Verdict: downwind.AffectedSure,
			Components: []string{"Frankfurt - API"}, Regions: []string{"Frankfurt"}, Used: 1, Of: 2, Urgency: downwind.UrgencyRuntime,
			Why: []downwind.Reason{
				{File: "web/package.json", Line: 17, Match: "@examplecloud/sdk", Text: "your code calls its API"},
				{File: "infra/main.tf", Line: 42, Match: "fra1", Words: "Frankfurt", Text: "you run in Frankfurt, which the incident names"},
			},
		},
		Guidance: downwind.Guidance{
			Phase: downwind.Investigating, Regions: []string{"Frankfurt"}, Categories: []downwind.Category{downwind.CategoryAPIErrors},
			Advice: []string{
				"Leave retries with backoff on; do not raise their number.",
				"Hold bulk jobs that write to Frankfurt.",
				"Fail over reads to another region if you have one.",
			},
		},
	}
	s.post("u1", downwind.Investigating, 0, "We are seeing elevated error rates on API requests in Frankfurt and are looking into the cause.")
}

func (s *sample) update() {
	s.first()
	s.post("u2", downwind.Identified, 12*time.Minute, "A faulty load balancer has been found. We are taking it out of rotation.")
	s.a.Kind, s.a.Push = downwind.ChangeUpdate, false
	s.a.Changes = []downwind.Change{{Kind: downwind.ChangeUpdate, Incident: sampleID, Update: "u2", From: string(downwind.Investigating), To: string(downwind.Identified)}}
	s.before()
}

func (s *sample) before() {
	m := s.a.Match
	s.a.Before = &m
}

func (s *sample) worse(kind downwind.ChangeKind) {
	s.update()
	s.a.Kind, s.a.Broadcast, s.a.Push = kind, true, true
	s.a.Incident.Impact = downwind.ImpactMajor
	s.a.Incident.Components[0].Status = downwind.MajorOutage
	s.a.Changes = append(s.a.Changes,
		downwind.Change{Kind: downwind.ChangeSeverity, Incident: sampleID, From: "minor", To: "major"},
		downwind.Change{Kind: downwind.ChangeComponents, Incident: sampleID, Components: s.a.Incident.Components})
	if kind == downwind.ChangeComponents {
		s.a.NewlyYours = true
		s.a.Match.Components = []string{"Frankfurt - API", "Frankfurt - Webhooks"}
		s.a.Match.Used = 2
	}
}

func (s *sample) window(start, end time.Duration, text string) downwind.Window {
	return downwind.Window{Start: s.t0.Add(start), End: s.t0.Add(end), Scope: "Frankfurt", Source: downwind.FromProse, Text: text}
}

func (s *sample) resolved() {
	s.update()
	s.a.Incident.Impact = downwind.ImpactMajor
	s.a.Incident.ResolvedAt = s.t0.Add(40 * time.Minute)
	w := s.window(-8*time.Minute, 21*time.Minute, "from 8 minutes before our first post until 21 minutes after it, about one in nine API requests failed")
	s.post("u3", downwind.Resolved, 40*time.Minute, "This is resolved: "+w.Text+". Webhooks that were delayed are being delivered now.")
	s.a.Kind, s.a.Broadcast, s.a.Push = downwind.ChangeResolved, true, true
	s.a.Changes = []downwind.Change{{Kind: downwind.ChangeResolved, Incident: sampleID, Update: "u3", From: string(downwind.Identified), To: string(downwind.Resolved)}}
	g := &s.a.Guidance
	g.Phase, g.Windows = downwind.Resolved, []downwind.Window{w}
	g.Replay = &downwind.Period{Start: w.Start, End: w.End}
	g.Padded = &downwind.Period{Start: w.Start.Add(-2 * time.Minute), End: w.End.Add(2 * time.Minute)}
	g.Conflicts = []string{"The page clock starts at the first post, the words start 8 minutes earlier; the words are used."}
	g.Delayed = []string{"Webhooks that were delayed are being delivered now."}
	g.Checklist = []string{
		"Re-run writes to Frankfurt that failed in the window; make them idempotent first.",
		"Drop duplicate webhooks by event id; they arrive late and in a burst.",
		"Release the jobs you held.",
	}
	g.Advice = []string{"Replay what failed in the window."}
	s.a.Version = 8847
}

func (s *sample) reopened() {
	s.resolved()
	s.before()
	s.a.Incident.ResolvedAt = time.Time{}
	s.post("u4", downwind.Identified, 46*time.Minute, "Errors are back in Frankfurt. We are moving traffic away.")
	s.a.Kind = downwind.ChangeReopened
	s.a.Changes = []downwind.Change{{Kind: downwind.ChangeReopened, Incident: sampleID, Update: "u4", From: string(downwind.Resolved), To: string(downwind.Identified)}}
	s.a.Guidance.Phase = downwind.Identified
	s.a.Guidance.Advice = []string{"Leave retries with backoff on.", "Hold bulk jobs again.", "Fail over reads to another region if you have one."}
}

func (s *sample) postmortem() {
	s.resolved()
	s.before()
	old := s.a.Guidance.Windows[0]
	w := s.window(-9*time.Minute, 22*time.Minute, "API requests in Frankfurt failed from 9 minutes before the first post to 22 minutes after it")
	s.post("u4", downwind.Postmortem, 48*time.Minute, "Postmortem: "+w.Text+". Webhooks were affected as well. A certificate had expired on one load balancer.")
	s.a.Kind, s.a.Push, s.a.PrevVersion, s.a.Version = downwind.ChangePostmortem, false, 8847, 8902
	s.a.Changes = []downwind.Change{{Kind: downwind.ChangePostmortem, Incident: sampleID, Update: "u4"}}
	s.a.Match.Components, s.a.Match.Used = []string{"Frankfurt - API", "Frankfurt - Webhooks"}, 2
	s.a.Guidance.Phase, s.a.Guidance.Windows = downwind.Postmortem, []downwind.Window{w}
	s.a.Guidance.Superseded = []downwind.Window{old}
	s.a.Guidance.Replay = &downwind.Period{Start: w.Start, End: w.End}
	s.a.Guidance.Padded = &downwind.Period{Start: w.Start.Add(-2 * time.Minute), End: w.End.Add(2 * time.Minute)}
	s.a.WindowChanges = []downwind.WindowChange{
		{Bound: "start", From: old.Start, To: w.Start, Scope: "Frankfurt"}, {Bound: "end", From: old.End, To: w.End, Scope: "Frankfurt"},
	}
}

func (s *sample) edit() {
	s.resolved()
	s.before()
	w := s.window(33*time.Minute, 38*time.Minute, "a second wave 33 to 38 minutes after the first post")
	u := &s.a.Incident.Updates[2]
	added := "There was " + w.Text + "."
	u.Body += " " + added
	u.EditedAt = s.now.Add(-time.Minute)
	s.a.Kind, s.a.Push = downwind.ChangeEdit, false
	s.a.PrevVersion, s.a.Version, s.a.PrevSeen = 8847, 8851, s.now.Add(-10*time.Minute)
	s.a.Changes = []downwind.Change{{
		Kind: downwind.ChangeEdit, Incident: sampleID, Update: "u3", Field: "body", Silent: true,
		Diff: []downwind.Span{{Text: "Webhooks that were delayed are being delivered now."}, {Op: 1, Text: " " + added}},
	}}
	s.a.Guidance.Windows = append(s.a.Guidance.Windows, w)
	s.a.Guidance.Replay.End, s.a.Guidance.Padded.End = w.End, w.End.Add(2*time.Minute)
	s.a.WindowChanges = []downwind.WindowChange{{Bound: "window", Index: 1, From: w.Start, To: w.End, Scope: "Frankfurt"}}
}

func sampleMaintenance(now time.Time) downwind.Alert {
	from := now.Truncate(time.Hour).Add(50 * time.Hour)
	until := from.Add(2 * time.Hour)
	return downwind.Alert{
		Kind: downwind.ChangeMaintenance, Changes: []downwind.Change{{Kind: downwind.ChangeMaintenance, Incident: "shield", To: string(downwind.Scheduled)}},
		ProviderName: "ExampleCloud", SeenAt: now, Version: 8790, Quiet: true, Sample: true,
		Incident: downwind.Incident{
			Provider: "examplecloud", ID: "shield", Kind: downwind.KindMaintenance, Title: "Network work in Frankfurt",
			URL: "https://status.examplecloud.example/incidents/shield", Phase: downwind.Scheduled, Impact: downwind.ImpactMaintenance,
			ScheduledFor: from, ScheduledUntil: until,
			Updates: []downwind.Update{{ID: "m1", Phase: downwind.Scheduled, PostedAt: now.Add(-time.Minute), Body: "We will replace switches in Frankfurt. Expect short connection errors."}},
		},
		Match: downwind.Match{
			Incident: "examplecloud/shield", Provider: "examplecloud", Affected: true, Verdict: downwind.AffectedLikely, Regions: []string{"Frankfurt"},
			Why: []downwind.Reason{{File: "infra/main.tf", Line: 42, Match: "fra1", Words: "Frankfurt", Text: "you run in Frankfurt, which the work names"}},
		},
		Guidance: downwind.Guidance{
			Phase: downwind.Scheduled, Categories: []downwind.Category{downwind.CategoryMaintenance},
			Windows:   []downwind.Window{{Start: from, End: until, Scope: "Frankfurt", Source: downwind.FromPage}},
			Advice:    []string{"Move nightly jobs that use Frankfurt out of the window.", "Put the window into the on-call calendar."},
			Checklist: []string{"Check that the moved jobs ran."},
		},
	}
}

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"downwind"
)

// A ledger is a whyStore of one incident, two teams and what was decided for them.
type ledger struct {
	record downwind.IncidentRecord
	teams  []downwind.Team
	told   map[string][]downwind.Delivery
	parts  map[string][]downwind.Part
	held   map[string][]downwind.Hold
}

func (l *ledger) Incident(_ context.Context, provider, id string) (downwind.IncidentRecord, error) {
	if provider == l.record.Incident.Provider && id == l.record.Incident.ID {
		return l.record, nil
	}
	return downwind.IncidentRecord{}, downwind.ErrNotFound
}

func (l *ledger) Incidents(_ context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error) {
	if f.Provider != "" && f.Provider != l.record.Incident.Provider {
		return nil, nil
	}
	return []downwind.IncidentRecord{l.record}, nil
}

func (l *ledger) Teams(context.Context) ([]downwind.Team, error) { return l.teams, nil }

func (l *ledger) Deliveries(_ context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error) {
	return l.told[f.Team], nil
}

func (l *ledger) Parts(_ context.Context, delivery string) ([]downwind.Part, error) {
	return l.parts[delivery], nil
}

func (l *ledger) Holds(_ context.Context, f downwind.HoldFilter) ([]downwind.Hold, error) {
	return l.held[f.Team], nil
}

func newLedger() *ledger {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	inc := madeIncident("sendgrid", "Mail is late", "Mail waits.", nil, "Mail Sending")
	inc.URL = "https://status.sendgrid.com/incidents/i"
	use := downwind.Use{Provider: "sendgrid", Name: "SendGrid", Confidence: downwind.Sure, Evidence: []downwind.Evidence{
		{File: "package.json", Line: 3, Kind: "npm", Match: "@sendgrid/mail", Direct: true, Relation: downwind.Hosted},
	}}
	return &ledger{
		record: downwind.IncidentRecord{Incident: inc, FirstSeen: at},
		teams:  []downwind.Team{{ID: "mail", Name: "mail", Stack: downwind.Stack{Providers: []downwind.Use{use}}}, {ID: "web", Name: "web"}},
		told:   map[string][]downwind.Delivery{"mail": {{ID: "d", Destination: "slack:T1:C1", Applied: 2, State: "done", CreatedAt: at}}},
		parts: map[string][]downwind.Part{"d": {{Alert: downwind.Alert{Match: downwind.Match{
			Affected: true, Verdict: downwind.AffectedSure, Components: []string{"Mail Sending"}, Urgency: downwind.UrgencyRuntime,
			Why: []downwind.Reason{{File: "package.json", Line: 3, Match: "@sendgrid/mail"}},
		}}}}},
		held: map[string][]downwind.Hold{"web": {{Destination: "slack:T1:C2", Kind: downwind.ChangeNew, Reason: downwind.HeldProvider, Text: "these files do not use SendGrid", At: at}}},
	}
}

func TestWhyTellsWhatWasDecided(t *testing.T) {
	w, err := newWhy()
	if err != nil {
		t.Fatal(err)
	}
	w.store = newLedger()
	for _, what := range []string{"sendgrid/i", "https://status.sendgrid.com/incidents/i", "sendgrid"} {
		r, err := w.about(context.Background(), what, "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var sb strings.Builder
		if err := r.print(&sb); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"sendgrid/i: Mail is late (identified), first seen 2026-03-01 10:00 UTC\n", "\nmail: hits this stack: sure\n", "  package.json:3 @sendgrid/mail\n",
			"  told      2026-03-01 10:00  slack:T1:C1: 2 messages, done\n", "\nweb: does not hit this stack\n",
			"  held      2026-03-01 10:00  slack:T1:C2: new (provider): these files do not use SendGrid\n", "  not told\n",
		} {
			if !strings.Contains(sb.String(), want) {
				t.Errorf("%s: the answer lacks %q:\n%s", what, want, sb.String())
			}
		}
	}
}

func TestWhyNamesOneTeam(t *testing.T) {
	w, err := newWhy()
	if err != nil {
		t.Fatal(err)
	}
	w.store = newLedger()
	r, err := w.about(context.Background(), "sendgrid/i", "web")
	if err != nil || len(r.Teams) != 1 || r.Teams[0].Judgement.Affected || r.Teams[0].Judgement.Held != string(downwind.HeldProvider) {
		t.Errorf("team web: %+v, %v", r, err)
	}
	for _, c := range [][2]string{{"sendgrid/i", "nobody"}, {"sendgrid/none", ""}, {"nonsense", ""}} {
		if _, err := w.about(context.Background(), c[0], c[1]); err == nil || !strings.Contains(err.Error(), "downwind why") && !strings.Contains(err.Error(), "give provider/id") {
			t.Errorf("why %q of %q: got error %v, want one that names the repair", c[0], c[1], err)
		}
	}
}

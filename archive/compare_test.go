package archive_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/archive"
)

var t0 = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return t0.Add(time.Duration(minutes) * time.Minute) }

func update(id string, p downwind.Phase, minutes int, body string, comps ...downwind.Component) downwind.Update {
	return downwind.Update{ID: id, Phase: p, PostedAt: at(minutes), Body: body, Components: comps}
}

func incident(p downwind.Phase, updates ...downwind.Update) *downwind.Incident {
	return &downwind.Incident{
		Provider: "acme", ID: "i1", Kind: downwind.KindIncident, Title: "API errors", Phase: p, Impact: downwind.ImpactMinor,
		StartedAt: at(0), Updates: updates,
	}
}

func with(inc *downwind.Incident, f func(*downwind.Incident)) *downwind.Incident { f(inc); return inc }

var (
	open     = update("u1", downwind.Investigating, 0, "We are looking into errors.")
	more     = update("u2", downwind.Identified, 10, "A bad deploy was found.")
	solved   = update("u3", downwind.Resolved, 30, "Errors ended at 10:25 UTC.")
	analysis = update("u4", downwind.Postmortem, 3000, "The cause was a bad deploy.")
	api      = func(s downwind.Status) downwind.Component {
		return downwind.Component{ID: "c1", Name: "API", Status: s}
	}
)

func kinds(changes []downwind.Change) []downwind.ChangeKind {
	var out []downwind.ChangeKind
	for _, c := range changes {
		out = append(out, c.Kind)
	}
	return out
}

func TestCompare(t *testing.T) {
	type list = []downwind.ChangeKind
	tests := []struct {
		name     string
		old, now *downwind.Incident
		trust    bool
		want     list
		stale    bool
	}{
		{"first sight", nil, incident(downwind.Investigating, open), false, list{downwind.ChangeNew}, false},
		{"nothing", incident(downwind.Investigating, open), incident(downwind.Investigating, open), false, nil, false},
		{"a new update", incident(downwind.Investigating, open), incident(downwind.Identified, open, more), false, list{downwind.ChangeUpdate}, false},
		{"two updates and the end in one reading", incident(downwind.Investigating, open), incident(downwind.Resolved, open, more, solved), false, list{downwind.ChangeUpdate, downwind.ChangeResolved}, false},
		{"an end that no update tells", incident(downwind.Investigating, open), incident(downwind.Resolved, open), false, list{downwind.ChangeResolved}, false},
		{"postmortem", incident(downwind.Resolved, open, solved), incident(downwind.Postmortem, open, solved, analysis), false, list{downwind.ChangePostmortem}, false},
		{"resolved and postmortem in one reading", incident(downwind.Investigating, open), incident(downwind.Postmortem, open, solved, analysis), false, list{downwind.ChangeResolved, downwind.ChangePostmortem}, false},
		{
			"re-opened", incident(downwind.Resolved, open, solved),
			incident(downwind.Identified, open, solved, update("u9", downwind.Identified, 60, "It is back.")), false,
			list{downwind.ChangeReopened},
			false,
		},
		{
			"re-opened and resolved again", incident(downwind.Resolved, open, solved),
			incident(downwind.Resolved, open, solved, update("u9", downwind.Identified, 60, "Back."), update("u10", downwind.Resolved, 70, "Over.")),
			false,
			list{downwind.ChangeReopened, downwind.ChangeResolved},
			false,
		},
		{
			"a second resolved post is an update", incident(downwind.Resolved, open, solved),
			incident(downwind.Resolved, open, solved, update("u9", downwind.Resolved, 60, "More details.")), false,
			list{downwind.ChangeUpdate},
			false,
		},
		{
			"edited after the end (C031)", incident(downwind.Resolved, open, solved),
			incident(downwind.Resolved, open, update("u3", downwind.Resolved, 30, "Errors ended at 10:45 UTC.")), false,
			list{downwind.ChangeEdit},
			false,
		},
		{
			"markup and spacing are no edit", incident(downwind.Resolved, open, solved),
			incident(downwind.Resolved, open, update("u3", downwind.Resolved, 30, "**Errors**  ended at 10:25 UTC")), false, nil, false,
		},
		{
			"a date that moves is no update (C013)", incident(downwind.Investigating, open),
			incident(downwind.Investigating, update("u1", downwind.Investigating, 7, "We are looking into errors.")), false, nil, false,
		},
		{
			"the same posts under other ids (C009)", incident(downwind.Identified, open, more),
			incident(downwind.Identified, update("x", downwind.Investigating, 0, "We are looking into errors."), update("y", downwind.Identified, 10, "A bad deploy was found.")),
			false, nil, false,
		},
		{
			"equal words at another time are another post", incident(downwind.Investigating, open),
			incident(downwind.Investigating, open, update("u2", downwind.Investigating, 45, "We are looking into errors.")), false,
			list{downwind.ChangeUpdate},
			false,
		},
		{"an old copy from a cache", incident(downwind.Identified, open, more), incident(downwind.Investigating, open), false, nil, true},
		{"a removal that was seen again and again", incident(downwind.Identified, open, more), incident(downwind.Investigating, open), true, list{downwind.ChangeEdit}, false},
		{
			"impact raised", incident(downwind.Investigating, open),
			with(incident(downwind.Investigating, open), func(i *downwind.Incident) { i.Impact = downwind.ImpactMajor }), false,
			list{downwind.ChangeSeverity},
			false,
		},
		{
			"impact unknown in another format", incident(downwind.Investigating, open),
			with(incident(downwind.Investigating, open), func(i *downwind.Incident) { i.Impact = downwind.ImpactUnknown }), false, nil, false,
		},
		{
			"title changed", incident(downwind.Investigating, open),
			with(incident(downwind.Investigating, open), func(i *downwind.Incident) { i.Title = "API and console errors" }), false,
			list{downwind.ChangeEdit},
			false,
		},
		{
			"component named by an update", incident(downwind.Investigating, open),
			incident(downwind.Identified, open, update("u2", downwind.Identified, 10, "x", api(downwind.PartialOutage))), false,
			list{downwind.ChangeUpdate, downwind.ChangeComponents},
			false,
		},
		{
			"a component named without a state", incident(downwind.Investigating, open),
			with(incident(downwind.Investigating, open), func(i *downwind.Incident) { i.Components = []downwind.Component{api(downwind.StatusUnknown)} }), false,
			list{downwind.ChangeComponents},
			false,
		},
		{
			"a region named later", incident(downwind.Investigating, open),
			with(incident(downwind.Investigating, open), func(i *downwind.Incident) { i.Regions = []string{"us-east"} }), false,
			list{downwind.ChangeComponents},
			false,
		},
		{
			"the stated beginning moves", incident(downwind.Resolved, solved),
			with(incident(downwind.Resolved, solved), func(i *downwind.Incident) { i.StartedAt = at(-58) }), false,
			list{downwind.ChangeEdit},
			false,
		},
		{
			"a beginning that is only the oldest post listed", incident(downwind.Identified, open, more),
			with(incident(downwind.Identified, more), func(i *downwind.Incident) { i.StartedAt = at(10) }), false, nil, false,
		},
		{
			"component back to normal", incident(downwind.Identified, update("u1", downwind.Investigating, 0, "a", api(downwind.MajorOutage))),
			incident(downwind.Monitoring, update("u1", downwind.Investigating, 0, "a", api(downwind.MajorOutage)), update("u2", downwind.Monitoring, 9, "b", api(downwind.Operational))),
			false,
			list{downwind.ChangeUpdate, downwind.ChangeComponents},
			false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := archive.Compare(tt.old, tt.now, tt.trust)
			if !slices.Equal(kinds(got.Changes), tt.want) || got.Stale != tt.stale {
				t.Errorf("got %v (stale %v), want %v (stale %v)", kinds(got.Changes), got.Stale, tt.want, tt.stale)
			}
			again := archive.Compare(&got.State, tt.now, tt.trust)
			if !tt.stale && len(again.Changes) > 0 {
				t.Errorf("the same reading again brings %v", kinds(again.Changes))
			}
		})
	}
}

// TestClasses names for each kind of change what a reader must be able to tell it by.
func TestClasses(t *testing.T) {
	edited := update("u3", downwind.Resolved, 30, "Errors ended at 10:45 UTC.")
	edited.EditedAt = at(90)
	over := incident(downwind.Resolved, open, solved)
	tests := []struct {
		name     string
		old, now *downwind.Incident
		trust    bool
		want     downwind.Change // Diff is compared by what it removes and adds: From and To
	}{
		{"edit in place, announced by an update", incident(downwind.Investigating, open), incident(downwind.Identified, update("u1", downwind.Investigating, 0, "We are looking into failures."), more), false, downwind.Change{Kind: downwind.ChangeEdit, Update: "u1", Field: "body", From: "errors", To: "failures"}},
		{"silent edit while open", incident(downwind.Investigating, open), incident(downwind.Investigating, update("u1", downwind.Investigating, 0, "We are looking into failures.")), false, downwind.Change{Kind: downwind.ChangeEdit, Update: "u1", Field: "body", From: "errors", To: "failures", Silent: true}},
		{"silent edit of a resolved incident, with the provider's time", over, incident(downwind.Resolved, open, edited), false, downwind.Change{Kind: downwind.ChangeEdit, Update: "u3", Field: "body", From: "10:25", To: "10:45", Silent: true, AfterEnd: true, At: at(90)}},
		{"an update removed", over, incident(downwind.Resolved, solved), true, downwind.Change{Kind: downwind.ChangeEdit, Update: "u1", Field: "body", From: open.Body, Silent: true, AfterEnd: true}},
		{"retitle", over, with(incident(downwind.Resolved, open, solved), func(i *downwind.Incident) { i.Title = "API failures" }), false, downwind.Change{Kind: downwind.ChangeEdit, Field: "title", From: "errors", To: "failures", Silent: true, AfterEnd: true}},
		{
			"window change",
			with(incident(downwind.Resolved, open, solved), func(i *downwind.Incident) { i.StartedAt, i.ResolvedAt = at(-20), at(25) }),
			with(incident(downwind.Resolved, open, solved), func(i *downwind.Incident) { i.StartedAt, i.ResolvedAt = at(-20), at(45) }),
			false,
			downwind.Change{Kind: downwind.ChangeEdit, Field: "times", From: "04T10:25:00Z", To: "04T10:45:00Z", Silent: true, AfterEnd: true},
		},
		{"scope change", over, with(incident(downwind.Resolved, open, solved), func(i *downwind.Incident) { i.Regions = []string{"eu-west"} }), false, downwind.Change{Kind: downwind.ChangeComponents, Field: "scope", To: "eu-west"}},
		{"re-open", over, incident(downwind.Identified, open, solved, update("u9", downwind.Identified, 60, "Back.")), false, downwind.Change{Kind: downwind.ChangeReopened, Update: "u9", From: "resolved", To: "identified", At: at(60)}},
		{"postmortem", over, incident(downwind.Postmortem, open, solved, analysis), false, downwind.Change{Kind: downwind.ChangePostmortem, Update: "u4", From: "resolved", To: "postmortem", At: at(3000)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := archive.Compare(tt.old, tt.now, tt.trust).Changes
			i := slices.IndexFunc(changes, func(c downwind.Change) bool { return c.Kind == tt.want.Kind })
			if i < 0 {
				t.Fatalf("no %s in %+v", tt.want.Kind, changes)
			}
			got := changes[i]
			if got.Kind == downwind.ChangeEdit {
				got.From, got.To = pick(got.Diff, -1), pick(got.Diff, 1)
			}
			got.Incident, got.Diff = "", nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// pick joins the spans of one kind.
func pick(spans []downwind.Span, op int) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Op == op {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestMaintenance(t *testing.T) {
	work := func(p downwind.Phase, until int, updates ...downwind.Update) *downwind.Incident {
		i := incident(p, updates...)
		i.Kind, i.Impact, i.ScheduledFor, i.ScheduledUntil = downwind.KindMaintenance, downwind.ImpactMaintenance, at(600), at(until)
		return i
	}
	announced := update("m1", downwind.Scheduled, 0, "We will move the database.")
	begun := update("m2", downwind.InProgress, 600, "It begins.")
	first := archive.Compare(nil, work(downwind.Scheduled, 700, announced), false)
	if k := kinds(first.Changes); !slices.Equal(k, []downwind.ChangeKind{downwind.ChangeMaintenance}) {
		t.Errorf("announced: %v", k)
	}
	second := archive.Compare(&first.State, work(downwind.InProgress, 700, announced, begun), false)
	if k := kinds(second.Changes); !slices.Equal(k, []downwind.ChangeKind{downwind.ChangeMaintenance}) {
		t.Errorf("begun: %v", k)
	}
	moved := archive.Compare(&second.State, work(downwind.InProgress, 800, announced, begun), false)
	if len(moved.Changes) != 1 || moved.Changes[0].Field != "schedule" || moved.Changes[0].From == moved.Changes[0].To {
		t.Errorf("moved: %+v", moved.Changes)
	}
}

func TestCompareKeepsWhatWasRead(t *testing.T) {
	fine := incident(downwind.Identified, downwind.Update{ID: "u1", Phase: downwind.Investigating, PostedAt: t0.Add(42 * time.Second), Body: open.Body}, more)
	fine.Components = []downwind.Component{api(downwind.MajorOutage)}
	coarse := incident(downwind.Resolved,
		downwind.Update{ID: "f1", Phase: downwind.PhaseUnknown, PostedAt: t0, Body: open.Body},
		downwind.Update{ID: "f3", Phase: downwind.Resolved, PostedAt: at(30), Body: solved.Body})
	coarse.Components = []downwind.Component{api(downwind.Operational)}
	got := archive.Compare(fine, coarse, false)
	var ids []string
	for _, u := range got.State.Updates {
		ids = append(ids, u.ID)
	}
	if !slices.Equal(ids, []string{"u1", "u2", "f3"}) {
		t.Errorf("updates %v: known ids stay, what the reading lacks stays", ids)
	}
	u := got.State.Updates[0]
	if !u.PostedAt.Equal(t0.Add(42*time.Second)) || u.Phase != downwind.Investigating {
		t.Errorf("the finer time and the known phase are lost: %+v", u)
	}
	if got.State.Components[0].Status != downwind.MajorOutage {
		t.Error("the worst state of a component is forgotten")
	}
}

func TestCanonicalIsStable(t *testing.T) {
	inc := incident(downwind.Resolved, open, solved)
	inc.Title = "a <b> & \u2028 \"quotes\" é"
	a, err := archive.Canonical(inc)
	if err != nil {
		t.Fatal(err)
	}
	b, err := archive.Canonical(inc)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) || archive.Hash(a) != archive.Hash(b) {
		t.Error("two canonical forms of one state differ")
	}
	if !slices.Contains([]byte{'{'}, a[0]) || string(a[:14]) != `{"components":` {
		t.Errorf("keys are not sorted: %s", a[:40])
	}
}

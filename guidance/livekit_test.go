package guidance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
)

// packDir is the replay pack, beside the module.
var packDir = filepath.Join("..", "..", "shared", "corpus", "livekit")

type packWindow struct {
	Start, End  *time.Time
	Scope, Text string
	Approx      bool
	StartFrom   string `json:"start_from"`
	Regions     []string
	Also        []struct{ Start, End *time.Time }
	AlsoText    string `json:"also_text"`
}

type packTeam struct {
	Affected string
	Held     *string
	Advice   [][]string
	Say      [][]string
	Replay   *[]int
	Guess    *struct {
		NotAfter time.Time `json:"not_after"`
	} `json:"start_guess"`
}

type packStep struct {
	Step, What, Incident string
	PollAt               time.Time `json:"poll_at"`
	Windows              *struct {
		Shown   []packWindow
		Changed []struct {
			Scope, Bound string
			From, To     *string
		}
		NotWindows []string `json:"not_windows"`
	}
	Contradictions []struct {
		ID       string
		Required bool
		Say      [][]string
	}
	Delayed     []struct{ What string } `json:"delayed_effects"`
	Subscribers map[string]packTeam
}

type wireIncident struct {
	ID, Name, Status string
	StartedAt        time.Time  `json:"started_at"`
	ResolvedAt       *time.Time `json:"resolved_at"`
	ScheduledFor     *time.Time `json:"scheduled_for"`
	ScheduledUntil   *time.Time `json:"scheduled_until"`
	Components       []struct{ ID, Name string }
	Updates          []struct {
		ID, Status, Body string
		CreatedAt        time.Time  `json:"created_at"`
		DisplayAt        *time.Time `json:"display_at"`
	} `json:"incident_updates"`
}

func loadPack(t testing.TB) []packStep {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(packDir, "steps.json"))
	if err != nil {
		t.Skip("the replay pack is not beside the module")
	}
	var d struct{ Steps []packStep }
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d.Steps
}

// packIncident reads one incident as the page shows it at a step.
func packIncident(t testing.TB, step int, id string) *downwind.Incident {
	t.Helper()
	for _, f := range []string{"incidents.json", "scheduled-maintenances.json"} {
		for n := step; n >= 0; n-- {
			b, err := os.ReadFile(filepath.Join(packDir, "page", fmt.Sprintf("%03d", n), f))
			if err != nil {
				continue
			}
			var d struct {
				Incidents  []wireIncident
				Maintained []wireIncident `json:"scheduled_maintenances"`
			}
			if err := json.Unmarshal(b, &d); err != nil {
				t.Fatal(err)
			}
			for _, w := range append(d.Incidents, d.Maintained...) {
				if w.ID == id {
					return w.incident(f != "incidents.json")
				}
			}
			break
		}
	}
	return nil
}

func (w wireIncident) incident(maint bool) *downwind.Incident {
	inc := &downwind.Incident{Provider: "livekit", ID: w.ID, Kind: downwind.KindIncident, Title: w.Name, Phase: downwind.Phase(w.Status), StartedAt: w.StartedAt}
	if maint {
		inc.Kind = downwind.KindMaintenance
	}
	for p, v := range map[*time.Time]*time.Time{&inc.ResolvedAt: w.ResolvedAt, &inc.ScheduledFor: w.ScheduledFor, &inc.ScheduledUntil: w.ScheduledUntil} {
		if v != nil {
			*p = *v
		}
	}
	for _, c := range w.Components {
		inc.Components = append(inc.Components, downwind.Component{ID: c.ID, Name: c.Name})
	}
	for _, u := range w.Updates {
		at := u.CreatedAt
		if u.DisplayAt != nil {
			at = *u.DisplayAt
		}
		inc.Updates = append(inc.Updates, downwind.Update{ID: u.ID, Phase: downwind.Phase(u.Status), Body: u.Body, PostedAt: at.UTC()})
	}
	slices.Reverse(inc.Updates)
	return inc
}

func show(ws []downwind.Window) string {
	var b strings.Builder
	for _, w := range ws {
		fmt.Fprintf(&b, "  %s..%s %q approx=%v text=%q from=%q\n", stamp(w.Start), stamp(w.End), w.Scope, w.Approx, w.Text, w.StartFrom)
	}
	return b.String()
}

func said(text string, groups [][]string) []string {
	low := strings.ToLower(text)
	var missing []string
	for _, g := range groups {
		if !slices.ContainsFunc(g, func(w string) bool { return strings.Contains(low, strings.ToLower(w)) }) {
			missing = append(missing, strings.Join(g, "|"))
		}
	}
	return missing
}

func TestLiveKitWindows(t *testing.T) {
	for name, k := range map[string]Known{
		"nothing known": {},
		"page known": {
			Regions:    []string{"us-east", "us-central", "us-west", "ca", "mx", "eu-central", "global"},
			Components: []downwind.Component{{Name: "US East - Real Time Communication"}, {Name: "US Central - SIP"}, {Name: "Cloud Dashboard"}},
		},
	} {
		t.Run(name, func(t *testing.T) { testLiveKitWindows(t, k) })
	}
}

func testLiveKitWindows(t *testing.T, known Known) {
	steps := loadPack(t)
	before := map[string][]downwind.Window{}
	for i, st := range steps {
		if st.Windows == nil {
			continue
		}
		inc := packIncident(t, i, st.Incident)
		if inc == nil {
			continue // withdrawn
		}
		t.Run(st.Step, func(t *testing.T) {
			g := ExplainIncident(inc, known, nil, st.PollAt)
			want := st.Windows.Shown
			if len(g.Windows) != len(want) {
				t.Fatalf("%s: got %d windows, want %d:\n%s", st.What, len(g.Windows), len(want), show(g.Windows))
			}
			for k, w := range want {
				got := g.Windows[k]
				if !sameTime(got.Start, w.Start) || !sameTime(got.End, w.End) || got.Scope != w.Scope || got.Approx != w.Approx {
					t.Errorf("%s: window %d: got\n%swant %v..%v %q approx=%v", st.What, k, show(g.Windows[k:k+1]), w.Start, w.End, w.Scope, w.Approx)
				}
				if !strings.Contains(got.Text, w.Text) && !strings.Contains(w.Text, got.Text) {
					t.Errorf("evidence: got %q, want %q", got.Text, w.Text)
				}
				if w.StartFrom != "" && got.StartFrom != w.StartFrom {
					t.Errorf("start from: got %q, want %q", got.StartFrom, w.StartFrom)
				}
				for _, r := range w.Regions {
					if w.Scope == "Chicago" {
						continue
					}
					if !slices.ContainsFunc(g.Regions, func(o string) bool { return sameRegion(o, r) }) {
						t.Errorf("region %q is missing in %q", r, g.Regions)
					}
				}
			}
			for _, c := range st.Contradictions {
				if miss := said(strings.Join(g.Conflicts, "\n"), c.Say); c.Required && len(miss) > 0 {
					t.Errorf("conflict %s: %q is not said in %q", c.ID, miss, g.Conflicts)
				}
			}
			for _, d := range st.Delayed {
				if len(g.Delayed) == 0 {
					t.Errorf("delayed effect %q is not told", d.What)
				}
			}
			got := Changes(before[st.Incident], g.Windows)
			for _, c := range st.Windows.Changed {
				if !slices.ContainsFunc(got, func(o downwind.WindowChange) bool { return o.Bound == c.Bound && changeText(o, c.From, c.To) }) {
					t.Errorf("change %+v is not among %+v", c, got)
				}
			}
			if len(st.Windows.Changed) == 0 && len(got) > 0 {
				t.Logf("%s: changes beside the pack's: %+v", st.Step, got)
			}
			before[st.Incident] = g.Windows
		})
	}
}

func changeText(c downwind.WindowChange, from, to *string) bool {
	hm := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format("15:04")
	}
	f, w := "", ""
	if from != nil {
		f = *from
	}
	if to != nil {
		w = *to
	}
	if c.Bound == "window" {
		return hm(c.From)+"-"+hm(c.To) == w
	}
	return hm(c.From) == f && hm(c.To) == w
}

func sameTime(got time.Time, want *time.Time) bool {
	if want == nil {
		return got.IsZero()
	}
	return got.Equal(*want)
}

// teamUse is what the four stacks of the pack show, in our catalogue's words.
var teamUse = map[string]*downwind.Use{
	"browser-app":     {Provider: "livekit", Services: []string{"realtime"}},
	"telephony-agent": {Provider: "livekit", Services: []string{"realtime", "agents", "sip"}, Regions: []string{"us-central"}},
	"eu-backend":      {Provider: "livekit", Services: []string{"RoomService"}, Regions: []string{"eu-central"}},
	"self-hosted":     {Provider: "livekit"},
}

func TestLiveKitTeams(t *testing.T) {
	for i, st := range loadPack(t) {
		inc := packIncident(t, i, st.Incident)
		if inc == nil {
			continue
		}
		for name, team := range st.Subscribers {
			if team.Held != nil {
				continue
			}
			t.Run(st.Step+"/"+name, func(t *testing.T) {
				use := teamUse[name]
				m := &downwind.Match{Affected: team.Affected != "no", Regions: use.Regions}
				g := ForTeam(ExplainIncident(inc, Known{}, use, st.PollAt), inc, m, use)
				ours := strings.Join(append(slices.Clone(g.Advice), g.Checklist...), "\n")
				if miss := said(ours, team.Advice); len(miss) > 0 {
					t.Errorf("advice lacks %q:\n%s", miss, ours)
				}
				if miss := said(ours+"\n"+strings.Join(g.Conflicts, "\n")+"\n"+inc.Title, team.Say); len(miss) > 0 {
					t.Errorf("it is not said %q:\n%s", miss, ours)
				}
				if team.Replay != nil && !slices.Equal(g.Yours, *team.Replay) {
					t.Errorf("windows to replay: got %v, want %v", g.Yours, *team.Replay)
				}
				if team.Guess != nil {
					if g.Padded == nil || g.Padded.Start.After(team.Guess.NotAfter) || !strings.Contains(ours, "guess") {
						t.Errorf("the start is no marked guess before %s: %+v\n%s", team.Guess.NotAfter, g.Padded, ours)
					}
				}
				if len(g.Advice) > maxAdvice+1 {
					t.Errorf("%d sentences of advice are too many", len(g.Advice))
				}
				t.Logf("%s %s\n%s", st.Step, name, ours)
			})
		}
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

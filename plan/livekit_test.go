package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
	"downwind/match"
	"downwind/plan"
	"downwind/stackparse"
	stackall "downwind/stackparse/all"
)

const pack = "../../shared/corpus/livekit"

type window struct {
	Start, End *time.Time
}

type wish struct {
	Affected, Root, Thread string
	RootEdit               string `json:"root_edit"`
	Channel                string
	Held                   *string
	Replay                 *[]int
	OpenQuestion           string `json:"open_question"`
	Components             []string
	Quiet                  bool
	Push                   *bool
}

type step struct {
	Step, Incident string
	PollAt         time.Time `json:"poll_at"`
	FirstPoll      bool      `json:"first_poll"`
	Expect         []struct {
		Type, Update, Incident string
	}
	Optional []string
	Windows  struct {
		Shown []struct {
			window
			Also []window
		}
	}
	Subscribers map[string]wish
}

// TestLiveKit plays the recorded pages through the planner for the four teams of the pack and compares what is raised
// and held, step by step, each step polled twice.
func TestLiveKit(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(pack, "steps.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the LiveKit pack is not beside this checkout (../shared/corpus/livekit)")
	}
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Steps  []step
		Stacks map[string]struct{ Path string }
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	judge, err := match.Default()
	if err != nil {
		t.Fatal(err)
	}
	planner := plan.New(judge, plan.Options{})
	reader := stackparse.New(stackparse.Options{Parsers: stackall.Parsers()})
	var teams []downwind.Audience
	for name, st := range s.Stacks {
		stack, err := reader.ReadPaths(context.Background(), []string{filepath.Join(pack, st.Path, "files")})
		if err != nil {
			t.Fatal(err)
		}
		dest := downwind.Destination{ID: "test::" + name, Platform: "test", Channel: name, Team: name}
		teams = append(teams, downwind.Audience{
			Team: downwind.Team{ID: name, Name: name, Stack: stack}, Destinations: []downwind.Destination{dest},
			Subscriptions: []downwind.Subscription{{Destination: dest.ID, Team: name, Target: downwind.TargetStack}},
		})
	}
	page := map[string][]byte{}
	var memory *plan.Memory
	for _, st := range s.Steps {
		if st.FirstPoll {
			memory = plan.NewMemory(teams...)
		}
		files, err := filepath.Glob(filepath.Join(pack, "page", st.Step, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if page[filepath.Base(f)], err = os.ReadFile(f); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(st.Step, func(t *testing.T) { play(t, planner, memory, page, st) })
	}
}

func play(t *testing.T, planner *plan.Planner, memory *plan.Memory, page map[string][]byte, st step) {
	var ps []feeds.Payload
	for _, f := range []string{"incidents.json", "summary.json", "components.json", "scheduled-maintenances.json"} {
		ps = append(ps, feeds.Payload{URL: "https://status.livekit.io/api/v2/" + f, Body: page[f]})
	}
	doc := feeds.DecodeAs(feeds.Find(all.Adapters(), "statuspage"), "livekit", ps)
	provider := downwind.Provider{Slug: "livekit", Name: "LiveKit", StatusURL: "https://status.livekit.io"}
	var both downwind.Plan
	for poll := range 2 {
		p, err := planner.Plan(memory.Input(provider, doc, st.PollAt.Add(time.Duration(poll)*20*time.Second)))
		if err != nil {
			t.Fatal(err)
		}
		memory.Apply(p)
		if poll == 1 && len(p.Raises)+len(p.Versions) > 0 && !hasWithdrawal(p) {
			t.Errorf("the second poll of the same page brings %d versions and %d raises", len(p.Versions), len(p.Raises))
		}
		both.Versions, both.Raises, both.Holds = append(both.Versions, p.Versions...), append(both.Raises, p.Raises...), append(both.Holds, p.Holds...)
	}
	checkChanges(t, both, st)
	for team, w := range st.Subscribers {
		checkTeam(t, both, st, team, w)
	}
}

func hasWithdrawal(p downwind.Plan) bool {
	return slices.ContainsFunc(p.Versions, func(v downwind.Version) bool {
		return len(v.Changes) > 0 && v.Changes[0].Kind == downwind.ChangeWithdrawn
	})
}

func checkChanges(t *testing.T, p downwind.Plan, st step) {
	if st.FirstPoll {
		return
	}
	got := map[string]int{}
	for _, v := range p.Versions {
		for _, c := range v.Changes {
			got[string(c.Kind)+" "+c.Incident+" "+c.Update]++
		}
	}
	for _, e := range st.Expect {
		key := e.Type + " " + e.Incident + " " + e.Update
		if got[key] == 0 {
			t.Errorf("missing change %s; got %v", key, got)
		}
		delete(got, key)
	}
	for key := range got {
		kind, _, _ := strings.Cut(key, " ")
		if !slices.Contains(st.Optional, kind) {
			t.Errorf("unexpected change %s", key)
		}
	}
}

func checkTeam(t *testing.T, p downwind.Plan, st step, team string, w wish) {
	var raise *downwind.Raise
	for i := range p.Raises {
		if p.Raises[i].Team == team {
			raise = &p.Raises[i]
		}
	}
	var hold *downwind.Hold
	for i := range p.Holds {
		if p.Holds[i].Team == team {
			hold = &p.Holds[i]
		}
	}
	if raise == nil {
		if w.Root == "new" || w.Thread == "yes" || w.RootEdit == "yes" {
			t.Errorf("%s: nothing is raised (held: %+v)", team, hold)
		}
		if w.Held != nil && *w.Held != "nothing" && (hold == nil || string(hold.Reason) != *w.Held) {
			t.Errorf("%s: held %+v, want %s", team, hold, *w.Held)
		}
		return
	}
	a := raise.Alert
	isRoot := a.Before == nil
	if isRoot != (w.Root == "new") {
		t.Errorf("%s: root %v, want %s", team, isRoot, w.Root)
	}
	if !isRoot {
		if w.Thread == "yes" && raise.RootOnly || w.Thread == "no" && !raise.RootOnly {
			t.Errorf("%s: root only %v, want thread %s", team, raise.RootOnly, w.Thread)
		}
		if w.Channel == "yes" && !a.Broadcast || w.Channel == "no" && a.Broadcast {
			t.Errorf("%s: broadcast %v, want channel %s", team, a.Broadcast, w.Channel)
		}
	}
	verdict := map[downwind.Verdict]string{downwind.AffectedSure: "yes", downwind.AffectedLikely: "yes", downwind.AffectedPossible: "possible", downwind.NotAffected: "no"}[a.Match.Verdict]
	if verdict != w.Affected {
		t.Errorf("%s: affected %s (%s), want %s", team, verdict, a.Match.WhyNot, w.Affected)
	}
	if w.OpenQuestion != "" && a.Match.OpenQuestion != w.OpenQuestion {
		t.Errorf("%s: open question %q, want %q", team, a.Match.OpenQuestion, w.OpenQuestion)
	}
	if w.Quiet && !a.Quiet || w.Push != nil && !*w.Push && a.Push {
		t.Errorf("%s: quiet %v, push %v", team, a.Quiet, a.Push)
	}
	for _, c := range w.Components {
		if !slices.Contains(a.Match.Components, c) {
			t.Errorf("%s: component %q is not named: %q", team, c, a.Match.Components)
		}
	}
	checkReplay(t, st, team, w, a)
}

// checkReplay compares the windows that a team is to replay.
func checkReplay(t *testing.T, st step, team string, w wish, a downwind.Alert) {
	if w.Replay == nil {
		return
	}
	if !slices.Equal(*w.Replay, a.Guidance.Yours) {
		t.Errorf("%s: windows %v are theirs, want %v: %+v", team, a.Guidance.Yours, *w.Replay, a.Guidance.Windows)
	}
	if len(st.Windows.Shown) != len(a.Guidance.Windows) {
		t.Errorf("%s: %d windows, want %d: %+v", team, len(a.Guidance.Windows), len(st.Windows.Shown), a.Guidance.Windows)
		return
	}
	for i, got := range a.Guidance.Windows {
		want := st.Windows.Shown[i]
		ok := want.fits(got)
		for _, also := range want.Also {
			ok = ok || also.fits(got)
		}
		if !ok {
			t.Errorf("%s: window %d is %s/%s, want %v/%v", team, i, got.Start, got.End, want.Start, want.End)
		}
	}
}

func (w window) fits(got downwind.Window) bool {
	same := func(a *time.Time, b time.Time) bool {
		if a == nil {
			return b.IsZero()
		}
		return a.Sub(b).Abs() <= time.Minute
	}
	return same(w.Start, got.Start) && same(w.End, got.End)
}

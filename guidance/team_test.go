package guidance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
)

func day(h, m int) time.Time { return time.Date(2026, 6, 2, h, m, 0, 0, time.UTC) }

// twoRegions is an incident of two places with a window each.
func twoRegions(phase downwind.Phase) *downwind.Incident {
	return &downwind.Incident{
		Provider: "example", ID: "1", Kind: downwind.KindIncident, Title: "API errors", Phase: phase, StartedAt: day(9, 0), ResolvedAt: day(11, 0),
		Updates: []downwind.Update{{ID: "a", Phase: phase, PostedAt: day(11, 0), Body: "API requests failed in Frankfurt from 08:00 to 08:20 UTC. API requests failed in Tokyo from 09:00 to 10:30 UTC."}},
	}
}

func TestForTeamPicksWindows(t *testing.T) {
	inc := twoRegions(downwind.Resolved)
	g := ExplainIncident(inc, Known{}, nil, day(12, 0))
	if len(g.Windows) != 2 {
		t.Fatalf("got %d windows", len(g.Windows))
	}
	for name, c := range map[string]struct {
		match *downwind.Match
		use   *downwind.Use
		want  []int
		start time.Time
		says  string
	}{
		"nothing known":      {nil, nil, []int{0, 1}, day(7, 59), "Frankfurt"},
		"region open":        {&downwind.Match{Affected: true}, &downwind.Use{}, []int{0, 1}, day(7, 59), "Tokyo"},
		"european":           {&downwind.Match{Affected: true}, &downwind.Use{Regions: []string{"eu-central-1"}}, []int{0}, day(7, 59), "08:00–08:20"},
		"japanese":           {&downwind.Match{Affected: true}, &downwind.Use{Regions: []string{"ap-northeast-1", "tokyo"}}, []int{1}, day(8, 59), "09:00–10:30"},
		"american, told":     {&downwind.Match{Affected: true}, &downwind.Use{Regions: []string{"us-east-1"}}, []int{}, time.Time{}, "nothing to replay"},
		"not affected":       {&downwind.Match{Affected: false}, &downwind.Use{Regions: []string{"us-east-1"}}, []int{}, time.Time{}, "nothing to replay"},
		"global says nought": {&downwind.Match{Affected: true}, &downwind.Use{Regions: []string{"global"}}, []int{0, 1}, day(7, 59), "Frankfurt"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ForTeam(g, inc, c.match, c.use)
			if !slices.Equal(got.Yours, c.want) || got.Yours == nil {
				t.Errorf("yours: got %v, want %v", got.Yours, c.want)
			}
			if len(got.Windows) != 2 {
				t.Errorf("all windows are to be shown, got %d", len(got.Windows))
			}
			if c.start.IsZero() != (got.Padded == nil) || got.Padded != nil && !got.Padded.Start.Equal(c.start) {
				t.Errorf("padded: got %v, want from %v", got.Padded, c.start)
			}
			if !strings.Contains(strings.Join(got.Advice, "\n"), c.says) {
				t.Errorf("%q is not said in %q", c.says, got.Advice)
			}
		})
	}
}

func TestForTeamKeepsAdviceWhileItGoesOn(t *testing.T) {
	inc := twoRegions(downwind.Identified)
	inc.ResolvedAt = time.Time{}
	g := ForTeam(ExplainIncident(inc, Known{}, nil, day(12, 0)), inc, &downwind.Match{Affected: true}, &downwind.Use{Regions: []string{"us-east-1"}})
	if len(g.Yours) != 0 || g.Padded != nil || !strings.Contains(strings.Join(g.Advice, "\n"), "Retry") {
		t.Errorf("got %v %v %q", g.Yours, g.Padded, g.Advice)
	}
}

func TestMergeOverPosts(t *testing.T) {
	post := func(id string, phase downwind.Phase, h, m int, body string) downwind.Update {
		return downwind.Update{ID: id, Phase: phase, PostedAt: day(h, m), Body: body}
	}
	for name, c := range map[string]struct {
		updates []downwind.Update
		want    string
		past    int
	}{
		"onset, then recovery": {[]downwind.Update{
			post("a", downwind.Investigating, 9, 10, "We are investigating errors that began at 09:00 UTC."),
			post("b", downwind.Resolved, 10, 10, "Errors have been back to normal since 10:00 UTC."),
		}, "09:00-10:00", 0},
		"onset told again": {[]downwind.Update{
			post("a", downwind.Investigating, 9, 10, "We are investigating errors that began at 09:00 UTC."),
			post("b", downwind.Identified, 9, 40, "The errors that began at 09:00 UTC come from a bad deploy."),
		}, "09:00-", 0},
		"onset moved": {[]downwind.Update{
			post("a", downwind.Investigating, 9, 10, "We are investigating errors that began at 09:05 UTC."),
			post("b", downwind.Identified, 9, 40, "The errors began at 08:55 UTC and come from a bad deploy."),
		}, "08:55-", 1},
		"second wave": {[]downwind.Update{
			post("a", downwind.Monitoring, 9, 40, "Errors were seen between 09:00 and 09:30 UTC."),
			post("b", downwind.Investigating, 12, 10, "We are seeing errors again, starting at 12:00 UTC."),
		}, "09:00-09:30 12:00-", 0},
		"postmortem wins": {[]downwind.Update{
			post("a", downwind.Resolved, 9, 40, "Errors were seen between 09:00 and 09:30 UTC."),
			post("b", downwind.Postmortem, 23, 10, "On June 2 between 08:58 and 09:31 UTC requests failed."),
		}, "08:58-09:31", 1},
		"end corrected": {[]downwind.Update{
			post("a", downwind.Monitoring, 9, 40, "Errors have been gone since 09:30 UTC."),
			post("b", downwind.Resolved, 10, 40, "Errors have been gone since 09:50 UTC."),
		}, "-09:50", 1},
		"start after end": {[]downwind.Update{
			post("a", downwind.Monitoring, 9, 40, "Errors have been gone since 09:30 UTC."),
			post("b", downwind.Resolved, 10, 40, "The errors started at 09:10 UTC."),
		}, "09:10-09:30", 0},
		"nothing stated": {[]downwind.Update{
			post("a", downwind.Investigating, 9, 10, "We are investigating elevated errors."),
			post("b", downwind.Resolved, 10, 10, "This incident has been resolved."),
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			inc := &downwind.Incident{Provider: "example", ID: "1", Kind: downwind.KindIncident, Title: "Errors", StartedAt: day(9, 10), Updates: c.updates, Phase: c.updates[len(c.updates)-1].Phase}
			g := ExplainIncident(inc, Known{}, nil, day(23, 59))
			var got []string
			for _, w := range g.Windows {
				s := ""
				if !w.Start.IsZero() {
					s = w.Start.Format("15:04")
				}
				s += "-"
				if !w.End.IsZero() {
					s += w.End.Format("15:04")
				}
				got = append(got, s)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(g.Superseded) != c.past {
				t.Errorf("superseded: got %d, want %d", len(g.Superseded), c.past)
			}
			if (g.PageGuess != nil) != (c.want == "") {
				t.Errorf("page guess %v beside windows %q", g.PageGuess, got)
			}
			checkInvariants(t, g)
		})
	}
}

func TestReplayForms(t *testing.T) {
	f := ReplayForms(downwind.Period{Start: day(9, 0), End: day(10, 30)})
	want := Forms{
		Interval: "2026-06-02T09:00:00Z/2026-06-02T10:30:00Z", SQL: "created_at BETWEEN '2026-06-02 09:00:00+00' AND '2026-06-02 10:30:00+00'",
		Epoch: "1780390800 1780396200", Start: "2026-06-02T09:00:00Z", End: "2026-06-02T10:30:00Z", StartUnix: 1780390800, EndUnix: 1780396200,
	}
	if f != want {
		t.Errorf("got %+v", f)
	}
	if f := ReplayForms(downwind.Period{End: day(10, 30)}); f.Interval != "../2026-06-02T10:30:00Z" || f.SQL != "created_at <= '2026-06-02 10:30:00+00'" {
		t.Errorf("half open: %+v", f)
	}
}

func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"US East", "us-east-1", false},
		{"US East", "us-central", true},
		{"Chicago", "US Central", false},
		{"Mexico", "us-central", true},
		{"Frankfurt", "eu-central-1", false},
		{"London", "Frankfurt", true},
		{"several regions", "us-east-1", false},
		{"EU", "eu-west-1", false},
		{"Europe Central", "Tokyo", true},
		{"East US 2", "eastus2", false},
		{"North Europe", "us-east-1", true},
		{"FRA1", "Frankfurt", false},
		{"FRA1", "NYC3", true},
		{"europe-west4", "Amsterdam", false},
		{"São Paulo", "sa-east-1", false},
	} {
		if got := apart(c.a, c.b); got != c.want {
			t.Errorf("apart(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestPasteLeavesHealthyTimeOut pads windows one by one: the time between two that lie apart is nobody's to replay.
func TestPasteLeavesHealthyTimeOut(t *testing.T) {
	at := func(clock string) time.Time { return parseStamp(t, "2026-06-17T"+clock) }
	for _, c := range []struct {
		name, body string
		want       []downwind.Period
	}{
		{"apart", "Calls failed from 12:22 to 12:31 UTC and again from 13:02 to 13:08 UTC.", []downwind.Period{{Start: at("12:21"), End: at("12:32")}, {Start: at("13:01"), End: at("13:09")}}},
		{"touching", "Calls failed from 12:22 to 12:31 UTC. Chat failed from 12:33 to 12:40 UTC.", []downwind.Period{{Start: at("12:21"), End: at("12:41")}}},
		{"one", "Calls failed from 12:22 to 12:31 UTC.", []downwind.Period{{Start: at("12:21"), End: at("12:32")}}},
		{"second open", "There was a first outage from 11:50 till 12:30 UTC. The problem reappeared at 13:40 UTC.", []downwind.Period{{Start: at("11:49"), End: at("12:31")}, {Start: at("13:39"), End: at("15:00")}}},
		{"none", "We are looking into it.", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Explain(Post{Body: c.body, PostedAt: at("15:00")}, Known{})
			if d := cmp.Diff(c.want, g.Paste); d != "" {
				t.Errorf("periods (-want +got):\n%s", d)
			}
		})
	}
}

// TestAdviceWithoutCategory says what to do also where the words name no kind of trouble that the table knows.
func TestAdviceWithoutCategory(t *testing.T) {
	g := Explain(Post{Body: "Cloud printing was unavailable between 08:03 and 08:50 UTC. It has recovered.", PostedAt: parseStamp(t, "2026-07-22T12:00")}, Known{})
	want := []string{"Check what you sent, ran or received on 22 Jul 08:03–08:50 UTC, and repeat what failed or is missing."}
	if d := cmp.Diff(want, g.Advice); len(g.Categories) != 0 || d != "" {
		t.Errorf("categories %v, advice (-want +got):\n%s", g.Categories, d)
	}
}

// TestWhatLiesAheadIsPlanned takes a period after the post for announced work even where the text does not call it maintenance.
func TestWhatLiesAheadIsPlanned(t *testing.T) {
	g := Explain(Post{Body: "On Wednesday, July 15th, between 05:00 and 05:30 UTC we're going to upgrade our message broker.", PostedAt: parseStamp(t, "2026-07-13T10:00")}, Known{})
	if g.Phase != downwind.Scheduled || len(g.Windows) != 1 || !slices.Contains(g.Categories, downwind.CategoryMaintenance) {
		t.Errorf("phase %q, windows %v, categories %v", g.Phase, g.Windows, g.Categories)
	}
}

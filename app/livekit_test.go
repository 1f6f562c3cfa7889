package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/app"
	"downwind/config"
	"downwind/feeds/feedstest"
	"downwind/notify/discord/discordtest"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
	"downwind/store/storetest"
)

const pack = "../../shared/corpus/livekit"

// span is a window of the pack; a null bound is not stated or still open.
type span struct{ Start, End *time.Time }

// wish is what a team of the pack must see at a step.
type wish struct {
	Affected, Root, Thread string
	RootEdit               string `json:"root_edit"`
	Channel                string
	Held                   *string
	Replay                 *[]int
	Advice, Say            [][]string
	Components             []string
	NewlyNamed             []string `json:"newly_named"`
	AlreadyOver            bool     `json:"already_over"`
}

// step is one poll of the pack.
type step struct {
	Step, Run, Incident, Title string
	PollAt                     time.Time `json:"poll_at"`
	FirstPoll                  bool      `json:"first_poll"`
	Windows                    struct {
		Shown []struct {
			span
			Also []span
		}
	}
	Contradictions []struct {
		ID       string
		Required bool
		Say      [][]string
	}
	Delayed []struct{ From *time.Time } `json:"delayed_effects"`
	Diff    *struct{ Removed, Added string }
	Edit    *struct {
		OldLastSeen  time.Time `json:"old_last_seen"`
		NewFirstSeen time.Time `json:"new_first_seen"`
	} `json:"edit_seen"`
	Subscribers map[string]wish
}

func readPack(t *testing.T) (steps []step, teams []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pack, "steps.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the LiveKit pack is not beside this checkout (../shared/corpus/livekit)")
	}
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Steps  []step
		Stacks map[string]any
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	for name := range s.Stacks {
		teams = append(teams, name)
	}
	slices.Sort(teams)
	return s.Steps, teams
}

// TestLiveKitAcceptance plays the pack to the assembled program: real adapters, planner, store, deliveries, slack-go and
// discordgo against the fakes, on both databases.
func TestLiveKitAcceptance(t *testing.T) {
	steps, teams := readPack(t)
	for _, db := range []string{"sqlite", "postgres"} {
		t.Run(db, func(t *testing.T) {
			url := ""
			if db == "postgres" {
				url = storetest.PostgresURL(t)
			}
			var w *world
			for i, st := range steps {
				if st.FirstPoll {
					if w != nil {
						w.close()
						if url != "" {
							url = storetest.PostgresURL(t)
						}
					}
					w = newWorld(t, teams, st.PollAt.Add(-time.Minute), url)
				}
				w.page.Show(i)
				w.play(st)
			}
			w.close()
		})
	}
}

// world is the assembled program with everything around it faked.
type world struct {
	t       *testing.T
	clock   *downwind.ManualClock
	page    *feedstest.Page
	slack   *slacktest.Server
	discord *discordtest.Server
	app     *app.App
	teams   []string
	closers []func()
}

func channelOf(i int) (slack, discord string) {
	return fmt.Sprintf("C0ACCEPT%02d", i), fmt.Sprintf("1000000000000000%02d", i)
}

func newWorld(t *testing.T, teams []string, start time.Time, storeURL string) *world {
	t.Helper()
	w := &world{t: t, clock: downwind.NewManualClock(start), teams: teams}
	page, err := feedstest.FromFS(os.DirFS(filepath.Join(pack, "page")))
	if err != nil {
		t.Fatal(err)
	}
	w.page = page
	status := httptest.NewServer(page)
	cfg := config.Default()
	dir, err := filepath.Abs(pack)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Dir = dir
	cfg.Poll.Private = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	cfg.Store.URL = storeURL
	cfg.Server.BaseURL = "https://downwind.example"
	cfg.Provider = []config.Provider{{Slug: "livekit", StatusURL: status.URL, Platform: "statuspage"}}
	var sc []slacktest.Channel
	var dc []discordtest.Channel
	for i, name := range teams {
		s, d := channelOf(i)
		sc, dc = append(sc, slacktest.Channel{ID: s, Name: name}), append(dc, discordtest.Channel{ID: d, Name: name, Guild: "99"})
		cfg.Team = append(cfg.Team, config.Team{Name: name, Stack: []string{filepath.Join("stacks", name, "files")}, Slack: s, Discord: d})
	}
	w.slack = slacktest.New(slacktest.Options{Channels: sc, Now: w.clock.Now})
	w.discord = discordtest.New(discordtest.Options{Channels: dc, Now: w.clock.Now})
	cfg.Slack.BotToken, cfg.Slack.AppToken, cfg.Slack.APIURL = secret.New(w.slack.Token()), secret.New(w.slack.AppToken()), w.slack.URL()
	cfg.Discord.BotToken, cfg.Discord.ApplicationID, cfg.Discord.APIURL = secret.New(w.discord.Token()), w.discord.Application(), w.discord.URL()
	w.app, err = app.New(t.Context(), app.Options{
		Config: cfg, DataDir: t.TempDir(), Clock: w.clock, Only: []string{"livekit"}, Version: "test", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.closers = []func(){func() {
		if err := w.app.Close(); err != nil {
			t.Error(err)
		}
	}, w.slack.Close, w.discord.Close, status.Close}
	return w
}

func (w *world) close() {
	for _, p := range append(w.slack.Problems(), w.discord.Problems()...) {
		w.t.Errorf("a fake complains: %s", p)
	}
	for _, c := range w.closers {
		c()
	}
}

// settle lets everything be delivered, moving the clock as the platforms' pace asks.
func (w *world) settle() {
	w.t.Helper()
	for range 200 {
		next, err := w.app.Deliver(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if next.IsZero() || next.Sub(w.clock.Now()) > 10*time.Minute {
			return
		}
		w.clock.Set(next)
	}
	w.t.Fatal("deliveries do not come to rest")
}

// shown is what a channel of one platform holds.
type shown struct {
	roots  map[string]string // by id, as they read now
	edits  map[string]int
	thread map[string]string // replies by id
	broad  map[string]bool   // replies that the channel shows too
}

func (w *world) look(i int) (slack, discord shown) {
	s, d := channelOf(i)
	fresh := func() shown {
		return shown{map[string]string{}, map[string]int{}, map[string]string{}, map[string]bool{}}
	}
	slack, discord = fresh(), fresh()
	for _, m := range w.slack.Messages(s) {
		if m.ThreadTS == "" || m.ThreadTS == m.TS {
			slack.roots[m.TS], slack.edits[m.TS] = m.Visible(), len(m.Edits)
			continue
		}
		slack.thread[m.TS], slack.broad[m.TS] = m.Visible(), m.Broadcast
	}
	for _, m := range w.discord.Roots(d) {
		discord.roots[m.ID], discord.edits[m.ID] = m.Visible(), len(m.Edits)
		for _, r := range w.discord.Thread(m.ID) {
			discord.thread[r.ID] = r.Visible()
		}
	}
	return slack, discord
}

func (w *world) play(st step) {
	type pair struct{ slack, discord shown }
	before := map[string]pair{}
	for i, team := range w.teams {
		s, d := w.look(i)
		before[team] = pair{s, d}
	}
	from := w.clock.Now()
	w.clock.Set(st.PollAt)
	for range 2 {
		if err := w.app.PollNow(w.t.Context(), "livekit"); err != nil {
			w.t.Fatalf("step %s: %v", st.Step, err)
		}
		w.settle()
		w.clock.Advance(5 * time.Second)
	}
	for i, team := range w.teams {
		s, d := w.look(i)
		w.t.Run(st.Step+"/"+team, func(t *testing.T) {
			want := st.Subscribers[team]
			t.Run("slack", func(t *testing.T) { compare(t, st, want, before[team].slack, s, true) })
			t.Run("discord", func(t *testing.T) { compare(t, st, want, before[team].discord, d, false) })
			w.held(t, st, team, want, from)
		})
	}
}

// held compares the line of the ledger.
func (w *world) held(t *testing.T, st step, team string, want wish, from time.Time) {
	if want.Held == nil || *want.Held == "nothing" {
		return
	}
	holds, err := w.app.Store().Holds(context.Background(), downwind.HoldFilter{Team: team, Since: from})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range holds {
		if string(h.Reason) == *want.Held {
			return
		}
	}
	t.Errorf("the ledger says %+v, want reason %s", holds, *want.Held)
}

// compare judges what is new in a channel since the step before.
func compare(t *testing.T, st step, want wish, old, now shown, slack bool) {
	var texts, newRoots, newReplies []string
	visible := false
	for id, text := range now.roots {
		if _, ok := old.roots[id]; !ok {
			newRoots = append(newRoots, text)
			visible = true
		}
	}
	for id, text := range now.thread {
		if _, ok := old.thread[id]; !ok {
			newReplies = append(newReplies, text)
			visible = visible || now.broad[id]
		}
	}
	edited := 0
	for id, n := range now.edits {
		if was, ok := old.edits[id]; ok && n > was {
			edited++
		}
	}
	texts = append(append(texts, newRoots...), newReplies...)
	root := ""
	for id, text := range now.roots {
		if changedSince(id, old, now) || strings.Contains(text, st.Title) && st.Title != "" {
			root = text
			texts = append(texts, text)
		}
	}
	if got := len(newRoots) == 1; got != (want.Root == "new") || len(newRoots) > 1 {
		t.Errorf("%d new roots, want %s", len(newRoots), want.Root)
	}
	is(t, "a reply in the thread", len(newReplies) > 0, want.Thread)
	is(t, "the root edited", edited > 0, want.RootEdit)
	if slack {
		is(t, "something in the channel", visible, want.Channel)
	}
	if want.Root == "none" && want.Thread != "yes" {
		return
	}
	all := strings.Join(texts, "\n")
	for _, group := range want.Advice {
		if !anyOf(ours(all), group) {
			t.Errorf("no advice with one of %v in:\n%s", group, all)
		}
	}
	for _, group := range want.Say {
		if !anyOf(all, group) {
			t.Errorf("does not say one of %v in:\n%s", group, all)
		}
	}
	for _, c := range want.Components {
		if !strings.Contains(all, c) {
			t.Errorf("does not name the component %q in:\n%s", c, all)
		}
	}
	for _, n := range want.NewlyNamed {
		if !anyOf(all, []string{n}) {
			t.Errorf("does not name %q", n)
		}
	}
	for _, c := range st.Contradictions {
		for _, group := range c.Say {
			if c.Required && !anyOf(all, group) {
				t.Errorf("contradiction %s: does not say one of %v in:\n%s", c.ID, group, all)
			}
		}
	}
	if want.AlreadyOver && !anyOf(all, []string{"already over"}) {
		t.Error("does not say that it was already over")
	}
	replays(t, st, want, root+all)
}

func changedSince(id string, old, now shown) bool {
	_, had := old.roots[id]
	return !had || now.edits[id] > old.edits[id]
}

// replays looks for the bounds of each window that the team is to replay.
func replays(t *testing.T, st step, want wish, text string) {
	if want.Replay == nil {
		return
	}
	for _, i := range *want.Replay {
		shown := st.Windows.Shown[i]
		ok := false
		for _, s := range append([]span{shown.span}, shown.Also...) {
			ok = ok || bound(text, s.Start) && bound(text, s.End)
		}
		if !ok {
			t.Errorf("window %d (%v to %v) is not shown in:\n%s", i, shown.Start, shown.End, text)
		}
	}
}

func bound(text string, at *time.Time) bool {
	return at == nil || strings.Contains(text, at.UTC().Format("2006-01-02T15:04"))
}

func is(t *testing.T, what string, got bool, want string) {
	t.Helper()
	if want == "yes" && !got || want == "no" && got {
		t.Errorf("%s: %v, want %s", what, got, want)
	}
}

func anyOf(text string, words []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, strings.ToLower(w)) })
}

// ours drops the quoted lines: advice must stand in our own sentences.
func ours(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, "&gt;") {
			b.WriteString(line)
		}
	}
	return b.String()
}

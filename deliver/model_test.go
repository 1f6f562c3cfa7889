package deliver_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/deliver"
	"downwind/deliver/delivertest"
	"downwind/notify"
	"downwind/store"
	"downwind/store/storetest"
)

var errDied = errors.New("the process died")

// mortal is the store as a process sees it that dies at a chosen call: before the call takes effect, or after.
type mortal struct {
	*store.DB
	mu    sync.Mutex
	left  int // calls until death; below 0: immortal
	after bool
	dead  bool
}

func (m *mortal) die() (before, after bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return true, false
	}
	if m.left < 0 {
		return false, false
	}
	if m.left > 0 {
		m.left--
		return false, false
	}
	m.dead = true
	return !m.after, m.after
}

func (m *mortal) TakeLease(ctx context.Context, id, owner string, now time.Time, lease time.Duration) (downwind.Work, bool, error) {
	before, after := m.die()
	if before {
		return downwind.Work{}, false, errDied
	}
	w, ok, err := m.DB.TakeLease(ctx, id, owner, now, lease)
	if after {
		err = errDied
	}
	return w, ok, err
}

func (m *mortal) Step(ctx context.Context, held downwind.Delivery, owner string, step func(*downwind.Delivery) []downwind.PartMark) (downwind.Delivery, error) {
	before, after := m.die()
	if before {
		return downwind.Delivery{}, errDied
	}
	d, err := m.DB.Step(ctx, held, owner, step)
	if after {
		err = errDied
	}
	return d, err
}

func (m *mortal) Intend(ctx context.Context, held downwind.Delivery, owner string, root bool, gap time.Duration, step func(*downwind.Delivery)) (downwind.Delivery, time.Time, error) {
	before, after := m.die()
	if before {
		return downwind.Delivery{}, time.Time{}, errDied
	}
	d, wait, err := m.DB.Intend(ctx, held, owner, root, gap, step)
	if after {
		err = errDied
	}
	return d, wait, err
}

// effect is a slow request that takes effect later.
type effect struct {
	at time.Time
	do func()
}

// model is the delivery model under random raises, faults, deaths, rivals and pauses.
type model struct {
	db       *store.DB
	clock    *clock
	platform *delivertest.Platform
	run      string
	dests    []downwind.Destination
	newest   map[string]int
	slow     []effect
	// rivals says that two workers run at once: faults are then drawn beforehand.
	mu     sync.Mutex
	faults []delivertest.Fault
	store  *mortal
	engine *deliver.Engine
}

const modelTimeout = time.Second

// modelSteps is how many steps TestModel takes at least.
var modelSteps = flag.Int("model-steps", 10_000, "steps of TestModel, at least")

func (m *model) notifier() *delivertest.Notifier {
	return &delivertest.Notifier{
		Platform: m.platform, Clock: m.clock,
		Can: notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: modelTimeout, PerChannel: 100 * time.Millisecond},
		Next: func(delivertest.Request) delivertest.Fault {
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.faults) == 0 {
				return delivertest.Fine
			}
			f := m.faults[0]
			m.faults = m.faults[1:]
			return f
		},
		Slowed: func(do func()) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.slow = append(m.slow, effect{m.clock.Now().Add(modelTimeout), do})
		},
	}
}

func (m *model) process(t *rapid.T) (*mortal, *deliver.Engine) {
	s := &mortal{DB: m.db, left: -1}
	e, err := deliver.New(deliver.Options{
		Store: s, Notifiers: map[string]notify.Notifier{"fake": m.notifier()}, Compose: delivertest.Compose, Clock: m.clock, Lease: 4 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

func (m *model) advance(d time.Duration) {
	now := m.clock.Now().Add(d)
	m.mu.Lock()
	var due, rest []effect
	for _, e := range m.slow {
		if e.at.After(now) {
			rest = append(rest, e)
		} else {
			due = append(due, e)
		}
	}
	m.slow = rest
	m.mu.Unlock()
	for _, e := range due {
		e.do()
	}
	m.clock.set(now)
}

func drawFaults(t *rapid.T) []delivertest.Fault {
	return rapid.SliceOfN(rapid.SampledFrom([]delivertest.Fault{
		delivertest.Fine, delivertest.Fine, delivertest.TooMany, delivertest.Broken, delivertest.Slow, delivertest.Lost, delivertest.Late, delivertest.Refused,
	}), 0, 6).Draw(t, "faults")
}

// drain lets engines work at this instant; a death is not an error of the test.
func (m *model) drain(t *rapid.T, engines ...*deliver.Engine) {
	var wg sync.WaitGroup
	errs := make([]error, len(engines))
	for i, e := range engines {
		wg.Go(func() { errs[i] = e.Drain(context.Background()) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, errDied) && !(len(engines) > 1 && errors.Is(err, downwind.ErrConflict)) {
			t.Fatalf("drain: %v", err)
		}
	}
}

func (m *model) raise(t *rapid.T) {
	d := rapid.SampledFrom(m.dests).Draw(t, "channel")
	incident := m.run + rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "incident")
	id := d.ID + "|lumen/" + incident
	m.newest[id]++
	r := downwind.Raise{
		Delivery: id, Destination: d.ID, Team: d.Team, Incident: "lumen/" + incident,
		RootOnly: rapid.IntRange(0, 4).Draw(t, "root only") == 0, Done: rapid.IntRange(0, 4).Draw(t, "done") == 0,
		Alert: downwind.Alert{
			Kind: downwind.ChangeUpdate, SeenAt: m.clock.Now().Add(time.Duration(m.newest[id])),
			Incident: downwind.Incident{Provider: "lumen", ID: incident, Title: delivertest.Title(m.newest[id])},
		},
	}
	plan := downwind.Plan{Provider: "lumen", At: m.clock.Now(), Raises: []downwind.Raise{r}}
	for range rapid.IntRange(1, 2).Draw(t, "times applied") {
		if err := m.db.Apply(context.Background(), plan); err != nil {
			t.Fatalf("apply: %v", err)
		}
	}
}

// check holds at every moment: no key twice, versions in order, the root before its replies.
func (m *model) check(t *rapid.T) {
	keys := make(map[string]bool)
	last := make(map[string]int)
	for _, msg := range m.platform.Messages() {
		if keys[msg.Key] {
			t.Fatalf("twice: %s", msg.First)
		}
		keys[msg.Key] = true
		id, role, version := partOf(t, msg)
		if role == "root" && last[id] > 0 || role == "reply" && last[id] == 0 {
			t.Fatalf("%s after v%d", msg.First, last[id])
		}
		if role == "reply" && version <= last[id] && last[id] > 1 {
			t.Fatalf("out of order: %s after v%d", msg.First, last[id])
		}
		if role == "root" {
			version = 1
		}
		last[id] = version
	}
}

func partOf(t *rapid.T, msg delivertest.Message) (id, role string, version int) {
	words := strings.Split(msg.First, "|")
	version, err := strconv.Atoi(strings.TrimPrefix(words[len(words)-1], "v"))
	if err != nil || len(words) != 4 {
		t.Fatalf("message says %q", msg.First)
	}
	return words[0] + "|" + words[1], words[2], version
}

// final holds once nothing waits: every version that was not skipped is visible, and roots show the newest state.
func (m *model) final(t *rapid.T) {
	shown := make(map[string]map[string]delivertest.Message)
	for _, msg := range m.platform.Messages() {
		id, role, version := partOf(t, msg)
		if shown[id] == nil {
			shown[id] = make(map[string]delivertest.Message)
		}
		if role == "root" {
			version = 1
		}
		shown[id][delivertest.Title(version)] = msg
	}
	for id, newest := range m.newest {
		d, err := m.db.Delivery(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		if d.Desired != newest {
			t.Fatalf("%s desires v%d, raised v%d", id, d.Desired, newest)
		}
		if d.State == downwind.DeliveryHeld {
			continue // began and ended during a pause
		}
		if d.Applied != newest || d.Edited != newest || d.LeaseOwner != "" || d.IntentPart != "" {
			t.Fatalf("not settled: %+v", d)
		}
		parts, err := m.db.Parts(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			msg, there := shown[id][delivertest.Title(p.Version)]
			switch {
			case p.Skipped == "" && !there:
				t.Fatalf("lost: %s v%d", id, p.Version)
			case there && p.Version > 1 && p.MessageID != msg.ID:
				t.Fatalf("%s v%d is %s, the store says %s", id, p.Version, msg.ID, p.MessageID)
			}
		}
		if root := shown[id]["v1"]; !strings.HasSuffix(root.Text, "|"+delivertest.Title(newest)) {
			t.Fatalf("stale root: %s, newest v%d", root.Text, newest)
		}
	}
}

func (m *model) settle(t *rapid.T) {
	m.mu.Lock()
	m.faults = nil
	m.mu.Unlock()
	for _, d := range m.dests {
		if err := m.db.ResumeDestination(context.Background(), d.ID); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		m.drain(t, m.engine)
		next, err := m.engine.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if next.IsZero() {
			return
		}
		m.advance(max(next.Sub(m.clock.Now()), time.Millisecond))
	}
	t.Fatal("it does not settle")
}

// TestModel runs the real engine on the real store against a platform that misbehaves, with processes that die at any
// call, rivals, pauses and repeated plans; at least 10,000 steps, or as many as asked for, unless -short.
func TestModel(t *testing.T) {
	steps, least := "110", *modelSteps
	if testing.Short() {
		steps, least = "60", 200
	}
	if err := flag.Set("rapid.steps", steps); err != nil {
		t.Fatal(err)
	}
	c := &clock{now: start}
	db := storetest.Open(t, func(o *store.Options) { o.Clock = c })
	runs, taken := 0, 0
	for taken < least && !t.Failed() {
		rapid.Check(t, func(t *rapid.T) { modelRun(t, db, c, &runs, &taken) })
	}
	t.Logf("%d steps in %d runs", taken, runs)
}

// modelRun is one random story on a platform and channels of its own.
func modelRun(t *rapid.T, db *store.DB, c *clock, runs, taken *int) {
	*runs++
	m := &model{db: db, clock: c, platform: &delivertest.Platform{}, run: fmt.Sprintf("r%d", *runs), newest: make(map[string]int)}
	for _, name := range []string{"C1", "C2"} {
		_, d, err := db.TeamForChannel(context.Background(), downwind.Destination{Platform: "fake", Workspace: m.run, Channel: name})
		if err != nil {
			t.Fatal(err)
		}
		m.dests = append(m.dests, d)
	}
	m.store, m.engine = m.process(t)
	t.Repeat(map[string]func(*rapid.T){
		"raise":       m.raise,
		"raise again": m.raise,
		"work": func(t *rapid.T) {
			m.faults = drawFaults(t)
			m.drain(t, m.engine)
		},
		"rivals": func(t *rapid.T) {
			m.faults = drawFaults(t)
			_, other := m.process(t)
			m.drain(t, m.engine, other)
		},
		"die": func(t *rapid.T) {
			m.faults = drawFaults(t)
			m.store.mu.Lock()
			m.store.left, m.store.after = rapid.IntRange(0, 8).Draw(t, "calls"), rapid.Bool().Draw(t, "after")
			m.store.mu.Unlock()
			m.drain(t, m.engine)
			m.store, m.engine = m.process(t)
		},
		"wait": func(t *rapid.T) {
			m.advance(time.Duration(rapid.IntRange(1, 6000).Draw(t, "ms")) * time.Millisecond)
		},
		"pause": func(t *rapid.T) {
			d := rapid.SampledFrom(m.dests).Draw(t, "channel")
			if err := m.db.PauseDestination(context.Background(), d.ID, "archived"); err != nil {
				t.Fatal(err)
			}
		},
		"resume": func(t *rapid.T) {
			d := rapid.SampledFrom(m.dests).Draw(t, "channel")
			if err := m.db.ResumeDestination(context.Background(), d.ID); err != nil {
				t.Fatal(err)
			}
		},
		"": func(t *rapid.T) { *taken++; m.check(t) },
	})
	m.settle(t)
	m.check(t)
	m.final(t)
}

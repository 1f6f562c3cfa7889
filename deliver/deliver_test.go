package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/deliver"
	"downwind/deliver/delivertest"
	"downwind/notify"
	"downwind/store"
	"downwind/store/storetest"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// clock is a settable clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
}

func (c *clock) After(time.Duration) <-chan time.Time { return make(chan time.Time) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// bench is a store, a platform and an engine with one clock.
type bench struct {
	t        testing.TB
	db       *store.DB
	clock    *clock
	platform *delivertest.Platform
	notifier *delivertest.Notifier
	engine   *deliver.Engine
	// faults are taken one a request; then all is fine.
	faults []delivertest.Fault
	newest map[string]int
	giveUp time.Duration
	// platforms are the notifiers configured; nil: the fake.
	platforms map[string]notify.Notifier
	notes     []string
	events    map[deliver.EventKind]int
}

func newBench(t testing.TB, db *store.DB, c *clock) *bench {
	b := &bench{t: t, db: db, clock: c, platform: &delivertest.Platform{}, newest: make(map[string]int), events: make(map[deliver.EventKind]int)}
	b.notifier = &delivertest.Notifier{Platform: b.platform, Clock: c, Next: func(delivertest.Request) delivertest.Fault {
		if len(b.faults) == 0 {
			return delivertest.Fine
		}
		f := b.faults[0]
		b.faults = b.faults[1:]
		return f
	}}
	b.restart()
	return b
}

// restart makes a new engine, as a new process would.
func (b *bench) restart() {
	platforms := b.platforms
	if platforms == nil {
		platforms = map[string]notify.Notifier{"fake": b.notifier}
	}
	var err error
	b.engine, err = deliver.New(deliver.Options{
		Store: b.db, Notifiers: platforms, Compose: delivertest.Compose, Clock: b.clock, GiveUp: b.giveUp,
		Observe: func(e deliver.Event) { b.events[e.Kind]++ },
		Operator: func(ctx context.Context, n downwind.OperatorNote) {
			fresh, err := b.db.SaveNote(ctx, n)
			must(b.t, err)
			if fresh {
				b.notes = append(b.notes, n.Text)
			}
		},
	})
	must(b.t, err)
}

func onBoth(t *testing.T, test func(t *testing.T, b *bench)) {
	c := &clock{}
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, newBench(t, db, c)) }, func(o *store.Options) {
		c.now = start
		o.Clock = c
	})
}

func (b *bench) channel(name string) downwind.Destination {
	b.t.Helper()
	_, d, err := b.db.TeamForChannel(context.Background(), downwind.Destination{Platform: "fake", Workspace: "W", Channel: name})
	must(b.t, err)
	return d
}

// raise asks for one more version of an incident in a channel.
func (b *bench) raise(d downwind.Destination, incident string, change ...func(*downwind.Raise)) string {
	b.t.Helper()
	key := "lumen/" + incident
	id := d.ID + "|" + key
	b.newest[id]++
	kind := downwind.ChangeUpdate
	if b.newest[id] == 1 {
		kind = downwind.ChangeNew
	}
	in := downwind.Incident{Provider: "lumen", ID: incident, Kind: downwind.KindIncident, Title: delivertest.Title(b.newest[id])}
	r := downwind.Raise{
		Delivery: id, Destination: d.ID, Team: d.Team, Incident: key,
		Alert: downwind.Alert{Kind: kind, Incident: in, SeenAt: b.clock.Now().Add(time.Duration(b.newest[id]))},
	}
	for _, c := range change {
		c(&r)
	}
	must(b.t, b.db.Apply(context.Background(), downwind.Plan{Provider: "lumen", At: b.clock.Now(), Raises: []downwind.Raise{r}}))
	return id
}

// drain works at this instant.
func (b *bench) drain() {
	b.t.Helper()
	must(b.t, b.engine.Drain(context.Background()))
}

// settle advances the clock until nothing waits any more.
func (b *bench) settle() {
	b.t.Helper()
	for range 500 {
		b.drain()
		next, err := b.engine.Next(context.Background())
		must(b.t, err)
		if next.IsZero() {
			return
		}
		if !next.After(b.clock.Now()) {
			b.t.Fatalf("something is due now and does not go on")
		}
		b.clock.set(next)
	}
	b.t.Fatal("it does not settle")
}

func (b *bench) clean() {
	b.t.Helper()
	if rep := b.platform.Check(b.newest, true); !rep.Clean() {
		b.t.Errorf("%s", rep)
	}
}

func (b *bench) delivery(id string) downwind.Delivery {
	b.t.Helper()
	d, err := b.db.Delivery(context.Background(), id)
	must(b.t, err)
	return d
}

// shown lists what readers see, first text then, after an arrow, the edited one.
func (b *bench) shown() []string {
	var list []string
	for _, m := range b.platform.Messages() {
		if m.Deleted {
			continue
		}
		text := strings.TrimPrefix(m.First, m.Destination+"|lumen/")
		if m.Text != m.First {
			text += " -> " + m.Text[strings.LastIndex(m.Text, "|")+1:]
		}
		list = append(list, text)
	}
	return list
}

// C007, C033 to C035, C140, C141: one root that is edited, everything else in its thread, both ends told.
func TestLivingMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.channel("C1")
		id := b.raise(d, "x")
		b.drain()
		want(t, "root", b.shown(), []string{"x|root|v1"})
		b.raise(d, "x")
		b.raise(d, "x", func(r *downwind.Raise) { r.RootOnly = true })
		b.raise(d, "x", func(r *downwind.Raise) { r.Done = true })
		b.settle()
		want(t, "thread", b.shown(), []string{"x|root|v1 -> v4", "x|reply|v2", "x|reply|v4"})
		want(t, "row", b.delivery(id).State, downwind.DeliveryDone)
		b.raise(d, "x")
		b.settle()
		want(t, "a finished row lives again", b.shown(), []string{"x|root|v1 -> v5", "x|reply|v2", "x|reply|v4", "x|reply|v5"})
		found, err := b.db.DeliveryByMessage(t.Context(), d.ID, b.platform.Messages()[2].ID)
		must(t, err)
		want(t, "delivery of a reply", found.ID, id)
	})
}

// C089, C110: nothing is tried again before the time that the platform states, and no number of faults loses a message.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults []delivertest.Fault
		find   int
	}{
		{"rate limit", []delivertest.Fault{delivertest.TooMany, delivertest.TooMany}, 0},
		{"connection refused", []delivertest.Fault{delivertest.Refused}, 0},
		{"answer lost", []delivertest.Fault{delivertest.Lost}, 1},
		{"error after acceptance", []delivertest.Fault{delivertest.Late}, 1},
		{"error without effect", []delivertest.Fault{delivertest.Broken}, 1},
		{"look-up fails twice", []delivertest.Fault{delivertest.Lost, delivertest.Broken, delivertest.Broken}, 3},
		{"lost, not refused by rate limit at the second try", []delivertest.Fault{delivertest.Broken, delivertest.Fine, delivertest.TooMany, delivertest.Fine}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, b *bench) {
				b.faults = append([]delivertest.Fault{}, c.faults...)
				d := b.channel("C1")
				b.raise(d, "x")
				b.drain()
				b.raise(d, "x")
				b.settle()
				b.clean()
				want(t, "look-ups", b.platform.Calls()["find"], c.find)
			})
		})
	}
}

// C110: retries end by age, with a reason; the next version says what is news by then, and what may be out is looked for.
func TestRetriesEndByAge(t *testing.T) {
	for _, c := range []struct {
		name string
		// before comes first, then faults without end.
		before []delivertest.Fault
		fault  delivertest.Fault
		shown  []string
	}{
		{"never reached", nil, delivertest.Refused, []string{"x|root|v2", "x|reply|v2"}},
		{"the root may be out", []delivertest.Fault{delivertest.Lost}, delivertest.Refused, []string{"x|root|v1 -> v2", "x|reply|v2"}},
		{"the root is out", []delivertest.Fault{delivertest.Fine}, delivertest.Refused, []string{"x|root|v1 -> v3", "x|reply|v2", "x|reply|v3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, b *bench) {
				b.giveUp = 2 * time.Hour
				b.restart()
				b.faults = append(append([]delivertest.Fault{}, c.before...), slices.Repeat([]delivertest.Fault{c.fault}, 200)...)
				id := b.raise(b.channel("C1"), "x")
				b.drain()
				if b.delivery(id).RootID != "" {
					b.raise(b.channel("C1"), "x")
				}
				b.settle()
				d := b.delivery(id)
				if age := b.clock.Now().Sub(start); age < b.giveUp || age > b.giveUp+5*time.Minute {
					t.Errorf("given up after %v", age)
				}
				want(t, "state", d.State, downwind.DeliveryHeld)
				want(t, "reason", strings.HasPrefix(d.Reason, "given up after 2 hours without success: "), true)
				want(t, "told once", len(b.notes), 1)
				want(t, "counted", b.events[deliver.EventExpired], 1)

				b.faults = nil
				b.raise(b.channel("C1"), "x")
				b.settle()
				want(t, "news in the channel", b.shown(), c.shown)
			})
		})
	}
}

// A platform that left the configuration is waited for as one that cannot be reached is, and no longer.
func TestUnconfiguredPlatformEndsByAge(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.giveUp = 2 * time.Hour
		b.platforms = map[string]notify.Notifier{}
		b.restart()
		id := b.raise(b.channel("C1"), "x")
		b.drain()
		want(t, "waits", b.delivery(id).State, downwind.DeliveryActive)
		b.settle()
		d := b.delivery(id)
		want(t, "state", d.State, downwind.DeliveryHeld)
		want(t, "reason", d.Reason, "given up after 2 hours without success: no connection to fake is configured")
		want(t, "told once", len(b.notes), 1)

		b.platforms = nil
		b.restart()
		b.raise(b.channel("C1"), "x")
		b.settle()
		want(t, "news in the channel", b.shown(), []string{"x|root|v2", "x|reply|v2"})
	})
}

func TestSlowAcceptanceIsAwaited(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		var late []func()
		b.notifier.Slowed = func(effect func()) { late = append(late, effect) }
		b.faults = []delivertest.Fault{delivertest.Slow}
		b.raise(b.channel("C1"), "x")
		b.drain()
		want(t, "nothing is sent while the first may land", b.platform.Calls()["post"], 1)
		for _, effect := range late {
			effect()
		}
		b.settle()
		b.clean()
	})
}

// C087, C111: one channel stops with its reason and keeps what it has; healed, it hears what is still current.
func TestPermanentErrorPauses(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.channel("C1")
		b.faults = []delivertest.Fault{delivertest.Forbidden}
		first := b.raise(d, "x")
		second := b.raise(d, "y")
		b.settle()
		got, err := b.db.Destination(t.Context(), d.ID)
		must(t, err)
		want(t, "reason", got.Paused, "invite the app: /invite @downwind")
		want(t, "both rows", []downwind.DeliveryState{b.delivery(first).State, b.delivery(second).State}, []downwind.DeliveryState{"paused", "paused"})
		want(t, "told once", b.notes, []string{"Alerts to " + d.ID + " are paused: invite the app: /invite @downwind"})
		b.raise(d, "x")
		b.raise(d, "y", func(r *downwind.Raise) { r.Done = true })
		b.settle()
		want(t, "nothing leaves", b.platform.Len(), 0)

		must(t, b.engine.Test(t.Context(), false)) // the channel takes messages again
		b.settle()
		want(t, "only what is current", b.shown(), []string{"x|root|v2"})
		want(t, "over while paused", b.delivery(second).State, downwind.DeliveryHeld)
		notes, err := b.db.Notes(t.Context())
		must(t, err)
		want(t, "the note ended", []bool{len(notes) == 1, notes[0].Over}, []bool{true, true})
	})
}

func TestRootGone(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.channel("C1")
		b.raise(d, "x")
		b.drain()
		b.platform.Delete(b.platform.Messages()[0].ID)
		b.raise(d, "x")
		b.settle()
		want(t, "continued", b.shown(), []string{"x|continued|v2", "x|reply|v2"})
		b.raise(d, "x")
		b.settle()
		want(t, "rebound", b.shown(), []string{"x|continued|v2 -> v3", "x|reply|v2", "x|reply|v3"})
	})
}

func TestPlatformsThatCannot(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.channel("C1")
		b.raise(d, "x")
		b.drain()
		b.faults = []delivertest.Fault{delivertest.NoThread, delivertest.Fine, delivertest.NoEdit}
		id := b.raise(d, "x")
		b.settle()
		want(t, "reply stands in the channel", b.shown(), []string{"x|root|v1", "x|reply|v2"})
		want(t, "no root of the reply", b.platform.Messages()[1].Root, "")
		b.raise(d, "x")
		b.settle()
		row := b.delivery(id)
		want(t, "thread only", []any{row.NoEdit, row.NoThread, row.Edited, b.platform.Calls()["edit"]}, []any{true, true, 3, 1})
	})
}

func TestCollectingMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		d := b.channel("C1")
		parent := b.raise(d, "mass")
		b.raise(d, "x", func(r *downwind.Raise) { r.Parent = parent })
		b.settle()
		b.raise(d, "x")
		b.settle()
		msgs := b.platform.Messages()
		want(t, "shown", b.shown(), []string{"mass|root|v1", "x|root|v1 -> v2", "x|reply|v2"})
		want(t, "its root stands in the collecting thread", msgs[1].Root, msgs[0].ID)
	})
}

func TestBlindPlatform(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.notifier.Can = notify.Limits{Edits: true, Threads: true, Timeout: time.Second}
		d := b.channel("C1")
		b.faults = []delivertest.Fault{delivertest.Broken}
		id := b.raise(d, "x")
		b.settle()
		want(t, "a root is repeated once", b.shown(), []string{"x|root|v1"})
		want(t, "after a minute", b.clock.Now().Sub(start) >= time.Minute, true)
		b.faults = []delivertest.Fault{delivertest.Broken}
		b.raise(d, "x")
		b.settle()
		want(t, "a plain update is left to the root", b.shown(), []string{"x|root|v1 -> v2"})
		parts, err := b.db.Parts(t.Context(), id)
		must(t, err)
		if !strings.Contains(parts[1].Skipped, "unclear") {
			t.Errorf("the part says %q", parts[1].Skipped)
		}
	})
}

func TestNonceWindow(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.notifier.Can = notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: time.Second, Idempotent: 2 * time.Minute}
		b.faults = []delivertest.Fault{delivertest.Broken}
		b.raise(b.channel("C1"), "x")
		b.settle()
		b.clean()
		want(t, "no look-up inside the window", b.platform.Calls()["find"], 0)
		b.faults = []delivertest.Fault{delivertest.Lost}
		b.raise(b.channel("C2"), "y")
		b.drain()
		b.clock.set(b.clock.Now().Add(3 * time.Minute))
		b.settle()
		b.clean()
		want(t, "a look-up after it", b.platform.Calls()["find"], 1)
	})
}

// TestBurst sends 200 incidents at once into one channel, and into 200 channels (C090, C091).
func TestBurst(t *testing.T) {
	const incidents = 200
	onBoth(t, func(t *testing.T, b *bench) {
		b.notifier.Can = notify.Limits{Edits: true, Threads: true, Lookup: true, Timeout: time.Second, PerChannel: time.Second}
		one := b.channel("C1")
		for _, shape := range []struct {
			name    string
			channel func(i int) downwind.Destination
			took    time.Duration
		}{
			{"one channel", func(int) downwind.Destination { return one }, (incidents - 1) * time.Second},
			{"a channel for each", func(i int) downwind.Destination { return b.channel(fmt.Sprintf("D%d", i)) }, 0},
		} {
			b.platform, b.newest = &delivertest.Platform{}, make(map[string]int)
			b.notifier.Platform = b.platform
			plan := downwind.Plan{Provider: "lumen", At: b.clock.Now()}
			for i := range incidents {
				d, incident := shape.channel(i), fmt.Sprintf("%s %03d", shape.name, i)
				r := downwind.Raise{Delivery: d.ID + "|lumen/" + incident, Destination: d.ID, Team: d.Team, Incident: "lumen/" + incident}
				r.Alert = downwind.Alert{Kind: downwind.ChangeNew, Incident: downwind.Incident{ID: incident, Title: delivertest.Title(1)}}
				b.newest[r.Delivery] = 1
				plan.Raises = append(plan.Raises, r)
			}
			must(t, b.db.Apply(t.Context(), plan))
			began := b.clock.Now()
			b.settle()
			b.clean()
			last := make(map[string]time.Time)
			for i, m := range b.platform.Messages() {
				if !strings.Contains(m.First, fmt.Sprintf(" %03d|", i)) {
					t.Errorf("%s: message %d is %s: not in order", shape.name, i, m.First)
				}
				if before, ok := last[m.Destination]; ok && m.At.Sub(before) < time.Second {
					t.Errorf("%s: message %d came %s after the one before", shape.name, i, m.At.Sub(before))
				}
				last[m.Destination] = m.At
			}
			want(t, shape.name+" took", b.clock.Now().Sub(began), shape.took)
		}
	})
}

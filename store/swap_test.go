package store_test

import (
	"errors"
	"testing"
	"time"

	"downwind"
	"downwind/store"
)

// A step builds on the row as the worker knows it. Whatever others did to the row meanwhile must survive the step.
func TestStepKeepsWhatOthersDid(t *testing.T) {
	sent := func(d *downwind.Delivery) []downwind.PartMark {
		d.RootID, d.Applied, d.Edited = "17.1", max(d.Applied, 1), 1
		return []downwind.PartMark{{Version: 1, MessageID: "17.1", SentAt: start}}
	}
	intend := func(d *downwind.Delivery) { d.IntentPart, d.IntentAt = "root", start }
	for _, tc := range []struct {
		name      string
		meanwhile func(t *testing.T, db *store.DB, c *clock, d downwind.Destination, in downwind.Incident)
		lost      bool
		want      func(d downwind.Delivery) bool
	}{
		{"nothing", nil, false, func(d downwind.Delivery) bool { return d.Desired == 1 && d.State == downwind.DeliveryActive }},
		{"raised", func(t *testing.T, db *store.DB, _ *clock, d downwind.Destination, in downwind.Incident) {
			in.Phase = downwind.Resolved
			r := raiseFor(d, in, downwind.ChangeResolved)
			r.Done = true
			must(t, db.Apply(t.Context(), downwind.Plan{Provider: "lumen", At: start, Versions: []downwind.Version{version(in, start)}, Raises: []downwind.Raise{r}}))
		}, false, func(d downwind.Delivery) bool { return d.Desired == 2 && d.Finish }},
		{"paused", func(t *testing.T, db *store.DB, _ *clock, d downwind.Destination, _ downwind.Incident) {
			must(t, db.PauseDestination(t.Context(), d.ID, "archived"))
		}, false, func(d downwind.Delivery) bool { return d.State == downwind.DeliveryPaused && d.Reason == "archived" }},
		{"paused and resumed", func(t *testing.T, db *store.DB, _ *clock, d downwind.Destination, _ downwind.Incident) {
			must(t, db.PauseDestination(t.Context(), d.ID, "archived"))
			must(t, db.ResumeDestination(t.Context(), d.ID))
		}, false, func(d downwind.Delivery) bool { return d.State == downwind.DeliveryActive && d.NewestRoot }},
		{"acknowledged", func(t *testing.T, db *store.DB, _ *clock, d downwind.Destination, in downwind.Incident) {
			must(t, db.Ack(t.Context(), d.ID+"|"+in.Key(), "@ana", start))
		}, false, func(d downwind.Delivery) bool { return d.AckedBy == "@ana" }},
		{"taken by another", func(t *testing.T, db *store.DB, c *clock, d downwind.Destination, in downwind.Incident) {
			c.advance(time.Hour)
			if _, ok, err := db.TakeLease(t.Context(), d.ID+"|"+in.Key(), "rival", c.Now(), time.Minute); !ok || err != nil {
				t.Fatalf("the rival got no lease: %v", err)
			}
		}, true, func(d downwind.Delivery) bool { return d.LeaseOwner == "rival" && d.RootID == "" && d.IntentPart == "" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, db *store.DB, c *clock) {
				must(t, db.SyncSources(t.Context(), []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
				d, in := channel(t, db, "ops"), incident("a", downwind.Investigating)
				must(t, db.Apply(t.Context(), downwind.Plan{
					Provider: "lumen", At: start, Versions: []downwind.Version{version(in, start)}, Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)},
				}))
				w, ok, err := db.TakeLease(t.Context(), d.ID+"|"+in.Key(), "me", c.Now(), time.Minute)
				if !ok || err != nil {
					t.Fatalf("no lease: %v", err)
				}
				if w.Destination.ID != d.ID || w.Newest.Version != 1 || w.Newest.Alert.Incident.Title != in.Title {
					t.Fatalf("work is %+v", w)
				}
				if tc.meanwhile != nil {
					tc.meanwhile(t, db, c, d, in)
				}
				row, wait, err := db.Intend(t.Context(), w.Delivery, "me", true, 0, intend)
				if lost := errors.Is(err, downwind.ErrConflict); lost != tc.lost || err != nil && !lost || !wait.IsZero() {
					t.Fatalf("intent: %v, wait %v", err, wait)
				}
				if !tc.lost {
					if row.IntentPart != "root" {
						t.Errorf("after the intent: %+v", row)
					}
					w.Delivery = row
				}
				_, err = db.Step(t.Context(), w.Delivery, "me", sent)
				if lost := errors.Is(err, downwind.ErrConflict); lost != tc.lost || err != nil && !lost {
					t.Fatalf("step: %v", err)
				}
				got, err := db.Delivery(t.Context(), w.Delivery.ID)
				must(t, err)
				if !tc.want(got) || !tc.lost && got.RootID != "17.1" {
					t.Errorf("after the step: %+v", got)
				}
				parts, err := db.Parts(t.Context(), w.Delivery.ID)
				must(t, err)
				if marked := parts[0].MessageID == "17.1"; marked == tc.lost {
					t.Errorf("the part: %+v", parts[0])
				}
			})
		})
	}
}

// A channel's turn is given to one of two workers, and of two roots to the older.
func TestIntendKeepsThePace(t *testing.T) {
	each(t, func(t *testing.T, db *store.DB, c *clock) {
		must(t, db.SyncSources(t.Context(), []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
		d := channel(t, db, "ops")
		var rows []downwind.Delivery
		for _, id := range []string{"a", "b"} {
			in := incident(id, downwind.Investigating)
			must(t, db.Apply(t.Context(), downwind.Plan{
				Provider: "lumen", At: start, Versions: []downwind.Version{version(in, start)}, Raises: []downwind.Raise{raiseFor(d, in, downwind.ChangeNew)},
			}))
			w, ok, err := db.TakeLease(t.Context(), d.ID+"|"+in.Key(), "me", c.Now(), time.Minute)
			if !ok || err != nil {
				t.Fatalf("no lease: %v", err)
			}
			rows = append(rows, w.Delivery)
		}
		intend := func(d *downwind.Delivery) { d.IntentPart = "root" }
		_, wait, err := db.Intend(t.Context(), rows[1], "me", true, time.Second, intend)
		if err != nil || wait.IsZero() {
			t.Errorf("the younger root goes first: %v, %v", wait, err)
		}
		if _, wait, err = db.Intend(t.Context(), rows[0], "me", true, time.Second, intend); err != nil || !wait.IsZero() {
			t.Errorf("the older root must wait: %v, %v", wait, err)
		}
		_, wait, err = db.Intend(t.Context(), rows[1], "me", true, time.Second, intend)
		if err != nil || !wait.Equal(c.Now().Add(time.Second)) {
			t.Errorf("the next slot is %v, %v, want in a second", wait, err)
		}
		c.advance(time.Second)
		if _, wait, err = db.Intend(t.Context(), rows[1], "me", true, time.Second, intend); err != nil || !wait.IsZero() {
			t.Errorf("a second later: %v, %v", wait, err)
		}
		// A worker that lost its lease takes nobody's turn.
		c.advance(time.Hour)
		if _, ok, err := db.TakeLease(t.Context(), rows[0].ID, "rival", c.Now(), time.Minute); !ok || err != nil {
			t.Fatal(err)
		}
		if _, _, err = db.Intend(t.Context(), rows[0], "me", false, time.Second, intend); !errors.Is(err, downwind.ErrConflict) {
			t.Errorf("a lost lease: %v", err)
		}
		if _, wait, err = db.Intend(t.Context(), rows[0], "rival", false, time.Second, intend); err != nil || !wait.IsZero() {
			t.Errorf("its turn was taken: %v, %v", wait, err)
		}
	})
}

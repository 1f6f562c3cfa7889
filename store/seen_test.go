package store_test

import (
	"testing"
	"time"

	"downwind"
	"downwind/proof"
	"downwind/store"
	"downwind/store/storetest"
)

// leavesOf reads the log's leaves from an index on.
func leavesOf(t *testing.T, db *store.DB, first int64) []proof.Leaf {
	t.Helper()
	size, err := proof.Size(t.Context(), db.Log())
	must(t, err)
	var list []proof.Leaf
	must(t, proof.Leaves(t.Context(), db.Log(), first, size, func(_ int64, b []byte) error {
		l, err := proof.ParseLeaf(b)
		list = append(list, l)
		return err
	}))
	return list
}

func TestSeenUnchanged(t *testing.T) {
	c := newClock()
	test := func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		must(t, db.SyncSources(ctx, []downwind.Source{{Provider: "lumen", URL: "https://status.lumen.example"}}))
		open, over := incident("open", downwind.Investigating), incident("over", downwind.Resolved)
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: start, Versions: []downwind.Version{version(open, start), version(over, start)}}))
		poll := func(at time.Time) {
			t.Helper()
			src, err := db.Source(ctx, "lumen")
			must(t, err)
			src.LastRead, src.State = at, downwind.SourceFresh
			must(t, db.SaveSource(ctx, src))
		}
		appended := func(what string, n int) {
			t.Helper()
			got, err := db.AppendSeen(ctx, time.Hour)
			must(t, err)
			want(t, what, got, n)
		}
		poll(start.Add(59 * time.Minute))
		appended("before the hour", 0)
		poll(start.Add(60 * time.Minute))
		appended("at the hour, the open one only", 1)
		appended("the same again", 0)
		poll(start.Add(119 * time.Minute))
		appended("before the next hour", 0)
		poll(start.Add(121 * time.Minute))
		appended("the next hour", 1)
		got := leavesOf(t, db, 2)
		want(t, "kind and times", [][2]string{{got[0].Kind, got[0].SeenAt}, {got[1].Kind, got[1].SeenAt}},
			[][2]string{{"seen", "2026-03-02T10:00:00.000000Z"}, {"seen", "2026-03-02T11:01:00.000000Z"}})
		want(t, "incident", got[0].Incident, "open")

		// Missing once in the newest reading: not seen, however well the page was read.
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: start.Add(3 * time.Hour), Known: map[string]downwind.Archived{"open": {State: open, Missing: 1}}}))
		poll(start.Add(4 * time.Hour))
		appended("missing", 0)
		// Back again, but the newest answer that was taken in does not list its kind: what later answers say does not count.
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: start.Add(5 * time.Hour), Seen: []string{"open"}}))
		appended("back", 1)
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: start.Add(6 * time.Hour), Seen: []string{"over"}}))
		poll(start.Add(8 * time.Hour))
		appended("not listed", 0)

		// An edit: the version before is bounded by its newest leaf.
		open.Title = "Calls fail"
		edited := version(open, start.Add(9*time.Hour))
		edited.Hash = "hash-edited"
		must(t, db.Apply(ctx, downwind.Plan{Provider: "lumen", At: start.Add(9 * time.Hour), Versions: []downwind.Version{edited}}))
		list, err := db.Versions(ctx, "lumen", "open")
		must(t, err)
		before, err := db.LeafBefore(ctx, list[1])
		must(t, err)
		want(t, "leaf before the edit", before, int64(4))
		none, err := db.LeafBefore(ctx, list[0])
		must(t, err)
		want(t, "leaf before the first", none, int64(-1))
	}
	storetest.Each(t, test, func(o *store.Options) {
		*c = clock{now: start}
		o.Clock, o.Leaves = c, store.LeafOf
	})
}

package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// packedRaise is a raise with its alert ready to be stored.
type packedRaise struct {
	downwind.Raise
	incident string
	alert    []byte
	// bare says that the incident is left out of the alert because the archived version holds it.
	bare bool
	// ours says that the plan itself brings the version that the alert is about.
	ours bool
}

// packRaises turns the alerts into bytes before the transaction begins, on all cores: ten thousand of them are the
// slowest part of an incident that concerns everybody.
func (db *DB) packRaises(p downwind.Plan) ([]packedRaise, error) {
	states := make(map[string]*downwind.Incident, len(p.Versions))
	for i := range p.Versions {
		states[p.Versions[i].Incident] = &p.Versions[i].State
	}
	list := make([]packedRaise, len(p.Raises))
	errs := make([]error, len(p.Raises))
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), 1+len(list)/64)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(list); i += workers {
				list[i], errs[i] = db.packRaise(p.Raises[i], states)
			}
		})
	}
	wg.Wait()
	return list, errors.Join(errs...)
}

func (db *DB) packRaise(r downwind.Raise, states map[string]*downwind.Incident) (packedRaise, error) {
	_, id := splitKey(r.Incident)
	pr := packedRaise{Raise: r, incident: id}
	if pr.Delivery == "" {
		pr.Delivery = r.Destination + "|" + r.Incident
	}
	state := states[id]
	pr.ours = state != nil
	alert := r.Alert
	if pr.ours && reflect.DeepEqual(*state, alert.Incident) {
		pr.bare, alert.Incident = true, downwind.Incident{}
	}
	var err error
	if pr.alert, err = db.packJSON(alert); err != nil {
		return pr, fmt.Errorf("alert of %s: %w", pr.Delivery, err)
	}
	return pr, nil
}

// key tells whether the same thing has been raised before: the same archived version with the same kinds. What is
// not about a version of this plan (a reminder, a late subscription) is told apart by its time.
func (pr packedRaise) key(version int64) string {
	kinds := make([]string, len(pr.Alert.Changes))
	for i, c := range pr.Alert.Changes {
		kinds[i] = string(c.Kind)
	}
	sort.Strings(kinds)
	name := fmt.Sprintf("%d|%s|%s|%t|%s", version, pr.Alert.Kind, strings.Join(kinds, ","), pr.RootOnly, pr.Alert.Because)
	if !pr.ours {
		name += "|" + pr.Alert.SeenAt.UTC().Format(time.RFC3339Nano)
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:12])
}

// standing is what a raise must know of the row that is there.
type standing struct {
	state   downwind.DeliveryState
	reason  string
	desired int
	raised  map[string]bool
	// again says that a held root may be tried again, with the newest state.
	again bool
}

// skippedRootOnly is the reason of versions that have no message of their own.
const skippedRootOnly = "shown in the root only"

// raise makes or raises the deliveries and wakes a worker for each.
func (a *applying) raise(ctx context.Context, raises []packedRaise) error {
	if len(raises) == 0 {
		return nil
	}
	rows, err := a.standing(ctx, raises)
	if err != nil {
		return err
	}
	paused, err := a.destinations(ctx, raises)
	if err != nil {
		return err
	}
	var parts, deliveries [][]any
	var wake []string
	latest := make(map[string]int)
	now := micros(a.plan.At)
	for _, r := range raises {
		version, err := a.versionOf(ctx, r)
		if err != nil {
			return err
		}
		row := rows[r.Delivery]
		key := r.key(version)
		if row.raised[key] {
			continue
		}
		row.raised[key] = true
		row.desired++
		row.settle(paused, r)
		skipped := ""
		if r.RootOnly && row.desired > 1 {
			skipped = skippedRootOnly
		}
		parts = append(parts, []any{r.Delivery, row.desired, key, skipped, version, flag(r.bare), r.alert})
		provider, _ := splitKey(r.Incident)
		d := []any{
			r.Delivery, r.Destination, r.Team, r.Incident, provider, string(row.state), row.reason, row.desired,
			flag(r.Done), r.Parent, now, now, now, flag(a.t.db.mayBeTold(r.Alert)), micros(r.NotBefore),
		}
		if at, again := latest[r.Delivery]; again {
			deliveries[at] = d
			continue
		}
		latest[r.Delivery] = len(deliveries)
		deliveries = append(deliveries, d)
		if row.state == downwind.DeliveryActive {
			wake = append(wake, r.Delivery)
		}
	}
	if err := upsertDeliveries.run(ctx, a.t, deliveries); err != nil {
		return fmt.Errorf("raise deliveries: %w", err)
	}
	if err := insertParts.run(ctx, a.t, parts); err != nil {
		return fmt.Errorf("add parts: %w", err)
	}
	return a.t.db.wake(ctx, a.t, wake)
}

var (
	// A row that only waits for the next edit of its root may send a new version at once.
	upsertDeliveries = insert{
		`INSERT INTO delivery (id, destination, team, incident, provider, state, reason, desired, finish, parent, created_at, updated_at, swept_at, reconcile, not_before) VALUES `,
		` ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, desired = excluded.desired,
		finish = excluded.finish, updated_at = excluded.updated_at, swept_at = excluded.swept_at,
		not_before = CASE WHEN delivery.applied >= delivery.desired THEN 0 ELSE delivery.not_before END`, 15,
	}
	insertParts = insert{`INSERT INTO part (delivery, version, raise_key, skipped, archive, bare, alert) VALUES `, "", 7}
)

// settle gives the row the state in which the raise leaves it: a finished one lives again, a paused one stays paused.
func (s *standing) settle(paused map[string]string, r packedRaise) {
	why, known := paused[r.Destination]
	switch {
	case !known:
		s.state, s.reason = downwind.DeliveryPaused, "the destination is not known any more"
	case why != "":
		s.state, s.reason = downwind.DeliveryPaused, why
	case s.state == downwind.DeliveryHeld && !s.again:
	default:
		s.state, s.reason = downwind.DeliveryActive, ""
	}
}

// standing reads and locks the rows that are there, with what has been raised in them.
func (a *applying) standing(ctx context.Context, raises []packedRaise) (map[string]*standing, error) {
	rows := make(map[string]*standing, len(raises))
	ids := make([]string, 0, len(raises))
	for _, r := range raises {
		if rows[r.Delivery] == nil {
			rows[r.Delivery] = &standing{state: downwind.DeliveryActive, raised: make(map[string]bool)}
			ids = append(ids, r.Delivery)
		}
	}
	sort.Strings(ids)
	var old []string
	err := chunks(ids, 200, func(args []any) error {
		return each(ctx, unprepared{a.t}, func(r *sql.Rows) error {
			var id string
			var s standing
			if err := r.Scan(&id, &s.state, &s.reason, &s.desired, &s.again); err != nil {
				return err
			}
			s.raised = make(map[string]bool)
			rows[id] = &s
			old = append(old, id)
			return nil
		}, "SELECT id, state, reason, desired, fresh_root FROM delivery WHERE id IN "+in(1, len(args))+" ORDER BY id"+a.t.db.dialect.lock(), args...)
	})
	if err != nil {
		return nil, err
	}
	return rows, chunks(old, 200, func(args []any) error {
		return each(ctx, unprepared{a.t}, func(r *sql.Rows) error {
			var id, key string
			if err := r.Scan(&id, &key); err != nil {
				return err
			}
			rows[id].raised[key] = true
			return nil
		}, "SELECT delivery, raise_key FROM part WHERE delivery IN "+in(1, len(args)), args...)
	})
}

// destinations reads why each destination is paused, empty where it is not.
func (a *applying) destinations(ctx context.Context, raises []packedRaise) (map[string]string, error) {
	paused := make(map[string]string)
	var ids []string
	met := make(map[string]bool)
	for _, r := range raises {
		if !met[r.Destination] {
			met[r.Destination] = true
			ids = append(ids, r.Destination)
		}
	}
	return paused, chunks(ids, 200, func(args []any) error {
		return each(ctx, unprepared{a.t}, func(r *sql.Rows) error {
			var id, why string
			if err := r.Scan(&id, &why); err != nil {
				return err
			}
			paused[id] = why
			return nil
		}, "SELECT id, paused FROM destination WHERE id IN "+in(1, len(args)), args...)
	})
}

// versionOf is the archive's version that a raise is about, 0 for none.
func (a *applying) versionOf(ctx context.Context, r packedRaise) (int64, error) {
	if r.ours {
		return a.newest[r.incident], nil
	}
	if r.Alert.Version != 0 {
		return r.Alert.Version, nil
	}
	if id, ok := a.newest[r.incident]; ok {
		return id, nil
	}
	provider, incident := splitKey(r.Incident)
	var id int64
	err := a.t.row(ctx, "SELECT version FROM incident WHERE provider = $1 AND id = $2", provider, incident).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	a.newest[r.incident] = id
	return id, err
}

// unprepared runs texts that vary too much to be worth keeping.
type unprepared struct{ tx }

func (u unprepared) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return u.QueryContext(ctx, text, args...)
}

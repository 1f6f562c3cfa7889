// Package plan decides what one reading of a source means: what to archive, whom to tell, what to hold and why.
//
// Plan is a pure function of (document, what was known, teams and stacks, now). serve, demo, backtest and the tests all
// run it, so what is tried is what happens. It does no I/O and has no clock; the store applies its result in one
// transaction.
package plan

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"downwind"
	"downwind/archive"
	"downwind/guidance"
	"downwind/match"
)

// Input is all that a plan depends on.
type Input struct {
	Document  downwind.Document
	Known     downwind.Known
	Audiences []downwind.Audience
	// Fetch tells where the document came from; Bodies are the raw bodies by SHA-256 hex.
	Fetch  downwind.Fetch
	Bodies map[string][]byte
	Now    time.Time
}

// Options tune the planner; zero values are the defaults.
type Options struct {
	// Backlog is how many entries that are long over may turn up in one reading before they count as a backlog that is
	// archived without messages; 0: 5.
	Backlog int
	// Confirm is how many readings in a row must lack an entry before it counts as withdrawn, and how many must show a
	// mild machine-made signal before it is told; 0: 2.
	Confirm int
	// MassProviders is how many providers must open incidents within MassSpan before a destination collects them under
	// one root; 0: 5 within 10 minutes.
	MassProviders int
	MassSpan      time.Duration
}

// A Planner turns readings into plans. It is safe for concurrent use.
type Planner struct {
	judge *match.Judge
	opts  Options
	// rehearsal planners keep nothing: they neither seal versions nor write items of feeds.
	rehearsal bool
}

// Rehearse returns a planner that decides alike and prepares nothing for the archive or the served feeds: its versions carry no hash.
func (p *Planner) Rehearse() *Planner {
	r := *p
	r.rehearsal = true
	return &r
}

// New returns a planner that asks the given judge.
func New(judge *match.Judge, opts Options) *Planner {
	if opts.Backlog == 0 {
		opts.Backlog = 5
	}
	if opts.Confirm == 0 {
		opts.Confirm = 2
	}
	if opts.MassProviders == 0 {
		opts.MassProviders = 5
	}
	if opts.MassSpan == 0 {
		opts.MassSpan = 10 * time.Minute
	}
	return &Planner{judge: judge, opts: opts}
}

// Plan says what the reading means, for all audiences of the input. An unreadable document means nothing: what was known stays.
func (p *Planner) Plan(in Input) (downwind.Plan, error) {
	d, err := p.Draft(in)
	if err != nil {
		return downwind.Plan{}, err
	}
	return d.Finish(in.Audiences), nil
}

// An event is one incident with what a reading changed in it.
type event struct {
	state   downwind.Incident
	old     *downwind.Archived
	changes []downwind.Change
	// guidance reads all posts for everybody, once explain was called; teams get it adapted.
	guidance  downwind.Guidance
	explained bool
	// silent events are archived and told to nobody, for the reason given.
	silent downwind.HoldReason
	// inProgress marks incidents that were open at first contact.
	inProgress bool
	version    int
	// known is what the judge may know of the page; reading is the incident as the judge understands it, read when the first team
	// asks and kept for all.
	known   match.Known
	reading *match.Reading
}

// explain reads all posts, once.
func (e *event) explain(in *Input) *downwind.Guidance {
	if !e.explained {
		e.guidance, e.explained = guidance.ExplainIncident(&e.state, gazetteer(in), nil, in.Now), true
	}
	return &e.guidance
}

// judge answers for one team.
func (e *event) judge(j *match.Judge, t *downwind.Team) downwind.Match {
	if e.reading == nil {
		if m, ok := j.Outside(&e.state, &t.Stack, t.Rules, e.known); ok {
			return m
		}
		e.reading = j.Read(&e.state, e.known)
	}
	return e.reading.Judge(&t.Stack, t.Rules)
}

// read compares the document with what was known and fills the archive part of the plan.
func (p *Planner) read(in *Input, out *downwind.Plan) ([]*event, error) {
	var events []*event
	listed := make(map[string]bool, len(in.Document.Incidents))
	aliases, rests := rekeyed(in), continued(in)
	for i := range in.Document.Incidents {
		now := in.Document.Incidents[i]
		now.Provider = out.Provider
		if id, ok := aliases[now.ID]; ok {
			now.ID = id
		} else if id, ok := rests[now.ID]; ok {
			known := in.Known.Incidents[id]
			now = rejoin(&known.State, now)
		}
		if listed[now.ID] {
			out.Notes = append(out.Notes, note(in, "twice:"+now.ID, fmt.Sprintf("%s lists the incident id %q twice; the first entry counts.", in.Known.Provider.Name, now.ID)))
			continue
		}
		listed[now.ID] = true
		if err := now.Validate(); err != nil {
			out.Notes = append(out.Notes, note(in, "invalid:"+now.ID, fmt.Sprintf("%s: an entry cannot be archived: %v.", in.Known.Provider.Name, err)))
			continue
		}
		e, err := p.compare(in, now, out)
		if err != nil {
			return nil, err
		}
		if e != nil {
			events = append(events, e)
		}
	}
	if !in.Document.Partial {
		missing, err := p.missing(in, listed, out)
		if err != nil {
			return nil, err
		}
		events = append(events, missing...)
	}
	p.backlog(in, events, out)
	slices.SortStableFunc(events, func(a, b *event) int { return begun(&a.state).Compare(begun(&b.state)) })
	return events, nil
}

// compare reads one listed incident; nil when nothing of meaning changed.
func (p *Planner) compare(in *Input, now downwind.Incident, out *downwind.Plan) (*event, error) {
	known, seen := in.Known.Incidents[now.ID]
	var old *downwind.Incident
	if seen {
		old = &known.State
	}
	cmp := archive.Compare(old, &now, seen && known.Missing >= p.opts.Confirm)
	if cmp.Stale {
		known.Missing++
		out.Known[now.ID] = known
		out.Confirm = true
		return nil, nil
	}
	e := &event{state: cmp.State, changes: cmp.Changes, inProgress: out.FirstRead}
	if seen {
		e.old = &known
	}
	confirmed := seen && known.Unconfirmed
	if confirmed && len(e.changes) == 0 {
		e.changes = []downwind.Change{{Kind: downwind.ChangeNew, Incident: now.ID, To: string(now.Impact), At: now.StartedAt}}
		e.old = nil
	}
	changed, err := p.keep(in, e, out)
	if err != nil {
		return nil, err
	}
	if !changed && !confirmed {
		out.Seen = append(out.Seen, now.ID)
		if known.Missing > 0 || known.Gone {
			known.Missing, known.Gone = 0, false
			out.Known[now.ID] = known
		}
		return nil, nil
	}
	if len(e.changes) == 0 {
		return nil, nil
	}
	p.silence(in, e, out)
	return e, nil
}

// keep puts the state into the archive when it differs from the newest version, and renews the bookkeeping.
func (p *Planner) keep(in *Input, e *event, out *downwind.Plan) (bool, error) {
	if e.old != nil && len(e.changes) == 0 && reflect.DeepEqual(e.state, e.old.State) {
		return false, nil
	}
	hash, err := p.seal(&e.state)
	if err != nil {
		return false, err
	}
	if e.old != nil && !p.rehearsal && e.old.Version.Hash == hash && len(e.changes) == 0 {
		return false, nil
	}
	if !p.rehearsal {
		e.explain(in) // a rehearsal explains what it tells only
	}
	v := downwind.Version{
		Provider: out.Provider, Incident: e.state.ID, State: e.state, Hash: hash, Changes: e.changes,
		Fetch: in.Fetch, SeenAt: in.Now, LastSeen: in.Now, Leaf: -1, Number: 1,
	}
	a := downwind.Archived{FirstSeen: in.Now, Silent: out.FirstRead}
	if e.old != nil {
		a = *e.old
		v.Number = e.old.Version.Number + 1
	}
	a.State, a.Version, a.Windows = e.state, v, e.guidance.Windows
	a.Missing, a.Gone, a.Unconfirmed = 0, false, false
	if len(e.changes) > 0 && e.changes[0].Kind == downwind.ChangeWithdrawn {
		a.Withdrawn = in.Now
	}
	e.version = v.Number
	out.Versions = append(out.Versions, v)
	out.Known[e.state.ID] = a
	return true, nil
}

// seal is the hash under which a state is archived.
func (p *Planner) seal(state *downwind.Incident) (string, error) {
	if p.rehearsal {
		return "", nil
	}
	canonical, err := archive.Canonical(state)
	if err != nil {
		return "", err
	}
	return archive.Hash(canonical), nil
}

// silence marks what is archived without a message: history at first contact, entries older than our watch, and mild
// machine-made signals until a second reading confirms them.
func (p *Planner) silence(in *Input, e *event, out *downwind.Plan) {
	first := e.old == nil
	switch {
	case out.FirstRead && !e.state.Open() && !upcoming(&e.state, in.Now):
		e.silent = downwind.HeldFirstPoll
	case first && !out.FirstRead && !e.state.Open() && newestWord(&e.state).Before(in.Known.FirstRead) && !newestWord(&e.state).IsZero():
		e.silent = downwind.HeldFirstPoll
	case first && machineMade(in.Document.Platform, &e.state) && e.state.Open() && !wasUnconfirmed(in, e.state.ID):
		e.silent = downwind.HeldFlicker
		a := out.Known[e.state.ID]
		a.Unconfirmed = true
		out.Known[e.state.ID] = a
		out.Confirm = true
	}
}

// wasUnconfirmed reports whether an earlier reading already showed this signal.
func wasUnconfirmed(in *Input, id string) bool { return in.Known.Incidents[id].Unconfirmed }

// missing judges what was known and is not listed: withdrawn, no longer open, or merely out of the source's window.
func (p *Planner) missing(in *Input, listed map[string]bool, out *downwind.Plan) ([]*event, error) {
	var events []*event
	for _, id := range sortedIDs(in.Known.Incidents) {
		known := in.Known.Incidents[id]
		if listed[id] || known.Gone || !known.Withdrawn.IsZero() || slices.Contains(in.Document.Without, known.State.Kind) {
			continue
		}
		kind := absent(&in.Document, &known.State)
		if kind == "" {
			known.Gone = true
			out.Known[id] = known
			continue
		}
		known.Missing++
		out.Known[id] = known
		if known.Missing < p.opts.Confirm {
			out.Confirm = true
			continue
		}
		e := &event{state: known.State, old: &known}
		c := downwind.Change{Kind: kind, Incident: id, From: string(known.State.Phase)}
		if kind == downwind.ChangeResolved {
			e.state.Phase = downwind.Resolved
			c.To = string(downwind.Resolved)
		}
		e.changes = []downwind.Change{c}
		if known.Unconfirmed {
			e.silent = downwind.HeldFlicker
		}
		if _, err := p.keep(in, e, out); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

func sortedIDs(m map[string]downwind.Archived) []string { return slices.Sorted(maps.Keys(m)) }

// absent tells what the absence of a known incident means: withdrawn when older entries of its kind are still listed,
// resolved when the source lists open incidents only, nothing when it fell off the old end of a bounded list.
func absent(doc *downwind.Document, state *downwind.Incident) downwind.ChangeKind {
	if doc.OpenOnly {
		if state.Open() {
			return downwind.ChangeResolved
		}
		return ""
	}
	older := 0
	for i := range doc.Incidents {
		other := &doc.Incidents[i]
		if (other.Kind == downwind.KindMaintenance) == (state.Kind == downwind.KindMaintenance) && begun(other).Before(begun(state)) {
			older++
		}
	}
	switch {
	case state.Phase.Over() && older >= 2, !state.Phase.Over() && older >= 1:
		return downwind.ChangeWithdrawn
	}
	return ""
}

// backlog silences a burst of entries that are long over and were never seen: a source that suddenly lists its past.
func (p *Planner) backlog(in *Input, events []*event, out *downwind.Plan) {
	var old []int
	for i := range events {
		e := events[i]
		if e.silent == "" && e.old == nil && !e.state.Open() && !upcoming(&e.state, in.Now) && in.Now.Sub(newestWord(&e.state)) > 24*time.Hour {
			old = append(old, i)
		}
	}
	if len(old) <= p.opts.Backlog {
		return
	}
	for _, i := range old {
		events[i].silent = downwind.HeldFirstPoll
	}
	out.Notes = append(out.Notes, note(in, "backlog", fmt.Sprintf(
		"%s suddenly lists %d old entries that were never seen before; they were archived without messages.", in.Known.Provider.Name, len(old))))
}

// rekeyed finds entries that are known under another id: same title, same beginning, and the old id is listed no more.
func rekeyed(in *Input) map[string]string {
	if len(in.Known.Incidents) == 0 || in.Document.Partial {
		return nil
	}
	listed := make(map[string]bool, len(in.Document.Incidents))
	for i := range in.Document.Incidents {
		listed[in.Document.Incidents[i].ID] = true
	}
	type key struct {
		title string
		at    int64
	}
	byLooks := map[key]string{}
	for id, known := range in.Known.Incidents {
		if at := begun(&known.State); !listed[id] && !at.IsZero() && !known.Gone {
			byLooks[key{downwind.Fold(known.State.Title), at.Unix() / 60}] = id
		}
	}
	out := map[string]string{}
	for i := range in.Document.Incidents {
		inc := &in.Document.Incidents[i]
		if _, ok := in.Known.Incidents[inc.ID]; ok {
			continue
		}
		minute := begun(inc).Unix() / 60
		for _, m := range []int64{minute, minute - 1, minute + 1} {
			if id, ok := byLooks[key{downwind.Fold(inc.Title), m}]; ok {
				out[inc.ID] = id
				break
			}
		}
	}
	return out
}

// begun is the best known beginning of an incident, for ordering: the start, the announced time, else its oldest post.
func begun(inc *downwind.Incident) time.Time {
	if len(inc.Updates) > 0 && !inc.Updates[0].PostedAt.IsZero() && inc.Kind == downwind.KindMaintenance {
		return inc.Updates[0].PostedAt
	}
	switch {
	case !inc.StartedAt.IsZero():
		return inc.StartedAt
	case len(inc.Updates) > 0:
		return inc.Updates[0].PostedAt
	}
	return inc.ScheduledFor
}

// newestWord is the time of the newest post, else the end or the beginning.
func newestWord(inc *downwind.Incident) time.Time {
	t := begun(inc)
	if inc.ResolvedAt.After(t) {
		t = inc.ResolvedAt
	}
	for _, u := range inc.Updates {
		if u.PostedAt.After(t) {
			t = u.PostedAt
		}
	}
	return t
}

// upcoming reports whether planned work lies ahead or is going on.
func upcoming(inc *downwind.Incident, now time.Time) bool {
	return inc.Kind == downwind.KindMaintenance && !inc.Phase.Over() && (inc.ScheduledUntil.IsZero() || inc.ScheduledUntil.After(now))
}

// machineMade reports whether an entry is a mild signal that no person wrote: it waits for a second reading.
func machineMade(platform string, inc *downwind.Incident) bool {
	if inc.Kind != downwind.KindIncident || inc.Impact.Rank() > 1 {
		return false
	}
	for _, c := range inc.Components {
		if c.Status == downwind.MajorOutage {
			return false
		}
	}
	for _, u := range inc.Updates {
		if len(u.Body) > 0 && platform != "uptimekuma" && platform != "upptime" {
			return false
		}
	}
	return true
}

// gazetteer is what guidance may know of the page.
func gazetteer(in *Input) guidance.Known {
	components := in.Document.Components
	if len(components) == 0 {
		components = in.Known.Components
	}
	return guidance.Known{Components: components, Regions: in.Known.Provider.Regions}
}

func note(in *Input, key, text string) downwind.OperatorNote {
	return downwind.OperatorNote{Key: "source:" + in.Known.Provider.Slug + ":" + key, Text: text, At: in.Now, Provider: ""}
}

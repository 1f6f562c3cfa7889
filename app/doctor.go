package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"downwind"
	"downwind/feeds"
	feedsall "downwind/feeds/all"
	"downwind/notify"
	"downwind/store"
)

// CheckState grades one finding of the doctor.
type CheckState string

// The grades.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning"
	CheckFailed  CheckState = "failed"
)

// A Check is one finding: what was looked at, how it is, and how to repair it.
type Check struct {
	Name   string     `json:"name"`
	State  CheckState `json:"state"`
	Text   string     `json:"text"`
	Repair string     `json:"repair,omitempty"`
}

// Doctor looks at everything that can be wrong with an installation, beside a running daemon or without one. It sends
// no message and changes nothing.
func Doctor(ctx context.Context, opts Options) []Check {
	a := &App{cfg: opts.Config, opts: opts, clock: downwind.Wall{}, log: opts.Logger}
	d := &doctor{app: a}
	d.add("configuration", CheckOK, fmt.Sprintf("read; teams: %d, providers of your own: %d", len(a.cfg.Team), len(a.cfg.Provider)), "")
	if err := a.openCatalog(ctx); err != nil {
		d.add("catalogue", CheckFailed, err.Error(), "correct the overlay file that [catalog] names")
		return d.checks
	}
	d.add("catalogue", CheckOK, fmt.Sprintf("%d providers", len(a.catalog.All())), "")
	d.teams()
	if !d.database(ctx) {
		return d.checks
	}
	defer func() { _ = a.Close() }() // only read from
	d.sources(ctx)
	d.queue(ctx)
	d.chats(ctx)
	d.notes(ctx)
	d.attest(ctx)
	d.clock(ctx)
	d.daemon(ctx)
	return d.checks
}

type doctor struct {
	app    *App
	checks []Check
}

func (d *doctor) add(name string, state CheckState, text, repair string) {
	d.checks = append(d.checks, Check{name, state, text, repair})
}

func (d *doctor) teams() {
	for i := range d.app.cfg.Team {
		t := &d.app.cfg.Team[i]
		if _, err := d.app.stackPaths(t); err != nil {
			d.add("team "+t.Name, CheckFailed, err.Error(), "correct the stack paths in config.toml; they are relative to the file")
		}
	}
}

func (d *doctor) database(ctx context.Context) bool {
	a := d.app
	url := DatabaseURL(a.cfg, a.opts.DataDir)
	var err error
	a.metrics = newMetrics(a)
	a.db, err = store.Open(ctx, store.Options{URL: url, Beside: true})
	if err != nil {
		d.add("database", CheckFailed, err.Error(), "look at [store] url, at the file's rights and at the disk")
		return false
	}
	counts, err := a.db.Counts(ctx)
	if err != nil {
		d.add("database", CheckFailed, err.Error(), "restore a backup: downwind restore FILE")
		return false
	}
	d.add("database", CheckOK, fmt.Sprintf("%s; %d versions, %d deliveries", a.db.Dialect(), counts["versions"], counts["deliveries"]), "")
	return true
}

func (d *doctor) sources(ctx context.Context) {
	list, err := d.app.db.Sources(ctx)
	if err != nil {
		d.add("sources", CheckFailed, err.Error(), "")
		return
	}
	n := map[downwind.SourceState]int{}
	for _, s := range list {
		n[s.State]++
		if s.Wanted && s.State == downwind.SourceUnreadable {
			d.add("source "+s.Provider, CheckWarning, fmt.Sprintf("cannot be read since %s: %s", stampText(s.LastRead), s.Error),
				"open "+s.URL+" in a browser; if the page has moved, set status_url in [[provider]]")
		}
	}
	d.add("sources", CheckOK, fmt.Sprintf("%d fresh, %d stale, %d unreadable, %d moved, %d not read yet",
		n[downwind.SourceFresh], n[downwind.SourceStale], n[downwind.SourceUnreadable], n[downwind.SourceMoved], n[""]), "")
}

// queue looks whether an operator has paused it and gone away.
func (d *doctor) queue(ctx context.Context) {
	since, err := d.app.db.QueuePaused(ctx)
	if err != nil {
		d.add("queue", CheckFailed, err.Error(), "")
		return
	}
	if !since.IsZero() {
		d.add("queue", CheckFailed, "paused since "+stampText(since)+": no message leaves", "resume the queue at /admin/river/queues (needs [server] river_ui = true)")
		return
	}
	d.add("queue", CheckOK, "not paused", "")
}

func stampText(t time.Time) string {
	if t.IsZero() {
		return "the beginning"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// chats tests every destination silently.
func (d *doctor) chats(ctx context.Context) {
	a := d.app
	a.opts.Console = os.Stderr
	if err := a.openDeliveries(ctx); err != nil {
		d.add("chat", CheckFailed, err.Error(), "")
		return
	}
	if !a.cfg.Slack.On() && !a.cfg.Discord.On() {
		d.add("chat", CheckWarning, "neither Slack nor Discord is configured; alerts go to the terminal", "docs/install-slack.md, docs/install-discord.md")
	}
	dests, err := a.db.Destinations(ctx, "")
	if err != nil {
		d.add("chat", CheckFailed, err.Error(), "")
		return
	}
	for _, dest := range dests {
		d.destination(ctx, dest)
	}
}

func (d *doctor) destination(ctx context.Context, dest downwind.Destination) {
	name := "channel " + dest.ID
	if dest.Name != "" {
		name += " (" + dest.Name + ")"
	}
	n := d.app.notes[dest.Platform]
	if n == nil {
		d.add(name, CheckFailed, dest.Platform+" is not configured", "set its token in ["+dest.Platform+"]")
		return
	}
	r := n.Check(ctx, dest)
	switch {
	case r.Verdict != notify.Done:
		text := r.Reason
		if text == "" && r.Err != nil {
			text = r.Err.Error()
		}
		d.add(name, CheckFailed, "cannot receive: "+text, r.Reason)
	case dest.Paused != "":
		d.add(name, CheckWarning, "can receive again, still paused: "+dest.Paused, "it resumes by itself within a quarter of a day, or at once with /feed test there")
	case r.Reason != "":
		d.add(name, CheckWarning, r.Reason, "")
	default:
		d.add(name, CheckOK, "can receive", "")
	}
}

// notes repeats what stands in the operator's notes.
func (d *doctor) notes(ctx context.Context) {
	list, err := d.app.db.Notes(ctx)
	if err != nil {
		d.add("notes", CheckFailed, err.Error(), "")
		return
	}
	for _, n := range list {
		if n.Ended.IsZero() {
			d.add("note", CheckWarning, n.Text, "")
		}
	}
}

// clock compares the machine's clock with a status page's answer, when one can be reached.
func (d *doctor) clock(ctx context.Context) {
	f := feeds.NewFetcher(feeds.FetcherOptions{UserAgent: "downwind/" + d.app.opts.Version + " (doctor)", AllowPrivate: d.app.cfg.Poll.Private})
	sources, err := d.app.db.Sources(ctx)
	if err != nil || len(sources) == 0 {
		return
	}
	src := sources[0]
	for _, s := range sources {
		if s.Wanted {
			src = s
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := feeds.Detect(ctx, f, feedsall.Adapters(), src.URL); err != nil {
		d.add("reachability", CheckWarning, fmt.Sprintf("%s cannot be read from here: %v", src.URL, err), "look at DNS, firewall and proxies; Downwind needs direct HTTPS")
		return
	}
	d.add("reachability", CheckOK, src.URL+" can be read", "")
}

// daemon asks the running daemon whether it is ready.
func (d *doctor) daemon(ctx context.Context) {
	if err := Ready(ctx, d.app.cfg.Server.Listen); err != nil {
		d.add("daemon", CheckWarning, err.Error(), "start it: downwind serve")
		return
	}
	d.add("daemon", CheckOK, "ready on "+d.app.cfg.Server.Listen, "")
}

// Ready asks the daemon at an address whether it is ready.
func Ready(ctx context.Context, listen string) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(listen)+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no daemon answers on %s", listen)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the daemon on %s is not ready (%s)", listen, resp.Status)
	}
	return nil
}

package feeds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"downwind"
)

// Store keeps the sources and hands out those that are due.
type Store interface {
	// ClaimDue takes up to limit sources that are due, the longest overdue first; they are the owner's until the lease ends.
	ClaimDue(ctx context.Context, now time.Time, owner string, lease time.Duration, limit int) ([]downwind.Source, error)
	// SaveSource stores what a poll left and frees the claim. Hot and Wanted are not the poller's to write.
	SaveSource(ctx context.Context, s downwind.Source) error
	// Source returns one source.
	Source(ctx context.Context, provider string) (downwind.Source, error)
	// Sources returns all sources.
	Sources(ctx context.Context) ([]downwind.Source, error)
}

// Sink takes each document that brings or may confirm news, and each unreadable one (Document.Error; src.Failures and
// src.State tell how bad it is). src is the source as it will be saved; src.FirstRead is zero at the first reading and
// src.State is moved at the first reading after a change of platform. An error makes the poll fail; it is repeated.
//
// The reading after one with news is whole and handed over too, so that what is to be believed only when seen twice (an
// incident that is gone, a flicker) is confirmed without delay. ErrReadAgain as the error means that the document was taken
// in and that another such reading is wanted.
type Sink func(ctx context.Context, src downwind.Source, doc downwind.Document, raw []Payload) error

// ErrReadAgain is what a Sink returns to have the source read whole once more at its next turn.
var ErrReadAgain = errors.New("to be read again")

// PollResult is what one poll was, for metrics.
type PollResult struct {
	Provider, Platform string
	// Outcome is unchanged, changed, failed, deferred or moved.
	Outcome string
	// Kind is the cause of a failure (FetchError.Kind, "shape", "decode", "sink").
	Kind string
	// Late is how long after it was due the poll began; Took its duration in real time.
	Late, Took time.Duration
	Bytes      int64
}

// PollerOptions configures a Poller.
type PollerOptions struct {
	Store    Store
	Fetcher  *Fetcher
	Adapters []Adapter
	Sink     Sink
	// Clock is asked for the time; nil: the machine's.
	Clock downwind.Clock
	// Interval is for sources that a team depends on, HotInterval while an incident that hits somebody is open.
	Interval, HotInterval time.Duration
	// Concurrency is how many sources are polled at once; zero: 64.
	Concurrency int
	// Owner names this process in claims; empty: "poller".
	Owner  string
	Logger *slog.Logger
	// Observe is told of every poll; nil: nobody is.
	Observe func(PollResult)
	// Jitter returns a random duration in [0, d); nil: a fair one. Tests set it.
	Jitter func(d time.Duration) time.Duration
}

// Timing of the poller's own work.
const (
	claimLease = 30 * time.Second       // a dead process's claims are free after this
	pollLimit  = 25 * time.Second       // real time for one source, all requests together
	shortTick  = 100 * time.Millisecond // sources that are due together are taken together
	idleTick   = 2 * time.Second        // how often the store is asked for sources that somebody else made due
	claimBatch = 256
)

// Poller reads sources when they are due. Failures of one source stay with that source.
type Poller struct {
	opts     PollerOptions
	schedule schedule
	log      *slog.Logger
	mu       sync.Mutex
	due      map[string]time.Time // by provider, as saved; nil before the first Step
	busy     map[string]bool      // providers that this process is reading
}

// NewPoller makes a Poller.
func NewPoller(o PollerOptions) *Poller {
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 64
	}
	if o.Owner == "" {
		o.Owner = "poller"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Observe == nil {
		o.Observe = func(PollResult) {}
	}
	return &Poller{opts: o, schedule: newSchedule(o.Interval, o.HotInterval, o.Jitter), log: o.Logger, busy: map[string]bool{}}
}

// Run polls until the context ends; it returns nil then. A slow source holds nobody up: those that come due while it is
// being read are read beside it. Errors of the store are logged and tried again.
func (p *Poller) Run(ctx context.Context) error {
	w := p.workers()
	defer w.Wait()
	for {
		_, err := p.dispatch(ctx, w)
		if ctx.Err() != nil {
			return nil
		}
		wait := idleTick
		if err != nil {
			p.log.Error("poll sources", "error", err)
		} else if next := p.next(); !next.IsZero() {
			wait = min(max(next.Sub(p.opts.Clock.Now()), shortTick), idleTick)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.opts.Clock.After(wait):
		}
	}
}

// Step polls everything that is due at Clock.Now and returns when all of it is done: how many polls, and when the next
// source is due (zero: there is none).
func (p *Poller) Step(ctx context.Context) (did int, next time.Time, err error) {
	w := p.workers()
	did, err = p.dispatch(ctx, w)
	w.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return did, p.next(), err
}

// workers bounds how many sources are read at once.
type workers struct {
	sync.WaitGroup
	slots chan struct{}
}

func (p *Poller) workers() *workers { return &workers{slots: make(chan struct{}, p.opts.Concurrency)} }

// take waits for one free worker and takes up to most of those that are free.
func (w *workers) take(ctx context.Context, most int) (n int) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n = 1; n < most; n++ {
		select {
		case w.slots <- struct{}{}:
		default:
			return n
		}
	}
	return n
}

func (w *workers) free(n int) {
	for range n {
		<-w.slots
	}
}

// dispatch claims what is due, as much as there are free workers for, and starts reading it, until nothing is due.
func (p *Poller) dispatch(ctx context.Context, w *workers) (did int, err error) {
	if err := p.learn(ctx); err != nil {
		return 0, err
	}
	for {
		n := w.take(ctx, claimBatch)
		if n == 0 {
			return did, nil
		}
		now := p.opts.Clock.Now()
		list, err := p.opts.Store.ClaimDue(ctx, now, p.opts.Owner, claimLease, n)
		w.free(n - len(list))
		if err != nil {
			return did, fmt.Errorf("claim due sources: %w", err)
		}
		if len(list) == 0 {
			return did, nil
		}
		for _, src := range list {
			p.note(src.Provider, now.Add(claimLease))
			if !p.begin(src.Provider) { // our own claim ran out while we are still reading
				w.free(1)
				continue
			}
			did++
			w.Go(func() {
				defer w.free(1)
				defer p.end(src.Provider)
				_ = p.poll(ctx, src, false) // told to log, sink and source
			})
		}
	}
}

// begin marks a source as being read; false when it is already.
func (p *Poller) begin(provider string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[provider] {
		return false
	}
	p.busy[provider] = true
	return true
}

func (p *Poller) end(provider string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, provider)
}

// note remembers when a source is due.
func (p *Poller) note(provider string, due time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due != nil {
		p.due[provider] = due
	}
}

// learn takes in when all sources are due, once.
func (p *Poller) learn(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due != nil {
		return nil
	}
	all, err := p.opts.Store.Sources(ctx)
	if err != nil {
		return fmt.Errorf("list the sources: %w", err)
	}
	p.due = make(map[string]time.Time, len(all))
	for _, s := range all {
		p.due[s.Provider] = s.NextDue
	}
	return nil
}

func (p *Poller) next() (t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.due {
		if t.IsZero() || d.Before(t) {
			t = d
		}
	}
	return t
}

// PollOnce reads one source now, whole, whatever its schedule. The error says why it could not be read.
func (p *Poller) PollOnce(ctx context.Context, provider string) error {
	src, err := p.opts.Store.Source(ctx, provider)
	if err != nil {
		return err
	}
	return p.poll(ctx, src, true)
}

// poll reads one source, hands news to the sink and saves the source. It returns why the source could not be read.
func (p *Poller) poll(ctx context.Context, src downwind.Source, whole bool) error {
	now := p.opts.Clock.Now().UTC()
	res := PollResult{Provider: src.Provider, Platform: src.Platform}
	if !src.NextDue.IsZero() && now.After(src.NextDue) {
		res.Late = now.Sub(src.NextDue)
	}
	host := src.Endpoint
	if host == "" {
		host = src.URL
	}
	if u, err := url.Parse(host); err == nil {
		host = u.Hostname()
	}
	if ok, at := p.opts.Fetcher.limiter.Ready(src.Platform, host, now); !ok && !whole {
		src.NextDue, res.Outcome = at, "deferred"
		p.save(ctx, src)
		p.opts.Observe(res)
		return nil
	}
	began := time.Now()
	work, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	err := p.read(work, ctx, &src, now, whole, &res)
	if ctx.Err() != nil {
		return ctx.Err() // the claim runs out by itself
	}
	res.Took = time.Since(began)
	p.save(ctx, src)
	p.opts.Observe(res)
	return err
}

func (p *Poller) save(ctx context.Context, src downwind.Source) {
	if err := p.opts.Store.SaveSource(ctx, src); err != nil {
		p.log.Error("save source", "provider", src.Provider, "error", err)
	}
	p.note(src.Provider, src.NextDue)
}

// read does the poll's work on src; outer is the context without the poll's own time limit.
func (p *Poller) read(ctx, outer context.Context, src *downwind.Source, now time.Time, whole bool, res *PollResult) error {
	moved := false
	if Find(p.opts.Adapters, src.Platform) == nil || p.lost(*src) {
		was := *src
		if err := p.detect(ctx, src); err != nil {
			return p.failed(outer, src, now, err, res)
		}
		moved = !was.LastRead.IsZero() && (was.Platform != src.Platform || was.Endpoint != src.Endpoint)
	}
	a := Find(p.opts.Adapters, src.Platform)
	src.Polls++
	r := planReader{
		fetcher: p.opts.Fetcher, adapter: a, adapters: p.opts.Adapters, provider: src.Provider, plan: planOf(a, src.URL, src.Endpoint),
		known: Request{ETag: src.ETag, LastModified: src.LastModified}, mark: parseMark(src.BodyHash),
		whole: whole || moved || p.schedule.whole(*src, now), force: whole || moved || src.Failures > 0 || src.LastRead.IsZero(), fallback: src.LastRead.IsZero(),
	}
	reading, err := r.read(ctx)
	res.Bytes = reading.First.Wire
	if err != nil {
		return p.failed(outer, src, now, err, res)
	}
	return p.succeeded(outer, src, now, reading, moved, res)
}

// succeeded takes a good reading: the sink first, then the source's memory, so that a crash in between only repeats it.
func (p *Poller) succeeded(ctx context.Context, src *downwind.Source, now time.Time, r Reading, moved bool, res *PollResult) error {
	before := parseMark(src.BodyHash)
	saved := *src
	src.State, src.Error, src.Failures = downwind.SourceFresh, "", 0
	src.LastRead, src.LastTried = now, now
	src.ETag, src.LastModified = r.First.ETag, r.First.LastModified
	if r.First.MovedTo != "" && !moved {
		p.remember(src, r.First.MovedTo)
	}
	m := parseMark(r.Mark)
	res.Outcome = "unchanged"
	if !r.Changed {
		m.confirm = false
		src.BodyHash = m.String()
		src.NextDue = p.schedule.after(*src, now, r.First.MaxAge)
		return nil
	}
	if moved {
		src.State, res.Outcome = downwind.SourceMoved, "moved"
	}
	err := p.opts.Sink(ctx, *src, r.Document, r.Payloads)
	again := errors.Is(err, ErrReadAgain)
	if err != nil && !again {
		*src = saved
		res.Kind = "sink"
		return p.failedQuietly(src, now, fmt.Errorf("take in the document: %w", err), res)
	}
	news := !m.same(before)
	if m.confirm = news || again; news && res.Outcome == "unchanged" {
		res.Outcome = "changed"
	}
	src.BodyHash = m.String()
	if r.Endpoint != "" {
		src.Endpoint = r.Endpoint
	}
	if src.FirstRead.IsZero() {
		src.FirstRead = now
	}
	if fresh, err := p.opts.Store.Source(ctx, src.Provider); err == nil { // the sink may have made it hot
		src.Hot, src.Wanted, src.Told = fresh.Hot, fresh.Wanted, fresh.Told
	}
	src.NextDue = p.schedule.after(*src, now, r.First.MaxAge)
	return nil
}

// remember keeps where permanent redirects lead, when that is the same path elsewhere. The address that people know stays.
func (p *Poller) remember(src *downwind.Source, to string) {
	plan := planOf(Find(p.opts.Adapters, src.Platform), src.URL, src.Endpoint)
	from, err1 := url.Parse(plan[0].URL)
	target, err2 := url.Parse(to)
	if err1 != nil || err2 != nil || from.Path != target.Path || to == plan[0].URL {
		return
	}
	p.log.Info("source has a new address", "provider", src.Provider, "from", plan[0].URL, "to", to)
	src.Endpoint = to
}

// failed takes a poll that brought nothing readable and tells the sink; it returns the cause.
func (p *Poller) failed(ctx context.Context, src *downwind.Source, now time.Time, cause error, res *PollResult) error {
	err := p.failedQuietly(src, now, cause, res)
	doc := Unreadable(src.Provider, src.Platform, cause)
	if serr := p.opts.Sink(ctx, *src, doc, nil); serr != nil && !errors.Is(serr, ErrReadAgain) {
		p.log.Error("tell of an unreadable source", "provider", src.Provider, "error", serr)
	}
	return err
}

func (p *Poller) failedQuietly(src *downwind.Source, now time.Time, cause error, res *PollResult) error {
	src.Failures++
	src.Error, src.LastTried = cause.Error(), now
	src.State = downwind.SourceStale
	if src.Failures >= staleAfter || src.LastRead.IsZero() {
		src.State = downwind.SourceUnreadable
	}
	var fe *FetchError
	var wait time.Duration
	switch {
	case errors.As(cause, &fe):
		res.Kind, wait = fe.Kind, fe.RetryAfter
		if fe.Status == 429 {
			p.opts.Fetcher.limiter.SlowPlatform(src.Platform, now)
		}
	case errors.Is(cause, errShape):
		res.Kind = "shape"
	case res.Kind == "":
		res.Kind = "decode"
	}
	res.Outcome = "failed"
	src.NextDue = p.schedule.retry(*src, now, wait)
	p.log.Warn("source cannot be read", "provider", src.Provider, "failures", src.Failures, "error", cause)
	return cause
}

// lost reports whether a source should be looked for anew: after failures that may mean that its page has moved, seen
// twice, and then on each eighth try.
func (p *Poller) lost(src downwind.Source) bool {
	return src.Failures == 2 || src.Failures > 2 && src.Failures%8 == 0
}

// detect finds platform and endpoint of a source. It keeps what is known when the page is found as it was.
func (p *Poller) detect(ctx context.Context, src *downwind.Source) error {
	d, err := Detect(ctx, p.opts.Fetcher, p.opts.Adapters, src.URL)
	if err != nil {
		if Find(p.opts.Adapters, src.Platform) != nil { // not found anew: ask the old place again
			return nil
		}
		return err
	}
	if known := Find(p.opts.Adapters, src.Platform); known != nil && d.Platform == src.Platform {
		if plan := planOf(known, src.URL, src.Endpoint); len(plan) > 0 && plan[0].URL == d.Endpoint {
			return nil
		}
	}
	p.log.Info("source found", "provider", src.Provider, "platform", d.Platform, "endpoint", d.Endpoint, "before", src.Platform)
	src.Platform, src.Endpoint = d.Platform, d.Endpoint
	src.ETag, src.LastModified, src.BodyHash = "", "", ""
	return nil
}

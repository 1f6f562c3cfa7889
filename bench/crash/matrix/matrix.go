//go:build unix

// Package matrix kills delivering processes in the middle of their work and counts what readers would complain about. The
// parent is the chat platform, with faults; the children are real processes on a real store.
package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"downwind"
	"downwind/deliver/delivertest"
)

// Config is one run of the matrix.
type Config struct {
	// Platform is "slack" or "discord" for the real notifier on the fake of that name; empty: a peer that knows nothing but
	// the contract.
	Platform string
	// Store is the address of the store; Processes how many run on it at once (SQLite takes one).
	Store     string
	Processes int
	// Kills is how many processes are killed with SIGKILL, each between MinLife and MaxLife after the last.
	Kills            int
	MinLife, MaxLife time.Duration
	// Stops is how many times a process is stopped between its intent and its request, for longer than the lease.
	Stops int
	// Incidents, Versions and Channels make Incidents × Versions × Channels messages.
	Incidents, Versions, Channels int
	// Naive sends first and records after; NoDeadline lets requests leave at any time. Both are controls.
	Naive, NoDeadline bool
	Faults            delivertest.Faults
	Seed              uint64
	Lease, Timeout    time.Duration
	// Settle bounds the wait after the last kill, counted anew whenever something was sent.
	Settle time.Duration
	// Output gets the children's complaints; nil: nobody.
	Output io.Writer
}

// Result is what came of a run.
type Result struct {
	delivertest.Report
	Kills, Stops int
	// Drained is how long it took from the last kill until everything was visible.
	Drained time.Duration
	Calls   map[string]int
}

// String is one line for a table.
func (r Result) String() string {
	return fmt.Sprintf("%d kills, %d stops: %s; %d look-ups; drained %.1f s after the last kill", r.Kills, r.Stops, r.Report, r.Calls["find"], r.Drained.Seconds())
}

// childEnv holds the configuration of a child.
const childEnv = "DOWNWIND_CRASH_CHILD"

// childConfig is what a child must know.
type childConfig struct {
	Store, Plans string
	// Platform is the peer's address; PlatformName and Token are set for the real notifiers.
	Platform, PlatformName, Token string
	Lease, Timeout                time.Duration
	Naive, NoDeadline             bool
	// StopAt is the number of the request before which it stops itself; 0: never.
	StopAt int
}

// parent runs the platform and hands out plans.
type parent struct {
	cfg   Config
	peer  peer
	child childConfig

	mu     sync.Mutex
	plans  []downwind.Plan
	next   int
	newest map[string]int
	given  time.Time
}

// Run runs the matrix.
func Run(ctx context.Context, cfg Config) (Result, error) {
	p := &parent{cfg: cfg, newest: make(map[string]int)}
	p.makePlans()
	server := delivertest.NewServer(&delivertest.Platform{}, cfg.Faults, cfg.Seed)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Result{}, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /platform", server)
	mux.HandleFunc("GET /plan", p.givePlan)
	mux.HandleFunc("POST /plan/{n}", p.takeAck)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = srv.Serve(listener) }()
	defer srv.Close()
	base := "http://" + listener.Addr().String()
	switch cfg.Platform {
	case downwind.PlatformSlack:
		p.peer = slackPeer(cfg)
	case downwind.PlatformDiscord:
		p.peer = discordPeer(cfg)
	default:
		p.peer = bare(server, base)
	}
	defer p.peer.close()
	p.child = childConfig{
		Store: cfg.Store, Platform: p.peer.url, PlatformName: cfg.Platform, Token: p.peer.token, Plans: base + "/plan", Lease: cfg.Lease,
		Timeout: cfg.Timeout, Naive: cfg.Naive, NoDeadline: cfg.NoDeadline,
	}
	return p.play(ctx)
}

// makePlans writes the history: versions of all incidents in turn, each for every channel.
func (p *parent) makePlans() {
	for v := 1; v <= p.cfg.Versions; v++ {
		for i := range p.cfg.Incidents {
			in := downwind.Incident{Provider: "lumen", ID: fmt.Sprintf("i%d", i), Kind: downwind.KindIncident, Title: delivertest.Title(v)}
			plan := downwind.Plan{Provider: "lumen", Versions: []downwind.Version{{Provider: "lumen", Incident: in.ID, State: in, Hash: fmt.Sprintf("%s-%d", in.ID, v)}}}
			kind := downwind.ChangeUpdate
			if v == 1 {
				kind = downwind.ChangeNew
			}
			for c := range p.cfg.Channels {
				d := channel(p.cfg.Platform, c)
				plan.Raises = append(plan.Raises, downwind.Raise{
					Delivery: d.ID + "|" + in.Key(), Destination: d.ID, Team: d.Team, Incident: in.Key(), Done: v == p.cfg.Versions,
					Alert: downwind.Alert{Kind: kind, Incident: in},
				})
			}
			p.plans = append(p.plans, plan)
		}
	}
}

// numbered is a plan on its way to a child.
type numbered struct {
	N        int
	Channels int
	Plan     downwind.Plan
}

// givePlan hands out the next plan until it is acknowledged: a child may die in between, and then it is applied twice.
func (p *parent) givePlan(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next >= len(p.plans) || time.Since(p.given) < p.pace() {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	plan := &p.plans[p.next]
	if plan.At.IsZero() {
		plan.At = time.Now().UTC()
		for _, r := range plan.Raises {
			p.newest[r.Delivery]++
		}
	}
	_ = json.NewEncoder(w).Encode(numbered{p.next, p.cfg.Channels, *plan})
}

// pace spreads the plans over the time in which processes are killed.
func (p *parent) pace() time.Duration {
	life := (p.cfg.MinLife+p.cfg.MaxLife)/2*time.Duration(p.cfg.Kills) + (p.cfg.Lease+stopExtra)*time.Duration(p.cfg.Stops)
	return min(life/time.Duration(len(p.plans)+1), 500*time.Millisecond)
}

func (p *parent) takeAck(_ http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.PathValue("n") == fmt.Sprint(p.next) {
		p.next, p.given = p.next+1, time.Now()
	}
}

func (p *parent) finished() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next >= len(p.plans)
}

func (p *parent) check(final bool) delivertest.Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	return delivertest.Judge(p.peer.messages(), p.newest, final)
}

// process is one child.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func (p *parent) spawn(stopAt int) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	conf := p.child
	conf.StopAt = stopAt
	env, err := json.Marshal(conf)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(env))
	cmd.Stdout, cmd.Stderr = p.cfg.Output, p.cfg.Output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &process{cmd, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(c.done) }()
	return c, nil
}

func (c *process) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGKILL)
	<-c.done
}

// stopped reports whether the process has stopped itself.
func (c *process) stopped() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return false
	}
	_, after, ok := strings.Cut(string(stat), ") ")
	return ok && strings.HasPrefix(after, "T")
}

// play starts the processes, kills and stops them, and waits until everything is visible.
func (p *parent) play(ctx context.Context) (Result, error) {
	rng := rand.New(rand.NewPCG(p.cfg.Seed, 11))
	children := make([]*process, p.cfg.Processes)
	defer func() {
		for _, c := range children {
			if c != nil {
				c.kill()
			}
		}
	}()
	stops := p.cfg.Stops
	start := func(n int) (err error) {
		stopAt := 0
		if stops > 0 && n == 0 {
			stopAt = 2 + rng.IntN(8)
		}
		children[n], err = p.spawn(stopAt)
		return err
	}
	for n := range children {
		if err := start(n); err != nil {
			return Result{}, err
		}
	}
	var res Result
	for stops > 0 {
		came, err := p.awaitStop(ctx, children[0])
		if err != nil {
			return res, err
		}
		stops--
		if came {
			res.Stops++
		}
		children[0].kill()
		if err := start(0); err != nil {
			return res, err
		}
	}
	for res.Kills < p.cfg.Kills {
		if err := sleep(ctx, p.cfg.MinLife+time.Duration(rng.Int64N(int64(p.cfg.MaxLife-p.cfg.MinLife)+1))); err != nil {
			return res, err
		}
		n := rng.IntN(len(children))
		children[n].kill()
		res.Kills++
		if err := start(n); err != nil {
			return res, err
		}
	}
	last := time.Now()
	err := p.settle(ctx)
	res.Drained, res.Report, res.Calls = time.Since(last), p.check(true), p.peer.calls()
	return res, err
}

// stopExtra is how much longer than its lease a process stays stopped: the others find the lease gone, look, and send.
const stopExtra = 4 * time.Second

// awaitStop waits for a child to stop itself, lets its lease run out, and lets it go on for a while. It reports whether
// the child had work enough to come to its stop.
func (p *parent) awaitStop(ctx context.Context, c *process) (bool, error) {
	for end := time.Now().Add(10 * time.Second); !c.stopped(); {
		if time.Now().After(end) {
			return false, nil
		}
		select {
		case <-c.done:
			return false, errors.New("a child ended before it stopped itself")
		default:
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return false, err
		}
	}
	if err := sleep(ctx, p.cfg.Lease+stopExtra); err != nil {
		return false, err
	}
	_ = c.cmd.Process.Signal(syscall.SIGCONT)
	return true, sleep(ctx, 500*time.Millisecond)
}

// settle waits until all plans are in and everything is visible, or nothing has been sent for long.
func (p *parent) settle(ctx context.Context) error {
	end := time.Now().Add(p.cfg.Settle)
	clean, sent := 0, 0
	for time.Now().Before(end) {
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		if now := len(p.peer.messages()); now != sent {
			sent, end = now, time.Now().Add(p.cfg.Settle)
		}
		rep := p.check(true)
		switch {
		case p.cfg.Naive && len(rep.Repeated) > 0:
			return nil // the control has shown what it is for
		case p.finished() && len(rep.Lost)+len(rep.Stale) == 0:
			// Readers have everything; a late repeat would still come now.
			if clean++; clean > 10 {
				return nil
			}
		default:
			clean = 0
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

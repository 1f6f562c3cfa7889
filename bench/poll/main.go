//go:build unix

// Command poll measures the poller: many sources, a host name each, all dialled to a server on loopback that runs in a
// process of its own. It prints what one process of Downwind needs for them.
//
//	go run ./bench/poll                            6,000 sources at 60 s for 5 minutes
//	go run ./bench/poll -sources 500 -duration 60s
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
	"downwind/feeds/feedstest"
)

// What the figures of issue 5 ask for.
const (
	mostCPU  = 25.0 // percent of one core
	mostRSS  = 200  // MB
	mostLate = 5 * time.Second
)

func main() {
	sources := flag.Int("sources", 6000, "number of sources, each with a host name of its own")
	interval := flag.Duration("interval", time.Minute, "poll interval")
	duration := flag.Duration("duration", 5*time.Minute, "how long to measure")
	changing := flag.Float64("changing", 0.02, "share of answers that bring something new")
	profile := flag.String("cpuprofile", "", "write a CPU profile here")
	server := flag.Bool("serve", false, "be the server (the command starts it itself)")
	flag.Parse()
	if *server {
		if err := serve(*changing); err != nil {
			fmt.Fprintln(os.Stderr, "bench/poll:", err)
			os.Exit(2)
		}
		return
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench/poll:", err)
			os.Exit(2)
		}
		defer pprof.StopCPUProfile()
	}
	ok, err := measure(*sources, *interval, *duration, *changing)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/poll:", err)
		os.Exit(2)
	}
	if !ok {
		pprof.StopCPUProfile()
		os.Exit(1)
	}
}

// serve answers every path of a Statuspage on every host until standard input is closed.
func serve(changing float64) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	bodies := map[string][2][]byte{}
	for path, lists := range map[string]string{
		"/api/v2/incidents.json":              `"incidents":[%s]`,
		"/api/v2/summary.json":                `"status":{"indicator":"none"},"components":[{"id":"c1","name":"API","status":"operational"}],"incidents":[],"scheduled_maintenances":[]`,
		"/api/v2/scheduled-maintenances.json": `"scheduled_maintenances":[]`,
	} {
		for v := range 2 {
			list := lists
			if strings.Contains(lists, "%s") {
				list = fmt.Sprintf(lists, history(v))
			}
			b := bodies[path]
			b[v] = []byte(`{"page":{"id":"abcdefgh1234","name":"Acme","url":"https://status.acme.example"},` + list + `}`)
			bodies[path] = b
		}
	}
	return http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, known := bodies[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		v := 0
		if rand.Float64() < changing {
			v = 1
		}
		tag := `"` + strconv.Itoa(v) + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(b[v])
	}))
}

// history writes 25 incidents of four updates, about 50 kB; version 1 has one update more.
func history(version int) string {
	var list []string
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for i := range 25 {
		var ups []string
		for j := range 4 + version*(1-min(i, 1)) {
			t := at.Add(time.Duration(j-40*i) * time.Hour).Format(time.RFC3339)
			ups = append(ups, fmt.Sprintf(`{"id":"u%d-%d","status":"monitoring","body":%q,"created_at":%q,"display_at":%q,"affected_components":null}`,
				i, j, strings.Repeat("The team has found the cause and works on it. ", 6), t, t))
		}
		slices.Reverse(ups)
		list = append(list, fmt.Sprintf(`{"id":"inc%d","name":"Trouble %d","status":"monitoring","impact":"minor","page_id":"abcdefgh1234","created_at":"2026-03-01T00:00:00Z","incident_updates":[%s]}`, i, i, strings.Join(ups, ",")))
	}
	return strings.Join(list, ",")
}

// counts is what the polls of a measurement were.
type counts struct {
	mu               sync.Mutex
	began            time.Time
	late             []time.Duration
	missed           []time.Duration // when polls began that were later than allowed, since began
	outcomes         map[string]int
	documents, bytes int64
}

func (c *counts) observe(r feeds.PollResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[r.Outcome]++
	if c.late = append(c.late, r.Late); r.Late > mostLate {
		c.missed = append(c.missed, time.Since(c.began))
	}
	c.bytes += r.Bytes
}

func measure(n int, interval, duration time.Duration, changing float64) (bool, error) {
	address, stop, err := startServer(changing)
	if err != nil {
		return false, err
	}
	defer stop()
	now := time.Now().UTC()
	sources := make([]downwind.Source, n)
	for i := range sources {
		sources[i] = downwind.Source{
			Provider: fmt.Sprintf("p%05d", i), URL: fmt.Sprintf("http://status.p%05d.test", i), Platform: "statuspage", Wanted: true,
			NextDue: now.Add(rand.N(interval)),
		}
	}
	c := &counts{outcomes: map[string]int{}, began: now}
	dialer := &net.Dialer{}
	f := feeds.NewFetcher(feeds.FetcherOptions{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
		Limiter: feeds.NewLimiter(feeds.LimiterOptions{PerPlatform: 1e6, Burst: 1e6}), // one platform, thousands of hosts: measured without its limit
	})
	defer f.Close()
	p := feeds.NewPoller(feeds.PollerOptions{
		Store: feedstest.NewStore(sources...), Fetcher: f, Adapters: all.Adapters(), Interval: interval, Observe: c.observe,
		Sink: func(context.Context, downwind.Source, downwind.Document, []feeds.Payload) error {
			c.mu.Lock()
			c.documents++
			c.mu.Unlock()
			return nil
		},
	})
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	before, first := cpuTime(), make(chan time.Duration, 1)
	timer := time.AfterFunc(interval, func() { first <- cpuTime() - before })
	defer timer.Stop()
	if err := p.Run(ctx); err != nil {
		return false, err
	}
	cpu := cpuTime() - before
	select {
	case t := <-first:
		fmt.Printf("cpu of the first %s, in which every source is read for the first time: %.1f %% of one core\n", interval, 100*t.Seconds()/interval.Seconds())
		if rest := duration - interval; rest > 0 {
			fmt.Printf("cpu of the %s after it: %.1f %% of one core\n", rest, 100*(cpu-t).Seconds()/rest.Seconds())
		}
	default:
	}
	return report(c, n, interval, duration, cpu), nil
}

func report(c *counts, n int, interval, duration, cpu time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.late)
	polls := len(c.late)
	if polls == 0 {
		fmt.Println("no polls")
		return false
	}
	share := 100 * cpu.Seconds() / duration.Seconds()
	rss := peakRSS()
	worst := c.late[polls-1]
	fmt.Printf("%d sources at %s for %s: %d polls (%.0f/s), outcomes %v, %d documents, %.1f MB read\n",
		n, interval, duration, polls, float64(polls)/duration.Seconds(), c.outcomes, c.documents, float64(c.bytes)/1e6)
	fmt.Printf("cpu %.1f %% of one core (most %.0f), peak memory %d MB (most %d), late p50 %s p99 %s worst %s (most %s)\n",
		share, mostCPU, rss, mostRSS, c.late[polls/2].Round(time.Millisecond), c.late[polls*99/100].Round(time.Millisecond), worst.Round(time.Millisecond), mostLate)
	if len(c.missed) > 0 { // one stall of the machine, or a process that cannot keep up
		fmt.Printf("%d polls later than %s, noted between %s and %s\n", len(c.missed), mostLate, slices.Min(c.missed).Round(time.Second), slices.Max(c.missed).Round(time.Second))
	}
	return share <= mostCPU && rss <= mostRSS && worst <= mostLate && c.outcomes["failed"] == 0
}

func startServer(changing float64) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "-serve", "-changing", strconv.FormatFloat(changing, 'f', -1, 64))
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, errors.New("the server did not start")
	}
	return strings.TrimSpace(line), func() { _ = in.Close(); _ = cmd.Wait() }, nil
}

// cpuTime is the time that this process has used, user and system.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS is the largest resident size of this process, MB.
func peakRSS() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss / 1024 // Linux counts in kB
}

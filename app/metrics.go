package app

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"downwind"
	"downwind/deliver"
	"downwind/feeds"
)

// metrics are what operators watch. Each app has its own registry, so that tests run side by side.
type metrics struct {
	registry *prometheus.Registry

	polls    *prometheus.CounterVec
	late     prometheus.Histogram
	pollTime prometheus.Histogram
	bytes    prometheus.Counter
	changes  *prometheus.CounterVec
	held     *prometheus.CounterVec
	raised   prometheus.Counter
	verdicts *prometheus.CounterVec
	callTime *prometheus.HistogramVec
	sendLag  *prometheus.HistogramVec
	lag      *prometheus.HistogramVec
	windows  *prometheus.CounterVec
	matches  *prometheus.CounterVec
	asks     *prometheus.CounterVec
	askTime  *prometheus.HistogramVec
}

// relevance are the reasons of the ledger that say that an incident does not hit a stack.
var relevance = []downwind.HoldReason{
	downwind.HeldProvider, downwind.HeldProduct, downwind.HeldRegion, downwind.HeldSelfHosted, downwind.HeldTypeOnly, downwind.HeldTransitive,
	downwind.HeldVendored, downwind.HeldDashboard, downwind.HeldRule,
}

func newMetrics(a *App) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_polls_total", Help: "Polls by platform and outcome (unchanged, changed, failed, deferred, moved).",
		}, []string{"platform", "outcome"}),
		late: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "downwind_poll_late_seconds", Help: "How long after it was due a poll began.", Buckets: []float64{.1, .5, 1, 2, 5, 10, 30, 60},
		}),
		pollTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "downwind_poll_seconds", Help: "Duration of polls.", Buckets: prometheus.DefBuckets,
		}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "downwind_poll_bytes_total", Help: "Bytes received from sources."}),
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_changes_total", Help: "Typed changes found in sources.",
		}, []string{"kind"}),
		held: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_held_total", Help: "Messages not sent, by the reason in the ledger; shared: lines for all teams that an incident does not touch.",
		}, []string{"reason"}),
		raised: prometheus.NewCounter(prometheus.CounterOpts{Name: "downwind_raised_total", Help: "Versions of deliveries raised by the planner."}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_delivery_events_total", Help: "What happened to messages: sent, edited, found, absent, unclear, wait, failed, skipped, paused, rootgone, rejected, expired.",
		}, []string{"platform", "event"}),
		callTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "downwind_delivery_call_seconds", Help: "Duration of calls to chat platforms.", Buckets: prometheus.DefBuckets,
		}, []string{"platform"}),
		sendLag: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "downwind_delivery_lag_seconds", Help: "From our reading of a change to its visible message.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 15, 60, 300},
		}, []string{"platform"}),
		lag: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "downwind_publication_lag_seconds", Help: "From a provider's post to our reading of it, by provider.",
			Buckets: []float64{30, 60, 120, 300, 600, 1800, 3600, 21600},
		}, []string{"provider"}),
		windows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_windows_total", Help: "Impact windows told, by source (prose or page).",
		}, []string{"source"}),
		matches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_matches_total", Help: "Changes judged against teams' stacks, by verdict (sure, likely, possible, no).",
		}, []string{"verdict"}),
		asks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "downwind_http_requests_total", Help: "Requests answered, by route and status.",
		}, []string{"route", "status"}),
		askTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "downwind_http_seconds", Help: "From a request's arrival to the first byte of its answer, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1},
		}, []string{"route"}),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.polls, m.late, m.pollTime, m.bytes, m.changes, m.held, m.raised, m.verdicts, m.callTime, m.sendLag, m.lag, m.windows, m.matches, m.asks, m.askTime,
		&stateCollector{app: a},
	)
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *metrics) polled(r feeds.PollResult) {
	m.polls.WithLabelValues(r.Platform, r.Outcome).Inc()
	m.late.Observe(r.Late.Seconds())
	m.pollTime.Observe(r.Took.Seconds())
	m.bytes.Add(float64(r.Bytes))
}

func (m *metrics) applied(p downwind.Plan) {
	m.raised.Add(float64(len(p.Raises)))
	m.held.WithLabelValues("shared").Add(float64(len(p.Shared)))
	for _, h := range p.Holds {
		m.held.WithLabelValues(string(h.Reason)).Inc()
		if slices.Contains(relevance, h.Reason) {
			m.matches.WithLabelValues(string(downwind.NotAffected)).Inc()
		}
	}
	for _, v := range p.Versions {
		for _, c := range v.Changes {
			m.changes.WithLabelValues(string(c.Kind)).Inc()
			if !p.FirstRead && !c.At.IsZero() && (c.Kind == downwind.ChangeNew || c.Kind == downwind.ChangeUpdate || c.Kind == downwind.ChangeResolved) {
				m.lag.WithLabelValues(v.Provider).Observe(p.At.Sub(c.At).Seconds())
			}
		}
	}
	for _, r := range p.Raises {
		if v := r.Alert.Match.Verdict; v != "" && r.Alert.Announcement == nil {
			m.matches.WithLabelValues(string(v)).Inc()
		}
		for _, w := range r.Alert.Guidance.Windows {
			m.windows.WithLabelValues(w.Source).Inc()
		}
	}
}

func (m *metrics) delivered(e deliver.Event) {
	m.verdicts.WithLabelValues(e.Platform, string(e.Kind)).Inc()
	if e.Took > 0 {
		m.callTime.WithLabelValues(e.Platform).Observe(e.Took.Seconds())
	}
	if e.Kind == deliver.EventSent {
		m.sendLag.WithLabelValues(e.Platform).Observe(e.Lag.Seconds())
	}
}

// asked counts an answered request; the route is the pattern of the address, so that nothing of an address is kept.
func (m *metrics) asked(route string, status int, took time.Duration) {
	m.asks.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.askTime.WithLabelValues(route).Observe(took.Seconds())
}

// stateCollector reads gauges from the store when they are asked for.
type stateCollector struct{ app *App }

var (
	sourcesDesc = prometheus.NewDesc("downwind_sources", "Sources by state (fresh, stale, unreadable, moved, new).", []string{"state", "wanted"}, nil)
	jobsDesc    = prometheus.NewDesc("downwind_queue_jobs", "Wake-ups in River's queue, by state.", []string{"state"}, nil)
	countsDesc  = prometheus.NewDesc("downwind_store", "What the store holds, by kind.", []string{"kind"}, nil)
)

// Describe implements prometheus.Collector.
func (c *stateCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- sourcesDesc
	ch <- countsDesc
	ch <- jobsDesc
}

// Collect implements prometheus.Collector.
func (c *stateCollector) Collect(ch chan<- prometheus.Metric) {
	ctx := context.Background()
	sources, err := c.app.db.Sources(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(sourcesDesc, err)
		return
	}
	type key struct{ state, wanted string }
	n := map[key]float64{}
	for _, s := range sources {
		state, wanted := string(s.State), "no"
		if state == "" {
			state = "new"
		}
		if s.Wanted {
			wanted = "yes"
		}
		n[key{state, wanted}]++
	}
	for k, v := range n {
		ch <- prometheus.MustNewConstMetric(sourcesDesc, prometheus.GaugeValue, v, k.state, k.wanted)
	}
	counts, err := c.app.db.Counts(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(countsDesc, err)
		return
	}
	for k, v := range counts {
		ch <- prometheus.MustNewConstMetric(countsDesc, prometheus.GaugeValue, float64(v), k)
	}
	jobs, err := c.app.db.CountJobs(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(jobsDesc, err)
		return
	}
	for state, v := range jobs {
		ch <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(v), state)
	}
}

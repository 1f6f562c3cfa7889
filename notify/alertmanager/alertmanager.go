// Package alertmanager raises and ends alerts in Prometheus's Alertmanager by its API v2.
//
// An alert is its set of labels, so labels hold neither state nor times: only what stays the same over an incident's life.
// Alertmanager forgets an alert that is not sent again within its resolve_timeout; ours carry an end of their own
// instead, a week ahead while the incident is open and the present when it is over.
package alertmanager

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind"
	"downwind/internal/pattern"
	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "alertmanager::name".
	Platform = "alertmanager"
	timeout  = 15 * time.Second
	// hold is how long an open alert stands without news.
	hold = 7 * 24 * time.Hour
	// maxValue bounds an annotation.
	maxValue = 8000
)

// Config is one Alertmanager.
type Config struct {
	// URL is its address, "http://alertmanager:9093".
	URL string
	// User and Password are for basic authentication; Token for a bearer token; empty: none.
	User     string
	Password secret.String
	Token    secret.String
	// Labels are added to every alert (routing: {"team": "web"}).
	Labels map[string]string
}

var labelName = pattern.New(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// Validate reports what keeps it from working.
func (c Config) Validate() error {
	var errs []error
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, errors.New("url: an http or https address is needed"))
	}
	for k := range c.Labels {
		if !labelName.MatchString(k) {
			errs = append(errs, errors.New("labels: "+k+" is no label name"))
		}
	}
	return errors.Join(errs...)
}

// Options is what a Notifier needs.
type Options struct {
	// Servers are by name, which is the destination's channel.
	Servers map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
	// Now tells the time; nil: the wall clock.
	Now func() time.Time
}

// Notifier delivers to Alertmanagers. It is safe for concurrent use.
type Notifier struct{ o Options }

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Client == nil {
		o.Client = notify.NewClient(timeout)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Notifier{o: o}
}

type alert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// build makes the alert for the newest state.
func build(c Config, m notify.Message, now time.Time) alert {
	a := m.Alert
	out := alert{
		Labels: map[string]string{
			"alertname": "ProviderIncident", "provider": notify.Cut(notify.OneLine(a.Incident.Provider), 200),
			"incident": notify.Cut(notify.OneLine(a.Incident.ID), 500),
		},
		Annotations: map[string]string{
			"summary": notify.Cut(notify.OneLine(m.Title), 500), "description": notify.Cut(notify.FullText(m), maxValue),
			"impact": notify.ImpactWord(a.Incident.Impact), "state": notify.PhaseWord(a.Incident.Phase),
			"components": notify.Cut(notify.OneLine(strings.Join(a.Match.Components, ", ")), 1000),
		},
		StartsAt: a.Incident.StartedAt, EndsAt: now.Add(hold), GeneratorURL: notify.SafeURL(m.URL),
	}
	if a.Incident.Kind == downwind.KindMaintenance {
		out.Labels["alertname"] = "ProviderMaintenance"
	}
	for k, v := range c.Labels {
		out.Labels[k] = v
	}
	if len(a.Incident.Updates) > 0 && out.StartsAt.IsZero() {
		out.StartsAt = a.Incident.Updates[0].PostedAt
	}
	if out.StartsAt.IsZero() || out.StartsAt.After(now) {
		out.StartsAt = now
	}
	freed := a.Before != nil && a.Before.Affected && !a.Match.Affected
	if a.Incident.Phase.Over() || a.Kind == downwind.ChangeWithdrawn || freed {
		out.EndsAt = now
	}
	return out
}

func (n *Notifier) send(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	c, ok := n.o.Servers[t.Destination.Channel]
	if !ok {
		return notify.Unknown("Alertmanager", t.Destination.Channel)
	}
	if m.Alert == nil || m.Alert.Announcement != nil || m.Alert.Incident.Phase == downwind.Scheduled {
		return notify.Result{Verdict: notify.Done, ID: t.Key, Reason: "no trouble yet: Alertmanager is not told"}
	}
	r := n.put(ctx, c, []alert{build(c, m, n.o.Now().UTC())})
	if r.Verdict == notify.Done {
		r.ID = t.Key
	}
	return r
}

// put sends a list of alerts.
func (n *Notifier) put(ctx context.Context, c Config, list []alert) notify.Result {
	header := http.Header{}
	switch {
	case !c.Token.IsZero():
		header.Set("Authorization", "Bearer "+c.Token.Reveal())
	case c.User != "":
		req := http.Request{Header: header}
		req.SetBasicAuth(c.User, c.Password.Reveal())
	}
	_, r := notify.PostJSON(ctx, n.o.Client, "Alertmanager", strings.TrimRight(c.URL, "/")+"/api/v2/alerts", list, header)
	return r
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.send(ctx, t, m)
}

// Reply implements notify.Notifier: the same alert with the newest state.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.send(ctx, t, m)
}

// Edit implements notify.Notifier: the same alert with the root's text.
func (n *Notifier) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.send(ctx, t, m)
}

// Find implements notify.Notifier. Nothing needs to be looked for: the labels make sending again harmless.
func (n *Notifier) Find(context.Context, notify.Target) notify.Result {
	return notify.NoLookup("Alertmanager")
}

// Check implements notify.Notifier: an empty list of alerts changes nothing and tests address and credentials.
func (n *Notifier) Check(ctx context.Context, d downwind.Destination) notify.Result {
	c, ok := n.o.Servers[d.Channel]
	if !ok {
		return notify.Unknown("Alertmanager", d.Channel)
	}
	if err := c.Validate(); err != nil {
		return notify.Result{Verdict: notify.Permanent, Reason: "Alertmanager: " + err.Error(), Err: err}
	}
	return n.put(ctx, c, []alert{})
}

// Limits implements notify.Notifier.
func (n *Notifier) Limits() notify.Limits {
	return notify.Limits{Edits: true, Threads: true, Idempotent: 24 * time.Hour, Timeout: timeout}
}

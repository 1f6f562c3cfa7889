// Package pagerduty raises and closes alerts through PagerDuty's Events API v2
// (developer.pagerduty.com/docs/events-api-v2).
//
// An incident is one alert, by its dedup key: news trigger it again, its end resolves it. Planned work becomes a change
// event, never an alert. It opts in by configuration and from a chosen severity up.
package pagerduty

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "pagerduty::name".
	Platform   = "pagerduty"
	maxSummary = 1024
	maxKey     = 255
	timeout    = 20 * time.Second
	events     = "https://events.pagerduty.com"
)

// Config is one service's integration.
type Config struct {
	// RoutingKey is the integration key, 32 characters.
	RoutingKey secret.String
	// Min is the least impact that raises an alert; empty: major.
	Min downwind.Impact
	// URL replaces PagerDuty's address (for tests and regions); empty: the real one.
	URL string
}

// Validate reports what keeps the integration from working.
func (c Config) Validate() error {
	var errs []error
	if len(c.RoutingKey.Reveal()) != 32 {
		errs = append(errs, errors.New("routing_key: the 32 characters of an Events API v2 integration are needed"))
	}
	switch c.Min {
	case "", downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical:
	default:
		errs = append(errs, errors.New("min: minor, major or critical"))
	}
	return errors.Join(errs...)
}

func (c Config) min() downwind.Impact {
	if c.Min == "" {
		return downwind.ImpactMajor
	}
	return c.Min
}

// Options is what a Notifier needs.
type Options struct {
	// Services are by name, which is the destination's channel.
	Services map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
}

// Notifier delivers to PagerDuty. It is safe for concurrent use.
type Notifier struct {
	notify.OneWay[Config]
	o Options
}

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Client == nil {
		o.Client = notify.NewClient(timeout)
	}
	n := &Notifier{o: o}
	// The same dedup key is the same alert for as long as it is open.
	can := notify.Limits{Threads: true, Idempotent: 24 * time.Hour, PerChannel: time.Second, Timeout: timeout}
	n.OneWay = notify.OneWay[Config]{Who: "PagerDuty", Endpoints: o.Services, Send: n.send, Can: can}
	return n
}

type link struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

type payload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Severity  string            `json:"severity,omitempty"`
	Timestamp string            `json:"timestamp,omitempty"`
	Component string            `json:"component,omitempty"`
	Group     string            `json:"group,omitempty"`
	Class     string            `json:"class,omitempty"`
	Details   map[string]string `json:"custom_details,omitempty"`
}

type event struct {
	RoutingKey string   `json:"routing_key"`
	Action     string   `json:"event_action,omitempty"`
	DedupKey   string   `json:"dedup_key,omitempty"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Payload    *payload `json:"payload,omitempty"`
	Links      []link   `json:"links,omitempty"`
}

// DedupKey is the key of an incident's alert: "dw:provider:id", shortened by a hash when it is too long.
func DedupKey(incident string) string {
	key := "dw:" + strings.Replace(incident, "/", ":", 1)
	if len(key) > maxKey {
		sum := sha256.Sum256([]byte(incident))
		key = "dw:" + hex.EncodeToString(sum[:])
	}
	return key
}

// severity maps impacts to PagerDuty's words.
func severity(i downwind.Impact) string {
	switch i {
	case downwind.ImpactCritical:
		return "critical"
	case downwind.ImpactMajor:
		return "error"
	case downwind.ImpactNone:
		return "info"
	}
	return "warning"
}

// closes reports whether a message ends the alert: the incident is over, gone, or no longer the team's.
func closes(a *downwind.Alert) bool {
	return a.Incident.Phase.Over() || a.Kind == downwind.ChangeWithdrawn || a.Before != nil && a.Before.Affected && !a.Match.Affected
}

func (n *Notifier) send(ctx context.Context, c Config, t notify.Target, m notify.Message) notify.Result {
	base := c.URL
	if base == "" {
		base = events
	}
	a := m.Alert
	switch {
	case a == nil || a.Announcement != nil:
		return notify.Result{Verdict: notify.Done, ID: t.Key, Reason: "not an incident: PagerDuty is not told"}
	case a.Incident.Kind == downwind.KindMaintenance:
		return n.change(ctx, base, c, t, m)
	case closes(a) && t.Root == "":
		return notify.Result{Verdict: notify.Done, ID: t.Key, Reason: "already over: PagerDuty is not told"}
	case !closes(a) && a.Incident.Impact.Rank() < c.min().Rank():
		return notify.Result{Verdict: notify.Done, ID: t.Key, Reason: "below the least impact of this service"}
	}
	e := event{RoutingKey: c.RoutingKey.Reveal(), Action: "trigger", DedupKey: DedupKey(a.Incident.Key()), Client: "Downwind", ClientURL: notify.SafeURL(m.URL), Payload: alert(m)}
	for _, act := range m.Actions {
		if u := notify.SafeURL(act.URL); u != "" {
			e.Links = append(e.Links, link{u, notify.OneLine(act.Label)})
		}
	}
	if closes(a) {
		e.Action = "resolve"
	}
	return n.done(ctx, base+"/v2/enqueue", e, t)
}

// alert is the payload of an incident.
func alert(m notify.Message) *payload {
	a := m.Alert
	p := &payload{
		Summary: notify.Cut(notify.OneLine(m.Title), maxSummary), Source: notify.Cut(notify.OneLine(a.Incident.Provider), 255),
		Severity: severity(a.Incident.Impact), Class: "provider incident", Group: notify.Cut(notify.OneLine(strings.Join(a.Match.Regions, ", ")), 255),
		Component: notify.Cut(notify.OneLine(strings.Join(a.Match.Components, ", ")), 1000),
		Details:   map[string]string{"text": notify.Cut(notify.FullText(m), 20000)},
	}
	if !a.SeenAt.IsZero() {
		p.Timestamp = a.SeenAt.UTC().Format(time.RFC3339)
	}
	return p
}

// change sends planned work as a change event.
func (n *Notifier) change(ctx context.Context, base string, c Config, t notify.Target, m notify.Message) notify.Result {
	p := alert(m)
	p.Severity, p.Class, p.Component, p.Group = "", "", "", ""
	e := event{RoutingKey: c.RoutingKey.Reveal(), Payload: p}
	if u := notify.SafeURL(m.URL); u != "" {
		e.Links = []link{{u, "Details"}}
	}
	return n.done(ctx, base+"/v2/change/enqueue", e, t)
}

func (n *Notifier) done(ctx context.Context, address string, e event, t notify.Target) notify.Result {
	_, r := notify.PostJSON(ctx, n.o.Client, "PagerDuty", address, e, nil)
	if r.Verdict == notify.Done {
		r.ID = t.Key
	}
	return r
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	t.Root = ""
	return n.OneWay.Post(ctx, t, m)
}

// Reply implements notify.Notifier: the same alert again with the newest state, or its end.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	if t.Root == "" {
		t.Root = t.Key
	}
	return n.OneWay.Post(ctx, t, m)
}

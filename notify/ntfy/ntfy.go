// Package ntfy sends messages to topics of an ntfy server (docs.ntfy.sh/publish).
//
// It cannot edit and knows no threads: every version is a notification of its own that says which update it is.
package ntfy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"downwind/internal/pattern"
	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "ntfy::name".
	Platform = "ntfy"
	// maxMessage is in bytes; longer messages turn into attachments.
	maxMessage = 4096
	maxTitle   = 250
	timeout    = 15 * time.Second
	// public is the server of those who name none.
	public = "https://ntfy.sh"
)

// Config is one topic.
type Config struct {
	// Server is the address; empty: https://ntfy.sh.
	Server string
	// Topic is the topic's name; whoever knows it reads along, so it is a secret.
	Topic secret.String
	// Token is an access token ("tk_…"), not set: none.
	Token secret.String
}

var topicName = pattern.New(`^[-_A-Za-z0-9]{1,64}$`)

// Validate reports what keeps the topic from working.
func (c Config) Validate() error {
	var errs []error
	if c.Server != "" {
		if u, err := url.Parse(c.Server); err != nil || u.Host == "" {
			errs = append(errs, errors.New("server: an http or https address is needed"))
		}
	}
	if !topicName.MatchString(c.Topic.Reveal()) {
		errs = append(errs, errors.New("topic: 1 to 64 letters, digits, - and _"))
	}
	return errors.Join(errs...)
}

// Options is what a Notifier needs.
type Options struct {
	// Topics are by name, which is the destination's channel.
	Topics map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
}

// Notifier delivers to ntfy. It is safe for concurrent use.
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
	// The public server takes one request in five seconds after a burst of 60.
	can := notify.Limits{PerChannel: 5 * time.Second, Timeout: timeout}
	n.OneWay = notify.OneWay[Config]{Who: "ntfy", Endpoints: o.Topics, Send: n.send, Can: can}
	return n
}

// publish is ntfy's JSON.
type publish struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []action `json:"actions,omitempty"`
}

type action struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

// priority maps tones to ntfy's 1 to 5; what asks for silence gets at most 2.
func priority(m notify.Message) int {
	p := map[notify.Tone]int{
		notify.ToneCritical: 5, notify.ToneMajor: 4, notify.ToneMinor: 3, notify.ToneMonitoring: 3, notify.ToneResolved: 3,
		notify.ToneMaintenance: 2, notify.ToneEdited: 1,
	}[m.Tone]
	if p == 0 {
		p = 3
	}
	if m.Silent {
		p = min(p, 2)
	}
	return p
}

func build(topic string, m notify.Message) publish {
	p := publish{
		Topic: topic, Title: notify.Cut(m.Tone.Icon()+" "+notify.OneLine(m.Title), maxTitle), Priority: priority(m), Click: notify.SafeURL(m.URL),
		Message: cutBytes(notify.Plain(notify.Fit(m, func(m notify.Message) bool { return len(notify.Plain(m)) <= maxMessage }))),
	}
	if m.Kind != "" {
		p.Tags = []string{m.Kind}
	}
	for _, a := range m.Actions {
		if u := notify.SafeURL(a.URL); u != "" && len(p.Actions) < 3 {
			p.Actions = append(p.Actions, action{"view", notify.OneLine(a.Label), u})
		}
	}
	if p.Message == "" {
		p.Message = p.Title
	}
	return p
}

// cutBytes cuts a text to the limit in bytes.
func cutBytes(s string) string {
	for n := maxMessage; len(s) > maxMessage; n = n * 9 / 10 {
		s = notify.Cut(s, n)
	}
	return s
}

func (n *Notifier) send(ctx context.Context, c Config, t notify.Target, m notify.Message) notify.Result {
	server := c.Server
	if server == "" {
		server = public
	}
	header := http.Header{}
	if !c.Token.IsZero() {
		header.Set("Authorization", "Bearer "+c.Token.Reveal())
	}
	raw, r := notify.PostJSON(ctx, n.o.Client, "ntfy", server, build(c.Topic.Reveal(), m), header)
	if r.Verdict == notify.Done {
		var sent struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &sent) != nil || sent.ID == "" {
			sent.ID = t.Key
		}
		r.ID = sent.ID
	}
	return r
}

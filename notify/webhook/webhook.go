// Package webhook sends messages to programs by the Standard Webhooks scheme (standardwebhooks.com): a JSON body
// {type, timestamp, data} with the headers webhook-id, webhook-timestamp and webhook-signature.
//
// The id is the message's key and stays the same over all attempts, so a receiver that remembers ids sees each once.
package webhook

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "webhook::name".
	Platform = "webhook"
	// maxBody is what the scheme recommends at most.
	maxBody = 20 << 10
	timeout = 20 * time.Second
)

// Config is one endpoint.
type Config struct {
	// URL is where to post; it may hold a secret of its own.
	URL secret.String
	// Key signs: "whsec_" and 24 to 64 bytes in base64 for HMAC-SHA256, or "whsk_" and an ed25519 seed of 32 bytes or key of
	// 64 in base64, whose public half the receiver checks with (see PublicKey).
	Key secret.String
	// OldKey signs beside Key while receivers change over.
	OldKey secret.String
}

// Validate reports what keeps the endpoint from working.
func (c Config) Validate() error {
	var errs []error
	if u, err := url.Parse(c.URL.Reveal()); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		errs = append(errs, errors.New("url: an http or https address is needed"))
	}
	for name, k := range map[string]secret.String{"key": c.Key, "old_key": c.OldKey} {
		if k.IsZero() && name == "old_key" {
			continue
		}
		if _, err := parseKey(k); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// signer signs "id.timestamp.body" and returns the signature with its version prefix.
type signer func(text []byte) string

func parseKey(s secret.String) (signer, error) {
	text := s.Reveal()
	kind, rest, ok := strings.Cut(text, "_")
	raw, err := base64.StdEncoding.DecodeString(rest)
	switch {
	case !ok || err != nil:
		return nil, errors.New("begins with whsec_ (HMAC) or whsk_ (ed25519), then base64")
	case kind == "whsec" && len(raw) >= 24 && len(raw) <= 64:
		return func(text []byte) string {
			m := hmac.New(sha256.New, raw)
			m.Write(text)
			return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
		}, nil
	case kind == "whsk" && (len(raw) == ed25519.SeedSize || len(raw) == ed25519.PrivateKeySize):
		key := private(raw)
		return func(text []byte) string {
			return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(key, text))
		}, nil
	}
	return nil, errors.New("whsec_ needs 24 to 64 bytes, whsk_ 32 or 64")
}

func private(raw []byte) ed25519.PrivateKey {
	if len(raw) == ed25519.SeedSize {
		return ed25519.NewKeyFromSeed(raw)
	}
	return ed25519.PrivateKey(raw)
}

// PublicKey is the receiver's half of an ed25519 key ("whpk_…"), empty for other keys.
func PublicKey(key secret.String) string {
	rest, ok := strings.CutPrefix(key.Reveal(), "whsk_")
	raw, err := base64.StdEncoding.DecodeString(rest)
	if !ok || err != nil || len(raw) != ed25519.SeedSize && len(raw) != ed25519.PrivateKeySize {
		return ""
	}
	pub, _ := private(raw).Public().(ed25519.PublicKey)
	return "whpk_" + base64.StdEncoding.EncodeToString(pub)
}

// Options is what a Notifier needs.
type Options struct {
	// Endpoints are by name, which is the destination's channel.
	Endpoints map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
	// Now stamps attempts; nil: the wall clock.
	Now func() time.Time
}

// Notifier delivers to webhooks. It is safe for concurrent use.
type Notifier struct {
	notify.OneWay[Config]
	o Options
}

// New makes a Notifier.
func New(o Options) *Notifier {
	if o.Client == nil {
		o.Client = notify.NewClient(timeout)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	n := &Notifier{o: o}
	// Receivers know ids again for as long as they like; the scheme's retries last days.
	can := notify.Limits{Threads: true, Idempotent: 24 * time.Hour, Timeout: timeout}
	n.OneWay = notify.OneWay[Config]{Who: "webhook", Endpoints: o.Endpoints, Send: n.send, Can: can}
	return n
}

// Event is the body.
type Event struct {
	// Type is "incident." and the kind of change: "incident.new", "incident.resolved"; "message" for all else.
	Type string `json:"type"`
	// Timestamp is when this attempt was made.
	Timestamp time.Time `json:"timestamp"`
	Data      Data      `json:"data"`
}

// Data is what happened. Text and title hold provider text: escape it.
type Data struct {
	Delivery string `json:"delivery"`
	Incident string `json:"incident"`
	Provider string `json:"provider,omitempty"`
	Kind     string `json:"kind"`
	Title    string `json:"title"`
	URL      string `json:"url,omitempty"`
	// Text is the whole message as plain text.
	Text       string   `json:"text"`
	Phase      string   `json:"phase,omitempty"`
	Impact     string   `json:"impact,omitempty"`
	Affected   string   `json:"affected,omitempty"`
	Components []string `json:"components,omitempty"`
	Regions    []string `json:"regions,omitempty"`
	// Windows, Replay, Padded and Periods are as in `downwind explain --json`.
	Windows   []downwind.Window `json:"windows,omitempty"`
	Replay    *downwind.Period  `json:"replay_window,omitempty"`
	Padded    *downwind.Period  `json:"replay_padded,omitempty"`
	Periods   []downwind.Period `json:"replay_periods,omitempty"`
	Conflicts []string          `json:"conflicts,omitempty"`
	Advice    []string          `json:"advice,omitempty"`
	Checklist []string          `json:"checklist,omitempty"`
	// LeftOut says that lists were dropped to keep the body small; the address has all of it.
	LeftOut bool `json:"left_out,omitempty"`
}

// body makes the event, small enough for the scheme.
func body(key string, m notify.Message, now time.Time) ([]byte, error) {
	e := Event{Type: "message", Timestamp: now.UTC(), Data: Data{
		Delivery: key, Incident: m.Incident, Kind: m.Kind, Title: notify.OneLine(m.Title), URL: m.URL, Text: notify.FullText(m),
	}}
	if a := m.Alert; a != nil && a.Announcement == nil {
		e.Type = "incident." + string(a.Kind)
		d := &e.Data
		d.Provider, d.Phase, d.Impact, d.Affected = a.Incident.Provider, string(a.Incident.Phase), string(a.Incident.Impact), string(a.Match.Verdict)
		d.Components, d.Regions = a.Match.Components, a.Match.Regions
		d.Windows, d.Replay, d.Padded, d.Periods = a.Guidance.Windows, a.Guidance.Replay, a.Guidance.Padded, a.Guidance.ToPaste()
		d.Conflicts, d.Advice, d.Checklist = a.Guidance.Conflicts, a.Guidance.Advice, a.Guidance.Checklist
	}
	for _, shrink := range []func(*Data){
		func(*Data) {},
		func(d *Data) { d.Conflicts, d.Advice, d.Checklist, d.LeftOut = nil, nil, nil, true },
		func(d *Data) {
			d.Text, d.Title, d.Incident, d.Components, d.Regions = notify.Cut(d.Text, 2000), notify.Cut(d.Title, 300), notify.Cut(d.Incident, 300), nil, nil
		},
		func(d *Data) { d.Windows, d.URL = nil, notify.Cut(d.URL, 500) },
	} {
		shrink(&e.Data)
		raw, err := json.Marshal(e)
		if err != nil || len(raw) <= maxBody {
			return raw, err
		}
	}
	return nil, errors.New("event too large in every form")
}

// send posts one event.
func (n *Notifier) send(ctx context.Context, c Config, t notify.Target, m notify.Message) notify.Result {
	now := n.o.Now()
	raw, err := body(t.Key, m, now)
	if err != nil {
		return notify.Result{Verdict: notify.Rejected, Err: err}
	}
	header, err := sign(c, t.Key, raw, now)
	if err != nil {
		return notify.Result{Verdict: notify.Permanent, Reason: "webhook: the signing key in the configuration is wrong", Err: err}
	}
	_, r := notify.PostJSON(ctx, n.o.Client, "webhook", c.URL.Reveal(), raw, header)
	if r.Verdict == notify.Done {
		r.ID = t.Key
	}
	return r
}

// sign makes the headers of one attempt.
func sign(c Config, id string, raw []byte, now time.Time) (http.Header, error) {
	ts := strconv.FormatInt(now.Unix(), 10)
	text := append([]byte(id+"."+ts+"."), raw...)
	var sigs []string
	for _, k := range []secret.String{c.Key, c.OldKey} {
		if k.IsZero() {
			continue
		}
		s, err := parseKey(k)
		if err != nil {
			return nil, err
		}
		sigs = append(sigs, s(text))
	}
	return http.Header{
		"Webhook-Id": {id}, "Webhook-Timestamp": {ts}, "Webhook-Signature": {strings.Join(sigs, " ")},
		"Content-Type": {"application/json"},
	}, nil
}

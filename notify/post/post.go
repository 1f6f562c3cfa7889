// Package post sends messages to any service that takes them as a JSON body: Mattermost, Rocket.Chat, Google Chat, Zulip,
// Matrix, Telegram, Gotify, Pushover, Lark, WeCom and the many that look like them. The configuration holds the body with
// placeholders for title and text; it is read as JSON once, and values are put into its strings, so that no text of a
// provider can change its form.
//
// It cannot edit and knows no threads: every version is a message of its own that says which update it is.
package post

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind/notify"
	"downwind/secret"
)

const (
	// Platform is the word in destinations: "post::name".
	Platform = "post"
	timeout  = 15 * time.Second
	// usual is the length of a message, in characters, that the places named above take; Pushover takes less (Config.Max).
	usual = 4000
	// maxTitle is in characters.
	maxTitle = 250
)

// Config is one address that takes messages.
type Config struct {
	// URL is the address; it may hold the key itself, so it is a secret. {id} in it becomes the message's own id, the same over
	// all attempts (Matrix takes it as the id of a transaction).
	URL secret.String
	// Method is POST or PUT; empty: POST.
	Method string
	// Body is a JSON object. In its strings {title}, {text} and {url} become the message's, {id} its id and {key} the key.
	Body string
	// Key goes into the header and into {key} of the body; not set: none.
	Key secret.String
	// Header carries the key; empty: Authorization, as "Bearer …", unless the body has {key}.
	Header string
	// Max is the longest text, in characters; 0: 4000.
	Max int
}

// Validate reports what keeps the address from working.
func (c Config) Validate() error {
	var errs []error
	if u, err := url.Parse(c.URL.Reveal()); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		errs = append(errs, errors.New("url: an http or https address is needed"))
	}
	if c.Method != "" && c.Method != http.MethodPost && c.Method != http.MethodPut {
		errs = append(errs, errors.New("method: POST or PUT"))
	}
	body := map[string]any{}
	if err := json.Unmarshal([]byte(c.Body), &body); err != nil {
		errs = append(errs, fmt.Errorf("body: a JSON object such as {\"text\": \"{title}\\n{text}\"} is needed: %w", err))
	} else if !strings.Contains(c.Body, "{text}") && !strings.Contains(c.Body, "{title}") {
		errs = append(errs, errors.New("body: it has neither {title} nor {text}, so every message would say the same"))
	}
	if c.Max < 0 || c.Max > 0 && c.Max < 200 {
		errs = append(errs, errors.New("max: 200 characters at least"))
	}
	return errors.Join(errs...)
}

// Options is what a Notifier needs.
type Options struct {
	// Addresses are by name, which is the destination's channel.
	Addresses map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
}

// Notifier delivers to addresses. It is safe for concurrent use.
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
	// A message a second, which all of them take.
	can := notify.Limits{PerChannel: time.Second, Timeout: timeout}
	n.OneWay = notify.OneWay[Config]{Who: "post", Endpoints: o.Addresses, Send: n.send, Can: can}
	return n
}

// Escape makes text inert wherever it is shown: in Markdown, in Slack's form of links, as plain text. An invisible mark
// parts what would name somebody, be a link, or begin a format.
func Escape(s string) string { return inert.Replace(notify.Clean(s)) }

// mark is a word joiner: it has no width and lets no line break.
const mark = "\u2060"

var inert = strings.NewReplacer(
	"@", "@"+mark, "<", "<"+mark, "](", "]"+mark+"(", "://", ":"+mark+"//", "www.", "www"+mark+".", "`", "`"+mark, "#", "#"+mark, "mailto:", "mailto"+mark+":",
)

// escaped is a message whose words are all inert; addresses of buttons are not words.
func escaped(m notify.Message) notify.Message {
	m.Title = Escape(notify.OneLine(m.Title))
	blocks := make([]notify.Block, len(m.Blocks))
	for i, b := range m.Blocks {
		b.Title = Escape(b.Title)
		b.Lines = lines(b.Lines)
		blocks[i] = b
	}
	m.Blocks, m.Footer = blocks, runs(m.Footer)
	return m
}

func lines(in [][]notify.Run) [][]notify.Run {
	out := make([][]notify.Run, len(in))
	for i, l := range in {
		out[i] = runs(l)
	}
	return out
}

func runs(in []notify.Run) []notify.Run {
	out := make([]notify.Run, len(in))
	for i, r := range in {
		r.Text = Escape(r.Text)
		out[i] = r
	}
	return out
}

// content is what the placeholders become.
func (c Config) content(t notify.Target, m notify.Message) *strings.Replacer {
	most := c.Max
	if most == 0 {
		most = usual
	}
	title := notify.Cut(strings.TrimSpace(m.Tone.Icon()+" "+Escape(notify.OneLine(m.Title))), maxTitle)
	text := func(m notify.Message) string { return notify.Plain(escaped(m)) }
	room := most - notify.Size(title) - 1
	fitting := notify.Fit(m, func(m notify.Message) bool { return notify.Size(text(m)) <= room })
	return strings.NewReplacer(
		"{title}", title, "{text}", notify.Cut(text(fitting), room), "{url}", notify.SafeURL(m.URL), "{id}", t.Key, "{key}", c.Key.Reveal(),
	)
}

// fill puts the content into every string of the body, as values only.
func fill(v any, with *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return with.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(v[i], with)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = fill(v[k], with)
		}
		return out
	}
	return v
}

// header carries the key where the body does not.
func (c Config) header() http.Header {
	h := http.Header{}
	switch {
	case c.Key.IsZero():
	case c.Header != "":
		h.Set(c.Header, c.Key.Reveal())
	case !strings.Contains(c.Body, "{key}"):
		h.Set("Authorization", "Bearer "+c.Key.Reveal())
	}
	return h
}

func (n *Notifier) send(ctx context.Context, c Config, t notify.Target, m notify.Message) notify.Result {
	body := map[string]any{}
	if err := json.Unmarshal([]byte(c.Body), &body); err != nil {
		return notify.Result{Verdict: notify.Permanent, Reason: "post: the body in the configuration is no JSON object", Err: errors.New("post: body")}
	}
	method := c.Method
	if method == "" {
		method = http.MethodPost
	}
	address := strings.ReplaceAll(c.URL.Reveal(), "{id}", url.PathEscape(t.Key))
	_, r := notify.SendJSON(ctx, n.o.Client, method, "the address", address, fill(body, c.content(t, m)), c.header())
	if r.Verdict == notify.Done {
		r.ID = t.Key
	}
	return r
}

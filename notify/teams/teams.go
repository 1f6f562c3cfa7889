// Package teams posts Adaptive Cards to Microsoft Teams through a Workflows webhook ("when a Teams webhook request is
// received").
//
// It cannot edit and knows no threads: every version is a card of its own, whose title says which update it is. Provider
// text stands in text runs, which Teams shows as they are, without markup.
package teams

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
	// Platform is the word in destinations: "teams::name".
	Platform = "teams"
	// maxCard is what Teams takes in all, in bytes (28 KB, less some room for its own envelope).
	maxCard    = 27 << 10
	maxActions = 6
	timeout    = 20 * time.Second
	zwsp       = "\u200b"
)

// Config is one channel's workflow.
type Config struct {
	// URL is the workflow's address; its "sig" is the secret.
	URL secret.String
}

// Validate reports what keeps the workflow from working.
func (c Config) Validate() error {
	u, err := url.Parse(c.URL.Reveal())
	if err != nil || u.Host == "" || u.Scheme != "https" && !loopback(u.Hostname()) {
		return errors.New("url: the https address of a workflow is needed (Teams: channel, Workflows, “Send webhook alerts to a channel”)")
	}
	if strings.HasSuffix(u.Hostname(), "webhook.office.com") {
		return errors.New("url: Office 365 connectors were retired; make a workflow instead (Teams: channel, Workflows, “Send webhook alerts to a channel”)")
	}
	return nil
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// Options is what a Notifier needs.
type Options struct {
	// Workflows are by name, which is the destination's channel.
	Workflows map[string]Config
	// Client sends; nil: one that follows no redirects.
	Client *http.Client
}

// Notifier delivers to Teams. It is safe for concurrent use.
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
	// More than four requests a second are throttled.
	can := notify.Limits{PerChannel: 300 * time.Millisecond, Timeout: timeout}
	n.OneWay = notify.OneWay[Config]{Who: "Teams", Endpoints: o.Workflows, Send: n.send, Can: can}
	return n
}

type textRun struct {
	Type          string `json:"type"`
	Text          string `json:"text"`
	Weight        string `json:"weight,omitempty"`
	Size          string `json:"size,omitempty"`
	FontType      string `json:"fontType,omitempty"`
	Color         string `json:"color,omitempty"`
	IsSubtle      bool   `json:"isSubtle,omitempty"`
	Italic        bool   `json:"italic,omitempty"`
	Strikethrough bool   `json:"strikethrough,omitempty"`
}

type richText struct {
	Type      string    `json:"type"`
	Inlines   []textRun `json:"inlines"`
	Spacing   string    `json:"spacing,omitempty"`
	Separator bool      `json:"separator,omitempty"`
}

type openURL struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

type card struct {
	Type         string            `json:"type"`
	Schema       string            `json:"$schema"`
	Version      string            `json:"version"`
	Body         []richText        `json:"body"`
	Actions      []openURL         `json:"actions,omitempty"`
	FallbackText string            `json:"fallbackText,omitempty"`
	MSTeams      map[string]string `json:"msteams,omitempty"`
}

type attachment struct {
	ContentType string `json:"contentType"`
	Content     card   `json:"content"`
}

type envelope struct {
	Type        string       `json:"type"`
	Attachments []attachment `json:"attachments"`
}

// Render is a message as Teams gets it, in the largest form that fits.
func Render(m notify.Message) ([]byte, error) {
	fit := notify.Fit(m, func(m notify.Message) bool {
		raw, err := json.Marshal(build(m))
		return err == nil && len(raw) <= maxCard
	})
	return json.Marshal(build(fit))
}

func build(m notify.Message) envelope {
	title := strings.TrimSpace(m.Tone.Icon() + " " + notify.OneLine(m.Title))
	if n, ok := strings.CutPrefix(m.Anchor, "u"); ok && n != "" {
		title += " (update " + n + ")"
	}
	c := card{
		Type: "AdaptiveCard", Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Version: "1.4",
		FallbackText: notify.Cut(inert(title), 500), MSTeams: map[string]string{"width": "Full"},
		Body: []richText{{Type: "RichTextBlock", Inlines: []textRun{{Type: "TextRun", Text: notify.Cut(inert(title), 500), Weight: "Bolder", Size: "Large"}}}},
	}
	for _, b := range m.Blocks {
		c.Body = append(c.Body, block(b, m.Location)...)
	}
	if len(m.Footer) > 0 {
		c.Body = append(c.Body, richText{Type: "RichTextBlock", Inlines: runs(m.Footer, m.Location, true), Separator: true})
	}
	for _, a := range m.Actions {
		if u := notify.SafeURL(a.URL); u != "" && len(c.Actions) < maxActions {
			c.Actions = append(c.Actions, openURL{"Action.OpenUrl", notify.Cut(notify.OneLine(a.Label), 60), u})
		}
	}
	return envelope{"message", []attachment{{"application/vnd.microsoft.card.adaptive", c}}}
}

// block renders one block, each line on its own.
func block(b notify.Block, loc *time.Location) []richText {
	var out []richText
	if b.Title != "" {
		out = append(out, richText{Type: "RichTextBlock", Inlines: []textRun{{Type: "TextRun", Text: inert(notify.OneLine(b.Title)), Weight: "Bolder"}}, Spacing: "Medium"})
	}
	for i, l := range b.Lines {
		in := runs(l, loc, b.Kind == notify.BlockContext)
		lead := ""
		switch b.Kind {
		case notify.BlockSteps:
			lead = fmt.Sprintf("%d. ", i+1)
		case notify.BlockChecklist:
			lead = "☐ "
		case notify.BlockList, notify.BlockWindows:
			lead = "• "
		case notify.BlockQuote:
			for j := range in {
				in[j].Italic = true
			}
		}
		if lead != "" {
			in = append([]textRun{{Type: "TextRun", Text: lead}}, in...)
		}
		if len(in) > 0 {
			out = append(out, richText{Type: "RichTextBlock", Inlines: in, Spacing: "Small"})
		}
	}
	return out
}

func runs(in []notify.Run, loc *time.Location, subtle bool) []textRun {
	var out []textRun
	for _, r := range notify.Readable(in, loc) {
		t := notify.Clean(strings.ReplaceAll(r.Text, "\n", " "))
		if !r.At.IsZero() {
			t = notify.Local(r, loc)
		}
		if t == "" {
			continue
		}
		tr := textRun{Type: "TextRun", Text: inert(t), IsSubtle: subtle}
		if r.Bold || r.Op > 0 {
			tr.Weight = "Bolder"
		}
		if r.Code {
			tr.FontType = "Monospace"
		}
		tr.Strikethrough = r.Strike || r.Op < 0
		out = append(out, tr)
	}
	return out
}

// inert keeps addresses from becoming links and "<at>" from looking like a mention.
func inert(s string) string {
	return strings.NewReplacer("://", ":"+zwsp+"//", "<at", "<"+zwsp+"at", "www.", "www"+zwsp+".").Replace(notify.Clean(s))
}

func (n *Notifier) send(ctx context.Context, c Config, t notify.Target, m notify.Message) notify.Result {
	raw, err := Render(m)
	if err != nil {
		return notify.Result{Verdict: notify.Rejected, Err: err}
	}
	_, r := notify.PostJSON(ctx, n.o.Client, "Teams", c.URL.Reveal(), raw, nil)
	if r.Verdict == notify.Done {
		r.ID = t.Key
	}
	return r
}

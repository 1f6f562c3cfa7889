// Package discord renders messages as embeds and delivers them through Discord's REST API.
//
// It escapes every piece of provider text by Escape, keeps Discord's limits, sends a nonce that Discord itself
// de-duplicates for a few minutes, allows no mention but a chosen role's, and turns every answer into a verdict.
package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"downwind/notify"
	"downwind/secret"
)

const (
	// silentFlag asks for no notification.
	silentFlag = 1 << 12
	// archiveAfter is when an idle thread is folded away, in minutes.
	archiveAfter = 4320
	// maxPages bounds a look-up of 100 messages a page.
	maxPages = 10
	// epoch is the first millisecond of Discord's ids.
	epoch = 1420070400000
	// nonceWindow is how long we trust Discord to know a nonce again ("a few minutes").
	nonceWindow = 2 * time.Minute
)

// Options is what a Notifier needs.
type Options struct {
	// Token is the bot token, without "Bot ".
	Token secret.String
	// APIURL replaces "https://discord.com"; empty: the real one.
	APIURL string
	// Transport sends the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
}

// Notifier delivers to Discord. It is safe for concurrent use.
type Notifier struct {
	s      *discordgo.Session
	limits limits
}

// New makes a Notifier.
func New(o Options) (*Notifier, error) {
	n := &Notifier{}
	s, err := newSession(o.Token, o.APIURL, o.Transport, n.limits.note)
	if err != nil {
		return nil, err
	}
	n.s = s
	return n, nil
}

// Limits implements notify.Notifier. Discord tells its pace by headers only; old roots may be edited once a minute.
func (n *Notifier) Limits() notify.Limits {
	return notify.Limits{
		Edits: true, Threads: true, Lookup: true, Idempotent: nonceWindow, EditEvery: time.Minute, Timeout: timeout,
	}
}

// payload is a message as we send it; discordgo's own has no nonce.
type payload struct {
	Content         string                       `json:"content"`
	Embeds          []*discordgo.MessageEmbed    `json:"embeds"`
	Components      []discordgo.MessageComponent `json:"components"`
	AllowedMentions mentions                     `json:"allowed_mentions"`
	Nonce           string                       `json:"nonce,omitempty"`
	EnforceNonce    bool                         `json:"enforce_nonce,omitempty"`
	Flags           int                          `json:"flags,omitempty"`
	Reference       *reference                   `json:"message_reference,omitempty"`
}

// mentions says who may be notified: nobody but a chosen role.
type mentions struct {
	Parse []string `json:"parse"`
	Roles []string `json:"roles,omitempty"`
}

type reference struct {
	MessageID string `json:"message_id"`
	FailIfNot bool   `json:"fail_if_not_exists"`
}

// build makes the payload of a new message.
func build(m notify.Message, key string) payload {
	m.Delivery = key
	p := payload{
		Embeds: Embeds(m), Components: Components(m), AllowedMentions: mentions{Parse: []string{}},
		Nonce: key, EnforceNonce: key != "",
	}
	if m.Silent {
		p.Flags = silentFlag
	}
	if id := role(m.Mention); id != "" && !m.Silent {
		p.Content = "<@&" + id + ">"
		p.AllowedMentions.Roles = []string{id}
	}
	return p
}

// bare is the form of last resort: the plain text.
func bare(m notify.Message, key string) payload {
	p := build(notify.Message{Title: m.Title, Tone: m.Tone, Silent: m.Silent}, key)
	p.Content = Text(m)
	return p
}

// withheld is what is said when the server's filter blocks a message: nothing of the provider's, and no link.
func withheld(m notify.Message, key string) payload {
	return build(notify.Message{
		Tone: m.Tone, Silent: m.Silent, Title: "News of an incident, blocked by this server's filter",
		Blocks: []notify.Block{{Kind: notify.BlockText, Lines: [][]notify.Run{{{
			Text: "The provider's text was blocked by AutoMod or the link filter. An admin can exempt the app under Server Settings, AutoMod. The command /downwind status shows what is open.",
		}}}}},
	}, key)
}

// Post implements notify.Notifier.
func (n *Notifier) Post(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	return n.create(ctx, t.Destination.Channel, t.Key, m, nil)
}

// Reply implements notify.Notifier: into the root's thread, which is made when it does not exist. A reply with Broadcast
// is an answer to the root in the channel itself, because a thread notifies only those who follow it. Where no thread can
// be made, all replies go into the channel and Result.Thread says so.
func (n *Notifier) Reply(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	ref := &reference{MessageID: t.Root}
	channel := t.Destination.Channel
	// A root inside a collecting thread is answered there.
	if t.Thread != "" && t.Thread != t.Root && t.Thread != notify.InChannel {
		return n.create(ctx, t.Thread, t.Key, m, ref)
	}
	if m.Broadcast || t.Thread == notify.InChannel {
		r := n.create(ctx, channel, t.Key, m, ref)
		r.Thread = t.Thread
		return r
	}
	thread := t.Thread
	if thread == "" {
		var r notify.Result
		if thread, r = n.thread(ctx, channel, t.Root, m); r.Verdict != notify.Done {
			return r
		}
	}
	if thread != notify.InChannel {
		r := n.create(ctx, thread, t.Key, m, nil)
		r.Thread = thread
		if r.Verdict != notify.NoThread && !isUnknownChannel(r) {
			return r
		}
	}
	r := n.create(ctx, channel, t.Key, m, ref)
	r.Thread = notify.InChannel
	return r
}

// thread makes the root's thread and returns its id, or InChannel where none can be made.
func (n *Notifier) thread(ctx context.Context, channel, root string, m notify.Message) (string, notify.Result) {
	name := notify.Cut(notify.OneLine(m.Thread), 100)
	if name == "" {
		name = "Updates"
	}
	body := map[string]any{"name": name, "auto_archive_duration": archiveAfter}
	address := discordgo.EndpointChannelMessageThread(channel, root)
	_, r := n.do(ctx, "POST", address, body, "thread/"+channel)
	switch code(r) {
	case 0:
		if r.Verdict == notify.Unclear {
			r.Verdict = notify.NotSent
		}
		return root, r
	case 160004: // made before
		return root, notify.Result{}
	case 50001, 50013, 50024, 50083, 160005, 160006, 50035:
		return notify.InChannel, notify.Result{}
	}
	return root, r
}

// create posts a message in the largest form that Discord takes.
func (n *Notifier) create(ctx context.Context, channel, key string, m notify.Message, ref *reference) notify.Result {
	address := discordgo.EndpointChannelMessages(channel)
	return n.forms(m, key, func(p payload) ([]byte, notify.Result) {
		p.Reference = ref
		return n.do(ctx, "POST", address, p, "post/"+channel)
	})
}

// forms tries one form after the other.
func (n *Notifier) forms(m notify.Message, key string, send func(payload) ([]byte, notify.Result)) notify.Result {
	var r notify.Result
	for _, p := range []payload{build(m, key), build(notify.Compact(m), key), bare(m, key)} {
		var body []byte
		body, r = send(p)
		if c := code(r); c == 200000 || c == 240000 {
			reason := r.Reason
			if body, r = send(withheld(m, key)); r.Verdict == notify.Done {
				r.Reason = reason
			}
		}
		if r.Verdict == notify.Done {
			var made struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(body, &made); err != nil || made.ID == "" {
				return notify.Result{Verdict: notify.Unclear, Err: fmt.Errorf("discord's answer holds no id")}
			}
			r.ID = made.ID
			return r
		}
		if r.Verdict != notify.Rejected {
			return r
		}
	}
	return r
}

// Edit implements notify.Notifier.
func (n *Notifier) Edit(ctx context.Context, t notify.Target, m notify.Message) notify.Result {
	m.Mention, m.Silent = "", false
	channel := t.Destination.Channel
	if t.Thread != "" && t.Thread != t.Root && t.Thread != notify.InChannel {
		channel = t.Thread
	}
	address := discordgo.EndpointChannelMessage(channel, t.Root)
	return n.forms(m, t.Key, func(p payload) ([]byte, notify.Result) {
		p.Nonce, p.EnforceNonce = "", false
		return n.do(ctx, "PATCH", address, p, "edit/"+channel)
	})
}

// do sends one request and judges the answer.
func (n *Notifier) do(ctx context.Context, method, address string, body any, route string) ([]byte, notify.Result) {
	if r, over := notify.Expired(ctx); over {
		return nil, r
	}
	if d := n.limits.wait(route); d > 0 {
		return nil, notify.Result{Verdict: notify.Wait, RetryAfter: d, Err: fmt.Errorf("discord's bucket %s is used up", route)}
	}
	out, err := n.s.RequestWithBucketID(method, address, body, route, discordgo.WithContext(withRoute(ctx, route)))
	if err != nil {
		r := judge(err)
		// An answer 429 without Discord's own body, from the edge in front of it.
		if d := n.limits.wait(route); d > 0 && r.Verdict == notify.Unclear {
			r.Verdict, r.RetryAfter = notify.Wait, d
		}
		return nil, r
	}
	return out, notify.Result{Verdict: notify.Done}
}

// snowflake is the least id of a message made at an instant.
func snowflake(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10)
}

// Find implements notify.Notifier by the key in the footer of our embeds.
func (n *Notifier) Find(ctx context.Context, t notify.Target) notify.Result {
	places := []string{t.Destination.Channel}
	switch {
	case t.Thread != "" && t.Thread != notify.InChannel:
		places = append(places, t.Thread)
	case t.Root != "" && t.Thread == "":
		places = append(places, t.Root)
	}
	for i, place := range places {
		r := n.findIn(ctx, place, t)
		if i > 0 && isUnknownChannel(r) {
			continue
		}
		if r.Verdict != notify.Done || r.ID != "" {
			if i > 0 {
				r.Thread = place
			}
			return r
		}
	}
	return notify.Result{Verdict: notify.Done}
}

func (n *Notifier) findIn(ctx context.Context, channel string, t notify.Target) notify.Result {
	after := "0"
	if !t.FirstTry.IsZero() {
		after = snowflake(t.FirstTry.Add(-5 * time.Second))
	}
	for range maxPages {
		q := url.Values{"after": {after}, "limit": {"100"}}
		body, r := n.do(ctx, "GET", discordgo.EndpointChannelMessages(channel)+"?"+q.Encode(), nil, "list/"+channel)
		if r.Verdict != notify.Done {
			switch r.Verdict {
			case notify.NotSent, notify.RootGone, notify.Rejected, notify.NoThread:
				r.Verdict = notify.Unclear
			}
			return r
		}
		var page []struct {
			ID     string `json:"id"`
			Nonce  any    `json:"nonce"`
			Embeds []struct {
				Footer struct {
					Text string `json:"text"`
				} `json:"footer"`
			} `json:"embeds"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return notify.Result{Verdict: notify.Unclear, Err: fmt.Errorf("list messages: %w", err)}
		}
		newest := after
		for _, m := range page {
			if s, ok := m.Nonce.(string); ok && s == t.Key {
				return notify.Result{Verdict: notify.Done, ID: m.ID}
			}
			for _, e := range m.Embeds {
				if strings.HasSuffix(e.Footer.Text, t.Key) {
					return notify.Result{Verdict: notify.Done, ID: m.ID}
				}
			}
			if len(m.ID) > len(newest) || len(m.ID) == len(newest) && m.ID > newest {
				newest = m.ID
			}
		}
		if len(page) < 100 {
			return notify.Result{Verdict: notify.Done}
		}
		after = newest
	}
	return notify.Result{Verdict: notify.Unclear, Err: fmt.Errorf("look-up stopped after %d pages", maxPages)}
}

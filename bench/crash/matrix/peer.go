//go:build unix

package matrix

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"downwind"
	"downwind/deliver/delivertest"
	"downwind/deliver/punctual"
	"downwind/notify"
	"downwind/notify/discord"
	"downwind/notify/discord/discordtest"
	"downwind/notify/notifytest"
	"downwind/notify/slack"
	"downwind/notify/slack/slacktest"
	"downwind/secret"
)

// A peer is the platform that the children deliver to.
type peer struct {
	url, token string
	// messages are all that are or were visible, in the order of acceptance.
	messages func() []delivertest.Message
	calls    func() map[string]int
	close    func()
}

// bare is the peer that knows nothing but the contract; base is where the parent serves it.
func bare(s *delivertest.Server, base string) peer {
	return peer{url: base + "/platform", messages: s.Messages, calls: s.Calls, close: func() {}}
}

// slowFor is how long a slow request of the fakes takes, waitFor what they ask for when they answer 429.
const (
	slowFor = 400 * time.Millisecond
	waitFor = 300 * time.Millisecond
)

// slackPeer is the fake Slack, which the real client drives.
func slackPeer(cfg Config) peer {
	var channels []slacktest.Channel
	for n := range cfg.Channels {
		channels = append(channels, slacktest.Channel{ID: channel(cfg.Platform, n).Channel, Name: fmt.Sprint("ops", n)})
	}
	faults := notifytest.NewPlan(cfg.Seed, notifytest.Storm("", slowFor, waitFor)...)
	s := slacktest.New(slacktest.Options{Channels: channels, Faults: faults})
	return peer{
		url: s.URL(), token: s.Token(), close: s.Close, calls: func() map[string]int {
			return struck(faults, map[string]int{
				"post": len(s.Calls("chat.postMessage")), "edit": len(s.Calls("chat.update")), "find": len(s.Calls("conversations.")),
			})
		},
		messages: func() []delivertest.Message {
			var out []delivertest.Message
			for _, m := range s.Messages("") {
				first := m.Text
				if len(m.Edits) > 0 {
					first = m.Edits[0].Text
				}
				out = append(out, told(cfg.Platform, first, m.Text))
			}
			return out
		},
	}
}

// discordPeer is the fake Discord. It forgets nonces at once, so that the look-up has to carry the weight.
func discordPeer(cfg Config) peer {
	var channels []discordtest.Channel
	for n := range cfg.Channels {
		channels = append(channels, discordtest.Channel{ID: channel(cfg.Platform, n).Channel, Name: fmt.Sprint("ops", n), Guild: "99"})
	}
	faults := notifytest.NewPlan(cfg.Seed, notifytest.Storm("", slowFor, waitFor)...)
	s := discordtest.New(discordtest.Options{Channels: channels, Faults: faults, NonceWindow: time.Nanosecond})
	return peer{
		url: s.URL(), token: s.Token(), close: s.Close, calls: func() map[string]int {
			return struck(faults, map[string]int{"post": len(s.Calls("POST ")), "edit": len(s.Calls("PATCH ")), "find": len(s.Calls("GET "))})
		},
		messages: func() []delivertest.Message {
			var out []delivertest.Message
			for _, m := range s.Messages("") {
				first := m.Visible()
				if len(m.Edits) > 0 {
					first = discordtest.Message{Content: m.Edits[0].Content, Embeds: m.Edits[0].Embeds}.Visible()
				}
				out = append(out, told(cfg.Platform, first, m.Visible()))
			}
			return out
		},
	}
}

func struck(p *notifytest.Plan, calls map[string]int) map[string]int {
	for name, f := range map[string]notifytest.Fault{
		"fault 429": notifytest.RateLimit, "fault 500": notifytest.ErrorBefore, "fault slow": notifytest.Slow, "fault lost": notifytest.LostAnswer,
		"fault 503 after": notifytest.ErrorAfter,
	} {
		calls[name] = p.Struck(f)
	}
	return calls
}

// notifier is the one that a child uses for the platform.
func (c childConfig) notifier() (notify.Notifier, error) {
	transport := punctual.Transport(nil)
	var n notify.Notifier
	var err error
	switch c.PlatformName {
	case downwind.PlatformSlack:
		n = slack.New(slack.Options{Token: secret.New(c.Token), APIURL: c.Platform, Client: &http.Client{Transport: transport, Timeout: c.Timeout}})
	case downwind.PlatformDiscord:
		n, err = discord.New(discord.Options{Token: secret.New(c.Token), APIURL: c.Platform, Transport: transport})
	}
	return swift{n, c.Timeout}, err
}

// swift is a notifier without its platform's pace, which would stretch a run over hours, and without its nonces.
type swift struct {
	notify.Notifier
	timeout time.Duration
}

// Limits implements notify.Notifier.
func (s swift) Limits() notify.Limits {
	l := s.Notifier.Limits()
	l.PerChannel, l.EditEvery, l.Idempotent, l.Timeout = 0, 0, 0, s.timeout
	return l
}

// compose says in words that no platform's escaping touches which message it is: "C5 i12 root v3".
func compose(d downwind.Delivery, p downwind.Part) notify.Message {
	said := delivertest.Compose(d, p).Text
	role := strings.Split(strings.TrimPrefix(said, d.ID+"|"), "|")[0]
	id := d.Destination[strings.LastIndexByte(d.Destination, ':')+1:]
	text := strings.Join([]string{id, p.Alert.Incident.ID, role, p.Alert.Incident.Title}, " ")
	return notify.Message{Title: text, Text: text, Incident: d.Incident, Kind: string(p.Alert.Kind), Thread: text}
}

var saying = regexp.MustCompile(`([A-Z0-9]+) (i[0-9]+) (root|reply|continued) (v[0-9]+)`)

// told is a message of a fake as the check reads it.
func told(platform, first, now string) delivertest.Message {
	as := func(text string) string {
		m := saying.FindStringSubmatch(text)
		if m == nil {
			return text
		}
		return channelID(platform, m[1]) + "|lumen/" + m[2] + "|" + m[3] + "|" + m[4]
	}
	return delivertest.Message{First: as(first), Text: as(now)}
}

func channelID(platform, id string) string {
	workspace := map[string]string{downwind.PlatformSlack: "T01", downwind.PlatformDiscord: "99"}[platform]
	return cmp.Or(platform, "fake") + ":" + cmp.Or(workspace, "W") + ":" + id
}

// channel is the n-th channel of a run.
func channel(platform string, n int) downwind.Destination {
	id := fmt.Sprintf("C%d", n)
	if platform == downwind.PlatformDiscord {
		id = fmt.Sprint(1001 + n)
	}
	d := downwind.Destination{ID: channelID(platform, id), Channel: id, Team: "crash"}
	parts := strings.Split(d.ID, ":")
	d.Platform, d.Workspace = parts[0], parts[1]
	return d
}

// Package discordtest is a fake Discord for tests: it speaks the REST API and the gateway over loopback, so that the
// real client library drives it, injects faults by a plan, refuses what Discord would refuse, knows nonces again, and
// shows what a person would see in each channel.
//
//	d := discordtest.New(discordtest.Options{})
//	defer d.Close()
//	n, err := discord.New(discord.Options{Token: secret.New(d.Token()), APIURL: d.URL()})
//	…
//	err = d.Wait(ctx, func() bool { return len(d.Roots("1001")) == 1 })
//
// It needs no *testing.T and may run in a process of its own. Every message has a snowflake of its own, rising with time.
package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"downwind/notify/notifytest"
)

// Options sets up a fake. The zero value is a guild 99 with the text channel 1001.
type Options struct {
	// Token is the only bot token accepted; empty: "test-token".
	Token string
	// Application is the application's id; empty: "777".
	Application string
	// Guilds are those that the bot is in; nil: 99.
	Guilds []string
	// Channels are those that exist; nil: 1001 "ops" in the first guild.
	Channels []Channel
	// Faults is the plan of faults; nil: none. Methods are written "POST /channels/1001/messages".
	Faults *notifytest.Plan
	// Now gives the time of messages; nil: the wall clock.
	Now func() time.Time
	// NonceWindow is how long a nonce is known; zero: 5 minutes.
	NonceWindow time.Duration
	// Remaining, where set, is the limit of messages per channel and ResetAfter that the headers tell.
	Remaining  int
	ResetAfter time.Duration
}

// A Channel is a text channel or thread that exists.
type Channel struct {
	ID, Name, Guild string
	// Parent is set for threads: the channel they hang in.
	Parent string
	// Denied makes every request fail with 50001, NoThreads every thread with 50013.
	Denied, NoThreads bool
	// Lacking are permissions (bits) that the bot has not got there; Discord tells them in the channel's overwrites.
	Lacking int64
	// Archived and Locked are for threads.
	Archived, Locked bool
}

// A Message is one message as it stands, with all earlier forms.
type Message struct {
	ID, Channel string
	// ReplyTo is the message that it answers in the channel, empty for none.
	ReplyTo    string
	Content    string
	Embeds     json.RawMessage
	Components json.RawMessage
	Nonce      string
	Flags      int
	// Mentioned are the roles and users that were really notified; "everyone" for all.
	Mentioned    []string
	At, EditedAt time.Time
	Edits        []Form
	Deleted      bool
}

// A Form is an earlier text of a message.
type Form struct {
	Content            string
	Embeds, Components json.RawMessage
}

// Silent reports whether it was sent without a notification.
func (m Message) Silent() bool { return m.Flags&(1<<12) != 0 }

// Visible is all that a person reads in the message: content, then of each embed title, description, fields and footer.
func (m Message) Visible() string { return visible(m.Content, m.Embeds) }

func visible(content string, raw json.RawMessage) string {
	var embeds []struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Fields      []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"fields"`
		Footer struct {
			Text string `json:"text"`
		} `json:"footer"`
	}
	_ = json.Unmarshal(raw, &embeds)
	out := []string{content}
	for _, e := range embeds {
		out = append(out, e.Title, e.Description)
		for _, f := range e.Fields {
			out = append(out, f.Name, f.Value)
		}
		out = append(out, e.Footer.Text)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// A Call is one request that reached the fake, accepted or not.
type Call struct {
	// Method is "POST /channels/1001/messages", without the version prefix and the query.
	Method, Channel string
	Body            []byte
	At              time.Time
	Fault           notifytest.Fault
	// Code is Discord's code of a refusal, 0 when accepted.
	Code int
}

// Server is a running fake.
type Server struct {
	o    Options
	http *httptest.Server

	mu           sync.Mutex
	changed      chan struct{}
	messages     []*Message
	channels     map[string]*Channel
	nonces       map[string]*Message
	calls        []Call
	lastID       int64
	problems     []string
	gateways     []*gateway
	interactions map[string]*Interaction
	commands     map[string]json.RawMessage
	attachments  map[string]attachment
	nextID       int64
	buckets      map[string]*bucket
	revoked      bool
}

// New starts a fake. Close stops it.
func New(o Options) *Server {
	if o.Token == "" {
		o.Token = "test-token"
	}
	if o.Application == "" {
		o.Application = "777"
	}
	if o.Guilds == nil {
		o.Guilds = []string{"99"}
	}
	if o.Channels == nil {
		o.Channels = []Channel{{ID: "1001", Name: "ops", Guild: o.Guilds[0]}}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NonceWindow == 0 {
		o.NonceWindow = 5 * time.Minute
	}
	s := &Server{
		o: o, changed: make(chan struct{}), channels: map[string]*Channel{}, nonces: map[string]*Message{},
		interactions: map[string]*Interaction{}, commands: map[string]json.RawMessage{}, attachments: map[string]attachment{},
		buckets: map[string]*bucket{}, nextID: 5000,
	}
	for i := range o.Channels {
		c := o.Channels[i]
		if c.Guild == "" {
			c.Guild = o.Guilds[0]
		}
		s.channels[c.ID] = &c
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{version}/{rest...}", s.serveAPI)
	mux.HandleFunc("/gateway/", s.serveGateway)
	mux.HandleFunc("/attachments/{id}/{name}", s.serveAttachment)
	s.http = httptest.NewServer(mux)
	return s
}

// URL is the address to use in place of https://discord.com.
func (s *Server) URL() string { return s.http.URL }

// Token is the bot token it accepts, without "Bot ".
func (s *Server) Token() string { return s.o.Token }

// Application is the application's id.
func (s *Server) Application() string { return s.o.Application }

// Close stops the fake and all its connections.
func (s *Server) Close() {
	s.CutGateways()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Wait returns when cond holds. It is asked again after everything that happens; cond may call the fake's methods.
func (s *Server) Wait(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		ch := s.changed
		s.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return fmt.Errorf("discordtest: waited in vain: %w", ctx.Err())
		}
	}
}

// signal wakes those who wait; s.mu is held.
func (s *Server) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) filter(keep func(*Message) bool) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.messages {
		if !m.Deleted && keep(m) {
			c := *m
			c.Edits = slices.Clone(m.Edits)
			out = append(out, c)
		}
	}
	return out
}

// Messages are all messages of a channel or thread in the order of acceptance; an empty channel means all of them.
func (s *Server) Messages(channel string) []Message {
	return s.filter(func(m *Message) bool { return channel == "" || m.Channel == channel })
}

// Roots are the messages of a channel that answer no other.
func (s *Server) Roots(channel string) []Message {
	return s.filter(func(m *Message) bool { return m.Channel == channel && m.ReplyTo == "" })
}

// Thread are all replies to a root in the order of acceptance: those in its thread and the answers to it in the channel.
func (s *Server) Thread(root string) []Message {
	return s.filter(func(m *Message) bool { return m.Channel == root || m.ReplyTo == root })
}

// Calls are all requests so far whose method begins with the given words ("POST /channels/1001/messages").
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if strings.HasPrefix(c.Method, method) {
			out = append(out, c)
		}
	}
	return out
}

// Problems are the faults of the sender so far: payloads that Discord would refuse, missing guards against mentions. A
// good sender leaves none.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

func (s *Server) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// snowflake gives an id that nothing else has; s.mu is held.
func (s *Server) snowflake() (string, time.Time) {
	now := s.o.Now()
	id := (now.UnixMilli() - 1420070400000) << 22
	if id <= s.lastID {
		id = s.lastID + 1
	}
	s.lastID = id
	return strconv.FormatInt(id, 10), now
}

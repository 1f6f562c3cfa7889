// Package slacktest is a fake Slack for tests: it speaks the Web API, Socket Mode and response_url over loopback, so
// that the real client library drives it, injects faults by a plan, refuses what Slack would refuse, and shows what a
// person would see in each channel.
//
//	s := slacktest.New(slacktest.Options{})
//	defer s.Close()
//	n := slack.New(slack.Options{Token: secret.New(s.Token()), APIURL: s.URL()})
//	…
//	err := s.Wait(ctx, func() bool { return len(s.Roots("C012")) == 1 })
//
// It needs no *testing.T and may run in a process of its own. Every message has a ts of its own, rising with time.
package slacktest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"downwind/notify/notifytest"
)

// Options sets up a fake workspace. The zero value is a workspace T01 with the channel C012 and all scopes.
type Options struct {
	// Token and AppToken are the only ones accepted; empty: "xoxb-test-token" and "xapp-test-token".
	Token, AppToken string
	// Tokens maps further bot tokens to their workspaces ("T02"), for installs in several of them.
	Tokens map[string]string
	// Team is the workspace; empty: "T01".
	Team string
	// Channels are those that exist; nil: C012 "ops" with us in it.
	Channels []Channel
	// Users are those that users.info knows; others are found as ordinary members.
	Users []User
	// MissingScopes are refused with missing_scope: "channels:history", "channels:read", "users:read", "files:read".
	MissingScopes []string
	// Faults is the plan of faults; nil: none.
	Faults *notifytest.Plan
	// Now gives the time of messages; nil: the wall clock.
	Now func() time.Time
	// PageSize bounds one answer of conversations.history whatever is asked; zero: 200.
	PageSize int
}

// A Channel is a conversation that exists.
type Channel struct {
	ID, Name string
	// Team is its workspace; empty: the first.
	Team                        string
	Private, Archived, Outsider bool
}

// A User is a member.
type User struct {
	ID, Name      string
	Guest, Admin  bool
	TimezoneLabel string
}

// A Message is one message as it stands, with all earlier forms.
type Message struct {
	Channel, TS string
	// ThreadTS is the root's ts for replies; Broadcast says that the reply shows in the channel too.
	ThreadTS  string
	Broadcast bool
	Text      string
	Blocks    json.RawMessage
	// Metadata is what the sender attached.
	Metadata Metadata
	// To is set for ephemeral messages: the only reader.
	To string
	// At is when it was accepted; EditedAt when it was last changed, zero: never.
	At, EditedAt time.Time
	// Edits are the earlier forms, oldest first.
	Edits []Form
	// Deleted says that a person deleted it.
	Deleted bool
	// Team is the workspace of the token that sent it.
	Team string
}

// A Form is an earlier text of a message.
type Form struct {
	Text   string
	Blocks json.RawMessage
}

// Metadata rides along with a message.
type Metadata struct {
	EventType    string         `json:"event_type"`
	EventPayload map[string]any `json:"event_payload"`
}

// Delivery is the key in the metadata, empty without one.
func (m Message) Delivery() string {
	s, _ := m.Metadata.EventPayload["delivery"].(string)
	return s
}

// Visible is all that a person reads in the message: the texts of its blocks, in order, and the plain text.
func (m Message) Visible() string {
	var v any
	var out []string
	if json.Unmarshal(m.Blocks, &v) == nil {
		collect(v, &out)
	}
	return strings.Join(append(out, m.Text), "\n")
}

// collect gathers all "text" strings of a JSON value in document order.
func collect(v any, out *[]string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collect(e, out)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if s, ok := v[k].(string); ok {
				if k == "text" {
					*out = append(*out, s)
				}
				continue
			}
			collect(v[k], out)
		}
	}
}

// A Call is one request that reached the fake, accepted or not.
type Call struct {
	Method, Channel string
	Form            url.Values
	At              time.Time
	// Fault is the one that struck it, empty for none; Error is Slack's word for the refusal.
	Fault notifytest.Fault
	Error string
}

// Server is a running fake.
type Server struct {
	o    Options
	http *httptest.Server

	mu       sync.Mutex
	changed  chan struct{}
	messages []*Message
	calls    []Call
	lastTS   int64
	views    []View
	answers  map[string][]Answer
	files    map[string]File
	sockets  []*socket
	acks     map[string]chan json.RawMessage
	problems []string
	nextID   int
	archived map[string]bool
	revoked  bool
	handlers map[string]func(url.Values) any
}

// New starts a fake. Close stops it.
func New(o Options) *Server {
	if o.Token == "" {
		o.Token = "xoxb-test-token"
	}
	if o.AppToken == "" {
		o.AppToken = "xapp-test-token"
	}
	if o.Team == "" {
		o.Team = "T01"
	}
	if o.Channels == nil {
		o.Channels = []Channel{{ID: "C012", Name: "ops"}}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PageSize == 0 {
		o.PageSize = 200
	}
	s := &Server{
		o: o, changed: make(chan struct{}), answers: map[string][]Answer{}, files: map[string]File{},
		acks: map[string]chan json.RawMessage{}, archived: map[string]bool{}, handlers: map[string]func(url.Values) any{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveAPI)
	mux.HandleFunc("/response/{id}", s.serveResponse)
	mux.HandleFunc("/files/{id}/{name}", s.serveFile)
	mux.HandleFunc("/socket", s.serveSocket)
	s.http = httptest.NewServer(mux)
	return s
}

// URL is the address for slack-go's OptionAPIURL, with its final slash.
func (s *Server) URL() string { return s.http.URL + "/api/" }

// Token is the bot token it accepts; AppToken the one for Socket Mode.
func (s *Server) Token() string { return s.o.Token }

// AppToken is the app-level token it accepts.
func (s *Server) AppToken() string { return s.o.AppToken }

// Faults is the plan of faults, nil without one.
func (s *Server) Faults() *notifytest.Plan { return s.o.Faults }

// Close stops the fake and all its connections.
func (s *Server) Close() {
	s.mu.Lock()
	for _, c := range s.sockets {
		_ = c.conn.Close()
	}
	s.sockets = nil
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Archive archives a channel or brings it back.
func (s *Server) Archive(channel string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archived[channel] = on
}

// Delete deletes a message as a person would.
func (s *Server) Delete(channel, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.find(channel, ts); m != nil {
		m.Deleted = true
	}
	s.signal()
}

// Handle answers a method that the fake does not know, or replaces one. The answer is written as JSON with "ok": true
// unless it says otherwise.
func (s *Server) Handle(method string, f func(url.Values) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[method] = f
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
			return fmt.Errorf("slacktest: waited in vain: %w", ctx.Err())
		}
	}
}

// signal wakes those who wait; s.mu is held.
func (s *Server) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) find(channel, ts string) *Message {
	for _, m := range s.messages {
		if m.Channel == channel && m.TS == ts {
			return m
		}
	}
	return nil
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

// Messages are all messages of a channel in the order of acceptance, replies included; an empty channel means all channels.
func (s *Server) Messages(channel string) []Message {
	return s.filter(func(m *Message) bool { return m.To == "" && (channel == "" || m.Channel == channel) })
}

// Roots are the messages of a channel that stand outside threads.
func (s *Server) Roots(channel string) []Message {
	return s.filter(func(m *Message) bool { return m.To == "" && m.Channel == channel && m.ThreadTS == "" })
}

// Thread are the replies to a root.
func (s *Server) Thread(channel, root string) []Message {
	return s.filter(func(m *Message) bool { return m.To == "" && m.Channel == channel && m.ThreadTS == root })
}

// Calls are all requests so far whose method begins with the given name.
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

// Problems are the faults of the sender so far: payloads that Slack would refuse or cut, missing arguments, live
// mentions. A good sender leaves none.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

func (s *Server) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

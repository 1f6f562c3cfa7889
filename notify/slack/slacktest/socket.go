package slacktest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// socket is one Socket Mode connection.
type socket struct {
	conn *websocket.Conn
	mu   sync.Mutex
}

func (c *socket) write(v any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn.WriteJSON(v)
}

func (c *socket) ping() error {
	return c.conn.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second))
}

// pingEvery keeps the client from thinking that the connection is dead.
const pingEvery = 5 * time.Second

// serveSocket is a Socket Mode connection: hello, then envelopes out and acknowledgements in.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &socket{conn: conn}
	hello := map[string]any{
		"type": "hello", "num_connections": 1, "connection_info": map[string]any{"app_id": "A0APP"},
		"debug_info": map[string]any{"host": "slacktest", "approximate_connection_time": 3600},
	}
	if c.write(hello) != nil {
		return
	}
	s.mu.Lock()
	s.sockets = append(s.sockets, c)
	s.signal()
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(pingEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if c.ping() != nil {
					return
				}
			}
		}
	}()
	defer close(done)
	for {
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := conn.ReadJSON(&ack); err != nil {
			s.drop(c)
			return
		}
		s.mu.Lock()
		ch := s.acks[ack.EnvelopeID]
		delete(s.acks, ack.EnvelopeID)
		s.mu.Unlock()
		if ch != nil {
			ch <- ack.Payload
		}
	}
}

func (s *Server) drop(c *socket) {
	_ = c.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.sockets {
		if o == c {
			s.sockets = append(s.sockets[:i], s.sockets[i+1:]...)
			break
		}
	}
	s.signal()
}

// Connected counts the open Socket Mode connections.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}

// Send sends an envelope over Socket Mode (kind "slash_commands", "interactive" or "events_api"), waits for a connection
// and for the acknowledgement, and returns what it carried. Slack allows three seconds: set them in the context.
func (s *Server) Send(ctx context.Context, kind string, payload any) (json.RawMessage, error) {
	if err := s.Wait(ctx, func() bool { return s.Connected() > 0 }); err != nil {
		return nil, fmt.Errorf("no Socket Mode connection: %w", err)
	}
	s.mu.Lock()
	s.nextID++
	id := fmt.Sprintf("env-%d", s.nextID)
	ch := make(chan json.RawMessage, 1)
	s.acks[id] = ch
	var c *socket
	if n := len(s.sockets); n > 0 {
		c = s.sockets[n-1]
	}
	s.mu.Unlock()
	if c == nil {
		return nil, errors.New("the Socket Mode connection is gone")
	}
	err := c.write(map[string]any{
		"envelope_id": id, "type": kind, "payload": payload, "accepts_response_payload": kind != "events_api",
	})
	if err != nil {
		return nil, err
	}
	select {
	case p := <-ch:
		return p, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("envelope %s (%s) was not acknowledged: %w", id, kind, ctx.Err())
	}
}

// A Command is a slash command typed by a user. Zero fields become C012, U0USER, T01 and /feed.
type Command struct{ Command, Text, Channel, User, Team string }

// An Exchange is a command or click with the place where later answers arrive.
type Exchange struct {
	// Ack is the payload of the acknowledgement: the first answer, if any.
	Ack json.RawMessage
	// ID names the response_url; see Answers.
	ID string
}

// Form is the command as form fields with a fresh response_url, whose id is returned too.
func (s *Server) Form(c Command) (url.Values, string) {
	c = c.filled(s.o.Team)
	id, address := s.responseURL()
	return url.Values{
		"team_id": {c.Team}, "team_domain": {"test"}, "channel_id": {c.Channel}, "channel_name": {"ops"}, "user_id": {c.User},
		"user_name": {"ana"}, "command": {c.Command}, "text": {c.Text}, "response_url": {address}, "api_app_id": {"A0APP"},
		"trigger_id": {"trigger." + id}, "is_enterprise_install": {"false"},
	}, id
}

func (c Command) filled(team string) Command {
	if c.Command == "" {
		c.Command = "/feed"
	}
	if c.Channel == "" {
		c.Channel = "C012"
	}
	if c.User == "" {
		c.User = "U0USER"
	}
	if c.Team == "" {
		c.Team = team
	}
	return c
}

// Command types a slash command over Socket Mode and waits for the acknowledgement.
func (s *Server) Command(ctx context.Context, c Command) (Exchange, error) {
	form, id := s.Form(c)
	payload := map[string]any{}
	for k := range form {
		payload[k] = form.Get(k)
	}
	ack, err := s.Send(ctx, "slash_commands", payload)
	return Exchange{Ack: ack, ID: id}, err
}

// A Click presses a button of a message. Zero User and Team become U0USER and T01.
type Click struct {
	// Message is the message that holds the button.
	Message Message
	// ActionID and Value are the button's.
	ActionID, Value string
	User, Team      string
}

// Click presses a button over Socket Mode and waits for the acknowledgement.
func (s *Server) Click(ctx context.Context, c Click) (Exchange, error) {
	payload, id := s.ClickPayload(c)
	ack, err := s.Send(ctx, "interactive", payload)
	return Exchange{Ack: ack, ID: id}, err
}

// ClickPayload is the block_actions payload of a click, with a fresh response_url whose id is returned too.
func (s *Server) ClickPayload(c Click) (map[string]any, string) {
	if c.User == "" {
		c.User = "U0USER"
	}
	if c.Team == "" {
		c.Team = s.o.Team
	}
	id, address := s.responseURL()
	return map[string]any{
		"type": "block_actions", "api_app_id": "A0APP", "token": "old", "trigger_id": "trigger." + id, "response_url": address,
		"team": map[string]any{"id": c.Team}, "user": map[string]any{"id": c.User, "username": "ana", "name": "ana", "team_id": c.Team},
		"channel":   map[string]any{"id": c.Message.Channel, "name": "ops"},
		"container": map[string]any{"type": "message", "message_ts": c.Message.TS, "channel_id": c.Message.Channel, "thread_ts": c.Message.ThreadTS},
		"message":   map[string]any{"type": "message", "ts": c.Message.TS, "thread_ts": c.Message.ThreadTS, "text": c.Message.Text},
		"actions": []any{map[string]any{
			"type": "button", "action_id": c.ActionID, "block_id": "b1", "value": c.Value, "action_ts": c.Message.TS,
			"text": map[string]any{"type": "plain_text", "text": "button"},
		}},
	}, id
}

// Event delivers an event ("app_home_opened", "message", …) over Socket Mode as an event_callback.
func (s *Server) Event(ctx context.Context, event map[string]any) error {
	s.mu.Lock()
	s.nextID++
	id := fmt.Sprintf("Ev%06d", s.nextID)
	s.mu.Unlock()
	_, err := s.Send(ctx, "events_api", map[string]any{
		"type": "event_callback", "team_id": s.o.Team, "api_app_id": "A0APP", "event_id": id, "event_time": s.o.Now().Unix(), "event": event,
	})
	return err
}

// Sign makes a request as Slack sends it in HTTP mode: form or JSON body with timestamp and signature.
func Sign(ctx context.Context, address, signingSecret, contentType string, body []byte, at time.Time) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	ts := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(signingSecret))
	fmt.Fprintf(mac, "v0:%s:%s", ts, body)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-Slack-Request-Timestamp", ts)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return req, nil
}

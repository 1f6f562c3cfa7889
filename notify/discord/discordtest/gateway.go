package discordtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// gateway is one connection of a bot.
type gateway struct {
	conn  *websocket.Conn
	mu    sync.Mutex
	seq   int64
	ready bool
}

func (g *gateway) write(op int, kind string, data any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := map[string]any{"op": op, "d": data, "t": nil, "s": nil}
	if op == 0 {
		g.seq++
		m["t"], m["s"] = kind, g.seq
	}
	return g.conn.WriteJSON(m)
}

// serveGateway speaks the gateway: HELLO, IDENTIFY or RESUME, READY, heartbeats.
func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	g := &gateway{conn: conn}
	if g.write(10, "", map[string]any{"heartbeat_interval": 5000}) != nil {
		return
	}
	s.mu.Lock()
	s.gateways = append(s.gateways, g)
	s.mu.Unlock()
	defer s.leave(g)
	for {
		var in struct {
			Op   int `json:"op"`
			Data struct {
				Token   string `json:"token"`
				Intents int    `json:"intents"`
			} `json:"d"`
		}
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		// A heartbeat's data is a number: only its op is read.
		if err := json.Unmarshal(raw, &in); err != nil && in.Op == 0 {
			continue
		}
		switch in.Op {
		case 1:
			if g.write(11, "", nil) != nil {
				return
			}
		case 2, 6:
			if in.Data.Token != "Bot "+s.o.Token {
				g.mu.Lock()
				_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(4004, "Authentication failed."))
				g.mu.Unlock()
				return
			}
			if in.Op == 2 && in.Data.Intents != 1 {
				s.mu.Lock()
				s.problem("gateway intents %d, want GUILDS (1) only", in.Data.Intents)
				s.mu.Unlock()
			}
			if s.welcome(g, in.Op == 6) != nil {
				return
			}
		}
	}
}

func (s *Server) welcome(g *gateway, resumed bool) error {
	if resumed {
		if err := g.write(0, "RESUMED", map[string]any{}); err != nil {
			return err
		}
	} else {
		guilds := []any{}
		for _, id := range s.o.Guilds {
			guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
		}
		err := g.write(0, "READY", map[string]any{
			"v": 9, "session_id": "sess1", "guilds": guilds, "resume_gateway_url": "ws" + s.http.URL[len("http"):] + "/gateway/",
			"user":        map[string]any{"id": s.o.Application, "username": "downwind", "bot": true},
			"application": map[string]any{"id": s.o.Application, "flags": 0},
		})
		if err != nil {
			return err
		}
		for _, id := range s.o.Guilds {
			if err := g.write(0, "GUILD_CREATE", map[string]any{"id": id, "name": "Guild " + id, "channels": []any{}, "members": []any{}, "roles": []any{}}); err != nil {
				return err
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.ready = true
	s.signal()
	return nil
}

func (s *Server) leave(g *gateway) {
	_ = g.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.gateways {
		if o == g {
			s.gateways = append(s.gateways[:i], s.gateways[i+1:]...)
			break
		}
	}
	s.signal()
}

// Connected counts the bots that are ready on the gateway.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, g := range s.gateways {
		if g.ready {
			n++
		}
	}
	return n
}

// CutGateways closes all gateway connections; a good client comes back.
func (s *Server) CutGateways() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gateways {
		_ = g.conn.Close()
	}
}

// Dispatch sends an event to the newest ready bot, waiting for one.
func (s *Server) Dispatch(ctx context.Context, kind string, data any) error {
	if err := s.Wait(ctx, func() bool { return s.Connected() > 0 }); err != nil {
		return fmt.Errorf("no gateway connection: %w", err)
	}
	s.mu.Lock()
	var g *gateway
	for _, o := range s.gateways {
		if o.ready {
			g = o
		}
	}
	s.mu.Unlock()
	if g == nil {
		return errors.New("the gateway connection is gone")
	}
	return g.write(0, kind, data)
}

// An Interaction is a command, click, autocompletion or dialog with all that was answered.
type Interaction struct {
	ID, Token string
	// Type is the type of the first callback: 4 message, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal; 0: none yet.
	Type int
	// Data is the data of the first callback.
	Data json.RawMessage
	// Edits are the later forms of the original answer, Followups further messages.
	Edits, Followups []json.RawMessage
	SentAt, AckedAt  time.Time
}

// Deferred reports whether the first callback only bought time.
func (i Interaction) Deferred() bool { return i.Type == 5 || i.Type == 6 }

// Final is the answer as it stands: the newest edit of the original, else the first callback's data.
func (i Interaction) Final() json.RawMessage {
	if n := len(i.Edits); n > 0 {
		return i.Edits[n-1]
	}
	return i.Data
}

// Visible is all that a person reads in the answer as it stands and its follow-ups.
func (i Interaction) Visible() string {
	text := ""
	for _, raw := range append([]json.RawMessage{i.Final()}, i.Followups...) {
		var p sent
		if json.Unmarshal(raw, &p) == nil {
			text += visible(p.Content, p.Embeds) + "\n"
		}
	}
	return text
}

// Ephemeral reports whether only the user sees the answer.
func (i Interaction) Ephemeral() bool {
	var p sent
	_ = json.Unmarshal(i.Data, &p)
	return p.Flags&64 != 0
}

// Request is an interaction to be made. Zero fields become guild 99, channel 1001, user 4242 with all permissions.
type Request struct {
	// Type is 2 command, 3 component, 4 autocompletion, 5 dialog.
	Type int
	// Data is the interaction's data as Discord sends it (name, options, custom_id, values, resolved …).
	Data map[string]any
	// Message is the message that holds the component, nil for none.
	Message              *Message
	Guild, Channel, User string
	// Permissions is the member's permissions as a decimal bit set; empty: administrator.
	Permissions string
	Locale      string
}

// Payload makes the interaction known and returns its JSON value and id, for HTTP mode or Dispatch.
func (s *Server) Payload(r Request) (map[string]any, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := strconv.FormatInt(s.nextID, 10)
	token := "itoken-" + id
	s.interactions[id] = &Interaction{ID: id, Token: token, SentAt: time.Now()}
	if r.Guild == "" {
		r.Guild = s.o.Guilds[0]
	}
	if r.Channel == "" {
		r.Channel = "1001"
	}
	if r.User == "" {
		r.User = "4242"
	}
	if r.Permissions == "" {
		r.Permissions = "8"
	}
	if r.Locale == "" {
		r.Locale = "en-GB"
	}
	user := map[string]any{"id": r.User, "username": "ana", "global_name": "Ana", "discriminator": "0"}
	p := map[string]any{
		"id": id, "application_id": s.o.Application, "type": r.Type, "token": token, "version": 1, "data": r.Data,
		"guild_id": r.Guild, "channel_id": r.Channel, "locale": r.Locale, "app_permissions": "309237730304",
		"member":  map[string]any{"user": user, "permissions": r.Permissions, "roles": []string{}, "joined_at": "2026-01-01T00:00:00Z"},
		"channel": map[string]any{"id": r.Channel, "type": 0, "guild_id": r.Guild},
	}
	if r.Message != nil {
		p["message"] = wire(r.Message)
	}
	return p, id
}

// Interact sends an interaction over the gateway and waits for its first callback. Discord allows three seconds: set
// them in the context.
func (s *Server) Interact(ctx context.Context, r Request) (Interaction, error) {
	p, id := s.Payload(r)
	if err := s.Dispatch(ctx, "INTERACTION_CREATE", p); err != nil {
		return Interaction{}, err
	}
	err := s.Wait(ctx, func() bool { return s.Interaction(id).Type != 0 })
	return s.Interaction(id), err
}

// Answered waits until a deferred interaction has its real answer (an edit of the original) and returns it.
func (s *Server) Answered(ctx context.Context, id string) (Interaction, error) {
	err := s.Wait(ctx, func() bool {
		i := s.Interaction(id)
		return i.Type != 0 && (!i.Deferred() || len(i.Edits)+len(i.Followups) > 0)
	})
	return s.Interaction(id), err
}

// Interaction is what has been answered so far.
func (s *Server) Interaction(id string) Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.interactions[id]; i != nil {
		return *i
	}
	return Interaction{}
}

// Command is the request of a slash command: path is the command with its subcommands ("feed", "stack", "import"), options
// are name → value.
func Command(path []string, options map[string]any) Request {
	opts := []any{}
	for name, v := range options {
		kind := 3
		switch v.(type) {
		case int, int64, float64:
			kind = 4
		case bool:
			kind = 5
		}
		opts = append(opts, map[string]any{"name": name, "type": kind, "value": v})
	}
	for i := len(path) - 1; i > 0; i-- {
		kind := 1
		if i < len(path)-1 {
			kind = 2
		}
		opts = []any{map[string]any{"name": path[i], "type": kind, "options": opts}}
	}
	return Request{Type: 2, Data: map[string]any{"id": "1", "name": path[0], "type": 1, "options": opts}}
}

// WithAttachment adds a file to the innermost options of a command made by Command.
func (s *Server) WithAttachment(r Request, option, name string, content []byte) Request {
	a := s.AddAttachment(name, content)
	id, _ := a["id"].(string)
	opts, _ := r.Data["options"].([]any)
	leaf := r.Data
	for len(opts) == 1 {
		m, _ := opts[0].(map[string]any)
		if m["type"] != 1 && m["type"] != 2 {
			break
		}
		leaf = m
		opts, _ = m["options"].([]any)
	}
	leaf["options"] = append(opts, map[string]any{"name": option, "type": 11, "value": id})
	resolved, _ := r.Data["resolved"].(map[string]any)
	if resolved == nil {
		resolved = map[string]any{"attachments": map[string]any{}}
		r.Data["resolved"] = resolved
	}
	resolved["attachments"].(map[string]any)[id] = a
	return r
}

// Press is the request of a click on a button of a message.
func Press(m Message, customID string) Request {
	return Request{Type: 3, Message: &m, Channel: m.Channel, Data: map[string]any{"custom_id": customID, "component_type": 2}}
}

type attachment struct {
	name    string
	content []byte
}

// AddAttachment makes a file known to the fake's file server and returns it as Discord describes it.
func (s *Server) AddAttachment(name string, content []byte) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := strconv.FormatInt(s.nextID, 10)
	s.attachments[id] = attachment{name, content}
	address := s.http.URL + "/attachments/" + id + "/file?ex=1&is=2&hm=3"
	return map[string]any{
		"id": id, "filename": name, "size": len(content), "url": address, "proxy_url": address, "content_type": "text/plain; charset=utf-8",
	}
}

func (s *Server) serveAttachment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a, ok := s.attachments[r.PathValue("id")]
	if r.Header.Get("Authorization") != "" {
		s.problem("the bot token was sent to the file server")
	}
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(a.content)
}

// callback takes the first answer to an interaction; s.mu is held.
func (s *Server) callback(id, token string, body []byte) reply {
	i := s.interactions[id]
	switch {
	case i == nil || i.Token != token:
		return refuse(http.StatusNotFound, 10062, "Unknown interaction")
	case i.Type != 0:
		s.problem("interaction %s answered twice", id)
		return refuse(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
	}
	var p struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &p); err != nil || p.Type == 0 {
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	switch p.Type {
	case 4, 7:
		if bad := s.answerProblems(p.Data); bad != "" {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+bad)
		}
	case 9:
		if bad := ValidateDialog(p.Data); len(bad) > 0 {
			s.problems = append(s.problems, bad...)
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+bad[0])
		}
	}
	i.Type, i.Data, i.AckedAt = p.Type, p.Data, time.Now()
	if p.Type == 7 {
		i.Edits = append(i.Edits, p.Data)
	}
	return reply{status: http.StatusNoContent}
}

func (s *Server) answerProblems(raw json.RawMessage) string {
	var p sent
	if err := json.Unmarshal(raw, &p); err != nil {
		return err.Error()
	}
	if p.AllowedMentions == nil || len(p.AllowedMentions.Parse) > 0 {
		s.problem("an interaction's answer without allowed_mentions {\"parse\": []}")
	}
	if bad := Validate(p.Content, p.Embeds, p.Components); len(bad) > 0 {
		s.problems = append(s.problems, bad...)
		return bad[0]
	}
	return ""
}

// webhook takes edits of the original answer and follow-ups: /webhooks/{app}/{token}[/messages/@original]; s.mu is held.
func (s *Server) webhook(method string, parts []string, body []byte) reply {
	var i *Interaction
	for _, o := range s.interactions {
		if o.Token == parts[2] {
			i = o
		}
	}
	if i == nil {
		return refuse(http.StatusNotFound, 10015, "Unknown Webhook")
	}
	if i.Type == 0 {
		s.problem("interaction %s: follow-up before the first answer", i.ID)
		return refuse(http.StatusNotFound, 10015, "Unknown Webhook")
	}
	if method == http.MethodDelete {
		return reply{status: http.StatusNoContent}
	}
	if method == http.MethodPatch || method == http.MethodPost {
		if bad := s.answerProblems(body); bad != "" {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+bad)
		}
	}
	switch method {
	case http.MethodPatch:
		i.Edits = append(i.Edits, body)
	case http.MethodPost:
		i.Followups = append(i.Followups, body)
	}
	id, now := s.snowflake()
	return ok(wire(&Message{ID: id, Channel: "1001", At: now}))
}

// SignInteraction makes a request as Discord sends it in HTTP mode, signed with the private key.
func SignInteraction(ctx context.Context, address string, key ed25519.PrivateKey, payload any, at time.Time) (*http.Request, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	ts := strconv.FormatInt(at.Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Timestamp", ts)
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, append([]byte(ts), body...))))
	return req, nil
}

package discordtest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"downwind/notify/notifytest"
)

// maxBody bounds a request to the fake.
const maxBody = 8 << 20

// reply is an answer: a status with a body, or a refusal with Discord's code.
type reply struct {
	status, code int
	body         any
}

func refuse(status, code int, message string) reply {
	return reply{status, code, map[string]any{"code": code, "message": message}}
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

// bucket counts messages for the headers of rate limits.
type bucket struct {
	left  int
	reset time.Time
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	parts := strings.Split(strings.Trim(r.PathValue("rest"), "/"), "/")
	call := Call{Method: r.Method + " /" + strings.Join(parts, "/"), Body: body, At: s.o.Now()}
	if parts[0] == "channels" && len(parts) > 1 {
		call.Channel = parts[1]
	}
	rule, struck := s.o.Faults.Strike(call.Method, call.Channel)
	if struck {
		call.Fault = rule.Fault
		if s.before(w, rule, call) {
			return
		}
	}
	a := s.answer(r, parts, body)
	call.Code = a.code
	s.headers(w, r.Method, call.Channel)
	s.record(call)
	switch call.Fault {
	case notifytest.ErrorAfter:
		http.Error(w, "bad gateway", http.StatusBadGateway)
		return
	case notifytest.LostAnswer:
		panic(http.ErrAbortHandler)
	case notifytest.Slow:
		select {
		case <-time.After(rule.Delay):
		case <-r.Context().Done():
		}
	}
	write(w, a)
}

// before answers a request that a fault keeps from being accepted.
func (s *Server) before(w http.ResponseWriter, rule notifytest.Rule, call Call) bool {
	switch rule.Fault {
	case notifytest.RateLimit:
		s.record(call)
		sec := strconv.FormatFloat(rule.RetryAfter.Seconds(), 'f', 3, 64)
		w.Header().Set("Retry-After", sec)
		w.Header().Set("X-RateLimit-Reset-After", sec)
		w.Header().Set("X-RateLimit-Remaining", "0")
		write(w, reply{status: http.StatusTooManyRequests, body: map[string]any{
			"message": "You are being rate limited.", "retry_after": rule.RetryAfter.Seconds(), "global": false,
		}})
	case notifytest.ErrorBefore:
		s.record(call)
		http.Error(w, "internal error", http.StatusInternalServerError)
	case notifytest.CutBefore:
		s.record(call)
		panic(http.ErrAbortHandler)
	case notifytest.Refuse:
		code, _ := strconv.Atoi(rule.Name)
		status := rule.Status
		if status == 0 {
			status = http.StatusBadRequest
		}
		call.Code = code
		s.record(call)
		write(w, refuse(status, code, "refused by the test"))
	default:
		return false
	}
	return true
}

// headers tells the rate limit of posting, where one is set.
func (s *Server) headers(w http.ResponseWriter, method, channel string) {
	if s.o.Remaining == 0 || method != http.MethodPost || channel == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[channel]
	now := time.Now()
	if b == nil || !b.reset.After(now) {
		b = &bucket{left: s.o.Remaining, reset: now.Add(s.o.ResetAfter)}
		s.buckets[channel] = b
	}
	b.left--
	if b.left < 0 {
		s.problem("a post into channel %s although its bucket was used up", channel)
	}
	w.Header().Set("X-RateLimit-Limit", strconv.Itoa(s.o.Remaining))
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(max(b.left, 0)))
	w.Header().Set("X-RateLimit-Reset-After", strconv.FormatFloat(b.reset.Sub(now).Seconds(), 'f', 3, 64))
	w.Header().Set("X-RateLimit-Bucket", "post")
}

func (s *Server) record(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	s.signal()
}

// readBody gives the JSON of a request, from a multipart form as well.
func readBody(r *http.Request) ([]byte, error) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return io.ReadAll(io.LimitReader(r.Body, maxBody))
	}
	form := multipart.NewReader(io.LimitReader(r.Body, maxBody), params["boundary"])
	for {
		p, err := form.NextPart()
		if err != nil {
			return nil, fmt.Errorf("no payload_json: %w", err)
		}
		if p.FormName() == "payload_json" {
			return io.ReadAll(p)
		}
	}
}

func write(w http.ResponseWriter, a reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	if a.body != nil {
		_ = json.NewEncoder(w).Encode(a.body)
	}
}

// answer does what a route does.
func (s *Server) answer(r *http.Request, parts []string, body []byte) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.signal()
	if !strings.HasPrefix(r.Header.Get("User-Agent"), "DiscordBot (") {
		s.problem("User-Agent %q, want DiscordBot (url, version)", r.Header.Get("User-Agent"))
	}
	if parts[0] == "interactions" && len(parts) == 4 && parts[3] == "callback" {
		return s.callback(parts[1], parts[2], body)
	}
	if parts[0] == "webhooks" && len(parts) >= 3 {
		return s.webhook(r.Method, parts, body)
	}
	if s.revoked || r.Header.Get("Authorization") != "Bot "+s.o.Token {
		return refuse(http.StatusUnauthorized, 0, "401: Unauthorized")
	}
	switch parts[0] {
	case "gateway":
		return ok(map[string]any{
			"url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/gateway/", "shards": 1,
			"session_start_limit": map[string]any{"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1},
		})
	case "users":
		return s.users(parts, body)
	case "oauth2", "applications":
		return s.applications(r.Method, parts, body)
	case "guilds":
		return s.guilds(parts)
	case "channels":
		if len(parts) > 1 {
			return s.channelRoute(r, parts, body)
		}
	}
	s.problem("unknown route %s %s", r.Method, r.URL.Path)
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

// botPermissions are those of the bot's role: the invitation's 309237730304.
const botPermissions = "309237730304"

func (s *Server) guilds(parts []string) reply {
	if len(parts) < 2 || !slices.Contains(s.o.Guilds, parts[1]) {
		return refuse(http.StatusNotFound, 10004, "Unknown Guild")
	}
	switch {
	case len(parts) == 2:
		return ok(map[string]any{"id": parts[1], "name": "Guild " + parts[1]})
	case len(parts) == 3 && parts[2] == "roles":
		return ok([]any{
			map[string]any{"id": parts[1], "name": "@everyone", "permissions": "0"},
			map[string]any{"id": "4001", "name": "downwind", "permissions": botPermissions},
		})
	case len(parts) == 4 && parts[2] == "members":
		return ok(map[string]any{"user": map[string]any{"id": parts[3]}, "roles": []string{"4001"}})
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

func (s *Server) users(parts []string, body []byte) reply {
	if len(parts) == 2 && parts[1] == "@me" {
		return ok(map[string]any{"id": s.o.Application, "username": "downwind", "bot": true})
	}
	if len(parts) == 3 && parts[2] == "channels" {
		var p struct {
			Recipient string `json:"recipient_id"`
		}
		_ = json.Unmarshal(body, &p)
		id := "4" + p.Recipient
		s.channels[id] = &Channel{ID: id, Name: "dm"}
		return ok(map[string]any{"id": id, "type": 1})
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

// applications serves the application itself and the registration of commands.
func (s *Server) applications(method string, parts []string, body []byte) reply {
	if parts[len(parts)-1] == "@me" {
		return ok(map[string]any{"id": s.o.Application, "name": "downwind", "verify_key": ""})
	}
	if parts[len(parts)-1] != "commands" {
		return refuse(http.StatusNotFound, 0, "404: Not Found")
	}
	scope := ""
	if len(parts) == 5 {
		scope = parts[3]
	}
	if method == http.MethodPut {
		var list []map[string]any
		if err := json.Unmarshal(body, &list); err != nil {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		if p := ValidateCommands(body); len(p) > 0 {
			s.problems = append(s.problems, p...)
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+p[0])
		}
		for i := range list {
			s.nextID++
			list[i]["id"] = strconv.FormatInt(s.nextID, 10)
			list[i]["application_id"] = s.o.Application
		}
		b, _ := json.Marshal(list)
		s.commands[scope] = b
	}
	if s.commands[scope] == nil {
		return ok([]any{})
	}
	return ok(s.commands[scope])
}

// Commands are the registered commands of a guild, or the global ones for "".
func (s *Server) Commands(guild string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands[guild]
}

// channelRoute serves /channels/{id}/…
func (s *Server) channelRoute(r *http.Request, parts []string, body []byte) reply {
	c := s.channels[parts[1]]
	switch {
	case c == nil:
		return refuse(http.StatusNotFound, 10003, "Unknown Channel")
	case c.Denied:
		return refuse(http.StatusForbidden, 50001, "Missing Access")
	case len(parts) == 2 && r.Method == http.MethodGet:
		return ok(map[string]any{"id": c.ID, "name": c.Name, "guild_id": c.Guild, "type": 0, "permission_overwrites": []any{
			map[string]any{"id": c.Guild, "type": 0, "allow": "0", "deny": strconv.FormatInt(c.Lacking, 10)},
		}})
	case len(parts) < 3 || parts[2] != "messages":
		return refuse(http.StatusNotFound, 0, "404: Not Found")
	case len(parts) == 3 && r.Method == http.MethodPost:
		return s.create(c, body)
	case len(parts) == 3 && r.Method == http.MethodGet:
		return s.list(c, r.URL.Query())
	}
	m := s.message(c.ID, parts[3])
	if m == nil {
		return refuse(http.StatusNotFound, 10008, "Unknown Message")
	}
	switch {
	case len(parts) == 5 && parts[4] == "threads" && r.Method == http.MethodPost:
		return s.thread(c, m, body)
	case r.Method == http.MethodPatch:
		return s.edit(m, body)
	case r.Method == http.MethodDelete:
		m.Deleted = true
		return reply{status: http.StatusNoContent}
	}
	return ok(wire(m))
}

func (s *Server) message(channel, id string) *Message {
	for _, m := range s.messages {
		if m.Channel == channel && m.ID == id && !m.Deleted {
			return m
		}
	}
	return nil
}

// sent is a message as a client sends it.
type sent struct {
	Content         string          `json:"content"`
	Embeds          json.RawMessage `json:"embeds"`
	Components      json.RawMessage `json:"components"`
	AllowedMentions *struct {
		Parse []string `json:"parse"`
		Roles []string `json:"roles"`
		Users []string `json:"users"`
	} `json:"allowed_mentions"`
	Nonce        string `json:"nonce"`
	EnforceNonce bool   `json:"enforce_nonce"`
	Flags        int    `json:"flags"`
	Reference    *struct {
		MessageID string `json:"message_id"`
	} `json:"message_reference"`
}

// accept checks a payload; the second result is the refusal.
func (s *Server) accept(body []byte) (sent, *reply) {
	var p sent
	if err := json.Unmarshal(body, &p); err != nil {
		r := refuse(http.StatusBadRequest, 50109, "The request body contains invalid JSON.")
		return p, &r
	}
	if p.AllowedMentions == nil || p.AllowedMentions.Parse == nil || len(p.AllowedMentions.Parse) > 0 {
		s.problem("allowed_mentions is not {\"parse\": []}")
	}
	if bad := Validate(p.Content, p.Embeds, p.Components); len(bad) > 0 {
		s.problems = append(s.problems, bad...)
		r := refuse(http.StatusBadRequest, 50035, "Invalid Form Body: "+bad[0])
		return p, &r
	}
	return p, nil
}

// create accepts a message, or gives back the one with the same nonce.
func (s *Server) create(c *Channel, body []byte) reply {
	p, bad := s.accept(body)
	switch {
	case bad != nil:
		return *bad
	case c.Locked:
		return refuse(http.StatusBadRequest, 160005, "This thread is locked")
	case len(p.Nonce) > 25:
		s.problem("nonce of %d characters, at most 25", len(p.Nonce))
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body: nonce")
	}
	if p.Nonce != "" && p.EnforceNonce {
		if m := s.nonces[p.Nonce]; m != nil && s.o.Now().Sub(m.At) < s.o.NonceWindow {
			return ok(wire(m))
		}
	} else {
		s.problem("message without an enforced nonce")
	}
	id, now := s.snowflake()
	m := &Message{
		ID: id, Channel: c.ID, Content: p.Content, Embeds: p.Embeds, Components: p.Components, Nonce: p.Nonce, Flags: p.Flags, At: now,
		Mentioned: notified(p),
	}
	if p.Reference != nil {
		m.ReplyTo = p.Reference.MessageID
	}
	c.Archived = false
	s.messages = append(s.messages, m)
	if p.Nonce != "" {
		s.nonces[p.Nonce] = m
	}
	out := wire(m)
	out["nonce"] = p.Nonce
	return ok(out)
}

func (s *Server) edit(m *Message, body []byte) reply {
	p, bad := s.accept(body)
	if bad != nil {
		return *bad
	}
	m.Edits = append(m.Edits, Form{m.Content, m.Embeds, m.Components})
	m.Content, m.Embeds, m.Components, m.EditedAt = p.Content, p.Embeds, p.Components, s.o.Now()
	return ok(wire(m))
}

// thread opens the thread of a message; it has the message's id.
func (s *Server) thread(c *Channel, m *Message, body []byte) reply {
	var p struct {
		Name string `json:"name"`
		Auto int    `json:"auto_archive_duration"`
	}
	if err := json.Unmarshal(body, &p); err != nil || size(p.Name) < 1 || size(p.Name) > 100 || !slices.Contains([]int{0, 60, 1440, 4320, 10080}, p.Auto) {
		s.problem("thread %q with auto_archive_duration %d", p.Name, p.Auto)
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	if c.NoThreads {
		return refuse(http.StatusForbidden, 50013, "Missing Permissions")
	}
	if s.channels[m.ID] != nil {
		return refuse(http.StatusBadRequest, 160004, "A thread has already been created for this message")
	}
	s.channels[m.ID] = &Channel{ID: m.ID, Name: p.Name, Guild: c.Guild, Parent: c.ID}
	return reply{status: http.StatusCreated, body: map[string]any{"id": m.ID, "name": p.Name, "type": 11, "parent_id": c.ID, "guild_id": c.Guild}}
}

// list gives messages after or before an id, newest first.
func (s *Server) list(c *Channel, q url.Values) reply {
	limit, _ := strconv.Atoi(q.Get("limit"))
	if limit <= 0 || limit > 100 {
		limit = 50
	}
	after, _ := strconv.ParseInt(q.Get("after"), 10, 64)
	var found []*Message
	for _, m := range s.messages {
		id, _ := strconv.ParseInt(m.ID, 10, 64)
		if m.Channel == c.ID && !m.Deleted && id > after {
			found = append(found, m)
		}
	}
	if q.Get("after") == "" && len(found) > limit {
		found = found[len(found)-limit:]
	}
	out := []any{}
	for _, m := range found[:min(limit, len(found))] {
		out = append(out, wire(m))
	}
	slices.Reverse(out)
	return ok(out)
}

func wire(m *Message) map[string]any {
	out := map[string]any{
		"id": m.ID, "channel_id": m.Channel, "content": m.Content, "type": 0, "flags": m.Flags, "pinned": false, "tts": false,
		"timestamp": m.At.UTC().Format(time.RFC3339Nano), "edited_timestamp": nil, "author": map[string]any{"id": "777", "username": "downwind", "bot": true},
		"mentions": []any{}, "mention_roles": []any{}, "attachments": []any{}, "embeds": []any{}, "components": []any{},
	}
	if len(m.Embeds) > 0 {
		out["embeds"] = m.Embeds
	}
	if len(m.Components) > 0 {
		out["components"] = m.Components
	}
	if m.ReplyTo != "" {
		out["message_reference"] = map[string]any{"message_id": m.ReplyTo, "channel_id": m.Channel}
	}
	return out
}

package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"downwind/notify/notifytest"
)

// maxBody bounds a request to the fake.
const maxBody = 4 << 20

// serveAPI answers one Web API method.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	method := r.PathValue("method")
	form, token, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	call := Call{Method: method, Channel: form.Get("channel"), Form: form, At: s.o.Now()}
	rule, struck := s.o.Faults.Strike(method, call.Channel)
	if struck {
		call.Fault = rule.Fault
		switch rule.Fault {
		case notifytest.RateLimit:
			s.record(call)
			w.Header().Set("Retry-After", strconv.Itoa(int((rule.RetryAfter+time.Second-1)/time.Second)))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		case notifytest.ErrorBefore:
			s.record(call)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		case notifytest.CutBefore:
			s.record(call)
			panic(http.ErrAbortHandler)
		case notifytest.Refuse:
			call.Error = rule.Name
			s.record(call)
			writeJSON(w, map[string]any{"ok": false, "error": rule.Name})
			return
		}
	}
	answer := s.answer(method, form, token)
	if e, ok := answer["error"].(string); ok {
		call.Error = e
	}
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
	w.Header().Set("X-OAuth-Scopes", strings.Join(s.scopes(), ","))
	writeJSON(w, answer)
}

// scopes are those of the manifest but for the missing ones.
func (s *Server) scopes() []string {
	var out []string
	for _, scope := range []string{"commands", "chat:write", "files:read", "channels:history", "groups:history", "channels:read", "users:read", "usergroups:read"} {
		if !slices.Contains(s.o.MissingScopes, scope) {
			out = append(out, scope)
		}
	}
	return out
}

func (s *Server) record(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	s.signal()
}

// read gives the arguments, from a form or JSON, and the token.
func read(r *http.Request) (url.Values, string, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, "", err
	}
	form := r.URL.Query()
	// The client opens its socket with a JSON type and no body.
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") && len(body) > 0 {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(body, &m); err != nil {
			return nil, "", err
		}
		for k, v := range m {
			var str string
			if json.Unmarshal(v, &str) == nil {
				form.Set(k, str)
			} else {
				form.Set(k, string(v))
			}
		}
	} else {
		more, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, "", err
		}
		for k, v := range more {
			form[k] = append(form[k], v...)
		}
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "" {
		token = form.Get("token")
	}
	form.Del("token")
	return form, token, nil
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

func fail(name string) map[string]any { return map[string]any{"ok": false, "error": name} }

func (s *Server) missing(scope string) map[string]any {
	if slices.Contains(s.o.MissingScopes, scope) {
		return map[string]any{"ok": false, "error": "missing_scope", "needed": scope, "provided": "commands,chat:write"}
	}
	return nil
}

// team is the workspace of a token, empty for a wrong one.
func (s *Server) team(token string) string {
	if token == s.o.Token {
		return s.o.Team
	}
	return s.o.Tokens[token]
}

// answer does what a method does and returns Slack's answer.
func (s *Server) answer(method string, form url.Values, token string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	team := s.team(token)
	if h := s.handlers[method]; h != nil {
		return asMap(h(form))
	}
	if method == "oauth.v2.access" {
		return s.oauth(form)
	}
	if method == "apps.connections.open" {
		if token != s.o.AppToken {
			return fail("invalid_auth")
		}
		return map[string]any{"ok": true, "url": "ws" + strings.TrimPrefix(s.http.URL, "http") + "/socket"}
	}
	switch {
	case token == "":
		return fail("not_authed")
	case team == "":
		return fail("invalid_auth")
	case s.revoked:
		return fail("token_revoked")
	}
	switch method {
	case "auth.test":
		return map[string]any{"ok": true, "team": "Test", "team_id": team, "user": "downwind", "user_id": "U0BOT", "bot_id": "B0BOT", "url": s.http.URL + "/"}
	case "chat.postMessage":
		return s.post(form, team, "")
	case "chat.postEphemeral":
		return s.post(form, team, form.Get("user"))
	case "chat.update":
		return s.update(form)
	case "conversations.history", "conversations.replies":
		return s.history(form, method == "conversations.replies")
	case "conversations.info":
		if m := s.missing("channels:read"); m != nil {
			return m
		}
		c := s.channel(form.Get("channel"))
		if c == nil {
			return fail("channel_not_found")
		}
		return map[string]any{"ok": true, "channel": s.describe(*c)}
	case "conversations.list":
		return s.list(team)
	case "conversations.open":
		return map[string]any{"ok": true, "channel": map[string]any{"id": "D" + form.Get("users")}}
	case "users.info":
		return s.user(form.Get("user"))
	case "views.open", "views.update", "views.publish", "views.push":
		return s.view(method, form)
	case "files.info":
		return s.fileInfo(form.Get("file"))
	}
	s.problem("unknown method %s", method)
	return fail("unknown_method")
}

func asMap(v any) map[string]any {
	out := map[string]any{}
	b, err := json.Marshal(v)
	if err == nil {
		_ = json.Unmarshal(b, &out)
	}
	if _, ok := out["ok"]; !ok {
		out["ok"] = true
	}
	return out
}

func (s *Server) channel(id string) *Channel {
	for i := range s.o.Channels {
		if s.o.Channels[i].ID == id {
			return &s.o.Channels[i]
		}
	}
	if strings.HasPrefix(id, "D") {
		return &Channel{ID: id, Name: id, Private: true}
	}
	return nil
}

func (s *Server) describe(c Channel) map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "is_channel": true, "is_private": c.Private, "is_member": !c.Outsider,
		"is_archived": c.Archived || s.archived[c.ID],
	}
}

func (s *Server) list(team string) map[string]any {
	if m := s.missing("channels:read"); m != nil {
		return m
	}
	out := []any{}
	for _, c := range s.o.Channels {
		if c.Team == "" || c.Team == team {
			out = append(out, s.describe(c))
		}
	}
	return map[string]any{"ok": true, "channels": out, "response_metadata": map[string]any{"next_cursor": ""}}
}

func (s *Server) user(id string) map[string]any {
	if m := s.missing("users:read"); m != nil {
		return m
	}
	u := User{ID: id, Name: strings.ToLower(id)}
	for _, known := range s.o.Users {
		if known.ID == id {
			u = known
		}
	}
	return map[string]any{"ok": true, "user": map[string]any{
		"id": u.ID, "name": u.Name, "real_name": u.Name, "is_restricted": u.Guest, "is_admin": u.Admin, "tz": u.TimezoneLabel,
		"profile": map[string]any{"display_name": u.Name, "real_name": u.Name},
	}}
}

// stamp gives a ts that no other message has.
func (s *Server) stamp() (string, time.Time) {
	now := s.o.Now()
	n := now.UnixMicro()
	if n <= s.lastTS {
		n = s.lastTS + 1
	}
	s.lastTS = n
	return fmt.Sprintf("%d.%06d", n/1e6, n%1e6), now
}

// post accepts a message.
func (s *Server) post(form url.Values, team, to string) map[string]any {
	channel := form.Get("channel")
	c := s.channel(channel)
	switch {
	case c == nil, c.Team != "" && c.Team != team:
		return fail("channel_not_found")
	case c.Archived || s.archived[channel]:
		return fail("is_archived")
	case c.Outsider:
		return fail("not_in_channel")
	}
	if e := s.check(form, to == ""); e != "" {
		return fail(e)
	}
	thread := form.Get("thread_ts")
	if thread != "" {
		root := s.find(channel, thread)
		if root == nil || root.Deleted {
			return fail("thread_not_found")
		}
		if root.ThreadTS != "" {
			s.problem("reply to a reply %s in %s", thread, channel)
			thread = root.ThreadTS
		}
	}
	ts, now := s.stamp()
	m := &Message{
		Channel: channel, TS: ts, ThreadTS: thread, Broadcast: form.Get("reply_broadcast") == "true", To: to, At: now,
		Text: form.Get("text"), Blocks: json.RawMessage(form.Get("blocks")), Team: team,
	}
	if raw := form.Get("metadata"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &m.Metadata); err != nil {
			return fail("invalid_metadata_format")
		}
	}
	s.messages = append(s.messages, m)
	if to != "" {
		return map[string]any{"ok": true, "message_ts": ts}
	}
	return map[string]any{"ok": true, "channel": channel, "ts": ts, "message": s.wire(m, true)}
}

// update changes a message.
func (s *Server) update(form url.Values) map[string]any {
	channel := form.Get("channel")
	c := s.channel(channel)
	switch {
	case c == nil:
		return fail("channel_not_found")
	case c.Archived || s.archived[channel]:
		return fail("is_archived")
	}
	m := s.find(channel, form.Get("ts"))
	if m == nil || m.Deleted || m.To != "" {
		return fail("message_not_found")
	}
	if e := s.check(form, true); e != "" {
		return fail(e)
	}
	m.Edits = append(m.Edits, Form{m.Text, m.Blocks})
	m.Text, m.Blocks, m.EditedAt = form.Get("text"), json.RawMessage(form.Get("blocks")), s.o.Now()
	if raw := form.Get("metadata"); raw != "" {
		m.Metadata = Metadata{}
		if err := json.Unmarshal([]byte(raw), &m.Metadata); err != nil {
			return fail("invalid_metadata_format")
		}
	}
	return map[string]any{"ok": true, "channel": channel, "ts": m.TS, "text": m.Text}
}

// check refuses what Slack would refuse and notes what it would silently do wrong.
func (s *Server) check(form url.Values, public bool) string {
	text, blocks := form.Get("text"), form.Get("blocks")
	if text == "" && (blocks == "" || blocks == "[]") {
		return "no_text"
	}
	if text == "" {
		s.problem("blocks without text: screen readers read nothing")
	}
	if public {
		for _, name := range []string{"unfurl_links", "unfurl_media"} {
			if form.Get(name) != "false" {
				s.problem("%s is %q, want false", name, form.Get(name))
			}
		}
		if form.Get("parse") != "none" {
			s.problem("parse is %q, want none", form.Get("parse"))
		}
	}
	if p := Validate(text, json.RawMessage(blocks)); len(p) > 0 {
		s.problems = append(s.problems, p...)
		for _, one := range p {
			if strings.Contains(one, "all blocks") {
				return "msg_blocks_too_long"
			}
			if strings.Contains(one, "text is longer") {
				return "msg_too_long"
			}
		}
		return "invalid_blocks"
	}
	return ""
}

// wire is a message as the API shows it.
func (s *Server) wire(m *Message, metadata bool) map[string]any {
	out := map[string]any{"type": "message", "ts": m.TS, "text": m.Text, "bot_id": "B0BOT", "user": "U0BOT"}
	if len(m.Blocks) > 0 {
		out["blocks"] = m.Blocks
	}
	if m.ThreadTS != "" {
		out["thread_ts"] = m.ThreadTS
	}
	if m.Broadcast {
		out["subtype"] = "thread_broadcast"
	}
	if metadata && m.Metadata.EventType != "" {
		out["metadata"] = m.Metadata
	}
	return out
}

// history lists a channel (newest first) or a thread (oldest first).
func (s *Server) history(form url.Values, replies bool) map[string]any {
	if m := s.missing("channels:history"); m != nil {
		return m
	}
	channel, root := form.Get("channel"), form.Get("ts")
	if s.channel(channel) == nil {
		return fail("channel_not_found")
	}
	var all []*Message
	for _, m := range s.messages {
		in := m.ThreadTS == "" || m.Broadcast
		if replies {
			in = m.TS == root || m.ThreadTS == root
		}
		old := form.Get("oldest")
		if m.Channel != channel || m.To != "" || m.Deleted || !in || old != "" && m.TS < old {
			continue
		}
		all = append(all, m)
	}
	if m := s.find(channel, root); replies && (m == nil || m.Deleted) {
		return fail("thread_not_found")
	}
	if !replies {
		slices.Reverse(all)
	}
	limit, _ := strconv.Atoi(form.Get("limit"))
	if limit <= 0 || limit > s.o.PageSize {
		limit = s.o.PageSize
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(form.Get("cursor"), "c"))
	from = min(from, len(all))
	end := min(from+limit, len(all))
	out := []any{}
	for _, m := range all[from:end] {
		out = append(out, s.wire(m, form.Get("include_all_metadata") == "1" || form.Get("include_all_metadata") == "true"))
	}
	next := ""
	if end < len(all) {
		next = fmt.Sprintf("c%d", end)
	}
	return map[string]any{
		"ok": true, "messages": out, "has_more": next != "", "response_metadata": map[string]any{"next_cursor": next},
	}
}

func (s *Server) oauth(form url.Values) map[string]any {
	if form.Get("code") == "" || form.Get("code") == "bad" {
		return fail("invalid_code")
	}
	team := s.o.Team
	token := s.o.Token
	for tok, t := range s.o.Tokens {
		if form.Get("code") == t {
			team, token = t, tok
		}
	}
	return map[string]any{
		"ok": true, "access_token": token, "token_type": "bot", "scope": "commands,chat:write", "bot_user_id": "U0BOT", "app_id": "A0APP",
		"team": map[string]any{"id": team, "name": "Test " + team}, "authed_user": map[string]any{"id": "U0ADMIN"},
	}
}

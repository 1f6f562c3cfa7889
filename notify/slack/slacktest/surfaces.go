package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// An Answer is what was posted to a response_url.
type Answer struct {
	// ResponseType is "ephemeral" or "in_channel".
	ResponseType    string          `json:"response_type"`
	ReplaceOriginal bool            `json:"replace_original"`
	DeleteOriginal  bool            `json:"delete_original"`
	Text            string          `json:"text"`
	Blocks          json.RawMessage `json:"blocks"`
	ThreadTS        string          `json:"thread_ts"`
}

// Visible is all that a person reads in it.
func (a Answer) Visible() string { return Message{Text: a.Text, Blocks: a.Blocks}.Visible() }

// maxAnswers is how often a response_url may be used.
const maxAnswers = 5

// responseURL makes a fresh response_url.
func (s *Server) responseURL() (id, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id = fmt.Sprintf("r%d", s.nextID)
	s.answers[id] = nil
	return id, s.http.URL + "/response/" + id
}

func (s *Server) serveResponse(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	var a Answer
	if err := json.Unmarshal(body, &a); err != nil {
		http.Error(w, "invalid_payload", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.PathValue("id")
	old, known := s.answers[id]
	switch {
	case !known:
		http.Error(w, "expired_url", http.StatusNotFound)
		return
	case len(old) >= maxAnswers:
		s.problem("response_url %s used more than %d times", id, maxAnswers)
		http.Error(w, "used_url", http.StatusNotFound)
		return
	}
	if p := Validate(a.Text, a.Blocks); len(p) > 0 {
		s.problems = append(s.problems, p...)
		http.Error(w, "invalid_blocks", http.StatusBadRequest)
		return
	}
	s.answers[id] = append(old, a)
	s.signal()
	_, _ = io.WriteString(w, "ok")
}

// Answers are what was posted to the response_url of an exchange so far.
func (s *Server) Answers(id string) []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers[id])
}

// A View is one modal or Home tab that was opened, changed or published.
type View struct {
	// Method is views.open, views.update, views.publish or views.push.
	Method    string
	TriggerID string
	User      string
	// ID is the view's id, given by the fake.
	ID   string
	Raw  json.RawMessage
	At   time.Time
	Team string
}

// view records a view; s.mu is held.
func (s *Server) view(method string, form url.Values) map[string]any {
	raw := form.Get("view")
	var v struct {
		Type   string          `json:"type"`
		Title  json.RawMessage `json:"title"`
		Blocks []any           `json:"blocks"`
		Meta   string          `json:"private_metadata"`
	}
	if err := json.Unmarshal([]byte(raw), &v); err != nil || v.Type == "" {
		return fail("invalid_arguments")
	}
	if len(v.Blocks) > 100 {
		s.problem("view with %d blocks, at most 100", len(v.Blocks))
		return fail("view_too_large")
	}
	if size(v.Meta) > 3000 {
		s.problem("private_metadata of %d, at most 3000", size(v.Meta))
		return fail("invalid_arguments")
	}
	var title struct {
		Text string `json:"text"`
	}
	if v.Type == "modal" {
		if err := json.Unmarshal(v.Title, &title); err != nil || title.Text == "" || size(title.Text) > 24 {
			s.problem("modal title %q: 1 to 24 characters", title.Text)
			return fail("invalid_arguments")
		}
	}
	id := form.Get("view_id")
	if id == "" {
		s.nextID++
		id = fmt.Sprintf("V%d", s.nextID)
	}
	s.views = append(s.views, View{
		Method: method, TriggerID: form.Get("trigger_id"), User: form.Get("user_id"), ID: id, Raw: json.RawMessage(raw), At: s.o.Now(),
	})
	s.signal()
	return map[string]any{"ok": true, "view": map[string]any{"id": id, "type": v.Type, "hash": "h1"}}
}

// Views are all views so far.
func (s *Server) Views() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.views)
}

// SubmitPayload is the view_submission of a modal, to be given to Send("interactive", …): values is block_id → action_id → element as Slack sends it.
func (s *Server) SubmitPayload(v View, user string, values map[string]map[string]any) map[string]any {
	var view map[string]any
	_ = json.Unmarshal(v.Raw, &view)
	view["id"] = v.ID
	view["state"] = map[string]any{"values": values}
	if user == "" {
		user = "U0USER"
	}
	return map[string]any{
		"type": "view_submission", "team": map[string]any{"id": s.o.Team}, "api_app_id": "A0APP", "view": view,
		"user": map[string]any{"id": user, "name": "ana", "team_id": s.o.Team}, "trigger_id": "trigger.submit",
	}
}

// A File was uploaded to Slack by a user.
type File struct {
	ID, Name string
	Content  []byte
	Mimetype string
}

// AddFile makes a file known and returns it as Slack describes it in payloads (id, name, size, url_private_download …).
func (s *Server) AddFile(name string, content []byte) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	f := File{ID: fmt.Sprintf("F%06d", s.nextID), Name: name, Content: content, Mimetype: "text/plain"}
	s.files[f.ID] = f
	return s.describeFile(f)
}

func (s *Server) describeFile(f File) map[string]any {
	address := s.http.URL + "/files/" + f.ID + "/" + url.PathEscape(f.Name)
	return map[string]any{
		"id": f.ID, "name": f.Name, "title": f.Name, "size": len(f.Content), "mimetype": f.Mimetype, "mode": "hosted",
		"url_private": address, "url_private_download": address,
	}
}

func (s *Server) fileInfo(id string) map[string]any {
	if m := s.missing("files:read"); m != nil {
		return m
	}
	f, ok := s.files[id]
	if !ok {
		return fail("file_not_found")
	}
	return map[string]any{"ok": true, "file": s.describeFile(f)}
}

// serveFile gives a file to a good token, and a page to a bad one or without files:read, both with status 200.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[r.PathValue("id")]
	good := s.team(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) != "" && !slices.Contains(s.o.MissingScopes, "files:read")
	s.mu.Unlock()
	switch {
	case !good:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><head><title>Sign in</title></head></html>")
	case !ok:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", f.Mimetype)
		_, _ = w.Write(f.Content)
	}
}

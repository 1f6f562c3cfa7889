package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	slackgo "github.com/slack-go/slack"
)

// Bounds of a request by HTTP.
const (
	// maxBody is far above what Slack sends.
	maxBody = 1 << 20
	// maxAge is Slack's own bound on the age of a request, in both directions.
	maxAge = 300 * time.Second
	// keepSignature is how long a signature is remembered, longer than a request stays fresh.
	keepSignature = 6 * time.Minute
)

// tempSignature and tempEvent are the kinds of values kept against repeats.
const (
	tempSignature = "slack-signature"
	tempEvent     = "slack-event"
	tempState     = "slack-oauth"
)

// Handlers are the endpoints of HTTP mode by path; those of OAuth are there when a client id is set.
func (a *App) Handlers() map[string]http.Handler {
	m := map[string]http.Handler{}
	if !a.o.SigningSecret.IsZero() {
		m["/slack/command"] = a.signed(a.serveCommand)
		m["/slack/interact"] = a.signed(a.serveInteraction)
		m["/slack/events"] = a.signed(a.serveEvent)
	}
	if a.o.ClientID != "" {
		m["/slack/oauth"] = http.HandlerFunc(a.serveOAuth)
	}
	return m
}

// signed lets only requests through that Slack signed, that are fresh, and that come for the first time.
func (a *App) signed(next func(w http.ResponseWriter, r *http.Request, body []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "POST only", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			http.Error(w, "unreadable body", http.StatusBadRequest)
			return
		}
		if len(body) > maxBody {
			http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
			return
		}
		signature := r.Header.Get("X-Slack-Signature")
		if err := a.verify(r.Header.Get("X-Slack-Request-Timestamp"), signature, body); err != nil {
			a.o.Logger.Warn("slack: request refused", "path", r.URL.Path, "err", err)
			http.Error(w, "not signed by Slack", http.StatusUnauthorized)
			return
		}
		first, err := a.o.Handler.Store.PutTemp(r.Context(), tempSignature, signature, nil, a.o.Clock.Now().Add(keepSignature))
		if err != nil {
			a.o.Logger.Error("slack: the replay cache cannot be read", "err", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		if !first {
			a.o.Logger.Warn("slack: request refused", "path", r.URL.Path, "err", "repeated signature")
			http.Error(w, "repeated request", http.StatusUnauthorized)
			return
		}
		next(w, r, body)
	})
}

// verify checks age and signature in constant time.
func (a *App) verify(timestamp, signature string, body []byte) error {
	sec, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) > 12 {
		return errors.New("no time stamp")
	}
	if age := a.o.Clock.Now().Sub(time.Unix(sec, 0)); age > maxAge || age < -maxAge {
		return fmt.Errorf("time stamp off by %s", age.Truncate(time.Second))
	}
	mac := hmac.New(sha256.New, []byte(a.o.SigningSecret.Reveal()))
	mac.Write([]byte("v0:" + timestamp + ":"))
	mac.Write(body)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(want), []byte(signature)) {
		return errors.New("wrong signature")
	}
	return nil
}

func (a *App) serveCommand(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("team_id") == "" || form.Get("channel_id") == "" || form.Get("user_id") == "" {
		http.Error(w, "not a command", http.StatusBadRequest)
		return
	}
	reply := a.command(slackgo.SlashCommand{
		TeamID: form.Get("team_id"), EnterpriseID: form.Get("enterprise_id"), ChannelID: form.Get("channel_id"), ChannelName: form.Get("channel_name"),
		UserID: form.Get("user_id"), UserName: form.Get("user_name"), Command: form.Get("command"), Text: form.Get("text"),
		ResponseURL: form.Get("response_url"), TriggerID: form.Get("trigger_id"),
	})
	writeAck(w, reply)
}

func (a *App) serveInteraction(w http.ResponseWriter, _ *http.Request, body []byte) {
	form, err := url.ParseQuery(string(body))
	var i slackgo.InteractionCallback
	if err != nil || json.Unmarshal([]byte(form.Get("payload")), &i) != nil {
		http.Error(w, "not an interaction", http.StatusBadRequest)
		return
	}
	writeAck(w, a.interaction(i))
}

func (a *App) serveEvent(w http.ResponseWriter, r *http.Request, body []byte) {
	var e struct{ Type, Challenge string }
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "not an event", http.StatusBadRequest)
		return
	}
	if e.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, e.Challenge)
		return
	}
	if err := a.event(r.Context(), body); err != nil {
		a.o.Logger.Error("slack: event", "err", err)
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func writeAck(w http.ResponseWriter, payload any) {
	if payload == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(payload); err != nil {
		http.Error(w, "failed", http.StatusInternalServerError)
	}
}

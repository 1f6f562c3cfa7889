package discord

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Bounds of a request by HTTP. Discord states no age limit; ours is Slack's.
const (
	maxBody       = 1 << 20
	maxAge        = 300 * time.Second
	keepSignature = 6 * time.Minute
)

// tempSignature is the kind of the values kept against repeats.
const tempSignature = "discord-signature"

// Handlers are the endpoints of HTTP mode by path; none without a public key.
func (a *App) Handlers() map[string]http.Handler {
	if a.key == nil {
		return map[string]http.Handler{}
	}
	return map[string]http.Handler{"/discord/interactions": http.HandlerFunc(a.serve)}
}

// serve takes an interaction that Discord signed, that is fresh, and that comes for the first time.
func (a *App) serve(w http.ResponseWriter, r *http.Request) {
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
	signature := r.Header.Get("X-Signature-Ed25519")
	if !a.verify(r.Header.Get("X-Signature-Timestamp"), signature, body) {
		// Discord probes with bad signatures on purpose, so this is no cause for alarm.
		a.o.Logger.Debug("discord: request refused", "err", "wrong or late signature")
		http.Error(w, "not signed by Discord", http.StatusUnauthorized)
		return
	}
	i, err := read(body)
	if err != nil {
		http.Error(w, "not an interaction", http.StatusBadRequest)
		return
	}
	if i.Type != typePing {
		first, err := a.o.Handler.Store.PutTemp(r.Context(), tempSignature, signature, nil, a.o.Clock.Now().Add(keepSignature))
		if err != nil {
			a.o.Logger.Error("discord: the replay cache cannot be read", "err", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		if !first {
			http.Error(w, "repeated request", http.StatusUnauthorized)
			return
		}
	}
	answer := a.take(i)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		a.o.Logger.Warn("discord: first answer", "err", err)
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		a.o.Logger.Debug("discord: flush", "err", err)
	}
	close(i.answered)
}

// verify checks age and signature over time stamp and body.
func (a *App) verify(timestamp, signature string, body []byte) bool {
	sec, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) > 12 {
		return false
	}
	if age := a.o.Clock.Now().Sub(time.Unix(sec, 0)); age > maxAge || age < -maxAge {
		return false
	}
	sig, err := hex.DecodeString(signature)
	if err != nil || len(sig) != ed25519.SignatureSize || signature != hex.EncodeToString(sig) {
		return false
	}
	return ed25519.Verify(a.key, append([]byte(timestamp), body...), sig)
}

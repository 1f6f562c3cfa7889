package app

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"

	"downwind"
	"downwind/feeds"
)

// maxHook bounds a webhook's body in bytes.
const maxHook = 1 << 20

// hookRoutes take updates that status pages push: POST /hooks/{provider}/{secret}. A push is only a faster reading; the
// next poll sees the same and finds nothing new.
func (a *App) hookRoutes() map[string]http.Handler {
	return map[string]http.Handler{"POST /hooks/{provider}/{secret}": http.HandlerFunc(a.takeHook)}
}

// takeHook answers 404 to a wrong secret and to an unknown provider alike.
func (a *App) takeHook(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("provider")
	if !a.hookAllowed(slug, r.PathValue("secret")) {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, "more than 1 MiB", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	payload := feeds.NewPayload("", r.Header.Get("Content-Type"), http.StatusOK, body, a.clock.Now())
	doc, err := feeds.DecodeHook(a.adapter, slug, payload)
	if err != nil {
		a.log.Warn("a webhook cannot be read", "provider", slug, "error", err)
		http.Error(w, "this is no webhook of a status page that is read here", http.StatusUnprocessableEntity)
		return
	}
	src, err := a.db.Source(r.Context(), slug)
	if err == nil && src.FirstRead.IsZero() {
		// The history must be taken in silently first; the poller does so at once.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if err == nil {
		err = a.planAndApply(r.Context(), src, doc, []feeds.Payload{payload})
	}
	if err != nil && !errors.Is(err, downwind.ErrConflict) {
		a.log.Error("a webhook cannot be taken in", "provider", slug, "error", err)
		http.Error(w, "it cannot be taken in now; the next poll will", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// hookAllowed compares a secret with the configured one in constant time.
func (a *App) hookAllowed(slug, secret string) bool {
	for _, p := range a.cfg.Provider {
		if p.Slug != slug || p.WebhookSecret.IsZero() {
			continue
		}
		want, got := sha256.Sum256([]byte(p.WebhookSecret.Reveal())), sha256.Sum256([]byte(secret))
		return subtle.ConstantTimeCompare(want[:], got[:]) == 1
	}
	return false
}

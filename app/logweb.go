package app

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"downwind"
	"downwind/proof"
)

// logRoutes serve the transparency log at the C2SP paths below /log/, and its key.
func (a *App) logRoutes() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /log/checkpoint": http.HandlerFunc(a.showCheckpoint),
		"GET /log/key":        http.HandlerFunc(a.showKey),
		"GET /log/tile/":      http.HandlerFunc(a.showTile),
		"GET /log/extension/": http.HandlerFunc(a.showExtension),
	}
}

func (a *App) showCheckpoint(w http.ResponseWriter, r *http.Request) {
	c, err := a.db.NewestCheckpoint(r.Context())
	if err != nil {
		a.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=10")
	_, _ = w.Write(c.Signed) // a reader that went away is its own affair
}

func (a *App) showKey(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.logKey.Public + "\n")) // a reader that went away is its own affair
}

func (a *App) showTile(w http.ResponseWriter, r *http.Request) {
	data, err := proof.Tile(r.Context(), a.db.Log(), strings.TrimPrefix(r.URL.Path, "/log/"))
	if err != nil {
		a.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "max-age=604800, immutable")
	_, _ = w.Write(data) // a reader that went away is its own affair
}

// showExtension proves that the newest checkpoint continues the tree of a size ("/log/extension/9120"), in the form that
// witnesses are sent (C2SP tlog-witness).
func (a *App) showExtension(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimPrefix(r.URL.Path, "/log/extension/")
	c, err := a.db.NewestCheckpoint(r.Context())
	if err != nil {
		a.refuse(w, err)
		return
	}
	e := proof.Extension{Checkpoint: c.Signed}
	if e.Old, err = strconv.ParseInt(text, 10, 64); err != nil || e.Old < 1 || e.Old > c.Size {
		a.refuse(w, fmt.Errorf("size %q of %d: %w", text, c.Size, downwind.ErrNotFound))
		return
	}
	if e.Old < c.Size {
		if e.Proof, err = proof.Consistency(r.Context(), a.db.Log(), c.Size, e.Old); err != nil {
			a.refuse(w, err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=10")
	_, _ = w.Write(e.Encode()) // a reader that went away is its own affair
}

// refuse answers with a plain status; the cause goes to the log.
func (a *App) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, downwind.ErrNotFound) {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	a.log.Error("the log cannot be read", "error", err)
	http.Error(w, "the log cannot be read now", http.StatusInternalServerError)
}

package app

import (
	"errors"
	"net/http"
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

// refuse answers with a plain status; the cause goes to the log.
func (a *App) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, downwind.ErrNotFound) {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	a.log.Error("the log cannot be read", "error", err)
	http.Error(w, "the log cannot be read now", http.StatusInternalServerError)
}

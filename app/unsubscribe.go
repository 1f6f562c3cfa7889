package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind"
	"downwind/notify/email"
)

// unsubscribePath is where readers of mails stop them, by one click (RFC 8058) or on the page that a person sees.
const unsubscribePath = "/unsubscribe"

// tempUnsubscribed keeps which mail destinations were stopped by their readers.
const tempUnsubscribed = "unsubscribed"

// unsubscribedReason is why such a destination is paused.
const unsubscribedReason = "its reader unsubscribed; the link in any of its mails, opened in a browser, turns them on again"

// unsubscribeRoutes take no cookie and no form of ours: the address is the proof. GET shows a page and changes nothing,
// because mail scanners open every link.
func (a *App) unsubscribeRoutes() map[string]http.Handler {
	return map[string]http.Handler{
		"GET " + unsubscribePath: http.HandlerFunc(a.showUnsubscribe), "POST " + unsubscribePath: http.HandlerFunc(a.takeUnsubscribe),
	}
}

// unsubscribeURL is the address that stops the mails to a destination; empty where no reader could reach it.
func (a *App) unsubscribeURL(d downwind.Destination) string {
	base := a.cfg.Server.BaseURL
	if !strings.HasPrefix(base, "https://") {
		return ""
	}
	proof, err := a.unsubscribeProof(context.Background(), d)
	if err != nil {
		a.log.Warn("a mail goes out without its unsubscribe address", "destination", d.ID, "error", err)
		return ""
	}
	return strings.TrimRight(base, "/") + unsubscribePath + "?" + url.Values{"to": {d.Channel}, "p": {proof}}.Encode()
}

// unsubscribeProof is made of the team's secret: it changes with it, and tells nothing of it.
func (a *App) unsubscribeProof(ctx context.Context, d downwind.Destination) (string, error) {
	team, err := a.db.Team(ctx, d.Team)
	if err != nil {
		return "", err
	}
	if team.Secret == "" {
		return "", fmt.Errorf("team %s has no secret: %w", team.ID, downwind.ErrInvalid)
	}
	mac := hmac.New(sha256.New, []byte(team.Secret))
	mac.Write([]byte("unsubscribe\x00" + d.ID))
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// unsubscriber finds the destination that a request may stop; ErrNotFound for a wrong proof and an unknown name alike.
func (a *App) unsubscriber(r *http.Request) (downwind.Destination, error) {
	q := r.URL.Query()
	d, err := a.db.Destination(r.Context(), email.Platform+"::"+q.Get("to"))
	if err != nil {
		return d, err
	}
	proof, err := a.unsubscribeProof(r.Context(), d)
	if err != nil {
		return d, err
	}
	if !hmac.Equal([]byte(proof), []byte(q.Get("p"))) {
		return d, fmt.Errorf("wrong proof: %w", downwind.ErrNotFound)
	}
	return d, nil
}

// stopped says why a destination gets no mails, empty when it does.
func (a *App) stopped(ctx context.Context, d downwind.Destination) string {
	if _, err := a.db.Temp(ctx, tempUnsubscribed, d.ID); err != nil {
		return ""
	}
	return unsubscribedReason
}

func (a *App) showUnsubscribe(w http.ResponseWriter, r *http.Request) {
	d, err := a.unsubscriber(r)
	if err != nil {
		unsubscribeFailed(w, a, err)
		return
	}
	label, value, state := "Stop these mails", "stop", "get"
	if a.stopped(r.Context(), d) != "" {
		label, value, state = "Turn these mails on again", "again", "no longer get"
	}
	plainPage(w, http.StatusOK, "Mails of Downwind", fmt.Sprintf(
		`<p>You %s mails about incidents of providers that team %s depends on.</p><form method="post"><button name="do" value="%s">%s</button></form>`,
		state, html.EscapeString(a.teamName(r.Context(), d)), value, label))
}

func (a *App) teamName(ctx context.Context, d downwind.Destination) string {
	team, err := a.db.Team(ctx, d.Team)
	if err != nil || team.Name == "" {
		return d.Team
	}
	return team.Name
}

// takeUnsubscribe stops the mails; only the page's own button turns them on again.
func (a *App) takeUnsubscribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<12)
	d, err := a.unsubscriber(r)
	if err != nil {
		unsubscribeFailed(w, a, err)
		return
	}
	said := "You get no more mails. The same link turns them on again."
	if r.PostFormValue("do") == "again" {
		said, err = "You get mails again, of what is open now first.", a.resubscribe(r.Context(), d)
	} else {
		err = a.unsubscribe(r.Context(), d)
	}
	if err != nil {
		unsubscribeFailed(w, a, err)
		return
	}
	plainPage(w, http.StatusOK, "Mails of Downwind", "<p>"+said+"</p>")
}

func (a *App) unsubscribe(ctx context.Context, d downwind.Destination) error {
	const keep = 10 * 365 * 24 * time.Hour
	if err := a.db.SetTemp(ctx, tempUnsubscribed, d.ID, []byte("1"), a.clock.Now().Add(keep)); err != nil {
		return err
	}
	first, err := a.db.Pause(ctx, d.ID, unsubscribedReason)
	if err == nil && first {
		a.operatorNote(ctx, downwind.OperatorNote{Key: "destination:" + d.ID + ":paused", Text: "Mails to " + d.Name + " are paused: " + unsubscribedReason + "."})
	}
	return err
}

func (a *App) resubscribe(ctx context.Context, d downwind.Destination) error {
	if _, err := a.db.TakeTemp(ctx, tempUnsubscribed, d.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	if err := a.db.ResumeDestination(ctx, d.ID); err != nil {
		return err
	}
	return a.catchup(ctx, d.ID)
}

func unsubscribeFailed(w http.ResponseWriter, a *App, err error) {
	if errors.Is(err, downwind.ErrNotFound) {
		plainPage(w, http.StatusNotFound, "Not found", "<p>This address belongs to no mail that is sent from here any more.</p>")
		return
	}
	a.log.Error("mails could not be stopped or started", "error", err)
	plainPage(w, http.StatusServiceUnavailable, "Not now", "<p>That did not work. Please try again in a minute.</p>")
}

// plainPage is a small page without scripts and styles; body is HTML of ours.
func plainPage(w http.ResponseWriter, status int, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=en><meta charset=utf-8><meta name=robots content=noindex><title>%[1]s</title><h1>%[1]s</h1>%[2]s</html>\n", html.EscapeString(title), body)
}

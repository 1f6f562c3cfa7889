package slack

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind"
)

// botScopes are those that the app asks for, as in deploy/slack-manifest.yaml.
var botScopes = []string{"commands", "chat:write", "files:read", "channels:history", "groups:history", "chat:write.public", "users:read", "usergroups:read"}

// stateTime is how long an install may take; Slack's own code lives as long.
const stateTime = 10 * time.Minute

// stateCookie binds an install to the browser that began it.
const stateCookie = "downwind_slack_oauth"

// serveOAuth sends a person to Slack, and takes the answer in when Slack sends them back.
func (a *App) serveOAuth(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := r.URL.Query()
	switch {
	case q.Get("error") != "":
		page(w, http.StatusOK, "Nothing was installed", "Slack says that the install was not allowed. You can begin again at any time.")
	case q.Get("code") == "" && q.Get("state") == "":
		a.beginOAuth(w, r)
	default:
		a.finishOAuth(w, r)
	}
}

func (a *App) secure() bool { return strings.HasPrefix(a.o.RedirectURL, "https://") }

func (a *App) beginOAuth(w http.ResponseWriter, r *http.Request) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	state := hex.EncodeToString(b[:])
	if _, err := a.o.Handler.Store.PutTemp(r.Context(), tempState, stateHash(state), nil, a.o.Clock.Now().Add(stateTime)); err != nil {
		a.o.Logger.Error("slack: oauth", "err", err)
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: stateCookie, Value: state, Path: "/slack/oauth", MaxAge: int(stateTime.Seconds()), HttpOnly: true,
		Secure: a.secure(), SameSite: http.SameSiteLaxMode,
	})
	v := url.Values{"client_id": {a.o.ClientID}, "scope": {strings.Join(botScopes, ",")}, "state": {state}, "redirect_uri": {a.o.RedirectURL}}
	http.Redirect(w, r, a.authorizeURL()+"?"+v.Encode(), http.StatusFound)
}

func (a *App) authorizeURL() string {
	if a.o.APIURL == "" {
		return "https://slack.com/oauth/v2/authorize"
	}
	return strings.TrimSuffix(a.o.APIURL, "api/") + "oauth/v2/authorize"
}

func stateHash(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:])
}

func (a *App) finishOAuth(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	cookie, err := r.Cookie(stateCookie)
	state := q.Get("state")
	if err != nil || state == "" || cookie.Value != state {
		page(w, http.StatusForbidden, "That was not begun here", "The install was begun in another browser, or too long ago. Please begin again at /slack/oauth.")
		return
	}
	if _, err := a.o.Handler.Store.TakeTemp(r.Context(), tempState, stateHash(state)); err != nil {
		page(w, http.StatusForbidden, "That link was used already", "Please begin again at /slack/oauth.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: stateCookie, Path: "/slack/oauth", MaxAge: -1, HttpOnly: true, Secure: a.secure(), SameSite: http.SameSiteLaxMode})
	install, err := a.exchange(r, q.Get("code"))
	if err != nil {
		a.o.Logger.Error("slack: oauth", "err", err)
		page(w, http.StatusBadGateway, "Slack did not confirm the install", "Please begin again at /slack/oauth. The cause is in Downwind's log.")
		return
	}
	page(w, http.StatusOK, "Downwind is installed in "+install.Name, "In a channel, write /feed stack import, then /feed subscribe stack. In private channels invite it first: /invite @downwind.")
}

// exchange trades the code for a token and keeps it.
func (a *App) exchange(r *http.Request, code string) (downwind.Install, error) {
	if a.o.Installs == nil {
		return downwind.Install{}, errors.New("installs are not kept: [slack] has a fixed token")
	}
	var opts []slackgo.OAuthOption
	if a.o.APIURL != "" {
		opts = append(opts, slackgo.OAuthOptionAPIURL(a.o.APIURL))
	}
	got, err := slackgo.GetOAuthV2ResponseContext(r.Context(), a.o.HTTP, a.o.ClientID, a.o.ClientSecret.Reveal(), code, a.o.RedirectURL, opts...)
	if err != nil {
		return downwind.Install{}, fmt.Errorf("oauth.v2.access: %w", err)
	}
	if got.IsEnterpriseInstall {
		return downwind.Install{}, errors.New("the app was installed for a whole organisation; install it in single workspaces")
	}
	i := downwind.Install{
		Platform: downwind.PlatformSlack, Workspace: got.Team.ID, Enterprise: got.Enterprise.ID, Name: got.Team.Name, App: got.AppID,
		Bot: got.BotUserID, Installer: got.AuthedUser.ID, Scopes: strings.Split(got.Scope, ","), Token: got.AccessToken, At: a.o.Clock.Now(),
	}
	if i.Workspace == "" || i.Token == "" {
		return downwind.Install{}, errors.New("oauth.v2.access: answer without workspace or token")
	}
	if err := a.o.Installs.SaveInstall(r.Context(), i); err != nil {
		return i, err
	}
	if a.o.OnInstalled != nil {
		a.o.OnInstalled(r.Context(), i.Workspace)
	}
	return i, nil
}

// page is a small page without scripts.
func page(w http.ResponseWriter, status int, title, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=en><meta charset=utf-8><title>%s</title><h1>%s</h1><p>%s</p></html>\n",
		html.EscapeString(title), html.EscapeString(title), html.EscapeString(text))
}

package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"downwind"
)

// A Role is what somebody may do for a team.
type Role string

// The roles: viewers read, editors keep stacks, administrators make tokens and change addresses.
const (
	RoleViewer Role = "viewer"
	RoleEditor Role = "editor"
	RoleAdmin  Role = "admin"
)

func (r Role) rank() int {
	switch r {
	case RoleViewer:
		return 1
	case RoleEditor:
		return 2
	case RoleAdmin:
		return 3
	}
	return 0
}

// A Login is who a one-time link or a session stands for.
type Login struct {
	// Team is the team's id, empty for an operator who looks at no team; Role "viewer", "editor" or "admin"; Name what the ledger calls the person ("@ana").
	Team string `json:"team"`
	Role Role   `json:"role"`
	Name string `json:"name"`
	// Operator says that the person holds the installation's own token and may see every team's messages.
	Operator bool `json:"operator,omitempty"`
}

// A session is a Login with the secret of its cookie.
type session struct {
	Login
	token string
}

// Lives of a one-time link and of a session.
const (
	linkLife    = 10 * time.Minute
	sessionLife = 14 * 24 * time.Hour
)

const (
	sessionCookie = "dw_session"
	themeCookie   = "dw_theme"
	linkKind      = "web-login"
	sessionKind   = "web-session"
)

// LoginPath stores a one-time link and returns its path ("/login/…"), good for ten minutes. Chat puts the base
// address before it and shows it to the person who asked, and to nobody else.
func LoginPath(ctx context.Context, temp Temp, login Login, now time.Time) (string, error) {
	if login.Team == "" || login.Role.rank() == 0 {
		return "", fmt.Errorf("sign-in link for team %q as %q: %w", login.Team, login.Role, downwind.ErrInvalid)
	}
	token, err := putLogin(ctx, temp, linkKind, login, now.Add(linkLife))
	if err != nil {
		return "", fmt.Errorf("sign-in link: %w", err)
	}
	return "/login/" + token, nil
}

// putLogin stores a login under the hash of a fresh token, so that whoever reads the store cannot sign in.
func putLogin(ctx context.Context, temp Temp, kind string, login Login, until time.Time) (string, error) {
	token := newSecret()
	body, err := json.Marshal(login)
	if err != nil {
		return "", err
	}
	_, err = temp.PutTemp(ctx, kind, hashOf(token), body, until)
	return token, err
}

// newSecret returns 128 random bits, hex.
func newSecret() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func sessionOf(r *http.Request) *session {
	who, _ := r.Context().Value(keySession).(*session)
	return who
}

// withSession looks up the cookie's session; a cookie that stands for nothing is ignored.
func (s *Server) withSession(r *http.Request) (*http.Request, error) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || len(c.Value) != 32 || sessionOf(r) != nil {
		return r, nil
	}
	body, err := s.opt.Reader.Temp(r.Context(), sessionKind, hashOf(c.Value))
	if errors.Is(err, downwind.ErrNotFound) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("session: %w", err)
	}
	who := &session{token: c.Value}
	if err := json.Unmarshal(body, &who.Login); err != nil {
		return r, fmt.Errorf("session: %w", err)
	}
	return r.WithContext(context.WithValue(r.Context(), keySession, who)), nil
}

// formToken is what the forms of a session carry; it cannot be made without the cookie.
func (s *session) formToken() string {
	m := hmac.New(sha256.New, []byte(s.token))
	m.Write([]byte("form"))
	return hex.EncodeToString(m.Sum(nil)[:16])
}

func checkFormToken(r *http.Request) error {
	who := sessionOf(r)
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	if who == nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(who.formToken())) != 1 {
		return refuse(http.StatusForbidden, "This form has expired. Load the page again and send it once more.")
	}
	return nil
}

// needTeam refuses an operator who has signed in without a team what belongs to one.
func (s *session) needTeam() error {
	if s.Team == "" {
		return refuse(http.StatusBadRequest, "You have signed in for the whole installation. Sign out, and in again with the team to see.")
	}
	return nil
}

func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(http.StatusUnauthorized, "Sign in first, then send the form again.")
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.prefix+"/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
	return nil
}

// localPath returns a path of ours that a visitor asked to come back to, "/" for anything else.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

type loginView struct {
	Next, Team string
	// Action is where the form goes; Link says that a one-time link was followed and one click is left.
	Action string
	Link   bool
	// Provider is the name of the sign-in provider, empty without one.
	Provider string
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) error {
	data := loginView{Next: localPath(r.URL.Query().Get("next")), Action: "/login"}
	if o := s.opt.OIDC; o != nil {
		if data.Provider = o.Name; data.Provider == "" {
			data.Provider = "your company's account"
		}
	}
	return s.showLoginForm(w, r, data)
}

// showLoginLink does not use the link up: chat programs fetch links to show previews.
func (s *Server) showLoginLink(w http.ResponseWriter, r *http.Request) error {
	return s.showLoginForm(w, r, loginView{Next: "/team", Action: "/login/" + url.PathEscape(r.PathValue("token")), Link: true})
}

func (s *Server) showLoginForm(w http.ResponseWriter, r *http.Request, data loginView) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	v := s.view(r, "Sign in", data)
	v.NoIndex = true
	return s.render(w, http.StatusOK, "login.html", v)
}

func (s *Server) loginByLink(w http.ResponseWriter, r *http.Request) error {
	if !s.fails.peek(clientKey(r), s.now()) {
		return tooManyLogins()
	}
	body, err := s.opt.Reader.TakeTemp(r.Context(), linkKind, hashOf(r.PathValue("token")))
	if errors.Is(err, downwind.ErrNotFound) {
		s.fails.allow(clientKey(r), s.now())
		return refuse(http.StatusGone, "This sign-in link has been used or has expired. Ask for a new one in chat with /feed settings.")
	}
	if err != nil {
		return fmt.Errorf("sign-in link: %w", err)
	}
	var login Login
	if err := json.Unmarshal(body, &login); err != nil {
		return fmt.Errorf("sign-in link: %w", err)
	}
	return s.startSession(w, r, login, "/team")
}

// loginByToken signs in with an API token or the administrator's.
func (s *Server) loginByToken(w http.ResponseWriter, r *http.Request) error {
	if !s.fails.peek(clientKey(r), s.now()) {
		return tooManyLogins()
	}
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	who, err := s.tokenHolder(r.Context(), strings.TrimSpace(r.PostForm.Get("token")))
	if errors.Is(err, downwind.ErrNotFound) {
		s.fails.allow(clientKey(r), s.now())
		return refuse(http.StatusForbidden, "This token is not known or has been revoked. Make one with: downwind token add")
	}
	if err != nil {
		return err
	}
	login := Login{Team: who.team, Role: who.role(), Name: "token " + who.name, Operator: who.admin}
	if login.Team == "" {
		if login.Team, err = s.chosenTeam(r.Context(), strings.TrimSpace(r.PostForm.Get("team")), who.admin); err != nil {
			return err
		}
	}
	next := localPath(r.PostForm.Get("next"))
	if login.Team == "" && next == "/team" {
		next = "/admin/queue"
	}
	return s.startSession(w, r, login, next)
}

func tooManyLogins() error {
	return &httpError{status: http.StatusTooManyRequests, sentence: "Too many failed attempts from your address. Wait a minute and try again.", retry: 60}
}

// chosenTeam is the team that a holder of a token for all teams asks for; the only one when none is named. An operator
// may go without: a new installation has no team yet.
func (s *Server) chosenTeam(ctx context.Context, name string, operator bool) (string, error) {
	if name != "" {
		team, err := s.opt.Reader.Team(ctx, name)
		if errors.Is(err, downwind.ErrNotFound) {
			return "", refuse(http.StatusNotFound, "There is no team called %q.", name)
		}
		return team.ID, err
	}
	teams, err := s.opt.Reader.Teams(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case len(teams) == 1:
		return teams[0].ID, nil
	case operator:
		return "", nil
	}
	return "", refuse(http.StatusBadRequest, "This token is good for every team. Name the one to see (there are %d).", len(teams))
}

func (s *Server) startSession(w http.ResponseWriter, r *http.Request, login Login, next string) error {
	token, err := putLogin(r.Context(), s.opt.Reader, sessionKind, login, s.now().Add(sessionLife))
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	http.SetCookie(w, s.cookie(r, sessionCookie, token, sessionLife))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.prefix+next, http.StatusSeeOther)
	return nil
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if who := sessionOf(r); who != nil {
		if _, err := s.opt.Reader.TakeTemp(r.Context(), sessionKind, hashOf(who.token)); err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return fmt.Errorf("end session: %w", err)
		}
	}
	c := s.cookie(r, sessionCookie, "", 0)
	c.MaxAge = -1
	http.SetCookie(w, c)
	http.Redirect(w, r, s.prefix+"/", http.StatusSeeOther)
	return nil
}

func (s *Server) cookie(r *http.Request, name, value string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: s.prefix + "/", MaxAge: int(life / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: originOf(r).scheme == "https",
	}
}

// saveTheme keeps the choice of light, dark or the system's own.
func (s *Server) saveTheme(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	theme := r.PostForm.Get("theme")
	if theme != "light" && theme != "dark" {
		theme = ""
	}
	c := s.cookie(r, themeCookie, theme, 365*24*time.Hour)
	if theme == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
	http.Redirect(w, r, s.prefix+localPath(r.PostForm.Get("next")), http.StatusSeeOther)
	return nil
}

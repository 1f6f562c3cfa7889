package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"downwind/secret"
)

// OIDC lets people sign in with an OpenID Connect provider. The redirect address to register there is the public address
// with /login/oidc/callback behind it.
type OIDC struct {
	// Issuer is the provider's address ("https://accounts.example.org"); Name what the button calls it.
	Issuer, Name string
	ClientID     string
	ClientSecret secret.String
	// Scopes are asked for beside openid, profile and email.
	Scopes []string
	// Grants say who may do what; the first that fits decides. Without one that fits nobody comes in.
	Grants []Grant
	// Client makes the requests to the provider; nil: http.DefaultClient.
	Client *http.Client
}

// A Grant gives a role in a team to everybody whose claim has a value.
type Grant struct {
	// Claim is the name in the ID token ("email", "groups"); Value the value, or one of the list, that it must have.
	// An email counts only when the provider has verified it.
	Claim, Value string
	Team         string
	Role         Role
}

// A signer holds the provider once it has been reached.
type signer struct {
	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier
	config   oauth2.Config
}

const (
	oidcKind   = "web-oidc"
	oidcCookie = "dw_oidc"
)

// attempt is what is kept between leaving for the provider and coming back.
type attempt struct {
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	Next     string `json:"next"`
}

// withClient makes the libraries use the configured client.
func (o *OIDC) withClient(ctx context.Context) context.Context {
	if o.Client == nil {
		return ctx
	}
	return oidc.ClientContext(ctx, o.Client)
}

// provider reaches the provider at the first sign-in and remembers it; a failure is tried again the next time.
func (s *Server) provider(r *http.Request) (*oidc.IDTokenVerifier, oauth2.Config, error) {
	o := s.opt.OIDC
	s.signer.mu.Lock()
	defer s.signer.mu.Unlock()
	if s.signer.verifier == nil {
		p, err := oidc.NewProvider(o.withClient(context.WithoutCancel(r.Context())), o.Issuer)
		if err != nil {
			return nil, oauth2.Config{}, &httpError{status: http.StatusBadGateway, sentence: "The sign-in provider cannot be reached. Try again, or use a link from chat.", cause: err}
		}
		s.signer.verifier = p.Verifier(&oidc.Config{ClientID: o.ClientID, Now: s.now})
		s.signer.config = oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), Endpoint: p.Endpoint(),
			Scopes: append([]string{oidc.ScopeOpenID, "profile", "email"}, o.Scopes...),
		}
	}
	config := s.signer.config
	config.RedirectURL = s.baseFor(r) + "/login/oidc/callback"
	return s.signer.verifier, config, nil
}

// leaveForOIDC sends the visitor to the provider, with state and nonce bound to this browser.
func (s *Server) leaveForOIDC(w http.ResponseWriter, r *http.Request) error {
	if s.opt.OIDC == nil {
		return refuse(http.StatusNotFound, "This installation has no sign-in provider.")
	}
	if !s.posts.allow(clientKey(r), s.now()) {
		return tooManyLogins()
	}
	_, config, err := s.provider(r)
	if err != nil {
		return err
	}
	state := newSecret()
	a := attempt{Nonce: newSecret(), Verifier: oauth2.GenerateVerifier(), Next: localPath(r.URL.Query().Get("next"))}
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("sign-in: %w", err)
	}
	if _, err := s.opt.Reader.PutTemp(r.Context(), oidcKind, hashOf(state), body, s.now().Add(linkLife)); err != nil {
		return fmt.Errorf("sign-in: %w", err)
	}
	http.SetCookie(w, s.cookie(r, oidcCookie, state, linkLife))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), http.StatusSeeOther)
	return nil
}

// returnFromOIDC checks what the provider says and begins a session for those whom a grant lets in.
func (s *Server) returnFromOIDC(w http.ResponseWriter, r *http.Request) error {
	if s.opt.OIDC == nil {
		return refuse(http.StatusNotFound, "This installation has no sign-in provider.")
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	q := r.URL.Query()
	if q.Get("error") != "" {
		return refuse(http.StatusForbidden, "The sign-in provider refused: %s.", clip(oneLine(q.Get("error")), 80))
	}
	a, err := s.takeAttempt(r, q.Get("state"))
	if err != nil {
		return err
	}
	verifier, config, err := s.provider(r)
	if err != nil {
		return err
	}
	ctx := s.opt.OIDC.withClient(r.Context())
	token, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return &httpError{status: http.StatusForbidden, sentence: "The sign-in provider did not accept the code. Sign in once more.", cause: err}
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := verifier.Verify(ctx, raw)
	if err != nil || id.Nonce != a.Nonce {
		return &httpError{status: http.StatusForbidden, sentence: "The sign-in provider's answer could not be verified. Sign in once more.", cause: err}
	}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return fmt.Errorf("sign-in: claims: %w", err)
	}
	login, ok := s.opt.OIDC.admit(claims)
	if !ok {
		return refuse(http.StatusForbidden, "You have signed in, but nothing here is open to you. Ask whoever runs this installation for a grant.")
	}
	return s.startSession(w, r, login, a.Next)
}

// takeAttempt finds the attempt that this browser began; each works once.
func (s *Server) takeAttempt(r *http.Request, state string) (attempt, error) {
	var a attempt
	c, err := r.Cookie(oidcCookie)
	if err != nil || state == "" || c.Value != state {
		return a, refuse(http.StatusForbidden, "This sign-in was begun in another browser. Begin again here.")
	}
	body, err := s.opt.Reader.TakeTemp(r.Context(), oidcKind, hashOf(state))
	if isMissing(err) {
		return a, refuse(http.StatusGone, "This sign-in has been used or has expired. Begin again.")
	}
	if err != nil {
		return a, fmt.Errorf("sign-in: %w", err)
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return a, fmt.Errorf("sign-in: %w", err)
	}
	return a, nil
}

// admit finds the first grant that fits the claims.
func (o *OIDC) admit(claims map[string]any) (Login, bool) {
	name := "somebody"
	for _, key := range []string{"sub", "name", "preferred_username", "email"} {
		if v, ok := claims[key].(string); ok && v != "" {
			name = clip(oneLine(v), 80)
		}
	}
	for _, g := range o.Grants {
		if g.Claim == "email" && claims["email_verified"] != true {
			continue
		}
		if holds(claims[g.Claim], g.Value) {
			return Login{Team: g.Team, Role: g.Role, Name: name}, true
		}
	}
	return Login{}, false
}

// holds reports whether a claim is the value or a list with it; case does not count in e-mail addresses.
func holds(claim any, value string) bool {
	switch v := claim.(type) {
	case string:
		return value != "" && (v == value || strings.Contains(value, "@") && strings.EqualFold(v, value))
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return one == any(value) }) && value != ""
	}
	return false
}

// check reports what keeps sign-in from working.
func (o *OIDC) check() error {
	if o.Issuer == "" || o.ClientID == "" {
		return errors.New("web: OIDC needs an issuer and a client id")
	}
	for i, g := range o.Grants {
		if g.Claim == "" || g.Value == "" || g.Team == "" || g.Role.rank() == 0 {
			return fmt.Errorf("web: OIDC grant %d needs claim, value, team and a role (viewer, editor or admin)", i+1)
		}
	}
	return nil
}

package web_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"downwind/secret"
	"downwind/web"
	"downwind/web/webtest"
)

// An issuer is an OpenID provider that says of everybody what its claims hold.
type issuer struct {
	*httptest.Server
	key    *rsa.PrivateKey
	claims map[string]any
	// verifier is the PKCE verifier of the newest exchange.
	verifier string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	iss := &issuer{key: key, claims: map[string]any{}}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": iss.URL, "authorization_endpoint": iss.URL + "/auth", "token_endpoint": iss.URL + "/token", "jwks_uri": iss.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		iss.verifier = r.FormValue("code_verifier")
		if r.FormValue("code") != "good" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": iss.sign(t)})
	})
	iss.Server = httptest.NewServer(mux)
	t.Cleanup(iss.Close)
	return iss
}

func (iss *issuer) sign(t *testing.T) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: iss.key, KeyID: "k"}}, nil)
	if err != nil {
		t.Error(err)
	}
	body, err := json.Marshal(iss.claims)
	if err != nil {
		t.Error(err)
	}
	signed, err := signer.Sign(body)
	if err != nil {
		t.Error(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestSignInWithOIDC(t *testing.T) {
	now := webtest.New().Clock.Now()
	base := func(iss *issuer, nonce string) map[string]any {
		return map[string]any{"iss": iss.URL, "aud": "downwind", "sub": "u1", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": nonce, "email": "Ana@example.org", "email_verified": true}
	}
	for _, c := range []struct {
		name   string
		change func(claims map[string]any)
		code   string
		state  string
		want   int
		role   string
	}{
		{"a group", func(m map[string]any) { m["groups"] = []string{"x", "sre"}; m["email"] = "o@example.org" }, "good", "", 303, "editor"},
		{"a verified address", func(map[string]any) {}, "good", "", 303, "admin"},
		{"an address that is not verified", func(m map[string]any) { m["email_verified"] = false }, "good", "", 403, ""},
		{"no grant", func(m map[string]any) { m["email"] = "eve@example.org" }, "good", "", 403, ""},
		{"another nonce", func(m map[string]any) { m["nonce"] = "other" }, "good", "", 403, ""},
		{"another audience", func(m map[string]any) { m["aud"] = "other" }, "good", "", 403, ""},
		{"expired", func(m map[string]any) { m["exp"] = now.Add(-time.Hour).Unix() }, "good", "", 403, ""},
		{"a bad code", func(map[string]any) {}, "bad", "", 403, ""},
		{"another state", func(map[string]any) {}, "good", "0123", 403, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			iss := newIssuer(t)
			server, _ := site(t, func(o *web.Options) {
				o.OIDC = &web.OIDC{Issuer: iss.URL, ClientID: "downwind", ClientSecret: secret.New("s"), Name: "Example", Grants: []web.Grant{
					{Claim: "groups", Value: "sre", Team: webtest.Team, Role: web.RoleEditor}, {Claim: "email", Value: "ana@example.org", Team: webtest.Team, Role: web.RoleAdmin},
				}}
			})
			if _, body := get(t, server.URL+"/login?next=/archive"); !strings.Contains(body, `/login/oidc?next=%2farchive">Sign in with Example`) {
				t.Errorf("no button: %.1500s", body)
			}
			resp, _ := get(t, server.URL+"/login/oidc?next=/archive")
			leave, err := url.Parse(resp.Header.Get("Location"))
			if err != nil || resp.StatusCode != http.StatusSeeOther || leave.Query().Get("code_challenge_method") != "S256" {
				t.Fatalf("leaves to %q: %v", resp.Header.Get("Location"), err)
			}
			if redirect := leave.Query().Get("redirect_uri"); redirect != server.URL+"/login/oidc/callback" {
				t.Errorf("redirect %q", redirect)
			}
			cookie := cookieOf(t, resp, "dw_oidc")
			iss.claims = base(iss, leave.Query().Get("nonce"))
			c.change(iss.claims)
			state := leave.Query().Get("state")
			if c.state != "" {
				state = c.state
			}
			back := server.URL + "/login/oidc/callback?code=" + c.code + "&state=" + state
			resp, body := get(t, back, "Cookie", cookie.Name+"="+cookie.Value)
			if resp.StatusCode != c.want {
				t.Fatalf("status %d, want %d: %.900s", resp.StatusCode, c.want, body)
			}
			if c.role == "" {
				return
			}
			if iss.verifier == "" || resp.Header.Get("Location") != "/archive" {
				t.Errorf("verifier %q, on to %q", iss.verifier, resp.Header.Get("Location"))
			}
			who := cookieOf(t, resp, "dw_session")
			if _, body := get(t, server.URL+"/team", "Cookie", who.Name+"="+who.Value); !strings.Contains(body, "("+c.role+")</li>") {
				t.Errorf("not signed in as %s", c.role)
			}
			if again, _ := get(t, back, "Cookie", cookie.Name+"="+cookie.Value); again.StatusCode != http.StatusGone {
				t.Errorf("the same answer worked twice: %d", again.StatusCode)
			}
		})
	}
}

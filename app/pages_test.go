package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/app/demo"
	"downwind/config"
	"downwind/secret"
	"downwind/web"
)

// TestChannelChangedOnThePages subscribes a channel on its team's page: the channel is told by whom, and hears what is open.
func TestChannelChangedOnThePages(t *testing.T) {
	v := newVillage(t, func(c *config.Config) { c.Team[0].Slack = "" })
	v.until(hour(14, 50))
	teams, err := v.app.Store().Teams(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	team := teams[slices.IndexFunc(teams, func(t downwind.Team) bool { return t.Name == "Checkout" })]
	dest := downwind.Destination{ID: "slack::" + channel, Platform: downwind.PlatformSlack, Channel: channel, Name: "#ops", Team: team.ID}
	if err := v.app.Store().SaveDestination(t.Context(), dest); err != nil {
		t.Fatal(err)
	}
	link, err := web.LoginPath(t.Context(), v.app.Store(), web.Login{Team: dest.Team, Role: web.RoleEditor, Name: "@ana"}, v.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	cookie := v.browse(http.MethodPost, link, "", nil).Result().Cookies()[0]
	session := cookie.Name + "=" + cookie.Value
	page := v.browse(http.MethodGet, "/team/settings?destination="+url.QueryEscape(dest.ID), session, nil)
	csrf := regexp.MustCompile(`name="csrf" value="([0-9a-f]+)"`).FindStringSubmatch(page.Body.String())
	if csrf == nil {
		t.Fatalf("settings: status %d: %.300s", page.Code, page.Body)
	}
	form := url.Values{"csrf": {csrf[1]}, "destination": {dest.ID}, "target": {"all"}}
	if w := v.browse(http.MethodPost, "/team/subscriptions", session, form); w.Code != http.StatusSeeOther {
		t.Fatalf("subscribe: status %d: %.300s", w.Code, w.Body)
	}
	v.until(hour(14, 52))
	got := strings.Join(v.texts(channel), "\n")
	for _, want := range []string{"ana subscribed this channel to all providers", "Elevated message API errors in EU West"} {
		if !strings.Contains(got, want) {
			t.Errorf("the channel lacks %q:\n%s", want, got)
		}
	}
}

// browse sends a form, or asks for a page, with a cookie.
func (v *village) browse(method, path, cookie string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(v.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	v.app.Handler().ServeHTTP(w, r)
	return w
}

// TestOperatorsPage lets the holder of the installation's token look at the queue, and at what a channel said last.
func TestOperatorsPage(t *testing.T) {
	v := newVillage(t, func(c *config.Config) { c.Server.AdminToken = secret.New("the-operator") })
	v.until(hour(14, 50))
	login := v.browse(http.MethodPost, "/login", "", url.Values{"token": {"the-operator"}, "team": {"checkout"}}).Result()
	if len(login.Cookies()) == 0 {
		t.Fatalf("signing in: status %d", login.StatusCode)
	}
	cookie := login.Cookies()[0].Name + "=" + login.Cookies()[0].Value
	page := v.browse(http.MethodGet, "/admin/queue", cookie, nil)
	for _, want := range []string{"Messages that wait", "Everything that should be visible is.", "Wake-ups by state"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the queue (status %d) lacks %q", page.Code, want)
		}
	}
}

// TestProofsOverTheAPI takes the proof of an archived version from the API and lets the API judge it, whole and altered.
func TestProofsOverTheAPI(t *testing.T) {
	v := newVillage(t, nil)
	v.until(hour(14, 50))
	bundle := v.browse(http.MethodGet, "/api/v1/incidents/"+demo.Slug+"/nr7k4euapi503/versions/1/proof", "", nil)
	if bundle.Code != http.StatusOK {
		t.Fatalf("proof: status %d: %.300s", bundle.Code, bundle.Body)
	}
	whole := bundle.Body.String()
	altered := strings.Replace(whole, "Elevated message", "Somewhat elevated message", 1)
	for body, want := range map[string]string{whole: `"result":"valid"`, altered: `"result":"invalid"`, "nothing": `"result":"unreadable"`} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/verify", strings.NewReader(body))
		w := httptest.NewRecorder()
		v.app.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, want %s: %.400s", w.Code, want, w.Body)
		}
	}
}

// TestOwnTLS serves the pages with a certificate of their own, under HTTP/2 and with the header that asks browsers to stay.
func TestOwnTLS(t *testing.T) {
	var roots *x509.CertPool
	v := newVillage(t, func(c *config.Config) {
		roots = certificate(t, c.Dir)
		c.Server.Listen, c.Server.TLSCert, c.Server.TLSKey = "127.0.0.1:0", "cert.pem", "key.pem"
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.app.Run(ctx) }()
	<-v.app.Ready()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	resp, err := client.Get("https://" + v.app.Addr().String() + "/about")
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("status %d, %s, HSTS %q", resp.StatusCode, resp.Proto, resp.Header.Get("Strict-Transport-Security"))
	}
	client.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// certificate writes a key and a certificate for the loopback into a folder and returns what trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "downwind"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		text := pem.EncodeToMemory(block)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		pool.AppendCertsFromPEM(text)
	}
	return pool
}

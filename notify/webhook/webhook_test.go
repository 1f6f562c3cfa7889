package webhook_test

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"downwind"
	"downwind/notify"
	"downwind/notify/notifytest"
	"downwind/notify/webhook"
	"downwind/secret"
)

var (
	hmacKey = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	seedKey = "whsk_" + base64.StdEncoding.EncodeToString([]byte("abcdefghijklmnopqrstuvwxyz012345"))
	now     = time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC)
)

func target() notify.Target {
	return notify.Target{Destination: downwind.Destination{ID: "webhook::ci", Platform: "webhook", Channel: "ci"}, Key: notify.Key("webhook::ci", "a/b", "root")}
}

func TestSignedEvent(t *testing.T) {
	for _, c := range []struct {
		name, key string
		check     func(sig string, text []byte) bool
	}{
		{"hmac", hmacKey, func(sig string, text []byte) bool {
			m := hmac.New(sha256.New, []byte("0123456789abcdef0123456789abcdef"))
			m.Write(text)
			return sig == "v1,"+base64.StdEncoding.EncodeToString(m.Sum(nil))
		}},
		{"ed25519", seedKey, func(sig string, text []byte) bool {
			raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sig, "v1a,"))
			pub, err2 := base64.StdEncoding.DecodeString(strings.TrimPrefix(webhook.PublicKey(secret.New(seedKey)), "whpk_"))
			return err == nil && err2 == nil && ed25519.Verify(pub, text, raw)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got webhook.Event
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				text := r.Header.Get("webhook-id") + "." + r.Header.Get("webhook-timestamp") + "." + string(body)
				if !c.check(r.Header.Get("webhook-signature"), []byte(text)) {
					t.Errorf("signature %q does not fit", r.Header.Get("webhook-signature"))
				}
				if err := json.Unmarshal(body, &got); err != nil {
					t.Error(err)
				}
				w.WriteHeader(http.StatusNoContent)
			}))
			defer srv.Close()
			n := webhook.New(webhook.Options{
				Endpoints: map[string]webhook.Config{"ci": {URL: secret.New(srv.URL + "/hook"), Key: secret.New(c.key)}}, Now: func() time.Time { return now },
			})
			m := notify.Compose(notify.Sample(downwind.ChangeResolved, now), notify.ComposeOptions{BaseURL: "https://downwind.example"})
			r := n.Post(context.Background(), target(), m)
			if r.Verdict != notify.Done || r.ID != target().Key {
				t.Fatalf("%+v", r)
			}
			if got.Type != "incident.resolved" || got.Data.Replay == nil || len(got.Data.Windows) != 1 || got.Data.Delivery != target().Key {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	for code, want := range map[int]notify.Verdict{
		200: notify.Done, 204: notify.Done, 301: notify.Permanent, 400: notify.Rejected, 401: notify.Permanent, 404: notify.Permanent,
		410: notify.Permanent, 429: notify.Wait, 500: notify.Unclear, 502: notify.Unclear, 503: notify.Unclear,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		}))
		n := webhook.New(webhook.Options{Endpoints: map[string]webhook.Config{"ci": {URL: secret.New(srv.URL + "/s3cr3t-path"), Key: secret.New(hmacKey)}}})
		r := n.Post(context.Background(), target(), notify.Message{Title: "x"})
		if r.Verdict != want {
			t.Errorf("%d: verdict %d, want %d", code, r.Verdict, want)
		}
		notifytest.LeaksNoSecret(t, r, "s3cr3t-path", hmacKey)
		srv.Close()
		r = n.Post(context.Background(), target(), notify.Message{Title: "x"})
		if r.Verdict != notify.NotSent {
			t.Errorf("closed: verdict %d, want NotSent", r.Verdict)
		}
		notifytest.LeaksNoSecret(t, r, "s3cr3t-path", hmacKey)
	}
}

func TestUnknownEndpoint(t *testing.T) {
	r := webhook.New(webhook.Options{}).Post(context.Background(), target(), notify.Message{})
	if r.Verdict != notify.Permanent || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}

func TestNeverOver20kB(t *testing.T) {
	var size int
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		size = len(b)
	}))
	defer srv.Close()
	n := webhook.New(webhook.Options{Endpoints: map[string]webhook.Config{"ci": {URL: secret.New(srv.URL), Key: secret.New(hmacKey)}}})
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{Root: true})
		if r := n.Post(context.Background(), target(), m); r.Verdict != notify.Done || size > 20<<10 {
			t.Fatalf("%+v, %d bytes", r, size)
		}
	})
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		c    webhook.Config
		ok   bool
	}{
		{"good", webhook.Config{URL: secret.New("https://a.example/x"), Key: secret.New(hmacKey)}, true},
		{"ed25519", webhook.Config{URL: secret.New("https://a.example/x"), Key: secret.New(seedKey), OldKey: secret.New(hmacKey)}, true},
		{"no key", webhook.Config{URL: secret.New("https://a.example/x")}, false},
		{"short key", webhook.Config{URL: secret.New("https://a.example/x"), Key: secret.New("whsec_YWJj")}, false},
		{"no address", webhook.Config{URL: secret.New("ftp://a.example"), Key: secret.New(hmacKey)}, false},
	} {
		if err := c.c.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

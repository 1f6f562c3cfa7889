package discord_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"downwind/notify/discord/discordtest"
)

// post sends a signed interaction by HTTP.
func (b *bench) post(payload any, at time.Time, change ...func(*http.Request)) (int, string) {
	b.Helper()
	req, err := discordtest.SignInteraction(b.ctx(), b.web.URL+"/discord/interactions", b.key, payload, at)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range change {
		c(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	b.app.Wait()
	return resp.StatusCode, string(body)
}

func TestHTTPModeAnswersPingAndForgedRequests(t *testing.T) {
	b := newBench(t)
	now := b.clock.Now()
	if status, body := b.post(map[string]any{"type": 1}, now); status != 200 || strings.TrimSpace(body) != `{"type":1}` {
		t.Errorf("ping: %d %s", status, body)
	}
	payload, id := b.fake.Payload(cmd("feed subscribe", map[string]any{"target": "livekit"}))
	swap := func(with []byte) func(*http.Request) {
		return func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(with)), int64(len(with))
		}
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tc := range []struct {
		name   string
		at     time.Time
		change func(*http.Request)
		want   int
	}{
		{"an hour old", now.Add(-time.Hour), nil, 401},
		{"from the future", now.Add(time.Hour), nil, 401},
		{"altered body", now, swap([]byte(`{"type":2,"guild_id":"99"}`)), 401},
		{"empty body", now, swap(nil), 401},
		{"bad hex", now, header("X-Signature-Ed25519", "zz"), 401},
		{"empty signature", now, header("X-Signature-Ed25519", ""), 401},
		{"signature of zeros", now, header("X-Signature-Ed25519", strings.Repeat("0", 128)), 401},
		{"no time", now, header("X-Signature-Timestamp", ""), 401},
		{"huge body", now, swap(bytes.Repeat([]byte("a"), 1<<20+1)), 413},
		{"by GET", now, func(r *http.Request) { r.Method = http.MethodGet }, 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var changes []func(*http.Request)
			if tc.change != nil {
				changes = append(changes, tc.change)
			}
			if status, _ := b.post(payload, tc.at, changes...); status != tc.want {
				t.Errorf("status %d, want %d", status, tc.want)
			}
		})
	}
	if b.store.Writes() != 0 || b.fake.Interaction(id).Type != 0 {
		t.Error("a forged request had an effect")
	}
}

func TestHTTPModeCarriesOutOnce(t *testing.T) {
	b := newBench(t)
	payload, id := b.fake.Payload(cmd("feed subscribe", map[string]any{"target": "livekit"}))
	// The first answer goes out in the response, so that the fake has to be told of it.
	callback := func() {
		req, err := http.NewRequestWithContext(b.ctx(), http.MethodPost, b.fake.URL()+"/api/v9/interactions/"+id+"/"+payload["token"].(string)+"/callback", strings.NewReader(`{"type":5,"data":{"flags":64}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "DiscordBot (https://downwind.example, 1)")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	callback()
	at := b.clock.Now()
	status, body := b.post(payload, at)
	if status != 200 || !strings.Contains(body, `"type":5`) || !strings.Contains(body, `"flags":64`) {
		t.Fatalf("%d %s, want a private answer that follows", status, body)
	}
	i := b.fake.Interaction(id)
	b.wants(visible(i.Final()), "Subscribed.")
	if len(i.Followups) != 1 {
		t.Fatalf("%d follow-ups, want the announcement", len(i.Followups))
	}
	writes := b.store.Writes()
	if status, _ := b.post(payload, at); status != 401 || b.store.Writes() != writes {
		t.Errorf("a replay: status %d, %d writes more", status, b.store.Writes()-writes)
	}
}

func TestDirectMessagesAreDeclined(t *testing.T) {
	b := newBench(t)
	status, body := b.post(map[string]any{"type": 2, "id": "1", "token": "t", "user": map[string]any{"id": "4242"}, "data": map[string]any{"name": "feed"}}, b.clock.Now())
	if status != 200 || !strings.Contains(body, "channels of a server") || !strings.Contains(body, `"allowed_mentions":{"parse":[]}`) {
		t.Errorf("%d %s", status, body)
	}
}

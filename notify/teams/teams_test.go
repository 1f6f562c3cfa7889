package teams_test

import (
	"context"
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
	"downwind/notify/teams"
	"downwind/secret"
)

func target() notify.Target {
	return notify.Target{Destination: downwind.Destination{Platform: "teams", Channel: "ops"}, Key: "dw_k"}
}

func TestCard(t *testing.T) {
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	n := teams.New(teams.Options{Workflows: map[string]teams.Config{"ops": {URL: secret.New(srv.URL + "/workflows/x?sig=s3cr3t")}}})
	m := notify.Compose(notify.Sample(downwind.ChangeResolved, time.Now()), notify.ComposeOptions{BaseURL: "https://downwind.example", Version: 4})
	r := n.Reply(context.Background(), target(), m)
	if r.Verdict != notify.Done {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{"(update 4)", "Replay windows", "Checklist", `"version":"1.4"`, "Action.OpenUrl", "application/vnd.microsoft.card.adaptive"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("lacks %q: %s", want, body)
		}
	}
	for _, not := range []string{"Action.Submit", "\"entities\"", "TextBlock\""} {
		if strings.Contains(strings.ReplaceAll(string(body), "RichTextBlock", ""), not) {
			t.Errorf("holds %q", not)
		}
	}
	srv.Close()
	r = n.Post(context.Background(), target(), m)
	if r.Verdict != notify.NotSent {
		t.Errorf("%+v", r)
	}
	notifytest.LeaksNoSecret(t, r, "s3cr3t")
}

func TestNeverOver28KB(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := notify.Compose(notifytest.Alert(t), notify.ComposeOptions{Root: rapid.Bool().Draw(t, "root"), BaseURL: "https://downwind.example"})
		raw, err := teams.Render(m)
		if err != nil || len(raw) > 28<<10 {
			t.Fatalf("%v, %d bytes", err, len(raw))
		}
		var v struct {
			Attachments []struct {
				Content struct {
					Body []struct {
						Inlines []struct{ Text string }
					}
				}
			}
		}
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		for _, b := range v.Attachments[0].Content.Body {
			for _, in := range b.Inlines {
				if in.Text == "" || strings.Contains(in.Text, "://") || strings.Contains(in.Text, "<at>") {
					t.Fatalf("live or empty run %q", in.Text)
				}
			}
		}
	})
}

func TestValidate(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://prod-1.westeurope.logic.azure.com/workflows/x?sig=y": true,
		"https://default1.environment.api.powerplatform.com/x?sig=y":  true,
		"https://acme.webhook.office.com/webhookb2/x":                 false,
		"http://prod-1.westeurope.logic.azure.com/workflows/x?sig=y":  false,
		"": false,
	} {
		if err := (teams.Config{URL: secret.New(address)}).Validate(); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

package slack

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/secret"
)

// FuzzPayloads hands interactions and events of any shape to the app: nothing may crash, and nothing may leave for a
// foreign address.
func FuzzPayloads(f *testing.F) {
	f.Add([]byte(`{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1"},"channel":{"id":"C1"},"actions":[{"action_id":"ack:livekit/a","block_id":"b","type":"button"}]}`))
	f.Add([]byte(`{"type":"view_submission","team":{"id":"T1"},"user":{"id":"U1"},"view":{"callback_id":"settings","private_metadata":"{\"c\":\"C1\",\"u\":\"https://evil.example\"}","state":{"values":{"quiet":{"quiet":{"type":"plain_text_input","value":"x"}}}}}}`))
	f.Add([]byte(`{"type":"message_action","callback_id":"stack_from_message","team":{"id":"T1"},"message":{"files":[{"id":"F1"}]}}`))
	f.Add([]byte(`{"type":"event_callback","team_id":"T1","event_id":"E1","event":{"type":"message","channel_type":"im","subtype":"file_share","channel":"D1","files":[{}]}}`))
	f.Add([]byte(`{"type":"event_callback","team_id":"T1","event_id":"E2","event":{"type":"tokens_revoked","tokens":{"bot":["U"]}}}`))
	clock := chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	server := httptest.NewServer(http.NotFoundHandler())
	f.Cleanup(server.Close)
	cat := chattest.Providers()
	f.Fuzz(func(t *testing.T, raw []byte) {
		handler := chat.New(chat.Options{Store: chattest.NewStore(clock), Catalogue: cat, Stacks: chattest.Stacks{Catalogue: cat}, Clock: clock})
		app, err := New(Options{
			Handler: handler, Token: secret.New("xoxb-fuzz"), APIURL: server.URL + "/api/", Clock: clock,
			HTTP: &http.Client{Transport: onlyHost{t, server.Listener.Addr().String()}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var i slackgo.InteractionCallback
		if json.Unmarshal(raw, &i) == nil {
			app.interaction(i)
		}
		if err := app.event(t.Context(), raw); err == nil {
			app.Wait()
		}
		app.Wait()
	})
}

// onlyHost fails the test when a request goes elsewhere.
type onlyHost struct {
	t    *testing.T
	host string
}

func (o onlyHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != o.host {
		o.t.Errorf("a request to %s", r.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(r)
}

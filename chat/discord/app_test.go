package discord_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/discord"
	"downwind/notify"
	"downwind/notify/discord/discordtest"
	"downwind/secret"
)

// bench is an app between a fake Discord and an in-memory store.
type bench struct {
	*testing.T
	fake  *discordtest.Server
	store *chattest.Store
	clock *chattest.Clock
	app   *discord.App
	web   *httptest.Server
	key   ed25519.PrivateKey
	logs  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newBench(t *testing.T, change ...func(*discord.Options)) *bench {
	t.Helper()
	t.Parallel()
	b := &bench{T: t, clock: chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)), logs: &lockedBuffer{}}
	b.fake = discordtest.New(discordtest.Options{})
	t.Cleanup(b.fake.Close)
	b.store = chattest.NewStore(b.clock)
	cat := chattest.Providers()
	log := slog.New(slog.NewTextHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	handler := chat.New(chat.Options{
		Store: b.store, Catalogue: cat, Stacks: chattest.Stacks{Catalogue: cat}, Clock: b.clock, BaseURL: "https://downwind.example", Logger: log,
	})
	b.key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	o := discord.Options{
		Handler: handler, Token: secret.New(b.fake.Token()), ApplicationID: b.fake.Application(), APIURL: b.fake.URL() + "/api/v10",
		PublicKey: hex.EncodeToString(b.key.Public().(ed25519.PublicKey)), Clock: b.clock, Logger: log,
	}
	for _, c := range change {
		c(&o)
	}
	app, err := discord.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.app = app
	mux := http.NewServeMux()
	for path, h := range app.Handlers() {
		mux.Handle(path, h)
	}
	b.web = httptest.NewServer(mux)
	t.Cleanup(b.web.Close)
	t.Cleanup(func() {
		app.Wait()
		for _, p := range b.fake.Problems() {
			t.Errorf("Discord would complain: %s", p)
		}
		if strings.Contains(b.logs.String(), b.fake.Token()) || strings.Contains(b.logs.String(), "itoken-") {
			t.Error("a token is in the log")
		}
	})
	return b
}

// connect runs the gateway until the test ends.
func (b *bench) connect() {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.app.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("Run: %v", err)
		}
	})
}

// patience is how long a test waits for what comes at once, or after less than the platform's three seconds, on a machine
// that has something else to do. What hangs takes longer still.
const patience = 30 * time.Second

func (b *bench) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.Cleanup(cancel)
	return ctx
}

// interact makes a request over the gateway and returns all answers.
func (b *bench) interact(r discordtest.Request) (priv, pub string, i discordtest.Interaction) {
	b.Helper()
	i, err := b.fake.Interact(b.ctx(), r)
	if err != nil {
		b.Fatal(err)
	}
	b.app.Wait()
	i = b.fake.Interaction(i.ID)
	priv = visible(i.Final())
	for _, f := range i.Followups {
		var m struct{ Flags int }
		if err := json.Unmarshal(f, &m); err != nil {
			b.Fatal(err)
		}
		if m.Flags&64 != 0 {
			priv += visible(f)
		} else {
			pub += visible(f)
		}
	}
	return priv, pub, i
}

// visible is all text of a message, without the marks that make it inert.
func visible(raw json.RawMessage) string {
	var m struct {
		Content string
		Embeds  []struct {
			Title, Description string
			Fields             []struct{ Name, Value string }
		}
	}
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, e := range m.Embeds {
		fmt.Fprintf(&b, "%s\n%s\n", e.Title, e.Description)
		for _, f := range e.Fields {
			fmt.Fprintf(&b, "%s\n%s\n", f.Name, f.Value)
		}
	}
	return strings.NewReplacer("\\", "", "\u200b", "", "**", "").Replace(b.String())
}

func (b *bench) wants(got string, parts ...string) {
	b.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			b.Errorf("got %q, want it to contain %q", got, p)
		}
	}
}

func cmd(path string, options map[string]any) discordtest.Request {
	return discordtest.Command(strings.Fields(path), options)
}

func TestCommandsOverTheGateway(t *testing.T) {
	b := newBench(t)
	b.connect()
	priv, pub, i := b.interact(cmd("feed subscribe", map[string]any{"target": "livekit", "min": "major"}))
	if !i.Deferred() || !i.Ephemeral() {
		t.Errorf("the first answer is type %d %s, want a private one that follows", i.Type, i.Data)
	}
	b.wants(priv, "Subscribed.")
	b.wants(pub, "@Ana", "subscribed this channel to", "LiveKit", "min:major")
	priv, pub, _ = b.interact(cmd("feed list", nil))
	b.wants(priv, "LiveKit", "min:major")
	if pub != "" {
		t.Errorf("list is announced: %q", pub)
	}
	priv, _, _ = b.interact(cmd("downwind subscribe", map[string]any{"target": "livekt"}))
	b.wants(priv, "Did you mean livekit?", "/downwind subscribe livekit")
	priv, _, _ = b.interact(cmd("feed mute", map[string]any{"target": "livekit", "for": "5m"}))
	b.wants(priv, "15m at least", "/feed mute livekit for 15m")
	priv, _, _ = b.interact(cmd("feed why", nil))
	b.wants(priv, "No incident has been told in this channel yet")
	priv, _, _ = b.interact(cmd("feed help", nil))
	b.wants(priv, "/feed stack import")
}

// A process that loses the connection to another and takes it back answers once.
func TestRunAgainAnswersOnce(t *testing.T) {
	b := newBench(t)
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- b.app.Run(ctx) }()
		priv, _, i := b.interact(cmd("feed list", nil))
		b.wants(priv, "Nothing is subscribed here")
		if len(i.Edits) != 1 {
			t.Errorf("%d answers, want one", len(i.Edits))
		}
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := b.fake.Wait(b.ctx(), func() bool { return b.fake.Connected() == 0 }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommandsAreRegistered(t *testing.T) {
	b := newBench(t)
	if err := b.app.Register(b.ctx()); err != nil {
		t.Fatal(err)
	}
	raw := b.fake.Commands("")
	for _, p := range discordtest.ValidateCommands(raw) {
		t.Error(p)
	}
	b.wants(string(raw), `"name":"feed"`, `"name":"downwind"`, `"mention_from"`)
	for _, c := range discord.Commands() {
		if c.Type == discordgo.MessageApplicationCommand {
			continue // it has a name and nothing else
		}
		size := 0
		verbs := map[string]bool{}
		var walk func(name, about string, options []json.RawMessage)
		walk = func(name, about string, options []json.RawMessage) {
			size += len(name) + len(about)
			for _, o := range options {
				var v struct {
					Name, Description string
					Options           []json.RawMessage
					Choices           []struct{ Name, Value string }
				}
				if err := json.Unmarshal(o, &v); err != nil {
					t.Fatal(err)
				}
				for _, ch := range v.Choices {
					size += len(ch.Name) + len(ch.Value)
				}
				walk(v.Name, v.Description, v.Options)
			}
		}
		var options []json.RawMessage
		for _, o := range c.Options {
			verbs[o.Name] = true
			one, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			options = append(options, one)
			required := true
			for _, in := range o.Options {
				if in.Required && !required {
					t.Errorf("%s: a required option after an optional one", o.Name)
				}
				required = in.Required
			}
		}
		walk(c.Name, c.Description, options)
		if size > 8000 {
			t.Errorf("%s: %d characters, Discord allows 8000", c.Name, size)
		}
		for _, verb := range []string{"help", "subscribe", "unsubscribe", "list", "status", "why", "replay", "stack", "check", "mute", "unmute", "ack", "digest", "quiet", "remind", "preview", "test", "feed", "settings"} {
			if !verbs[verb] {
				t.Errorf("%s has no %s", c.Name, verb)
			}
		}
	}
}

func TestStackImportByAttachment(t *testing.T) {
	b := newBench(t)
	b.connect()
	r := b.fake.WithAttachment(cmd("feed stack import", nil), "file", "package.json", []byte(`{"dependencies":{"livekit-client":"1","stripe":"2"}}`))
	priv, pub, i := b.interact(r)
	b.wants(priv, "2 providers found", "livekit-client", "Originals deleted")
	b.wants(pub, "gave team")
	id := component(t, i.Final(), "Subscribe this channel to 2 providers")
	_, pub, _ = b.interact(discordtest.Request{Type: 3, Data: map[string]any{"custom_id": id, "component_type": 2}})
	b.wants(pub, "subscribed this channel to", "your stack")

	_, pub, _ = b.interact(discordtest.Request{Type: 3, Data: map[string]any{"custom_id": "pick:stack", "component_type": 3, "values": []string{"stripe"}}})
	b.wants(pub, "Stripe")
}

// component finds the custom_id of a button by its label.
func component(t *testing.T, raw json.RawMessage, label string) string {
	t.Helper()
	var m struct {
		Components []struct {
			Components []struct {
				Label string
				ID    string `json:"custom_id"`
			}
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	for _, row := range m.Components {
		for _, c := range row.Components {
			if c.Label == label {
				return c.ID
			}
		}
	}
	t.Fatalf("no button %q in %s", label, raw)
	return ""
}

func TestAttachmentsComeFromDiscordOnly(t *testing.T) {
	seen := make(chan string, 10)
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen <- r.URL.Path }))
	defer foreign.Close()
	b := newBench(t)
	b.connect()
	for _, address := range []string{foreign.URL + "/x", "http://cdn.discordapp.com/x", "https://cdn.discordapp.com.evil.example/x", "https://u:p@cdn.discordapp.com/x", "file:///etc/passwd", "https://cdn.discordapp.com:8443/x"} {
		r := cmd("feed stack import", nil)
		group := r.Data["options"].([]any)[0].(map[string]any)
		leaf := group["options"].([]any)[0].(map[string]any)
		leaf["options"] = []any{map[string]any{"name": "file", "type": 11, "value": "77"}}
		r.Data["resolved"] = map[string]any{"attachments": map[string]any{"77": map[string]any{"id": "77", "filename": "package.json", "size": 2, "url": address}}}
		priv, _, _ := b.interact(r)
		b.wants(priv, "not kept by Discord")
	}
	if len(seen) != 0 || b.store.Writes() != 0 {
		t.Errorf("%d requests to a foreign host, %d writes", len(seen), b.store.Writes())
	}
}

func TestAutocomplete(t *testing.T) {
	b := newBench(t)
	b.connect()
	suggest := func(verb, name, typed string) string {
		r := cmd("feed "+verb, nil)
		r.Type = 4
		r.Data["options"].([]any)[0].(map[string]any)["options"] = []any{map[string]any{"name": name, "type": 3, "value": typed, "focused": true}}
		_, _, i := b.interact(r)
		if i.Type != 8 {
			t.Fatalf("type %d, want choices", i.Type)
		}
		var got struct {
			Choices []struct{ Name, Value string }
		}
		if err := json.Unmarshal(i.Data, &got); err != nil || len(got.Choices) > 25 {
			t.Fatalf("%s: %v", i.Data, err)
		}
		var values []string
		for _, c := range got.Choices {
			values = append(values, c.Value)
		}
		return strings.Join(values, "|")
	}
	b.store.SetComponents("github", downwind.Component{Name: "Actions"}, downwind.Component{Name: "Git Operations"})
	for _, tc := range []struct{ verb, name, typed, want string }{
		{"subscribe", "target", "", "stack|all"},
		{"subscribe", "target", "live", "livekit"},
		{"subscribe", "target", "github/", `github/Actions|"github/Git Operations"`},
		{"subscribe", "kinds", "new,re", "new,resolved"},
		{"digest", "tz", "berl", "Europe/Berlin"},
		{"help", "verb", "unm", "unmute"},
		{"mute", "for", "7", "7d"},
	} {
		if got := suggest(tc.verb, tc.name, tc.typed); got != tc.want {
			t.Errorf("%s %s %q: got %s, want %s", tc.verb, tc.name, tc.typed, got, tc.want)
		}
	}
	b.interact(cmd("feed subscribe", map[string]any{"target": `"github/Git Operations"`}))
	if got := suggest("unsubscribe", "target", "git"); !strings.HasPrefix(got, `"github/Git Operations"`) {
		t.Errorf("got %s, want what is subscribed first", got)
	}
}

func TestPermissionsOfEachVerb(t *testing.T) {
	b := newBench(t)
	b.connect()
	for _, tc := range []struct {
		permissions string
		may         bool
	}{{"0", false}, {"2048", false}, {"16", true}, {"32", true}, {"8", true}} {
		before := b.store.Writes()
		r := cmd("feed subscribe", map[string]any{"target": "livekit", "min": map[bool]string{true: "major", false: "minor"}[before%2 == 0]})
		r.Permissions = tc.permissions
		priv, pub, _ := b.interact(r)
		if changed := b.store.Writes() != before; changed != tc.may {
			t.Errorf("permissions %s: changed %v, want %v (%s)", tc.permissions, changed, tc.may, priv)
		}
		if !tc.may {
			b.wants(priv, "Manage Channels")
			if pub != "" {
				t.Errorf("announced: %q", pub)
			}
		}
	}
	read := cmd("feed status", map[string]any{"target": "livekit"})
	read.Permissions = "0"
	priv, _, _ := b.interact(read)
	b.wants(priv, "We cannot tell")
}

func TestARoleMayBeTrusted(t *testing.T) {
	b := newBench(t)
	b.connect()
	_, pub, _ := b.interact(cmd("feed settings", map[string]any{"role": "555000111222"}))
	b.wants(pub, "changed this channel's settings")
	payload, id := b.fake.Payload(cmd("feed subscribe", map[string]any{"target": "livekit"}))
	member := payload["member"].(map[string]any)
	member["permissions"], member["roles"] = "0", []string{"555000111222"}
	if err := b.fake.Dispatch(b.ctx(), "INTERACTION_CREATE", payload); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fake.Answered(b.ctx(), id); err != nil {
		t.Fatal(err)
	}
	b.app.Wait()
	if subs, _ := b.store.Subscriptions(b.ctx(), "discord:99:1001"); len(subs) != 1 {
		t.Error("a member of the trusted role may not subscribe")
	}
}

func TestClickIsAuthorisedByItsChannel(t *testing.T) {
	b := newBench(t)
	b.connect()
	inc := downwind.Incident{Provider: "livekit", ID: "a1", Kind: downwind.KindIncident, Title: "API errors @everyone [x](https://evil.example)", Phase: downwind.Investigating, Impact: downwind.ImpactMajor}
	b.store.AddIncident(inc)
	b.store.AddDelivery(downwind.Delivery{ID: "d1", Destination: "discord:99:1001", Incident: inc.Key(), RootID: "42"},
		downwind.Part{Version: 1, Alert: downwind.Alert{Incident: inc, Match: downwind.Match{Affected: true}}})
	click := func(guild, channel, verb string) (string, string, discordtest.Interaction) {
		m := discordtest.Message{ID: "42", Channel: channel}
		r := discordtest.Press(m, notify.ActionID(verb, notify.IncidentArg(inc.Key())))
		r.Guild = guild
		return b.interact(r)
	}
	before := b.store.Writes()
	for _, other := range [][2]string{{"666", "1001"}, {"99", "2002"}} {
		priv, pub, _ := click(other[0], other[1], notify.VerbAck)
		b.wants(priv, "Not found")
		if pub != "" || b.store.Writes() != before {
			t.Errorf("%v: a foreign click had an effect", other)
		}
	}
	priv, _, _ := click("99", "1001", notify.VerbAck)
	b.wants(priv, "Acknowledged")
	priv, _, i := click("99", "1001", notify.VerbWhy)
	b.wants(priv, "livekit/a1")
	for _, raw := range append(i.Edits, i.Followups...) {
		var m struct {
			Content string
			Embeds  []struct{ Title, Description string }
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Embeds {
			if live := discordtest.Live(e.Title+"\n"+e.Description, "https://downwind.example/incidents/livekit/a1"); len(live) > 0 {
				t.Errorf("live: %v in %s", live, raw)
			}
		}
	}

	// In the thread of a root the channel is the thread's parent.
	payload, id := b.fake.Payload(discordtest.Press(discordtest.Message{ID: "43", Channel: "9009"}, notify.ActionID(notify.VerbWhy, notify.IncidentArg(inc.Key()))))
	payload["channel"] = map[string]any{"id": "9009", "type": 11, "parent_id": "1001"}
	if err := b.fake.Dispatch(b.ctx(), "INTERACTION_CREATE", payload); err != nil {
		t.Fatal(err)
	}
	if _, err := b.fake.Answered(b.ctx(), id); err != nil {
		t.Fatal(err)
	}
	b.wants(visible(b.fake.Interaction(id).Final()), "livekit/a1")
}

func TestTokenRefused(t *testing.T) {
	b := newBench(t, func(o *discord.Options) { o.Token = secret.New("wrong-token") })
	for name, run := range map[string]func(context.Context) error{"Run": b.app.Run, "Register": b.app.Register} {
		err := run(b.ctx())
		if err == nil || !strings.Contains(err.Error(), "bot_token_env") || strings.Contains(err.Error(), "wrong-token") {
			t.Errorf("%s: got %v, want the repair without the token", name, err)
		}
	}
}

// slowStore hangs until it is released.
type slowStore struct {
	chat.Store
	hang chan struct{}
}

func (s slowStore) TeamForChannel(ctx context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error) {
	<-s.hang
	return s.Store.TeamForChannel(ctx, d)
}

// hangingBench is a connected bench whose store answers nothing before release is called, or the test ends.
func hangingBench(t *testing.T) (b *bench, release func()) {
	t.Helper()
	hang := make(chan struct{})
	release = sync.OnceFunc(func() { close(hang) })
	b = newBench(t, func(o *discord.Options) {
		inner := o.Handler.Options
		inner.Store = slowStore{inner.Store, hang}
		o.Handler = chat.New(inner)
	})
	b.connect()
	t.Cleanup(release)
	return b, release
}

func TestThreeSecondAnswersUnderLoad(t *testing.T) {
	b, release := hangingBench(t)
	refused := 0
	for i := range 150 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		r := cmd("feed list", nil)
		r.User = fmt.Sprint(10000 + i)
		got, err := b.fake.Interact(ctx, r)
		cancel()
		if err != nil {
			t.Fatalf("command %d: %v", i, err)
		}
		if strings.Contains(string(got.Data), "very busy") {
			refused++
		}
	}
	release()
	b.app.Wait()
	if refused != 150-128 {
		t.Errorf("%d of 150 refused, want those above the bound", refused)
	}
}

package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/catalog"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/discord"
	"downwind/chat/slack"
	"downwind/stackparse"
	"downwind/stackparse/all"
	"downwind/store"
)

// What the platforms and the handler need is what the real packages give.
var (
	_ chat.Store       = (*store.DB)(nil)
	_ slack.Installs   = (*store.DB)(nil)
	_ chat.Catalogue   = (*catalog.Catalog)(nil)
	_ chat.StackReader = (*stackparse.Reader)(nil)
	_                  = discord.New
)

// The same conversation on the store of the tests and on the real one gives the same answers, with the real catalogue
// and the real reader of files; and no value of the files is anywhere in the database.
func TestConversationOnTheRealStore(t *testing.T) {
	ctx := context.Background()
	cat, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	clock := chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	dir := t.TempDir()
	db, err := store.Open(ctx, store.Options{URL: "sqlite:" + filepath.Join(dir, "chat.db"), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	handler := func(s chat.Store) *chat.Handler {
		return chat.New(chat.Options{Store: s, Catalogue: cat, Stacks: stackparse.New(stackparse.Options{Parsers: all.Parsers()}), Clock: clock, BaseURL: "https://downwind.example"})
	}
	real, fake := handler(db), handler(chattest.NewStore(clock))
	who := chat.Caller{Platform: "slack", Workspace: "T01", Channel: "C0123456", ChannelName: "ops", User: "U1", UserName: "ana", Command: "/feed"}
	other := who
	other.Workspace, other.User = "T02", "U2"
	const marker = "sk_live_do_not_keep_4eC39HqLyjWDarjtT1zdp7dc"
	files := []chat.File{
		{Name: "package.json", Data: []byte(`{"dependencies":{"stripe":"^14.0.0","livekit-client":"^2.0.0"}}`)},
		{Name: ".env", Data: []byte("STRIPE_SECRET_KEY=" + marker + "\nLIVEKIT_URL=wss://my-app.livekit.cloud\n")},
	}
	compare := func(what string, a, b chat.Answer) string {
		t.Helper()
		privA, pubA := both(a)
		privB, pubB := both(b)
		if privA != privB || pubA != pubB {
			t.Errorf("%s:\nreal %q %q\nfake %q %q", what, privA, pubA, privB, pubB)
		}
		if strings.Contains(privA+pubA, marker) {
			t.Errorf("%s shows a secret", what)
		}
		return privA + "\n" + pubA
	}
	got := compare("import", real.Import(ctx, who, files, "", true), fake.Import(ctx, who, files, "", true))
	wants(t, got, "Stripe", "LiveKit", ".env")
	// The store packs stacks, so that a value in one would not show in its file.
	team, _, err := db.TeamForChannel(ctx, who.Destination())
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(team.Stack); err != nil || len(raw) < 100 || bytes.Contains(raw, []byte(marker)) {
		t.Errorf("the stack as kept: %s %v", raw, err)
	}
	for _, step := range []struct{ text, want string }{
		{"subscribe stack min:major", "your stack"},
		{"subscribe github/Actions region:eu-*", "Actions"},
		{"subscribe github/actions region:us-*", ""},
		{"subscribe google cloud", "Google Cloud"},
		{"subscribe gcp", "Nothing changed"},
		{"list", "min:major"},
		{"unsubscribe google cloud", "no longer"},
		{"stack add twilio region:us1", "we use twilio"},
		{"stack remove stripe", "we do not use stripe"},
		{"stack show", "livekit-client"},
		{"mute livekit for 2h", "until 30 Nov 14:"},
		{"mute livekit for 3h", "until 30 Nov 15:"},
		{"unmute all", "ended the mute"},
		{"unmute all", "Nothing like that"},
		{"quiet 22:00-07:00 tz:Europe/Berlin except:critical", "22:00-07:00"},
		{"digest weekly at:9", "weekly at 09:00"},
		{"list", "Quiet hours"},
		{"status", "not read yet"},
		{"why livekit", "no incident"},
		{"ack", "No incident"},
		{"feed github", "provider=github"},
		{"unsubscribe all yes", "unsubscribed this channel"},
		{"stack clear yes", "cleared the stack"},
		{"stack show", "no stack yet"},
	} {
		clock.Add(10 * time.Second)
		got := compare(step.text, real.Run(ctx, who, step.text), fake.Run(ctx, who, step.text))
		wants(t, got, step.want)
	}
	priv, _ := both(real.Run(ctx, other, "list"))
	wants(t, priv, "Nothing is subscribed here")
	ds, err := db.Destinations(ctx, "")
	if err != nil || len(ds) != 2 {
		t.Errorf("destinations %v %v, want one for each workspace", ds, err)
	}
	if _, err := db.Incidents(ctx, downwind.IncidentFilter{}); err != nil {
		t.Error(err)
	}
	leaksNothing(t, dir, marker)
}

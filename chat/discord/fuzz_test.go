package discord

import (
	"encoding/json"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/secret"
)

// FuzzInteraction hands interactions of any shape to the app: nothing may crash, and nobody may gain rights.
func FuzzInteraction(f *testing.F) {
	f.Add([]byte(`{"type":2,"guild_id":"9","channel_id":"1","member":{"user":{"id":"4"},"permissions":"8"},"data":{"name":"feed","options":[{"name":"stack","type":2,"options":[{"name":"import","type":1,"options":[{"name":"file","type":11,"value":"7"}]}]}]}}`))
	f.Add([]byte(`{"type":4,"guild_id":"9","channel_id":"1","member":{"user":{"id":"4"},"permissions":"0"},"data":{"name":"feed","options":[{"name":"subscribe","type":1,"options":[{"name":"target","type":3,"value":"li","focused":true}]}]}}`))
	f.Add([]byte(`{"type":3,"guild_id":"9","member":{"user":{"id":"4"}},"message":{"flags":64},"data":{"custom_id":"yes:stack clear","values":[]}}`))
	f.Add([]byte(`{"type":1}`))
	clock := chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	cat := chattest.Providers()
	store := chattest.NewStore(clock)
	app, err := New(Options{Handler: chat.New(chat.Options{Store: store, Catalogue: cat, Clock: clock}), Token: secret.New("fuzz"), Clock: clock})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		i, err := read(raw)
		if err != nil {
			return
		}
		who := app.caller(i)
		if who.Platform != downwind.PlatformDiscord || who.Admin && who.Guest || who.Admin && i.Member.Permissions == "" {
			t.Fatalf("rights from nothing: %+v", who)
		}
		verb, sub, options := i.path()
		for _, o := range options {
			_ = o.text()
		}
		if i.Type == typeSuggest {
			if _, err := json.Marshal(app.suggest(who, i)); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = verb, sub
	})
}

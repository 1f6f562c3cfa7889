package discord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"downwind"
	"downwind/chat"
	"downwind/notify/discord/discordtest"
)

// submit fills a shown dialog in and returns the answers.
func (b *bench) submit(shown discordtest.Interaction, texts map[string]string, files map[string][]map[string]any) (priv, pub string) {
	b.Helper()
	r, err := shown.Submit(texts, nil, files)
	if err != nil {
		b.Fatal(err)
	}
	priv, pub, i := b.interact(r)
	if !i.Deferred() || !i.Ephemeral() {
		b.Errorf("a dialog is answered with type %d %s, want a private answer that follows", i.Type, i.Data)
	}
	return priv, pub
}

func TestStackImportByDialog(t *testing.T) {
	b := newBench(t)
	b.connect()
	_, _, shown := b.interact(cmd("feed stack import", nil))
	if shown.Type != 9 {
		t.Fatalf("stack import without files is answered with type %d, want a dialog", shown.Type)
	}
	golden(t, "dialog-stack", shown.Data)
	var files []map[string]any
	for n := range chat.MaxFiles {
		files = append(files, b.fake.AddAttachment(fmt.Sprintf("app%d/package.json", n), []byte(`{"dependencies":{"livekit-client":"1"}}`)))
	}
	priv, pub := b.submit(shown, map[string]string{"domains": "api.stripe.com"}, map[string][]map[string]any{"files": files})
	b.wants(priv, "2 providers found", "livekit-client", "Originals deleted")
	b.wants(pub, "gave team", "11 files read") // the pasted domains count as one

	priv, pub = b.submit(shown, nil, nil)
	b.wants(priv, "There is nothing to read")
	if pub != "" {
		t.Errorf("an empty dialog is announced: %q", pub)
	}
}

func TestCheckByDialogStoresNothing(t *testing.T) {
	b := newBench(t)
	b.connect()
	_, _, shown := b.interact(cmd("downwind check", nil))
	writes := b.store.Writes()
	priv, pub := b.submit(shown, map[string]string{"domains": "api.stripe.com\nmy.livekit.cloud"}, nil)
	b.wants(priv, "found", "Nothing was stored")
	if pub != "" || b.store.Writes() != writes {
		t.Errorf("a check had an effect: %q", pub)
	}
}

func TestStackFromMessage(t *testing.T) {
	b := newBench(t)
	b.connect()
	file := b.fake.AddAttachment("package.json", []byte(`{"dependencies":{"livekit-client":"1","stripe":"2"}}`))
	priv, pub, _ := b.interact(discordtest.OnMessage("Check this stack", file))
	b.wants(priv, "2 providers found", "livekit-client")
	b.wants(pub, "gave team")
	priv, _, _ = b.interact(discordtest.OnMessage("Check this stack"))
	b.wants(priv, "There is nothing to read")
}

func TestSettingsByDialog(t *testing.T) {
	b := newBench(t)
	b.connect()
	_, _, shown := b.interact(cmd("feed settings", nil))
	golden(t, "dialog-settings", shown.Data)
	priv, pub := b.submit(shown, map[string]string{"quiet": "22:00-07:00 except:critical", "digest": "weekly at:09:00", "tz": "Europe/Berlin"}, nil)
	b.wants(priv, "Saved.")
	b.wants(pub, "quiet 22:00-07:00 Europe/Berlin except critical", "digest weekly at 09:00")
	d, err := b.store.Destinations(b.ctx(), "")
	if err != nil || len(d) != 1 || d[0].Quiet != "22:00-07:00" || d[0].QuietExcept != downwind.ImpactCritical || d[0].Digest != "weekly" {
		t.Errorf("stored %+v, %v", d, err)
	}
	// What is set is shown, and sent back as it was it changes nothing.
	_, _, again := b.interact(cmd("feed settings", nil))
	b.wants(string(again.Data), `"value":"22:00-07:00 except:critical"`, `"value":"weekly at:09:00"`)
	priv, _ = b.submit(again, nil, nil)
	b.wants(priv, "Nothing changed.")

	priv, pub = b.submit(again, map[string]string{"quiet": "tonight"}, nil)
	b.wants(priv, "quiet takes hours such as 22:00-07:00")
	if pub != "" {
		t.Errorf("a wrong form is announced: %q", pub)
	}
	priv, _ = b.submit(again, map[string]string{"quiet": "", "digest": ""}, nil)
	b.wants(priv, "Saved.")
}

// Who may not change things is told so in the place of the dialog, and again when a dialog that was open comes back.
func TestDialogsAreAuthorisedTwice(t *testing.T) {
	b := newBench(t)
	b.connect()
	_, _, shown := b.interact(cmd("feed stack import", nil))
	for _, path := range []string{"feed stack import", "feed settings"} {
		r := cmd(path, nil)
		r.Permissions = "0"
		priv, _, i := b.interact(r)
		b.wants(priv, "Manage Channels")
		if i.Type != 4 || !i.Ephemeral() {
			t.Errorf("%s: answered with type %d", path, i.Type)
		}
	}
	writes := b.store.Writes()
	r, err := shown.Submit(map[string]string{"domains": "api.stripe.com"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Permissions = "0"
	priv, pub, _ := b.interact(r)
	b.wants(priv, "Manage Channels")
	if pub != "" || b.store.Writes() != writes {
		t.Error("a dialog of somebody without rights had an effect")
	}
	message := discordtest.OnMessage("Check this stack", b.fake.AddAttachment("package.json", []byte(`{}`)))
	message.Permissions = "0"
	priv, _, _ = b.interact(message)
	b.wants(priv, "Manage Channels")
}

// A dialog must be the first answer, within three seconds; where the store hangs, people are told so in time.
func TestDialogsAnswerInTime(t *testing.T) {
	b, _ := hangingBench(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	i, err := b.fake.Interact(ctx, cmd("feed settings", nil))
	if err != nil || i.Type != 4 || !i.Ephemeral() || !strings.Contains(visible(i.Data), "very busy") {
		t.Errorf("%v: type %d %s, want a private word in time", err, i.Type, i.Data)
	}
}

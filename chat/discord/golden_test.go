package discord_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"

	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/chat/discord"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The result of an import and the registered commands, as Discord gets them.
func TestGoldenStackResultAndCommands(t *testing.T) {
	b := newBench(t, func(o *discord.Options) {
		inner := o.Handler.Options
		inner.Stacks = chattest.SampleStacks{}
		o.Handler = chat.New(inner)
	})
	b.connect()
	_, _, i := b.interact(b.fake.WithAttachment(cmd("feed stack import", nil), "file", "package.json", []byte(`{}`)))
	golden(t, "stack", i.Final())
	golden(t, "stack-announced", i.Followups[0])
	raw, err := json.Marshal(discord.Commands()[0])
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "command", raw)
}

// golden compares JSON with testdata/name.json.
func golden(t *testing.T, name string, raw []byte) {
	t.Helper()
	raw = regexp.MustCompile(`[0-9a-f]{32}`).ReplaceAll(raw, []byte("00000000000000000000000000000000"))
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := "testdata/" + name + ".json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s differs; look at it, then write it anew with -update:\n%s", path, got.String())
	}
}

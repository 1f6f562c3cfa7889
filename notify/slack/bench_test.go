package slack_test

import (
	"encoding/json"
	"testing"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/notify/slack"
)

// BenchmarkComposeAndRender is the work per message of one incident to many destinations.
func BenchmarkComposeAndRender(b *testing.B) {
	a := notify.Sample(downwind.ChangeResolved, time.Date(2026, 12, 4, 9, 50, 0, 0, time.UTC))
	for b.Loop() {
		m := notify.Compose(a, notify.ComposeOptions{BaseURL: "https://downwind.example", Root: true})
		if _, err := json.Marshal(slack.Blocks(m)); err != nil {
			b.Fatal(err)
		}
		if slack.Text(m) == "" {
			b.Fatal("no text")
		}
	}
}

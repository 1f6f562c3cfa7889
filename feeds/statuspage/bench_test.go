package statuspage

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"downwind/feeds"
)

// historyFeed writes an Atom history of n incidents with five updates each, as Statuspage does.
func historyFeed(n int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><feed xml:lang="en-US" xmlns="http://www.w3.org/2005/Atom"><id>tag:status.acme.example,2005:/history</id><link rel="alternate" type="text/html" href="https://status.acme.example"/><title>Acme Status - Incident History</title><updated>2026-03-04T10:00:00Z</updated>`)
	at := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for i := range n {
		end := at.Add(-time.Duration(i) * 30 * time.Hour)
		var body strings.Builder
		for j, word := range []string{"Resolved", "Monitoring", "Update", "Identified", "Investigating"} {
			t := end.Add(-time.Duration(j) * 25 * time.Minute)
			fmt.Fprintf(&body, `<p><small>%s <var data-var='date'>%2d</var>, <var data-var='time'>%s</var> UTC</small><br><strong>%s</strong> - We&#39;re seeing requests to the gateway in two regions fail &amp; retry; the team has found what causes it and is working on a change that will bring service back.<br /><br />The next post follows within the hour.</p>`,
				t.Format("Jan"), t.Day(), t.Format("15:04"), word)
		}
		fmt.Fprintf(&b, `<entry><id>tag:status.acme.example,2005:Incident/%d</id><published>%s</published><updated>%s</updated><link rel="alternate" type="text/html" href="https://status.acme.example/incidents/abc%d"/><title>Gateway errors &amp; delays %d</title><content type="html">%s</content></entry>`,
			i, end.Format(time.RFC3339), end.Format(time.RFC3339), i, i, html.EscapeString(body.String()))
	}
	b.WriteString(`</feed>`)
	return []byte(b.String())
}

// BenchmarkHistory decodes 25 entries with every update block as plain text; BenchmarkHistoryGofeed is what gofeed needs to
// parse the same feed, blocks left as they are.
func BenchmarkHistory(b *testing.B) {
	body := historyFeed(25)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		doc, err := Adapter{}.Decode([]feeds.Payload{{Body: body}})
		if err != nil || len(doc.Incidents) != 25 || len(doc.Incidents[24].Updates) != 5 {
			b.Fatalf("%d incidents, %v", len(doc.Incidents), err)
		}
	}
}

func BenchmarkHistoryGofeed(b *testing.B) {
	body := historyFeed(25)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if f, err := gofeed.NewParser().Parse(bytes.NewReader(body)); err != nil || len(f.Items) != 25 {
			b.Fatal(err)
		}
	}
}

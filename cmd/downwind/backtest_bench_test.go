package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"downwind"
)

// BenchmarkBacktest runs the command over one saved document of ten thousand incidents with four posts each, of which six in ten
// concern the stack: files, decoding, judging, explaining and the printed summary.
func BenchmarkBacktest(b *testing.B) {
	dir := b.TempDir()
	feed, stack := filepath.Join(dir, "feed.json"), filepath.Join(dir, "package.json")
	raw, err := json.Marshal(manyIncidents(10_000))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(feed, raw, 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(stack, []byte(`{"dependencies":{"stripe":"^14.0.0","livekit-client":"^2.1.0","@sentry/node":"8.0.0","openai":"4"}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		cmd := backtestCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(io.Discard)
		cmd.SetArgs([]string{"--stack", stack, feed})
		if err := cmd.ExecuteContext(b.Context()); err != nil {
			b.Fatal(err)
		}
		if !bytes.HasPrefix(out.Bytes(), []byte("10000 incidents of 1 provider replayed")) {
			b.Fatalf("the summary begins with %.80q", out.String())
		}
	}
}

// manyIncidents is a recorded page: an incident every nine hours, each with a window of its own in the last of its posts.
func manyIncidents(n int) downwind.Document {
	impacts := []downwind.Impact{downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical}
	draw := rand.New(rand.NewPCG(1, 2))
	doc := downwind.Document{Provider: "stripe", Platform: "statuspage", Page: downwind.Page{ID: "s", Name: "Stripe", URL: "https://status.stripe.com"}}
	for _, name := range []string{"Webhooks", "Stripe API", "Stripe.js", "Stripe Dashboard", "Billing"} {
		doc.Components = append(doc.Components, downwind.Component{ID: name, Name: name, Status: downwind.PartialOutage})
	}
	for i := range n {
		at := time.Date(2016, 1, 1, 9*i, draw.IntN(300), 0, 0, time.UTC)
		hit := doc.Components[draw.IntN(len(doc.Components))]
		post := func(minute int, phase downwind.Phase, body string) downwind.Update {
			return downwind.Update{ID: fmt.Sprintf("%d-%d", i, minute), Phase: phase, Body: body, PostedAt: at.Add(time.Duration(minute) * time.Minute)}
		}
		doc.Incidents = append(doc.Incidents, downwind.Incident{
			Provider: "stripe", ID: fmt.Sprint(i), Kind: downwind.KindIncident, Title: fmt.Sprintf("Elevated errors with %s %d", hit.Name, i),
			Phase: downwind.Resolved, Impact: impacts[draw.IntN(len(impacts))], StartedAt: at, ResolvedAt: at.Add(time.Hour),
			Components: []downwind.Component{hit},
			Updates: []downwind.Update{
				post(0, downwind.Investigating, "We are investigating elevated errors with "+hit.Name+"."),
				post(14, downwind.Identified, "The issue has been identified as a bad deploy and is being rolled back. Other products are not affected."),
				post(25, downwind.Monitoring, "A fix has been implemented and we are monitoring the results."),
				post(60, downwind.Resolved, fmt.Sprintf("Between %s and %s UTC about 4 %% of requests to %s failed.",
					at.Add(-5*time.Minute).Format("15:04"), at.Add(31*time.Minute).Format("15:04"), hit.Name)),
			},
		})
	}
	return doc
}

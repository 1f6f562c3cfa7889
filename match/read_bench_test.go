package match

import (
	"encoding/json"
	"os"
	"testing"

	"downwind"
)

// BenchmarkRead measures the reading of an incident with five updates and a postmortem.
func BenchmarkRead(b *testing.B) {
	j := judge(b)
	inc := incident("livekit", "Elevated connection errors in US East and dashboard issues", "We are investigating failing SIP calls in US East. The dashboard may not load.", nil, "US East - SIP", "US East - Real Time Communication", "Cloud Dashboard")
	for range 4 {
		inc.Updates = append(inc.Updates, downwind.Update{ID: "u", Body: "We have identified the cause: a network disruption in one data center. Connectivity was restored at 23:58 UTC. US Central was not affected."})
	}
	long := ""
	for range 30 {
		long += "Between 13:55 UTC and 15:45 UTC, a percentage of requests and new connections in our US East region failed or timed out because one instance answered slowly. "
	}
	inc.Updates = append(inc.Updates, downwind.Update{ID: "p", Phase: downwind.Postmortem, Body: long})
	b.ResetTimer()
	for b.Loop() {
		j.Read(inc, Known{})
	}
}

// BenchmarkReadPage reads the fifty incidents of a real status page once; it is skipped where the replay pack is absent.
func BenchmarkReadPage(b *testing.B) {
	raw, err := os.ReadFile(livekitPack + "/page/013/incidents.json")
	if err != nil {
		b.Skip("the replay pack ../shared/corpus/livekit is not here")
	}
	var page livekitPage
	if err := json.Unmarshal(raw, &page); err != nil {
		b.Fatal(err)
	}
	var incs []*downwind.Incident
	for _, p := range page.Incidents {
		incs = append(incs, p.incident(downwind.KindIncident))
	}
	j := judge(b)
	b.ResetTimer()
	for b.Loop() {
		for _, inc := range incs {
			j.Read(inc, Known{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(incs)), "µs/incident")
}

// BenchmarkPost measures the reading of one post that nobody has read before.
func BenchmarkPost(b *testing.B) {
	j := judge(b)
	const post = "Between 13:55 UTC and 15:45 UTC, a percentage of requests and new connections in our US East region failed or timed out because one instance answered slowly. " +
		"A fix has been implemented and we are monitoring the results. Other products are not affected."
	b.ReportAllocs()
	for b.Loop() {
		j.clausesOf("livekit", post)
	}
}

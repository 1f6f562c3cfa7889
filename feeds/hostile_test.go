package feeds_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"downwind/feeds"
	"downwind/feeds/adaptertest"
	"downwind/feeds/all"
)

// TestHostileBodies decodes bodies of two megabytes that are made to be slow or to become large. Each must be done within
// seconds and a fraction of the memory that a small machine has.
func TestHostileBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("bounds of time and memory mean nothing under the race detector, which runs with -short")
	}
	const size = 2 << 20
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (size-len(head)-len(tail))/len(unit)) + tail
	}
	sp := `{"page":{"id":"pageacme0001","name":"Acme"},"status":{"indicator":"none"},`
	rss := `<rss version="2.0"><channel><title>A</title><link>https://s.example</link><item><title>x</title><guid>1</guid><description>`
	end := `</description></item></channel></rss>`
	cases := map[string]string{
		"a million incidents":          fill(sp+`"incidents":[`, `{},`, `{}]}`),
		"a million numbers":            fill(sp+`"incidents":[`, `1,`, `1]}`),
		"lists in lists":               fill(sp+`"incidents":[`, `[],`, `[]]}`),
		"updates without end":          fill(sp+`"incidents":[{"id":"1","name":"x","status":"resolved","incident_updates":[`, `{"id":"u"},`, `{}]}]}`),
		"components without end":       fill(sp+`"components":[`, `{"id":"c","name":"n","status":"x"},`, `{}],"incidents":[]}`),
		"incident.io impacts":          fill(`{"incident_links":[{"id":"a"}],"component_impacts":[`, `{"component_id":"c","status_page_incident_id":"a"},`, `{}]}`),
		"items without end":            fill(`<rss version="2.0"><channel><title>A</title>`, `<item/>`, `</channel></rss>`),
		"entries without end":          fill(`<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:s,2005:/history</id>`, `<entry></entry>`, `</feed>`),
		"open tags":                    fill(rss, `&lt;a `, end),
		"open tags with quotes":        fill(rss, `&lt;a b=&quot;`, end),
		"open comments":                fill(rss, `&lt;!--`, end),
		"open CDATA in text":           fill(rss, `&lt;![CDATA[`, end),
		"small tags":                   fill(rss, `&lt;small&gt;`, end),
		"dates without word":           fill(rss, `&lt;small&gt;Jan 1, 10:00 UTC&lt;/small&gt;&lt;br&gt;&lt;strong&gt;`, end),
		"blocks without end":           fill(rss, `&lt;small&gt;Jan 1, 10:00 UTC&lt;/small&gt;&lt;br&gt;&lt;strong&gt;Update&lt;/strong&gt; - x`, end),
		"list items":                   fill(rss+`Affected components&lt;ul&gt;`, `&lt;li&gt;a`, end),
		"references":                   fill(rss, `&amp;`, end),
		"one attribute":                fill(`<rss version="2.0" a="`, `x`, `"><channel/></rss>`),
		"state words":                  fill(rss, `Resolved - `, end),
		"not yet resolved, over again": fill(rss, `until it is not `, end),
		"posts without end":            fill(rss, `&lt;p&gt;March 3, 2026 10:00 UTC&lt;/p&gt;x`, end),
		"lines of one post":            fill(rss+`&lt;p&gt;March 3, 2026 10:00 UTC&lt;/p&gt;`, `x&lt;br&gt;`, end),
		"JSON feed items":              fill(`{"version":"https://jsonfeed.org/version/1.1","items":[`, `{},`, `{}]}`),
		"quotes and slashes":           fill(sp+`"incidents":[{"id":"`, `\\\"`, `"}]}`),
	}
	adapters := all.Adapters()
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			doc := feeds.Decode(t.Context(), adapters, "", feeds.Payload{Body: []byte(body)})
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			adaptertest.Check(t, doc)
			if took > 30*time.Second { // each takes less than one; a busy machine with the race detector takes thirteen
				t.Errorf("took %s", took)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 256 {
				t.Errorf("allocated %d MB in all", used)
			}
			t.Logf("%s, %d MB, %d incidents, error %q", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20, len(doc.Incidents), doc.Error)
		})
	}
}

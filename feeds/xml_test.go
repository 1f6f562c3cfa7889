package feeds

import (
	"strings"
	"testing"
)

func TestReadFeed(t *testing.T) {
	rss := `<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:atom="a"><channel>
<title>Acme &amp;amp; Co Status</title><link>https://status.example.com/</link><atom:link rel="self" href="/feed.rss"/>
<generator>Acme</generator><lastBuildDate>Wed, 04 Mar 2026 09:12:00 GMT</lastBuildDate>
<item><title><![CDATA[API <em>down</em>]]></title><link>/i/1</link><guid>g1</guid><pubDate>Wed, 04 Mar 2026 09:12:00 PST</pubDate>
<description>short</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded><category>one</category></item>
<item><title>plain</title><description>only &lt;b&gt;this&lt;/b&gt;</description></item></channel></rss>`
	f, err := ReadFeed(Payload{Body: []byte(rss)})
	if err != nil {
		t.Fatal(err)
	}
	if f.Format != "rss" || f.Title != "Acme & Co Status" || f.Self != "https://status.example.com/feed.rss" || f.Generator != "Acme" || len(f.Items) != 2 {
		t.Errorf("feed is %+v", f)
	}
	it := f.Items[0]
	if it.Title != "API down" || it.Link != "https://status.example.com/i/1" || it.ID != "g1" || it.HTML != "<p>long</p>" ||
		it.Published.Format("15:04") != "17:12" || len(it.Categories) != 1 {
		t.Errorf("item is %+v", it)
	}
	if f.Items[1].HTML != "only <b>this</b>" {
		t.Errorf("second item is %+v", f.Items[1])
	}
	atom := `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://status.example.com/"><title>A</title><id>i</id>
<updated>2026-03-04T09:12:00Z</updated><link rel="self" href="f.atom"/><link href="/"/>
<entry><id>e</id><title type="xhtml"><div>API <em>down</em></div></title><link rel="alternate" href="incidents/1"/>
<published>2026-03-04T09:00:00Z</published><updated>2026-03-04T09:12:00Z</updated>
<content type="xhtml"><div><p>found</p></div></content></entry></feed>`
	f, err = ReadFeed(Payload{Body: []byte(atom)})
	if err != nil {
		t.Fatal(err)
	}
	e := f.Items[0]
	if e.Title != "API down" || e.Link != "https://status.example.com/incidents/1" || PlainText(e.HTML) != "found" || !e.Updated.After(e.Published) {
		t.Errorf("entry is %+v", e)
	}
}

func TestReadFeedRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"cut":        {`<rss><channel><item><title>a</title>`, "ends before"},
		"cut inside": {`<rss><channel><title>a`, "not closed"},
		"crossed":    {`<rss><channel></rss></channel>`, "closes nothing"},
		"entities":   {`<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss><channel><title>&a;</title></channel></rss>`, "DOCTYPE"},
		"deep":       {"<rss>" + strings.Repeat("<a>", 10000), "deeper"},
		"other root": {`<opml></opml>`, "no feed"},
		"empty":      {``, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadFeed(Payload{Body: []byte(tc.body)}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
		})
	}
}

func FuzzReadFeed(f *testing.F) {
	f.Add([]byte(`<rss><channel><item><title>a</title><link>/x</link></item></channel></rss>`))
	f.Add([]byte(`<feed xml:base="::"><entry><title type="xhtml"><div>a</div></title><link href="%zz"/></entry></feed>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		feed, err := ReadFeed(Payload{Body: ToUTF8(b, "")})
		if err != nil && len(feed.Items) > 0 {
			t.Error("items out of a feed that cannot be read")
		}
	})
}

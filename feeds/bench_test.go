package feeds

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"
)

// BenchmarkUnchanged is what a poll costs whose answer of 50 kB is what it was, from the response's headers on: reading the
// body, looking for gzip, the hash and the decision. The transfer itself is the kernel's and net/http's.
func BenchmarkUnchanged(b *testing.B) {
	body := bytes.Repeat([]byte(`{"id":"abc","status":"resolved","body":"All is well again."},`), 50_000/61+1)[:50_000]
	f := NewFetcher(FetcherOptions{})
	asked := Request{URL: "https://status.acme.example/api/v2/incidents.json", BodyHash: HashBody(body)}
	address, err := url.Parse(asked.URL)
	if err != nil {
		b.Fatal(err)
	}
	req := &http.Request{URL: address}
	header := http.Header{"Content-Type": {"application/json"}}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		resp := &http.Response{
			StatusCode: http.StatusOK, Header: header, ContentLength: int64(len(body)), Request: req, Body: io.NopCloser(bytes.NewReader(body)),
		}
		got, err := f.answer(asked, resp, &trail{})
		if err != nil || !got.Unchanged {
			b.Fatal(got, err)
		}
	}
}

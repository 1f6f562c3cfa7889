package web

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var seeds = []string{
	"", "plain words", "a & b < c > d", "first line\nsecond line\r\nthird", "\x00\x08\xff\u202e\ufffe", "]]></description><item>", "長い文章です。", "../../etc/passwd", `C:\work\package.json`,
	"# heading\n- list\n1. one\n[x](javascript:a)\n<b>", "BEGIN:VEVENT\nEND:VEVENT; a, b \\", strings.Repeat("long ", 900), "https://example.org www.example.org @everyone",
}

// FuzzFeed writes any text into all three formats and reads it back.
func FuzzFeed(f *testing.F) {
	for _, text := range seeds {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
		e := feedEntry{id: "tag:x,2026:" + tagPath(title), link: "https://x/y", title: clip(oneLine(title), 300), text: clean(text), published: at, updated: at}
		ch := channel{title: oneLine(title), about: "about", self: "https://x/feed", home: "https://x/", id: "tag:x,2026:f", updated: at, items: []feedEntry{e}}
		for _, format := range []string{"rss", "atom"} {
			doc, err := encodeFeed(format, ch)
			if err != nil {
				t.Fatal(err)
			}
			items := 0
			dec := xml.NewDecoder(bytes.NewReader(doc.body))
			for {
				tok, err := dec.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v in %q", format, err, doc.body)
				}
				if start, ok := tok.(xml.StartElement); ok && (start.Name.Local == "item" || start.Name.Local == "entry") {
					items++
				}
			}
			if items != 1 {
				t.Errorf("%s: %d items", format, items)
			}
			if len(doc.body) > entrySize(e)+2048+3*len(ch.title)*6 {
				t.Errorf("%s: %d bytes, promised %d", format, len(doc.body), entrySize(e)+2048)
			}
		}
		doc, err := encodeFeed("json", ch)
		if err != nil || !json.Valid(doc.body) {
			t.Errorf("json: %v %q", err, doc.body)
		}
	})
}

// FuzzForeignText checks the escaping functions of the other sinks.
func FuzzForeignText(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		md := mdText(text)
		for _, bad := range []string{"\n", "<", "://", "@", "\u202e"} {
			if strings.Contains(md, bad) {
				t.Errorf("Markdown %q holds %q", md, bad)
			}
		}
		var b strings.Builder
		icalLine(&b, "SUMMARY:"+icalText(text))
		for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\r\n"), "\r\n") {
			if len(line) > 75 || strings.ContainsAny(line, "\r\n") || !utf8.ValidString(line) {
				t.Errorf("calendar line %q", line)
			}
		}
		if cell := csvCell(text); cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
			t.Errorf("cell %q", cell)
		}
		if link := safeLink(text); link != "" && !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "https://") {
			t.Errorf("link %q", link)
		}
		if cut := clip(text, 40); len(cut) > 40 || utf8.ValidString(text) && !utf8.ValidString(cut) {
			t.Errorf("clipped to %q", cut)
		}
		if next := localPath(text); !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.HasPrefix(next, `/\`) {
			t.Errorf("path %q", next)
		}
	})
}

// FuzzUpload reads any body as a form: it never climbs out of the upload's own folder and never keeps what it should not.
func FuzzUpload(f *testing.F) {
	const head = "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\""
	for _, name := range seeds {
		f.Add([]byte(head + name + "\"\r\n\r\nbody\r\n--b--\r\n"))
	}
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nFROM alpine\r\n--b--\r\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/stack", bytes.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		up, err := readUpload(r)
		if err != nil {
			return
		}
		files, err := up.stackFiles()
		if err != nil {
			return
		}
		for name := range files {
			if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, `\`) || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || strings.Contains(name, "node_modules/") || len(name) > 410 {
				t.Errorf("file %q", name)
			}
		}
	})
}

func TestPastedName(t *testing.T) {
	for text, want := range map[string]string{
		"api.livekit.cloud\nhooks.slack.com": "domains.txt", "https://a.example.org/x, b.example.org": "domains.txt", "# ours\na.example.org": "domains.txt",
		`{"name":"x","dependencies":{}}`: "package.json", `{"lockfileVersion": 3}`: "package-lock.json", `{"terraform_version":"1.9"}`: "terraform.tfstate",
		"module example.org/x\n\ngo 1.26": "go.mod", "resource \"aws_s3_bucket\" \"b\" {\n}": "main.tf", "FROM alpine:3\nRUN x": "Dockerfile",
		"requests==2.32.0\nopenai>=1": "requirements.txt", "[project]\nname = \"x\"": "pyproject.toml", "services:\n  db:\n    image: x": "compose.yaml",
		"LIVEKIT_URL=wss://x\nB=c": ".env", "export A=b": ".env", "apiVersion: v1\nkind: Pod": "manifest.yaml",
	} {
		if got := pastedName(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

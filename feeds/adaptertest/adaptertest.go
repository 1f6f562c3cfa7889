// Package adaptertest is the common test of all adapters: golden documents for the payloads in testdata, and a fuzz target.
package adaptertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/feeds"
)

var update = flag.Bool("update", false, "rewrite the golden documents in testdata")

// Golden decodes every payload in testdata and compares the document with the .golden file beside it, as `feed --json`
// prints it. Each payload must also be claimed by the adapter and keep the promises of every document.
func Golden(t *testing.T, a feeds.Adapter) {
	t.Helper()
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || strings.HasSuffix(file, ".golden") {
			continue
		}
		ran++
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := feeds.NewPayload("", "", 0, raw, time.Time{})
			if a.Claims(p) == 0 {
				t.Error("the adapter does not claim this payload")
			}
			doc := feeds.DecodeAs(a, "", []feeds.Payload{p})
			Check(t, doc)
			got, err := json.MarshalIndent(doc, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(file+".golden", got, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("document differs (-want +got):\n%s", diff)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no payloads in testdata")
	}
}

// Check reports broken promises of a document: unreadable ones are empty, ids are there and single, updates oldest first,
// times in UTC, ends only for what is over, text without markup and control characters.
func Check(t testing.TB, doc downwind.Document) {
	t.Helper()
	if !doc.Readable() {
		if len(doc.Components)+len(doc.Incidents) > 0 {
			t.Error("an unreadable document has content")
		}
		return
	}
	if doc.Platform == "" {
		t.Error("document without platform")
	}
	for i := range doc.Incidents {
		inc := &doc.Incidents[i]
		inc.Provider = "test"
		if err := inc.Validate(); err != nil {
			t.Error(err)
		}
		inc.Provider = ""
		if !inc.ResolvedAt.IsZero() && !inc.Phase.Over() {
			t.Errorf("incident %s has an end but is %s", inc.ID, inc.Phase)
		}
		if inc.Kind == downwind.KindMaintenance && inc.Phase == downwind.Resolved {
			t.Errorf("maintenance %s is resolved, not completed", inc.ID)
		}
		if inc.Phase == "" || inc.Impact == "" || inc.Kind == "" {
			t.Errorf("incident %s lacks a word: %q %q %q", inc.ID, inc.Kind, inc.Phase, inc.Impact)
		}
		checkText(t, "title of "+inc.ID, inc.Title)
		for j, u := range inc.Updates {
			checkText(t, "update of "+inc.ID, u.Body)
			if u.Phase == "" {
				t.Errorf("update %s of %s has no phase", u.ID, inc.ID)
			}
			if j > 0 && u.PostedAt.Before(inc.Updates[j-1].PostedAt) {
				t.Errorf("updates of %s are not oldest first", inc.ID)
			}
			if u.PostedAt.Location() != time.UTC || inc.StartedAt.Location() != time.UTC {
				t.Errorf("times of %s are not in UTC", inc.ID)
			}
		}
	}
}

func checkText(t testing.TB, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\r") {
		t.Errorf("%s has control characters or broken UTF-8: %q", what, s)
	}
}

// Fuzz feeds mutated payloads of testdata to an adapter: it must neither panic nor hang, and what it reads must keep the
// promises of Check.
func Fuzz(f *testing.F, a feeds.Adapter) {
	f.Helper()
	files, _ := filepath.Glob("testdata/*")
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() || strings.HasSuffix(file, ".golden") {
			continue
		}
		if raw, err := os.ReadFile(file); err == nil {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := feeds.NewPayload("https://status.example.com/x", "", 200, raw, time.Time{})
		_ = a.Claims(p)
		doc, err := a.Decode([]feeds.Payload{p})
		if err != nil {
			return
		}
		Check(t, withPlatform(doc, a))
		first, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := a.Decode([]feeds.Payload{p})
		second, _ := json.Marshal(again)
		if !bytes.Equal(first, second) {
			t.Error("two readings of one payload differ")
		}
	})
}

func withPlatform(doc downwind.Document, a feeds.Adapter) downwind.Document {
	if doc.Platform == "" {
		doc.Platform = a.Platform()
	}
	return doc
}

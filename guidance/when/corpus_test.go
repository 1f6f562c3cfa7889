package when

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

type record struct {
	ID, Provider, Body string
	PostedAt           *time.Time `json:"posted_at"`
	Windows            []struct{ Start, End *time.Time }
}

func corpus(t testing.TB) []record {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "corpus", "windows", "dev.jsonl"))
	if err != nil {
		t.Skip("the shared corpus is not here")
	}
	defer f.Close()
	var out []record
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestDump(t *testing.T) {
	out := os.Getenv("DUMP")
	if out == "" {
		t.Skip("DUMP is not set")
	}
	f, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range corpus(t) {
		in := Input{Text: r.Body}
		if r.PostedAt != nil {
			in.Posted = *r.PostedAt
		}
		if r.Provider == "aws" || r.Provider == "openai" {
			in.Zone = "America/Los_Angeles"
		}
		spans, _ := Read(in)
		type w struct {
			Start *time.Time `json:"start"`
			End   *time.Time `json:"end"`
			Text  string     `json:"text"`
		}
		ws := []w{}
		for _, s := range spans {
			v := w{Text: r.Body[s.From:s.To]}
			if !s.Start.IsZero() {
				v.Start = &s.Start
			}
			if !s.End.IsZero() {
				v.End = &s.End
			}
			ws = append(ws, v)
		}
		json.NewEncoder(f).Encode(map[string]any{"id": r.ID, "windows": ws})
	}
}

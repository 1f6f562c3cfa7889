package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"downwind"
	"downwind/match"
)

// A verdictPair is a pair of stack and incident with the verdict that people gave it.
type verdictPair struct {
	pair
	Affected   string
	Components []string
	Urgency    downwind.Urgency
	// Stack and Also are how the corpus has them.
	Stack struct {
		Files map[string]string
		Dir   string
	}
	Also []struct {
		Affected   string
		Components []string
	}
}

func readPairs(t *testing.T, path string) []verdictPair {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxPair)
	var out []verdictPair
	for sc.Scan() {
		var p verdictPair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if p.Stack.Dir != "" {
			p.Dir = filepath.Join("../../..", p.Stack.Dir, "files")
		} else if p.Stack.Files != nil {
			p.Files = p.Stack.Files
		}
		out = append(out, p)
	}
	return out
}

func testMatcher(t *testing.T) *matcher {
	t.Helper()
	m, err := newMatcher()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *matcher) answerFor(t *testing.T, p pair) downwind.Match {
	t.Helper()
	stack, err := m.stackOf(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	prov := m.provider(p.Provider)
	inc := p.Incident
	inc.Provider = prov.Slug
	return m.judge.Match(&inc, &stack, nil, match.Known{Provider: prov})
}

func verdictWord(v downwind.Verdict) string {
	switch v {
	case downwind.AffectedSure, downwind.AffectedLikely:
		return "yes"
	case downwind.AffectedPossible:
		return "possible"
	}
	return "no"
}

func sortedFold(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = downwind.Fold(n)
	}
	sort.Strings(out)
	return out
}

// TestMatchPairs holds the whole line from files to verdict against pairs of our own.
func TestMatchPairs(t *testing.T) {
	m := testMatcher(t)
	for _, p := range readPairs(t, "testdata/match/pairs.jsonl") {
		t.Run(p.ID, func(t *testing.T) {
			got := m.answerFor(t, p.pair)
			if verdictWord(got.Verdict) != p.Affected {
				t.Fatalf("got %s (held %q: %s; open %q), want %s", got.Verdict, got.Held, got.WhyNot, got.OpenQuestion, p.Affected)
			}
			if p.Affected == "yes" && !slices.Equal(sortedFold(got.Components), sortedFold(p.Components)) {
				t.Errorf("components: got %q, want %q", got.Components, p.Components)
			}
			if p.Affected == "no" && (got.Held == "" || got.WhyNot == "") {
				t.Errorf("no reason for no: %+v", got)
			}
			if p.Affected != "no" && len(got.Why) == 0 {
				t.Error("no reason for yes")
			}
		})
	}
}

// TestMatchCorpus holds the verdicts against the annotated pairs, and fails below the figures that relevance must reach.
func TestMatchCorpus(t *testing.T) {
	m := testMatcher(t)
	pairs := readPairs(t, "../../../shared/corpus/relevance/dev.jsonl")
	var exact, said, right, missed, sets, setsRight int
	for _, p := range pairs {
		got := m.answerFor(t, p.pair)
		word := verdictWord(got.Verdict)
		ok := word == p.Affected
		for _, a := range p.Also {
			ok = ok || a.Affected == word
		}
		if ok {
			exact++
		} else {
			t.Logf("%s: got %s (%s), want %s", p.ID, word, got.WhyNot, p.Affected)
		}
		switch {
		case word == "yes" && p.Affected == "no" && !ok:
			said++
		case word == "yes" && p.Affected == "yes":
			said++
			right++
		case word == "no" && p.Affected == "yes":
			missed++
		}
		if p.Affected == "yes" && len(p.Components) > 0 {
			sets++
			same := slices.Equal(sortedFold(got.Components), sortedFold(p.Components))
			for _, a := range p.Also {
				same = same || a.Affected == "yes" && slices.Equal(sortedFold(got.Components), sortedFold(a.Components))
			}
			if same && word == "yes" {
				setsRight++
			}
		}
	}
	atLeast := func(name string, part, whole int, want float64) {
		if got := float64(part) / float64(whole); got < want {
			t.Errorf("%s: got %.3f (%d of %d), want at least %.2f", name, got, part, whole, want)
		}
	}
	atLeast("verdicts", exact, len(pairs), 0.95)
	atLeast("precision of yes", right, said, 0.98)
	atLeast("recall of yes", right, right+missed, 0.98)
	atLeast("component sets", setsRight, sets, 0.93)
}

// TestMatchMetamorphic changes pairs in ways that must keep, or turn, the verdict.
func TestMatchMetamorphic(t *testing.T) {
	m := testMatcher(t)
	rank := map[string]int{"no": 0, "possible": 1, "yes": 2}
	for _, p := range readPairs(t, "testdata/match/pairs.jsonl") {
		before := verdictWord(m.answerFor(t, p.pair).Verdict)
		t.Run("unrelated file/"+p.ID, func(t *testing.T) {
			more := p.pair
			more.Files = map[string]string{"notes/readme.txt": "nothing to see\n", "src/unrelated.py": "print('hello')\n"}
			for k, v := range p.Files {
				more.Files[k] = v
			}
			if after := verdictWord(m.answerFor(t, more).Verdict); rank[after] < rank[before] {
				t.Errorf("got %s with an unrelated file, %s without", after, before)
			}
		})
		t.Run("no files/"+p.ID, func(t *testing.T) {
			less := p.pair
			less.Files = map[string]string{"notes.txt": "empty\n"}
			if after := m.answerFor(t, less); after.Affected || after.Held != downwind.HeldProvider {
				t.Errorf("got %s (held %q) without evidence, want no for want of the provider", after.Verdict, after.Held)
			}
		})
		t.Run("order of components/"+p.ID, func(t *testing.T) {
			turned := p.pair
			turned.Incident.Components = slices.Clone(p.Incident.Components)
			slices.Reverse(turned.Incident.Components)
			a, b := m.answerFor(t, p.pair), m.answerFor(t, turned)
			if a.Verdict != b.Verdict || !slices.Equal(sortedFold(a.Components), sortedFold(b.Components)) || a.Urgency != b.Urgency {
				t.Errorf("got %s %q, turned round %s %q", a.Verdict, a.Components, b.Verdict, b.Components)
			}
		})
	}
}

// TestMatchRenamedRegion renames a region in the files and in the incident together: the verdict stays.
func TestMatchRenamedRegion(t *testing.T) {
	m := testMatcher(t)
	build := func(files, incident string) pair {
		return pair{
			Provider: "aws",
			Files:    map[string]string{"main.tf": fmt.Sprintf("provider \"aws\" {\n  region = %q\n}\nresource \"aws_sqs_queue\" \"q\" {\n  name = \"q\"\n}\n", files)},
			Incident: downwind.Incident{
				ID: "i", Kind: downwind.KindIncident, Title: "SQS errors", Regions: []string{incident}, Components: []downwind.Component{{Name: "Amazon SQS"}},
				Updates: []downwind.Update{{ID: "u", Body: "Requests in " + strings.ToUpper(incident) + " fail. Other regions are fine."}},
			},
		}
	}
	for _, region := range []string{"us-east-1", "eu-west-1", "ap-southeast-2", "sa-east-1"} {
		for _, other := range []string{"us-east-1", "eu-west-1", "ap-southeast-2", "sa-east-1"} {
			want := "no"
			if region == other {
				want = "yes"
			}
			if got := verdictWord(m.answerFor(t, build(region, other)).Verdict); got != want {
				t.Errorf("files in %s, incident in %s: got %s, want %s", region, other, got, want)
			}
		}
	}
}

// TestMatchCommand runs the command itself: a document, a folder, both outputs.
func TestMatchCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("stack/package.json", `{"dependencies":{"@sendgrid/mail":"^8.0.0"}}`)
	feed := write("feed.json", `{"schema":"downwind.feed/v1","provider":"sendgrid","platform":"statuspage","page":{"id":"p","name":"SendGrid","url":"https://status.sendgrid.com"},"state":"ok","error":null,"components":[],
		"incidents":[{"id":"a","kind":"incident","title":"Mail Send delays","phase":"identified","impact":"minor","components":[{"id":"1","name":"Mail Sending"}],"updates":[{"id":"u","body":"Mail is late.","phase":"identified"}]},
		{"id":"b","kind":"incident","title":"Marketing Campaigns unavailable","phase":"identified","impact":"minor","components":[{"id":"2","name":"Marketing Campaigns"}],"updates":[{"id":"u","body":"Campaigns cannot be opened.","phase":"identified"}]}]}`)
	run := func(args ...string) string {
		cmd := matchCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(context.Background()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var doc struct {
		Schema  string
		Results []answer
	}
	if err := json.Unmarshal([]byte(run("--json", "--stack", filepath.Join(dir, "stack"), feed)), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != matchSchema || len(doc.Results) != 2 {
		t.Fatalf("got schema %q with %d results, want %q with 2", doc.Schema, len(doc.Results), matchSchema)
	}
	if a := doc.Results[0]; !a.Affected || a.Incident != "a" || !slices.Equal(a.Components, []string{"Mail Sending"}) || len(a.Why) == 0 || a.Why[0].File != "package.json" {
		t.Errorf("first result: %+v", a)
	}
	if b := doc.Results[1]; b.Affected || b.WhyNot == nil || *b.WhyNot == "" || b.Held != "product" {
		t.Errorf("second result: %+v", b)
	}
	if text := run("--stack", filepath.Join(dir, "stack"), feed); !strings.Contains(text, "2 incidents: 1 hit this stack, 0 may, 1 do not") {
		t.Errorf("text for people ends without its sum:\n%s", text)
	}
}

func TestMatchCommandRefusesHalfACommand(t *testing.T) {
	for _, args := range [][]string{{}, {"--stack", "."}, {"livekit"}, {"--jsonl", "--stack", "."}, {"--json", "--jsonl"}} {
		cmd := matchCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(&bytes.Buffer{})
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(context.Background()); err == nil {
			t.Errorf("match %q: no error", args)
		}
	}
}

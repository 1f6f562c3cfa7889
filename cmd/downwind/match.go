package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/catalog"
	"downwind/match"
	"downwind/stackparse"
	stackparsers "downwind/stackparse/all"
)

// matchSchema names the JSON of `match --json`.
const matchSchema = "downwind.match/v1"

func matchCommand() *cobra.Command {
	var asJSON, asLines bool
	var stacks, private []string
	cmd := &cobra.Command{
		Use:   "match [--json|--jsonl] --stack PATH [--stack PATH]… FEED…",
		Short: "Say which incidents hit a stack, and why; and for the others why not",
		Long: "Reads a stack (files, folders, domains) and status sources (a provider, an address or a file), and judges every incident:\n" +
			"the services and places it hits against those that the files use.\n\n" +
			"With --jsonl, each line of standard input is {\"id\",\"provider\",\"files\":{path:text}} or with \"dir\" instead of \"files\", and \"incident\".",
		Example: "  downwind match --stack ./services/api --stack infra livekit aws\n" +
			"  downwind match --json --stack . https://status.example.com\n" +
			"  downwind match --jsonl < pairs.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := newMatcher()
			if err != nil {
				return err
			}
			if asLines {
				if len(args) > 0 || len(stacks) > 0 {
					return errors.New("--jsonl reads stacks and incidents from standard input; leave --stack and FEED out")
				}
				return m.lines(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
			}
			if len(stacks) == 0 || len(args) == 0 {
				return errors.New("match needs --stack PATH and at least one FEED; see downwind match --help")
			}
			return m.feeds(cmd, stacks, args, private, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print one document ("+matchSchema+")")
	f.BoolVar(&asLines, "jsonl", false, "read pairs from standard input, one per line, and answer one per line")
	f.StringArrayVar(&stacks, "stack", nil, "file, folder or domain of the stack; may be given again")
	f.StringSliceVar(&private, "allow-private", nil, "network that may be fetched although it is private, such as 127.0.0.0/8")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
	return cmd
}

// A matcher is what `match` needs to judge.
type matcher struct {
	providers *catalog.Catalog
	judge     *match.Judge
	stacks    *stackparse.Reader
}

func newMatcher() (*matcher, error) {
	c, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	j, err := match.Default()
	if err != nil {
		return nil, err
	}
	return &matcher{c, j, stackparse.New(stackparse.Options{Parsers: stackparsers.Parsers(), Names: catalog.Name})}, nil
}

// provider looks a slug or alias up; one that the catalogue does not know stands for itself.
func (m *matcher) provider(slug string) downwind.Provider {
	if p, ok := m.providers.Lookup(slug); ok {
		return p
	}
	return downwind.Provider{Slug: slug, Name: slug}
}

// An answer is one line of `match --jsonl` and one result of `match --json`.
type answer struct {
	ID         string            `json:"id,omitempty"`
	Incident   string            `json:"incident,omitempty"`
	Provider   string            `json:"provider,omitempty"`
	Title      string            `json:"title,omitempty"`
	Affected   bool              `json:"affected"`
	Confidence string            `json:"confidence,omitempty"`
	Components []string          `json:"components"`
	Regions    []string          `json:"regions"`
	Urgency    downwind.Urgency  `json:"urgency"`
	Why        []downwind.Reason `json:"why"`
	WhyNot     *string           `json:"why_not"`
	Held       string            `json:"held,omitempty"`
	Open       string            `json:"open_question,omitempty"`
}

func newAnswer(r downwind.Match) answer {
	a := answer{
		Affected: r.Affected, Components: orEmpty(r.Components), Regions: orEmpty(r.Regions), Urgency: r.Urgency, Why: orEmpty(r.Why),
		Held: string(r.Held), Open: r.OpenQuestion,
	}
	if r.Affected {
		a.Confidence = string(r.Verdict)
	} else {
		a.WhyNot = &r.WhyNot
	}
	return a
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// feeds judges all incidents of the sources against one stack.
func (m *matcher) feeds(cmd *cobra.Command, paths, sources, private []string, asJSON bool) error {
	stack, err := m.stacks.ReadPaths(cmd.Context(), paths)
	if err != nil {
		return err
	}
	var docs []downwind.Document
	for _, s := range sources {
		doc, err := readFeed(cmd, s, private)
		if err != nil {
			return err
		}
		if !doc.Readable() {
			return fmt.Errorf("%s cannot be read: %s", s, doc.Error)
		}
		docs = append(docs, doc)
	}
	var results []answer
	for i := range docs {
		doc := &docs[i]
		p := m.provider(doc.Provider)
		for k := range doc.Incidents {
			inc := &doc.Incidents[k]
			inc.Provider = p.Slug
			a := newAnswer(m.judge.Match(inc, &stack, nil, match.Known{Provider: p, Components: doc.Components}))
			a.Incident, a.Provider, a.Title = inc.ID, p.Slug, inc.Title
			results = append(results, a)
		}
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), struct {
			Schema  string   `json:"schema"`
			Results []answer `json:"results"`
		}{matchSchema, orEmpty(results)})
	}
	return printAnswers(cmd.OutOrStdout(), results)
}

// printAnswers tells people: what hits first, then what is open, then what does not, with one reason each.
func printAnswers(w io.Writer, results []answer) error {
	rank := func(a answer) int {
		switch {
		case !a.Affected:
			return 2
		case a.Confidence == string(downwind.AffectedPossible):
			return 1
		}
		return 0
	}
	sort.SliceStable(results, func(i, k int) bool { return rank(results[i]) < rank(results[k]) })
	var n [3]int
	for _, a := range results {
		r := rank(a)
		n[r]++
		word := [...]string{"yes", "possible", "no"}[r]
		if _, err := fmt.Fprintf(w, "%-8s  %s  %s\n", word, a.Provider, oneLine(a.Title)); err != nil {
			return err
		}
		for _, line := range a.details() {
			if _, err := fmt.Fprintf(w, "          %s\n", line); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d incidents: %d hit this stack, %d may, %d do not\n", len(results), n[0], n[1], n[2])
	return err
}

func (a answer) details() []string {
	if a.WhyNot != nil {
		return []string{oneLine(*a.WhyNot)}
	}
	var out []string
	if len(a.Components) > 0 || len(a.Regions) > 0 {
		out = append(out, oneLine(strings.Join(append(append([]string{}, a.Components...), a.Regions...), ", ")+" · "+string(a.Urgency)))
	}
	for i, w := range a.Why {
		if i == 3 {
			out = append(out, fmt.Sprintf("and %d more lines", len(a.Why)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s:%d %s", w.File, w.Line, oneLine(w.Match)))
	}
	if a.Open != "" {
		out = append(out, "open: "+a.Open)
	}
	return out
}

// A pair is one line of the batch.
type pair struct {
	ID       string            `json:"id"`
	Provider string            `json:"provider"`
	Files    map[string]string `json:"files"`
	Dir      string            `json:"dir"`
	Incident downwind.Incident `json:"incident"`
}

// maxPair bounds one line of the batch.
const maxPair = 64 << 20

// lines answers a batch, one line each. A line that cannot be read ends it: its number is in the error.
func (m *matcher) lines(ctx context.Context, in io.Reader, out io.Writer) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 1<<20), maxPair)
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	defer w.Flush()
	for n := 1; sc.Scan(); n++ {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		var p pair
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			return fmt.Errorf("standard input, line %d is not a pair in JSON: %w", n, err)
		}
		stack, err := m.stackOf(ctx, p)
		if err != nil {
			return fmt.Errorf("standard input, line %d: %w", n, err)
		}
		prov := m.provider(p.Provider)
		p.Incident.Provider = prov.Slug
		a := newAnswer(m.judge.Match(&p.Incident, &stack, nil, match.Known{Provider: prov}))
		a.ID = p.ID
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return nil
}

func (m *matcher) stackOf(ctx context.Context, p pair) (downwind.Stack, error) {
	if p.Dir != "" {
		return m.stacks.ReadPaths(ctx, []string{filepath.Clean(p.Dir)})
	}
	files := make(map[string][]byte, len(p.Files))
	for name, text := range p.Files {
		files[name] = []byte(text)
	}
	return m.stacks.ReadFiles(ctx, files), nil
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/guidance"
)

// maxExplainInput bounds a text read by explain, and a line of its JSONL, in bytes.
const maxExplainInput = 16 << 20

type explainFlags struct {
	json, jsonl        bool
	postedAt, provider string
}

func explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [FILE]",
		Short: "Read incident text and say when it really was and what to do",
		Long: "Reads one post of a status page as plain text (or, with --jsonl, one JSON object a line with id, body, posted_at, provider,\n" +
			"title, phase) and prints the periods of impact, the period to replay, and advice. Without FILE, or with -, it reads standard input.",
		Example: "  pbpaste | downwind explain --posted-at 2026-05-28T16:27:00Z\n" +
			"  downwind explain --jsonl posts.jsonl > guidance.jsonl",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, name, err := explainInput(cmd, args)
			if err != nil {
				return err
			}
			defer in.Close()
			if f.jsonl {
				return explainLines(in, cmd.OutOrStdout(), name)
			}
			return explainText(in, cmd.OutOrStdout(), name, f)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document (downwind.explain/v1)")
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "read one JSON object a line, print one a line")
	cmd.Flags().StringVar(&f.postedAt, "posted-at", "", "when the text went out, RFC 3339; dates without a year or day are read from it")
	cmd.Flags().StringVar(&f.provider, "provider", "", "whose text it is, a catalogue slug; settles zones and the order of dates")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
	return cmd
}

// explainInput opens the named file or standard input.
func explainInput(cmd *cobra.Command, args []string) (io.ReadCloser, string, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(cmd.InOrStdin()), "standard input", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the text: %w", err)
	}
	return f, args[0], nil
}

func explainText(in io.Reader, out io.Writer, name string, f explainFlags) error {
	body, err := io.ReadAll(io.LimitReader(in, maxExplainInput+1))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(body) > maxExplainInput {
		return fmt.Errorf("%s is longer than %d MB: give one post at a time", name, maxExplainInput>>20)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return fmt.Errorf("%s is empty: give the text of a post", name)
	}
	p := guidance.Post{Provider: f.provider, Body: strings.ToValidUTF8(string(body), "\uFFFD")}
	if f.postedAt != "" {
		if p.PostedAt, err = time.Parse(time.RFC3339, f.postedAt); err != nil {
			return fmt.Errorf("--posted-at %q is no RFC 3339 time: write it like 2026-05-28T16:27:00Z", f.postedAt)
		}
		p.PostedAt = p.PostedAt.UTC()
	}
	g := guidance.Explain(p, guidance.Known{})
	if f.json {
		return printJSON(out, g)
	}
	return printGuidance(out, g)
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// explainRecord is one line of JSONL input; unknown fields are ignored.
type explainRecord struct {
	ID          json.RawMessage `json:"id"`
	Provider    string          `json:"provider"`
	Title       string          `json:"title"`
	Body        string          `json:"body"`
	PostedAt    *string         `json:"posted_at"`
	Phase       string          `json:"phase"`
	Maintenance bool            `json:"maintenance"`
}

// explainLines reads JSONL and writes one line of guidance for each, in order.
func explainLines(in io.Reader, out io.Writer, name string) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriterSize(out, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(fmt.Errorf("cannot read line %d of %s: %w", n, name, err), w.Flush())
		}
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if werr := explainLine(trimmed, w); werr != nil {
				return errors.Join(fmt.Errorf("line %d of %s: %w", n, name, werr), w.Flush())
			}
		}
		if err != nil {
			return w.Flush()
		}
	}
}

// readLine reads to the next line feed, at most maxExplainInput bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxExplainInput {
			return nil, fmt.Errorf("longer than %d MB", maxExplainInput>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func explainLine(line []byte, w io.Writer) error {
	var rec explainRecord
	if err := json.Unmarshal(line, &rec); err != nil {
		return fmt.Errorf("not a JSON object with id and body: %w", err)
	}
	p := guidance.Post{
		Provider: rec.Provider, Title: rec.Title, Body: rec.Body, Maintenance: rec.Maintenance,
		Phase: downwind.Phase(strings.ToLower(strings.ReplaceAll(rec.Phase, " ", "_"))),
	}
	if rec.PostedAt != nil && *rec.PostedAt != "" {
		t, err := time.Parse(time.RFC3339, *rec.PostedAt)
		if err != nil {
			return fmt.Errorf("posted_at %q is no RFC 3339 time", *rec.PostedAt)
		}
		p.PostedAt = t.UTC()
	}
	g, err := json.Marshal(guidance.Explain(p, guidance.Known{}))
	if err != nil {
		return err
	}
	if len(rec.ID) == 0 {
		rec.ID = json.RawMessage("null")
	}
	_, err = fmt.Fprintf(w, "{\"id\":%s,%s\n", rec.ID, g[1:])
	return err
}

// printGuidance writes guidance for people.
func printGuidance(out io.Writer, g downwind.Guidance) error {
	var b strings.Builder
	if len(g.Windows) == 0 {
		b.WriteString("No period of impact is stated.\n")
	}
	for _, w := range g.Windows {
		fmt.Fprintf(&b, "Impact   %s\n", explainWindow(w))
		if w.Text != "" {
			fmt.Fprintf(&b, "         “%s”\n", oneLine(w.Text))
		}
		if w.StartFrom != "" {
			fmt.Fprintf(&b, "         start from “%s”\n", oneLine(w.StartFrom))
		}
	}
	for _, p := range g.Paste {
		f := guidance.ReplayForms(p)
		fmt.Fprintf(&b, "Replay   %s\n         %s\n         %s\n", f.Interval, f.SQL, f.Epoch)
	}
	explainList(&b, "Regions", []string{strings.Join(g.Regions, ", ")})
	cats := make([]string, len(g.Categories))
	for i, c := range g.Categories {
		cats[i] = string(c)
	}
	explainList(&b, "About", []string{strings.Join(cats, ", ")})
	if g.Phase != "" && g.Phase != downwind.PhaseUnknown {
		explainList(&b, "Phase", []string{string(g.Phase)})
	}
	explainList(&b, "Data", []string{explainLoss(g.DataLoss)})
	late := make([]string, len(g.Delayed))
	for i, s := range g.Delayed {
		late[i] = "“" + oneLine(s) + "”"
	}
	explainList(&b, "Later", late)
	explainList(&b, "Unsure", g.Conflicts)
	for _, a := range g.Actions {
		explainList(&b, "They say", []string{"“" + oneLine(a.Text) + "”"})
	}
	if g.NoneNeeded {
		explainList(&b, "They say", []string{"no action is needed"})
	}
	explainList(&b, "Do", g.Advice)
	explainList(&b, "Check", g.Checklist)
	_, err := io.WriteString(out, b.String())
	return err
}

// explainLoss words what the text says of lost data; empty where it says nothing.
func explainLoss(loss string) string {
	switch loss {
	case "yes":
		return "lost, by the provider's words"
	case "possible":
		return "may be lost, by the provider's words"
	case "":
		return ""
	}
	return "nothing lost, by the provider's words"
}

func explainList(b *strings.Builder, label string, items []string) {
	for i, s := range items {
		if s == "" {
			continue
		}
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(b, "%-8s %s\n", label, s)
	}
}

// oneLine makes provider text safe for a terminal: control characters become spaces.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
}

func explainWindow(w downwind.Window) string {
	const layout = "2006-01-02 15:04"
	s := ""
	switch {
	case w.Start.IsZero():
		s = "until " + w.End.Format(layout) + " UTC, start not stated"
	case w.End.IsZero():
		s = "since " + w.Start.Format(layout) + " UTC, end not stated"
	default:
		s = w.Start.Format(layout) + " to " + w.End.Format(layout) + " UTC"
	}
	if w.Approx {
		s += ", about"
	}
	if w.Scope != "" {
		s += ", " + oneLine(w.Scope)
	}
	return s
}

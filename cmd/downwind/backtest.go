package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/app"
	"downwind/catalog"
	"downwind/match"
	"downwind/plan"
	"downwind/stackparse"
	stackparsers "downwind/stackparse/all"
	"downwind/store"
)

// backtestSchema names the JSON of `backtest --json`.
const backtestSchema = "downwind.backtest/v1"

func backtestCommand() *cobra.Command {
	var f configFlags
	var stacks, private []string
	var since string
	var asJSON, own bool
	cmd := &cobra.Command{
		Use:   "backtest [--json] --stack PATH [--stack PATH]… [--since T] FEED…",
		Short: "Replay recorded incidents against a stack: what would have been alerted, held and why",
		Long: `Replays history through the whole pipeline, as the daemon would have met it post by post, and prints
the alerts that would have been sent and held. FEED is a provider, an address, a saved answer, or a folder of them;
with --archive the daemon's own archive is replayed too. Nothing is sent.`,
		Example: `  downwind backtest --stack ./services/api livekit github
  downwind backtest --stack . --since 2026-10-01 recordings/
  downwind backtest --json --stack . --archive`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(stacks) == 0 || len(args) == 0 && !own {
				return errors.New("backtest needs --stack PATH and at least one FEED (or --archive); see downwind backtest --help")
			}
			from, err := parseSince(since)
			if err != nil {
				return err
			}
			// Much is made and soon dropped, and the command ends after it: collecting less often halves the work of the collector.
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			b := &backtest{cmd: cmd, private: private, since: from}
			if err := b.open(stacks); err != nil {
				return err
			}
			for _, what := range args {
				if err := b.read(what); err != nil {
					return err
				}
			}
			if own {
				if err := b.archive(&f); err != nil {
					return err
				}
			}
			if err := b.play(); err != nil {
				return failed(err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), b.report())
			}
			return b.print(cmd.OutOrStdout())
		},
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&stacks, "stack", nil, "file, folder or domain of the stack; may be given again")
	cmd.Flags().StringVar(&since, "since", "", "leave out incidents that began before this date (2026-10-01 or RFC 3339)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document ("+backtestSchema+")")
	cmd.Flags().BoolVar(&own, "archive", false, "replay the daemon's own archive too")
	cmd.Flags().StringSliceVar(&private, "allow-private", nil, "network that may be fetched although it is private, such as 127.0.0.0/8")
	return cmd
}

func parseSince(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("--since %q is no date such as 2026-10-01", s)
}

// A backtest gathers documents by provider and plays them.
type backtest struct {
	cmd       *cobra.Command
	private   []string
	since     time.Time
	providers *catalog.Catalog
	replay    *plan.Replay
	stack     downwind.Stack
	docs      map[string][]downwind.Document
	unread    []string
}

func (b *backtest) open(paths []string) error {
	var err error
	if b.providers, err = catalog.Load(); err != nil {
		return err
	}
	judge, err := match.Default()
	if err != nil {
		return err
	}
	reader := stackparse.New(stackparse.Options{Parsers: stackparsers.Parsers(), Names: catalog.Name})
	if b.stack, err = reader.ReadPaths(b.cmd.Context(), paths); err != nil {
		return err
	}
	b.replay = plan.NewReplay(plan.New(judge, plan.Options{}), b.stack)
	b.docs = map[string][]downwind.Document{}
	return nil
}

// read takes in one source, or every file of a folder in name order.
func (b *backtest) read(what string) error {
	info, err := os.Stat(what)
	if err != nil || !info.IsDir() {
		return b.readOne(what)
	}
	return filepath.WalkDir(what, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".json", ".xml", ".rss", ".atom":
			return b.readOne(path)
		}
		return nil
	})
}

func (b *backtest) readOne(what string) error {
	doc, err := readFeed(b.cmd, what, b.private)
	if err != nil {
		return err
	}
	if !doc.Readable() {
		b.unread = append(b.unread, what+": "+doc.Error)
		return nil
	}
	slug := cmp.Or(doc.Provider, doc.Page.Name, what)
	b.docs[slug] = append(b.docs[slug], doc)
	return nil
}

// archive takes in what the daemon has archived.
func (b *backtest) archive(f *configFlags) error {
	cfg, dataDir, err := f.load()
	if err != nil {
		return err
	}
	db, err := store.Open(b.cmd.Context(), store.Options{URL: app.DatabaseURL(cfg, dataDir), ReadOnly: true})
	if err != nil {
		return failed(err)
	}
	defer func() { _ = db.Close() }() // only read from
	filter := downwind.IncidentFilter{Since: b.since, Limit: 500}
	for {
		records, err := db.Incidents(b.cmd.Context(), filter)
		if err != nil {
			return failed(err)
		}
		for _, r := range records {
			slug := r.Incident.Provider
			b.docs[slug] = append(b.docs[slug], downwind.Document{Provider: slug, Incidents: []downwind.Incident{r.Incident}})
		}
		if len(records) < filter.Limit {
			return nil
		}
		filter.Before = records[len(records)-1].Cursor
	}
}

// play replays provider by provider, with progress on a terminal.
func (b *backtest) play() error {
	var recordings []plan.Recording
	total := 0
	for _, slug := range sortedKeys(b.docs) {
		p, ok := b.providers.Lookup(slug)
		if !ok {
			p = downwind.Provider{Slug: slug, Name: slug}
		}
		r := plan.Record(p, b.docs[slug], b.since)
		recordings, total = append(recordings, r), total+r.Moments()
	}
	bar := newBar(b.cmd.ErrOrStderr(), "posts", total)
	defer bar.close()
	for _, r := range recordings {
		if err := b.replay.Play(r, bar.step); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

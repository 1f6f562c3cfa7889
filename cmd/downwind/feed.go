package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/catalog"
	"downwind/feeds"
	"downwind/feeds/all"
)

// feedFileLimit is how large a file `feed` reads; the fetcher's own limit for a status source is smaller.
const feedFileLimit = 64 << 20

func feedCommand() *cobra.Command {
	var asJSON bool
	var private []string
	cmd := &cobra.Command{
		Use:   "feed [--json] PROVIDER|URL|FILE",
		Short: "Read one status source and print it normalised",
		Long: "Reads the status page of a provider of the catalogue, of any address (a page, a feed, a home page, a bare domain),\n" +
			"or a saved answer, and prints it in the one shape that Downwind uses. A FILE may also be a document that\n" +
			"`feed --json` wrote. The exit status is 1 when the source cannot be read.",
		Example: "  downwind feed livekit\n" +
			"  downwind feed https://www.githubstatus.com\n" +
			"  downwind feed --json incidents.json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := readFeed(cmd, args[0], private)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), doc)
			} else {
				err = printFeed(cmd.OutOrStdout(), &doc)
			}
			if err == nil && !doc.Readable() {
				return failed(fmt.Errorf("%s cannot be read: %s", args[0], doc.Error))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document (downwind.feed/v1)")
	cmd.Flags().StringSliceVar(&private, "allow-private", nil, "network that may be fetched although it is private, such as 127.0.0.0/8")
	return cmd
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// readFeed reads what the argument names: a file that exists, a provider, or an address.
func readFeed(cmd *cobra.Command, what string, private []string) (downwind.Document, error) {
	if info, err := os.Stat(what); err == nil && !info.IsDir() {
		return readFeedFile(cmd, what)
	}
	if namesFile(what) {
		return downwind.Document{}, fmt.Errorf("no such file: %s", what)
	}
	ctx := cmd.Context()
	cat, err := catalog.Load()
	if err != nil {
		return downwind.Document{}, err
	}
	allow, err := parseNetworks(private)
	if err != nil {
		return downwind.Document{}, err
	}
	f := feeds.NewFetcher(feeds.FetcherOptions{UserAgent: "Downwind/" + version + " (downwind feed)", AllowPrivate: allow})
	defer f.Close()
	if p, ok := cat.Lookup(what); ok && !strings.Contains(what, "://") {
		return readProvider(ctx, f, p)
	}
	if !strings.ContainsAny(what, "./:") {
		return downwind.Document{}, unknownProvider(cat, what)
	}
	return readAddress(ctx, f, cat, what)
}

// namesFile reports whether an argument can only mean a file: a path, or an ending that no host name has.
func namesFile(what string) bool {
	if strings.Contains(what, "://") {
		return false
	}
	switch strings.ToLower(filepath.Ext(what)) {
	case ".json", ".xml", ".rss", ".atom", ".html", ".txt":
		return !strings.Contains(what, "/") || filepath.IsAbs(what) || strings.HasPrefix(what, ".")
	}
	return filepath.IsAbs(what) || strings.HasPrefix(what, "./") || strings.HasPrefix(what, "../")
}

// readFeedFile reads a saved answer, or a document that `feed --json` wrote.
func readFeedFile(cmd *cobra.Command, path string) (downwind.Document, error) {
	cat, err := catalog.Load()
	if err != nil {
		return downwind.Document{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return downwind.Document{}, err
	}
	if info.Size() > feedFileLimit {
		return downwind.Document{}, fmt.Errorf("%s is larger than %d MB", path, feedFileLimit>>20)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return downwind.Document{}, err
	}
	doc := feeds.Decode(cmd.Context(), all.Adapters(), "", feeds.Payload{Body: raw, FetchedAt: info.ModTime().UTC()})
	if doc.Provider == "" && doc.Page.URL != "" {
		if p, ok := cat.Lookup(doc.Page.URL); ok {
			doc.Provider = p.Slug
		}
	}
	return doc, nil
}

func readProvider(ctx context.Context, f *feeds.Fetcher, p downwind.Provider) (downwind.Document, error) {
	if p.StatusURL == "" {
		return downwind.Document{}, fmt.Errorf("%s cannot be read: %s", p.Name, p.Unsupported)
	}
	adapters := all.Adapters()
	a := feeds.Find(adapters, p.Platform)
	if a == nil {
		d, err := feeds.Detect(ctx, f, adapters, p.StatusURL)
		if err != nil {
			return feeds.Unreadable(p.Slug, "unknown", err), nil
		}
		a = feeds.Find(adapters, d.Platform)
		if d.Direct {
			return readingOf(feeds.Read(ctx, f, a, p.Slug, d.PageURL, d.Endpoint))(p.Slug, a)
		}
		p.StatusURL = d.PageURL
	}
	return readingOf(feeds.Read(ctx, f, a, p.Slug, p.StatusURL, ""))(p.Slug, a)
}

// readingOf turns a reading that failed into an unreadable document: that is an answer too.
func readingOf(r feeds.Reading, err error) func(provider string, a feeds.Adapter) (downwind.Document, error) {
	return func(provider string, a feeds.Adapter) (downwind.Document, error) {
		if err != nil {
			return feeds.Unreadable(provider, a.Platform(), err), nil
		}
		return r.Document, nil
	}
}

func readAddress(ctx context.Context, f *feeds.Fetcher, cat *catalog.Catalog, address string) (downwind.Document, error) {
	provider := ""
	if p, ok := cat.Lookup(address); ok {
		provider = p.Slug
	}
	adapters := all.Adapters()
	d, err := feeds.Detect(ctx, f, adapters, address)
	if err != nil {
		if errors.Is(err, downwind.ErrInvalid) {
			return downwind.Document{}, err
		}
		return feeds.Unreadable(provider, "unknown", err), nil
	}
	a := feeds.Find(adapters, d.Platform)
	endpoint := ""
	if d.Direct {
		endpoint = d.Endpoint
	}
	return readingOf(feeds.Read(ctx, f, a, provider, d.PageURL, endpoint))(provider, a)
}

func parseNetworks(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("--allow-private %q is no network such as 10.1.0.0/16", s)
		}
		out = append(out, p)
	}
	return out, nil
}

func unknownProvider(cat *catalog.Catalog, what string) error {
	if near := cat.Closest(what, 3); len(near) > 0 {
		return fmt.Errorf("no provider is called %q; did you mean %s?", what, strings.Join(near, " or "))
	}
	return fmt.Errorf("no provider is called %q and there is no such file; `downwind providers` lists them, or give the address of a status page", what)
}

// printFeed prints a document for people: what is not well first, then the newest incidents.
func printFeed(w io.Writer, doc *downwind.Document) error {
	name := feeds.PlainLine(doc.Page.Name)
	if name == "" {
		name = doc.Provider
	}
	fmt.Fprintf(w, "%s  (%s)  %s\n", name, doc.Platform, feeds.PlainLine(doc.Page.URL))
	if !doc.Readable() {
		_, err := fmt.Fprintf(w, "unreadable: %s\n", doc.Error)
		return err
	}
	bad := 0
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, c := range doc.Components {
		if c.Status != downwind.Operational {
			bad++
			label := feeds.PlainLine(c.Name)
			if c.Group != "" {
				label = feeds.PlainLine(c.Group) + " / " + label
			}
			fmt.Fprintf(tw, "  %s\t%s\n", c.Status, label)
		}
	}
	fmt.Fprintf(w, "%d components, %d not operational\n", len(doc.Components), bad)
	if err := tw.Flush(); err != nil {
		return err
	}
	tw = tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	const most = 25
	for i := range doc.Incidents[:min(len(doc.Incidents), most)] {
		printIncident(tw, &doc.Incidents[i])
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(doc.Incidents) > most {
		fmt.Fprintf(w, "and %d older ones\n", len(doc.Incidents)-most)
	}
	for _, d := range doc.Diagnostics {
		fmt.Fprintf(w, "%s: %s\n", d.Severity, d.Summary)
	}
	return nil
}

func printIncident(w io.Writer, inc *downwind.Incident) {
	when := inc.StartedAt
	if inc.Kind == downwind.KindMaintenance && !inc.ScheduledFor.IsZero() {
		when = inc.ScheduledFor
	}
	stamp := "time not stated"
	if !when.IsZero() {
		stamp = when.UTC().Format(time.DateOnly + " 15:04Z")
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", stamp, inc.Phase, inc.Impact, feeds.PlainLine(inc.Title))
}

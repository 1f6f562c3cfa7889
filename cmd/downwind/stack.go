package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/catalog"
	"downwind/stackparse"
	"downwind/stackparse/all"
)

type stackFlags struct {
	json, dns          bool
	push, server, name string
	signatures         string
}

func stackCommand() *cobra.Command {
	var f stackFlags
	cmd := &cobra.Command{
		Use:   "stack PATH…",
		Short: "List the providers that files, folders or domains depend on, with the evidence",
		Long: `Reads files, folders (walked, .gitignore honoured), archives of repositories, standard input ("-" with --name),
and bare domains, and lists the providers that they depend on: services, regions, and file, line and words of the
evidence. Values of settings are never kept or shown.`,
		Example: `  downwind stack .
  downwind stack --json services/api infra/*.tf
  downwind stack api.stripe.com xyz.supabase.co
  cat requirements.txt | downwind stack --name requirements.txt -
  DOWNWIND_TOKEN=… downwind stack --push checkout --server https://downwind.example.org .`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runStack(cmd, f, args) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document (downwind.stack/v1)")
	cmd.Flags().StringVar(&f.push, "push", "", "store the result as the stack of this `TEAM` on a running daemon")
	cmd.Flags().StringVar(&f.server, "server", "http://127.0.0.1:8080", "`URL` of the daemon for --push")
	cmd.Flags().StringVar(&f.name, "name", "domains.txt", "file name that standard input is read as")
	cmd.Flags().BoolVar(&f.dns, "dns", false, "look up CNAME, MX and NS records of unknown domains and read those, too")
	cmd.Flags().StringVar(&f.signatures, "signatures", "", "tab-separated `FILE` with signatures of your own")
	return cmd
}

// memoryFor is a soft limit in bytes for a short run, below which no garbage is collected: most stacks are read within it.
// A large file that is held as a whole gets room for itself, and the less beside it.
func memoryFor(reader *stackparse.Reader, paths []string) int64 {
	const most, least = 30 << 20, 10 << 20
	largest := int64(0)
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			largest = max(largest, reader.Holds(filepath.Base(p), info.Size()))
		}
	}
	return largest + max(most-largest/5, least)
}

func runStack(cmd *cobra.Command, f stackFlags, args []string) error {
	opt := stackparse.Options{Parsers: all.Parsers(), Names: catalog.Name}
	if err := overlay(&opt, f.signatures); err != nil {
		return err
	}
	reader := stackparse.New(opt)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryFor(reader, args)))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	stack, err := readStack(cmd, reader, f, args)
	if err != nil {
		return err
	}
	if f.dns {
		if more := stackparse.Resolve(cmd.Context(), stack.Unknown, nil); len(more) > 0 {
			stack = stackparse.Merge(stack, reader.ReadFiles(cmd.Context(), map[string][]byte{"dns-zone.txt": more}))
		}
	}
	if f.push != "" {
		if err := pushStack(cmd.Context(), f, stack); err != nil {
			return failed(err)
		}
		if !f.json {
			fmt.Fprintf(cmd.ErrOrStderr(), "stored as the stack of team %s\n", f.push)
		}
	}
	if f.json {
		b, err := stack.MarshalJSON() // as json.Encoder writes it, who would look through all of it once more
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(append(b, '\n'))
		return err
	}
	return printStack(cmd.OutOrStdout(), stack)
}

func readStack(cmd *cobra.Command, reader *stackparse.Reader, f stackFlags, args []string) (downwind.Stack, error) {
	if len(args) == 1 && args[0] == "-" {
		const most = 128 << 20
		b, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most))
		if err != nil {
			return downwind.Stack{}, fmt.Errorf("read standard input: %w", err)
		}
		return reader.ReadFiles(cmd.Context(), map[string][]byte{f.name: b}), nil
	}
	for _, a := range args {
		if a == "-" {
			return downwind.Stack{}, errors.New("standard input (-) cannot be read together with other paths; give it alone")
		}
	}
	return reader.ReadPaths(cmd.Context(), args)
}

// pushStack puts the stack to the daemon's API.
func pushStack(ctx context.Context, f stackFlags, stack downwind.Stack) error {
	token := os.Getenv("DOWNWIND_TOKEN")
	if token == "" {
		return errors.New("--push needs an API token in DOWNWIND_TOKEN; make one with `downwind token add`")
	}
	body, err := json.Marshal(stack)
	if err != nil {
		return fmt.Errorf("push stack: %w", err)
	}
	address, err := url.JoinPath(f.server, "api", "v1", "teams", f.push, "stack")
	if err != nil {
		return fmt.Errorf("push stack: --server %q is no address: %w", f.server, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("push stack: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("push stack to %s: %w; is the daemon running there?", f.server, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	return fmt.Errorf("push stack to %s: answer %s: %s", f.server, resp.Status, strings.TrimSpace(string(answer)))
}

// printStack writes the three groups for people: sure, to confirm, unknown.
func printStack(w io.Writer, s downwind.Stack) error {
	tw := tabwriter.NewWriter(w, 2, 4, 2, ' ', 0)
	group := func(title string, want func(downwind.Use) bool) {
		first := true
		for _, u := range s.Providers {
			if !want(u) {
				continue
			}
			if first {
				fmt.Fprintf(tw, "%s\n", title)
				first = false
			}
			fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", cmp.Or(u.Name, u.Provider), strings.Join(u.Services, ", "), strings.Join(u.Regions, ", "), place(u.Evidence))
		}
		if !first {
			fmt.Fprintln(tw)
		}
	}
	group("Sure", func(u downwind.Use) bool { return u.Confidence == downwind.Sure })
	group("To confirm", func(u downwind.Use) bool { return u.Confidence != downwind.Sure })
	if len(s.Unknown) > 0 {
		fmt.Fprintln(tw, "Unknown")
		for _, e := range s.Unknown {
			fmt.Fprintf(tw, "  %s\t%s\t\t%s\n", e.Match, e.Kind, place([]downwind.Evidence{e}))
		}
		fmt.Fprintln(tw)
	}
	for _, f := range s.Files {
		for _, d := range f.Diagnostics {
			if d.Line > 0 {
				fmt.Fprintf(tw, "%s: %s:%d: %s\n", d.Severity, f.Path, d.Line, d.Summary)
			} else {
				fmt.Fprintf(tw, "%s: %s: %s\n", d.Severity, f.Path, d.Summary)
			}
		}
	}
	if len(s.Providers) == 0 && len(s.Unknown) == 0 {
		fmt.Fprintln(tw, "No provider found.")
	}
	return tw.Flush()
}

func place(ev []downwind.Evidence) string {
	if len(ev) == 0 {
		return ""
	}
	at := ev[0].File
	if ev[0].Line > 0 {
		at = fmt.Sprintf("%s:%d", at, ev[0].Line)
	}
	if n := len(ev) - 1; n > 0 {
		return fmt.Sprintf("%s %s (+%d)", at, ev[0].Match, n)
	}
	return at + " " + ev[0].Match
}

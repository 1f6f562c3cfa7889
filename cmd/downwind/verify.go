package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"downwind/proof"
	"downwind/proof/ots"
)

// verifySchema names the JSON of `verify --json`.
const verifySchema = "downwind.verify/v1"

func verifyCommand() *cobra.Command {
	var p proof.Policy
	var asJSON bool
	var from, roots string
	var blocks []string
	cmd := &cobra.Command{
		Use:   "verify [--json] FILE|DIR…",
		Short: "Check archive proofs offline",
		Long: `Checks proof bundles (.dwproof) and exported archives (.dwarchive) without network and without trust in the daemon that made them: the
incident and the raw answer against their hashes, the leaf against the log's tree, the tree against the signed
checkpoint, and time stamps where roots are given. A consistency proof (/log/extension/SIZE of the daemon) is checked to
continue the checkpoint that you kept (--from). Says what is proved and what is not.

Exit status: 0 valid, 2 invalid (anything altered), 3 valid but weaker than asked, 4 unreadable or missing.`,
		Example: `  downwind verify livekit-gv6q-v3.dwproof
  downwind verify --key 'downwind.example/log+8febcc55+AbCd…' ./proofs
  downwind verify --from checkpoint-of-january.txt downwind.dwarchive
  downwind verify --key … --from checkpoint-of-january.txt extension-9120.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := held(&p, from, roots, blocks)
			if err == nil {
				err = p.Check()
			}
			if err != nil {
				return &exitError{int(proof.Unreadable), err}
			}
			reports, err := verifyAll(args, p)
			if err != nil {
				return &exitError{int(proof.Unreadable), err}
			}
			worst := proof.Valid
			for _, r := range reports {
				worst = worse(worst, r.Report.Verdict)
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), map[string]any{"schema": verifySchema, "result": worst.Word(), "files": reports})
			} else {
				err = printReports(cmd.OutOrStdout(), reports, worst)
			}
			if err != nil {
				return err
			}
			if worst != proof.Valid {
				return &exitError{code: int(worst)}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document ("+verifySchema+")")
	cmd.Flags().StringVar(&p.Key, "key", "", "the log's verifier key that you trust (default: the bundle's own)")
	cmd.Flags().StringVar(&from, "from", "", "file with a checkpoint that you kept: a bundle is compared at equal size, an archive at any")
	cmd.Flags().StringVar(&p.Root, "root", "", "what a message's footer said, as 9120:3f9c1d2e (size and root)")
	cmd.Flags().StringVar(&roots, "roots", "", "PEM file of the time-stamp authorities that you trust")
	cmd.Flags().StringArrayVar(&blocks, "bitcoin-block", nil, "height:header of a Bitcoin block that you trust, for OpenTimestamps; may be given again")
	cmd.Flags().IntVar(&p.Stamps, "stamps", 0, "how many time stamps of different authorities are asked for")
	cmd.Flags().StringArrayVar(&p.Witnesses, "witness", nil, "verifier key of a witness; may be given again")
	cmd.Flags().IntVar(&p.Quorum, "quorum", 0, "how many witnesses must have cosigned")
	return cmd
}

// held reads what the verifier keeps from elsewhere into the policy.
func held(p *proof.Policy, from, roots string, blocks []string) error {
	var err error
	p.Blocks = map[uint64]ots.Header{}
	for _, text := range blocks {
		height, header, err := proof.ParseBlock(text)
		if err != nil {
			return fmt.Errorf("--bitcoin-block: %w", err)
		}
		p.Blocks[height] = header
	}
	if from != "" {
		if p.From, err = os.ReadFile(from); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	if roots == "" {
		return nil
	}
	pem, err := os.ReadFile(roots)
	if err != nil {
		return fmt.Errorf("--roots: %w", err)
	}
	if p.Roots, err = proof.NewJudge(pem); err != nil {
		return fmt.Errorf("--roots %s: %w", roots, err)
	}
	return nil
}

// unread words an error of opening or reading a file, which names the file itself.
func unread(err error) error {
	return fmt.Errorf("%w; name proof bundles (.dwproof), exported archives (.dwarchive) or folders of them", err)
}

type fileReport struct {
	File   string       `json:"file"`
	Result string       `json:"result"`
	Report proof.Report `json:"report"`
}

// worse orders verdicts for the exit status: invalid beats unreadable beats weaker beats valid.
func worse(a, b proof.Verdict) proof.Verdict {
	rank := map[proof.Verdict]int{proof.Valid: 0, proof.Weaker: 1, proof.Unreadable: 2, proof.Invalid: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// proofFile reports whether a file of a folder is a bundle or an archive by its name.
func proofFile(path string) bool {
	return filepath.Ext(path) == ".dwproof" || filepath.Ext(strings.TrimSuffix(path, ".zst")) == ".dwarchive"
}

func verifyAll(args []string, p proof.Policy) ([]fileReport, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, unread(err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		n := len(files)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && proofFile(path) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == n {
			return nil, fmt.Errorf("%s holds no .dwproof or .dwarchive file", arg)
		}
	}
	sort.Strings(files)
	var out []fileReport
	for _, f := range files {
		r, err := verifyFile(f, p)
		if err != nil {
			return nil, err
		}
		out = append(out, fileReport{f, r.Verdict.Word(), r})
	}
	return out, nil
}

// verifyFile checks a bundle, an exported archive or a consistency proof, whichever the file is.
func verifyFile(path string, p proof.Policy) (proof.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return proof.Report{}, unread(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	start, _ := in.Peek(5) // a shorter file is no archive
	if proof.IsArchive(start) {
		return proof.VerifyArchive(in, p), nil
	}
	data, err := io.ReadAll(io.LimitReader(in, maxBundle+1))
	if err != nil {
		return proof.Report{}, err
	}
	if len(data) > maxBundle {
		return proof.Report{}, fmt.Errorf("%s is larger than any proof bundle (%d MB), and no archive", path, maxBundle>>20)
	}
	if proof.IsExtension(data) {
		return proof.VerifyExtension(data, p), nil
	}
	return proof.VerifyBundle(data, p), nil
}

// maxBundle is more than a bundle with the largest raw answer that a source may send.
const maxBundle = 256 << 20

func printReports(w io.Writer, reports []fileReport, worst proof.Verdict) error {
	for _, r := range reports {
		fmt.Fprintf(w, "%s: %s\n", r.File, r.Report.Verdict)
		if len(reports) > 1 && r.Report.Verdict == proof.Valid {
			continue
		}
		for _, f := range r.Report.Findings {
			fmt.Fprintf(w, "  %-16s %-8s %s\n", f.Name, f.State, f.Text)
		}
		for _, s := range r.Report.Proves {
			fmt.Fprintf(w, "  proves                    %s\n", s)
		}
		for _, s := range r.Report.DoesNot {
			fmt.Fprintf(w, "  not proved                %s\n", s)
		}
	}
	files := "files"
	if len(reports) == 1 {
		files = "file"
	}
	_, err := fmt.Fprintf(w, "result: %s (%d %s)\n", worst, len(reports), files)
	return err
}

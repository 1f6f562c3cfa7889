package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"downwind/app"
	"downwind/proof"
)

func archiveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "archive",
		Short:   "Export the archive with all its proofs, or take one over",
		Example: "  downwind archive export downwind.dwarchive\n  downwind archive import downwind.dwarchive",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(archiveExportCommand(), archiveImportCommand())
	return cmd
}

func archiveExportCommand() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:   "export DIR|FILE",
		Short: "Write every version, raw body and log entry with checkpoints and time stamps into one file",
		Long: `Writes the archive up to the newest checkpoint while the daemon runs or not: every log entry byte for byte,
each incident's canonical JSON, raw bodies, checkpoints with their time stamps. Into a folder it writes
downwind-SIZE.dwarchive; a name ending in .zst is compressed. ` + "`downwind verify`" + ` checks the file offline;
docs/archive.md documents its form.`,
		Example: `  downwind archive export /var/backups
  downwind archive export downwind.dwarchive.zst && downwind verify downwind.dwarchive.zst`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			path, size, err := exportTo(args[0], func(w io.Writer) (int64, error) {
				return app.ExportArchive(cmd.Context(), app.Options{Config: cfg, DataDir: dataDir, Version: version}, w)
			})
			if err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "written: %s (%d entries)\n", path, size)
			return err
		},
	}
	f.add(cmd)
	return cmd
}

// exportTo writes a new file, or one in a folder; it never leaves half of one under the name asked for.
func exportTo(target string, write func(io.Writer) (int64, error)) (path string, size int64, err error) {
	dir, name := filepath.Split(target)
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		dir, name = target, ""
	} else if err == nil {
		return "", 0, fmt.Errorf("%s is there already; name a new file or a folder", target)
	}
	part, err := os.CreateTemp(dir, ".downwind-export-*")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	if size, err = writeExport(part, strings.HasSuffix(name, ".zst"), write); err != nil {
		return "", 0, errors.Join(err, part.Close())
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return "", 0, err
	}
	if name == "" {
		name = fmt.Sprintf("downwind-%d.dwarchive", size)
	}
	path = filepath.Join(dir, name)
	if err := os.Link(part.Name(), path); err == nil { // refuses a file that is there
		return path, size, os.Remove(part.Name())
	} else if errors.Is(err, os.ErrExist) {
		return "", 0, fmt.Errorf("%s is there already", path)
	}
	return path, size, os.Rename(part.Name(), path) // where there are no hard links
}

func writeExport(f io.Writer, small bool, write func(io.Writer) (int64, error)) (int64, error) {
	if !small {
		return write(f)
	}
	z, err := zstd.NewWriter(f)
	if err != nil {
		return 0, err
	}
	size, err := write(z)
	return size, errors.Join(err, z.Close())
}

func archiveImportCommand() *cobra.Command {
	var f configFlags
	var p proof.Policy
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take over an exported archive; its proofs stay good (the daemon must not run)",
		Long: `Takes an exported archive into a store whose log is empty, or holds the beginning of the same log. Every
entry keeps its bytes and place and every checkpoint the key that signed it, so proofs made before stay good; what is
read from now on follows behind, under this install's own key. The archive is verified whole before anything is written.`,
		Example: `  downwind archive import --key 'downwind.example/log+8febcc55+AbCd…' downwind.dwarchive`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			if err := p.Check(); err != nil {
				return err
			}
			if _, err := os.Stat(args[0]); err != nil {
				return fmt.Errorf("the archive cannot be read: %w; name a file that `downwind archive export` wrote", err)
			}
			done, err := app.ImportArchive(cmd.Context(), app.Options{Config: cfg, DataDir: dataDir, Version: version}, p, func() (io.ReadCloser, error) { return os.Open(args[0]) })
			if done.Report.Verdict != proof.Valid {
				report := fileReport{args[0], done.Report.Verdict.Word(), done.Report}
				if err := printReports(cmd.OutOrStdout(), []fileReport{report}, done.Report.Verdict); err != nil {
					return err
				}
			}
			if err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "taken over: %d entries, %d of them versions (%d were there already)\n", done.Entries, done.Versions, done.Known)
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&p.Key, "key", "", "the log's verifier key that you trust (default: the archive's own)")
	return cmd
}

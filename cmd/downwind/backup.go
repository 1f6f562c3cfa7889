package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"downwind/app"
	"downwind/store"
)

func backupCommand() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a consistent copy of the database while the daemon runs",
		Example: `  downwind backup /var/backups/downwind-2026-03-10.db
  downwind restore /var/backups/downwind-2026-03-10.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			db, err := store.Open(cmd.Context(), store.Options{URL: app.DatabaseURL(cfg, dataDir), ReadOnly: true})
			if err != nil {
				return failed(err)
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			if err := db.Backup(cmd.Context(), args[0]); err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "written:", args[0])
			return err
		},
	}
	f.add(cmd)
	return cmd
}

func restoreCommand() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a copy in the place of the database (the daemon must not run)",
		Long: `Put a copy in the place of the database. The daemon must not run. The next start notices that it
runs on a copy and looks for every open message in the channels before it sends anything again.`,
		Example: "  downwind restore /var/backups/downwind-2026-03-10.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			path, ok := strings.CutPrefix(app.DatabaseURL(cfg, dataDir), "sqlite:")
			if !ok {
				return errors.New("restore works on SQLite; for PostgreSQL use pg_restore (docs/operations.md)")
			}
			if _, err := os.Stat(args[0]); err != nil {
				return fmt.Errorf("the copy to restore cannot be read: %w; name a file that `downwind backup` wrote", err)
			}
			if err := store.Restore(cmd.Context(), args[0], path); err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "restored from", args[0])
			return err
		},
	}
	f.add(cmd)
	return cmd
}

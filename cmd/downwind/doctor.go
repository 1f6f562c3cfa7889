package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"downwind/app"
)

func doctorCommand() *cobra.Command {
	var f configFlags
	var asJSON, ready bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this installation, and say how to repair it",
		Long: `Check configuration, database, stack files, sources, tokens and permissions per channel. It
sends no message. Exit status 1 when something has failed.

With --ready it only asks the running daemon whether it is ready, for container health checks.`,
		Example: `  downwind doctor
  downwind doctor --ready`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			if ready {
				if err := app.Ready(cmd.Context(), cfg.Server.Listen); err != nil {
					return failed(err)
				}
				return nil
			}
			checks := app.Doctor(cmd.Context(), app.Options{Config: cfg, DataDir: dataDir, Version: version, Logger: slog.New(slog.DiscardHandler)})
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"schema": "downwind.doctor/v1", "checks": checks})
			} else {
				err = printChecks(cmd.OutOrStdout(), checks)
			}
			if err != nil {
				return err
			}
			for _, c := range checks {
				if c.State == app.CheckFailed {
					return &exitError{code: 1}
				}
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.listen, "listen", "", "address of the daemon, instead of the configured one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&ready, "ready", false, "only ask the daemon whether it is ready")
	return cmd
}

func printChecks(w io.Writer, checks []app.Check) error {
	for _, c := range checks {
		mark := map[app.CheckState]string{app.CheckOK: "ok     ", app.CheckWarning: "WARNING", app.CheckFailed: "FAILED "}[c.State]
		if _, err := fmt.Fprintf(w, "%s  %s: %s\n", mark, c.Name, strings.TrimSpace(c.Text)); err != nil {
			return err
		}
		if c.Repair != "" && c.State != app.CheckOK {
			if _, err := fmt.Fprintf(w, "         repair: %s\n", c.Repair); err != nil {
				return err
			}
		}
	}
	return nil
}

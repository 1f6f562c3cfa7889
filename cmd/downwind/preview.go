package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/app"
)

func previewCommand() *cobra.Command {
	var f configFlags
	var to string
	cmd := &cobra.Command{
		Use:     "preview [new|update|severity|components|resolved|reopened|postmortem|edit|withdrawn|maintenance|reminder]",
		Aliases: []string{"test"},
		Short:   "Show how a message looks, on the terminal or in one destination",
		Long: `Show one layout on a made-up incident, marked as a sample. With --to it is sent to a destination of the configuration: a
[[destination]] by its name or id, or a team's channel by its id. It may run beside the daemon, and keeps nothing.

A pager takes a sample as seriously as an alert: "preview new" opens an alert of ExampleCloud, "preview resolved" closes it.
In chat, /feed preview shows the newest real incident of that kind to you alone.`,
		Example: `  downwind preview resolved
  downwind preview new --to ops-hook
  downwind preview new --to C0123456789`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			kind := downwind.ChangeNew
			if len(args) == 1 {
				kind = downwind.ChangeKind(args[0])
			}
			d, err := app.Preview(cmd.Context(), app.Options{
				Config: cfg, DataDir: dataDir, Version: version, Logger: slog.New(slog.DiscardHandler), Console: cmd.OutOrStdout(),
			}, to, kind)
			switch {
			case err != nil && d.ID == "":
				return err // of the command line or the configuration: nothing was sent
			case err != nil:
				return failed(fmt.Errorf("%s: %w", d.ID, err))
			case d.Platform != downwind.PlatformConsole:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Sent to %s.\n", d.ID)
			}
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&to, "to", downwind.PlatformConsole, "a destination of the configuration")
	return cmd
}

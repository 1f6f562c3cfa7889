package main

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"downwind/app/demo"
)

func demoCommand() *cobra.Command {
	var o demo.Options
	var verbose bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play an invented outage through the whole product, without tokens or internet",
		Long: `Play an invented outage through the whole product in a temporary directory: a fake status page,
the daemon, two teams. The terminal shows the alerts as their channels would; the pages are up.
No token, no internet.`,
		Example: `  downwind demo
  downwind demo --once --speed 5000
  downwind demo --once --speed 5000 --keep ./demo && downwind verify ./demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Speed <= 0 {
				return errors.New("--speed must be above 0")
			}
			o.Out, o.Version = cmd.OutOrStdout(), version
			if o.Keep != "" { // the configuration's paths are relative to its folder, this one to the caller's
				keep, err := filepath.Abs(o.Keep)
				if err != nil {
					return err
				}
				o.Keep = keep
			}
			if !cmd.Flags().Changed("speed") {
				o.MaxPause = 6 * time.Second
			}
			var logs io.Writer = io.Discard
			if verbose {
				logs = cmd.ErrOrStderr()
			}
			o.Logger = slog.New(slog.NewTextHandler(logs, nil))
			if err := demo.Run(cmd.Context(), o); err != nil {
				return failed(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address of the pages (another port is taken when it is in use)")
	cmd.Flags().Float64Var(&o.Speed, "speed", 600, "seconds of the story in one second; 5000 plays it within 20 s")
	cmd.Flags().BoolVar(&o.Once, "once", false, "play it through, print what was alerted, and end")
	cmd.Flags().StringVar(&o.Keep, "keep", "", "leave database, archive and one .dwproof per version in this folder")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the daemon's log on standard error")
	return cmd
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"downwind/app"
	"downwind/config"
)

// configFlags are the flags of commands that work with the daemon's configuration.
type configFlags struct {
	file   string
	listen string
	stack  []string
}

func (f *configFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "config", "", "configuration file (default: config.toml here, else none)")
}

// load reads the configuration, or makes the one of a daemon without a file: SQLite in the user's data directory, the
// built-in catalogue, pages on loopback, alerts printed to the terminal.
func (f *configFlags) load() (cfg *config.Config, dataDir string, err error) {
	dataDir, err = app.DefaultDataDir()
	if err != nil {
		return nil, "", err
	}
	path := f.file
	if path == "" {
		if _, err := os.Stat("config.toml"); err == nil {
			path = "config.toml"
		}
	}
	if path != "" {
		cfg, err = config.Load(path, os.Getenv)
	} else {
		cfg, err = f.offline()
	}
	if err != nil {
		return nil, "", err
	}
	if f.listen != "" {
		cfg.Server.Listen = f.listen
	}
	return cfg, dataDir, nil
}

func (f *configFlags) offline() (*config.Config, error) {
	cfg := config.Default()
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	cfg.Dir = dir
	team := config.Team{Name: "here", Console: true, Min: "major"}
	if len(f.stack) > 0 {
		team.Stack, team.Min = f.stack, ""
	}
	cfg.Team = []config.Team{team}
	return cfg, cfg.Offline(os.Getenv)
}

func serveCommand() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon: read status pages, keep every version, tell the teams that are hit.

Without a configuration file it starts with SQLite in the user's data directory, the built-in
catalogue, the pages on 127.0.0.1:8080, and prints alerts to the terminal: of impact major and up
for all providers, or, with --stack, whatever hits those files.`,
		Example: `  downwind serve
  downwind serve --stack ./services --stack infra
  downwind serve --config /etc/downwind/config.toml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), cfg, dataDir, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.listen, "listen", "", "address of the pages, instead of the configured one")
	cmd.Flags().StringArrayVar(&f.stack, "stack", nil, "without a configuration file: file or folder of your stack (may repeat)")
	return cmd
}

func serve(ctx context.Context, cfg *config.Config, dataDir string, out, logs io.Writer) (err error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	a, err := app.New(ctx, app.Options{
		Config: cfg, DataDir: dataDir, Logger: logger(cfg.Log, logs), Console: out, Version: version,
	})
	if err != nil {
		return failed(err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Run(ctx); err != nil && ctx.Err() == nil {
		return failed(err)
	}
	return nil
}

// logger writes to standard error in the form that the configuration asks for.
func logger(l config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// terminal reports whether a writer is a terminal that wants colour.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

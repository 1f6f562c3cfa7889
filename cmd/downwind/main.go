// Command downwind tells a team when a provider it depends on breaks, whether that hits them, and what to do.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:]))
}

// run executes one command line and returns its exit status: 0 done, 1 the thing asked about is false or failed,
// 2 wrong usage or unreadable input; a command may ask for another by returning an exitError.
func run(ctx context.Context, args []string) int {
	root := rootCommand()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.err != nil {
			fmt.Fprintln(os.Stderr, "downwind:", exit.err)
		}
		return exit.code
	}
	fmt.Fprintln(os.Stderr, "downwind: "+repair(cmd, err))
	return 2
}

// repair words an error. Those of the library that reads the command line lack a repair: how the command is used, or
// where that is told.
func repair(cmd *cobra.Command, err error) string {
	text := err.Error()
	for _, start := range []string{"requires at least", "accepts "} {
		if strings.HasPrefix(text, start) {
			return "wrong number of arguments; usage: " + strings.TrimSuffix(cmd.UseLine(), " [flags]") + ", see `" + cmd.CommandPath() + " --help`"
		}
	}
	for _, start := range []string{"required flag", "unknown command", "unknown flag", "unknown shorthand", "invalid argument", "flag needs"} {
		if strings.HasPrefix(text, start) {
			return text + "; see `" + cmd.CommandPath() + " --help`"
		}
	}
	return text
}

// An exitError carries the exit status that a command asks for; without a cause nothing is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// failed marks an error as "false or failed" (exit status 1); other errors are wrong usage or unreadable input (2).
func failed(err error) error { return &exitError{code: 1, err: err} }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "downwind",
		Short:         "Know when a provider you depend on breaks, whether it hits you, and what to replay",
		Example:       "  downwind demo                       the whole product against an invented outage\n  downwind stack .                    which providers this folder depends on\n  downwind backtest --stack . github  what would have been alerted in the past",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		explainCommand(),
		feedCommand(),
		previewCommand(),
		providersCommand(),
		stackCommand(),
		matchCommand(),
		backtestCommand(),
		whyCommand(),
		serveCommand(),
		demoCommand(),
		doctorCommand(),
		tokenCommand(),
		backupCommand(),
		restoreCommand(),
		archiveCommand(),
		verifyCommand(),
		versionCommand(),
	)
	return root
}

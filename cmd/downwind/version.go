package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"downwind/catalog"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "dev"

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit, Go version and the date of the built-in catalogue",
		Example: "  downwind version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := catalog.Load()
			if err != nil {
				return failed(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "downwind %s (commit %s, %s, catalogue %s with %d providers)\n",
				version, commit(), runtime.Version(), catalogueDate(), len(c.All()))
			return err
		},
	}
}

// commit returns the short revision that the binary was built from, "unknown" outside a checkout.
func commit() string {
	if v := setting("vcs.revision"); len(v) >= 12 {
		return v[:12]
	}
	return "unknown"
}

// catalogueDate is the day of the revision whose catalogue is built in, "undated" outside a checkout.
func catalogueDate() string {
	if v := setting("vcs.time"); len(v) >= len(time.DateOnly) {
		return v[:len(time.DateOnly)]
	}
	return "undated"
}

// setting reads one fact that the Go tool recorded in the binary; empty when it did not.
func setting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

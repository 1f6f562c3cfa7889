package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"downwind/catalog"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "dev"

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version [--json]",
		Short:   "Print version, commit, Go version and the date of the built-in catalogue",
		Example: "  downwind version\n  downwind version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := catalog.Load()
			if err != nil {
				return failed(err)
			}
			v := versionJSON{
				Schema: "downwind.version/v1", Version: version, Commit: commit(), Go: runtime.Version(),
				Catalogue: catalog.Date(), Providers: len(c.All()),
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), v)
			}
			built := "commit unknown"
			if v.Commit != nil {
				built = "commit " + *v.Commit
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "downwind %s (%s, %s, catalogue of %s with %d providers)\n",
				v.Version, built, v.Go, v.Catalogue, v.Providers)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document (downwind.version/v1)")
	return cmd
}

type versionJSON struct {
	Schema    string  `json:"schema"`
	Version   string  `json:"version"`
	Commit    *string `json:"commit"` // short revision; null outside a checkout
	Go        string  `json:"go"`
	Catalogue string  `json:"catalogue"` // day of the built-in tables
	Providers int     `json:"providers"`
}

// commit returns the short revision that the binary was built from, nil when the Go tool recorded none.
func commit() *string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			short := s.Value[:12]
			return &short
		}
	}
	return nil
}

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/catalog"
)

func providersCommand() *cobra.Command {
	var asJSON bool
	var overlay string
	cmd := &cobra.Command{
		Use:     "providers [--json] [QUERY]",
		Short:   "Search the catalogue of providers",
		Example: "  downwind providers\n  downwind providers cloud\n  downwind providers --json livekit",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, err := catalog.Load()
			if err != nil {
				return err
			}
			if overlay != "" {
				if cat, err = cat.Overlay(overlay); err != nil {
					return err
				}
			}
			query := ""
			if len(args) > 0 {
				query = args[0]
			}
			found := cat.Search(query)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), providersDocument(found))
			}
			if len(found) == 0 {
				return failed(unknownProvider(cat, query))
			}
			return printProviders(cmd.OutOrStdout(), found)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document (downwind.providers/v1)")
	cmd.Flags().StringVar(&overlay, "overlay", "", "catalogue file of your own to read over the built-in one")
	return cmd
}

type providerJSON struct {
	Provider    string               `json:"provider"`
	Name        string               `json:"name"`
	Homepage    *string              `json:"homepage"`
	StatusURL   *string              `json:"status_url"`
	Platform    *string              `json:"platform"`
	Verified    bool                 `json:"verified"`
	Unsupported *string              `json:"unsupported"`
	Aliases     []string             `json:"aliases"`
	Components  []downwind.Component `json:"components"`
	Regions     []string             `json:"regions"`
}

func providersDocument(found []downwind.Provider) any {
	list := make([]providerJSON, len(found))
	for i, p := range found {
		list[i] = providerJSON{
			Provider: p.Slug, Name: p.Name, Homepage: orNull(p.Homepage), StatusURL: orNull(p.StatusURL),
			Platform: orNull(p.Platform), Verified: p.Verified, Unsupported: orNull(p.Unsupported),
			Aliases: append([]string{}, p.Aliases...), Components: append([]downwind.Component{}, p.Components...),
			Regions: append([]string{}, p.Regions...),
		}
	}
	return struct {
		Schema    string         `json:"schema"`
		Providers []providerJSON `json:"providers"`
	}{"downwind.providers/v1", list}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func printProviders(w io.Writer, found []downwind.Provider) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, p := range found {
		platform, page := p.Platform, p.StatusURL
		switch {
		case p.Unsupported != "":
			platform, page = "-", p.Unsupported
		case platform == "":
			platform = "(detect)"
		case !p.Verified:
			platform += "?"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", p.Slug, p.Name, platform, page)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(found) == 1 {
		for _, c := range found[0].Components {
			fmt.Fprintf(w, "  %s\n", c.Name)
		}
	}
	return nil
}

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/feeds"
	"downwind/feeds/all"
)

// feedFileLimit is how large a file `feed` reads; the fetcher's own limit for a status source is smaller.
const feedFileLimit = 64 << 20

func feedCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "feed [--json] PROVIDER|URL|FILE",
		Short: "Read one status source and print it normalised",
		Example: "  downwind feed livekit\n" +
			"  downwind feed https://www.githubstatus.com\n" +
			"  downwind feed --json incidents.json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := readFeedFile(cmd, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetEscapeHTML(false)
				enc.SetIndent("", " ")
				return enc.Encode(doc)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document (downwind.feed/v1)")
	return cmd
}

func readFeedFile(cmd *cobra.Command, path string) (downwind.Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return downwind.Document{}, err
	}
	if info.Size() > feedFileLimit {
		return downwind.Document{}, fmt.Errorf("%s is larger than %d MB", path, feedFileLimit>>20)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return downwind.Document{}, err
	}
	return feeds.Decode(cmd.Context(), all.Adapters(), "", feeds.NewPayload("", "", 0, raw, info.ModTime().UTC())), nil
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/app"
	"downwind/store"
	"downwind/web"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke API tokens",
		Long: `API tokens let programs use the daemon: a CI job that uploads the stack, a dashboard that reads
incidents. A token is shown once and stored hashed. The commands work on the daemon's database,
while it runs or not.`,
		Example: `  downwind token add ci --team payments --scope stack:write
  downwind token list
  downwind token revoke 3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenAdd(), tokenList(), tokenRevoke())
	return cmd
}

// withStore opens the daemon's database beside it and closes it again.
func withStore(ctx context.Context, f *configFlags, do func(*store.DB) error) (err error) {
	cfg, dataDir, err := f.load()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Options{URL: app.DatabaseURL(cfg, dataDir), Beside: true})
	if err != nil {
		return failed(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

// newToken makes a token: a prefix that secret scanners can know, and 32 random bytes.
func newToken() (token, hash string) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // crypto/rand.Read never fails (its documentation)
	token = "dwt_" + hex.EncodeToString(raw)
	return token, web.HashToken(token)
}

func tokenAdd() *cobra.Command {
	var f configFlags
	var team string
	var scopes []string
	cmd := &cobra.Command{
		Use:     "add NAME --team TEAM",
		Short:   "Make a token and show it once",
		Example: "  downwind token add ci --team payments --scope stack:write",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range scopes {
				if s != downwind.ScopeRead && s != downwind.ScopeStackWrite {
					return fmt.Errorf("scope %q is none of %s, %s", s, downwind.ScopeStackWrite, downwind.ScopeRead)
				}
			}
			return withStore(cmd.Context(), &f, func(db *store.DB) error {
				if _, err := db.Team(cmd.Context(), team); err != nil {
					return failed(unknownTeam(cmd.Context(), db, team, err))
				}
				token, hash := newToken()
				if _, err := db.AddToken(cmd.Context(), downwind.Token{
					Name: args[0], Team: team, Scopes: scopes, Hash: hash, CreatedAt: time.Now().UTC(),
				}); err != nil {
					return failed(err)
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", token)
				if terminal(cmd.OutOrStdout()) {
					cmd.PrintErrln("This is the only time it is shown; keep it as DOWNWIND_TOKEN.")
				}
				return err
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&team, "team", "", "the team that it belongs to (needed)")
	cmd.Flags().StringSliceVar(&scopes, "scope", []string{downwind.ScopeStackWrite}, "what it may do: stack:write, read")
	_ = cmd.MarkFlagRequired("team") // fails only for a flag that does not exist
	return cmd
}

// unknownTeam says which teams there are, where that is what is wrong.
func unknownTeam(ctx context.Context, db *store.DB, team string, err error) error {
	if !errors.Is(err, downwind.ErrNotFound) {
		return err
	}
	return fmt.Errorf("there is no team %q; teams: %s", team, teamNames(ctx, db))
}

func teamNames(ctx context.Context, db *store.DB) string {
	teams, err := db.Teams(ctx)
	if err != nil || len(teams) == 0 {
		return "none yet"
	}
	names := make([]string, len(teams))
	for i, t := range teams {
		names[i] = t.ID
	}
	return strings.Join(names, ", ")
}

func tokenList() *cobra.Command {
	var f configFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the tokens, without the tokens themselves",
		Example: "  downwind token list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), &f, func(db *store.DB) error {
				list, err := db.Tokens(cmd.Context())
				if err != nil {
					return failed(err)
				}
				if asJSON {
					return tokensJSON(cmd, list)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tNAME\tTEAM\tSCOPES\tMADE\tLAST USED\tSTATE")
				for _, t := range list {
					state := "valid"
					if !t.Revoked.IsZero() {
						state = "revoked " + day(t.Revoked)
					}
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.Team, strings.Join(t.Scopes, ","), day(t.CreatedAt), day(t.LastUsed), state)
				}
				return w.Flush()
			})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func tokensJSON(cmd *cobra.Command, list []downwind.Token) error {
	type token struct {
		ID       int64      `json:"id"`
		Name     string     `json:"name"`
		Team     string     `json:"team"`
		Scopes   []string   `json:"scopes"`
		Created  *time.Time `json:"created_at"`
		LastUsed *time.Time `json:"last_used_at"`
		Revoked  *time.Time `json:"revoked_at"`
	}
	orNull := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	out := []token{}
	for _, t := range list {
		out = append(out, token{t.ID, t.Name, t.Team, slices.Clone(t.Scopes), orNull(t.CreatedAt), orNull(t.LastUsed), orNull(t.Revoked)})
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"schema": "downwind.tokens/v1", "tokens": out})
}

func tokenRevoke() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:     "revoke ID",
		Short:   "Make a token invalid",
		Example: "  downwind token revoke 3",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is no token id; see `downwind token list`", args[0])
			}
			return withStore(cmd.Context(), &f, func(db *store.DB) error {
				err := db.RevokeToken(cmd.Context(), id)
				if errors.Is(err, downwind.ErrNotFound) {
					err = fmt.Errorf("there is no token %d; see `downwind token list`", id)
				}
				if err != nil {
					return failed(err)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "token %d is revoked\n", id)
				return err
			})
		},
	}
	f.add(cmd)
	return cmd
}

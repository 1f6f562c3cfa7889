package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downwind"
	"downwind/app"
	"downwind/catalog"
	"downwind/match"
	"downwind/plan"
	"downwind/store"
)

// whySchema names the JSON of `why --json`.
const whySchema = "downwind.why/v1"

func whyCommand() *cobra.Command {
	var f configFlags
	var team string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why [--json] [--team TEAM] INCIDENT",
		Short: "Say what was decided about an incident for each team, when, by which evidence, and what was held back",
		Long: `Reads the daemon's own archive and ledger: for each team, how the incident was judged and by which lines of its files, where it
was told, and what was held back with the reason. INCIDENT is provider/id, the address of its page, or a provider for its newest.`,
		Example: `  downwind why livekit/7gw2k1
  downwind why --team payments https://status.example.com/incidents/7gw2k1
  downwind why --json github`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, dataDir, err := f.load()
			if err != nil {
				return err
			}
			w, err := newWhy()
			if err != nil {
				return err
			}
			db, err := store.Open(cmd.Context(), store.Options{URL: app.DatabaseURL(cfg, dataDir), ReadOnly: true, Reasons: w.reason})
			if err != nil {
				return failed(err)
			}
			defer func() { _ = db.Close() }() // only read from
			w.store = db
			report, err := w.about(cmd.Context(), args[0], team)
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), report)
			}
			return report.print(cmd.OutOrStdout())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&team, "team", "", "only this team")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one document ("+whySchema+")")
	return cmd
}

// A whyStore is what why reads of the daemon's database.
type whyStore interface {
	Incident(ctx context.Context, provider, id string) (downwind.IncidentRecord, error)
	Incidents(ctx context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error)
	Teams(ctx context.Context) ([]downwind.Team, error)
	Deliveries(ctx context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error)
	Parts(ctx context.Context, delivery string) ([]downwind.Part, error)
	Holds(ctx context.Context, f downwind.HoldFilter) ([]downwind.Hold, error)
}

type why struct {
	store     whyStore
	judge     *match.Judge
	planner   *plan.Planner
	providers *catalog.Catalog
}

func newWhy() (*why, error) {
	c, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	j, err := match.Default()
	if err != nil {
		return nil, err
	}
	return &why{judge: j, planner: plan.New(j, plan.Options{}), providers: c}, nil
}

// reason says why an incident did not touch a team, for lines of the ledger that many teams share.
func (w *why) reason(inc *downwind.Incident, components []downwind.Component, team *downwind.Team) (downwind.HoldReason, string) {
	return w.planner.Reason(inc, team, match.Known{Provider: w.provider(inc.Provider), Components: components})
}

func (w *why) provider(slug string) downwind.Provider {
	if p, known := w.providers.Lookup(slug); known {
		return p
	}
	return downwind.Provider{Slug: slug, Name: slug}
}

type whyReport struct {
	Schema    string         `json:"schema"`
	Incident  string         `json:"incident"`
	Title     string         `json:"title"`
	Phase     downwind.Phase `json:"phase"`
	FirstSeen time.Time      `json:"first_seen"`
	Teams     []whyTeam      `json:"teams"`
}

// A whyTeam is what was decided for one team. Judgement is the one told last, else that of the team's files as they are now.
type whyTeam struct {
	Team      string    `json:"team"`
	Judgement answer    `json:"judgement"`
	Told      []whyTold `json:"told"`
	Held      []whyHeld `json:"held"`
}

type whyTold struct {
	Destination string                 `json:"destination"`
	At          time.Time              `json:"at"`
	Messages    int                    `json:"messages"`
	State       downwind.DeliveryState `json:"state"`
	Because     string                 `json:"because,omitempty"`
}

type whyHeld struct {
	Destination string              `json:"destination"`
	At          time.Time           `json:"at"`
	Kind        downwind.ChangeKind `json:"kind"`
	Reason      downwind.HoldReason `json:"reason"`
	Text        string              `json:"text"`
}

// maxHeld bounds the lines of the ledger that are shown for one team.
const maxHeld = 20

// about gathers what was decided about one incident, for one team or for all.
func (w *why) about(ctx context.Context, what, only string) (whyReport, error) {
	rec, err := w.find(ctx, what)
	if err != nil {
		return whyReport{}, err
	}
	teams, err := w.store.Teams(ctx)
	if err != nil {
		return whyReport{}, err
	}
	inc := &rec.Incident
	r := whyReport{Schema: whySchema, Incident: inc.Key(), Title: inc.Title, Phase: inc.Phase, FirstSeen: rec.FirstSeen.UTC(), Teams: []whyTeam{}}
	for i := range teams {
		if only != "" && teams[i].ID != only && teams[i].Name != only {
			continue
		}
		t, err := w.decided(ctx, inc, &teams[i])
		if err != nil {
			return r, err
		}
		r.Teams = append(r.Teams, t)
	}
	if only != "" && len(r.Teams) == 0 {
		return r, fmt.Errorf("there is no team %q; downwind why without --team shows all", only)
	}
	return r, nil
}

// find looks an incident up by key, page address or provider.
func (w *why) find(ctx context.Context, what string) (downwind.IncidentRecord, error) {
	if provider, id, ok := strings.Cut(what, "/"); ok && !strings.Contains(what, "://") {
		if p, known := w.providers.Lookup(provider); known {
			provider = p.Slug
		}
		rec, err := w.store.Incident(ctx, provider, id)
		if errors.Is(err, downwind.ErrNotFound) {
			err = fmt.Errorf("the archive holds no incident %s; downwind why %s shows that provider's newest", what, provider)
		}
		return rec, err
	}
	slug := what
	if p, known := w.providers.Lookup(what); known {
		slug = p.Slug
	}
	newest, err := w.store.Incidents(ctx, downwind.IncidentFilter{Provider: slug, Limit: 1})
	if err != nil || len(newest) > 0 {
		return first(newest), err
	}
	records, err := w.store.Incidents(ctx, downwind.IncidentFilter{Limit: 1000})
	if err != nil {
		return downwind.IncidentRecord{}, err
	}
	for _, rec := range records {
		if rec.Incident.URL == what || rec.Incident.ID == what {
			return rec, nil
		}
	}
	return downwind.IncidentRecord{}, fmt.Errorf("the archive holds no incident %q; give provider/id, the address of its page, or a provider", what)
}

func first(records []downwind.IncidentRecord) downwind.IncidentRecord {
	if len(records) == 0 {
		return downwind.IncidentRecord{}
	}
	return records[0]
}

func (w *why) decided(ctx context.Context, inc *downwind.Incident, team *downwind.Team) (whyTeam, error) {
	judged := w.judge.Match(inc, &team.Stack, team.Rules, match.Known{Provider: w.provider(inc.Provider)})
	out := whyTeam{Team: team.Name, Told: []whyTold{}, Held: []whyHeld{}}
	deliveries, err := w.store.Deliveries(ctx, downwind.DeliveryFilter{Team: team.ID, Incident: inc.Key()})
	if err != nil {
		return out, err
	}
	for _, d := range deliveries {
		told := whyTold{Destination: d.Destination, At: d.CreatedAt.UTC(), Messages: d.Applied, State: d.State}
		parts, err := w.store.Parts(ctx, d.ID)
		if err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return out, err
		}
		if len(parts) > 0 {
			last := parts[len(parts)-1].Alert
			judged, told.Because = last.Match, last.Because
		}
		out.Told = append(out.Told, told)
	}
	holds, err := w.store.Holds(ctx, downwind.HoldFilter{Team: team.ID, Incident: inc.Key(), Limit: maxHeld})
	if err != nil {
		return out, err
	}
	for _, h := range slices.Backward(holds) {
		out.Held = append(out.Held, whyHeld{h.Destination, h.At.UTC(), h.Kind, h.Reason, h.Text})
	}
	out.Judgement = newAnswer(judged)
	return out, nil
}

// print tells people: the incident, then a paragraph a team.
func (r whyReport) print(out io.Writer) error {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s: %s (%s), first seen %s UTC\n", r.Incident, oneLine(r.Title), strings.ReplaceAll(string(r.Phase), "_", " "), minute(r.FirstSeen))
	if len(r.Teams) == 0 {
		sb.WriteString("no team is known yet\n")
	}
	for _, t := range r.Teams {
		t.print(&sb)
	}
	_, err := io.WriteString(out, sb.String())
	return err
}

func (t whyTeam) print(sb *strings.Builder) {
	verdict := "does not hit this stack"
	if t.Judgement.Affected {
		verdict = "hits this stack: " + t.Judgement.Confidence
	}
	fmt.Fprintf(sb, "\n%s: %s\n", t.Team, verdict)
	for _, line := range t.Judgement.details() {
		fmt.Fprintf(sb, "  %s\n", line)
	}
	if len(t.Told) == 0 {
		sb.WriteString("  not told\n")
	}
	for _, d := range t.Told {
		fmt.Fprintf(sb, "  told      %s  %s: %s, %s\n", minute(d.At), d.Destination, count(d.Messages, "message"), d.State)
		if d.Because != "" {
			fmt.Fprintf(sb, "            %s\n", oneLine(d.Because))
		}
	}
	for _, h := range t.Held {
		fmt.Fprintf(sb, "  held      %s  %s: %s (%s): %s\n", minute(h.At), h.Destination, h.Kind, h.Reason, oneLine(h.Text))
	}
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

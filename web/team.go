package web

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"time"

	"downwind"
)

type teamView struct {
	Team downwind.Team
	// Full shows evidence and forms: the visitor has signed in. The secret address alone shows neither.
	Full bool
	Uses []useRow
	// Dropped are providers of which people said that the team does not use them.
	Dropped      []droppedRow
	Destinations []destinationRow
	Ledger       []ledgerLine
	Sent, Held   int
	Feeds        []feedLink
	// Page is the secret address of this page, shown to those who have signed in.
	Page   string
	Tokens []downwind.Token
	// NewToken is a token just made; it is shown once.
	NewToken string
	Role     Role
}

type droppedRow struct {
	downwind.Rule
	Name string
}

type destinationRow struct {
	downwind.Destination
	Subscriptions []subscriptionRow
}

type subscriptionRow struct {
	downwind.Subscription
	What, Filters string
}

// A ledgerLine is one decision: a message that was sent, or one that was held and why.
type ledgerLine struct {
	At                             time.Time
	Sent                           bool
	Incident, Title, Path, Kind    string
	ProviderName, Where, Word, Why string
}

const ledgerLines = 60

func (s *Server) showTeam(w http.ResponseWriter, r *http.Request) error {
	return s.showTeamPage(w, r, "")
}

func (s *Server) showTeamPage(w http.ResponseWriter, r *http.Request, newToken string) error {
	who := sessionOf(r)
	team, err := s.opt.Reader.Team(r.Context(), who.Team)
	if err != nil {
		return err
	}
	data, err := s.teamView(r.Context(), team, true)
	if err != nil {
		return err
	}
	data.Role, data.NewToken = who.Role, newToken
	data.Page = "/teams/" + team.Secret
	if who.Role == RoleAdmin {
		if data.Tokens, err = s.teamTokens(r.Context(), team.ID); err != nil {
			return err
		}
	}
	v := s.view(r, teamName(team), data)
	v.NoIndex = true
	w.Header().Set("Cache-Control", "no-store")
	return s.render(w, http.StatusOK, "team.html", v)
}

// goneKind remembers rotated secrets, so that readers of the old feed are told to stop.
const goneKind = "web-gone"

// teamBySecret finds the team of a secret address: 404 for one that never was, 410 for one that was changed.
func (s *Server) teamBySecret(r *http.Request) (downwind.Team, error) {
	secret := r.PathValue("secret")
	if len(secret) < 16 {
		return downwind.Team{}, downwind.ErrNotFound
	}
	team, err := s.opt.Reader.TeamBySecret(r.Context(), secret)
	if isMissing(err) {
		if _, gone := s.opt.Reader.Temp(r.Context(), goneKind, hashOf(secret)); gone == nil {
			return team, refuse(http.StatusGone, "This address has been changed by the team and is no longer valid.")
		}
	}
	return team, err
}

func (s *Server) showTeamBySecret(w http.ResponseWriter, r *http.Request) error {
	team, err := s.teamBySecret(r)
	if err != nil {
		return err
	}
	data, err := s.teamView(r.Context(), team, false)
	if err != nil {
		return err
	}
	v := s.view(r, teamName(team), data)
	v.NoIndex = true
	return s.show(w, r, "team.html", v)
}

func teamName(team downwind.Team) string {
	if team.Name != "" {
		return oneLine(team.Name)
	}
	return team.ID
}

func (s *Server) teamView(ctx context.Context, team downwind.Team, full bool) (*teamView, error) {
	v := &teamView{Team: team, Full: full}
	for _, r := range team.Rules {
		if r.Kind == downwind.RuleDrop {
			v.Dropped = append(v.Dropped, droppedRow{r, s.providerName(r.Provider)})
		}
	}
	for _, u := range s.named(team.MyStack()).Providers {
		row := useRow{Use: u}
		if full {
			row.Shown = u.Evidence[:min(3, len(u.Evidence))]
		}
		v.Uses = append(v.Uses, row)
	}
	names := map[string]string{}
	destinations, err := s.opt.Reader.Destinations(ctx, team.ID)
	if err != nil {
		return nil, err
	}
	for _, d := range destinations {
		row, err := s.destinationRow(ctx, d)
		if err != nil {
			return nil, err
		}
		names[d.ID] = row.Label()
		v.Destinations = append(v.Destinations, row)
	}
	if err := s.fillLedger(ctx, v, names); err != nil {
		return nil, err
	}
	if team.Secret != "" {
		q := "/teams/" + team.Secret + "/feed"
		v.Feeds = []feedLink{{"RSS", q}, {"Atom", q + "?format=atom"}, {"JSON Feed", q + "?format=json"}, {"Maintenance calendar", "/teams/" + team.Secret + "/maintenance.ics"}}
	}
	return v, nil
}

// destinationRow reads what a destination hears of.
func (s *Server) destinationRow(ctx context.Context, d downwind.Destination) (destinationRow, error) {
	row := destinationRow{Destination: d}
	subs, err := s.opt.Reader.Subscriptions(ctx, d.ID)
	for _, sub := range subs {
		row.Subscriptions = append(row.Subscriptions, subscriptionRow{sub, s.targetWords(sub), subscriptionWords(sub)})
	}
	return row, err
}

// fillLedger lists what was sent and what was held in one line of time, newest first.
func (s *Server) fillLedger(ctx context.Context, v *teamView, names map[string]string) error {
	deliveries, err := s.opt.Reader.Deliveries(ctx, downwind.DeliveryFilter{Team: v.Team.ID, Limit: 40})
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		parts, err := s.opt.Reader.Parts(ctx, d.ID)
		if err != nil {
			return err
		}
		for _, part := range parts {
			line := s.ledgerLine(d.Incident, names[d.Destination], part.Alert.Kind)
			line.At, line.Sent, line.Title = part.SentAt, !part.SentAt.IsZero(), oneLine(part.Alert.Incident.Title)
			line.Word = "sent"
			switch {
			case line.Sent:
				v.Sent++
			case part.Skipped != "":
				line.At, line.Word, line.Why = part.Alert.SeenAt, "shown in the first message", oneLine(part.Skipped)
			default:
				line.At, line.Word, line.Why = part.Alert.SeenAt, "waiting", oneLine(d.Reason)
			}
			v.Ledger = append(v.Ledger, line)
		}
	}
	holds, err := s.opt.Reader.Holds(ctx, downwind.HoldFilter{Team: v.Team.ID, Limit: ledgerLines})
	if err != nil {
		return err
	}
	for _, h := range holds {
		line := s.ledgerLine(h.Incident, names[h.Destination], h.Kind)
		line.At, line.Word = h.At, "held"
		line.Why = holdWords()[h.Reason]
		if line.Why == "" {
			line.Why = oneLine(string(h.Reason))
		}
		if v.Full && h.Text != "" {
			line.Why += ": " + oneLine(h.Text)
		}
		v.Held++
		v.Ledger = append(v.Ledger, line)
	}
	sort.SliceStable(v.Ledger, func(i, j int) bool { return v.Ledger[i].At.After(v.Ledger[j].At) })
	v.Ledger = v.Ledger[:min(len(v.Ledger), ledgerLines)]
	titles := map[string]string{}
	for i := range v.Ledger {
		line := &v.Ledger[i]
		if line.Title != "" {
			titles[line.Incident] = line.Title
		}
	}
	for i := range v.Ledger {
		line := &v.Ledger[i]
		if line.Title == "" {
			line.Title = s.titleOf(ctx, line.Incident, titles)
		}
	}
	return nil
}

// titleOf looks a title up once per incident; the id stands in where there is none.
func (s *Server) titleOf(ctx context.Context, key string, known map[string]string) string {
	if title, ok := known[key]; ok {
		return title
	}
	provider, id, _ := strings.Cut(key, "/")
	title := id
	if rec, err := s.opt.Reader.Incident(ctx, provider, id); err == nil {
		title = oneLine(rec.Incident.Title)
	}
	known[key] = title
	return title
}

func (s *Server) ledgerLine(key, where string, kind downwind.ChangeKind) ledgerLine {
	provider, id, _ := strings.Cut(key, "/")
	inc := downwind.Incident{Provider: provider, ID: id}
	return ledgerLine{Incident: key, Path: incidentPath(&inc), Kind: kindWord(kind), ProviderName: s.providerName(provider), Where: where}
}

func destinationName(d downwind.Destination) string {
	name := oneLine(d.Name)
	if name == "" {
		name = d.Channel
	}
	switch d.Platform {
	case downwind.PlatformSlack:
		return "Slack " + name
	case downwind.PlatformDiscord:
		return "Discord " + name
	case downwind.PlatformConsole:
		return "the terminal"
	}
	return d.Platform + " " + name
}

// Settings is the path of the page on which the destination is changed.
func (d destinationRow) Settings() string { return settingsPath(d.ID) }

// Label names the destination for people.
func (d destinationRow) Label() string { return destinationName(d.Destination) }

func (s *Server) targetWords(sub downwind.Subscription) string {
	switch sub.Target {
	case downwind.TargetStack:
		return "what hits the stack"
	case downwind.TargetAll:
		return "all providers"
	}
	words := s.providerName(sub.Provider)
	if sub.Component != "" {
		words += ", component " + oneLine(sub.Component)
	}
	return words
}

// subscriptionWords are the filters of a subscription, without what its target says already.
func subscriptionWords(sub downwind.Subscription) string {
	f := sub.Filter
	f.OnlyAffected = f.OnlyAffected && sub.Target != downwind.TargetStack
	return filterWords(f)
}

func filterWords(f downwind.Filter) string {
	var words []string
	if f.Min != "" {
		words = append(words, "from "+impactWord(f.Min)+" up")
	}
	if len(f.Kinds) > 0 {
		words = append(words, "kinds "+strings.Join(f.Kinds, ", "))
	}
	if len(f.Regions) > 0 {
		words = append(words, "regions "+strings.Join(f.Regions, ", "))
	}
	if len(f.Components) > 0 {
		words = append(words, "components "+strings.Join(f.Components, ", "))
	}
	if f.OnlyAffected {
		words = append(words, "only what hits the stack")
	}
	if f.NoThread {
		words = append(words, "no updates in the thread")
	}
	return oneLine(strings.Join(words, "; "))
}

func (s *Server) teamTokens(ctx context.Context, team string) ([]downwind.Token, error) {
	all, err := s.opt.Reader.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	var out []downwind.Token
	for _, t := range all {
		if t.Team == team && t.Revoked.IsZero() {
			out = append(out, t)
		}
	}
	return out, nil
}

// rotateSecret gives the team a new address; the old one answers 410 for a year.
func (s *Server) rotateSecret(w http.ResponseWriter, r *http.Request) error {
	ctx, id := r.Context(), sessionOf(r).Team
	team, err := s.opt.Reader.Team(ctx, id)
	if err != nil {
		return err
	}
	if _, err := s.opt.Reader.RotateSecret(ctx, id); err != nil {
		return fmt.Errorf("rotate secret: %w", err)
	}
	if team.Secret != "" {
		if _, err := s.opt.Reader.PutTemp(ctx, goneKind, hashOf(team.Secret), []byte("{}"), s.now().AddDate(1, 0, 0)); err != nil {
			return fmt.Errorf("rotate secret: %w", err)
		}
	}
	http.Redirect(w, r, s.prefix+"/team#feeds", http.StatusSeeOther)
	return nil
}

// addToken makes a token for the team and shows it once.
func (s *Server) addToken(w http.ResponseWriter, r *http.Request) error {
	name := clip(oneLine(r.PostForm.Get("name")), 60)
	scope := r.PostForm.Get("scope")
	if name == "" {
		return refuse(http.StatusBadRequest, "Give the token a name, such as the job that will use it.")
	}
	if scope != downwind.ScopeRead && scope != downwind.ScopeStackWrite {
		return refuse(http.StatusBadRequest, "The scope is %s or %s.", downwind.ScopeRead, downwind.ScopeStackWrite)
	}
	token := "dw_" + newSecret()
	record := downwind.Token{Name: name, Team: sessionOf(r).Team, Scopes: []string{scope}, Hash: hashOf(token), CreatedAt: s.now()}
	if _, err := s.opt.Reader.AddToken(r.Context(), record); err != nil {
		return fmt.Errorf("add token: %w", err)
	}
	return s.showTeamPage(w, r, token)
}

func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	tokens, err := s.teamTokens(r.Context(), sessionOf(r).Team)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if fmt.Sprint(t.ID) == r.PostForm.Get("id") {
			if err := s.opt.Reader.RevokeToken(r.Context(), t.ID); err != nil {
				return fmt.Errorf("revoke token: %w", err)
			}
			http.Redirect(w, r, s.prefix+"/team#tokens", http.StatusSeeOther)
			return nil
		}
	}
	return downwind.ErrNotFound
}

func (s *Server) showTeamCalendar(w http.ResponseWriter, r *http.Request) error {
	team, err := s.teamBySecret(r)
	if err != nil {
		return err
	}
	recs, err := s.plannedWork(r.Context(), teamProviders(team), s.now())
	if err != nil {
		return err
	}
	if len(team.Stack.Providers) == 0 {
		recs = nil
	}
	return s.writeCalendar(w, r, teamName(team)+" maintenance", recs)
}

func teamProviders(team downwind.Team) []string {
	var slugs []string
	for _, u := range team.MyStack().Providers {
		slugs = append(slugs, u.Provider)
	}
	sort.Strings(slugs)
	return slugs
}

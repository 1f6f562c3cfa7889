package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/chat"
	chatdiscord "downwind/chat/discord"
	chatslack "downwind/chat/slack"
	"downwind/guidance"
	"downwind/notify"
	"downwind/plan"
	"downwind/store"
	"downwind/web"
)

// openChat makes the handler of commands and the connections to the platforms that are configured.
func (a *App) openChat(context.Context) error {
	a.chat = chat.New(chat.Options{
		Store: chatStore{a.db, a}, Catalogue: a.catalog, Stacks: a.stacks, Clock: a.clock, Logger: a.log, BaseURL: a.baseURL(),
		Detect: a.addProvider, Catchup: a.catchup, Judge: a.judgeTeam, CanPost: a.canPost, Redraw: a.redraw, Remind: a.remind,
		Preview: a.preview, SignIn: a.signIn, Resume: a.db.ResumeDestination,
		Explain: func(inc *downwind.Incident) downwind.Guidance {
			return guidance.ExplainIncident(inc, a.gazetteer(inc.Provider), nil, a.clock.Now())
		},
	})
	if s := a.cfg.Slack; s.On() {
		o := chatslack.Options{
			Handler: a.chat, Token: s.BotToken, AppToken: s.AppToken, SigningSecret: s.SigningSecret, ClientID: s.ClientID,
			ClientSecret: s.ClientSecret, APIURL: s.APIURL, Clock: a.clock, Logger: a.log, OnRevoked: a.revoked,
			OnInstalled: func(ctx context.Context, workspace string) { a.back(ctx, downwind.PlatformSlack, workspace) },
		}
		if s.ClientID != "" {
			o.Installs, o.RedirectURL = a.db, a.baseURL()+"/slack/oauth"
		}
		e, err := chatslack.New(o)
		if err != nil {
			return err
		}
		x := edge{name: "Slack", handlers: e.Handlers()}
		if s.Mode == "socket" && !s.AppToken.IsZero() {
			x.run = e.Run
		}
		a.edges = append(a.edges, x)
	}
	if d := a.cfg.Discord; d.On() {
		e, err := chatdiscord.New(chatdiscord.Options{
			Handler: a.chat, Token: d.BotToken, ApplicationID: d.ApplicationID, PublicKey: d.PublicKey,
			ManagerRoles: d.ManagerRoles, APIURL: discordOrigin(d.APIURL), Clock: a.clock, Logger: a.log,
			OnRemoved: a.guildGone,
			OnJoined:  func(ctx context.Context, guild string) { a.back(ctx, downwind.PlatformDiscord, guild) },
		})
		if err != nil {
			return err
		}
		x := edge{name: "Discord", run: e.Run, handlers: e.Handlers()}
		if d.Mode == "http" {
			x.run = e.Register
		}
		a.edges = append(a.edges, x)
	}
	return nil
}

// An edge is one chat platform's connection.
type edge struct {
	name string
	// run keeps a socket or gateway open, or registers the commands; nil: everything comes over HTTP.
	run      func(ctx context.Context) error
	handlers map[string]http.Handler
}

// connect keeps a platform's connection in one process at a time. A platform that refuses us does not stop the daemon:
// the operator is told, and polling, pages and the other platforms go on.
func (a *App) connect(ctx context.Context, e edge) error {
	if e.run == nil {
		<-ctx.Done()
		return nil
	}
	err := a.db.Exclusive(ctx, "chat "+e.name, e.run)
	if err != nil && ctx.Err() == nil {
		a.log.Error("chat is not connected", "platform", e.name, "error", err)
		a.operatorNote(ctx, downwind.OperatorNote{Key: "chat:" + e.name, Text: e.name + " commands do not work: " + err.Error() + "."})
	}
	<-ctx.Done()
	return nil
}

// chatStore is the store as chat sees it; channels that the configuration pins keep their team.
type chatStore struct {
	*store.DB
	app *App
}

// TeamForChannel finds the team of a channel. A channel that the configuration pins was stored without its workspace,
// which only the platform can tell; it is completed at first contact.
func (s chatStore) TeamForChannel(ctx context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error) {
	pinned, err := s.DB.Destination(ctx, d.Platform+"::"+d.Channel)
	if err != nil {
		if errors.Is(err, downwind.ErrNotFound) {
			return s.DB.TeamForChannel(ctx, d)
		}
		return downwind.Team{}, d, err
	}
	if pinned.Workspace == "" && d.Workspace != "" {
		pinned.Workspace = d.Workspace
		if err := s.DB.SaveDestination(ctx, pinned); err != nil {
			return downwind.Team{}, d, err
		}
	}
	if pinned.Workspace != d.Workspace {
		return s.DB.TeamForChannel(ctx, d)
	}
	team, err := s.DB.Team(ctx, pinned.Team)
	return team, pinned, err
}

// SaveSubscription stores a wish and lets the poller know that the provider is wanted.
func (s chatStore) SaveSubscription(ctx context.Context, sub downwind.Subscription) (downwind.Subscription, bool, error) {
	saved, existed, err := s.DB.SaveSubscription(ctx, sub)
	if err == nil {
		err = s.app.renewWanted(ctx)
	}
	return saved, existed, err
}

// SaveStack stores a team's stack and lets the poller know which providers are wanted.
func (s chatStore) SaveStack(ctx context.Context, team string, st downwind.Stack, by string, at time.Time) error {
	if err := s.DB.SaveStack(ctx, team, st, by, at); err != nil {
		return err
	}
	return s.app.renewWanted(ctx)
}

// renewWanted marks the sources that at least one team depends on.
func (a *App) renewWanted(ctx context.Context) error {
	if !a.cfg.Poll.All {
		return a.syncSources(ctx)
	}
	wanted, err := a.db.WantedProviders(ctx)
	if err != nil {
		return err
	}
	return a.db.SetWanted(ctx, wanted)
}

// catchup tells a destination what is open now at the providers that it has subscribed to.
func (a *App) catchup(ctx context.Context, destination string) error {
	to, err := a.db.Destination(ctx, destination)
	if err != nil {
		return err
	}
	if err := a.indexTeams(ctx); err != nil {
		return err
	}
	sources, err := a.db.Sources(ctx)
	if err != nil {
		return err
	}
	for _, src := range sources {
		if src.FirstRead.IsZero() || !src.Wanted && !src.Hot || !a.teams.index.Concerns(src.Provider, to.Team) {
			continue
		}
		known, err := a.db.Known(ctx, src.Provider)
		if err != nil {
			return err
		}
		known.Provider = a.provider(src.Provider)
		audiences, err := a.db.AudienceOf(ctx, to.Team, src.Provider)
		if err != nil {
			return err
		}
		p := a.planner.Catchup(plan.Input{Known: known, Audiences: audiences, Now: a.clock.Now()}, destination)
		if len(p.Raises)+len(p.Holds) == 0 {
			continue
		}
		if err := a.db.Apply(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// canPost says why a destination cannot receive, "" when it can.
func (a *App) canPost(ctx context.Context, d downwind.Destination) string {
	n := a.notes[d.Platform]
	if n == nil {
		return d.Platform + " is not configured here"
	}
	r := n.Check(ctx, d)
	if r.Verdict == notify.Permanent || r.Verdict == notify.Revoked {
		return r.Reason
	}
	return ""
}

// redraw asks for the root of a delivery to be drawn anew with what it said last.
func (a *App) redraw(ctx context.Context, delivery string) error {
	d, err := a.db.Delivery(ctx, delivery)
	if err != nil {
		return err
	}
	parts, err := a.db.Parts(ctx, delivery)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return fmt.Errorf("delivery %s has no message: %w", delivery, downwind.ErrNotFound)
	}
	alert := parts[len(parts)-1].Alert
	alert.SeenAt = a.clock.Now()
	return a.db.Apply(ctx, downwind.Plan{At: a.clock.Now(), Raises: []downwind.Raise{{
		Delivery: d.ID, Destination: d.Destination, Team: d.Team, Incident: d.Incident, Alert: alert, RootOnly: true,
	}}})
}

// remind asks for a message an hour before the planned work of a delivery.
func (a *App) remind(ctx context.Context, delivery string) error {
	d, err := a.db.Delivery(ctx, delivery)
	if err != nil {
		return err
	}
	provider, id, _ := strings.Cut(d.Incident, "/")
	rec, err := a.db.Incident(ctx, provider, id)
	if err != nil {
		return err
	}
	at := rec.Incident.ScheduledFor.Add(-time.Hour)
	if rec.Incident.ScheduledFor.IsZero() || !at.After(a.clock.Now()) {
		return fmt.Errorf("the work begins in less than an hour: %w", downwind.ErrInvalid)
	}
	dest, err := a.db.Destination(ctx, d.Destination)
	if err != nil {
		return err
	}
	r := plan.Announce(dest, "reminder:"+d.Incident, at, downwind.Announcement{
		Title: "In one hour: " + rec.Incident.Title,
		Lines: []string{
			a.providerName(provider) + " begins at " + rec.Incident.ScheduledFor.UTC().Format("2006-01-02 15:04 UTC") + ".",
			"Move jobs out of the period or pause them now; expect reconnects while it lasts.",
		},
		URL: a.baseURL() + "/incidents/" + provider + "/" + id,
	})
	r.NotBefore = at
	return a.db.Apply(ctx, downwind.Plan{At: a.clock.Now(), Raises: []downwind.Raise{r}})
}

// preview makes the alert that a preview shows: the newest real incident of the team's providers with a change of that
// kind, else a sample of ours.
func (a *App) preview(ctx context.Context, team *downwind.Team, kind string) (downwind.Alert, error) {
	want := downwind.ChangeKind(kind)
	if kind == "" {
		want = downwind.ChangeNew
	}
	deliveries, err := a.db.Deliveries(ctx, downwind.DeliveryFilter{Team: team.ID, Limit: 20})
	if err != nil {
		return downwind.Alert{}, err
	}
	for _, d := range deliveries {
		parts, err := a.db.Parts(ctx, d.ID)
		if err != nil {
			return downwind.Alert{}, err
		}
		for _, p := range slices.Backward(parts) {
			if p.Alert.Kind == want && p.Alert.Announcement == nil {
				alert := p.Alert
				alert.Sample, alert.Push, alert.Mention = true, false, ""
				return alert, nil
			}
		}
	}
	if !slices.Contains(notify.SampleKinds(), want) {
		return downwind.Alert{}, fmt.Errorf("there is no layout %q: %w", kind, downwind.ErrInvalid)
	}
	return notify.Sample(want, a.clock.Now()), nil
}

// revoked tells the operator that a workspace's token is gone.
func (a *App) revoked(ctx context.Context, workspace, reason string) {
	a.operatorNote(ctx, downwind.OperatorNote{
		Key:  "slack:" + workspace + ":revoked",
		Text: "Slack workspace " + workspace + " has removed the app or its token (" + reason + "); its channels are paused. Install it again to go on.",
	})
}

// signIn makes a one-time address of the team's own pages for a person of the chat.
func (a *App) signIn(ctx context.Context, team, role, name string) (string, error) {
	path, err := web.LoginPath(ctx, a.db, web.Login{Team: team, Role: web.Role(role), Name: name}, a.clock.Now())
	if err != nil {
		return "", err
	}
	return a.baseURL() + path, nil
}

// removedReason is why the channels of a guild that removed the bot are paused.
const removedReason = "the bot was removed from this server; invite it again to go on"

// guildGone pauses the channels of a guild that removed the bot and tells the operator.
func (a *App) guildGone(ctx context.Context, guild string) {
	if _, err := a.db.PauseWorkspace(ctx, downwind.PlatformDiscord, guild, removedReason); err != nil {
		a.log.Error("channels cannot be paused", "guild", guild, "error", err)
	}
	a.operatorNote(ctx, downwind.OperatorNote{Key: "discord:" + guild + ":removed", Text: "Discord server " + guild + " has removed the bot; its channels are paused."})
}

// back resumes the channels of a workspace that has the app again, as far as they can receive.
func (a *App) back(ctx context.Context, platform, workspace string) {
	dests, err := a.db.Destinations(ctx, "")
	if err != nil {
		a.log.Error("channels cannot be resumed", "workspace", workspace, "error", err)
		return
	}
	for _, d := range dests {
		if d.Platform != platform || d.Workspace != workspace || d.Paused == "" || a.canPost(ctx, d) != "" {
			continue
		}
		if err := a.db.ResumeDestination(ctx, d.ID); err != nil {
			a.log.Error("a channel cannot be resumed", "destination", d.ID, "error", err)
		}
	}
}

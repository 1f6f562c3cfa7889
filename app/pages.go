package app

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"downwind"
	"downwind/archive"
	"downwind/chat"
	"downwind/guidance"
	"downwind/match"
	"downwind/plan"
	"downwind/proof"
	"downwind/store"
	"downwind/web"
)

// openWeb builds the pages, feeds and API, with the routes of the chat platforms beside them.
func (a *App) openWeb(ctx context.Context) error {
	extra := a.logRoutes()
	maps.Copy(extra, a.hookRoutes())
	maps.Copy(extra, a.unsubscribeRoutes())
	for _, e := range a.edges {
		for pattern, h := range e.handlers {
			extra[pattern] = h
		}
	}
	base := a.cfg.Server.BaseURL
	var river func(prefix string) (http.Handler, error)
	if a.cfg.Server.RiverUI {
		river = func(prefix string) (http.Handler, error) { return a.db.RiverUI(ctx, prefix) }
	}
	w, err := web.New(web.Options{
		Reader: webStore{a.db, a}, Stacks: a.stacks, Catalog: a.catalog, Explain: a.explainRecord,
		Judge: a.judgeTeam, Diff: archive.Diff, BaseURL: base, OIDC: a.oidc(), TrustedProxies: a.cfg.Server.Proxies,
		Clock: a.clock, Logger: a.log, Metrics: a.metrics.handler(), Extra: extra, Ready: a.readyError,
		Public: a.cfg.Server.Public, HomeTeam: a.homeTeam(), AdminToken: a.cfg.Server.AdminToken, Hub: a.cfg.Server.WebSubHub,
		AdminsOnly: func(ctx context.Context, destination string) (bool, error) {
			return chat.Reserved(ctx, a.db, destination)
		},
		Verify:   a.verifyBundle,
		Announce: a.announceChange, Observe: a.metrics.asked, Queue: a.db, River: river,
		Bundle: func(ctx context.Context, v downwind.Version) ([]byte, error) { return a.Bundle(ctx, v.ID, false) },
	})
	if err != nil {
		return err
	}
	a.web = w
	return nil
}

// homeTeam is the only pinned team of a daemon that is seen on this machine only: its stack decides what is "yours".
func (a *App) homeTeam() string {
	teams, err := a.db.Teams(context.Background())
	teams = slices.DeleteFunc(teams, func(t downwind.Team) bool { return t.ID == operatorTeam })
	if err != nil || len(teams) != 1 || a.cfg.Server.BaseURL != "" {
		return ""
	}
	return teams[0].ID
}

// explainRecord reads an archived incident for the pages.
func (a *App) explainRecord(rec downwind.IncidentRecord, use *downwind.Use) downwind.Guidance {
	return guidance.ExplainIncident(&rec.Incident, a.gazetteer(rec.Incident.Provider), use, a.clock.Now())
}

// gazetteer is what guidance may know of a provider's page.
func (a *App) gazetteer(provider string) guidance.Known {
	p := a.provider(provider)
	components, err := a.db.Components(context.Background(), provider)
	if err != nil {
		components = p.Components
	}
	return guidance.Known{Components: components, Regions: p.Regions}
}

// judgeTeam judges an incident for a team, with its people's words.
func (a *App) judgeTeam(inc *downwind.Incident, team *downwind.Team) downwind.Match {
	return a.judge.Match(inc, &team.Stack, team.Rules, a.knownOf(inc.Provider))
}

func (a *App) knownOf(provider string) match.Known {
	k := match.Known{Provider: a.provider(provider)}
	if c, err := a.db.Components(context.Background(), provider); err == nil {
		k.Components = c
	}
	return k
}

// readyError says why the daemon cannot serve yet.
func (a *App) readyError() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return a.db.Ping(ctx)
}

// webStore is the store as the pages see it: a stack that they store makes its providers wanted.
type webStore struct {
	*store.DB
	app *App
}

// SaveStack implements web.Reader.
func (s webStore) SaveStack(ctx context.Context, team string, st downwind.Stack, by string, at time.Time) error {
	return chatStore(s).SaveStack(ctx, team, st, by, at)
}

// SaveSubscription implements web.Wishes: the provider becomes wanted, and the channel hears what is open.
func (s webStore) SaveSubscription(ctx context.Context, sub downwind.Subscription) (downwind.Subscription, bool, error) {
	saved, existed, err := chatStore(s).SaveSubscription(ctx, sub)
	if err == nil && !existed {
		err = s.app.catchup(ctx, sub.Destination)
	}
	return saved, existed, err
}

// verifyBundle checks a proof bundle against the daemon's own log, or an earlier one that it goes on from.
func (a *App) verifyBundle(ctx context.Context, bundle []byte) (string, any) {
	key := a.logKey.Public
	if b, err := proof.DecodeBundle(bundle); err == nil && b.Key != key {
		if known, err := a.db.EarlierKey(ctx, b.Key); err == nil && known {
			key = b.Key
		}
	}
	report := proof.VerifyBundle(bundle, proof.Policy{Key: key})
	return report.Verdict.Word(), report
}

// announceChange tells a channel who changed what about it on the pages, as changes in chat are told.
func (a *App) announceChange(ctx context.Context, d downwind.Destination, sentence string) error {
	now := a.clock.Now()
	raise := plan.Announce(d, "settings:"+d.ID, now, downwind.Announcement{
		Title: "Settings of this channel", Lines: []string{sentence}, URL: a.baseURL() + "/team", Good: true,
	})
	return a.db.Apply(ctx, downwind.Plan{At: now, Raises: []downwind.Raise{raise}})
}

// PutTemp implements web.Temp. A visitor's report of an error is told to the operator too.
func (s webStore) PutTemp(ctx context.Context, kind, key string, value []byte, until time.Time) (bool, error) {
	stored, err := s.DB.PutTemp(ctx, kind, key, value, until)
	if err == nil && stored && kind == web.ReportKind {
		var r web.Report
		if json.Unmarshal(value, &r) == nil {
			s.app.operatorNote(ctx, downwind.OperatorNote{Key: "report:" + key, Text: "A visitor reports an error on " + r.About + ": " + r.Text})
		}
	}
	return stored, err
}

// oidc is the provider of identities that the configuration names, nil without one.
func (a *App) oidc() *web.OIDC {
	c := a.cfg.OIDC
	if c.Issuer == "" {
		return nil
	}
	o := &web.OIDC{Issuer: c.Issuer, Name: c.Name, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: c.Scopes}
	for _, g := range c.Grant {
		o.Grants = append(o.Grants, web.Grant{Claim: g.Claim, Value: g.Value, Team: g.Team, Role: web.Role(g.Role)})
	}
	return o
}

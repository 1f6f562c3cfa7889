package app

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"downwind"
	"downwind/deliver"
	"downwind/deliver/punctual"
	"downwind/notify"
	"downwind/notify/alertmanager"
	notifyall "downwind/notify/all"
	"downwind/notify/console"
	notifydiscord "downwind/notify/discord"
	"downwind/notify/email"
	"downwind/notify/ntfy"
	"downwind/notify/pagerduty"
	"downwind/notify/post"
	notifyslack "downwind/notify/slack"
	"downwind/notify/teams"
	"downwind/notify/webhook"
	"downwind/secret"
)

// requestTime bounds one request to a chat platform.
const requestTime = 15 * time.Second

// openDeliveries makes the notifiers that the configuration names, and the engine.
func (a *App) openDeliveries(context.Context) error {
	var err error
	if a.notes, err = a.notifiers(); err != nil {
		return err
	}
	a.engine, err = deliver.New(deliver.Options{
		Store: a.db, Notifiers: a.notes, Compose: a.compose, Clock: a.clock, Logger: a.log,
		Observe: a.metrics.delivered, Operator: a.operatorNote,
	})
	return err
}

// notifiers makes those that the configuration names, by platform. What they ask the store for (tokens of installs, mails
// that were stopped) is left out where there is none.
func (a *App) notifiers() (map[string]notify.Notifier, error) {
	notes := map[string]notify.Notifier{downwind.PlatformConsole: console.New(console.Options{Out: a.opts.Console, Color: a.opts.Color, Now: a.clock.Now, Location: time.UTC})}
	if s := a.cfg.Slack; s.On() {
		o := notifyslack.Options{Token: s.BotToken, APIURL: s.APIURL, Client: &http.Client{Transport: punctual.Transport(nil), Timeout: requestTime}}
		if s.ClientID != "" && a.db != nil {
			o.Tokens = a.slackToken
		}
		notes[downwind.PlatformSlack] = notifyslack.New(o)
	}
	if d := a.cfg.Discord; d.On() {
		n, err := notifydiscord.New(notifydiscord.Options{Token: d.BotToken, APIURL: discordOrigin(d.APIURL), Transport: punctual.Transport(nil)})
		if err != nil {
			return nil, err
		}
		notes[downwind.PlatformDiscord] = n
	}
	further := a.further()
	if err := further.Validate(); err != nil {
		return nil, fmt.Errorf("[[destination]]: %w", err)
	}
	o := notifyall.Options{Now: a.clock.Now, Transport: punctual.Transport(nil)}
	if a.db != nil {
		o.Unsubscribe, o.Stopped = a.unsubscribeURL, a.stopped
	}
	for platform, n := range notifyall.Notifiers(further, o) {
		notes[platform] = n
	}
	return notes, nil
}

// further gathers the destinations beside the chats.
func (a *App) further() notifyall.Config {
	e := a.cfg.Email
	c := notifyall.Config{
		Webhooks: map[string]webhook.Config{}, Teams: map[string]teams.Config{}, PagerDuty: map[string]pagerduty.Config{},
		Alertmanagers: map[string]alertmanager.Config{}, Ntfy: map[string]ntfy.Config{}, Posts: map[string]post.Config{},
		Email: email.Config{Addr: e.Addr, Security: email.Security(e.Security), User: e.User, Password: e.Password, From: e.From, To: map[string]string{}},
	}
	for _, d := range a.cfg.Destination {
		switch d.Kind {
		case webhook.Platform:
			c.Webhooks[d.Name] = webhook.Config{URL: d.Address, Key: d.Key}
		case teams.Platform:
			c.Teams[d.Name] = teams.Config{URL: d.Address}
		case pagerduty.Platform:
			c.PagerDuty[d.Name] = pagerduty.Config{RoutingKey: d.Key, Min: downwind.Impact(d.Min), URL: d.Address.Reveal()}
		case alertmanager.Platform:
			c.Alertmanagers[d.Name] = alertmanager.Config{URL: d.Address.Reveal(), Token: d.Key, Labels: d.Labels}
		case ntfy.Platform:
			c.Ntfy[d.Name] = ntfy.Config{Server: d.Address.Reveal(), Topic: d.Topic, Token: d.Key}
		case post.Platform:
			c.Posts[d.Name] = post.Config{URL: d.Address, Method: d.Method, Body: d.Body, Key: d.Key, Header: d.Header, Max: d.Max}
		case email.Platform:
			c.Email.To[d.Name] = d.To
		}
	}
	if a.cfg.Operator.Email != "" {
		c.Email.To["operator"] = a.cfg.Operator.Email
	}
	return c
}

// discordOrigin is the origin of a configured API address, whose path (/api/v10) the client adds itself.
func discordOrigin(apiURL string) string { return strings.TrimSuffix(apiURL, "/api/v10") }

// slackToken is the bot token of a workspace: that of its install, else the configured one.
func (a *App) slackToken(ctx context.Context, workspace string) (secret.String, error) {
	i, err := a.db.Install(ctx, downwind.PlatformSlack, workspace)
	if err != nil {
		if !a.cfg.Slack.BotToken.IsZero() {
			return a.cfg.Slack.BotToken, nil
		}
		return secret.String{}, err
	}
	return secret.New(i.Token), nil
}

// operatorNote tells what the engine noticed; the engine goes on whatever comes of it.
func (a *App) operatorNote(ctx context.Context, n downwind.OperatorNote) {
	if n.At.IsZero() {
		n.At = a.clock.Now()
	}
	if err := a.note(ctx, n); err != nil {
		a.log.Error("an operator note cannot be kept", "key", n.Key, "error", err)
	}
}

// compose writes the message of one part of a delivery.
func (a *App) compose(d downwind.Delivery, p downwind.Part) notify.Message {
	part := "root"
	if p.Version > 1 {
		part = "v" + strconv.Itoa(p.Version)
	}
	o := notify.ComposeOptions{
		BaseURL: a.baseURL(), StatusURL: a.provider(p.Alert.Incident.Provider).StatusURL, Root: p.Version == 1, Version: p.Version,
		Delivery: notify.Key(d.Destination, d.Incident, part), AckedBy: d.AckedBy, AckedAt: d.AckedAt, Continued: d.Generation > 0,
	}
	if p.Version == 1 && a.chat != nil {
		o.DoneBy = a.chat.DoneBy(context.Background(), d.ID)
	}
	if team, err := a.db.Team(context.Background(), d.Team); err == nil && team.Timezone != "" {
		if zone, err := time.LoadLocation(team.Timezone); err == nil {
			o.Location = zone
		}
	}
	return notify.Compose(p.Alert, o)
}

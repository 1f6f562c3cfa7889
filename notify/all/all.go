// Package all lists the destinations that need no install in a chat: programs, pagers, mail. Slack, Discord and the terminal are
// made by the program itself, because their chat sides share sessions and tokens with them.
package all

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"downwind"
	"downwind/notify"
	"downwind/notify/alertmanager"
	"downwind/notify/email"
	"downwind/notify/ntfy"
	"downwind/notify/pagerduty"
	"downwind/notify/post"
	"downwind/notify/teams"
	"downwind/notify/webhook"
)

// Config is what the configuration says of these destinations, each by the name that a team refers to.
type Config struct {
	Webhooks      map[string]webhook.Config
	Teams         map[string]teams.Config
	PagerDuty     map[string]pagerduty.Config
	Alertmanagers map[string]alertmanager.Config
	Ntfy          map[string]ntfy.Config
	Posts         map[string]post.Config
	// Email is the one outgoing server; its To are the names.
	Email email.Config
}

// Validate reports what keeps destinations from working, each with its kind and name.
func (c Config) Validate() error {
	var errs []error
	errs = append(errs, each(webhook.Platform, c.Webhooks)...)
	errs = append(errs, each(teams.Platform, c.Teams)...)
	errs = append(errs, each(pagerduty.Platform, c.PagerDuty)...)
	errs = append(errs, each(alertmanager.Platform, c.Alertmanagers)...)
	errs = append(errs, each(ntfy.Platform, c.Ntfy)...)
	errs = append(errs, each(post.Platform, c.Posts)...)
	if len(c.Email.To) > 0 {
		if err := c.Email.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("email: %w", err))
		}
	}
	return errors.Join(errs...)
}

// each validates the endpoints of one kind, in the order of their names.
func each[C interface{ Validate() error }](platform string, m map[string]C) []error {
	var errs []error
	for _, name := range keys(m) {
		if err := m[name].Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s %q: %w", platform, name, err))
		}
	}
	return errs
}

func keys[C any](m map[string]C) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Options is what the notifiers need beside their configuration.
type Options struct {
	// Unsubscribe gives the one-click address for mails to a destination; nil: none.
	Unsubscribe func(d downwind.Destination) string
	// Stopped says why a destination gets no mails any more, empty when it does; nil: nobody stopped them.
	Stopped func(ctx context.Context, d downwind.Destination) string
	// Transport sends the requests to programs; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Now tells the time; nil: the wall clock.
	Now func() time.Time
}

// Notifiers makes a notifier for every kind that the configuration uses, by platform.
func Notifiers(c Config, o Options) map[string]notify.Notifier {
	out := map[string]notify.Notifier{}
	if len(c.Webhooks) > 0 {
		out[webhook.Platform] = webhook.New(webhook.Options{Endpoints: c.Webhooks, Client: client(o), Now: o.Now})
	}
	if len(c.Teams) > 0 {
		out[teams.Platform] = teams.New(teams.Options{Workflows: c.Teams, Client: client(o)})
	}
	if len(c.PagerDuty) > 0 {
		out[pagerduty.Platform] = pagerduty.New(pagerduty.Options{Services: c.PagerDuty, Client: client(o)})
	}
	if len(c.Alertmanagers) > 0 {
		out[alertmanager.Platform] = alertmanager.New(alertmanager.Options{Servers: c.Alertmanagers, Client: client(o), Now: o.Now})
	}
	if len(c.Ntfy) > 0 {
		out[ntfy.Platform] = ntfy.New(ntfy.Options{Topics: c.Ntfy, Client: client(o)})
	}
	if len(c.Posts) > 0 {
		out[post.Platform] = post.New(post.Options{Addresses: c.Posts, Client: client(o)})
	}
	if len(c.Email.To) > 0 {
		out[email.Platform] = email.New(email.Options{Config: c.Email, Unsubscribe: o.Unsubscribe, Stopped: o.Stopped, Now: o.Now})
	}
	return out
}

// requestTime bounds one request; the delivery's own deadline is shorter as a rule.
const requestTime = 15 * time.Second

func client(o Options) *http.Client {
	c := notify.NewClient(requestTime)
	c.Transport = o.Transport
	return c
}

// Destinations lists what the configuration offers, in a fixed order, without a team.
func Destinations(c Config) []downwind.Destination {
	var out []downwind.Destination
	for _, kind := range []struct {
		platform string
		names    []string
	}{
		{webhook.Platform, keys(c.Webhooks)},
		{teams.Platform, keys(c.Teams)},
		{pagerduty.Platform, keys(c.PagerDuty)},
		{alertmanager.Platform, keys(c.Alertmanagers)},
		{ntfy.Platform, keys(c.Ntfy)},
		{post.Platform, keys(c.Posts)},
		{email.Platform, keys(c.Email.To)},
	} {
		for _, name := range kind.names {
			out = append(out, downwind.Destination{ID: kind.platform + "::" + name, Platform: kind.platform, Channel: name, Name: name})
		}
	}
	return out
}

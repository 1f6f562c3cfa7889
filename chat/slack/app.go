// Package slack receives what people do in Slack, over Socket Mode or over signed HTTP requests, and answers them.
//
// Each request is acknowledged at once and worked on after that; answers go to its response_url. A request is authorised
// by Slack's own fields: workspace, channel and user. Files are read from Slack's hosts only, and never kept.
package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"downwind"
	"downwind/chat"
	"downwind/secret"
)

// Installs keeps the workspaces that added the app.
type Installs interface {
	SaveInstall(ctx context.Context, i downwind.Install) error
	Install(ctx context.Context, platform, workspace string) (downwind.Install, error)
	DeleteInstall(ctx context.Context, platform, workspace string) error
	// PauseWorkspace pauses all destinations of a workspace and lists them.
	PauseWorkspace(ctx context.Context, platform, workspace, reason string) ([]string, error)
}

// Options is what an App works with. Handler and either Token or Installs are required.
type Options struct {
	Handler *chat.Handler
	// Token is the bot token of a single workspace; Installs keeps those of several (OAuth).
	Token    secret.String
	Installs Installs
	// AppToken ("xapp-…") is for Socket Mode; SigningSecret proves HTTP requests.
	AppToken, SigningSecret secret.String
	// ClientID, ClientSecret and RedirectURL are for installs by OAuth; empty: /slack/oauth is not served.
	ClientID     string
	ClientSecret secret.String
	RedirectURL  string
	// APIURL replaces Slack's address; its host then counts as Slack's own for files and answers.
	APIURL string
	// HTTP sends requests to Slack; nil: one with a timeout.
	HTTP   *http.Client
	Clock  downwind.Clock
	Logger *slog.Logger
	// OnRevoked hears of a workspace whose token is gone, so that the operator is told; may be nil.
	OnRevoked func(ctx context.Context, workspace, reason string)
	// OnInstalled hears of a workspace that was added (again), so that its paused destinations resume; may be nil.
	OnInstalled func(ctx context.Context, workspace string)
}

// Bounds of one process.
const (
	// workTime bounds the work on one request, after it was acknowledged.
	workTime = 25 * time.Second
	// maxWork bounds how many requests are worked on at a time; more are refused politely.
	maxWork = 128
	// apiTime bounds one call of Slack's API.
	apiTime = 10 * time.Second
)

// App is the Slack side of the chat. It is safe for concurrent use.
type App struct {
	o     Options
	host  string
	work  chan struct{}
	busy  sync.WaitGroup
	users userCache
	files *http.Client
}

// New checks the options and makes an App.
func New(o Options) (*App, error) {
	if o.Handler == nil {
		return nil, errors.New("slack: no handler")
	}
	if o.Token.IsZero() && o.Installs == nil {
		return nil, errors.New("slack: a bot token is missing; set bot_token_env in [slack]")
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: apiTime}
	}
	a := &App{o: o, work: make(chan struct{}, maxWork)}
	if o.APIURL != "" {
		u, err := url.Parse(o.APIURL)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("slack: api_url %q is not an address", o.APIURL)
		}
		a.host = u.Host
		a.o.APIURL = strings.TrimRight(o.APIURL, "/") + "/"
	}
	a.files = a.fileClient()
	return a, nil
}

// own reports whether an address is on Slack's hosts.
func (a *App) own(u *url.URL) bool {
	if a.host != "" && u.Host == a.host {
		return true
	}
	host := strings.ToLower(u.Hostname())
	return u.Scheme == "https" && u.User == nil && (host == "slack.com" || strings.HasSuffix(host, ".slack.com"))
}

// token is the bot token of a workspace.
func (a *App) token(ctx context.Context, workspace string) (secret.String, error) {
	if a.o.Installs != nil {
		i, err := a.o.Installs.Install(ctx, downwind.PlatformSlack, workspace)
		if err == nil {
			return secret.New(i.Token), nil
		}
		if !errors.Is(err, downwind.ErrNotFound) || a.o.Token.IsZero() {
			return secret.String{}, err
		}
	}
	return a.o.Token, nil
}

func (a *App) options() []slackgo.Option {
	opts := []slackgo.Option{slackgo.OptionHTTPClient(a.o.HTTP)}
	if a.o.APIURL != "" {
		opts = append(opts, slackgo.OptionAPIURL(a.o.APIURL))
	}
	return opts
}

func (a *App) client(ctx context.Context, workspace string) (*slackgo.Client, error) {
	token, err := a.token(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return slackgo.New(token.Reveal(), a.options()...), nil
}

// start works on a request in the background; false when too much is going on already.
func (a *App) start(do func(ctx context.Context)) bool {
	select {
	case a.work <- struct{}{}:
	default:
		return false
	}
	a.busy.Add(1)
	go func() {
		defer a.busy.Done()
		defer func() { <-a.work }()
		defer func() {
			if p := recover(); p != nil {
				a.o.Logger.Error("slack: a request failed badly", "panic", fmt.Sprint(p))
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), workTime)
		defer cancel()
		do(ctx)
	}()
	return true
}

// Wait waits until the requests that were taken are done.
func (a *App) Wait() { a.busy.Wait() }

// Run keeps a Socket Mode connection until ctx ends, and connects again when it breaks.
func (a *App) Run(ctx context.Context) error {
	if a.o.AppToken.IsZero() {
		return errors.New("slack: Socket Mode needs an app-level token (xapp-…) with connections:write; set app_token_env in [slack]")
	}
	defer a.Wait()
	api := slackgo.New(a.o.Token.Reveal(), append(a.options(), slackgo.OptionAppLevelToken(a.o.AppToken.Reveal()))...)
	for failures := 0; ; failures++ {
		client := socketmode.New(api)
		inner, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- client.RunContext(inner) }()
		err := a.receive(inner, client, done)
		stop()
		if ctx.Err() != nil {
			return nil
		}
		var refused slackgo.SlackErrorResponse
		if errors.Is(err, errAppToken) || errors.As(err, &refused) && authErrors[refused.Err] {
			return errAppToken
		}
		a.o.Logger.Warn("slack: the socket broke, connecting again", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-a.o.Clock.After(backOff(failures)):
		}
	}
}

var errAppToken = errors.New("slack: the app-level token was refused; make a new one with the scope connections:write and set app_token_env")

// authErrors are Slack's words for a token that will never work.
var authErrors = map[string]bool{"invalid_auth": true, "account_inactive": true, "not_authed": true, "token_revoked": true, "not_allowed_token_type": true, "missing_scope": true}

// cause is the error that an event of the socket carries, without the address that would let others connect.
func cause(data any) string {
	var err error
	switch d := data.(type) {
	case *slackgo.ConnectionErrorEvent:
		err = d.ErrorObj
	case error:
		err = d
	}
	if err == nil {
		return ""
	}
	text := err.Error()
	if i := strings.Index(text, "ws"); i >= 0 && strings.Contains(text, "://") {
		text = text[:i] + "(address)"
	}
	return text
}

// backOff grows from one second to a minute.
func backOff(failures int) time.Duration {
	return min(time.Minute, time.Second<<min(failures, 6))
}

// receive handles events until the connection ends.
func (a *App) receive(ctx context.Context, c *socketmode.Client, done <-chan error) error {
	for {
		select {
		case err := <-done:
			return err
		case evt := <-c.Events:
			switch evt.Type {
			case socketmode.EventTypeInvalidAuth:
				return errAppToken
			case socketmode.EventTypeConnected:
				a.o.Logger.Info("slack: connected")
			case socketmode.EventTypeConnectionError, socketmode.EventTypeIncomingError, socketmode.EventTypeErrorBadMessage:
				a.o.Logger.Warn("slack: socket", "event", string(evt.Type), "err", cause(evt.Data))
			case socketmode.EventTypeSlashCommand, socketmode.EventTypeInteractive, socketmode.EventTypeEventsAPI:
				a.envelope(ctx, c, evt)
			}
		}
	}
}

// envelope acknowledges one request of the socket and starts the work on it.
func (a *App) envelope(ctx context.Context, c *socketmode.Client, evt socketmode.Event) {
	if evt.Request == nil {
		return
	}
	var payload any
	switch data := evt.Data.(type) {
	case slackgo.SlashCommand:
		payload = a.command(data)
	case slackgo.InteractionCallback:
		payload = a.interaction(data)
	default:
		if err := a.event(ctx, evt.Request.Payload); err != nil {
			a.o.Logger.Warn("slack: event", "err", err)
		}
	}
	if err := c.AckCtx(ctx, evt.Request.EnvelopeID, payload); err != nil {
		a.o.Logger.Warn("slack: acknowledgement", "err", err)
	}
}

// Package discord receives what people do in Discord, over the gateway or over signed HTTP requests, and answers them.
//
// Each command is acknowledged at once as a private answer that follows; the work is done after that. Every message that
// leaves has empty allowed_mentions. Attachments are read from Discord's file hosts only, without a token, and never kept.
package discord

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"downwind"
	"downwind/chat"
	"downwind/internal/pattern"
	render "downwind/notify/discord"
	"downwind/secret"
)

// Options is what an App works with. Handler and Token are required; PublicKey for HTTP mode.
type Options struct {
	Handler *chat.Handler
	// Token is the bot token, without "Bot ".
	Token secret.String
	// ApplicationID is the application's id; empty: asked for at the start.
	ApplicationID string
	// PublicKey is the application's Ed25519 key, hex; it proves HTTP requests.
	PublicKey string
	// ManagerRoles are ids of roles that may change things everywhere, beside Manage Channels and Manage Server.
	ManagerRoles []string
	// APIURL replaces Discord's address, with or without /api/v10; its host then counts as Discord's own for attachments.
	APIURL string
	// HTTP reads attachments; nil: a client with a timeout.
	HTTP   *http.Client
	Clock  downwind.Clock
	Logger *slog.Logger
	// Guild registers the commands in one guild, where they change at once; empty: everywhere.
	Guild string
	// OnRemoved hears of a guild that removed the bot, OnJoined of one that has it; either may be nil.
	OnRemoved, OnJoined func(ctx context.Context, guild string)
}

// Bounds of one process.
const (
	// workTime bounds the work on one interaction; Discord itself allows answers for 15 minutes.
	workTime = 25 * time.Second
	// suggestTime keeps a suggestion within Discord's three seconds.
	suggestTime = 2 * time.Second
	// maxWork bounds how many interactions are worked on at a time.
	maxWork = 128
	// callTime bounds one request to Discord.
	callTime = 10 * time.Second
)

// App is the Discord side of the chat. It is safe for concurrent use.
type App struct {
	o       Options
	session *discordgo.Session
	key     ed25519.PublicKey
	host    string
	work    chan struct{}
	busy    sync.WaitGroup
	files   *http.Client
}

// silent is below the levels of discordgo.
const silent = discordgo.LogError - 1

var apiPath = pattern.New(`/api(/v[0-9]+)?$`)

// New checks the options and makes an App.
func New(o Options) (*App, error) {
	if o.Handler == nil {
		return nil, errors.New("discord: no handler")
	}
	if o.Token.IsZero() {
		return nil, errors.New("discord: a bot token is missing; set bot_token_env in [discord]")
	}
	if o.Clock == nil {
		o.Clock = downwind.Wall{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a := &App{o: o, work: make(chan struct{}, maxWork)}
	base := apiPath.ReplaceAllString(strings.TrimRight(o.APIURL, "/"), "")
	if base != "" {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("discord: api_url %q is not an address", o.APIURL)
		}
		a.host = u.Host
	}
	if o.PublicKey != "" {
		key, err := hex.DecodeString(o.PublicKey)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, errors.New("discord: public_key is not 64 hexadecimal digits; copy it from General Information of the application")
		}
		a.key = key
	}
	var err error
	if a.session, err = render.NewSession(o.Token, base); err != nil {
		return nil, err
	}
	a.session.StateEnabled = false
	// It would write to standard error by itself, about every dialog among others, whose parts it does not know.
	a.session.LogLevel = silent
	a.files = a.fileClient()
	return a, nil
}

// start works on an interaction in the background; false when too much is going on already.
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
				a.o.Logger.Error("discord: an interaction failed badly", "panic", fmt.Sprint(p))
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), workTime)
		defer cancel()
		do(ctx)
	}()
	return true
}

// Wait waits until the interactions that were taken are done.
func (a *App) Wait() { a.busy.Wait() }

// errToken says how to repair a token that Discord refuses.
var errToken = errors.New("discord: the bot token was refused; reset it under Bot in the developer portal and set bot_token_env")

// Run registers the commands and keeps a gateway connection until ctx ends, connecting again when it breaks.
func (a *App) Run(ctx context.Context) error {
	defer a.Wait()
	remove := a.session.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { a.event(ctx, e) })
	defer remove()
	defer a.session.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		a.o.Logger.Warn("discord: the gateway connection broke; connecting again")
	})()
	for failures := 0; ; failures++ {
		err := a.register(ctx)
		if err == nil {
			err = a.session.Open()
		}
		if err == nil {
			break
		}
		var closed *websocket.CloseError
		if errors.As(err, &closed) && closed.Code == 4004 || unauthorised(err) {
			return errToken
		}
		if ctx.Err() != nil {
			return nil
		}
		a.o.Logger.Warn("discord: not connected, trying again", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-a.o.Clock.After(backOff(failures)):
		}
	}
	a.o.Logger.Info("discord: connected")
	<-ctx.Done()
	if err := a.session.Close(); err != nil {
		a.o.Logger.Debug("discord: close", "err", err)
	}
	return nil
}

// backOff grows from one second to a minute.
func backOff(failures int) time.Duration { return min(time.Minute, time.Second<<min(failures, 6)) }

func unauthorised(err error) bool {
	var rest *discordgo.RESTError
	return errors.As(err, &rest) && rest.Response != nil && rest.Response.StatusCode == http.StatusUnauthorized
}

// event takes one event of the gateway.
func (a *App) event(ctx context.Context, e *discordgo.Event) {
	switch e.Type {
	case "INTERACTION_CREATE":
		i, err := read(e.RawData)
		if err != nil {
			a.o.Logger.Warn("discord: interaction", "err", err)
			return
		}
		if first := a.take(i); first != nil {
			call, cancel := context.WithTimeout(ctx, callTime)
			defer cancel()
			address := discordgo.EndpointInteractionResponse(i.ID, i.Token)
			if err := a.call(call, http.MethodPost, address, first); err != nil {
				a.o.Logger.Warn("discord: first answer", "err", err)
			}
			close(i.answered)
		}
	case "GUILD_DELETE", "GUILD_CREATE":
		var g struct {
			ID          string `json:"id"`
			Unavailable bool   `json:"unavailable"`
		}
		if json.Unmarshal(e.RawData, &g) != nil || g.ID == "" || g.Unavailable {
			return
		}
		if e.Type == "GUILD_DELETE" && a.o.OnRemoved != nil {
			a.o.OnRemoved(ctx, g.ID)
		}
		if e.Type == "GUILD_CREATE" && a.o.OnJoined != nil {
			a.o.OnJoined(ctx, g.ID)
		}
	}
}

// call sends one request, outside discordgo's buckets: one for each interaction would never be freed, and interactions do
// not count against the global limit. Its errors hold no token of an interaction.
func (a *App) call(ctx context.Context, method, address string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("discord: answer: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw))
	if err != nil {
		return errors.New("discord: the address of an answer is no address")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", a.session.UserAgent)
	if strings.HasPrefix(address, discordgo.EndpointChannels) {
		req.Header.Set("Authorization", a.session.Token)
	}
	resp, err := a.session.Client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return fmt.Errorf("discord: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 300 {
		return nil
	}
	var told struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&told) != nil {
		return fmt.Errorf("discord answered %d", resp.StatusCode)
	}
	return fmt.Errorf("discord answered %d: %s (%d)", resp.StatusCode, told.Message, told.Code)
}

package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"downwind"
	"downwind/chat"
	"downwind/notify"
	render "downwind/notify/discord"
)

// interaction is what we read of Discord's: discordgo's own type lacks the channel's parent.
type interaction struct {
	ID      string `json:"id"`
	App     string `json:"application_id"`
	Type    int    `json:"type"`
	Token   string `json:"token"`
	Guild   string `json:"guild_id"`
	Channel struct {
		ID     string `json:"id"`
		Parent string `json:"parent_id"`
		Type   int    `json:"type"`
		Name   string `json:"name"`
	} `json:"channel"`
	ChannelID string `json:"channel_id"`
	Member    struct {
		User        user     `json:"user"`
		Permissions string   `json:"permissions"`
		Roles       []string `json:"roles"`
	} `json:"member"`
	Message struct {
		ID    string `json:"id"`
		Flags int    `json:"flags"`
	} `json:"message"`
	Data struct {
		Name     string   `json:"name"`
		Type     int      `json:"type"`
		Target   string   `json:"target_id"`
		Options  []option `json:"options"`
		CustomID string   `json:"custom_id"`
		Values   []string `json:"values"`
		// Components are those of a dialog that comes back.
		Components []field `json:"components"`
		Resolved   struct {
			Attachments map[string]attachment `json:"attachments"`
			Messages    map[string]struct {
				Attachments []attachment `json:"attachments"`
			} `json:"messages"`
		} `json:"resolved"`
	} `json:"data"`
	// answered is closed when the first answer has gone out, so that later ones come after it.
	answered chan struct{}
}

type user struct {
	ID         string `json:"id"`
	Name       string `json:"username"`
	GlobalName string `json:"global_name"`
}

// option is one option of a command, or a subcommand with options of its own.
type option struct {
	Name    string          `json:"name"`
	Type    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Options []option        `json:"options"`
	Focused bool            `json:"focused"`
}

// text is the option's value as it would be typed.
func (o option) text() string {
	var s string
	if json.Unmarshal(o.Value, &s) == nil {
		return s
	}
	return string(o.Value)
}

// Types of interactions, callbacks and flags, as Discord numbers them.
const (
	typePing, typeCommand, typeComponent, typeSuggest, typeDialog             = 1, 2, 3, 4, 5
	answerPong, answerMessage, answerLater, answerUpdateLater, answerSuggests = 1, 4, 5, 6, 8
	answerDialog                                                              = 9
	commandOnMessage                                                          = 3
	flagEphemeral                                                             = 64
	threadTypeFirst, threadTypeLast                                           = 10, 12
	optionSub, optionGroup, optionAttachment                                  = 1, 2, 11
)

// response is a first answer.
type response struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// message is every other answer. AllowedMentions is always there and always empty.
type message struct {
	Content         string                       `json:"content"`
	Embeds          []*discordgo.MessageEmbed    `json:"embeds"`
	Components      []discordgo.MessageComponent `json:"components"`
	AllowedMentions mentions                     `json:"allowed_mentions"`
	Flags           int                          `json:"flags,omitempty"`
}

type mentions struct {
	Parse []string `json:"parse"`
}

// read reads an interaction.
func read(raw []byte) (*interaction, error) {
	i := &interaction{answered: make(chan struct{})}
	if err := json.Unmarshal(raw, i); err != nil {
		return nil, fmt.Errorf("interaction: %w", err)
	}
	return i, nil
}

// caller describes who asks. In a thread the channel is the one that the thread belongs to.
func (a *App) caller(i *interaction) chat.Caller {
	channel := i.ChannelID
	if channel == "" {
		channel = i.Channel.ID
	}
	name := i.Channel.Name
	if i.Channel.Type >= threadTypeFirst && i.Channel.Type <= threadTypeLast && i.Channel.Parent != "" {
		channel, name = i.Channel.Parent, ""
	}
	p, err := strconv.ParseInt(i.Member.Permissions, 10, 64)
	if err != nil {
		p = 0
	}
	admin := p&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0
	who := chat.Caller{
		Platform: downwind.PlatformDiscord, Workspace: i.Guild, Channel: channel, ChannelName: name,
		User: i.Member.User.ID, UserName: i.Member.User.GlobalName, Admin: admin,
		Guest: !admin && p&discordgo.PermissionManageChannels == 0, Roles: i.Member.Roles,
	}
	if who.Guest && slices.ContainsFunc(i.Member.Roles, func(r string) bool { return slices.Contains(a.o.ManagerRoles, r) }) {
		who.Guest = false
	}
	if who.UserName == "" {
		who.UserName = i.Member.User.Name
	}
	if i.Type == typeCommand && i.Data.Type != commandOnMessage || i.Type == typeSuggest {
		who.Command = "/" + i.Data.Name
	}
	return who
}

// take starts the work on an interaction and gives its first answer, which goes out at once.
func (a *App) take(i *interaction) *response {
	if i.Type == typePing {
		return &response{Type: answerPong}
	}
	if i.Guild == "" || i.Member.User.ID == "" {
		return private("Downwind works in the channels of a server. Please use the command there.")
	}
	who := a.caller(i)
	switch i.Type {
	case typeSuggest:
		return a.suggest(who, i)
	case typeDialog:
		return a.submitted(who, i)
	case typeCommand:
		if i.asksForDialog() {
			return a.dialog(who, i)
		}
		if !a.start(func(ctx context.Context) { a.command(ctx, who, i) }) {
			return private(busyText)
		}
		return &response{Type: answerLater, Data: map[string]int{"flags": flagEphemeral}}
	case typeComponent:
		// A click in a private message may replace it; one in a public message gets a private answer of its own.
		replaces := i.Message.Flags&flagEphemeral != 0
		click := chat.Click{ID: i.Data.CustomID, Message: i.Message.ID, Values: i.Data.Values}
		ok := a.start(func(ctx context.Context) { a.answer(ctx, i, a.o.Handler.Click(ctx, who, click), replaces) })
		switch {
		case !ok:
			return private(busyText)
		case replaces:
			return &response{Type: answerUpdateLater}
		}
		return &response{Type: answerLater, Data: map[string]int{"flags": flagEphemeral}}
	}
	return private("This Downwind does not know that kind of request.")
}

const busyText = "I am very busy just now. Please repeat that in a minute; repeating does no harm."

func private(text string) *response {
	return &response{Type: answerMessage, Data: message{
		Content: text, Embeds: []*discordgo.MessageEmbed{}, Components: []discordgo.MessageComponent{}, AllowedMentions: mentions{[]string{}}, Flags: flagEphemeral,
	}}
}

// path takes the subcommands off a command: verb, second word and the options.
func (i *interaction) path() (verb, sub string, options []option) {
	options = i.Data.Options
	if len(options) == 1 && (options[0].Type == optionSub || options[0].Type == optionGroup) {
		verb, options = options[0].Name, options[0].Options
		if len(options) == 1 && options[0].Type == optionSub {
			sub, options = options[0].Name, options[0].Options
		}
	}
	return verb, sub, options
}

// command carries a command out and shows the answer.
func (a *App) command(ctx context.Context, who chat.Caller, i *interaction) {
	if i.Data.Type == commandOnMessage {
		a.answer(ctx, i, a.fromMessage(ctx, who, i), false)
		return
	}
	verb, sub, options := i.path()
	if verb == "" {
		verb = "help"
	}
	var plain []chat.Option
	var files []attachment
	domains := ""
	for _, o := range options {
		switch {
		case o.Type == optionAttachment:
			files = append(files, i.Data.Resolved.Attachments[o.text()])
		case o.Name == "domains":
			domains = o.text()
			plain = append(plain, chat.Option{Name: o.Name, Value: o.text()})
		default:
			plain = append(plain, chat.Option{Name: o.Name, Value: o.text()})
		}
	}
	var ans chat.Answer
	switch {
	case verb == "stack" && sub == "import" && (len(files) > 0 || domains != ""):
		ans = a.o.Handler.Import(ctx, who, a.download(ctx, files), domains, true)
	case verb == "check" && len(files) > 0:
		ans = a.o.Handler.Import(ctx, who, a.download(ctx, files), domains, false)
	case verb == "settings" && len(plain) > 0:
		ans = a.settings(ctx, who, plain)
	default:
		ans = a.o.Handler.RunOptions(ctx, who, verb, sub, plain)
	}
	a.answer(ctx, i, ans, false)
}

// settings changes those settings that were named and leaves the others.
func (a *App) settings(ctx context.Context, who chat.Caller, options []chat.Option) chat.Answer {
	ans := a.o.Handler.RunOptions(ctx, who, "settings", "", nil)
	if ans.Dialog != chat.DialogSettings {
		return ans
	}
	s := ans.Settings
	for _, o := range options {
		switch o.Name {
		case "admins_only":
			s.AdminsOnly = o.Value == "true"
		case "role":
			s.Role = o.Value
		}
	}
	return a.o.Handler.SaveSettings(ctx, who, s)
}

// answer shows an answer: the private part in the place that was kept for it, then the public one.
func (a *App) answer(ctx context.Context, i *interaction, ans chat.Answer, inPlace bool) {
	select {
	case <-i.answered:
	case <-ctx.Done():
		return
	}
	original := discordgo.EndpointWebhookMessage(i.App, i.Token, "@original")
	follow := discordgo.EndpointWebhookToken(i.App, i.Token)
	send := func(method, address string, m message) {
		call, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		if err := a.call(call, method, address, m); err != nil {
			a.o.Logger.Warn("discord: the answer could not be shown", "guild", i.Guild, "channel", i.ChannelID, "err", err)
		}
	}
	shown := ans.Private
	if shown == nil {
		shown = &notify.Message{Text: "Done.", Blocks: []notify.Block{{Kind: notify.BlockText, Lines: [][]notify.Run{{{Text: "Done."}}}}}}
	}
	m := build(shown, ans.Select)
	m.Flags = flagEphemeral
	switch {
	case !inPlace || ans.Replace:
		m.Flags = 0
		send(http.MethodPatch, original, m)
	case ans.Private != nil:
		send(http.MethodPost, follow, m)
	}
	if ans.Preview != nil {
		p := build(ans.Preview, nil)
		p.Flags = flagEphemeral
		send(http.MethodPost, follow, p)
	}
	if ans.Public != nil {
		address := follow
		if ans.In != "" {
			address = discordgo.EndpointChannelMessages(ans.In)
		}
		send(http.MethodPost, address, build(ans.Public, nil))
	}
}

// build renders a message with the twin's escaping and limits.
func build(m *notify.Message, sel *chat.Select) message {
	out := message{Embeds: render.Embeds(*m), Components: render.Components(*m), AllowedMentions: mentions{[]string{}}}
	if sel != nil && len(sel.Options) > 0 && len(out.Components) < 5 {
		out.Components = append(out.Components, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu(sel)}})
	}
	if out.Components == nil {
		out.Components = []discordgo.MessageComponent{}
	}
	return out
}

func menu(s *chat.Select) discordgo.SelectMenu {
	one := 1
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: s.ID, Placeholder: notify.Cut(s.Placeholder, 100), MinValues: &one}
	for _, c := range s.Options {
		if len(menu.Options) < 25 && c.Value != "" && len(c.Value) <= 100 {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{
				Label: notify.Cut(notify.OneLine(c.Label), 100), Value: c.Value, Description: notify.Cut(notify.OneLine(c.Description), 100), Default: c.Default,
			})
		}
	}
	menu.MaxValues = len(menu.Options)
	return menu
}

// suggest completes the option that is being typed.
func (a *App) suggest(who chat.Caller, i *interaction) *response {
	ctx, cancel := context.WithTimeout(context.Background(), suggestTime)
	defer cancel()
	verb, _, options := i.path()
	var focused option
	var others []chat.Option
	for _, o := range options {
		if o.Focused {
			focused = o
		} else {
			others = append(others, chat.Option{Name: o.Name, Value: o.text()})
		}
	}
	type choice struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	out := []choice{}
	for _, c := range a.o.Handler.Suggest(ctx, who, strings.ToLower(verb), focused.Name, focused.text(), others) {
		out = append(out, choice{c.Label, c.Value})
	}
	return &response{Type: answerSuggests, Data: map[string]any{"choices": out}}
}

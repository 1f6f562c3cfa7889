package discord

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"downwind/chat"
)

// Names are the commands that are registered; they mean the same.
var commandNames = []string{"feed", "downwind"}

// onMessage is the command in the menu of a message; it reads the message's files.
const onMessage = "Check this stack"

// Register tells Discord the commands, replacing those registered before. It tries until it succeeds, the token is refused
// or ctx ends, so that HTTP mode needs nothing else at the start.
func (a *App) Register(ctx context.Context) error {
	for failures := 0; ; failures++ {
		err := a.register(ctx)
		switch {
		case err == nil:
			return nil
		case unauthorised(err):
			return errToken
		case ctx.Err() != nil:
			return ctx.Err()
		}
		a.o.Logger.Warn("discord: the commands are not registered yet, trying again", "err", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.o.Clock.After(backOff(failures)):
		}
	}
}

// register tries once.
func (a *App) register(ctx context.Context) error {
	app := a.o.ApplicationID
	if app == "" {
		me, err := a.session.User("@me", discordgo.WithContext(ctx))
		if err != nil {
			return fmt.Errorf("discord: who am I: %w", err)
		}
		app = me.ID
	}
	if _, err := a.session.ApplicationCommandBulkOverwrite(app, a.o.Guild, Commands(), discordgo.WithContext(ctx)); err != nil {
		return fmt.Errorf("discord: register the commands: %w", err)
	}
	return nil
}

type opt = *discordgo.ApplicationCommandOption

// Commands are the slash commands and the message command as Discord wants them.
func Commands() []*discordgo.ApplicationCommand {
	var out []*discordgo.ApplicationCommand
	guildOnly := []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	for _, name := range commandNames {
		out = append(out, &discordgo.ApplicationCommand{
			Type: discordgo.ChatApplicationCommand, Name: name, Description: "Provider incidents for this channel",
			Options: subcommands(), Contexts: &guildOnly, IntegrationTypes: &installs,
		})
	}
	return append(out, &discordgo.ApplicationCommand{
		Type: discordgo.MessageApplicationCommand, Name: onMessage, Contexts: &guildOnly, IntegrationTypes: &installs,
	})
}

func text(name, about string) opt {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: name, Description: about, MaxLength: 300}
}

func auto(name, about string) opt {
	o := text(name, about)
	o.Autocomplete = true
	return o
}

func needed(o opt) opt {
	o.Required = true
	return o
}

func choice(name, about string, values ...string) opt {
	o := text(name, about)
	o.MaxLength = 0
	for _, v := range values {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: v, Value: v})
	}
	return o
}

func typed(kind discordgo.ApplicationCommandOptionType, name, about string) opt {
	return &discordgo.ApplicationCommandOption{Type: kind, Name: name, Description: about}
}

func channel() opt {
	o := typed(discordgo.ApplicationCommandOptionChannel, "channel", "Another channel than this one")
	o.ChannelTypes = []discordgo.ChannelType{discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews}
	return o
}

func sub(name, about string, options ...opt) opt {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: about, Options: options}
}

func impacts(name, about string) opt { return choice(name, about, "minor", "major", "critical") }

func files(n int) []opt {
	var out []opt
	for i := 1; i <= n; i++ {
		name := "file"
		if i > 1 {
			name = fmt.Sprintf("file%d", i)
		}
		out = append(out, typed(discordgo.ApplicationCommandOptionAttachment, name, "package.json, lockfile, go.mod, *.tf, .env, …"))
	}
	return out
}

// subcommands are the verbs of the grammar, one option for each filter. Required options come first, as Discord wants it.
func subcommands() []opt {
	target := func() opt { return needed(auto("target", "stack, all, a provider, provider/component or an address")) }
	kinds := func() opt { return auto("kinds", "new,update,resolved,postmortem,edit,maintenance") }
	region := func() opt { return text("region", "us-east,eu-*") }
	component := func() opt { return auto("component", "Names of components, * allowed") }
	tz := func() opt { return auto("tz", "Time zone such as Europe/Berlin") }
	preview := func(name string) opt {
		return sub(name, "Show how a message will look here", choice("kind", "Which message", chat.PreviewKinds...))
	}
	return []opt{
		sub("subscribe", "Tell this channel about your stack or a provider", target(), impacts("min", "Least impact that is told"), kinds(), region(), component(),
			choice("only", "Only what hits your stack, or all", "affected", "all"), choice("thread", "Updates in a thread", "on", "off"),
			choice("end", "Where the end is told", "channel", "thread"),
			typed(discordgo.ApplicationCommandOptionRole, "mention", "A role to ping"), impacts("mention_from", "Ping from this impact up"), channel()),
		sub("unsubscribe", "Stop telling; with a filter, take only that away", target(), kinds(), region(), component(), channel()),
		sub("list", "What this channel hears, its mutes and its state", choice("scope", "All channels of the team", "all"), channel()),
		sub("status", "How your providers are", auto("target", "A provider; empty: yours")),
		sub("why", "Why an incident was told here, or was not", auto("incident", "Empty: the newest here")),
		sub("replay", "Replay windows and checklist, to copy", auto("incident", "Empty: the newest here")),
		{
			Type: discordgo.ApplicationCommandOptionSubCommandGroup, Name: "stack", Description: "What your team runs on",
			Options: []opt{
				sub("import", "Read files; only names are kept", append(files(5), text("domains", "Or domains, with spaces between"))...),
				sub("show", "What is known"),
				sub("add", "We use this provider", needed(auto("provider", "The provider")), region(), component()),
				sub("remove", "We do not use this provider", needed(auto("provider", "The provider"))),
				sub("confirm", "The guess is right", needed(auto("provider", "The provider")), region(), component()),
				sub("clear", "Forget the stack", choice("sure", "Without asking back", "yes")),
			},
		},
		sub("check", "Read files or domains once, storing nothing", append(files(3), text("domains", "Domains, with spaces between"))...),
		sub("mute", "Silence a provider or an incident for a while", target(), needed(auto("for", "15m to 30d"))),
		sub("unmute", "End a mute now", target()),
		sub("ack", "Mark an incident as seen", auto("incident", "Empty: the newest here")),
		sub("digest", "Collect what is not urgent", needed(choice("how", "How often", "daily", "weekly", "off")), text("at", "08:00"), tz()),
		sub("quiet", "Hours in which only urgent things are told", needed(auto("hours", "22:00-07:00 or off")), tz(), impacts("except", "What breaks them")),
		sub("remind", "Say again what is still open and nobody acknowledged", needed(auto("every", "15m to 24h, or off"))),
		preview("preview"),
		preview("test"),
		sub("feed", "RSS, Atom and JSON addresses", auto("target", "A provider; empty: your stack"), impacts("min", "Least impact"), kinds(), region(), component()),
		sub("settings", "The settings of this channel", typed(discordgo.ApplicationCommandOptionBoolean, "admins_only", "Only admins may change things"),
			typed(discordgo.ApplicationCommandOptionRole, "role", "A role whose members may change things too")),
		sub("help", "What I can do", auto("verb", "One command")),
	}
}

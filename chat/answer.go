package chat

import (
	"fmt"
	"strings"

	"downwind"
	"downwind/notify"
)

// A Caller is who asks, and where. Workspace and Channel come from the platform's own request, never from a person's text.
type Caller struct {
	// Platform is downwind.PlatformSlack or PlatformDiscord; Workspace Slack's team id or Discord's guild id.
	Platform, Workspace, Channel, ChannelName string
	// User is the platform's id, UserName the name for people.
	User, UserName string
	// Guest may only read; Admin may change what settings restrict.
	Guest, Admin bool
	// Roles are the ids of the caller's Discord roles; one that the settings name lifts Guest.
	Roles []string
	// Command is the name that arrived, "/feed" or "/downwind"; empty for clicks.
	Command string
}

// Name is the command's name to show: the one that arrived, else /downwind.
func (c Caller) Name() string {
	if c.Command == "" {
		return "/downwind"
	}
	return c.Command
}

// By is how the caller is named in records and announcements.
func (c Caller) By() string {
	if c.UserName != "" {
		return "@" + c.UserName
	}
	return c.User
}

// Destination is the caller's channel as a destination.
func (c Caller) Destination() downwind.Destination {
	return destinationOf(c.Platform, c.Workspace, c.Channel, c.ChannelName)
}

func destinationOf(platform, workspace, channel, name string) downwind.Destination {
	return downwind.Destination{
		ID:       platform + ":" + workspace + ":" + channel,
		Platform: platform, Workspace: workspace, Channel: channel, Name: name,
	}
}

// A Dialog is a form that the platform opens.
type Dialog string

// The dialogs.
const (
	DialogStack    Dialog = "stack"    // files and domains for the team's stack
	DialogCheck    Dialog = "check"    // files and domains, storing nothing
	DialogSettings Dialog = "settings" // Answer.Settings holds what is set now
)

// An Answer is what the caller and, where something changed, the channel get to see.
type Answer struct {
	// Private is shown to the caller only, nil: nothing.
	Private *notify.Message
	// Select is a choice below Private.
	Select *Select
	// Public is shown in the channel, nil: nothing; In is another channel's id of the same workspace, empty: the caller's.
	Public *notify.Message
	In     string
	// Replace puts Private in the place of the private message that the clicked button stood in.
	Replace bool
	// Dialog asks for a form; Private then says how to do without.
	Dialog   Dialog
	Settings Settings
	// Preview is a message shown to the caller as it would look in the channel.
	Preview *notify.Message
}

// A Select is a choice of some of at most 25 things.
type Select struct {
	// ID is the click's, "verb:argument".
	ID, Placeholder string
	Options         []Choice
}

// A Choice is one option of a Select or an autocomplete.
type Choice struct {
	Label, Value, Description string
	// Default is chosen already.
	Default bool
}

// Settings are what people may set for a channel.
type Settings struct {
	// AdminsOnly lets only admins change things here.
	AdminsOnly bool `json:"admins_only,omitempty"`
	// Role is a Discord role whose members may change things, empty: none.
	Role string `json:"role,omitempty"`
	// Quiet, Except, Timezone, Digest and At are those of the destination.
	Quiet    string          `json:"-"`
	Except   downwind.Impact `json:"-"`
	Timezone string          `json:"-"`
	Digest   string          `json:"-"`
	At       string          `json:"-"`
	// Remind is "2h"; empty or "off": no reminders.
	Remind string `json:"-"`
	// SignIn is a one-time address of the team's pages, for the caller only; empty: none.
	SignIn string `json:"-"`
	// Channel names the channel they are for.
	Channel string `json:"-"`
}

// RemindChoices are the lengths of time that forms offer for reminders.
var RemindChoices = []string{"off", "30m", "1h", "2h", "4h", "8h", "1d"}

// words builds a line of runs from pieces: string is our own text, notify.Run stays.
func words(parts ...any) []notify.Run {
	var line []notify.Run
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			line = append(line, notify.Run{Text: v})
		case notify.Run:
			line = append(line, v)
		case []notify.Run:
			line = append(line, v...)
		}
	}
	return line
}

func bold(s string) notify.Run { return notify.Run{Text: s, Bold: true, Foreign: true} }
func code(s string) notify.Run { return notify.Run{Text: s, Code: true, Foreign: true} }

// their marks text that people or providers wrote.
func their(s string) notify.Run {
	return notify.Run{Text: strings.Join(strings.Fields(clean(s)), " "), Foreign: true}
}

// textOf is the plain form of lines.
func textOf(lines [][]notify.Run) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, r := range l {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// say makes a message of paragraphs.
func say(lines ...[]notify.Run) *notify.Message {
	return &notify.Message{
		Text:   textOf(lines),
		Blocks: []notify.Block{{Kind: notify.BlockText, Lines: lines}},
	}
}

// titled makes a message with a header; the blocks' lines become its plain text too.
func titled(title string, blocks ...notify.Block) *notify.Message {
	return with(&notify.Message{Title: title, Text: title}, blocks...)
}

// with adds blocks that are not empty to a message, and their words to its plain text.
func with(m *notify.Message, blocks ...notify.Block) *notify.Message {
	for _, b := range blocks {
		if len(b.Lines) == 0 {
			continue
		}
		m.Blocks = append(m.Blocks, b)
		if b.Title != "" {
			m.Text += "\n" + b.Title
		}
		m.Text += "\n" + textOf(b.Lines)
	}
	return m
}

func list(title string, lines ...[]notify.Run) notify.Block {
	return notify.Block{Kind: notify.BlockList, Title: title, Lines: lines}
}

func text(title string, lines ...[]notify.Run) notify.Block {
	return notify.Block{Kind: notify.BlockText, Title: title, Lines: lines}
}

func small(lines ...[]notify.Run) notify.Block {
	return notify.Block{Kind: notify.BlockContext, Lines: lines}
}

func private(m *notify.Message) Answer { return Answer{Private: m} }

func plainf(format string, a ...any) Answer { return private(say(words(fmt.Sprintf(format, a...)))) }

// plural writes "1 provider" or "3 providers".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

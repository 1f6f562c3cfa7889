package discord

import (
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"downwind/internal/pattern"
	"downwind/notify"
)

// Limits of messages, from docs.discord.com/developers/resources/message#embed-object-embed-limits.
const (
	maxContent     = 2000
	maxTitle       = 256
	maxDescription = 4096
	maxFields      = 25
	maxFieldName   = 256
	maxFieldValue  = 1024
	maxFooter      = 2048
	maxTotal       = 6000
	maxLabel       = 38
	maxCustomID    = 100
	maxButtonURL   = 512
	perRow         = 5
	maxRows        = 5
)

// Embeds renders a message of any kind as one embed, in the largest form that fits Discord's limits.
func Embeds(m notify.Message) []*discordgo.MessageEmbed {
	return []*discordgo.MessageEmbed{embed(notify.Fit(m, fits))}
}

func fits(m notify.Message) bool {
	e := embed(m)
	total := notify.Size(e.Title) + notify.Size(e.Description)
	if e.Footer != nil {
		total += notify.Size(e.Footer.Text)
	}
	for _, f := range e.Fields {
		total += notify.Size(f.Name) + notify.Size(f.Value)
	}
	return total <= maxTotal && notify.Size(e.Description) <= maxDescription && len(e.Fields) <= maxFields
}

// embed renders without dropping anything; single texts are cut to their limits.
func embed(m notify.Message) *discordgo.MessageEmbed {
	title := strings.TrimSpace(m.Tone.Icon() + " " + notify.OneLine(m.Title))
	e := &discordgo.MessageEmbed{
		Type: discordgo.EmbedTypeRich, Title: shorten(title, maxTitle, Escape), URL: link(m), Color: m.Tone.Color(),
	}
	var paragraphs []string
	for _, b := range m.Blocks {
		switch {
		case b.Kind == notify.BlockDiff:
			paragraphs = append(paragraphs, diff(b))
		case b.Title == "":
			if text := lines(b); text != "" {
				paragraphs = append(paragraphs, text)
			}
		default:
			e.Fields = append(e.Fields, fields(b)...)
		}
	}
	e.Description = strings.Join(paragraphs, "\n")
	if foot := footer(m); foot != "" {
		e.Footer = &discordgo.MessageEmbedFooter{Text: foot}
	}
	return e
}

// link is the embed's address; the anchor keeps two embeds with one address apart.
func link(m notify.Message) string {
	u := notify.SafeURL(m.URL)
	if u != "" && m.Anchor != "" {
		u, _, _ = strings.Cut(u, "#")
		u += "#" + m.Anchor
	}
	return u
}

// footer is the small print with the message's key, by which Find knows it.
func footer(m notify.Message) string {
	var parts []string
	for _, r := range m.Footer {
		parts = append(parts, r.Text)
	}
	text := Inert(notify.OneLine(strings.Join(parts, "")))
	key := m.Delivery
	text = notify.Cut(text, maxFooter-40)
	switch {
	case key == "":
		return text
	case text == "":
		return key
	}
	return text + " · " + key
}

// fields renders a titled block; what is too long for one field goes on in the next.
func fields(b notify.Block) []*discordgo.MessageEmbedField {
	name := shorten(notify.OneLine(b.Title), maxFieldName-20, Escape)
	var out []*discordgo.MessageEmbedField
	add := func(value string) {
		n := name
		if len(out) > 0 {
			n += " (continued)"
		}
		out = append(out, &discordgo.MessageEmbedField{Name: n, Value: value})
	}
	value := ""
	for i, l := range b.Lines {
		text := blockLine(b.Kind, i, l)
		if notify.Size(text) > maxFieldValue {
			text = shorten(notify.PlainRuns(l, nil), maxFieldValue, Escape)
		}
		if value != "" && notify.Size(value)+1+notify.Size(text) > maxFieldValue {
			add(value)
			value = ""
		}
		if value != "" {
			value += "\n"
		}
		value += text
	}
	if value != "" {
		add(value)
	}
	return out
}

func lines(b notify.Block) string {
	var out []string
	for i, l := range b.Lines {
		if text := blockLine(b.Kind, i, l); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

func blockLine(kind notify.BlockKind, i int, l []notify.Run) string {
	text := runs(l)
	switch kind {
	case notify.BlockSteps:
		return fmt.Sprintf("%d. %s", i+1, text)
	case notify.BlockChecklist:
		return "☐ " + text
	case notify.BlockList, notify.BlockWindows:
		return "• " + text
	case notify.BlockQuote:
		return "> " + text
	}
	return text
}

// diff renders words removed and added as a coloured block.
func diff(b notify.Block) string {
	var out []string
	for _, l := range b.Lines {
		sign := " "
		for _, r := range l {
			if r.Op < 0 {
				sign = "-"
			} else if r.Op > 0 {
				sign = "+"
			}
		}
		if sign == " " {
			continue
		}
		text := escapeCode(strings.ReplaceAll(notify.PlainRuns(l, nil), "\n", " "))
		for _, label := range []string{"Removed: ", "Added: "} {
			text = strings.TrimPrefix(text, label)
		}
		out = append(out, sign+" "+notify.Cut(text, 1200))
	}
	if len(out) == 0 {
		return "The change cannot be shown word by word."
	}
	return "```diff\n" + strings.Join(out, "\n") + "\n```"
}

// runs writes a line.
func runs(in []notify.Run) string {
	var b strings.Builder
	for _, r := range in {
		b.WriteString(run(r))
	}
	return strings.TrimSpace(b.String())
}

func run(r notify.Run) string {
	switch {
	case !r.At.IsZero():
		if r.Text == "" {
			return fmt.Sprintf("<t:%d:f>", r.At.Unix())
		}
		return fmt.Sprintf("<t:%d:f> (%s)", r.At.Unix(), Escape(r.Text))
	case r.Link != "":
		if u := notify.SafeURL(r.Link); u != "" {
			return "[" + Escape(notify.OneLine(r.Text)) + "](" + u + ")"
		}
	}
	core := strings.TrimSpace(r.Text)
	if core == "" {
		return r.Text
	}
	before, after, _ := strings.Cut(r.Text, core)
	var text string
	switch {
	case r.Code:
		text = "`" + escapeCode(notify.OneLine(core)) + "`"
	default: // our own words hold a provider's name at times, so they pass it too
		text = Escape(core)
	}
	if r.Strike || r.Op < 0 {
		text = "~~" + text + "~~"
	}
	if r.Bold || r.Op > 0 {
		text = "**" + text + "**"
	}
	return before + text + after
}

// shorten cuts text so that its escaped form has at most max units.
func shorten(s string, max int, escape func(string) string) string {
	out := escape(s)
	for n := max; notify.Size(out) > max && n > 0; {
		n = min(n*max/notify.Size(out), n*9/10)
		out = escape(notify.Cut(s, n))
	}
	return out
}

// Components renders a message's actions as rows of buttons.
func Components(m notify.Message) []discordgo.MessageComponent {
	var buttons []discordgo.MessageComponent
	for _, a := range m.Actions {
		b := discordgo.Button{Label: notify.Cut(notify.OneLine(a.Label), maxLabel)}
		switch {
		case a.URL != "":
			b.Style, b.URL = discordgo.LinkButton, notify.SafeURL(a.URL)
			if b.URL == "" || len(b.URL) > maxButtonURL {
				continue
			}
		case a.ID == "" || notify.Size(a.ID) > maxCustomID:
			continue
		default:
			b.CustomID, b.Style = a.ID, discordgo.SecondaryButton
			switch a.Style {
			case "primary":
				b.Style = discordgo.PrimaryButton
			case "danger":
				b.Style = discordgo.DangerButton
			}
		}
		buttons = append(buttons, b)
	}
	rows := []discordgo.MessageComponent{}
	for len(buttons) > 0 && len(rows) < maxRows {
		n := min(perRow, len(buttons))
		rows = append(rows, discordgo.ActionsRow{Components: buttons[:n]})
		buttons = buttons[n:]
	}
	return rows
}

var roleID = pattern.New(`^[0-9]{5,20}$`)

// role is the id of the role to ping, empty for none.
func role(mention string) string {
	id := strings.TrimPrefix(mention, "@")
	if roleID.MatchString(id) {
		return id
	}
	return ""
}

// Text renders the plain form, escaped, within the limit of a message's content.
func Text(m notify.Message) string { return shorten(notify.FullText(m), maxContent-50, Escape) }

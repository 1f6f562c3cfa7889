package slack

import (
	"fmt"
	"strings"

	slackgo "github.com/slack-go/slack"

	"downwind/internal/pattern"
	"downwind/notify"
)

// Limits of Slack's Block Kit, from docs.slack.dev/reference/block-kit; the budget over all blocks is ours, because the
// platform's own (about 13,000) is undocumented.
const (
	maxBlocks  = 50
	maxSection = 3000
	maxHeader  = 150
	maxText    = 4000
	maxLabel   = 75
	maxButtons = 25
	maxURL     = 3000
	budget     = 9000
)

// maxContext is ours: small print longer than this is no small print.
const maxContext = 2000

// Blocks renders a message of any kind as Block Kit, in the largest form that fits Slack's limits.
func Blocks(m notify.Message) []slackgo.Block {
	bs, cut := blocks(m)
	if cut || !small(bs) {
		bs, _ = blocks(notify.Fit(m, fits))
	}
	return bs
}

// Text renders the plain form that notifications and screen readers read, escaped.
func Text(m notify.Message) string {
	lead := mention(m.Mention)
	if lead != "" {
		lead += " "
	}
	icon := m.Tone.Icon()
	if icon != "" {
		icon += " "
	}
	lead += icon
	if m.Text == "" {
		return lead + shorten(notify.FullText(m), maxText-200, Escape)
	}
	first, _, _ := strings.Cut(m.Text, "\n")
	lead += shorten(first, 1200, Escape)
	links := links(m)
	body := notify.PlainBlocks(m)
	if len(m.Blocks) == 0 {
		_, body, _ = strings.Cut(m.Text, "\n")
	}
	rest := maxText - 100 - notify.Size(lead) - notify.Size(links)
	return strings.TrimSpace(lead + "\n\n" + shorten(strings.TrimSpace(body), rest, Escape) + "\n\n" + links)
}

// links are our own addresses, which stay links in the plain form.
func links(m notify.Message) string {
	var b strings.Builder
	for _, a := range m.Actions {
		if u := notify.SafeURL(a.URL); u != "" && b.Len() < 1200 {
			b.WriteString(Escape(notify.OneLine(a.Label)) + ": " + strings.ReplaceAll(u, "&", "&amp;") + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func fits(m notify.Message) bool {
	bs, cut := blocks(m)
	return !cut && small(bs)
}

// small reports whether blocks keep the limits of their number and of all together.
func small(bs []slackgo.Block) bool {
	total := 0
	for _, b := range bs {
		total += blockSize(b)
	}
	return len(bs) <= maxBlocks && total <= budget
}

func blockSize(b slackgo.Block) int {
	switch b := b.(type) {
	case *slackgo.HeaderBlock:
		return notify.Size(b.Text.Text)
	case *slackgo.SectionBlock:
		return notify.Size(b.Text.Text)
	case *slackgo.ContextBlock:
		n := 0
		for _, e := range b.ContextElements.Elements {
			if t, ok := e.(*slackgo.TextBlockObject); ok {
				n += notify.Size(t.Text)
			}
		}
		return n
	case *slackgo.ActionBlock:
		n := 0
		for _, e := range b.Elements.ElementSet {
			if t, ok := e.(*slackgo.ButtonBlockElement); ok {
				n += notify.Size(t.Text.Text) + len(t.URL) + len(t.Value)
			}
		}
		return n
	}
	return 0
}

// blocks renders without dropping anything; cut says that a block had to be cut inside.
func blocks(m notify.Message) (out []slackgo.Block, cut bool) {
	if m.Title != "" {
		t := strings.TrimSpace(m.Tone.Icon() + " " + notify.OneLine(m.Title))
		out = append(out, slackgo.NewHeaderBlock(slackgo.NewTextBlockObject(slackgo.PlainTextType, notify.Cut(t, maxHeader), true, false)))
	}
	if at := mention(m.Mention); at != "" {
		out = append(out, contextBlock(at))
	}
	for _, b := range m.Blocks {
		text := mrkdwn(b)
		if text == "" {
			continue
		}
		if b.Kind == notify.BlockContext {
			cut = cut || notify.Size(text) > maxContext
			out = append(out, contextBlock(text))
			continue
		}
		cut = cut || notify.Size(text) > maxSection
		out = append(out, slackgo.NewSectionBlock(mrkdwnText(cutMarkup(b, text, maxSection)), nil, nil))
	}
	if a := actions(m.Actions); a != nil {
		out = append(out, a)
	}
	if len(m.Footer) > 0 {
		out = append(out, contextBlock(runs(m.Footer)))
	}
	return out, cut
}

// cutMarkup cuts an overlong block: markup must not be cut inside, so the block is given as escaped plain text.
func cutMarkup(b notify.Block, text string, max int) string {
	if notify.Size(text) <= max {
		return text
	}
	var lines []string
	for _, l := range b.Lines {
		lines = append(lines, notify.PlainRuns(l, nil))
	}
	return shorten(strings.Join(lines, "\n"), max, Escape)
}

func mrkdwnText(s string) *slackgo.TextBlockObject {
	return slackgo.NewTextBlockObject(slackgo.MarkdownType, s, false, true)
}

func contextBlock(text string) slackgo.Block {
	if notify.Size(text) > maxContext {
		text = shorten(stripMarkup(text), maxContext, Escape)
	}
	return slackgo.NewContextBlock("", mrkdwnText(text))
}

var markup = pattern.New(`<[^>]*\|([^>]*)>|<[^>]*>`)

// stripMarkup turns our own rendered text back to plain words.
func stripMarkup(s string) string {
	s = markup.ReplaceAllString(s, "$1")
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}

// shorten cuts text so that its escaped form has at most max units.
func shorten(s string, max int, escape func(string) string) string {
	out := escape(s)
	for n := max; notify.Size(out) > max && n > 0; {
		n = n * max / notify.Size(out)
		if n*10 > max*9 {
			n = max * 9 / 10
		}
		out = escape(notify.Cut(s, n))
		n--
	}
	return out
}

func actions(in []notify.Action) slackgo.Block {
	var els []slackgo.BlockElement
	for i, a := range in {
		if len(els) == maxButtons {
			break
		}
		label := slackgo.NewTextBlockObject(slackgo.PlainTextType, notify.Cut(notify.OneLine(a.Label), maxLabel), true, false)
		var btn *slackgo.ButtonBlockElement
		if a.URL != "" {
			u := notify.SafeURL(a.URL)
			if u == "" || len(u) > maxURL {
				continue
			}
			btn = slackgo.NewButtonBlockElement(fmt.Sprintf("open:%d", i), "", label)
			btn.URL = u
		} else {
			_, arg, ok := notify.ParseActionID(a.ID)
			if !ok || len(a.ID) > 255 {
				continue
			}
			btn = slackgo.NewButtonBlockElement(a.ID, arg, label)
		}
		switch a.Style {
		case "primary":
			btn.Style = slackgo.StylePrimary
		case "danger":
			btn.Style = slackgo.StyleDanger
		}
		els = append(els, btn)
	}
	if len(els) == 0 {
		return nil
	}
	return slackgo.NewActionBlock("", els...)
}

// mrkdwn writes one block as mrkdwn.
func mrkdwn(b notify.Block) string {
	var lines []string
	if b.Title != "" && b.Kind != notify.BlockQuote {
		lines = append(lines, "*"+Escape(notify.OneLine(b.Title))+"*")
	}
	for i, l := range b.Lines {
		text := runs(l)
		if text == "" {
			continue
		}
		switch b.Kind {
		case notify.BlockSteps:
			text = fmt.Sprintf("%d. %s", i+1, text)
		case notify.BlockChecklist:
			text = "☐ " + text
		case notify.BlockList, notify.BlockWindows:
			text = "• " + text
		case notify.BlockQuote:
			text = "> " + text
		}
		lines = append(lines, text)
	}
	if b.Kind == notify.BlockQuote && len(lines) > 0 && b.Title != "" {
		lines = append(lines, "_"+Escape(notify.OneLine(b.Title))+"_")
	}
	if b.Kind == notify.BlockContext && b.Title != "" && len(lines) == 2 {
		return lines[0][:len(lines[0])-1] + ":* " + lines[1]
	}
	return strings.Join(lines, "\n")
}

// fallback keeps a date's fallback from ending it.
var fallback = strings.NewReplacer("^", "", "|", "")

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
			return fmt.Sprintf("<!date^%d^{date_short_pretty} {time}|%s UTC>", r.At.Unix(), r.At.UTC().Format("2 Jan 15:04"))
		}
		utc := Escape(fallback.Replace(r.Text))
		return fmt.Sprintf("<!date^%d^{date_short_pretty} {time}|%s> (%s)", r.At.Unix(), utc, utc)
	case r.Link != "":
		if u := notify.SafeURL(r.Link); u != "" {
			return "<" + strings.ReplaceAll(u, "&", "&amp;") + "|" + strings.ReplaceAll(Escape(notify.OneLine(r.Text)), "|", "¦") + ">"
		}
	}
	if strings.TrimSpace(r.Text) == "" {
		return r.Text
	}
	core := strings.TrimSpace(r.Text)
	before, after, _ := strings.Cut(r.Text, core)
	var text string
	switch {
	case r.Code:
		text = "`" + escapeCode(core) + "`"
	default: // our own words hold a provider's name at times, so they pass it too
		text = Escape(core)
	}
	if r.Strike || r.Op < 0 {
		text = "~" + strings.ReplaceAll(text, "\n", " ") + "~"
	}
	if r.Bold || r.Op > 0 {
		text = "*" + strings.ReplaceAll(text, "\n", " ") + "*"
	}
	return before + text + after
}

var groupID = pattern.New(`^S[A-Z0-9]{2,30}$`)

// mention is the ping of a user group, or of those who are here when the subscription says so.
func mention(id string) string {
	id = strings.TrimPrefix(id, "@")
	switch {
	case groupID.MatchString(id):
		return "<!subteam^" + id + ">"
	case id == "here", id == "channel":
		return "<!" + id + ">"
	}
	return ""
}

package email

import (
	"bytes"
	"fmt"
	"html"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"

	"downwind/notify"
)

// maxSubject bounds the subject, in characters.
const maxSubject = 150

// letter is one mail.
type letter struct {
	from, to    mail.Address
	id, root    string
	date        time.Time
	unsubscribe string
	message     notify.Message
}

// bytes writes the mail with its headers. No header can be broken up: provider text in them is on one line and encoded.
func (l letter) bytes() ([]byte, error) {
	var b bytes.Buffer
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	// The boundary comes from the id, so that the same message is the same mail.
	if err := w.SetBoundary("dw-" + strings.Trim(strings.NewReplacer("@", "-", "<", "", ">", "", "_", "-").Replace(l.id), "-.")); err != nil {
		return nil, fmt.Errorf("boundary: %w", err)
	}
	for _, part := range []struct{ kind, text string }{
		{"text/plain; charset=utf-8", text(l.message)}, {"text/html; charset=utf-8", page(l.message)},
	} {
		pw, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {part.kind}, "Content-Transfer-Encoding": {"quoted-printable"}})
		if err != nil {
			return nil, err
		}
		q := quotedprintable.NewWriter(pw)
		if _, err := q.Write([]byte(strings.ReplaceAll(part.text, "\n", "\r\n"))); err != nil {
			return nil, err
		}
		if err := q.Close(); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	header("From", l.from.String())
	header("To", l.to.String())
	header("Subject", mime.QEncoding.Encode("utf-8", l.subject()))
	header("Date", l.date.UTC().Format(time.RFC1123Z))
	header("Message-ID", l.id)
	if root := onlyID(l.root); root != "" {
		header("In-Reply-To", root)
		header("References", root)
	}
	header("Auto-Submitted", "auto-generated")
	header("X-Auto-Response-Suppress", "All")
	if l.unsubscribe != "" {
		header("List-Unsubscribe", "<"+l.unsubscribe+">")
		header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	header("MIME-Version", "1.0")
	header("Content-Type", fmt.Sprintf("multipart/alternative; boundary=%q", w.Boundary()))
	b.WriteString("\r\n")
	b.Write(body.Bytes())
	return b.Bytes(), nil
}

// subject is the same in the whole thread, because mailboxes tell threads by it too.
func (l letter) subject() string {
	s := notify.OneLine(l.message.Thread)
	if s == "" {
		s = notify.OneLine(l.message.Title)
	}
	s = notify.Cut(s, maxSubject)
	if l.root != "" {
		return "Re: " + s
	}
	return s
}

// onlyID keeps what is shaped like a message id.
func onlyID(s string) string {
	if len(s) < 250 && strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && !strings.ContainsAny(s, " \r\n\t") {
		return s
	}
	return ""
}

// text is the plain part.
func text(m notify.Message) string {
	return strings.TrimSpace(m.Tone.Icon()+" "+notify.OneLine(m.Title)) + "\n\n" + notify.Plain(m) + "\n"
}

// page is the HTML part: no images, no scripts, no styles from elsewhere.
func page(m notify.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html><html><body style="font:15px/1.5 sans-serif;max-width:42em"><h2 style="border-left:6px solid #%06x;padding-left:10px">%s</h2>`,
		m.Tone.Color(), words(strings.TrimSpace(m.Tone.Icon()+" "+notify.OneLine(m.Title))))
	for _, bl := range m.Blocks {
		if bl.Title != "" {
			b.WriteString("<p style=\"margin-bottom:0\"><b>" + words(notify.OneLine(bl.Title)) + "</b></p>")
		}
		open, item, end, shut := tags(bl.Kind)
		b.WriteString(open)
		for _, l := range bl.Lines {
			b.WriteString(item + runs(l, m.Location) + end)
		}
		b.WriteString(shut)
	}
	b.WriteString("<p>")
	for _, a := range m.Actions {
		if u := notify.SafeURL(a.URL); u != "" {
			fmt.Fprintf(&b, `<a href="%s">%s</a> &nbsp; `, html.EscapeString(u), html.EscapeString(notify.OneLine(a.Label)))
		}
	}
	b.WriteString("</p><p style=\"color:#666;font-size:13px\">" + runs(m.Footer, m.Location) + "</p></body></html>\n")
	return b.String()
}

// tags are what stands around a block and its lines.
func tags(kind notify.BlockKind) (open, item, end, shut string) {
	switch kind {
	case notify.BlockSteps:
		return "<ol>", "<li>", "</li>", "</ol>"
	case notify.BlockChecklist:
		return `<ul style="list-style:none;padding-left:1em">`, "<li>☐ ", "</li>", "</ul>"
	case notify.BlockList, notify.BlockWindows:
		return "<ul>", "<li>", "</li>", "</ul>"
	case notify.BlockQuote:
		return `<blockquote style="border-left:3px solid #ccc;margin-left:0;padding-left:1em">`, "<p>", "</p>", "</blockquote>"
	}
	return "", "<p style=\"margin:.3em 0\">", "</p>", ""
}

// words escapes text and keeps mail programs from making links of addresses in it.
func words(s string) string {
	return html.EscapeString(strings.ReplaceAll(notify.Clean(s), "://", ":\u200b//"))
}

func runs(in []notify.Run, loc *time.Location) string {
	var b strings.Builder
	for _, r := range notify.Readable(in, loc) {
		t := words(r.Text)
		if !r.At.IsZero() {
			t = html.EscapeString(notify.Local(r, loc))
		}
		if r.Code {
			t = "<code>" + t + "</code>"
		}
		if r.Strike || r.Op < 0 {
			t = "<s>" + t + "</s>"
		}
		if r.Bold || r.Op > 0 {
			t = "<b>" + t + "</b>"
		}
		if u := notify.SafeURL(r.Link); u != "" {
			t = `<a href="` + html.EscapeString(u) + `">` + t + "</a>"
		}
		b.WriteString(t)
	}
	return b.String()
}

package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"downwind/notify"
)

// zwsp is put where markup or a link would begin; it is invisible.
const zwsp = "\u200b"

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Escape makes provider text inert in mrkdwn: the three characters that could open a mention or link become entities,
// marks that would format are separated by an invisible space, and nothing that looks like an address becomes a link.
// It is the one function that provider text passes on its way to Slack.
func Escape(s string) string {
	return entities.Replace(inert(notify.Clean(s)))
}

// escapeCode escapes text for a code span.
func escapeCode(s string) string {
	return entities.Replace(strings.ReplaceAll(notify.OneLine(s), "`", "ˋ"))
}

// inert separates marks and addresses by invisible spaces.
func inert(s string) string {
	var b strings.Builder
	prev := rune('\n')
	for i, r := range s {
		next, n := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if n == 0 {
			next = ' '
		}
		switch r {
		case '*', '_', '~', '`':
			if r != '`' && word(prev) && word(next) {
				b.WriteRune(r) // inside a word it formats nothing
				break
			}
			b.WriteString(zwsp)
			b.WriteRune(r)
			b.WriteString(zwsp)
		case '>', '#', '•':
			if prev == '\n' {
				b.WriteString(zwsp)
			}
			b.WriteRune(r)
		case '@', '!':
			b.WriteRune(r)
			if word(next) {
				b.WriteString(zwsp)
			}
		case ':':
			b.WriteRune(r)
			if next == '/' || word(next) && !unicode.IsDigit(next) {
				b.WriteString(zwsp)
			}
		case '.':
			if unicode.IsLetter(prev) && !unicode.IsSpace(next) || word(prev) && unicode.IsLetter(next) {
				b.WriteString(zwsp)
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		prev = r
	}
	return b.String()
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

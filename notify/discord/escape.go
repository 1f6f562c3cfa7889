package discord

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"downwind/notify"
)

// zwsp is put where a mention or link would begin; it is invisible.
const zwsp = "\u200b"

// Escape makes provider text inert in Discord's markdown: marks that would format get a backslash, and no mention,
// emoji, timestamp or address comes to life. It is the one function that provider text passes on its way to Discord.
func Escape(s string) string { return escape(notify.Clean(s), true) }

// Inert is Escape for places that show text without markdown (footers): only addresses and mentions are broken up.
func Inert(s string) string { return escape(notify.Clean(s), false) }

func escape(s string, backslash bool) string {
	var b strings.Builder
	prev := rune('\n')
	for i, r := range s {
		next, n := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if n == 0 {
			next = ' '
		}
		if backslash {
			switch r {
			case '\\', '*', '_', '~', '`', '|', '[', ']', '(', ')', '<', '>':
				b.WriteByte('\\')
			case '#', '-', '+':
				if prev == '\n' {
					b.WriteByte('\\')
				}
			}
		}
		if r == '.' && (unicode.IsLetter(prev) && !unicode.IsSpace(next) || word(prev) && unicode.IsLetter(next)) {
			b.WriteString(zwsp)
		}
		b.WriteRune(r)
		switch r {
		case '@', '<', ']':
			b.WriteString(zwsp)
		case ':':
			if next == '/' || word(next) && !unicode.IsDigit(next) {
				b.WriteString(zwsp)
			}
		}
		prev = r
	}
	return b.String()
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// escapeCode escapes text for a code span or block: nothing but the fence has a meaning there.
func escapeCode(s string) string { return strings.ReplaceAll(notify.Clean(s), "`", "ˋ") }

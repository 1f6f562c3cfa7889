package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is how many characters of a command are read; Slack itself sends at most about 4,000.
const MaxText = 4000

// maxTokens bounds the words of one command.
const maxTokens = 200

// token is one word of a command: a bare word, or key:value.
type token struct {
	// key is the lower-case name before the colon, empty for a bare word.
	key string
	// values are the parts between commas, quotes and entities resolved.
	values []string
	// raw is the token as it would be typed again.
	raw string
}

func (t token) word() string { return strings.Join(t.values, ",") }

// quotes that clients put in the place of the straight ones.
var quoteFold = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`, "″", `"`, "&quot;", `"`,
)

// spaces that clients put in the place of a plain one, and dashes for the plain one.
var spaceFold = strings.NewReplacer(
	"\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u3000", " ", "\t", " ", "\n", " ", "\r", " ",
	"\u200b", "", "\u200c", "", "\u200d", "", "\ufeff", "", "\u2060", "",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-", "：", ":", "，", ",",
)

// clean folds quotes, spaces and dashes, and drops control and direction characters.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = spaceFold.Replace(quoteFold.Replace(text))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// tokenize splits a command into words. It never fails: an unclosed quote ends with the text.
func tokenize(text string) []token {
	words := splitWords(clean(text))
	var out []token
	for i := 0; i < len(words) && len(out) < maxTokens; i++ {
		w := words[i]
		key, rest := splitKey(w)
		if key == "" {
			if values := splitValues(w); len(values) > 0 {
				out = append(out, token{values: values, raw: w})
			}
			continue
		}
		raw := w
		// "min: major" and "kinds:new, update" continue in the next word.
		for (rest == "" || strings.HasSuffix(rest, ",")) && i+1 < len(words) {
			if k, _ := splitKey(words[i+1]); k != "" {
				break
			}
			i++
			rest += words[i]
			raw += words[i]
		}
		out = append(out, token{key: key, values: splitValues(rest), raw: raw})
	}
	return out
}

// splitWords cuts at spaces outside double quotes and angle brackets.
func splitWords(s string) []string {
	var words []string
	start, inQuote, inAngle := -1, false, false
	for i, r := range s {
		switch {
		case r == '"':
			inQuote = !inQuote
		case r == '<' && !inQuote:
			inAngle = strings.IndexByte(s[i:], '>') > 0
		case r == '>' && !inQuote:
			inAngle = false
		case r == ' ' && !inQuote && !inAngle:
			if start >= 0 {
				words = append(words, s[start:i])
				start = -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, s[start:])
	}
	return words
}

// splitKey splits "min:major" (or "min=major") into key and rest; key is empty for words and addresses.
func splitKey(w string) (key, rest string) {
	at := strings.IndexAny(w, ":=")
	if at < 1 || strings.HasPrefix(w[at:], "://") {
		return "", w
	}
	for i := 0; i < at; i++ {
		c := w[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (w[i] != '-' && w[i] != '_')) {
			return "", w
		}
	}
	return strings.ReplaceAll(strings.ToLower(w[:at]), "_", "-"), w[at+1:]
}

// splitValues cuts at commas outside quotes, takes quotes away and resolves the platforms' entities.
func splitValues(s string) []string {
	var values []string
	var b strings.Builder
	inQuote, inAngle, quoted := false, false, false
	flush := func() {
		v := b.String()
		if quoted {
			v = strings.Join(strings.Fields(v), " ")
		} else {
			v = strings.TrimSpace(v)
			if n := len(v); n > 1 && v[0] == '\'' && v[n-1] == '\'' {
				v = v[1 : n-1]
			}
		}
		if v = entity(v); v != "" {
			values = append(values, v)
		}
		b.Reset()
		quoted = false
	}
	for _, r := range s {
		switch {
		case r == '"':
			inQuote, quoted = !inQuote, true
			continue
		case r == '<' && !inQuote:
			inAngle = true
		case r == '>' && !inQuote:
			inAngle = false
		case r == ',' && !inQuote && !inAngle:
			flush()
			continue
		}
		b.WriteRune(r)
	}
	flush()
	return values
}

// decode undoes the three replacements Slack makes in the text of commands.
var decode = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// entity resolves Slack's and Discord's bracket forms: "<#C1|ops>" becomes "#C1", "<@U1>" "@U1", "<!subteam^S1|@x>" and
// "<@&1>" "@S1" and "@&1", "<https://a|b>" and "<https://a>" the address.
func entity(v string) string {
	if len(v) < 3 || v[0] != '<' || v[len(v)-1] != '>' {
		return strings.NewReplacer("\u2018", "'", "\u2019", "'").Replace(decode.Replace(v))
	}
	in := v[1 : len(v)-1]
	in, _, _ = strings.Cut(in, "|")
	switch {
	case strings.HasPrefix(in, "!subteam^"):
		return "@" + in[len("!subteam^"):]
	case strings.HasPrefix(in, "mailto:"):
		return in[len("mailto:"):]
	}
	return decode.Replace(in)
}

// quote writes a value so that the parser reads the same value back.
func quote(v string) string {
	if v == "" || strings.ContainsAny(v, ` ,"<>:='`) || strings.Contains(v, "&") {
		return `"` + strings.ReplaceAll(v, `"`, "") + `"`
	}
	return v
}

// echo shortens what a person typed for showing it back.
func echo(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > 80 {
		r := []rune(s)
		s = string(r[:79]) + "…"
	}
	return s
}

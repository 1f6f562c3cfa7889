package chat

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"downwind"
)

// opt makes options from pairs of name and value.
func opt(pairs ...string) []Option {
	var out []Option
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, Option{pairs[i], pairs[i+1]})
	}
	return out
}

// goldenCase is one command in both forms: what a person types on Slack, and what Discord sends as options.
type goldenCase struct {
	name, text string
	verb, sub  string
	options    []Option
	// want is the plain form that both give, or wrong a part of the error and repair the repair it offers.
	want, wrong, repair string
}

var goldenCases = []goldenCase{
	{name: "nothing is help", text: "", verb: "help", want: "help"},
	{name: "help of a verb", text: "help subscribe", verb: "help", options: opt("verb", "subscribe"), want: "help subscribe"},
	{name: "help of an unknown verb", text: "help subscrib", verb: "help", options: opt("verb", "subscrib"), wrong: `no verb "subscrib"`, repair: "help subscribe"},
	{name: "the stack", text: "subscribe stack", verb: "subscribe", options: opt("target", "stack"), want: "subscribe stack"},
	{name: "capitals", text: "SUBSCRIBE Stack MIN:Major", verb: "SUBSCRIBE", options: opt("target", "Stack", "min", "Major"), want: "subscribe stack min:major"},
	{name: "two providers with a comma", text: "subscribe livekit, github", verb: "subscribe", options: opt("target", "livekit, github"), want: "subscribe livekit github"},
	{name: "the same provider twice", text: "subscribe github github", verb: "subscribe", options: opt("target", "github github"), want: "subscribe github"},
	{name: "component after the slash", text: "subscribe github/Actions", verb: "subscribe", options: opt("target", "github/Actions"), want: "subscribe github/Actions"},
	{name: "component with a space", text: `subscribe github/"Git Operations"`, verb: "subscribe", options: opt("target", `"github/Git Operations"`), want: `subscribe "github/Git Operations"`},
	{name: "component star is all", text: "subscribe github/*", verb: "subscribe", options: opt("target", "github/*"), want: "subscribe github"},
	{name: "component option", text: `subscribe github component:"Webhooks"`, verb: "subscribe", options: opt("target", "github", "component", "Webhooks"), want: "subscribe github component:Webhooks"},
	{name: "curly quotes", text: "subscribe github component:“Git Operations”", verb: "subscribe", options: opt("target", "github", "component", "“Git Operations”"), want: `subscribe github component:"Git Operations"`},
	{name: "space after the colon", text: "subscribe stack min: major", verb: "subscribe", options: opt("target", "stack", "min", " major"), want: "subscribe stack min:major"},
	{name: "equals sign", text: "subscribe stack min=critical", verb: "subscribe", options: opt("target", "stack", "min", "critical"), want: "subscribe stack min:critical"},
	{name: "kinds in grammar order", text: "subscribe stack kinds:resolved,new", verb: "subscribe", options: opt("target", "stack", "kinds", "resolved,new"), want: "subscribe stack kinds:new,resolved"},
	{name: "kinds with spaces", text: "subscribe stack kinds:new, update, resolved", verb: "subscribe", options: opt("target", "stack", "kinds", "new, update, resolved"), want: "subscribe stack kinds:new,update,resolved"},
	{name: "all kinds", text: "subscribe stack kinds:all", verb: "subscribe", options: opt("target", "stack", "kinds", "all"), want: "subscribe stack kinds:new,update,resolved,postmortem,edit,maintenance"},
	{name: "regions sorted", text: "subscribe aws region:us-east,eu-*", verb: "subscribe", options: opt("target", "aws", "region", "us-east,eu-*"), want: "subscribe aws region:eu-*,us-east"},
	{name: "filters before the target", text: "subscribe min:major livekit", verb: "subscribe", options: opt("min", "major", "target", "livekit"), want: "subscribe livekit min:major"},
	{name: "the end in the thread", text: "subscribe stack end:thread", verb: "subscribe", options: opt("target", "stack", "end", "thread"), want: "subscribe stack end:thread"},
	{name: "the end elsewhere", text: "subscribe stack end:dm", verb: "subscribe", options: opt("target", "stack", "end", "dm"), wrong: "end: takes channel or thread", repair: "subscribe stack end:thread"},
	{name: "reminders", text: "remind every 2 hours", verb: "remind", options: opt("every", "2h"), want: "remind 2h"},
	{name: "reminders off", text: "reminders OFF", verb: "remind", options: opt("every", "off"), want: "remind off"},
	{name: "reminders too often", text: "remind 5m", verb: "remind", options: opt("every", "5m"), wrong: "after 15m at the earliest", repair: "remind 15m"},
	{name: "reminders too seldom", text: "remind 3d", verb: "remind", options: opt("every", "3d"), wrong: "after 24h at the latest", repair: "remind 24h"},
	{name: "reminders of no length", text: "remind often", verb: "remind", options: opt("every", "often"), wrong: "remind takes a time", repair: "remind 2h"},
	{name: "threads off", text: "subscribe stack thread:off", verb: "subscribe", options: opt("target", "stack", "thread", "off"), want: "subscribe stack thread:off"},
	{name: "only all", text: "subscribe stack only:all", verb: "subscribe", options: opt("target", "stack", "only", "all"), want: "subscribe stack only:all"},
	{name: "slack channel entity", text: "subscribe stack channel:<#C012AB|ops>", verb: "subscribe", options: opt("target", "stack", "channel", "C012AB"), want: `subscribe stack channel:#C012AB`},
	{name: "bare channel entity", text: "subscribe stack <#C012AB|ops>", verb: "subscribe", options: opt("target", "stack", "channel", "<#C012AB>"), want: `subscribe stack channel:#C012AB`},
	{name: "group entity", text: "subscribe stack mention:<!subteam^S123|@oncall> mention-from:critical", verb: "subscribe", options: opt("target", "stack", "mention", "S123", "mention_from", "critical"), want: `subscribe stack mention:@S123 mention-from:critical`},
	{name: "address entity", text: "subscribe <https://status.example.com/path|status.example.com>", verb: "subscribe", options: opt("target", "https://status.example.com/path"), want: "subscribe https://status.example.com/path"},
	{name: "address with escaped ampersand", text: "subscribe <https://status.example.com/feed?a=1&amp;b=2>", verb: "subscribe", options: opt("target", "https://status.example.com/feed?a=1&b=2"), want: "subscribe https://status.example.com/feed?a=1&b=2"},
	{name: "domain", text: "subscribe Status.Example.com", verb: "subscribe", options: opt("target", "Status.Example.com"), want: "subscribe status.example.com"},
	{name: "domain with a path", text: "subscribe status.example.com/history.rss", verb: "subscribe", options: opt("target", "status.example.com/history.rss"), want: "subscribe https://status.example.com/history.rss"},
	{name: "dashes of phones", text: "subscribe aws region:eu–west–1", verb: "subscribe", options: opt("target", "aws", "region", "eu—west—1"), want: "subscribe aws region:eu-west-1"},
	{name: "command name typed twice", text: "/feed subscribe stack", verb: "subscribe", options: opt("target", "stack"), want: "subscribe stack"},
	{name: "verb alias", text: "follow github", verb: "follow", options: opt("target", "github"), want: "subscribe github"},
	{name: "unsubscribe", text: "unsubscribe github", verb: "unsubscribe", options: opt("target", "github"), want: "unsubscribe github"},
	{name: "unsubscribe all", text: "unsubscribe all", verb: "unsubscribe", options: opt("target", "all"), want: "unsubscribe all"},
	{name: "unsubscribe all confirmed", text: "unsubscribe all yes", verb: "unsubscribe", options: opt("target", "all yes"), want: "unsubscribe all yes"},
	{name: "unsubscribe a filter", text: "unsubscribe github kinds:edit", verb: "unsubscribe", options: opt("target", "github", "kinds", "edit"), want: "unsubscribe github kinds:edit"},
	{name: "list", text: "list", verb: "list", want: "list"},
	{name: "list all", text: "list all", verb: "list", options: opt("scope", "all"), want: "list all"},
	{name: "status", text: "status", verb: "status", want: "status"},
	{name: "status of one", text: "status github", verb: "status", options: opt("target", "github"), want: "status github"},
	{name: "why by key", text: "why github/abc123", verb: "why", options: opt("incident", "github/abc123"), want: "why github/abc123"},
	{name: "why by words", text: "why api errors", verb: "why", options: opt("incident", "api errors"), want: `why "api errors"`},
	{name: "replay the newest", text: "replay", verb: "replay", want: "replay"},
	{name: "ack", text: "ack", verb: "ack", want: "ack"},
	{name: "stack alone shows", text: "stack", verb: "stack", want: "stack show"},
	{name: "stack import", text: "stack import", verb: "stack", sub: "import", want: "stack import"},
	{name: "stack drop is remove", text: "stack drop twilio", verb: "stack", sub: "drop", options: opt("provider", "twilio"), want: "stack remove twilio"},
	{name: "stack add with region", text: "stack add aws region:us-east-1", verb: "stack", sub: "add", options: opt("provider", "aws", "region", "us-east-1"), want: "stack add aws region:us-east-1"},
	{name: "stack confirm", text: "stack confirm twilio", verb: "stack", sub: "confirm", options: opt("provider", "twilio"), want: "stack confirm twilio"},
	{name: "stack clear confirmed", text: "stack clear yes", verb: "stack", sub: "clear", options: opt("sure", "yes"), want: "stack clear yes"},
	{name: "check", text: "check api.stripe.com, sentry.io", verb: "check", options: opt("domains", "api.stripe.com, sentry.io"), want: "check api.stripe.com sentry.io"},
	{name: "mute", text: "mute livekit for 2h", verb: "mute", options: opt("target", "livekit", "for", "2h"), want: "mute livekit for 2h"},
	{name: "mute in words", text: "mute livekit for 2 hours", verb: "mute", options: opt("target", "livekit", "for", "2 hours"), want: "mute livekit for 2h"},
	{name: "mute without for", text: "mute livekit 90m", verb: "mute", options: opt("target", "livekit", "for", "90m"), want: "mute livekit for 90m"},
	{name: "mute an incident", text: "mute livekit/gv6q for 1d", verb: "mute", options: opt("target", "livekit/gv6q", "for", "1d"), want: "mute livekit/gv6q for 1d"},
	{name: "mute all", text: "mute all for 15m", verb: "mute", options: opt("target", "all", "for", "15m"), want: "mute all for 15m"},
	{name: "a week is seven days", text: "mute all for 1w", verb: "mute", options: opt("target", "all", "for", "1w"), want: "mute all for 7d"},
	{name: "unmute", text: "unmute livekit", verb: "unmute", options: opt("target", "livekit"), want: "unmute livekit"},
	{name: "digest", text: "digest daily at:8 tz:Europe/Berlin", verb: "digest", options: opt("how", "daily", "at", "8", "tz", "Europe/Berlin"), want: "digest daily at:08:00 tz:Europe/Berlin"},
	{name: "time in the afternoon", text: "digest weekly at:5pm", verb: "digest", options: opt("how", "weekly", "at", "5pm"), want: "digest weekly at:17:00"},
	{name: "digest off", text: "digest off", verb: "digest", options: opt("how", "off"), want: "digest off"},
	{name: "zone in small letters", text: "digest daily tz:europe/berlin", verb: "digest", options: opt("how", "daily", "tz", "europe/berlin"), want: "digest daily tz:Europe/Berlin"},
	{name: "quiet", text: "quiet 22:00-07:00 except:critical", verb: "quiet", options: opt("hours", "22:00-07:00", "except", "critical"), want: "quiet 22:00-07:00 except:critical"},
	{name: "quiet with a long dash", text: "quiet 22:00–07:00", verb: "quiet", options: opt("hours", "22:00 – 07:00"), want: "quiet 22:00-07:00"},
	{name: "quiet in words", text: "quiet from 10pm to 7am", verb: "quiet", options: opt("hours", "10pm to 7am"), want: "quiet 22:00-07:00"},
	{name: "quiet off", text: "quiet off", verb: "quiet", options: opt("hours", "off"), want: "quiet off"},
	{name: "test is preview", text: "test resolved", verb: "test", options: opt("kind", "resolved"), want: "preview resolved"},
	{name: "feed with filters", text: "feed github min:major", verb: "feed", options: opt("target", "github", "min", "major"), want: "feed github min:major"},
	{name: "settings", text: "settings", verb: "settings", want: "settings"},

	{name: "typo in the verb", text: "subscrbe livekit", verb: "subscrbe", options: opt("target", "livekit"), wrong: `I don't know "subscrbe". Did you mean subscribe`, repair: "subscribe livekit"},
	{name: "swapped letters", text: "lsit", verb: "lsit", wrong: "Did you mean list", repair: "list"},
	{name: "no verb but a domain", text: "status.example.com", verb: "status.example.com", wrong: "begins with a verb", repair: "subscribe status.example.com"},
	{name: "no target", text: "subscribe", verb: "subscribe", wrong: "needs a target", repair: "subscribe stack min:minor"},
	{name: "another word for a grade", text: "subscribe stack min:high", verb: "subscribe", options: opt("target", "stack", "min", "high"), wrong: `you wrote "high". Closest: major`, repair: "subscribe stack min:major"},
	{name: "typo in a grade", text: "subscribe stack min:criticl", verb: "subscribe", options: opt("target", "stack", "min", "criticl"), wrong: "Closest: critical", repair: "subscribe stack min:critical"},
	{name: "typo in a kind", text: "subscribe stack kinds:resolvd", verb: "subscribe", options: opt("target", "stack", "kinds", "resolvd"), wrong: "Closest: resolved", repair: "subscribe stack kinds:resolved"},
	{name: "mention of everybody", text: "subscribe stack mention:@channel", verb: "subscribe", options: opt("target", "stack", "mention", "@channel"), wrong: "not @channel", repair: "subscribe stack mention:@oncall"},
	{name: "mute without an end", text: "mute livekit", verb: "mute", options: opt("target", "livekit"), wrong: "For how long?", repair: "mute livekit for 2h"},
	{name: "mute too long", text: "mute livekit for 90d", verb: "mute", options: opt("target", "livekit", "for", "90d"), wrong: "30d at most", repair: "mute livekit for 30d"},
	{name: "mute too short", text: "mute livekit for 5m", verb: "mute", options: opt("target", "livekit", "for", "5m"), wrong: "15m at least", repair: "mute livekit for 15m"},
	{name: "mute of what", text: "mute for 2h", verb: "mute", options: opt("for", "2h"), wrong: "mute what?", repair: "mute all for 2h"},
	{name: "unknown zone", text: "digest daily tz:Berlin", verb: "digest", options: opt("how", "daily", "tz", "Berlin"), wrong: "Europe/Berlin", repair: "digest daily tz:Europe/Berlin"},
	{name: "quiet without hours", text: "quiet", verb: "quiet", wrong: "takes hours", repair: "quiet 22:00-07:00"},
	{name: "empty filter", text: "subscribe stack min:", verb: "subscribe", options: opt("target", "stack", "min", ""), wrong: "min: needs a value", repair: "subscribe stack min:major"},
	{name: "stack typo", text: "stack improt", verb: "stack", sub: "improt", wrong: "Closest: import", repair: "stack import"},
	{name: "preview typo", text: "preview resolvd", verb: "preview", options: opt("kind", "resolvd"), wrong: "preview takes", repair: "preview resolved"},
	{name: "address with a password", text: "subscribe https://u:p@example.com/", verb: "subscribe", options: opt("target", "https://u:p@example.com/"), wrong: "not an address", repair: "subscribe stack min:minor"},
}

func TestGrammar(t *testing.T) {
	for _, tc := range goldenCases {
		t.Run(tc.name, func(t *testing.T) {
			typed, errTyped := Parse(tc.text)
			picked, errPicked := ParseOptions(tc.verb, tc.sub, tc.options)
			if tc.wrong != "" {
				for form, err := range map[string]error{"typed": errTyped, "options": errPicked} {
					checkSyntaxError(t, form, err, tc.wrong, tc.repair)
				}
				return
			}
			if errTyped != nil || errPicked != nil {
				t.Fatalf("typed: %v, options: %v", errTyped, errPicked)
			}
			if d := cmp.Diff(typed, picked); d != "" {
				t.Errorf("typed and options differ (-typed +options):\n%s", d)
			}
			if got := typed.String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			again, err := Parse(tc.want)
			if err != nil {
				t.Fatalf("the plain form does not parse: %v", err)
			}
			if d := cmp.Diff(typed, again); d != "" {
				t.Errorf("the plain form means something else:\n%s", d)
			}
		})
	}
}

func checkSyntaxError(t *testing.T, form string, err error, wrong, repair string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || !errors.Is(err, downwind.ErrInvalid) {
		t.Fatalf("%s: got %v, want a syntax error", form, err)
	}
	if !strings.Contains(syntax.Text("/feed"), wrong) {
		t.Errorf("%s: got %q, want it to say %q", form, syntax.Text("/feed"), wrong)
	}
	if syntax.Repair != repair {
		t.Errorf("%s: repair %q, want %q", form, syntax.Repair, repair)
	}
	if _, err := Parse(syntax.Repair); err != nil {
		t.Errorf("%s: the repair %q does not parse: %v", form, syntax.Repair, err)
	}
}

func TestUnknownKeysSayWhatThereIs(t *testing.T) {
	for _, tc := range []struct{ text, wrong, repair string }{
		{"subscribe stack regon:eu", `filter "regon". Did you mean region?`, "subscribe stack region:eu-*"},
		{"list min:major", "list does not take min:", "list"},
		{"subscribe stack foo:bar", "There are: min, kinds", "subscribe stack"},
		{"status for:2h", "status does not take for:", "status"},
	} {
		_, err := Parse(tc.text)
		checkSyntaxError(t, tc.text, err, tc.wrong, tc.repair)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"15m": 15 * time.Minute, "2h": 2 * time.Hour, "3 days": 72 * time.Hour, "1w": 7 * 24 * time.Hour, "30 MIN": 30 * time.Minute,
	} {
		if got, ok := parseFor(text); !ok || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "h", "2", "2y", "-2h", "99999999h", "2h3"} {
		if got, ok := parseFor(text); ok {
			t.Errorf("%s: got %v, want none", text, got)
		}
	}
}

func TestEveryExampleParses(t *testing.T) {
	for _, i := range grammar() {
		c, err := Parse(i.example)
		if err != nil {
			t.Errorf("%s: %v", i.example, err)
		}
		if c.Verb != i.verb {
			t.Errorf("%s: verb %s, want %s", i.example, c.Verb, i.verb)
		}
	}
}

func TestSuggestionsAreBounded(t *testing.T) {
	known := []string{"aab", "aac", "aad", "aae", "aaf", "aag", "zzz"}
	got := closest("aaaa", known)
	if len(got) != maxSuggestions || contains(got, "zzz") {
		t.Errorf("got %v, want five of the near ones", got)
	}
	for _, tc := range []struct {
		a, b string
		want int
	}{{"livekt", "livekit", 1}, {"lviekit", "livekit", 1}, {"github", "gitlab", 2}, {"aws", "stripe", 3}, {"", "", 0}} {
		if got := distance(tc.a, tc.b, 2); got != tc.want {
			t.Errorf("%s %s: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, tc := range goldenCases {
		f.Add(tc.text)
	}
	f.Add("subscribe \"\x00<#|> <!subteam^> kinds:,,, “")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%q: error of type %T", text, err)
			}
			if !utf8.ValidString(syntax.Error()) || len(syntax.Error()) > 3*MaxText+1000 {
				t.Fatalf("%q: bad error text %q", text, syntax.Error())
			}
			return
		}
		again, err := Parse(c.String())
		if err != nil {
			if len(c.String()) > MaxText {
				return
			}
			t.Fatalf("%q gives %q, which does not parse: %v", text, c.String(), err)
		}
		if d := cmp.Diff(c, again); d != "" {
			t.Fatalf("%q gives %q, which means something else:\n%s", text, c.String(), d)
		}
	})
}

func FuzzParseOptions(f *testing.F) {
	for _, tc := range goldenCases {
		if len(tc.options) > 0 {
			f.Add(tc.verb, tc.sub, tc.options[0].Name, tc.options[0].Value)
		}
	}
	f.Fuzz(func(t *testing.T, verb, sub, name, value string) {
		c, err := ParseOptions(verb, sub, []Option{{name, value}, {"target", "stack"}})
		var syntax *SyntaxError
		switch {
		case err != nil && !errors.As(err, &syntax):
			t.Fatalf("error of type %T", err)
		case err == nil && len(c.String()) < MaxText:
			if again, err := Parse(c.String()); err != nil || cmp.Diff(c, again) != "" {
				t.Fatalf("%q means something else: %v %s", c.String(), err, cmp.Diff(c, again))
			}
		}
	})
}

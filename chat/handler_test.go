package chat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downwind"
	"downwind/chat"
	"downwind/chat/chattest"
	"downwind/notify"
)

type world struct {
	*chat.Handler
	store *chattest.Store
	clock *chattest.Clock
	who   chat.Caller
}

func newWorld(t testing.TB, change ...func(*chat.Options)) *world {
	t.Helper()
	clock := chattest.NewClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	store := chattest.NewStore(clock)
	cat := chattest.Providers()
	o := chat.Options{
		Store: store, Catalogue: cat, Stacks: chattest.Stacks{Catalogue: cat}, Clock: clock, BaseURL: "https://downwind.example",
		Judge: func(inc *downwind.Incident, team *downwind.Team) downwind.Match {
			if u := team.Stack.Use(inc.Provider); u != nil {
				return downwind.Match{Affected: true, Verdict: downwind.AffectedSure, Why: []downwind.Reason{{File: u.Evidence[0].File, Line: 1, Match: u.Evidence[0].Match}}}
			}
			return downwind.Match{Verdict: downwind.NotAffected, WhyNot: "your stack does not use it", Held: downwind.HeldProvider}
		},
	}
	for _, c := range change {
		c(&o)
	}
	return &world{
		Handler: chat.New(o), store: store, clock: clock,
		who: chat.Caller{Platform: "slack", Workspace: "T01", Channel: "C0123456", ChannelName: "ops", User: "U1", UserName: "ana", Command: "/feed"},
	}
}

// say runs a command and gives the private and public text.
func (w *world) say(text string) (priv, pub string) {
	return both(w.Run(context.Background(), w.who, text))
}

func both(a chat.Answer) (priv, pub string) {
	if a.Private != nil {
		priv = a.Private.Text
	}
	if a.Public != nil {
		pub = a.Public.Text
	}
	return priv, pub
}

func (w *world) upload(t *testing.T, deps ...string) chat.Answer {
	t.Helper()
	body := `{"dependencies":{"` + strings.Join(deps, `":"1","`) + `":"1"}}`
	return w.Import(context.Background(), w.who, []chat.File{{Name: "web/package.json", Data: []byte(body)}}, "", true)
}

func open(provider, id, title string, impact downwind.Impact) downwind.Incident {
	return downwind.Incident{Provider: provider, ID: id, Kind: downwind.KindIncident, Title: title, Phase: downwind.Investigating, Impact: impact}
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("got %q, want it to contain %q", got, p)
		}
	}
}

func TestSubscribeIsAnnouncedMergedAndListed(t *testing.T) {
	w := newWorld(t)
	priv, pub := w.say("subscribe livekit min:major")
	wants(t, pub, "@ana subscribed this channel", "LiveKit", "min:major")
	wants(t, priv, "Subscribed.")

	_, pub = w.say("subscribe livekit region:us-east")
	wants(t, pub, "was min:major", "now min:major region:us-east")
	_, pub = w.say("subscribe livekit region:eu-*")
	wants(t, pub, "now min:major region:eu-*,us-east")

	priv, pub = w.say("subscribe livekit region:eu-*")
	wants(t, priv, "Nothing changed", "Already so")
	if pub != "" {
		t.Errorf("a repeat announces %q, want nothing", pub)
	}
	priv, pub = w.say("list")
	wants(t, priv, "LiveKit", "min:major region:eu-*,us-east", "by @ana", "Receiving")
	if pub != "" {
		t.Errorf("list announces %q, want nothing", pub)
	}
	_, pub = w.say("unsubscribe livekit region:us-east")
	wants(t, pub, "now min:major region:eu-*")
	_, pub = w.say("unsubscribe livekit")
	wants(t, pub, "LiveKit: no longer")
	priv, _ = w.say("list")
	wants(t, priv, "Nothing is subscribed here", "/feed stack import")
}

func TestMentionsNeedAnID(t *testing.T) {
	w := newWorld(t)
	priv, pub := w.say("subscribe livekit mention:@oncall")
	wants(t, priv, "which group @oncall is")
	if pub != "" || w.store.Writes() != 0 {
		t.Error("a group without an id is kept")
	}
	_, pub = w.say("subscribe livekit mention:<!subteam^S0123|@oncall> mention-from:critical")
	wants(t, pub, "mention:@S0123 mention-from:critical")
	_, pub = w.say("subscribe livekit mention:off")
	wants(t, pub, "was mention:@S0123 mention-from:critical, now mention-from:critical")
}

func TestAnotherChannelIsToldThere(t *testing.T) {
	w := newWorld(t, func(o *chat.Options) {
		o.CanPost = func(_ context.Context, d downwind.Destination) string {
			if d.Channel == "C0PRIVATE" {
				return "the app is not in that channel: /invite @downwind"
			}
			return ""
		}
	})
	a := w.Run(context.Background(), w.who, "subscribe livekit channel:<#C0OTHERCH|other>")
	if a.In != "C0OTHERCH" || a.Public == nil {
		t.Errorf("announced in %q, want the other channel", a.In)
	}
	if subs, _ := w.store.Subscriptions(context.Background(), "slack:T01:C0OTHERCH"); len(subs) != 1 {
		t.Error("the other channel is not subscribed")
	}
	priv, _ := w.say("subscribe livekit channel:<#C0PRIVATE|secret>")
	wants(t, priv, "can't post in that channel", "/invite @downwind")
	priv, _ = w.say("subscribe livekit channel:#ops2")
	wants(t, priv, "pick it from the list")
	w.who.Platform = downwind.PlatformDiscord
	priv, _ = w.say("subscribe livekit channel:#123456789")
	wants(t, priv, "Manage Server")
}

func TestUnchangedSettingsChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.say("quiet 22:00-07:00 except:critical")
	before := w.store.Writes()
	s := w.Run(context.Background(), w.who, "settings").Settings
	priv, pub := both(w.SaveSettings(context.Background(), w.who, s))
	wants(t, priv, "Nothing changed")
	if pub != "" || w.store.Writes() != before {
		t.Errorf("the same settings were announced: %q", pub)
	}
}

func TestUnknownProviderIsRepaired(t *testing.T) {
	w := newWorld(t)
	priv, pub := w.say("subscribe livekt min:major")
	wants(t, priv, `I don't know "livekt". Did you mean livekit?`, "/feed subscribe livekit min:major")
	if pub != "" || w.store.Writes() != 0 {
		t.Errorf("a mistake had an effect: %q, %d writes", pub, w.store.Writes())
	}
	priv, _ = w.say("subscribe zzzzqq")
	wants(t, priv, "give its address", "subscribe https://status.zzzzqq.com")
	_, pub = w.say("subscribe google cloud")
	wants(t, pub, "Google Cloud")
	_, pub = w.say("subscribe gcp")
	if pub != "" {
		t.Errorf("an alias is a second subscription: %q", pub)
	}
}

// A subscription is tried on what the archive has when it is saved (C142).
func TestSubscriptionIsTriedOnTheArchive(t *testing.T) {
	w := newWorld(t)
	for i, impact := range []downwind.Impact{downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical, downwind.ImpactUnknown} {
		w.store.AddIncident(open("github", fmt.Sprint("g", i), "Trouble", impact))
	}
	w.store.AddIncident(open("stripe", "s1", "Other trouble", downwind.ImpactCritical))
	priv, _ := w.say("subscribe github min:major")
	wants(t, priv, "Tried on the newest 4 incidents of the archive: it would have told 2.")
	w.upload(t, "stripe")
	priv, _ = w.say("subscribe stack")
	wants(t, priv, "Tried on the newest 1 incident of the archive: it would have told 1.")
}

func TestComponentsAreChecked(t *testing.T) {
	w := newWorld(t)
	w.store.SetComponents("github", downwind.Component{Name: "Actions"}, downwind.Component{Name: "API Requests"}, downwind.Component{Name: "API Webhooks"})
	_, pub := w.say("subscribe github/actions")
	wants(t, pub, "GitHub / Actions")
	priv, _ := w.say("subscribe github/api")
	wants(t, priv, `"api" matches 2 components of github`, "API Requests", "subscribe github/*api*")
	priv, _ = w.say("subscribe github/Actons")
	wants(t, priv, "Did you mean actions?")
}

func TestAddressesBecomeProviders(t *testing.T) {
	detected := ""
	w := newWorld(t, func(o *chat.Options) {
		o.Detect = func(_ context.Context, url string) (downwind.Provider, error) {
			if strings.Contains(url, "nothing") {
				return downwind.Provider{}, fmt.Errorf("dial 10.0.0.7: %w", downwind.ErrUnreadable)
			}
			detected = url
			return downwind.Provider{Slug: "acme", Name: "Acme"}, nil
		}
	})
	_, pub := w.say("subscribe <https://status.acme.example/history.rss|status.acme.example>")
	wants(t, pub, "Acme")
	if detected != "https://status.acme.example/history.rss" {
		t.Errorf("detected %q", detected)
	}
	priv, _ := w.say("subscribe https://nothing.example/")
	wants(t, priv, "could not subscribe", "no status page")
	if strings.Contains(priv, "10.0.0.7") {
		t.Errorf("the answer names a private address: %q", priv)
	}
	priv, _ = w.say("subscribe https://downwind.example/feed?provider=livekit")
	wants(t, priv, "our own addresses", "/feed subscribe livekit")
	_, pub = w.say("subscribe https://status.livekit.io")
	wants(t, pub, "LiveKit")
}

func TestUnsubscribeAllAsksBack(t *testing.T) {
	w := newWorld(t)
	w.say("subscribe livekit github")
	a := w.Run(context.Background(), w.who, "unsubscribe all")
	wants(t, a.Private.Text, "2 subscriptions", "Sure?", "/feed unsubscribe all yes")
	if a.Public != nil {
		t.Error("a question is announced")
	}
	b := w.Click(context.Background(), w.who, chat.Click{ID: a.Private.Actions[0].ID})
	wants(t, b.Public.Text, "@ana unsubscribed this channel from everything")
	if subs, _ := w.store.Subscriptions(context.Background(), "slack:T01:C0123456"); len(subs) != 0 {
		t.Errorf("left: %v", subs)
	}
}

func TestStatusNeverCallsUnknownHealthy(t *testing.T) {
	w := newWorld(t)
	now := w.clock.Now()
	w.upload(t, "livekit-client", "stripe", "twilio", "github-api")
	w.store.SetSource(downwind.Source{Provider: "livekit", State: downwind.SourceFresh, LastRead: now.Add(-30 * time.Second), LastTried: now})
	w.store.SetSource(downwind.Source{Provider: "stripe", State: downwind.SourceUnreadable, LastRead: now.Add(-3 * time.Hour), LastTried: now, Error: "status 503"})
	w.store.SetSource(downwind.Source{Provider: "twilio", State: downwind.SourceFresh, LastRead: now.Add(-time.Minute), LastTried: now})
	w.store.AddIncident(open("twilio", "x1", "SMS delays <!channel>", downwind.ImpactMajor))
	priv, _ := w.say("status")
	wants(t, priv, "1 open incident", "Twilio reports: SMS delays", "LiveKit, last read 30 s ago", "Stripe: its page cannot be read (unreadable), last read 3 h ago: status 503", "GitHub: not read yet, so we cannot tell")
	healthy := priv[strings.Index(priv, "No open incident reported"):]
	for _, name := range []string{"Stripe", "GitHub", "Twilio"} {
		if strings.Contains(healthy, name) {
			t.Errorf("%s is shown as healthy: %q", name, healthy)
		}
	}
	priv, _ = w.say("status github")
	wants(t, priv, "We cannot tell")
}

// A paused destination says why and since when (C093, C094, C098, C114).
// C098, C114.
func TestListShowsWhyADestinationIsPaused(t *testing.T) {
	w := newWorld(t)
	w.say("subscribe livekit")
	_, d, err := w.store.TeamForChannel(context.Background(), w.who.Destination())
	if err != nil {
		t.Fatal(err)
	}
	d.Paused, d.PausedAt = "the app is not in this channel: /invite @downwind", w.clock.Now()
	if err := w.store.SaveDestination(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"list", "status"} {
		priv, _ := w.say(text)
		wants(t, priv, "Paused since 30 Nov 12:00 UTC: the app is not in this channel: /invite @downwind")
	}
}

// "test" looks whether a paused destination can receive again, and says so to everybody.
// C097, C111.
func TestTestResumesAHealedDestination(t *testing.T) {
	resumed, stands := "", "not in the channel"
	w := newWorld(t, func(o *chat.Options) {
		o.CanPost = func(context.Context, downwind.Destination) string { return stands }
		o.Resume = func(_ context.Context, d string) error { resumed = d; return nil }
	})
	_, d, err := w.store.TeamForChannel(context.Background(), w.who.Destination())
	if err != nil {
		t.Fatal(err)
	}
	d.Paused = "the channel was archived"
	if err := w.store.SaveDestination(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	priv, pub := w.say("test")
	wants(t, priv, "Still paused", "not in the channel")
	if pub != "" || resumed != "" {
		t.Errorf("resumed %q, announced %q", resumed, pub)
	}
	stands = ""
	_, pub = w.say("test")
	wants(t, pub, "receives again", "the channel was archived")
	if resumed != d.ID {
		t.Errorf("resumed %q", resumed)
	}
}

func TestSettingsGiveASignInLinkToTheCallerOnly(t *testing.T) {
	w := newWorld(t, func(o *chat.Options) {
		o.SignIn = func(_ context.Context, team, role, name string) (string, error) {
			return "https://downwind.example/login/" + team + "-" + role + "-" + name, nil
		}
	})
	a := w.Run(context.Background(), w.who, "settings")
	if a.Settings.SignIn != "https://downwind.example/login/slack-t01-c0123456-editor-@ana" || a.Public != nil {
		t.Errorf("answer %+v", a)
	}
	w.who.Guest = true
	if a := w.Run(context.Background(), w.who, "settings"); a.Settings.SignIn != "" {
		t.Error("a guest gets a link")
	}
}

func TestStackImportShowsEvidenceAndOffersToSubscribe(t *testing.T) {
	w := newWorld(t)
	a := w.upload(t, "livekit-client", "stripe")
	wants(t, a.Private.Text, "2 providers found", "livekit-client", "package.json:1", "Originals deleted")
	if len(a.Private.Actions) != 2 || a.Private.Actions[0].Label != "Subscribe this channel to 2 providers" {
		t.Fatalf("actions %+v", a.Private.Actions)
	}
	if a.Select == nil || len(a.Select.Options) != 2 {
		t.Fatalf("select %+v", a.Select)
	}
	b := w.Click(context.Background(), w.who, chat.Click{ID: a.Private.Actions[0].ID})
	wants(t, b.Public.Text, "@ana subscribed this channel", "your stack")
	priv, _ := w.say("stack show")
	wants(t, priv, "livekit-client", "by @ana")

	// A second file is laid over the first; the same file again replaces itself.
	c := w.upload(t, "twilio")
	wants(t, c.Private.Text, "subscribed to the stack already")
	team := w.store.Team("slack-t01-c0123456")
	if team.Stack.Use("livekit") != nil || team.Stack.Use("twilio") == nil {
		t.Errorf("the same file was not replaced: %+v", team.Stack.Providers)
	}
	d := w.Click(context.Background(), w.who, chat.Click{ID: c.Private.Actions[0].ID})
	wants(t, d.Private.Text, "Taken back")
	if team := w.store.Team("slack-t01-c0123456"); team.Stack.Use("livekit") == nil {
		t.Error("discard did not bring the stack back")
	}
	again := w.Click(context.Background(), w.who, chat.Click{ID: c.Private.Actions[0].ID})
	wants(t, again.Private.Text, "Not found")
}

func TestUploadLimits(t *testing.T) {
	w := newWorld(t)
	var files []chat.File
	for range 11 {
		files = append(files, chat.File{Name: `C:\work\package.json`, Data: []byte(`{"dependencies":{"stripe":"1"}}`)})
	}
	a := w.Import(context.Background(), w.who, files, "", false)
	wants(t, a.Private.Text, "more than 10 files", "Nothing was stored", "Stripe", "2/package.json")
	a = w.Import(context.Background(), w.who, []chat.File{{Name: "big.json", Data: make([]byte, chat.MaxFileSize+1)}}, "", true)
	wants(t, a.Private.Text, "larger than 5 MiB")
	if w.store.Writes() != 0 {
		t.Errorf("%d writes, want none", w.store.Writes())
	}
	a = w.Import(context.Background(), w.who, nil, "api.stripe.com\nhttps://livekit.cloud/x, not a domain", true)
	wants(t, a.Private.Text, "2 providers found")
}

// TestRulesAreTriedWhenSaved says how many of the newest incidents match by what people said, and lists what they said.
func TestRulesAreTriedWhenSaved(t *testing.T) {
	w := newWorld(t, func(o *chat.Options) {
		o.Judge = func(inc *downwind.Incident, team *downwind.Team) downwind.Match {
			said := slices.ContainsFunc(team.Rules, func(r downwind.Rule) bool {
				return r.Kind == downwind.RuleRegion && r.Provider == inc.Provider && slices.Contains(inc.Regions, r.Region)
			})
			return downwind.Match{Affected: said}
		}
	})
	for i, region := range []string{"us1", "ie1", "us1", "au1"} {
		w.store.AddIncident(downwind.Incident{ID: fmt.Sprintf("m%d", i), Provider: "twilio", Kind: downwind.KindIncident, Title: "Calls fail", Regions: []string{region}})
	}
	priv, _ := w.say("stack add twilio region:us1")
	wants(t, priv, "Noted.", "Tried on the newest 4 incidents there: 2 would have matched.")
	w.say("subscribe stack")
	priv, _ = w.say("list")
	wants(t, priv, "What people said", "we use twilio in us1 · by @ana")
	priv, _ = w.say("stack remove github")
	if strings.Contains(priv, "Tried on") {
		t.Errorf("a provider without incidents is tried: %q", priv)
	}
}

func TestRulesSurviveAndContradict(t *testing.T) {
	w := newWorld(t)
	_, pub := w.say("stack add twilio region:us1")
	wants(t, pub, "we use twilio", "we use twilio in us1")
	priv, pub := w.say("stack add twilio")
	wants(t, priv, "Nothing changed")
	if pub != "" {
		t.Errorf("announced: %q", pub)
	}
	w.say("stack remove twilio")
	var kinds []string
	for _, r := range w.store.Team("slack-t01-c0123456").Rules {
		kinds = append(kinds, string(r.Kind))
	}
	if got := strings.Join(kinds, " "); got != "region drop" {
		t.Errorf("rules %q, want the contradicted one gone", got)
	}
	priv, _ = w.say("stack clear")
	wants(t, priv, "Sure?")
	_, pub = w.say("stack clear yes")
	wants(t, pub, "cleared the stack")
}

// told puts an incident with a delivery into a channel.
func (w *world) told(dest string, inc downwind.Incident, m downwind.Match) downwind.Delivery {
	w.store.AddIncident(inc)
	d := downwind.Delivery{ID: dest + "|" + inc.Key(), Destination: dest, Incident: inc.Key(), State: downwind.DeliveryActive, Applied: 1, RootID: "1.1"}
	w.store.AddDelivery(d, downwind.Part{Delivery: d.ID, Version: 1, Alert: downwind.Alert{Incident: inc, Match: m, Because: "subscribed by @ana"}})
	return d
}

func TestWhyNamesEvidenceAndFilter(t *testing.T) {
	w := newWorld(t)
	w.upload(t, "livekit-client")
	w.say("subscribe stack min:major")
	w.told("slack:T01:C0123456", open("livekit", "a1", "API errors", downwind.ImpactMajor),
		downwind.Match{Affected: true, Verdict: downwind.AffectedSure, Why: []downwind.Reason{{File: "web/package.json", Line: 3, Match: "livekit-client"}}})
	priv, _ := w.say("why livekit/a1")
	wants(t, priv, "web/package.json:3", "livekit-client", "lets it through", "min:major", "Told here")

	w.store.AddIncident(open("livekit", "a2", "Slow egress", downwind.ImpactMinor))
	w.store.AddHold(downwind.Hold{Destination: "slack:T01:C0123456", Incident: "livekit/a2", Kind: downwind.ChangeNew, Reason: downwind.HeldSeverity, Text: "minor is below major", At: w.clock.Now()})
	priv, _ = w.say("why slow egress")
	wants(t, priv, "Not told", "impact minor is below min:major", "new held (severity): minor is below major")

	w.store.AddIncident(open("stripe", "s1", "Webhooks late", downwind.ImpactMajor))
	priv, _ = w.say("why stripe")
	wants(t, priv, "Not affected: your stack does not use it")
	priv, _ = w.say("why nothing like that")
	wants(t, priv, "I know no incident that fits")
	priv, _ = w.say("why")
	wants(t, priv, "livekit/a1")
}

func TestMuteEndsByItself(t *testing.T) {
	w := newWorld(t)
	_, pub := w.say("mute livekit for 2h")
	wants(t, pub, "@ana muted", "livekit until 30 Nov 14:00 UTC")
	w.say("subscribe livekit")
	priv, _ := w.say("list")
	wants(t, priv, "Muted", "livekit")
	_, pub = w.say("mute livekit for 3h")
	wants(t, pub, "15:00 UTC")
	if m, _ := w.store.Mutes(context.Background(), "slack:T01:C0123456"); len(m) != 1 {
		t.Errorf("%d mutes, want one that was prolonged", len(m))
	}
	w.clock.Add(4 * time.Hour)
	priv, _ = w.say("list")
	if strings.Contains(priv, "Muted") {
		t.Errorf("a mute that has ended is listed: %q", priv)
	}
	_, pub = w.say("unmute livekit")
	wants(t, pub, "ended the mute")
}

func TestQuietDigestAndSettings(t *testing.T) {
	w := newWorld(t)
	_, pub := w.say("quiet 22:00-07:00 tz:Europe/Berlin except:critical")
	wants(t, pub, "quiet hours to 22:00-07:00 Europe/Berlin, except critical")
	priv, pub := w.say("quiet 22:00-07:00")
	wants(t, priv, "Nothing changed")
	if pub != "" {
		t.Errorf("announced: %q", pub)
	}
	_, pub = w.say("digest weekly at:9")
	wants(t, pub, "digest to weekly at 09:00 Europe/Berlin")
	a := w.Run(context.Background(), w.who, "settings")
	if a.Dialog != chat.DialogSettings || a.Settings.Quiet != "22:00-07:00" || a.Settings.Digest != "weekly" {
		t.Errorf("settings %+v", a.Settings)
	}
	admin := w.who
	admin.Admin = true
	a = w.SaveSettings(context.Background(), admin, chat.Settings{AdminsOnly: true, Digest: "daily", Timezone: "UTC"})
	wants(t, a.Public.Text, "quiet hours off", "digest daily at 08:00", "only admins")
	priv, pub = w.say("subscribe livekit")
	wants(t, priv, "only admins")
	if pub != "" {
		t.Error("a change by somebody who may not is announced")
	}
	a = w.SaveSettings(context.Background(), admin, chat.Settings{Quiet: "99:00-07:00"})
	wants(t, a.Private.Text, "quiet takes hours")
}

func TestButtons(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	inc := open("livekit", "a1", "API errors", downwind.ImpactMajor)
	inc.Components = []downwind.Component{{Name: "SIP"}}
	inc.Regions = []string{"us-east"}
	d := w.told("slack:T01:C0123456", inc, downwind.Match{Affected: true, OpenQuestion: "region", Regions: []string{"us-east"}})
	id := func(verb string) chat.Click {
		return chat.Click{ID: notify.ActionID(verb, notify.IncidentArg(inc.Key())), Message: "1.1"}
	}
	priv, _ := both(w.Click(ctx, w.who, id(notify.VerbAck)))
	wants(t, priv, "Acknowledged")
	priv, _ = both(w.Click(ctx, w.who, id(notify.VerbAck)))
	wants(t, priv, "Already acknowledged by @ana")
	_, pub := both(w.Click(ctx, w.who, id(notify.VerbMute)))
	wants(t, pub, "livekit/a1 until 30 Nov 13:00 UTC")
	priv, _ = both(w.Click(ctx, w.who, id(notify.VerbWhy)))
	wants(t, priv, "livekit/a1")
	_, pub = both(w.Click(ctx, w.who, id(notify.VerbDone)))
	wants(t, pub, "worked through the checklist")
	priv, _ = both(w.Click(ctx, w.who, id(notify.VerbDone)))
	wants(t, priv, "Already marked done by @ana")
	if w.DoneBy(ctx, d.ID) != "@ana" {
		t.Error("DoneBy")
	}
	_, pub = both(w.Click(ctx, w.who, id(notify.VerbOurs)))
	wants(t, pub, "we use livekit in us-east")
	ask := w.Click(ctx, w.who, id(notify.VerbNotUs))
	wants(t, ask.Private.Text, "livekit / SIP: would have hidden 1 of the last 1 incidents", "livekit in us-east")
	_, pub = both(w.Click(ctx, w.who, chat.Click{ID: ask.Private.Actions[0].ID}))
	wants(t, pub, "not us: livekit / SIP")
	priv, _ = both(w.Click(ctx, w.who, chat.Click{ID: "whatever:x"}))
	if priv == "" {
		t.Error("an unknown button is not answered")
	}
}

func TestPreviewIsMarkedAndItsButtonsDoNothing(t *testing.T) {
	w := newWorld(t, func(o *chat.Options) {
		o.Preview = func(context.Context, *downwind.Team, string) (downwind.Alert, error) {
			return downwind.Alert{Kind: downwind.ChangeNew, Incident: open("livekit", "p1", "A sample", downwind.ImpactMajor), ProviderName: "LiveKit", Match: downwind.Match{Affected: true}}, nil
		}
	})
	a := w.Run(context.Background(), w.who, "test")
	if a.Preview == nil || a.Public != nil {
		t.Fatal("a preview is private")
	}
	for _, act := range a.Preview.Actions {
		if act.ID != "" {
			priv, pub := both(w.Click(context.Background(), w.who, chat.Click{ID: act.ID}))
			wants(t, priv, "sample")
			if pub != "" {
				t.Error("a sample's button has an effect")
			}
		}
	}
}

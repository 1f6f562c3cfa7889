package notifytest

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"downwind"
)

// Hostile are pieces of provider text that try to notify, to link, to format or to break out, on any platform.
var Hostile = []string{
	"<!channel>", "<!here>", "<!everyone>", "<@U012AB3CD>", "<#C012AB3CD>", "<!subteam^S012AB3CD>", "<https://evil.example|Reset your password>",
	"<mailto:a@evil.example|mail>", "@everyone", "@here", "<@123456789012345678>", "<@!123456789012345678>", "<@&123456789012345678>",
	"<#123456789012345678>", "</feed:123456789012345678>", "<id:customize>", "<:kek:123456789012345678>", "<a:kek:123456789012345678>", "<t:0:R>",
	"[Reset your password](https://evil.example/a)", "[a]\\(b)](https://evil.example)", "https://evil.example/phish?a=b", "http://evil.example",
	"www.evil.example", "evil.example/x", "hTTps://evil.example", "*bold*", "_it_", "~no~", "`code`", "```\nfence\n```", "> quote", "&gt; &lt;!channel&gt; &amp;",
	"||spoiler||", "# heading", "- item", "1. item", "\u202eevil\u202c", "\u2066x\u2069", "a\u200bb", "\x00\x07\x1b[31mred", "&amp;lt;", "|", "\\", "^", "<!date^0^{date}|x>",
	"\r\nInjected: header", "😀😀😀", "a\u0301\u0302\u0303", "<script>alert(1)</script>", "<<<<<<", ">>>>>>", "**", "__", "~~", "[](", "](", "<", ">", "&",
}

// text draws text of up to n pieces, plain and hostile.
func text(t *rapid.T, label string, n int) string {
	pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(Hostile), rapid.StringMatching(`[a-zA-Z0-9 .,:/-]{1,40}`), rapid.StringN(0, 30, 120)), 0, n).Draw(t, label)
	return strings.Join(pieces, rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, label+" joint"))
}

// Alert draws an alert with hostile text of any length in every field that a provider or a file fills.
func Alert(t *rapid.T) downwind.Alert {
	long := rapid.SampledFrom([]int{1, 3, 12, 80}).Draw(t, "length")
	many := rapid.SampledFrom([]int{0, 1, 4, 30}).Draw(t, "count")
	str := func(label string) string { return text(t, label, long) }
	list := func(label string) []string {
		out := make([]string, rapid.IntRange(0, many).Draw(t, label+" count"))
		for i := range out {
			out[i] = str(label)
		}
		return out
	}
	at := func(label string) time.Time {
		if rapid.Bool().Draw(t, label+" set") {
			return time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, label), 0).UTC()
		}
		return time.Time{}
	}
	phases := []downwind.Phase{
		downwind.Investigating, downwind.Identified, downwind.Monitoring, downwind.Resolved, downwind.Postmortem, downwind.Scheduled,
		downwind.InProgress, downwind.Verifying, downwind.Completed, downwind.Cancelled, downwind.PhaseUnknown,
	}
	kinds := []downwind.ChangeKind{
		downwind.ChangeNew, downwind.ChangeUpdate, downwind.ChangeEdit, downwind.ChangeReopened, downwind.ChangeResolved, downwind.ChangePostmortem,
		downwind.ChangeComponents, downwind.ChangeSeverity, downwind.ChangeWithdrawn, downwind.ChangeMaintenance, downwind.ChangeReminder,
	}
	a := downwind.Alert{
		Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), ProviderName: str("provider"), SeenAt: at("seen"), PrevSeen: at("prev seen"),
		Broadcast: rapid.Bool().Draw(t, "broadcast"), Push: rapid.Bool().Draw(t, "push"), Quiet: rapid.Bool().Draw(t, "quiet"),
		NewlyYours: rapid.Bool().Draw(t, "newly"), Cleared: rapid.Bool().Draw(t, "cleared"), AlreadyOver: rapid.Bool().Draw(t, "over"),
		InProgress: rapid.Bool().Draw(t, "in progress"), Version: 7, PrevVersion: 6, LogSize: 9, LogRoot: str("log root"), Mention: str("mention"),
		Coincident: list("coincident"), Because: str("because"), Sample: rapid.Bool().Draw(t, "sample"),
	}
	a.Incident = downwind.Incident{
		Provider: "example", ID: str("id"), Title: str("title"), URL: str("url"), Phase: rapid.SampledFrom(phases).Draw(t, "phase"),
		Kind:      rapid.SampledFrom([]downwind.Kind{downwind.KindIncident, downwind.KindMaintenance, downwind.KindNotice}).Draw(t, "incident kind"),
		Impact:    rapid.SampledFrom([]downwind.Impact{"", "none", "minor", "major", "critical", "maintenance", "unknown"}).Draw(t, "impact"),
		StartedAt: at("started"), ResolvedAt: at("resolved"), ScheduledFor: at("from"), ScheduledUntil: at("until"),
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "updates") {
		a.Incident.Updates = append(a.Incident.Updates, downwind.Update{ID: string(rune('a' + i)), Phase: a.Incident.Phase, Body: str("body"), PostedAt: at("posted")})
	}
	for _, name := range list("components") {
		a.Incident.Components = append(a.Incident.Components, downwind.Component{Name: name, Group: str("group"), Status: downwind.Degraded})
	}
	a.Match = downwind.Match{
		Affected: rapid.Bool().Draw(t, "affected"), Components: list("mine"), Regions: list("regions"), Used: 2, Of: 5, WhyNot: str("why not"), OpenQuestion: str("question"),
		Verdict: rapid.SampledFrom([]downwind.Verdict{downwind.AffectedSure, downwind.AffectedLikely, downwind.AffectedPossible, downwind.NotAffected}).Draw(t, "verdict"),
	}
	for _, w := range list("why") {
		a.Match.Why = append(a.Match.Why, downwind.Reason{File: str("file"), Line: 3, Match: str("match"), Words: w, Text: str("reason")})
	}
	if rapid.Bool().Draw(t, "before") {
		a.Before = &downwind.Match{Affected: true, Components: list("before"), Regions: list("before regions")}
	}
	a.Guidance = guidance(t, str, list, at)
	a.Changes = changes(t, str, at, kinds, a.Incident.Components)
	for i := range rapid.IntRange(0, 3).Draw(t, "window changes") {
		a.WindowChanges = append(a.WindowChanges, downwind.WindowChange{
			Bound: rapid.SampledFrom([]string{"start", "end", "window"}).Draw(t, "bound"), Index: i - 1, From: at("wc from"), To: at("wc to"), Scope: str("wc scope"),
		})
	}
	return a
}

func guidance(t *rapid.T, str func(string) string, list func(string) []string, at func(string) time.Time) downwind.Guidance {
	g := downwind.Guidance{
		Regions: list("g regions"), Conflicts: list("conflicts"), Advice: list("advice"), Checklist: list("checklist"), Delayed: list("delayed"),
		DataLoss: rapid.SampledFrom([]string{"", "possible", "yes", "none claimed"}).Draw(t, "loss"), NoneNeeded: rapid.Bool().Draw(t, "none needed"),
	}
	for _, s := range list("actions") {
		g.Actions = append(g.Actions, downwind.Action{Text: s, Source: "provider"})
	}
	for range rapid.IntRange(0, 12).Draw(t, "windows") {
		g.Windows = append(g.Windows, downwind.Window{
			Start: at("start"), End: at("end"), Scope: str("scope"), Text: str("evidence"), StartFrom: str("start from"),
			Source: rapid.SampledFrom([]string{downwind.FromProse, downwind.FromPage}).Draw(t, "source"), Approx: rapid.Bool().Draw(t, "approx"),
		})
	}
	for _, p := range []**downwind.Period{&g.Replay, &g.Padded, &g.PageGuess} {
		if rapid.Bool().Draw(t, "period") {
			*p = &downwind.Period{Start: at("p start"), End: at("p end")}
		}
	}
	return g
}

func changes(t *rapid.T, str func(string) string, at func(string) time.Time, kinds []downwind.ChangeKind, comps []downwind.Component) []downwind.Change {
	var out []downwind.Change
	for range rapid.IntRange(0, 5).Draw(t, "changes") {
		c := downwind.Change{
			Kind: rapid.SampledFrom(kinds).Draw(t, "change"), Update: "a", From: str("from"), To: str("to"), Field: str("field"), Components: comps, At: at("change at"),
		}
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			c.Diff = append(c.Diff, downwind.Span{Op: rapid.IntRange(-1, 1).Draw(t, "op"), Text: str("span")})
		}
		out = append(out, c)
	}
	return out
}

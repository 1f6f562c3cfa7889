package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"downwind"
	"downwind/guidance"
)

// A choice is one event for one destination.
type choice struct {
	*ruling
	dest  downwind.Destination
	subs  []downwind.Subscription
	mutes []downwind.Mute
	told  *downwind.Told
}

// decide raises a version, holds it with a reason, or (for an edit of a root that shows all anyway) both.
func (c *choice) decide() (*downwind.Raise, *downwind.Hold) {
	if c.e.silent != "" {
		return nil, c.hold(c.e.silent, "a mild machine-made signal; a second reading must confirm it")
	}
	sub, reason, text := c.covering()
	if c.told == nil {
		return c.untold(sub, reason, text)
	}
	alert := c.alert(sub)
	c.mention(&alert, sub)
	change := lead(c.e.changes)
	switch {
	case onlyEdits(c.e.changes) && !c.consequent(&alert):
		return nil, c.hold(downwind.HeldInconsequent, "the provider edited a past update; no window, component or severity changed")
	case reason == downwind.HeldMuted && change.Kind != downwind.ChangeResolved:
		return c.raise(alert, true), c.hold(reason, text)
	case reason == downwind.HeldKinds && change.Kind != downwind.ChangeReopened && change.Kind != downwind.ChangeWithdrawn:
		return c.raise(alert, true), c.hold(reason, text)
	}
	quiet := change.Kind == downwind.ChangeComponents || change.Kind == downwind.ChangeMaintenance && c.e.state.Phase == downwind.Verifying
	if quiet && !alert.Broadcast || sub != nil && sub.Filter.NoThread && !alert.Broadcast {
		return c.raise(alert, true), nil
	}
	return c.raise(alert, false), nil
}

// untold decides for a destination that has no root of this incident yet.
func (c *choice) untold(sub *downwind.Subscription, reason downwind.HoldReason, text string) (*downwind.Raise, *downwind.Hold) {
	if reason != "" {
		return nil, c.hold(reason, text)
	}
	change := lead(c.e.changes)
	switch {
	case change.Kind == downwind.ChangeWithdrawn:
		return nil, c.hold(downwind.HeldUntold, "it was never told here, so its withdrawal is not either")
	case c.e.old != nil && (c.e.old.Silent || onlyEdits(c.e.changes)) && !c.e.state.Open() && !upcoming(&c.e.state, c.in.Now):
		return nil, c.hold(downwind.HeldUntold, "it was over before anybody here was told")
	case c.e.state.Kind == downwind.KindMaintenance && c.e.state.Phase.Over():
		return nil, c.hold(downwind.HeldUntold, "the maintenance was over before anybody here was told")
	}
	if n := flaps(c.in, c.e); n >= flapMost {
		return nil, c.hold(downwind.HeldFlap, fmt.Sprintf("the same incident opened and closed %d times within six hours; it is counted, not told again", n))
	}
	alert := c.alert(sub)
	alert.Broadcast = true
	alert.InProgress = c.e.inProgress
	alert.AlreadyOver = c.e.state.Phase.Over()
	alert.NewlyYours = c.e.old != nil && !c.e.inProgress
	alert.Quiet = c.quiet() || alert.AlreadyOver || alert.InProgress
	alert.Push = !alert.Quiet
	if hold := c.quietHours(&alert); hold != nil {
		return nil, hold
	}
	c.mention(&alert, sub)
	return c.raise(alert, false), nil
}

// mention names the group to ping, where the subscription has one and the alert is one to ping for: the root, and what
// got worse or began again.
func (c *choice) mention(a *downwind.Alert, sub *downwind.Subscription) {
	if sub != nil && sub.Filter.Mention != "" && a.Push && c.e.state.Impact.Rank() >= sub.Filter.MentionFrom.Rank() {
		a.Mention = sub.Filter.Mention
	}
}

// quietHours keeps a root that is not urgent for the morning where the platform cannot post silently; elsewhere it is
// posted without a sound.
func (c *choice) quietHours(a *downwind.Alert) *downwind.Hold {
	if !Quiet(&c.dest, c.in.Now) || c.dest.QuietExcept != "" && c.e.state.Impact.Rank() >= c.dest.QuietExcept.Rank() {
		return nil
	}
	if c.dest.Platform != downwind.PlatformSlack {
		a.Quiet, a.Push = true, false
		return nil
	}
	return c.hold(downwind.HeldQuiet, "quiet hours "+c.dest.Quiet+" are on; it is told when they end")
}

// covering returns the subscription that wants this event; without one, the reason of the ledger.
func (c *choice) covering() (*downwind.Subscription, downwind.HoldReason, string) {
	var reason downwind.HoldReason
	var text string
	for i := range c.subs {
		s := &c.subs[i]
		why, words := c.wants(s)
		if why == "" {
			if m := muted(c.mutes, c.dest.ID, &c.e.state, c.in.Now); m != nil {
				return s, downwind.HeldMuted, "muted here until " + m.Until.UTC().Format("2006-01-02 15:04 UTC")
			}
			return s, "", ""
		}
		if reason == "" || why == downwind.HeldKinds || why == downwind.HeldSeverity {
			reason, text = why, words
		}
	}
	if reason == "" {
		reason, text = downwind.HeldProvider, "no subscription of this channel covers "+c.in.Known.Provider.Name
	}
	return nil, reason, text
}

// wants asks one subscription; the empty reason is yes.
func (c *choice) wants(s *downwind.Subscription) (downwind.HoldReason, string) {
	inc := &c.e.state
	onlyAffected := s.Target == downwind.TargetStack || s.Filter.OnlyAffected
	if c.match.Held == downwind.HeldRule {
		return downwind.HeldRule, c.match.WhyNot
	}
	if onlyAffected && !c.match.Affected {
		return c.match.Held, c.match.WhyNot
	}
	if onlyAffected && c.match.Urgency == downwind.UrgencyDashboard {
		return downwind.HeldDashboard, "only dashboards and consoles suffer; it goes into the digest"
	}
	if s.Component != "" && !downwind.FitsAny([]string{s.Component}, inc.ComponentNames()) {
		return downwind.HeldFilter, fmt.Sprintf("the subscription asks for %q, which this incident does not name", s.Component)
	}
	if len(s.Filter.Regions) > 0 {
		if regions := c.regions(); len(regions) > 0 && !downwind.FitsAny(s.Filter.Regions, regions) {
			return downwind.HeldFilter, "the regions of this incident are outside the subscription's filter"
		}
	}
	if len(s.Filter.Components) > 0 && !downwind.FitsAny(s.Filter.Components, inc.ComponentNames()) {
		return downwind.HeldFilter, "the components of this incident are outside the subscription's filter"
	}
	if inc.Kind == downwind.KindIncident && c.impactRank() < least(s.Filter.Min) {
		return downwind.HeldSeverity, fmt.Sprintf("impact %s is below the subscription's minimum", inc.Impact)
	}
	if inc.Kind == downwind.KindNotice && least(s.Filter.Min) > 0 && s.Target != downwind.TargetAll {
		return downwind.HeldSeverity, "an announcement that reports no fault"
	}
	if kind := subscriptionKind(lead(c.e.changes).Kind); len(s.Filter.Kinds) > 0 && !slices.Contains(s.Filter.Kinds, kind) {
		return downwind.HeldKinds, fmt.Sprintf("the subscription leaves out %q", kind)
	}
	return "", ""
}

// least is the lowest rank a subscription wants; minor by default.
func least(min downwind.Impact) int {
	if min == "" {
		return downwind.ImpactMinor.Rank()
	}
	return min.Rank()
}

// impactRank counts an incident whose page says "none" as minor when its words state a window: failed requests are no nothing.
func (c *choice) impactRank() int {
	r := c.e.state.Impact.Rank()
	if r == 0 && len(c.e.explain(c.in).Windows) > 0 {
		return 1
	}
	return r
}

// subscriptionKind maps a change to the kinds of a subscription's filter.
func subscriptionKind(k downwind.ChangeKind) string {
	switch k {
	case downwind.ChangeSeverity, downwind.ChangeComponents:
		return string(downwind.ChangeUpdate)
	case downwind.ChangeReopened, downwind.ChangeWithdrawn:
		return string(downwind.ChangeNew)
	}
	return string(k)
}

// muted returns the mute that silences an incident at a destination; nil: none does.
func muted(mutes []downwind.Mute, destination string, inc *downwind.Incident, now time.Time) *downwind.Mute {
	for i := range mutes {
		m := &mutes[i]
		if m.Destination != destination || !m.Until.After(now) {
			continue
		}
		if (m.Provider == "" || m.Provider == inc.Provider) && (m.Incident == "" || m.Incident == inc.Key() || m.Incident == inc.ID) {
			return m
		}
	}
	return nil
}

// quiet reports whether a root should not ping: open questions, build time, mild trouble of sight, planned work.
func (c *choice) quiet() bool {
	return c.match.Verdict == downwind.AffectedPossible || c.match.Urgency != downwind.UrgencyRuntime || c.e.state.Kind != downwind.KindIncident
}

// alert gathers all that a version says.
func (c *choice) alert(sub *downwind.Subscription) downwind.Alert {
	a := downwind.Alert{
		Kind: lead(c.e.changes).Kind, Changes: c.e.changes, Incident: c.e.state, ProviderName: c.in.Known.Provider.Name,
		Match: c.match, Guidance: *c.guidance(), SeenAt: c.in.Now, Quiet: true, Coincident: c.coincident,
		AlreadyOver: has(c.e.changes, downwind.ChangeNew) && c.e.state.Phase.Over(),
	}
	if sub != nil && sub.Target != downwind.TargetStack && !c.match.Affected {
		a.Because = because(sub)
	}
	if c.e.old != nil {
		a.PrevVersion, a.PrevSeen = c.e.old.Version.ID, c.e.old.Version.LastSeen
	}
	if c.told == nil {
		return a
	}
	last := c.told.Last
	a.Before = &last.Match
	a.AlreadyOver = last.AlreadyOver
	a.Cleared = last.Match.Affected && !c.match.Affected
	a.NewlyYours = c.match.Affected && (!last.Match.Affected || len(added(last.Match.Components, c.match.Components)) > 0)
	a.WindowChanges = guidance.Changes(last.Guidance.Windows, c.guidance().Windows)
	a.Broadcast = c.broadcast(&a) && !(sub != nil && sub.Filter.EndInThread && ends(a.Kind))
	a.Quiet = !a.Broadcast || a.Kind != downwind.ChangeReopened && !worse(c.e.changes)
	a.Push = !a.Quiet
	return a
}

// broadcast reports whether a reply is shown in the channel: worse or another component of yours, resolved, re-opened,
// and a postmortem or edit that changes windows, components or severity. What no longer hits the team stays in the thread.
func (c *choice) broadcast(a *downwind.Alert) bool {
	if !c.match.Affected && a.Because == "" {
		return false
	}
	switch a.Kind {
	case downwind.ChangeResolved, downwind.ChangeReopened:
		return true
	case downwind.ChangePostmortem, downwind.ChangeEdit:
		return c.consequent(a)
	case downwind.ChangeMaintenance:
		return c.e.state.Phase.Over()
	case downwind.ChangeWithdrawn:
		return true
	}
	return worse(c.e.changes) || a.NewlyYours
}

// consequent reports whether windows, components or severity changed for this team.
func (c *choice) consequent(a *downwind.Alert) bool {
	if slices.ContainsFunc(a.WindowChanges, func(w downwind.WindowChange) bool { return w.Index < 0 || slices.Contains(a.Guidance.Yours, w.Index) }) ||
		has(c.e.changes, downwind.ChangeSeverity) || has(c.e.changes, downwind.ChangeComponents) {
		return true
	}
	return a.Before != nil && (a.Before.Affected != c.match.Affected ||
		len(added(a.Before.Components, c.match.Components))+len(added(a.Before.Regions, c.match.Regions)) > 0)
}

// ends reports whether a change closes an incident.
func ends(k downwind.ChangeKind) bool {
	return k == downwind.ChangeResolved || k == downwind.ChangeWithdrawn
}

func onlyEdits(changes []downwind.Change) bool {
	return !slices.ContainsFunc(changes, func(c downwind.Change) bool { return c.Kind != downwind.ChangeEdit })
}

func (c *choice) raise(a downwind.Alert, rootOnly bool) *downwind.Raise {
	return &downwind.Raise{
		Delivery: DeliveryID(c.dest.ID, c.e.state.Key()), Destination: c.dest.ID, Team: c.team.ID,
		Incident: c.e.state.Key(), Alert: a, RootOnly: rootOnly,
		Done: a.Kind == downwind.ChangeWithdrawn,
	}
}

func (c *choice) hold(reason downwind.HoldReason, text string) *downwind.Hold {
	return &downwind.Hold{
		Destination: c.dest.ID, Team: c.team.ID, Incident: c.e.state.Key(), Kind: lead(c.e.changes).Kind,
		Reason: reason, Text: text, At: c.in.Now,
	}
}

// because says why a reader gets what does not hit their stack.
func because(s *downwind.Subscription) string {
	what := "everything"
	if s.Target == downwind.TargetProvider {
		what = s.Provider
	}
	if s.CreatedBy == "" {
		return "this channel is subscribed to " + what
	}
	return "this channel is subscribed to " + what + " by " + s.CreatedBy
}

// regions are those the incident names, in fields or words.
func (c *choice) regions() []string {
	return append(slices.Clone(c.e.state.Regions), c.e.explain(c.in).Regions...)
}

// added lists what stands in now and not in before.
func added(before, now []string) []string {
	var out []string
	for _, n := range now {
		if !slices.Contains(before, n) {
			out = append(out, n)
		}
	}
	return out
}

// Quiet reports whether an instant lies in a destination's quiet hours ("22:00-07:00", local to its zone, over midnight).
func Quiet(d *downwind.Destination, at time.Time) bool {
	from, to, ok := strings.Cut(d.Quiet, "-")
	if !ok {
		return false
	}
	now := at.In(zoneOf(d)).Format("15:04")
	if from <= to {
		return from <= now && now < to
	}
	return now >= from || now < to
}

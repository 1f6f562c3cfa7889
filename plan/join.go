package plan

import (
	"slices"
	"strings"
	"time"

	"downwind"
)

// joinWithin is how far apart incidents of one provider may begin to be told as one.
const joinWithin = 30 * time.Minute

// join tells one trouble once: an incident that opens at a provider shortly after another with the same title, names of
// regions apart, becomes a reply in that one's thread, which is then its root for edits and look-ups. One that is worse
// than the first, or more surely the team's, stands for itself.
func (p *Planner) join(a *downwind.Audience, out *downwind.Plan, from int) {
	for i := from; i < len(out.Raises); i++ {
		r := &out.Raises[i]
		if !beginsRoot(r) {
			continue
		}
		if parent := siblingOf(r, a, out.Raises[from:i]); parent != "" {
			r.Parent = parent
			r.Alert.Push, r.Alert.Mention = false, ""
		}
	}
}

// beginsRoot reports whether a raise makes the root of an incident that is going on.
func beginsRoot(r *downwind.Raise) bool {
	return r.Alert.Announcement == nil && r.Alert.Before == nil && r.Parent == "" && !r.Alert.AlreadyOver &&
		r.Alert.Incident.Kind == downwind.KindIncident && r.Alert.Incident.Open()
}

// siblingOf is the delivery of the same destination whose thread takes an incident; empty for one that stands for itself.
func siblingOf(r *downwind.Raise, a *downwind.Audience, before []downwind.Raise) string {
	var ids []string
	for id, t := range a.Deliveries {
		if t.Delivery.Destination == r.Destination && going(t.Delivery.State) && t.Last.Announcement == nil && sameTrouble(&r.Alert, &t.Last) {
			if t.Delivery.Parent != "" {
				id = t.Delivery.Parent
			}
			ids = append(ids, id)
		}
	}
	for i := range before {
		if b := &before[i]; b.Destination == r.Destination && beginsRoot(b) && sameTrouble(&r.Alert, &b.Alert) {
			ids = append(ids, b.Delivery)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return slices.Min(ids)
}

// going reports whether a delivery still says something; a memory without a store keeps no state.
func going(s downwind.DeliveryState) bool { return s == downwind.DeliveryActive || s == "" }

// sameTrouble reports whether an incident tells the trouble of an earlier one again, elsewhere.
func sameTrouble(now, first *downwind.Alert) bool {
	a, b := &now.Incident, &first.Incident
	apart := begun(a).Sub(begun(b))
	return a.Provider == b.Provider && a.ID != b.ID && b.Kind == downwind.KindIncident && b.Open() && apart.Abs() <= joinWithin &&
		a.Impact.Rank() <= b.Impact.Rank() && sureness(now) <= sureness(first) && titleWithoutPlaces(now) == titleWithoutPlaces(first)
}

// sureness orders how surely an alert is the team's.
func sureness(a *downwind.Alert) int {
	if !a.Match.Affected {
		return 0
	}
	return 1 + slices.Index([]downwind.Verdict{downwind.AffectedPossible, downwind.AffectedLikely, downwind.AffectedSure}, a.Match.Verdict)
}

// titleWithoutPlaces is a title without the regions that the incident names, by letters and digits.
func titleWithoutPlaces(a *downwind.Alert) string {
	title := strings.ToLower(a.Incident.Title)
	places := slices.Concat(a.Incident.Regions, a.Guidance.Regions, a.Match.Regions)
	slices.SortFunc(places, func(x, y string) int { return len(y) - len(x) })
	for _, place := range places {
		if place != "" {
			title = strings.ReplaceAll(title, strings.ToLower(place), " ")
		}
	}
	return downwind.Fold(title)
}

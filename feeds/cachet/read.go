package cachet

import (
	"strings"
	"time"

	"downwind"
	"downwind/feeds"
)

// The kinds of items.
const (
	kindComponent = "component"
	kindGroup     = "group"
	kindIncident  = "incident"
	kindSchedule  = "schedule"
	kindUpdate    = "update"
)

// An item is a component, a group, an incident, a schedule or an update of either version.
type item struct {
	kind, id, name, message, link string
	// code and human are the state of now; first that of the message, empty where not known.
	code, human, first string
	three              bool
	group              string
	parts              []string // ids of components
	named              []item
	updates            []item
	updateIDs          []string
	at                 time.Time // shown to readers
	from, until        time.Time // planned
	ended              time.Time
}

// flat reads an item of version 2.
func flat(w *wireFlat) item {
	it := item{
		id: string(w.ID), name: feeds.PlainLine(string(w.Name)), message: feeds.PlainText(string(w.Message)), link: string(w.Permalink),
		code: string(w.Latest), human: string(w.LatestHuman), first: string(w.Status), group: string(w.GroupID), at: w.OccurredAt.Time,
		from: w.ScheduledAt.Time,
	}
	if it.code == "" {
		it.code, it.human = string(w.Status), string(w.Human)
	}
	if it.at.IsZero() {
		it.at = w.CreatedAt.Time
	}
	switch {
	case w.StatusName != "" || w.GroupID != "":
		it.kind, it.human = kindComponent, string(w.StatusName)
	case w.Enabled != nil:
		it.kind = kindGroup
		for i := range w.Enabled {
			it.parts = append(it.parts, string(w.Enabled[i].ID))
		}
	case w.CompletedAt.seen || w.Components != nil && !w.ScheduledAt.IsZero() && w.ComponentID == "":
		it.kind, it.ended = kindSchedule, w.CompletedAt.Time
	default:
		it.kind = kindIncident
	}
	if it.kind == kindIncident || it.kind == kindSchedule {
		if id := string(w.ComponentID); id != "" && id != "0" {
			it.parts = append(it.parts, id)
		}
		for i := range w.Components {
			c := flat(&w.Components[i])
			it.named = append(it.named, c)
		}
		for i := range w.Updates {
			u := flat(&w.Updates[i])
			u.kind = kindUpdate
			it.updates = append(it.updates, u)
		}
	}
	return it
}

// resource reads a resource of version 3.
func resource(w *wireResource) item {
	a := w.Attributes
	it := item{
		id: string(w.ID), name: feeds.PlainLine(string(a.Name)), message: feeds.PlainText(string(a.Message)), three: true,
		code: string(a.Status.Code), human: string(a.Status.Human), at: a.Occurred.Time, from: a.Scheduled.Time, ended: a.Completed.Time,
	}
	for _, t := range []time.Time{a.Published.Time, a.Created.Time} {
		if it.at.IsZero() {
			it.at = t
		}
	}
	if len(w.Relations.Group.IDs) > 0 {
		it.group = string(w.Relations.Group.IDs[0])
	}
	for _, id := range w.Relations.Components.IDs {
		it.parts = append(it.parts, string(id))
	}
	for _, id := range w.Relations.Updates.IDs {
		it.updateIDs = append(it.updateIDs, string(id))
	}
	switch word := strings.ToLower(string(w.Type)); {
	case strings.Contains(word, "group"):
		it.kind = kindGroup
	case strings.Contains(word, "update"):
		it.kind = kindUpdate
	case strings.HasPrefix(word, "component"):
		it.kind = kindComponent
	case strings.HasPrefix(word, "schedule"):
		it.kind = kindSchedule
	case strings.HasPrefix(word, "incident"):
		it.kind = kindIncident
	}
	if it.first = it.code; len(it.updateIDs) > 0 { // the state is that of the newest update
		it.first = ""
	}
	if it.kind == kindIncident {
		it.link = string(a.GUID)
	}
	return it
}

// status reads a component's state: the numbers of both versions, else the words.
func (d *decoder) status(it *item) downwind.Status {
	switch it.code {
	case "1":
		return downwind.Operational
	case "2":
		return downwind.Degraded
	case "3":
		return downwind.PartialOutage
	case "4":
		return downwind.MajorOutage
	case "0", "5":
		return downwind.StatusUnknown
	case "6":
		return downwind.UnderMaintenance
	}
	word := it.human
	if word == "" {
		word = it.code
	}
	s, ok := feeds.StatusOf(word)
	if !ok {
		feeds.Unknown(&d.doc, "status", word)
	}
	return s
}

// phase reads the state of an incident; 0 is planned work in version 2 and unknown in version 3.
func (d *decoder) phase(code, human string, three bool) downwind.Phase {
	switch code {
	case "":
		if human == "" {
			return ""
		}
	case "0":
		if three {
			return downwind.PhaseUnknown
		}
		return downwind.Scheduled
	case "1":
		return downwind.Investigating
	case "2":
		return downwind.Identified
	case "3":
		return downwind.Monitoring
	case "4":
		return downwind.Resolved
	}
	if human == "" {
		human = code
	}
	p, ok := feeds.PhaseOf(human)
	if !ok {
		feeds.Unknown(&d.doc, "phase", human)
	}
	return p
}

// planned reads the state of a schedule.
func (d *decoder) planned(it *item) downwind.Phase {
	switch it.code {
	case "0":
		return downwind.Scheduled
	case "1":
		return downwind.InProgress
	case "2":
		return downwind.Completed
	}
	p := d.phase("", it.human, it.three)
	switch {
	case p == downwind.Resolved:
		return downwind.Completed
	case p == "" && it.code != "":
		feeds.Unknown(&d.doc, "phase", it.code)
	}
	return p
}

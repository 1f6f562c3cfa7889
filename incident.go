package downwind

import (
	"errors"
	"fmt"
	"time"
)

// Phase is how far an incident or a maintenance has come.
type Phase string

// The phases of incidents, then those of maintenance.
const (
	Investigating Phase = "investigating"
	Identified    Phase = "identified"
	Monitoring    Phase = "monitoring"
	Resolved      Phase = "resolved"
	Postmortem    Phase = "postmortem"

	Scheduled  Phase = "scheduled"
	InProgress Phase = "in_progress"
	Verifying  Phase = "verifying"
	Completed  Phase = "completed"
	Cancelled  Phase = "cancelled"

	PhaseUnknown Phase = "unknown"
)

// Over reports whether the phase says that the trouble or the work has ended.
func (p Phase) Over() bool {
	switch p {
	case Resolved, Postmortem, Completed, Cancelled:
		return true
	}
	return false
}

// Impact is the provider's own grade of an incident.
type Impact string

// The grades, mildest first; maintenance and unknown stand outside the order.
const (
	ImpactNone        Impact = "none"
	ImpactMinor       Impact = "minor"
	ImpactMajor       Impact = "major"
	ImpactCritical    Impact = "critical"
	ImpactMaintenance Impact = "maintenance"
	ImpactUnknown     Impact = "unknown"
)

// Rank orders impacts: none 0, minor 1, major 2, critical 3; unknown counts as minor, maintenance as none.
func (i Impact) Rank() int {
	switch i {
	case ImpactMinor, ImpactUnknown, "":
		return 1
	case ImpactMajor:
		return 2
	case ImpactCritical:
		return 3
	}
	return 0
}

// Status is the state of a component.
type Status string

// The states of a component, best first; unknown is never healthy.
const (
	Operational      Status = "operational"
	Degraded         Status = "degraded"
	PartialOutage    Status = "partial_outage"
	MajorOutage      Status = "major_outage"
	UnderMaintenance Status = "maintenance"
	StatusUnknown    Status = "unknown"
)

// Rank orders states by how bad they are: operational 0, unknown and maintenance 1, degraded 2, partial outage 3, major outage 4.
func (s Status) Rank() int {
	switch s {
	case Operational:
		return 0
	case Degraded:
		return 2
	case PartialOutage:
		return 3
	case MajorOutage:
		return 4
	}
	return 1
}

// Kind tells an incident from planned work and from announcements that report no fault.
type Kind string

// The kinds of entries on a status page.
const (
	KindIncident    Kind = "incident"
	KindMaintenance Kind = "maintenance"
	KindNotice      Kind = "notice"
)

// A Component is a part of a provider's service that its page names.
type Component struct {
	// ID is the page's own id, unique in the page but not stable over a change of platform.
	ID string `json:"id"`
	// Name is the component's own name without its group's.
	Name string `json:"name"`
	// Group is the name of the group it stands in, empty without one.
	Group string `json:"group,omitempty"`
	// Status is its state; inside an incident the worst known over the incident's life, else its state now.
	Status Status `json:"status,omitempty"`
}

// An Update is one post of a provider about an incident.
type Update struct {
	// ID is the page's own id, or one derived from the content where the page has none; unique in the incident.
	ID    string
	Phase Phase
	// Body is plain text: no markup, entities decoded, white space collapsed but for line breaks. It is provider text: hostile.
	Body string
	// PostedAt is the time shown to readers, UTC; zero where not stated.
	PostedAt time.Time
	// EditedAt is when the provider says it was changed, UTC; zero: never or not stated.
	EditedAt time.Time
	// Components are the components whose state this update changed or names, with the state it gave them.
	Components []Component
}

// An Incident is one entry of a status page in the common words. All times are UTC; a zero time was not stated.
type Incident struct {
	// Provider is the slug; it travels with the incident but is not part of its JSON inside a document.
	Provider string
	// ID is unique in the provider's page.
	ID    string
	Kind  Kind
	Title string
	URL   string
	Phase Phase
	// Impact is the provider's grade, unknown where the page gives none.
	Impact                       Impact
	StartedAt, ResolvedAt        time.Time
	ScheduledFor, ScheduledUntil time.Time
	// Components are all that were linked or named over the whole life of the incident.
	Components []Component
	// Regions are those that the page links to the incident in fields of their own; regions in prose are read by guidance.
	Regions []string
	// Updates are oldest first.
	Updates []Update
}

// Key names an incident over all providers: "slug/id".
func (i *Incident) Key() string { return i.Provider + "/" + i.ID }

// Open reports whether the incident is going on: not over, not a notice, and for maintenance: begun.
func (i *Incident) Open() bool {
	if i.Kind == KindMaintenance {
		return i.Phase == InProgress || i.Phase == Verifying
	}
	return i.Kind == KindIncident && !i.Phase.Over()
}

// ComponentNames lists the components' names as people may write them in a filter: alone, and for those in a group with
// the group before it and the group alone.
func (i *Incident) ComponentNames() []string {
	out := make([]string, 0, 2*len(i.Components))
	for _, c := range i.Components {
		out = append(out, c.Name)
		if c.Group != "" {
			out = append(out, c.Group+" - "+c.Name, c.Group)
		}
	}
	return out
}

// Latest returns the newest update, nil where there is none.
func (i *Incident) Latest() *Update {
	if len(i.Updates) == 0 {
		return nil
	}
	return &i.Updates[len(i.Updates)-1]
}

// Validate reports what keeps the incident from being archived.
func (i *Incident) Validate() error {
	var errs []error
	if i.Provider == "" {
		errs = append(errs, errors.New("incident without provider"))
	}
	if i.ID == "" {
		errs = append(errs, errors.New("incident without id"))
	}
	seen := make(map[string]bool, len(i.Updates))
	for n, u := range i.Updates {
		if u.ID == "" {
			errs = append(errs, fmt.Errorf("incident %s: update %d without id", i.ID, n+1))
		} else if seen[u.ID] {
			errs = append(errs, fmt.Errorf("incident %s: update id %s twice", i.ID, u.ID))
		}
		seen[u.ID] = true
	}
	return errors.Join(errs...)
}

// A Page is what a status page says of itself.
type Page struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// A Document is one reading of one status source in the common words ("downwind.feed/v1").
type Document struct {
	// Provider is the slug, empty where neither the caller nor the address tells it.
	Provider string
	Platform string
	Page     Page
	// Error says why the source could not be read; empty when it was. An unreadable document has no components and no incidents.
	Error      string
	Components []Component
	// Incidents are in the payload's order.
	Incidents []Incident
	// Partial says that the document is about some incidents only (a webhook, one entry): what is missing says nothing.
	Partial bool
	// OpenOnly says that the source lists what is open and nothing else: a known open incident that is missing has ended,
	// one that is over has left the list.
	OpenOnly bool
	// Without are the kinds of entries that the payload cannot list; their absence says nothing.
	Without     []Kind
	Diagnostics []Diagnostic
}

// Readable reports whether the document could be read; an empty readable document is a quiet source.
func (d *Document) Readable() bool { return d.Error == "" }

// Severity grades a diagnostic.
type Severity string

// The grades of diagnostics.
const (
	SeverityInfo    Severity = "info"
	SeverityWarning Severity = "warning"
	SeverityError   Severity = "error"
)

// A Diagnostic says what could not be understood, and where.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Path names the file or address, empty where the context does.
	Path string `json:"path,omitempty"`
	// Line counts from 1; 0: not known.
	Line    int    `json:"line,omitempty"`
	Summary string `json:"summary"`
}

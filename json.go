package downwind

import (
	"cmp"
	"encoding/json"
	"time"
)

// The JSON of this file is the contract of `downwind feed --json` and its relatives: times RFC 3339 in UTC, a missing
// time null, lists never null. Unknown fields of the input are ignored.

// jsonTime is a time that is null when zero.
type jsonTime struct{ time.Time }

func (t jsonTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().MarshalJSON()
}

func (t *jsonTime) UnmarshalJSON(b []byte) error {
	if string(b) == "null" || string(b) == `""` {
		t.Time = time.Time{}
		return nil
	}
	var v time.Time
	if err := v.UnmarshalJSON(b); err != nil {
		return err
	}
	t.Time = v.UTC()
	return nil
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// each turns a list into one of another type; nil stays nil.
func each[A, B any](in []A, f func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// The types with the shape of the JSON hold each other, rather than the types they stand for: with those, the library reads
// what is nested once more at every level.

type updateJSON struct {
	ID         string      `json:"id"`
	Phase      Phase       `json:"phase"`
	Body       string      `json:"body"`
	PostedAt   jsonTime    `json:"posted_at"`
	EditedAt   jsonTime    `json:"edited_at"`
	Components []Component `json:"components,omitempty"`
}

func (u Update) shape() updateJSON {
	return updateJSON{u.ID, u.Phase, u.Body, jsonTime{u.PostedAt}, jsonTime{u.EditedAt}, u.Components}
}

func (w updateJSON) update() Update {
	return Update{w.ID, w.Phase, w.Body, w.PostedAt.Time, w.EditedAt.Time, w.Components}
}

// MarshalJSON writes the update in the shape of "downwind.feed/v1".
func (u Update) MarshalJSON() ([]byte, error) { return json.Marshal(u.shape()) }

// UnmarshalJSON reads that shape.
func (u *Update) UnmarshalJSON(b []byte) error {
	var w updateJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*u = w.update()
	return nil
}

type incidentJSON struct {
	Provider       string       `json:"provider,omitempty"`
	ID             string       `json:"id"`
	Kind           Kind         `json:"kind"`
	Title          string       `json:"title"`
	URL            string       `json:"url"`
	Phase          Phase        `json:"phase"`
	Impact         Impact       `json:"impact"`
	StartedAt      jsonTime     `json:"started_at"`
	ResolvedAt     jsonTime     `json:"resolved_at"`
	ScheduledFor   jsonTime     `json:"scheduled_for"`
	ScheduledUntil jsonTime     `json:"scheduled_until"`
	Components     []Component  `json:"components"`
	Regions        []string     `json:"regions"`
	Updates        []updateJSON `json:"updates"`
}

func (i Incident) shape() incidentJSON {
	return incidentJSON{
		i.Provider, i.ID, i.Kind, i.Title, i.URL, i.Phase, i.Impact,
		jsonTime{i.StartedAt},
		jsonTime{i.ResolvedAt},
		jsonTime{i.ScheduledFor},
		jsonTime{i.ScheduledUntil},
		list(i.Components), list(i.Regions), list(each(i.Updates, Update.shape)),
	}
}

// incident takes over what was read; missing words become unknown.
func (w incidentJSON) incident() Incident {
	return Incident{
		w.Provider, w.ID, cmp.Or(w.Kind, KindIncident), w.Title, w.URL, cmp.Or(w.Phase, PhaseUnknown), cmp.Or(w.Impact, ImpactUnknown),
		w.StartedAt.Time, w.ResolvedAt.Time, w.ScheduledFor.Time, w.ScheduledUntil.Time,
		w.Components, w.Regions, each(w.Updates, updateJSON.update),
	}
}

// MarshalJSON writes the incident in the shape of "downwind.feed/v1".
func (i Incident) MarshalJSON() ([]byte, error) { return json.Marshal(i.shape()) }

// UnmarshalJSON reads that shape; missing words become unknown.
func (i *Incident) UnmarshalJSON(b []byte) error {
	var w incidentJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*i = w.incident()
	return nil
}

// DocumentSchema names the JSON of a Document.
const DocumentSchema = "downwind.feed/v1"

type documentJSON struct {
	Schema      string         `json:"schema"`
	Provider    *string        `json:"provider"`
	Platform    string         `json:"platform"`
	Page        Page           `json:"page"`
	State       string         `json:"state"`
	Error       *string        `json:"error"`
	Components  []Component    `json:"components"`
	Incidents   []incidentJSON `json:"incidents"`
	Partial     bool           `json:"partial,omitempty"`
	OpenOnly    bool           `json:"open_only,omitempty"`
	Without     []Kind         `json:"without,omitempty"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
}

// MarshalJSON writes the document as "downwind.feed/v1".
func (d Document) MarshalJSON() ([]byte, error) {
	w := documentJSON{
		Schema: DocumentSchema, Platform: d.Platform, Page: d.Page, State: "ok",
		Components: list(d.Components), Incidents: list(each(d.Incidents, Incident.shape)), Partial: d.Partial, OpenOnly: d.OpenOnly, Without: d.Without, Diagnostics: d.Diagnostics,
	}
	if d.Provider != "" {
		w.Provider = &d.Provider
	}
	if d.Error != "" {
		w.State, w.Error = "unreadable", &d.Error
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a document that `feed --json` wrote.
func (d *Document) UnmarshalJSON(b []byte) error {
	var w documentJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*d = Document{
		Platform: w.Platform, Page: w.Page, Components: w.Components, Incidents: each(w.Incidents, incidentJSON.incident),
		Partial: w.Partial, OpenOnly: w.OpenOnly, Without: w.Without, Diagnostics: w.Diagnostics,
	}
	if w.Provider != nil {
		d.Provider = *w.Provider
	}
	if w.Error != nil {
		d.Error = *w.Error
	}
	for i := range d.Incidents {
		if d.Incidents[i].Provider == "" {
			d.Incidents[i].Provider = d.Provider
		}
	}
	return nil
}

type windowJSON struct {
	Start     jsonTime `json:"start"`
	End       jsonTime `json:"end"`
	Scope     string   `json:"scope"`
	Approx    bool     `json:"approx"`
	Source    string   `json:"source"`
	Text      string   `json:"text"`
	StartFrom string   `json:"start_from,omitempty"`
	Update    string   `json:"update,omitempty"`
}

// MarshalJSON writes the window in the shape of "downwind.explain/v1".
func (w Window) MarshalJSON() ([]byte, error) {
	return json.Marshal(windowJSON{jsonTime{w.Start}, jsonTime{w.End}, w.Scope, w.Approx, w.Source, w.Text, w.StartFrom, w.Update})
}

// UnmarshalJSON reads that shape.
func (w *Window) UnmarshalJSON(b []byte) error {
	var v windowJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*w = Window{v.Start.Time, v.End.Time, v.Scope, v.Approx, v.Source, v.Text, v.StartFrom, v.Update}
	return nil
}

type periodJSON struct {
	Start jsonTime `json:"start"`
	End   jsonTime `json:"end"`
}

// MarshalJSON writes {"start","end"} with null for open bounds.
func (p Period) MarshalJSON() ([]byte, error) {
	return json.Marshal(periodJSON{jsonTime{p.Start}, jsonTime{p.End}})
}

// UnmarshalJSON reads that shape.
func (p *Period) UnmarshalJSON(b []byte) error {
	var v periodJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*p = Period{v.Start.Time, v.End.Time}
	return nil
}

// GuidanceSchema names the JSON of a Guidance.
const GuidanceSchema = "downwind.explain/v1"

type guidanceJSON struct {
	Schema     string     `json:"schema"`
	Phase      Phase      `json:"phase"`
	Windows    []Window   `json:"windows"`
	Replay     *Period    `json:"replay_window"`
	Padded     *Period    `json:"replay_padded"`
	Paste      []Period   `json:"replay_periods,omitempty"`
	PageGuess  *Period    `json:"page_guess,omitempty"`
	Regions    []string   `json:"regions"`
	Components []string   `json:"components"`
	Categories []Category `json:"categories"`
	Actions    []Action   `json:"actions"`
	NoneNeeded bool       `json:"none_needed"`
	Conflicts  []string   `json:"conflicts"`
	Advice     []string   `json:"advice"`
	Checklist  []string   `json:"checklist,omitempty"`
	DataLoss   string     `json:"data_loss,omitempty"`
	Delayed    []string   `json:"delayed_effects,omitempty"`
	Superseded []Window   `json:"superseded,omitempty"`
	Yours      []int      `json:"yours,omitzero"`
}

// MarshalJSON writes the guidance as "downwind.explain/v1".
func (g Guidance) MarshalJSON() ([]byte, error) {
	return json.Marshal(guidanceJSON{
		GuidanceSchema, g.Phase, list(g.Windows), g.Replay, g.Padded, g.Paste, g.PageGuess, list(g.Regions), list(g.Components),
		list(g.Categories), list(g.Actions), g.NoneNeeded, list(g.Conflicts), list(g.Advice), g.Checklist, g.DataLoss,
		g.Delayed, g.Superseded, g.Yours,
	})
}

// UnmarshalJSON reads that shape.
func (g *Guidance) UnmarshalJSON(b []byte) error {
	var w guidanceJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*g = Guidance{
		w.Phase, w.Windows, w.Replay, w.Padded, w.Paste, w.PageGuess, w.Regions, w.Components, w.Categories, w.Actions,
		w.NoneNeeded, w.Conflicts, w.Advice, w.Checklist, w.DataLoss, w.Delayed, w.Superseded, w.Yours,
	}
	return nil
}

// StackSchema names the JSON of a Stack.
const StackSchema = "downwind.stack/v1"

// MarshalJSON writes the stack as "downwind.stack/v1"; lists are never null.
func (s Stack) MarshalJSON() ([]byte, error) {
	type plain Stack
	files := make([]StackFile, len(s.Files))
	for i, f := range s.Files {
		f.Diagnostics = list(f.Diagnostics)
		files[i] = f
	}
	uses := make([]Use, len(s.Providers))
	for i, u := range s.Providers {
		u.Services, u.Regions, u.Evidence = list(u.Services), list(u.Regions), list(u.Evidence)
		uses[i] = u
	}
	s.Files, s.Providers, s.Unknown = files, uses, list(s.Unknown)
	return json.Marshal(struct {
		Schema string `json:"schema"`
		plain
	}{StackSchema, plain(s)})
}

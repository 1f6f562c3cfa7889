package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"downwind"
)

// A stamp is a time that is null in JSON when zero.
type stamp time.Time

// MarshalJSON implements json.Marshaler.
func (t stamp) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(isoTime(time.Time(t)))
}

// writeJSON writes one document with a validator.
func writeJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("json: %w", err)
	}
	return answer(w, r, "application/json", append(body, '\n'))
}

// An incidentSummary is an incident in a list.
type incidentSummary struct {
	Provider     string          `json:"provider"`
	ProviderName string          `json:"provider_name"`
	ID           string          `json:"id"`
	Kind         downwind.Kind   `json:"kind"`
	Title        string          `json:"title"`
	Phase        downwind.Phase  `json:"phase"`
	Impact       downwind.Impact `json:"impact"`
	StartedAt    stamp           `json:"started_at"`
	EndedAt      stamp           `json:"ended_at"`
	ScheduledFor stamp           `json:"scheduled_for"`
	ScheduledTo  stamp           `json:"scheduled_until"`
	Components   []string        `json:"components"`
	Open         bool            `json:"open"`
	ChangedAt    stamp           `json:"changed_at"`
	Versions     int             `json:"versions"`
	URL          string          `json:"url"`
}

func (s *Server) summary(r *http.Request, rec downwind.IncidentRecord) incidentSummary {
	inc := &rec.Incident
	out := incidentSummary{
		Provider: inc.Provider, ProviderName: s.providerName(inc.Provider), ID: inc.ID, Kind: inc.Kind, Title: inc.Title,
		Phase: inc.Phase, Impact: inc.Impact, StartedAt: stamp(inc.StartedAt), ScheduledFor: stamp(inc.ScheduledFor),
		ScheduledTo: stamp(inc.ScheduledUntil), Components: []string{}, Open: inc.Open(), ChangedAt: stamp(rec.ChangedAt),
		Versions: rec.Versions, URL: s.baseFor(r) + incidentPath(inc),
	}
	if !inc.Open() {
		out.EndedAt = stamp(ended(inc))
	}
	for _, c := range inc.Components {
		out.Components = append(out.Components, c.Name)
	}
	return out
}

// A sourceJSON is a source as the API shows it.
type sourceJSON struct {
	Provider  string               `json:"provider"`
	URL       string               `json:"url"`
	Platform  string               `json:"platform"`
	State     downwind.SourceState `json:"state"`
	LastRead  stamp                `json:"last_read"`
	LastTried stamp                `json:"last_tried"`
	Failures  int                  `json:"failures"`
	Error     *string              `json:"error"`
}

func sourceOut(src downwind.Source) sourceJSON {
	out := sourceJSON{
		Provider: src.Provider, URL: src.URL, Platform: src.Platform, State: src.State,
		LastRead: stamp(src.LastRead), LastTried: stamp(src.LastTried), Failures: src.Failures,
	}
	if src.Error != "" {
		text := oneLine(src.Error)
		out.Error = &text
	}
	return out
}

// A providerJSON is a provider with what is known of it now.
type providerJSON struct {
	Slug       string               `json:"slug"`
	Name       string               `json:"name"`
	Homepage   string               `json:"homepage"`
	StatusURL  string               `json:"status_url"`
	Platform   string               `json:"platform"`
	Source     *sourceJSON          `json:"source"`
	Components []downwind.Component `json:"components,omitempty"`
	Open       []incidentSummary    `json:"open_incidents,omitempty"`
}

func (s *Server) providerOut(r *http.Request, v *providerView) providerJSON {
	out := providerBrief(v.Provider, v.Source)
	for _, g := range v.Groups {
		out.Components = append(out.Components, g.Components...)
	}
	for _, c := range v.Open {
		out.Open = append(out.Open, s.summary(r, c.Rec))
	}
	return out
}

func providerBrief(p downwind.Provider, src downwind.Source) providerJSON {
	out := providerJSON{Slug: p.Slug, Name: p.Name, Homepage: p.Homepage, StatusURL: p.StatusURL, Platform: p.Platform}
	if src.Provider != "" {
		brief := sourceOut(src)
		out.Source = &brief
	}
	return out
}

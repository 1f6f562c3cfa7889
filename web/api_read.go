package web

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"downwind"
)

//go:embed openapi.yaml
var openAPI []byte

func (s *Server) apiDescription(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	return answer(w, r, "application/yaml", openAPI)
}

func (s *Server) apiProviders(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	q := r.URL.Query()
	size, err := pageSize(r, 500, 1000)
	if err != nil {
		return err
	}
	found := s.opt.Catalog.All()
	if text := strings.TrimSpace(q.Get("q")); text != "" {
		found = append([]downwind.Provider(nil), s.opt.Catalog.Search(text)...)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Slug < found[j].Slug })
	sources, err := s.opt.Reader.Sources(r.Context())
	if err != nil {
		return err
	}
	bySlug := map[string]downwind.Source{}
	for _, src := range sources {
		bySlug[src.Provider] = src
	}
	out := listing[providerJSON]{Items: []providerJSON{}}
	for _, p := range found {
		if p.Slug <= q.Get("cursor") {
			continue
		}
		if len(out.Items) == size {
			out.Next = s.nextPage(r, out.Items[size-1].Slug)
			break
		}
		out.Items = append(out.Items, providerBrief(p, bySlug[p.Slug]))
	}
	return writeJSON(w, r, out)
}

func (s *Server) apiProvider(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	p, err := s.knownProvider(r.PathValue("slug"))
	if err != nil {
		return err
	}
	v, err := s.providerView(r, p)
	if err != nil {
		return err
	}
	return writeJSON(w, r, s.providerOut(r, v))
}

// incidentFilter reads provider, open, kind, q, since, until and cursor.
func (s *Server) incidentFilter(r *http.Request) (downwind.IncidentFilter, error) {
	q := r.URL.Query()
	f := downwind.IncidentFilter{Query: clip(q.Get("q"), 200), Before: q.Get("cursor"), Kind: downwind.Kind(q.Get("kind"))}
	switch f.Kind {
	case "", downwind.KindIncident, downwind.KindMaintenance, downwind.KindNotice:
	default:
		return f, refuse(http.StatusBadRequest, "kind is incident, maintenance or notice.")
	}
	for _, name := range words(q["provider"]) {
		p, err := s.knownProvider(name)
		if err != nil {
			return f, err
		}
		f.Providers = append(f.Providers, p.Slug)
	}
	switch q.Get("open") {
	case "":
	case "true", "false":
		yes := q.Get("open") == "true"
		f.Open = &yes
	default:
		return f, refuse(http.StatusBadRequest, "open is true or false.")
	}
	for _, bound := range []struct {
		name string
		to   *time.Time
	}{{"since", &f.Since}, {"until", &f.Until}} {
		if text := q.Get(bound.name); text != "" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return f, refuse(http.StatusBadRequest, "%s is a time like 2026-11-30T03:16:00Z.", bound.name)
			}
			*bound.to = at.UTC()
		}
	}
	return f, nil
}

func (s *Server) apiIncidents(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	f, err := s.incidentFilter(r)
	if err != nil {
		return err
	}
	size, err := pageSize(r, 50, 200)
	if err != nil {
		return err
	}
	f.Limit = size + 1
	recs, err := s.opt.Reader.Incidents(r.Context(), f)
	if err != nil {
		return err
	}
	out := listing[incidentSummary]{Items: []incidentSummary{}}
	if len(recs) > size {
		recs = recs[:size]
		out.Next = s.nextPage(r, recs[size-1].Cursor)
	}
	for _, rec := range recs {
		out.Items = append(out.Items, s.summary(r, rec))
	}
	return writeJSON(w, r, out)
}

// apiRecord finds the incident of the path.
func (s *Server) apiRecord(r *http.Request) (downwind.IncidentRecord, error) {
	slug := r.PathValue("provider")
	if p, ok := s.opt.Catalog.Lookup(slug); ok {
		slug = p.Slug
	}
	rec, err := s.opt.Reader.Incident(r.Context(), slug, r.PathValue("id"))
	if isMissing(err) {
		return rec, refuse(http.StatusNotFound, "No such incident has been read.")
	}
	return rec, err
}

func (s *Server) apiIncident(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	rec, err := s.apiRecord(r)
	if err != nil {
		return err
	}
	return writeJSON(w, r, s.incidentOut(r, rec))
}

// A versionJSON is one archived state of an incident.
type versionJSON struct {
	ID       int64              `json:"id"`
	Number   int                `json:"number"`
	SeenAt   stamp              `json:"seen_at"`
	LastSeen stamp              `json:"last_seen"`
	Hash     string             `json:"sha256"`
	Leaf     *int64             `json:"log_leaf"`
	Changes  []changeJSON       `json:"changes"`
	State    *downwind.Incident `json:"incident,omitempty"`
}

type changeJSON struct {
	Kind   downwind.ChangeKind `json:"kind"`
	Update string              `json:"update,omitempty"`
	Field  string              `json:"field,omitempty"`
	From   string              `json:"from,omitempty"`
	To     string              `json:"to,omitempty"`
	At     stamp               `json:"at"`
	Silent bool                `json:"silent"`
}

func versionOut(v downwind.Version, whole bool) versionJSON {
	out := versionJSON{ID: v.ID, Number: v.Number, SeenAt: stamp(v.SeenAt), LastSeen: stamp(v.LastSeen), Hash: v.Hash, Changes: []changeJSON{}}
	if v.Leaf >= 0 {
		out.Leaf = &v.Leaf
	}
	for _, c := range v.Changes {
		out.Changes = append(out.Changes, changeJSON{c.Kind, c.Update, c.Field, c.From, c.To, stamp(c.At), c.Silent})
	}
	if whole {
		state := v.State
		state.Provider = ""
		out.State = &state
	}
	return out
}

func (s *Server) apiVersions(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	rec, err := s.apiRecord(r)
	if err != nil {
		return err
	}
	versions, err := s.opt.Reader.Versions(r.Context(), rec.Incident.Provider, rec.Incident.ID)
	if err != nil {
		return err
	}
	out := listing[versionJSON]{Items: []versionJSON{}}
	for _, v := range versions {
		out.Items = append(out.Items, versionOut(v, false))
	}
	return writeJSON(w, r, out)
}

// apiOneVersion finds the version of the path.
func (s *Server) apiOneVersion(r *http.Request) (downwind.Version, error) {
	rec, err := s.apiRecord(r)
	if err != nil {
		return downwind.Version{}, err
	}
	versions, err := s.opt.Reader.Versions(r.Context(), rec.Incident.Provider, rec.Incident.ID)
	if err != nil {
		return downwind.Version{}, err
	}
	for _, v := range versions {
		if itoa(v.Number) == r.PathValue("n") {
			return v, nil
		}
	}
	return downwind.Version{}, refuse(http.StatusNotFound, "This incident has %s.", countWord(len(versions), "version", "versions"))
}

func (s *Server) apiVersion(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	v, err := s.apiOneVersion(r)
	if err != nil {
		return err
	}
	return writeJSON(w, r, versionOut(v, true))
}

// apiProof sends the proof bundle of a version, as `downwind verify` and POST /verify read it.
func (s *Server) apiProof(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	v, err := s.apiOneVersion(r)
	if err != nil {
		return err
	}
	if s.opt.Bundle == nil {
		return refuse(http.StatusNotImplemented, "This installation offers no proofs.")
	}
	body, err := s.opt.Bundle(r.Context(), v)
	if err != nil {
		return fmt.Errorf("proof bundle of version %d: %w", v.ID, err)
	}
	return answer(w, r, "application/octet-stream", body)
}

// maxBundle bounds a proof bundle that is sent in; those we write are far smaller.
const maxBundle = 8 << 20

// apiVerify checks a proof bundle against this installation's log and says what it proves.
func (s *Server) apiVerify(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	if s.opt.Verify == nil {
		return refuse(http.StatusNotImplemented, "This installation verifies no proofs; downwind verify does so anywhere.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBundle))
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return refuse(http.StatusBadRequest, "Send the bytes of a .dwproof file.")
	}
	result, report := s.opt.Verify(r.Context(), body)
	return writeJSON(w, r, struct {
		Schema string `json:"schema"`
		Result string `json:"result"`
		Report any    `json:"report"`
	}{"downwind.verify/v1", result, report})
}

func (s *Server) apiWindows(w http.ResponseWriter, r *http.Request, _ apiCaller) error {
	rec, err := s.apiRecord(r)
	if err != nil {
		return err
	}
	return writeJSON(w, r, s.opt.Explain(rec, nil))
}

// A teamJSON is a team without its stack's evidence and without its secret.
type teamJSON struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Timezone  string   `json:"timezone"`
	Providers []string `json:"providers"`
	StackAt   stamp    `json:"stack_at"`
	StackBy   string   `json:"stack_by"`
}

func teamOut(t downwind.Team) teamJSON {
	out := teamJSON{ID: t.ID, Name: t.Name, Timezone: t.Timezone, Providers: teamProviders(t), StackAt: stamp(t.StackAt), StackBy: t.StackBy}
	if out.Providers == nil {
		out.Providers = []string{}
	}
	return out
}

func (s *Server) apiTeams(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	teams, err := s.opt.Reader.Teams(r.Context())
	if err != nil {
		return err
	}
	out := listing[teamJSON]{Items: []teamJSON{}}
	for _, t := range teams {
		if who.team == "" || who.team == t.ID {
			out.Items = append(out.Items, teamOut(t))
		}
	}
	return writeJSON(w, r, out)
}

func (s *Server) apiTeam(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	return writeJSON(w, r, teamOut(team))
}

// A subscriptionJSON is what a destination wishes to hear.
type subscriptionJSON struct {
	ID          int64               `json:"id"`
	Destination string              `json:"destination"`
	Target      downwind.TargetKind `json:"target"`
	Provider    string              `json:"provider"`
	Component   string              `json:"component"`
	Filter      downwind.Filter     `json:"filter"`
	CreatedBy   string              `json:"created_by"`
	CreatedAt   stamp               `json:"created_at"`
}

func (s *Server) apiSubscriptions(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	destinations, err := s.opt.Reader.Destinations(r.Context(), team.ID)
	if err != nil {
		return err
	}
	out := listing[subscriptionJSON]{Items: []subscriptionJSON{}}
	for _, d := range destinations {
		subs, err := s.opt.Reader.Subscriptions(r.Context(), d.ID)
		if err != nil {
			return err
		}
		for _, sub := range subs {
			out.Items = append(out.Items, subscriptionJSON{sub.ID, d.ID, sub.Target, sub.Provider, sub.Component, sub.Filter, sub.CreatedBy, stamp(sub.CreatedAt)})
		}
	}
	return writeJSON(w, r, out)
}

// A holdJSON is one line of the ledger: what was not sent, and why.
type holdJSON struct {
	ID          int64               `json:"id"`
	Destination string              `json:"destination"`
	Incident    string              `json:"incident"`
	Kind        downwind.ChangeKind `json:"kind"`
	Reason      downwind.HoldReason `json:"reason"`
	Text        string              `json:"text"`
	At          stamp               `json:"at"`
}

func (s *Server) apiHolds(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	size, err := pageSize(r, 100, 500)
	if err != nil {
		return err
	}
	f := downwind.HoldFilter{Team: team.ID, Incident: r.URL.Query().Get("incident"), Limit: size + 1}
	var id string
	if f.Before, id, err = readCursor(r); err != nil {
		return err
	}
	if id != "" {
		if f.BeforeID, err = strconv.ParseInt(id, 10, 64); err != nil {
			return refuse(http.StatusBadRequest, "The cursor cannot be read; take it from next.")
		}
	}
	holds, err := s.opt.Reader.Holds(r.Context(), f)
	if err != nil {
		return err
	}
	out := listing[holdJSON]{Items: []holdJSON{}}
	if len(holds) > size {
		holds = holds[:size]
		out.Next = s.nextPage(r, listCursor(holds[size-1].At, strconv.FormatInt(holds[size-1].ID, 10)))
	}
	for _, h := range holds {
		out.Items = append(out.Items, holdJSON{h.ID, h.Destination, h.Incident, h.Kind, h.Reason, h.Text, stamp(h.At)})
	}
	return writeJSON(w, r, out)
}

// A deliveryJSON is one incident in one destination: what should be visible there, and what is.
type deliveryJSON struct {
	ID          string                 `json:"id"`
	Destination string                 `json:"destination"`
	Team        string                 `json:"team"`
	Incident    string                 `json:"incident"`
	State       downwind.DeliveryState `json:"state"`
	Reason      string                 `json:"reason"`
	Desired     int                    `json:"desired"`
	Applied     int                    `json:"applied"`
	Edited      int                    `json:"edited"`
	Message     string                 `json:"message"`
	UpdatedAt   stamp                  `json:"updated_at"`
}

func (s *Server) apiDeliveries(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	q := r.URL.Query()
	size, err := pageSize(r, 100, 500)
	if err != nil {
		return err
	}
	f := downwind.DeliveryFilter{Team: who.team, Incident: q.Get("incident"), State: downwind.DeliveryState(q.Get("state")), Limit: size + 1}
	if f.Before, f.BeforeID, err = readCursor(r); err != nil {
		return err
	}
	if id := q.Get("team"); id != "" {
		team, err := s.callersTeam(r.Context(), who, id)
		if err != nil {
			return err
		}
		f.Team = team.ID
	}
	switch f.State {
	case "", downwind.DeliveryActive, downwind.DeliveryHeld, downwind.DeliveryPaused, downwind.DeliveryDone:
	default:
		return refuse(http.StatusBadRequest, "state is active, held, paused or done.")
	}
	rows, err := s.opt.Reader.Deliveries(r.Context(), f)
	if err != nil {
		return err
	}
	out := listing[deliveryJSON]{Items: []deliveryJSON{}}
	if len(rows) > size {
		rows = rows[:size]
		out.Next = s.nextPage(r, listCursor(rows[size-1].UpdatedAt, rows[size-1].ID))
	}
	for _, d := range rows {
		out.Items = append(out.Items, deliveryJSON{d.ID, d.Destination, d.Team, d.Incident, d.State, d.Reason, d.Desired, d.Applied, d.Edited, d.RootID, stamp(d.UpdatedAt)})
	}
	return writeJSON(w, r, out)
}

// An impactJSON is one open incident with the judgement for a team ("downwind.match/v1" results).
type impactJSON struct {
	Incident   incidentSummary   `json:"incident"`
	Affected   bool              `json:"affected"`
	Confidence downwind.Verdict  `json:"confidence"`
	Components []string          `json:"components"`
	Regions    []string          `json:"regions"`
	Urgency    downwind.Urgency  `json:"urgency"`
	Why        []downwind.Reason `json:"why"`
	WhyNot     *string           `json:"why_not"`
}

// apiImpact judges everything that is open against a team's stack.
func (s *Server) apiImpact(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.URL.Query().Get("team"))
	if err != nil {
		return err
	}
	open, err := s.openIncidents(r.Context(), "")
	if err != nil {
		return err
	}
	out := struct {
		Team     string       `json:"team"`
		Affected bool         `json:"affected"`
		Items    []impactJSON `json:"items"`
	}{Team: team.ID, Items: []impactJSON{}}
	for _, rec := range open {
		m := s.opt.Judge(&rec.Incident, &team)
		item := impactJSON{
			Incident: s.summary(r, rec), Affected: m.Affected, Confidence: m.Verdict, Components: atMost(m.Components, 200),
			Regions: atMost(m.Regions, 200), Urgency: m.Urgency, Why: m.Why,
		}
		if item.Why == nil {
			item.Why = []downwind.Reason{}
		}
		if !m.Affected {
			item.WhyNot = &m.WhyNot
		}
		out.Affected = out.Affected || m.Affected
		out.Items = append(out.Items, item)
	}
	sort.SliceStable(out.Items, func(i, j int) bool { return out.Items[i].Affected && !out.Items[j].Affected })
	return writeJSON(w, r, out)
}

func queryOr(q url.Values, key, standard string) string {
	if v := q.Get(key); v != "" {
		return v
	}
	return standard
}

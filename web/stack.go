package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"

	"downwind"
)

type stackView struct {
	// Result is nil on the empty form.
	Result *stackResult
	Team   string
	// MayKeep says that the visitor may store the result as the team's stack, and subscribe its Channels.
	MayKeep  bool
	Channels []destinationRow
}

type stackResult struct {
	Stack downwind.Stack
	// Sure, Guess and Unknown are the three groups; SelfHosted stands beside them.
	Sure, Guess []useRow
	Unknown     []downwind.Evidence
	SelfHosted  []selfHosted
	// Read are the files that were understood, Unread the others.
	Read, Unread []downwind.StackFile
	// Now are open incidents that hit this stack, Past those of the last months that would have.
	Now, Past []card
	// PastCount counts all of the past; Past holds the newest.
	PastCount int
	Skipped   int
	// Feed is the address of a feed of just these providers.
	Feed string
	// JSON is the stack for the forms that keep it and look back.
	JSON string
}

type useRow struct {
	downwind.Use
	// Shown is the evidence to show at first, More what lies behind it.
	Shown, More []downwind.Evidence
}

type selfHosted struct {
	Provider, Name string
	Evidence       []downwind.Evidence
}

// pastDays is how far a check of a stack looks back.
const pastDays = 90

// pastShown is how many of the past incidents are listed.
const pastShown = 8

func (s *Server) stackFormView(r *http.Request) (stackView, error) {
	v := stackView{}
	who := sessionOf(r)
	if who == nil || who.Team == "" {
		return v, nil
	}
	v.Team, v.MayKeep = who.Team, who.Role.rank() >= RoleEditor.rank()
	if !v.MayKeep {
		return v, nil
	}
	list, err := s.opt.Reader.Destinations(r.Context(), who.Team)
	for _, d := range list {
		v.Channels = append(v.Channels, destinationRow{Destination: d})
	}
	return v, err
}

func (s *Server) showStackForm(w http.ResponseWriter, r *http.Request) error {
	data, err := s.stackFormView(r)
	if err != nil {
		return err
	}
	v := s.view(r, "Check a stack", data)
	v.Description = "Upload a lockfile or paste domains and see which providers you depend on. Nothing is stored."
	return s.show(w, r, "stack.html", v)
}

func (s *Server) checkStack(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Stacks == nil {
		return refuse(http.StatusNotImplemented, "This installation reads no stacks.")
	}
	up, err := readUpload(r)
	if err != nil {
		return err
	}
	files, err := up.stackFiles()
	if err != nil {
		return err
	}
	data, err := s.stackFormView(r)
	if err != nil {
		return err
	}
	if data.Result, err = s.stackResult(r, s.opt.Stacks.ReadFiles(r.Context(), files)); err != nil {
		return err
	}
	data.Result.Skipped = up.skipped
	body, err := json.Marshal(data.Result.Stack)
	if err != nil {
		return fmt.Errorf("stack: %w", err)
	}
	data.Result.JSON = string(body)
	v := s.view(r, countWord(len(data.Result.Stack.Providers), "provider", "providers")+" found", data)
	v.NoIndex = true
	return s.render(w, http.StatusOK, "stack.html", v)
}

func (s *Server) stackResult(r *http.Request, stack downwind.Stack) (*stackResult, error) {
	res := &stackResult{Stack: stack, Unknown: stack.Unknown}
	var slugs []string
	for _, u := range stack.Providers {
		row := useRow{Use: u, Shown: u.Evidence}
		if len(row.Shown) > 3 {
			row.Shown, row.More = u.Evidence[:3], u.Evidence[3:]
		}
		if len(row.More) > 60 {
			row.More = row.More[:60]
		}
		slugs = append(slugs, u.Provider)
		if u.Confidence == downwind.Sure {
			res.Sure = append(res.Sure, row)
		} else {
			res.Guess = append(res.Guess, row)
		}
	}
	if len(res.Unknown) > 200 {
		res.Unknown = res.Unknown[:200]
	}
	for slug, evidence := range stack.SelfHosted {
		res.SelfHosted = append(res.SelfHosted, selfHosted{slug, s.providerName(slug), evidence})
	}
	sort.Slice(res.SelfHosted, func(i, j int) bool { return res.SelfHosted[i].Name < res.SelfHosted[j].Name })
	for _, f := range stack.Files {
		if f.Kind == "" {
			res.Unread = append(res.Unread, f)
		} else {
			res.Read = append(res.Read, f)
		}
	}
	if len(slugs) == 0 {
		return res, nil
	}
	sort.Strings(slugs)
	res.Feed = "/feed?provider=" + url.QueryEscape(strings.Join(slugs, ","))
	return res, s.hits(r, res, slugs)
}

// hits finds what is open and what was in the last months and hits the stack.
func (s *Server) hits(r *http.Request, res *stackResult, slugs []string) error {
	recs, err := s.opt.Reader.Incidents(r.Context(), downwind.IncidentFilter{Providers: slugs, Kind: downwind.KindIncident, Limit: 500})
	if err != nil {
		return err
	}
	newestFirst(recs)
	yours := &downwind.Team{Stack: res.Stack}
	since := s.now().Add(-pastDays * 24 * time.Hour)
	for _, rec := range recs {
		if !rec.Withdrawn.IsZero() || began(rec).Before(since) {
			continue
		}
		c := s.card(rec, yours)
		affected := c.Match.Affected
		c.Match = nil // the heading says it for all of them
		switch {
		case !affected:
		case c.Inc.Open():
			res.Now = append(res.Now, c)
		default:
			if res.PastCount++; len(res.Past) < pastShown {
				res.Past = append(res.Past, c)
			}
		}
	}
	return nil
}

// keepStack stores what a check has shown as the stack of the visitor's team.
func (s *Server) keepStack(w http.ResponseWriter, r *http.Request) error {
	who := sessionOf(r)
	if who == nil {
		return refuse(http.StatusUnauthorized, "Sign in first; then check the stack again and keep it.")
	}
	if err := checkFormToken(r); err != nil {
		return err
	}
	if err := who.needTeam(); err != nil {
		return err
	}
	if who.Role.rank() < RoleEditor.rank() {
		return refuse(http.StatusForbidden, "Keeping a stack needs the role editor; you have signed in as %s.", who.Role)
	}
	stack, err := s.decodeStack([]byte(r.PostForm.Get("stack")))
	if err != nil {
		return err
	}
	if err := s.opt.Reader.SaveStack(r.Context(), who.Team, stack, who.Name, s.now()); err != nil {
		return fmt.Errorf("keep stack: %w", err)
	}
	http.Redirect(w, r, s.prefix+"/team#stack", http.StatusSeeOther)
	return nil
}

// decodeStack reads "downwind.stack/v1" and keeps only what is sound: known providers, known grades.
func (s *Server) decodeStack(body []byte) (downwind.Stack, error) {
	var wire struct {
		Schema string `json:"schema"`
		downwind.Stack
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return downwind.Stack{}, &httpError{status: http.StatusBadRequest, sentence: "This is not the JSON that `downwind stack --json` writes.", cause: err}
	}
	if wire.Schema != downwind.StackSchema {
		return downwind.Stack{}, refuse(http.StatusBadRequest, "The schema is %q; %s is understood.", clip(oneLine(wire.Schema), 40), downwind.StackSchema)
	}
	for i := range wire.Providers {
		u := &wire.Providers[i]
		p, ok := s.opt.Catalog.Lookup(u.Provider)
		if !ok {
			return downwind.Stack{}, refuse(http.StatusUnprocessableEntity, "providers[%d]: there is no provider called %q.", i, clip(oneLine(u.Provider), 60))
		}
		u.Provider, u.Name = p.Slug, p.Name
		switch u.Confidence {
		case downwind.Sure, downwind.Likely, downwind.Guess:
		default:
			return downwind.Stack{}, refuse(http.StatusUnprocessableEntity, "providers[%d]: the confidence is sure, likely or guess.", i)
		}
	}
	return wire.Stack, nil
}

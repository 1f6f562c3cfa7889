package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"downwind"
)

// backtestMonths are the spans that the form offers, in months.
var backtestMonths = []int{1, 3, 6, 12}

const (
	// backtestMost bounds the incidents that one backtest judges.
	backtestMost = 4000
	// backtestShown bounds the incidents that its page lists.
	backtestShown = 60
)

type backtestView struct {
	Months int
	Spans  []int
	// Result is nil on the empty form.
	Result *backtestResult
}

// A backtestResult is what the past would have brought to a stack.
type backtestResult struct {
	Stack downwind.Stack
	Since time.Time
	// Judged counts the incidents of the stack's providers; Cut says that there were more than could be judged.
	Judged int
	Cut    bool
	// Hits would have been told, newest first; Posts counts their updates, which go into the threads.
	Hits  []card
	Count int
	Posts int
	// Held counts the others by reason, the most frequent first.
	Held      []heldCount
	HeldTotal int
	Rows      []backtestMonth
	// JSON is the stack for the form that asks for another span.
	JSON string
}

type heldCount struct {
	Word    string
	Count   int
	Example card
	// Why is why the example does not hit.
	Why string
}

// A backtestMonth is one row of the chart.
type backtestMonth struct {
	Month      time.Time
	Hits, Held int
	// HitWidth and HeldWidth are the bars in percent of the longest row.
	HitWidth, HeldWidth float64
}

func (s *Server) showBacktestForm(w http.ResponseWriter, r *http.Request) error {
	v := s.view(r, "Backtest", backtestView{Months: 3, Spans: backtestMonths})
	v.Nav = "stack"
	v.Description = "Upload a stack and see what the past months would have told you, and what not. Nothing is stored."
	return s.show(w, r, "backtest.html", v)
}

func (s *Server) backtest(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Stacks == nil {
		return refuse(http.StatusNotImplemented, "This installation reads no stacks.")
	}
	up, err := readUpload(r)
	if err != nil {
		return err
	}
	months, err := strconv.Atoi(up.fields["months"])
	if err != nil || !slices.Contains(backtestMonths, months) {
		return refuse(http.StatusBadRequest, "The span is 1, 3, 6 or 12 months.")
	}
	stack, err := s.stackOf(r.Context(), up)
	if err != nil {
		return err
	}
	if len(stack.Providers) == 0 {
		return refuse(http.StatusUnprocessableEntity, "No provider that we know was found, so there is no past to look at. Check the stack to see what was read.")
	}
	result, err := s.replay(r.Context(), stack, s.now().AddDate(0, -months, 0))
	if err != nil {
		return err
	}
	v := s.view(r, "Backtest", backtestView{Months: months, Spans: backtestMonths, Result: result})
	v.Nav, v.NoIndex = "stack", true
	return s.render(w, http.StatusOK, "backtest.html", v)
}

// stackOf reads the uploaded files, or the stack that an earlier result handed on.
func (s *Server) stackOf(ctx context.Context, up *upload) (downwind.Stack, error) {
	if body := up.fields["stack"]; body != "" {
		return s.decodeStack([]byte(body))
	}
	files, err := up.stackFiles()
	if err != nil {
		return downwind.Stack{}, err
	}
	return s.opt.Stacks.ReadFiles(ctx, files), nil
}

// replay judges the incidents of the stack's providers since an instant.
func (s *Server) replay(ctx context.Context, stack downwind.Stack, since time.Time) (*backtestResult, error) {
	body, err := json.Marshal(stack)
	if err != nil {
		return nil, fmt.Errorf("stack: %w", err)
	}
	res := &backtestResult{Stack: stack, Since: since, JSON: string(body)}
	var slugs []string
	for _, u := range stack.Providers {
		slugs = append(slugs, u.Provider)
	}
	rows := map[time.Time]*backtestMonth{}
	held := map[string]*heldCount{}
	yours := &downwind.Team{Stack: stack}
	err = s.eachIncident(ctx, slugs, func(rec downwind.IncidentRecord) bool {
		at := began(rec)
		if !rec.Withdrawn.IsZero() || at.Before(since) {
			return true
		}
		if res.Judged == backtestMost {
			res.Cut = true
			return false
		}
		res.Judged++
		c := s.card(rec, yours)
		month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		row := rows[month]
		if row == nil {
			row = &backtestMonth{Month: month}
			rows[month] = row
		}
		if c.Match.Affected {
			res.hit(c)
			row.Hits++
		} else {
			res.held(held, c)
			row.Held++
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	res.finish(rows, held, s.now())
	return res, nil
}

func (b *backtestResult) hit(c card) {
	b.Count++
	b.Posts += max(0, len(c.Inc.Updates)-1)
	c.Match = nil // the heading says it for all of them
	b.Hits = append(b.Hits, c)
}

func (b *backtestResult) held(by map[string]*heldCount, c card) {
	b.HeldTotal++
	word := cmp.Or(holdWords()[c.Match.Held], oneLine(string(c.Match.Held)), "does not hit")
	n := by[word]
	if n == nil {
		n = &heldCount{Word: word, Example: c, Why: oneLine(c.Match.WhyNot)}
		n.Example.Match = nil
		by[word] = n
	}
	n.Count++
}

// finish sorts the rows and sets the lengths of the bars; months without incidents have a row too.
func (b *backtestResult) finish(rows map[time.Time]*backtestMonth, held map[string]*heldCount, now time.Time) {
	for month := time.Date(b.Since.Year(), b.Since.Month(), 1, 0, 0, 0, 0, time.UTC); !month.After(now); month = month.AddDate(0, 1, 0) {
		row := backtestMonth{Month: month}
		if r := rows[month]; r != nil {
			row = *r
		}
		b.Rows = append(b.Rows, row)
	}
	most := 1
	for _, row := range b.Rows {
		most = max(most, row.Hits+row.Held)
	}
	for i := range b.Rows {
		row := &b.Rows[i]
		row.HitWidth, row.HeldWidth = float64(row.Hits)/float64(most)*100, float64(row.Held)/float64(most)*100
	}
	slices.SortStableFunc(b.Hits, func(x, y card) int { return y.Began.Compare(x.Began) })
	b.Hits = b.Hits[:min(len(b.Hits), backtestShown)]
	for _, n := range held {
		b.Held = append(b.Held, *n)
	}
	slices.SortFunc(b.Held, func(x, y heldCount) int { return cmp.Or(y.Count-x.Count, cmp.Compare(x.Word, y.Word)) })
}

// eachIncident goes through the incidents of providers, the latest first seen first, until found says that it has enough.
// The time of first sight is no bound: at first contact a page's whole history is read at once.
func (s *Server) eachIncident(ctx context.Context, slugs []string, found func(downwind.IncidentRecord) bool) error {
	filter := downwind.IncidentFilter{Providers: slugs, Kind: downwind.KindIncident, Limit: 500}
	for range 2 * backtestMost / filter.Limit {
		recs, err := s.opt.Reader.Incidents(ctx, filter)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if !found(rec) {
				return nil
			}
		}
		if len(recs) < filter.Limit {
			return nil
		}
		filter.Before = recs[len(recs)-1].Cursor
	}
	return nil
}

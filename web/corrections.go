package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"downwind"
)

// A Report is what a visitor thinks is wrong, as kept under ReportKind.
type Report struct {
	// About is a path of ours or an address, Text what is wrong; both are the visitor's words.
	About string    `json:"about"`
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
}

// ReportKind is the kind of kept value under which reports stand for half a year.
const ReportKind = "web-report"

type correctionsView struct {
	// About fills the form; Sent says that a report has just been taken.
	About string
	Sent  bool
	// Rows are corrections by providers themselves: windows and states that changed after the fact.
	Rows []correctionRow
}

type correctionRow struct {
	Inc          *downwind.Incident
	ProviderName string
	At           time.Time
	Number       int
	Words        string
	Silent       bool
}

// correctionsOf lists the newest edits of what had been said.
func (s *Server) correctionsOf(ctx context.Context) ([]correctionRow, error) {
	kinds := []downwind.ChangeKind{downwind.ChangeEdit, downwind.ChangeWithdrawn}
	items, err := s.opt.Reader.FeedItems(ctx, downwind.FeedFilter{Kinds: kinds, Limit: 60})
	if err != nil {
		return nil, err
	}
	var rows []correctionRow
	seen := map[int64]bool{}
	for _, item := range items {
		if seen[item.Version] {
			continue
		}
		seen[item.Version] = true
		v, err := s.opt.Reader.Version(ctx, item.Version)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v.State.Provider = item.Provider
		row := correctionRow{Inc: &v.State, ProviderName: s.providerName(item.Provider), At: v.SeenAt, Number: v.Number, Words: changesWords(v.Changes)}
		for _, c := range v.Changes {
			row.Silent = row.Silent || c.Silent
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *Server) showCorrections(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.correctionsOf(r.Context())
	if err != nil {
		return err
	}
	if form := formOf(r); form != "" {
		return s.writeCorrectionsForm(w, r, form, rows)
	}
	data := correctionsView{Rows: rows, About: clip(oneLine(r.URL.Query().Get("about")), 300), Sent: r.URL.Query().Get("sent") == "1"}
	v := s.view(r, "Corrections", data)
	v.Description = "What providers changed after the fact, and a form to report an error of ours."
	v.Alternates = otherForms(r, "/corrections")
	return s.show(w, r, "corrections.html", v)
}

func (s *Server) reportError(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("form: %w", err)
	}
	report := Report{About: clip(oneLine(r.PostForm.Get("about")), 300), Text: clip(strings.TrimSpace(clean(r.PostForm.Get("text"))), 4000), At: s.now()}
	if report.Text == "" {
		return refuse(http.StatusBadRequest, "Say in a sentence what is wrong.")
	}
	body, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := s.opt.Reader.PutTemp(r.Context(), ReportKind, newSecret(), body, s.now().AddDate(0, 6, 0)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	s.log.Info("error reported by a visitor", "about", report.About)
	http.Redirect(w, r, s.prefix+"/corrections?sent=1", http.StatusSeeOther)
	return nil
}

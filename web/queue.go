package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// Queue is what operators see and do about the messages that wait and the wake-ups of the workers.
type Queue interface {
	// CountJobs counts the wake-ups by state, Jobs lists those in the given states, the newest first.
	CountJobs(ctx context.Context) (map[string]int64, error)
	Jobs(ctx context.Context, states []string, limit int) ([]downwind.Job, error)
	RetryJob(ctx context.Context, id int64) error
	CancelJob(ctx context.Context, id int64) error
	// ResumeDestination lets a paused destination receive again.
	ResumeDestination(ctx context.Context, id string) error
}

// jobStates are River's states in the order of a job's life, with what they mean here.
var jobStates = []struct{ State, Words string }{
	{"available", "ready to be worked"},
	{"running", "being worked"},
	{"scheduled", "due later"},
	{"retryable", "failed, tried again later"},
	{"completed", "done; kept for an hour"},
	{"cancelled", "called off by a person"},
	{"discarded", "failed; the sweeper wakes its messages again"},
}

const (
	queueShown   = 50
	queueLooked  = 1000
	queueErrored = 240
)

type queueView struct {
	Counts []jobCount
	// Failed are jobs that went wrong, Waiting those that have not been worked.
	Failed, Waiting []jobRow
	// Behind are messages that should be visible and are not, the longest waiting first; BehindMore counts the rest.
	Behind     []waitingRow
	BehindMore int
	// Paused are destinations that receive nothing, with the reason.
	Paused []destinationRow
	Notes  []downwind.Note
	Done   string
	// River is the address of the job engine's own pages, empty where they are not shown.
	River string
}

type jobCount struct {
	State, Words string
	Count        int64
}

type jobRow struct {
	downwind.Job
	// Who are the deliveries in words, at most three; More counts the rest.
	Who  []string
	More int
}

// A waitingRow is a delivery whose message is behind.
type waitingRow struct {
	downwind.Delivery
	Path, Title, Where string
	Missing            string
}

// operator serves a handler to those who have signed in with the installation's own token.
func (s *Server) operator(h handler) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		who := sessionOf(r)
		if who == nil {
			return s.askToSignIn(w, r)
		}
		if !who.Operator {
			return refuse(http.StatusForbidden, "This page shows every team's messages. Sign in with the administrator's token of the installation (server.admin_token_env).")
		}
		if s.opt.Queue == nil {
			return refuse(http.StatusNotImplemented, "This installation has no queue to show.")
		}
		return h(w, r)
	})
}

func (s *Server) operatorForm(h handler) http.Handler {
	return s.operator(s.guarded(func(w http.ResponseWriter, r *http.Request) error {
		if err := checkFormToken(r); err != nil {
			return err
		}
		return h(w, r)
	}))
}

func (s *Server) showQueue(w http.ResponseWriter, r *http.Request) error {
	data, err := s.queueView(r.Context())
	if err != nil {
		return err
	}
	data.Done = map[string]string{"retry": "The job is due now.", "cancel": "The job has been called off.", "resume": "The channel is tried again."}[r.URL.Query().Get("done")]
	if s.river != nil {
		data.River = riverPath + "/"
	}
	v := s.view(r, "Queue", data)
	v.NoIndex = true
	w.Header().Set("Cache-Control", "no-store")
	return s.render(w, http.StatusOK, "queue.html", v)
}

func (s *Server) queueView(ctx context.Context) (*queueView, error) {
	v := &queueView{}
	counts, err := s.opt.Queue.CountJobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, st := range jobStates {
		v.Counts = append(v.Counts, jobCount{st.State, st.Words, counts[st.State]})
	}
	if v.Failed, err = s.jobRows(ctx, "discarded", "retryable", "cancelled"); err != nil {
		return nil, err
	}
	if v.Waiting, err = s.jobRows(ctx, "available", "running", "scheduled"); err != nil {
		return nil, err
	}
	if err := s.fillBehind(ctx, v); err != nil {
		return nil, err
	}
	return v, s.fillPaused(ctx, v)
}

func (s *Server) jobRows(ctx context.Context, states ...string) ([]jobRow, error) {
	jobs, err := s.opt.Queue.Jobs(ctx, states, queueShown)
	if err != nil {
		return nil, err
	}
	rows := make([]jobRow, len(jobs))
	for i, j := range jobs {
		j.Error = clip(oneLine(j.Error), queueErrored)
		rows[i] = jobRow{Job: j, More: max(0, len(j.Deliveries)-3)}
		for _, id := range j.Deliveries[:min(3, len(j.Deliveries))] {
			_, incident, _ := strings.Cut(id, "|")
			rows[i].Who = append(rows[i].Who, clip(oneLine(incident), 80))
		}
	}
	return rows, nil
}

// fillBehind lists what should be visible and is not.
func (s *Server) fillBehind(ctx context.Context, v *queueView) error {
	active, err := s.opt.Reader.Deliveries(ctx, downwind.DeliveryFilter{State: downwind.DeliveryActive, Limit: queueLooked})
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for i := len(active) - 1; i >= 0; i-- {
		d := active[i]
		if d.Applied >= d.Desired && d.Edited >= d.Desired {
			continue
		}
		if len(v.Behind) == queueShown {
			v.BehindMore++
			continue
		}
		provider, id, _ := strings.Cut(d.Incident, "/")
		row := waitingRow{
			Delivery: d, Path: incidentPath(&downwind.Incident{Provider: provider, ID: id}), Title: s.titleOf(ctx, d.Incident, titles),
			Where: oneLine(d.Destination), Missing: missingWords(d),
		}
		row.Reason = clip(oneLine(d.Reason), queueErrored)
		v.Behind = append(v.Behind, row)
	}
	return nil
}

// missingWords tells what of a delivery is not visible yet.
func missingWords(d downwind.Delivery) string {
	switch n := d.Desired - d.Applied; {
	case d.RootID == "":
		return "its first message"
	case n > 0:
		return countWord(n, "reply", "replies")
	}
	return "an edit of its first message"
}

func (s *Server) fillPaused(ctx context.Context, v *queueView) error {
	teams, err := s.opt.Reader.Teams(ctx)
	if err != nil {
		return err
	}
	for _, team := range teams {
		list, err := s.opt.Reader.Destinations(ctx, team.ID)
		if err != nil {
			return err
		}
		for _, d := range list {
			if d.Paused != "" {
				v.Paused = append(v.Paused, destinationRow{Destination: d})
			}
		}
	}
	notes, err := s.opt.Reader.Notes(ctx)
	for _, n := range notes {
		if n.Ended.IsZero() {
			v.Notes = append(v.Notes, n)
		}
	}
	return err
}

// changeQueue does what a button of the page asks for.
func (s *Server) changeQueue(w http.ResponseWriter, r *http.Request) error {
	what, id := r.PostForm.Get("do"), r.PostForm.Get("id")
	var err error
	if what == "resume" {
		err = s.opt.Queue.ResumeDestination(r.Context(), id)
	} else {
		err = s.changeJob(r.Context(), what, id)
	}
	if err != nil {
		return err
	}
	s.log.Info("queue changed", "do", what, "id", id, "by", sessionOf(r).Name)
	http.Redirect(w, r, s.prefix+"/admin/queue?done="+what, http.StatusSeeOther)
	return nil
}

func (s *Server) changeJob(ctx context.Context, what, id string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return refuse(http.StatusBadRequest, "Jobs are named by numbers.")
	}
	switch what {
	case "retry":
		err = s.opt.Queue.RetryJob(ctx, n)
	case "cancel":
		err = s.opt.Queue.CancelJob(ctx, n)
	default:
		return refuse(http.StatusBadRequest, "Jobs can be retried and cancelled.")
	}
	if isMissing(err) {
		return refuse(http.StatusNotFound, "There is no job %d any more.", n)
	}
	return err
}

// Waits is since when a message is behind, in words.
func (w waitingRow) Waits(now time.Time) string {
	if w.UpdatedAt.IsZero() {
		return "not known"
	}
	return fmt.Sprintf("%s, %s", spanWords(now.Sub(w.UpdatedAt)), countWord(w.Attempts, "attempt", "attempts"))
}

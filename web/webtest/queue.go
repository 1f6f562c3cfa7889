package webtest

import (
	"context"
	"slices"

	"downwind"
)

// CountJobs implements web.Queue.
func (s *Store) CountJobs(context.Context) (map[string]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int64{"completed": 311}
	for _, j := range s.JobRows {
		out[j.State]++
	}
	return out, nil
}

// Jobs implements web.Queue.
func (s *Store) Jobs(_ context.Context, states []string, limit int) ([]downwind.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.DeleteFunc(slices.Clone(s.JobRows), func(j downwind.Job) bool { return !slices.Contains(states, j.State) })
	return out[:min(len(out), limit)], nil
}

// RetryJob implements web.Queue.
func (s *Store) RetryJob(_ context.Context, id int64) error { return s.setJob(id, "available") }

// CancelJob implements web.Queue.
func (s *Store) CancelJob(_ context.Context, id int64) error { return s.setJob(id, "cancelled") }

func (s *Store) setJob(id int64, state string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.JobRows {
		if s.JobRows[i].ID == id {
			s.JobRows[i].State = state
			return nil
		}
	}
	return missing("job")
}

// ResumeDestination implements web.Queue.
func (s *Store) ResumeDestination(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.Dests {
		if s.Dests[i].ID == id {
			s.Dests[i].Paused = ""
			return nil
		}
	}
	return missing("destination")
}

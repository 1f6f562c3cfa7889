package chattest

import (
	"context"
	"strings"
	"time"

	"downwind"
)

// Incident implements chat.Store.
func (s *Store) Incident(_ context.Context, provider, id string) (downwind.IncidentRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.incidents {
		if r.Incident.Provider == provider && r.Incident.ID == id {
			return r, nil
		}
	}
	return downwind.IncidentRecord{}, downwind.ErrNotFound
}

// Incidents implements chat.Store.
func (s *Store) Incidents(_ context.Context, f downwind.IncidentFilter) ([]downwind.IncidentRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.IncidentRecord
	for _, r := range s.incidents {
		in := r.Incident
		listed := len(f.Providers) == 0
		for _, p := range f.Providers {
			listed = listed || p == in.Provider
		}
		switch {
		case !listed, f.Provider != "" && f.Provider != in.Provider, f.Open != nil && *f.Open != in.Open(),
			f.Kind != "" && f.Kind != in.Kind, !f.Since.IsZero() && r.FirstSeen.Before(f.Since),
			f.Query != "" && !strings.Contains(strings.ToLower(in.Title), strings.ToLower(f.Query)):
			continue
		}
		if out = append(out, r); f.Limit > 0 && len(out) == f.Limit {
			break
		}
	}
	return out, nil
}

// Source implements chat.Store.
func (s *Store) Source(_ context.Context, provider string) (downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src, ok := s.sources[provider]; ok {
		return src, nil
	}
	return downwind.Source{}, downwind.ErrNotFound
}

// Components implements chat.Store.
func (s *Store) Components(_ context.Context, provider string) ([]downwind.Component, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.comps[provider], nil
}

// Deliveries implements chat.Store.
func (s *Store) Deliveries(_ context.Context, f downwind.DeliveryFilter) ([]downwind.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.Delivery
	for _, d := range s.dels {
		if (f.Destination == "" || f.Destination == d.Destination) && (f.Incident == "" || f.Incident == d.Incident) && (f.Team == "" || f.Team == d.Team) {
			out = append(out, d)
		}
	}
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

// Parts implements chat.Store.
func (s *Store) Parts(_ context.Context, delivery string) ([]downwind.Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts[delivery], nil
}

// DeliveryByMessage implements chat.Store.
func (s *Store) DeliveryByMessage(_ context.Context, destination, message string) (downwind.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.dels {
		if d.Destination == destination && d.RootID == message {
			return d, nil
		}
	}
	return downwind.Delivery{}, downwind.ErrNotFound
}

// AddHold puts a line into the ledger.
func (s *Store) AddHold(h downwind.Hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = append(s.holds, h)
}

// Holds implements chat.Store.
func (s *Store) Holds(_ context.Context, f downwind.HoldFilter) ([]downwind.Hold, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.Hold
	for _, h := range s.holds {
		if (f.Destination == "" || f.Destination == h.Destination) && (f.Incident == "" || f.Incident == h.Incident) {
			out = append(out, h)
		}
	}
	return out, nil
}

// Ack implements chat.Store.
func (s *Store) Ack(_ context.Context, delivery, by string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.dels {
		if s.dels[i].ID == delivery {
			s.writes++
			if s.dels[i].AckedBy == "" {
				s.dels[i].AckedBy, s.dels[i].AckedAt = by, at
			}
			return nil
		}
	}
	return downwind.ErrNotFound
}

// PutTemp implements chat.Store.
func (s *Store) PutTemp(_ context.Context, kind, key string, value []byte, until time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have, ok := s.temps[kind+"|"+key]; ok && have.until.After(s.clock.Now()) {
		return false, nil
	}
	s.temps[kind+"|"+key] = temp{value, until}
	return true, nil
}

// SetTemp implements chat.Store.
func (s *Store) SetTemp(_ context.Context, kind, key string, value []byte, until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.temps[kind+"|"+key] = temp{value, until}
	return nil
}

// Temp implements chat.Store.
func (s *Store) Temp(_ context.Context, kind, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if have, ok := s.temps[kind+"|"+key]; ok && have.until.After(s.clock.Now()) {
		return have.value, nil
	}
	return nil, downwind.ErrNotFound
}

// TakeTemp implements chat.Store.
func (s *Store) TakeTemp(ctx context.Context, kind, key string) ([]byte, error) {
	v, err := s.Temp(ctx, kind, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.temps, kind+"|"+key)
	return v, err
}

// SaveInstall keeps an install.
func (s *Store) SaveInstall(_ context.Context, i downwind.Install) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installs[i.Platform+"|"+i.Workspace] = i
	return nil
}

// Install finds an install.
func (s *Store) Install(_ context.Context, platform, workspace string) (downwind.Install, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.installs[platform+"|"+workspace]; ok {
		return i, nil
	}
	return downwind.Install{}, downwind.ErrNotFound
}

// DeleteInstall erases an install.
func (s *Store) DeleteInstall(_ context.Context, platform, workspace string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.installs[platform+"|"+workspace]; !ok {
		return downwind.ErrNotFound
	}
	delete(s.installs, platform+"|"+workspace)
	return nil
}

// PauseWorkspace pauses every destination of a workspace.
func (s *Store) PauseWorkspace(_ context.Context, platform, workspace, reason string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id, d := range s.dests {
		if d.Platform == platform && d.Workspace == workspace && d.Paused == "" {
			d.Paused, d.PausedAt = reason, s.clock.Now()
			s.dests[id] = d
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Package chattest holds an in-memory store, a small catalogue and a stack reader, for tests of chat and its platforms.
package chattest

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// A Store is chat.Store in memory. Its zero value is not usable: see NewStore. Safe for concurrent use.
type Store struct {
	mu     sync.Mutex
	clock  downwind.Clock
	nextID int64

	teams     map[string]*downwind.Team
	dests     map[string]downwind.Destination
	subs      map[string][]downwind.Subscription
	mutes     map[string][]downwind.Mute
	incidents []downwind.IncidentRecord
	sources   map[string]downwind.Source
	comps     map[string][]downwind.Component
	dels      []downwind.Delivery
	parts     map[string][]downwind.Part
	holds     []downwind.Hold
	temps     map[string]temp
	installs  map[string]downwind.Install
	// Writes counts the changes made, for tests that want none.
	writes int
}

type temp struct {
	value []byte
	until time.Time
}

// NewStore returns an empty store.
func NewStore(clock downwind.Clock) *Store {
	return &Store{
		clock: clock, teams: map[string]*downwind.Team{}, dests: map[string]downwind.Destination{},
		subs: map[string][]downwind.Subscription{}, mutes: map[string][]downwind.Mute{}, sources: map[string]downwind.Source{},
		comps: map[string][]downwind.Component{}, parts: map[string][]downwind.Part{}, temps: map[string]temp{},
		installs: map[string]downwind.Install{},
	}
}

// Writes counts the changes made so far, temporary values left out.
func (s *Store) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// AddIncident puts an incident into the archive.
func (s *Store) AddIncident(inc downwind.Incident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.incidents = append([]downwind.IncidentRecord{{Incident: inc, FirstSeen: s.clock.Now(), ChangedAt: s.clock.Now()}}, s.incidents...)
}

// AddDelivery puts a delivery and its messages there.
func (s *Store) AddDelivery(d downwind.Delivery, parts ...downwind.Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dels = append(s.dels, d)
	s.parts[d.ID] = parts
}

// SetSource and SetComponents put a source's state and a provider's components there.
func (s *Store) SetSource(src downwind.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources[src.Provider] = src
}

// SetComponents puts a provider's components there.
func (s *Store) SetComponents(provider string, c ...downwind.Component) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comps[provider] = c
}

// Team returns a copy of a team.
func (s *Store) Team(id string) downwind.Team {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.teams[id]; t != nil {
		return *t
	}
	return downwind.Team{}
}

// TeamForChannel implements chat.Store.
func (s *Store) TeamForChannel(_ context.Context, d downwind.Destination) (downwind.Team, downwind.Destination, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, ok := s.dests[d.ID]
	if !ok {
		d.Team = strings.ToLower(strings.ReplaceAll(d.ID, ":", "-"))
		s.dests[d.ID], have = d, d
		s.teams[d.Team] = &downwind.Team{ID: d.Team, Name: d.Name, Secret: fmt.Sprintf("%032x", len(s.teams)+1)}
	}
	t := *s.teams[have.Team]
	t.Rules = append([]downwind.Rule(nil), t.Rules...)
	return t, have, nil
}

// SaveStack implements chat.Store.
func (s *Store) SaveStack(_ context.Context, team string, st downwind.Stack, by string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.teams[team]
	if t == nil {
		return downwind.ErrNotFound
	}
	t.Stack, t.StackBy, t.StackAt = st, by, at
	s.writes++
	return nil
}

// AddRule implements chat.Store.
func (s *Store) AddRule(_ context.Context, team string, r downwind.Rule) (downwind.Rule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	r.ID = s.nextID
	s.teams[team].Rules = append(s.teams[team].Rules, r)
	s.writes++
	return r, nil
}

// DeleteRule implements chat.Store.
func (s *Store) DeleteRule(_ context.Context, team string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.teams[team]
	for i, r := range t.Rules {
		if r.ID == id {
			t.Rules = append(append([]downwind.Rule(nil), t.Rules[:i]...), t.Rules[i+1:]...)
			s.writes++
			return nil
		}
	}
	return downwind.ErrNotFound
}

// Destinations implements chat.Store.
func (s *Store) Destinations(_ context.Context, team string) ([]downwind.Destination, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []downwind.Destination
	for _, d := range s.dests {
		if team == "" || d.Team == team {
			out = append(out, d)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// SaveDestination implements chat.Store.
func (s *Store) SaveDestination(_ context.Context, d downwind.Destination) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dests[d.ID] = d
	s.writes++
	return nil
}

// Subscriptions implements chat.Store.
func (s *Store) Subscriptions(_ context.Context, dest string) ([]downwind.Subscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]downwind.Subscription(nil), s.subs[dest]...), nil
}

// SaveSubscription implements chat.Store.
func (s *Store) SaveSubscription(_ context.Context, sub downwind.Subscription) (downwind.Subscription, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for i, have := range s.subs[sub.Destination] {
		if have.Target == sub.Target && have.Provider == sub.Provider && have.Component == sub.Component {
			sub.ID = have.ID
			s.subs[sub.Destination][i] = sub
			return sub, true, nil
		}
	}
	s.nextID++
	sub.ID = s.nextID
	s.subs[sub.Destination] = append(s.subs[sub.Destination], sub)
	return sub, false, nil
}

// DeleteSubscription implements chat.Store.
func (s *Store) DeleteSubscription(_ context.Context, dest string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.subs[dest] {
		if have.ID == id {
			s.subs[dest] = append(append([]downwind.Subscription(nil), s.subs[dest][:i]...), s.subs[dest][i+1:]...)
			s.writes++
			return nil
		}
	}
	return downwind.ErrNotFound
}

// Mutes implements chat.Store.
func (s *Store) Mutes(_ context.Context, dest string) ([]downwind.Mute, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]downwind.Mute(nil), s.mutes[dest]...), nil
}

// SaveMute implements chat.Store.
func (s *Store) SaveMute(_ context.Context, m downwind.Mute) (downwind.Mute, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for i, have := range s.mutes[m.Destination] {
		if have.ID == m.ID && m.ID != 0 {
			s.mutes[m.Destination][i] = m
			return m, nil
		}
	}
	s.nextID++
	m.ID = s.nextID
	s.mutes[m.Destination] = append(s.mutes[m.Destination], m)
	return m, nil
}

// DeleteMute implements chat.Store.
func (s *Store) DeleteMute(_ context.Context, dest string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, have := range s.mutes[dest] {
		if have.ID == id {
			s.mutes[dest] = append(append([]downwind.Mute(nil), s.mutes[dest][:i]...), s.mutes[dest][i+1:]...)
			s.writes++
			return nil
		}
	}
	return downwind.ErrNotFound
}

package feedstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"downwind"
)

// Store keeps sources in memory as a feeds.Store. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	sources map[string]*held
}

type held struct {
	src   downwind.Source
	until time.Time // end of the claim
}

// NewStore makes a store with these sources.
func NewStore(sources ...downwind.Source) *Store {
	s := &Store{sources: map[string]*held{}}
	for _, src := range sources {
		s.sources[src.Provider] = &held{src: src}
	}
	return s
}

// ClaimDue implements feeds.Store.
func (s *Store) ClaimDue(_ context.Context, now time.Time, _ string, lease time.Duration, limit int) ([]downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []*held
	for _, h := range s.sources {
		if !h.src.NextDue.After(now) && !h.until.After(now) {
			due = append(due, h)
		}
	}
	slices.SortFunc(due, func(a, b *held) int {
		if c := a.src.NextDue.Compare(b.src.NextDue); c != 0 {
			return c
		}
		return strings.Compare(a.src.Provider, b.src.Provider)
	})
	var out []downwind.Source
	for _, h := range due[:min(len(due), limit)] {
		h.until = now.Add(lease)
		out = append(out, h.src)
	}
	return out, nil
}

// SaveSource implements feeds.Store.
func (s *Store) SaveSource(_ context.Context, src downwind.Source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.sources[src.Provider]
	if !ok {
		return fmt.Errorf("source %s: %w", src.Provider, downwind.ErrNotFound)
	}
	src.Hot, src.Wanted = h.src.Hot, h.src.Wanted
	h.src, h.until = src, time.Time{}
	return nil
}

// Source implements feeds.Store.
func (s *Store) Source(_ context.Context, provider string) (downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.sources[provider]
	if !ok {
		return downwind.Source{}, fmt.Errorf("source %s: %w", provider, downwind.ErrNotFound)
	}
	return h.src, nil
}

// Sources implements feeds.Store.
func (s *Store) Sources(context.Context) ([]downwind.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]downwind.Source, 0, len(s.sources))
	for _, h := range s.sources {
		out = append(out, h.src)
	}
	slices.SortFunc(out, func(a, b downwind.Source) int { return strings.Compare(a.Provider, b.Provider) })
	return out, nil
}

// Heat sets whether a source is hot, as the sink's transaction does.
func (s *Store) Heat(provider string, hot bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources[provider].src.Hot = hot
}

package store

import (
	"database/sql"
	"sync"
)

// maxStatements bounds the prepared statements of one pool; texts beyond it run unprepared.
const maxStatements = 256

// statementSet is a set of prepared statements with a list of those asked for.
type statementSet struct {
	mu    sync.RWMutex
	have  map[string]*sql.Stmt
	asked map[string]bool
}

func (s *statementSet) get(text string) *sql.Stmt {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.have[text]
}

func (s *statementSet) want(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = make(map[string]bool)
	}
	if len(s.have)+len(s.asked) < maxStatements {
		s.asked[text] = true
	}
}

func (s *statementSet) wanted() []string {
	s.mu.RLock()
	none := len(s.asked) == 0
	s.mu.RUnlock()
	if none {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]string, 0, len(s.asked))
	for text := range s.asked {
		list = append(list, text)
	}
	clear(s.asked)
	return list
}

func (s *statementSet) put(text string, stmt *sql.Stmt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.have == nil {
		s.have = make(map[string]*sql.Stmt)
	}
	if old := s.have[text]; old != nil {
		// Two readers prepared the same text; theirs may be in use.
		_ = stmt.Close()
		return
	}
	s.have[text] = stmt
}

func (s *statementSet) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.have {
		_ = stmt.Close()
	}
	s.have = nil
}

package match

import "sync"

const (
	// memoMost bounds the texts that a memo holds, memoText the length of one: boilerplate and posts that are read again with
	// every later post are short and many.
	memoMost = 4096
	memoText = 2048
)

// A memo remembers what was found in texts of late, by provider. What it gives back is shared: callers must not change it.
type memo[V any] struct {
	mu   sync.Mutex
	have map[memoKey]V
}

type memoKey struct{ provider, text string }

func (m *memo[V]) get(provider, text string, find func() V) V {
	if len(text) > memoText {
		return find()
	}
	key := memoKey{provider, text}
	m.mu.Lock()
	v, ok := m.have[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.have == nil || len(m.have) >= memoMost {
		m.have = make(map[memoKey]V)
	}
	m.have[key] = v
	return v
}

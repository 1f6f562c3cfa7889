package match

import "sync"

const (
	// memoMost bounds the weight of what a memo holds, memoText the length of a text that is remembered: boilerplate and posts that are
	// read again with every later post are short and many.
	memoMost = 8192
	memoText = 2048
)

// A memo remembers what was found of late. What it gives back is shared: callers must not change it.
type memo[K comparable, V any] struct {
	// weigh tells what a value weighs; nil: each 1.
	weigh func(V) int

	mu     sync.Mutex
	have   map[K]V
	weight int
}

// inText names a text of a provider, inFiles a piece of evidence of one.
type (
	inText  struct{ provider, text string }
	inFiles struct {
		provider, kind, match, service string
		beneath                        bool
	}
)

// get returns what find finds for a key.
func (m *memo[K, V]) get(key K, find func() V) V {
	m.mu.Lock()
	v, ok := m.have[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = find()
	weight := 1
	if m.weigh != nil {
		weight = m.weigh(v)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.have[key]; there {
		return v // another reader was as fast
	}
	if m.have == nil || m.weight+weight > memoMost {
		m.have, m.weight = make(map[K]V), 0
	}
	m.have[key], m.weight = v, m.weight+weight
	return v
}

// ofText is get for a text; one that is too long to be kept is read each time.
func ofText[V any](m *memo[inText, V], provider, text string, find func() V) V {
	if len(text) > memoText {
		return find()
	}
	return m.get(inText{provider, text}, find)
}

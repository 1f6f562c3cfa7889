package store

import (
	"sync"

	"downwind"
)

// stackCacheMost bounds the decoded stacks that are kept; decoding one takes up to a millisecond, and each reading of
// a provider needs those of all its teams.
const stackCacheMost = 4096

// stackCache keeps decoded stacks by team and number of change.
type stackCache struct {
	mu   sync.Mutex
	have map[string]cachedStack
}

type cachedStack struct {
	number int64
	stack  downwind.Stack
}

func (c *stackCache) get(team string, number int64) (downwind.Stack, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.have[team]
	return s.stack, ok && s.number == number
}

func (c *stackCache) put(team string, number int64, s downwind.Stack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.have == nil || len(c.have) >= stackCacheMost {
		c.have = make(map[string]cachedStack)
	}
	c.have[team] = cachedStack{number, s}
}

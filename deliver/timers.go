package deliver

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"downwind"
)

// timersMost bounds the waits that are kept in memory, timersFar how far ahead they may lie; the sweeper finds the others.
const (
	timersMost = 50_000
	timersFar  = 2 * time.Minute
)

// timers wake deliveries of this process at the instant they wait for, more exactly than the sweeper does.
type timers struct {
	clock downwind.Clock
	due   chan string
	news  chan struct{}

	mu   sync.Mutex
	list timerHeap
}

type timer struct {
	at time.Time
	id string
}

func newTimers(clock downwind.Clock) *timers {
	return &timers{clock: clock, due: make(chan string), news: make(chan struct{}, 1)}
}

// add keeps a wait.
func (t *timers) add(id string, at time.Time) {
	if at.IsZero() || at.Sub(t.clock.Now()) > timersFar {
		return
	}
	t.mu.Lock()
	if len(t.list) < timersMost {
		heap.Push(&t.list, timer{at, id})
	}
	t.mu.Unlock()
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// run sends ids on due at their instants until the context ends.
func (t *timers) run(ctx context.Context) {
	for ctx.Err() == nil {
		id, wait, some := t.pop()
		if id != "" {
			select {
			case t.due <- id:
			case <-ctx.Done():
			}
			continue
		}
		var after <-chan time.Time
		if some {
			after = t.clock.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-t.news:
		case <-after:
		}
	}
}

// pop returns an id that is due, or how long to wait for the next if there is some.
func (t *timers) pop() (id string, wait time.Duration, some bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) == 0 {
		return "", 0, false
	}
	if wait = t.list[0].at.Sub(t.clock.Now()); wait > 0 {
		return "", wait, true
	}
	next, _ := heap.Pop(&t.list).(timer)
	return next.id, 0, true
}

// timerHeap orders timers by instant.
type timerHeap []timer

// Len implements heap.Interface.
func (h timerHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h timerHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

// Swap implements heap.Interface.
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *timerHeap) Push(x any) {
	if t, ok := x.(timer); ok {
		*h = append(*h, t)
	}
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

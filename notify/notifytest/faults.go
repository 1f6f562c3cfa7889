// Package notifytest holds what tests of notifiers and fake platforms share: plans of faults, checks that nothing
// secret leaks, and hostile text.
package notifytest

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Fault is what a fake platform does wrong with one request.
type Fault string

// The faults.
const (
	RateLimit   Fault = "rate limit"   // 429 with RetryAfter; not accepted
	ErrorBefore Fault = "error before" // 500, not accepted
	ErrorAfter  Fault = "error after"  // 502 after the request was accepted
	LostAnswer  Fault = "lost answer"  // accepted, then the connection is cut
	CutBefore   Fault = "cut before"   // the connection is cut, not accepted
	Slow        Fault = "slow"         // accepted, answered after Delay
	Refuse      Fault = "refuse"       // answered with the platform's own error Name; not accepted
)

// A Rule says which requests meet a fault.
type Rule struct {
	Fault Fault
	// Method is the beginning of the method's name ("chat.postMessage", "POST /channels/…/messages"); empty: every method.
	Method string
	// Channel narrows it to one channel; empty: all.
	Channel string
	// Times is how often it strikes; zero: always.
	Times int
	// Chance is the probability of each strike; zero: certain.
	Chance float64
	// Name is the platform's error for Refuse: Slack's word, Discord's code.
	Name string
	// Status is Discord's HTTP status for Refuse; zero: 400.
	Status     int
	RetryAfter time.Duration
	Delay      time.Duration
}

// A Plan decides on faults, in the order of its rules. The zero Plan has none. It is safe for concurrent use.
type Plan struct {
	mu    sync.Mutex
	rng   *rand.Rand
	rules []Rule
	used  []int
	// struck counts strikes by fault.
	struck map[Fault]int
}

// NewPlan makes a plan; equal seeds strike equal sequences of requests equally.
func NewPlan(seed uint64, rules ...Rule) *Plan {
	p := &Plan{rng: rand.New(rand.NewPCG(seed, 7)), struck: map[Fault]int{}}
	p.Add(rules...)
	return p
}

// Storm is the mixture of the crash tests: 5 % rate limits, 5 % errors, 15 % slow answers, 8 % lost answers and 4 %
// errors after acceptance.
func Storm(method string, slow, retry time.Duration) []Rule {
	return []Rule{
		{Fault: RateLimit, Method: method, Chance: 0.05, RetryAfter: retry},
		{Fault: ErrorBefore, Method: method, Chance: 0.05},
		{Fault: LostAnswer, Method: method, Chance: 0.08},
		{Fault: ErrorAfter, Method: method, Chance: 0.04},
		{Fault: Slow, Method: method, Chance: 0.15, Delay: slow},
	}
}

// Add appends rules.
func (p *Plan) Add(rules ...Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, rules...)
	p.used = append(p.used, make([]int, len(rules))...)
}

// Strike returns the rule that a request meets.
func (p *Plan) Strike(method, channel string) (Rule, bool) {
	if p == nil {
		return Rule{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.rules {
		if !strings.HasPrefix(method, r.Method) || r.Channel != "" && r.Channel != channel || r.Times > 0 && p.used[i] >= r.Times {
			continue
		}
		if r.Chance > 0 && (p.rng == nil || p.rng.Float64() >= r.Chance) {
			continue
		}
		p.used[i]++
		if p.struck == nil {
			p.struck = map[Fault]int{}
		}
		p.struck[r.Fault]++
		return r, true
	}
	return Rule{}, false
}

// Struck counts the strikes of a fault so far.
func (p *Plan) Struck(f Fault) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck[f]
}

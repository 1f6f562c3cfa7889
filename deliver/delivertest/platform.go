// Package delivertest is a chat platform for tests of delivery: it shows messages, misbehaves as real ones do, and knows
// what readers have seen. Use it in process (Platform.Notifier) or over HTTP from other processes (Platform is an
// http.Handler, Client its notify.Notifier).
package delivertest

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"downwind"
	"downwind/notify"
)

// Faults are the shares of requests that go wrong, from 0 to 1.
type Faults struct {
	// TooMany is answered 429, Broken 500 without effect, Slow takes effect after a while, Lost takes effect without an
	// answer, Late is answered 503 after it took effect.
	TooMany, Broken, Slow, Lost, Late float64
}

// Real are the shares of the crash matrix: 5 % 429, 5 % 500, 15 % slow, 8 % lost answers, 4 % errors after acceptance.
var Real = Faults{TooMany: 0.05, Broken: 0.05, Slow: 0.15, Lost: 0.08, Late: 0.04}

// Fault is one way in which a request goes.
type Fault int

// The ways of a request.
const (
	Fine Fault = iota
	TooMany
	Broken
	Slow
	Lost
	Late
	// Refused is certainly not sent: no connection.
	Refused
	// Gone says that the root was deleted.
	Gone
	// NoEdit says that the root cannot be edited any more.
	NoEdit
	// NoThread says that the channel has no threads.
	NoThread
	// Forbidden says that the channel cannot be written to.
	Forbidden
)

// Message is one message that readers see.
type Message struct {
	ID, Destination, Key, Root string
	// Text is what it shows now, First what it showed at first.
	Text, First string
	// Seq orders messages by when they were accepted.
	Seq int
	At  time.Time
	// Deleted says that a person removed it.
	Deleted bool
}

// Platform is the fake. The zero value works without faults.
type Platform struct {
	mu       sync.Mutex
	messages []*Message
	byID     map[string]*Message
	calls    map[string]int
	seq      int
}

// Request is one call of a client.
type Request struct {
	Op, Destination, Key, Root, ID, Text string
	Since                                time.Time
}

// accept makes a request take effect and returns the message's id. An edit of a message that is not there fails.
func (p *Platform) accept(r Request, at time.Time) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil {
		p.byID = make(map[string]*Message)
	}
	if r.Op == "edit" {
		m := p.byID[r.ID]
		if m == nil || m.Deleted {
			return "", false
		}
		m.Text = r.Text
		return m.ID, true
	}
	if r.Root != "" && (p.byID[r.Root] == nil || p.byID[r.Root].Deleted) {
		return "", false
	}
	p.seq++
	m := &Message{
		ID: "m" + strconv.Itoa(p.seq), Destination: r.Destination, Key: r.Key, Root: r.Root, Text: r.Text, First: r.Text, Seq: p.seq, At: at,
	}
	p.messages = append(p.messages, m)
	p.byID[m.ID] = m
	return m.ID, true
}

// find looks for a key, as a platform's history does.
func (p *Platform) find(r Request) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.messages {
		if m.Destination == r.Destination && m.Key == r.Key && !m.Deleted && !m.At.Before(r.Since.Add(-5*time.Second)) {
			return m.ID
		}
	}
	return ""
}

func (p *Platform) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = make(map[string]int)
	}
	p.calls[what]++
}

// Calls counts requests by operation ("post", "find") and faults by name ("fault lost").
func (p *Platform) Calls() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := make(map[string]int, len(p.calls))
	for k, v := range p.calls {
		calls[k] = v
	}
	return calls
}

// Messages are copies of all that is or was visible, in the order of acceptance.
func (p *Platform) Messages() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Message, len(p.messages))
	for i, m := range p.messages {
		list[i] = *m
	}
	return list
}

// Len counts accepted messages.
func (p *Platform) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages)
}

// Delete removes a message as a person would.
func (p *Platform) Delete(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.byID[id]; m != nil {
		m.Deleted = true
	}
}

// Compose writes "delivery|role|version": the version is the alert's title, so that a root shows which state it tells.
func Compose(d downwind.Delivery, part downwind.Part) notify.Message {
	role := "reply"
	if part.Version == 1 {
		role = "root"
		if d.Generation > 0 {
			role = "continued"
		}
	}
	return notify.Message{Text: d.ID + "|" + role + "|" + part.Alert.Incident.Title}
}

// Title is the title of a version's incident, for Compose.
func Title(version int) string { return "v" + strconv.Itoa(version) }

// Report is what readers would complain about.
type Report struct {
	// Expected counts the messages that should be there: a root and a reply for each later version.
	Expected, Accepted                int
	Lost, Repeated, Disordered, Stale []string
}

// Clean reports whether nobody has a reason to complain.
func (r Report) Clean() bool {
	return len(r.Lost)+len(r.Repeated)+len(r.Disordered)+len(r.Stale) == 0
}

// String is one line with examples.
func (r Report) String() string {
	s := fmt.Sprintf("%d expected, %d accepted, %d lost, %d repeated, %d out of order, %d stale roots",
		r.Expected, r.Accepted, len(r.Lost), len(r.Repeated), len(r.Disordered), len(r.Stale))
	for _, list := range [][]string{r.Lost, r.Repeated, r.Disordered, r.Stale} {
		if len(list) > 0 {
			s += "\n  e.g. " + strings.Join(list[:min(3, len(list))], "; ")
		}
	}
	return s
}

// Check compares what is visible with the newest version of each delivery. With final unset, missing messages and stale
// roots are not complained about yet.
func (p *Platform) Check(newest map[string]int, final bool) Report {
	return Judge(p.Messages(), newest, final)
}

// Judge is Check of messages in the order of acceptance, wherever they are.
func Judge(messages []Message, newest map[string]int, final bool) Report {
	var rep Report
	seen := make(map[string][]Message)
	for _, m := range messages {
		rep.Accepted++
		delivery, _, ok := cutLast(m.First)
		if !ok {
			rep.Repeated = append(rep.Repeated, "foreign message "+m.First)
		}
		seen[delivery] = append(seen[delivery], m)
	}
	ids := make([]string, 0, len(newest))
	for id, n := range newest {
		rep.Expected += n
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		rep.check(id, newest[id], seen[id], final)
	}
	return rep
}

// check looks at the messages of one delivery, in the order of acceptance.
func (r *Report) check(id string, newest int, list []Message, final bool) {
	parts := make(map[string]int)
	next := 1
	for _, m := range list {
		_, what, _ := cutLast(m.First)
		role, title, _ := strings.Cut(what, "|")
		version, _ := strconv.Atoi(strings.TrimPrefix(title, "v"))
		if role == "root" {
			version = 1
		}
		name := Title(version)
		parts[name]++
		if parts[name] > 1 {
			r.Repeated = append(r.Repeated, id+" "+name)
			continue
		}
		if version != next {
			r.Disordered = append(r.Disordered, fmt.Sprintf("%s %s after v%d", id, name, next-1))
		}
		next = version + 1
	}
	if !final {
		return
	}
	for v := 1; v <= newest; v++ {
		if parts[Title(v)] == 0 {
			r.Lost = append(r.Lost, id+" "+Title(v))
		}
	}
	if len(list) > 0 && !strings.HasSuffix(list[0].Text, "|"+Title(newest)) {
		r.Stale = append(r.Stale, fmt.Sprintf("%s shows %s, newest is v%d", id, list[0].Text, newest))
	}
}

// cutLast takes "delivery|role|version" apart; a delivery's id has a bar of its own.
func cutLast(text string) (delivery, rest string, ok bool) {
	i := strings.LastIndex(text, "|")
	if i < 0 {
		return text, "", false
	}
	j := strings.LastIndex(text[:i], "|")
	if j < 0 {
		return text, "", false
	}
	return text[:j], text[j+1:], true
}

package feeds

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// LimiterOptions sets how densely requests may follow each other; zero fields take the defaults.
type LimiterOptions struct {
	// PerPlatform is requests a second for all pages of one hosting platform together; zero: 5. It is halved on 429 and
	// recovers by a tenth each minute.
	PerPlatform float64
	// PerDomain is requests a second for one registrable domain; zero: 2.
	PerDomain float64
	// Burst is how many requests may come at once; zero: 8, enough for one poll of any platform.
	Burst float64
}

// Limiter spaces requests per hosting platform and per registrable domain. It never blocks and never sleeps: it says when
// the next poll may start, so that a standing clock cannot hang anybody.
type Limiter struct {
	opts LimiterOptions
	mu   sync.Mutex
	// buckets are keyed by "platform:statuspage" and "domain:example.com".
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	rate   float64 // now, in requests a second
	full   float64 // the rate when nobody complains
	at     time.Time
	slowed time.Time
	next   time.Time // the newest slot given to a poll that must wait
}

// NewLimiter makes a Limiter.
func NewLimiter(o LimiterOptions) *Limiter {
	if o.PerPlatform <= 0 {
		o.PerPlatform = 5
	}
	if o.PerDomain <= 0 {
		o.PerDomain = 2
	}
	if o.Burst <= 0 {
		o.Burst = 8
	}
	return &Limiter{opts: o, buckets: map[string]*bucket{}}
}

// Ready reports whether a poll of a source may start now, and if not, when. The platform is the adapter's word; pages of no
// hosting platform are limited by domain only.
func (l *Limiter) Ready(platform, host string, now time.Time) (ok bool, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at = now
	for _, b := range l.of(platform, host) {
		b.refill(now, l.opts.Burst)
		if b.tokens < 1 {
			if t := b.slot(now); t.After(at) {
				at = t
			}
		}
	}
	if at.After(now) {
		return false, at
	}
	for _, b := range l.platform(platform) {
		b.tokens--
	}
	return true, now
}

// Take counts one request to a host. It may bring the host into debt; the debt delays later polls.
func (l *Limiter) Take(host string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.domain(host)
	b.refill(now, l.opts.Burst)
	b.tokens--
}

// TakePlatform counts one more request of a poll to a page of a hosting platform.
func (l *Limiter) TakePlatform(platform string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.platform(platform) {
		b.refill(now, l.opts.Burst)
		b.tokens--
	}
}

// Slow halves the rate of a host's domain after a 429.
func (l *Limiter) Slow(host string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.domain(host).slow(now)
}

// SlowPlatform halves the rate of a hosting platform after a 429.
func (l *Limiter) SlowPlatform(platform string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.platform(platform) {
		b.slow(now)
	}
}

// slot gives those that must wait one turn after the other, so that they do not all come back at once.
func (b *bucket) slot(now time.Time) time.Time {
	step := time.Duration(float64(time.Second) / b.rate)
	first := now.Add(time.Duration((1 - b.tokens) / b.rate * float64(time.Second)))
	if b.next = b.next.Add(step); b.next.Before(first) {
		b.next = first
	}
	return b.next
}

func (b *bucket) slow(now time.Time) {
	b.refill(now, b.tokens)
	b.rate = max(b.rate/2, b.full/64)
	b.slowed = now
	b.tokens = min(b.tokens, 0)
}

func (b *bucket) refill(now time.Time, burst float64) {
	if now.After(b.at) {
		b.tokens = min(b.tokens+now.Sub(b.at).Seconds()*b.rate, burst)
		b.at = now
	}
	for b.rate < b.full && now.Sub(b.slowed) >= time.Minute {
		b.rate = min(b.rate+b.full/10, b.full)
		b.slowed = b.slowed.Add(time.Minute)
	}
}

func (l *Limiter) of(platform, host string) []*bucket {
	return append(l.platform(platform), l.domain(host))
}

// platform returns the bucket of a hosting platform, none for feeds and pages that providers host themselves.
func (l *Limiter) platform(platform string) []*bucket {
	switch platform {
	case "", "unknown", "syndication", "rss", "atom", "json":
		return nil
	}
	return []*bucket{l.get("platform:"+platform, l.opts.PerPlatform)}
}

func (l *Limiter) domain(host string) *bucket {
	return l.get("domain:"+registrable(host), l.opts.PerDomain)
}

func (l *Limiter) get(key string, rate float64) *bucket {
	b, ok := l.buckets[key]
	if !ok {
		b = &bucket{tokens: l.opts.Burst, rate: rate, full: rate}
		l.buckets[key] = b
	}
	return b
}

// registrable is the domain that somebody registered, the host itself for addresses and unknown suffixes.
func registrable(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

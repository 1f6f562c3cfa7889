package chattest

import (
	"context"
	"encoding/json"
	"sort"
	"strings"
	"sync"
	"time"

	"downwind"
)

// Catalogue is a handful of providers.
type Catalogue []downwind.Provider

// Providers is a catalogue for tests.
func Providers() Catalogue {
	return Catalogue{
		{Slug: "github", Name: "GitHub", StatusURL: "https://www.githubstatus.com"},
		{Slug: "google-cloud", Name: "Google Cloud", Aliases: []string{"gcp"}, StatusURL: "https://status.cloud.google.com"},
		{Slug: "livekit", Name: "LiveKit", StatusURL: "https://status.livekit.io"},
		{Slug: "stripe", Name: "Stripe", StatusURL: "https://status.stripe.com"},
		{Slug: "twilio", Name: "Twilio", StatusURL: "https://status.twilio.com"},
	}
}

// Provider implements chat.Catalogue.
func (c Catalogue) Provider(slug string) (downwind.Provider, bool) {
	for _, p := range c {
		if p.Slug == slug {
			return p, true
		}
		for _, a := range p.Aliases {
			if a == slug {
				return p, true
			}
		}
	}
	return downwind.Provider{}, false
}

// Lookup implements chat.Catalogue.
func (c Catalogue) Lookup(name string) (downwind.Provider, bool) {
	for _, p := range c {
		host := strings.TrimPrefix(p.StatusURL, "https://")
		for _, n := range append([]string{p.Slug, p.Name, host}, p.Aliases...) {
			if downwind.Fold(n) == downwind.Fold(strings.TrimPrefix(name, "https://")) && name != "" {
				return p, true
			}
		}
	}
	return downwind.Provider{}, false
}

// Search implements chat.Catalogue.
func (c Catalogue) Search(query string) []downwind.Provider {
	var out []downwind.Provider
	for _, p := range c {
		if strings.Contains(p.Slug, strings.ToLower(query)) {
			out = append(out, p)
		}
	}
	return out
}

// Closest implements chat.Catalogue: slugs that share all but two letters of their beginning.
func (c Catalogue) Closest(name string, n int) []string {
	var out []string
	for _, p := range c {
		if len(name) > 3 && strings.HasPrefix(p.Slug, strings.ToLower(name[:len(name)-2])) && len(out) < n {
			out = append(out, p.Slug)
		}
	}
	sort.Strings(out)
	return out
}

// Stacks reads package.json dependencies and domains that contain a provider's slug.
type Stacks struct{ Catalogue Catalogue }

// ReadFiles implements chat.StackReader.
func (s Stacks) ReadFiles(_ context.Context, files map[string][]byte) downwind.Stack {
	var st downwind.Stack
	for name, data := range files {
		var pkg struct{ Dependencies map[string]string }
		f := downwind.StackFile{Path: name}
		if err := json.Unmarshal(data, &pkg); err != nil {
			f.Diagnostics = []downwind.Diagnostic{{Severity: downwind.SeverityWarning, Summary: "is not JSON"}}
			st.Files = append(st.Files, f)
			continue
		}
		f.Kind, f.Dependencies = "npm", len(pkg.Dependencies)
		for dep := range pkg.Dependencies {
			s.add(&st, dep, downwind.Evidence{File: name, Line: 1, Kind: "npm", Match: dep})
		}
		st.Files = append(st.Files, f)
	}
	return st
}

func (s Stacks) add(st *downwind.Stack, match string, e downwind.Evidence) {
	for _, p := range s.Catalogue {
		if strings.Contains(match, p.Slug) && st.Use(p.Slug) == nil {
			st.Providers = append(st.Providers, downwind.Use{Provider: p.Slug, Name: p.Name, Confidence: downwind.Sure, Evidence: []downwind.Evidence{e}})
			return
		}
	}
}

// ReadDomains implements chat.StackReader.
func (s Stacks) ReadDomains(_ context.Context, domains []string) downwind.Stack {
	st := downwind.Stack{Files: []downwind.StackFile{{Path: "domains", Kind: "domains", Dependencies: len(domains)}}}
	for _, d := range domains {
		s.add(&st, d, downwind.Evidence{File: "domains", Kind: "domain", Match: d})
	}
	return st
}

// A Clock stands still until it is set. Safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows an instant.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now implements downwind.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// After implements downwind.Clock and never fires.
func (c *Clock) After(time.Duration) <-chan time.Time { return make(chan time.Time) }

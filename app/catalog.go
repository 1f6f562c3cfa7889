package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/net/publicsuffix"

	"downwind"
	"downwind/catalog"
	"downwind/feeds"
)

// A liveCatalog is the catalogue with the providers that people add while the daemon runs.
type liveCatalog struct {
	p atomic.Pointer[catalog.Catalog]
}

// Provider finds a slug or an alias.
func (l *liveCatalog) Provider(slug string) (downwind.Provider, bool) {
	return l.p.Load().Provider(slug)
}

// Lookup finds a slug, alias, name, domain or address.
func (l *liveCatalog) Lookup(what string) (downwind.Provider, bool) { return l.p.Load().Lookup(what) }

// Search lists providers that fit the words, best first.
func (l *liveCatalog) Search(query string) []downwind.Provider { return l.p.Load().Search(query) }

// Closest lists slugs whose spelling is near.
func (l *liveCatalog) Closest(name string, n int) []string { return l.p.Load().Closest(name, n) }

// All lists every provider by slug.
func (l *liveCatalog) All() []downwind.Provider { return l.p.Load().All() }

// add lays a provider over the catalogue.
func (l *liveCatalog) add(ps ...downwind.Provider) error {
	for {
		old := l.p.Load()
		c, err := old.With(ps...)
		if err != nil {
			return err
		}
		if l.p.CompareAndSwap(old, c) {
			return nil
		}
	}
}

// addProvider detects what a pasted address is and adds it as a provider with a source of its own; an address of the
// catalogue's gives that provider.
func (a *App) addProvider(ctx context.Context, address string) (downwind.Provider, error) {
	if a.isOurs(address) {
		return downwind.Provider{}, fmt.Errorf("%s is a feed of this Downwind; subscribe to the provider that it is about, or put the address into a feed reader: %w", address, downwind.ErrInvalid)
	}
	if p, ok := a.catalog.Lookup(address); ok && p.Unsupported == "" {
		return p, nil
	}
	d, err := feeds.Detect(ctx, a.fetcher, a.adapter, address)
	if err != nil {
		return downwind.Provider{}, err
	}
	if p, ok := a.catalog.Lookup(d.PageURL); ok && p.Unsupported == "" {
		return p, nil
	}
	p := downwind.Provider{Slug: a.freeSlug(d), Name: d.Page.Name, StatusURL: d.PageURL, Platform: d.Platform, Verified: true}
	if d.Direct {
		p.StatusURL = d.Endpoint
	}
	if p.Name == "" {
		p.Name = hostOf(d.PageURL)
	}
	if err := a.db.SaveProvider(ctx, p); err != nil {
		return p, err
	}
	if err := a.catalog.add(p); err != nil {
		return p, err
	}
	return p, a.syncSources(ctx)
}

// isOurs reports whether an address is one of our own pages or feeds.
func (a *App) isOurs(address string) bool {
	host := hostOf(address)
	return host != "" && (host == hostOf(a.baseURL()) || host == a.cfg.Server.Listen)
}

func hostOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// freeSlug names a new provider after its registrable domain ("status.acme.example" is acme), with a number where the
// name is taken.
func (a *App) freeSlug(d feeds.Detection) string {
	host := strings.ToLower(hostOf(d.PageURL))
	host, _, _ = strings.Cut(host, ":")
	name := host
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		name, _, _ = strings.Cut(domain, ".")
		if sub := strings.TrimSuffix(host, "."+domain); isHosting(domain) && sub != host {
			name = sub
		}
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
	slug := name
	for n := 2; ; n++ {
		if _, taken := a.catalog.Provider(slug); !taken && slug != "" {
			return slug
		}
		slug = fmt.Sprintf("%s-%d", name, n)
	}
}

// isHosting reports whether a domain is a platform's own, under which every page belongs to somebody else.
func isHosting(domain string) bool {
	switch domain {
	case "statuspage.io", "instatus.com", "betteruptime.com", "status.io", "hund.io", "statuspal.io", "incident.io", "github.io", "openstatus.dev", "sorryapp.com":
		return true
	}
	return false
}

// loadAdded lays the providers that people added earlier over the catalogue and keeps their sources.
func (a *App) loadAdded(ctx context.Context) error {
	added, err := a.db.Providers(ctx)
	if err != nil {
		return err
	}
	for _, p := range added {
		if err := a.catalog.add(p); err != nil && !errors.Is(err, downwind.ErrConflict) {
			return err
		}
	}
	return nil
}

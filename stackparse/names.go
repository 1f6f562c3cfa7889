package stackparse

import (
	"strings"
	"sync"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

// Vendors name their own libraries alike ("@vendor/sdk", "vendor-python", "github.com/vendor/vendor-go"). Where no
// signature fits a direct dependency, such a name leads to the provider whose slug it holds, as likely.
var ownNames = sync.OnceValue(func() map[string]*pattern.Regexp {
	return map[string]*pattern.Regexp{
		"npm":      pattern.New(`^@([a-z0-9-]+?)(?:hq|io|js|dev|ai|labs)?/(?:sdk|client|node|api|server|browser|react|js|web|core-sdk|[a-z]+-sdk|sdk-[a-z-]+|api-client|client-[a-z]+|nextjs|node-sdk|server-sdk|vercel-ai-sdk)$|^([a-z0-9-]+?)-(?:sdk|node|js|client|api|node-sdk|js-sdk|sdk-js|sdk-node|browser|api-client|web-sdk)$`),
		"pypi":     pattern.New(`^([a-z0-9-]+?)(?:-|_)(?:sdk|python|client|api|python-sdk|api-client|sdk-python|py)$|^(?:python|py)-([a-z0-9-]+)$`),
		"gem":      pattern.New(`^([a-z0-9_-]+?)[-_](?:ruby|sdk|rails|api|client)$`),
		"composer": pattern.New(`^([a-z0-9-]+)/(?:[a-z0-9-]*php[a-z0-9-]*|sdk|[a-z-]*-sdk|[a-z-]*client|laravel)$`),
		"go":       pattern.New(`^github\.com/([A-Za-z0-9-]+?)(?:hq|io|dev|labs)?/(?:[a-z0-9-]+-go|[a-z0-9-]*sdk[a-z0-9-]*|go-[a-z0-9-]+|[a-z0-9-]+-api)(?:/v\d+)?$`),
		"cargo":    pattern.New(`^([a-z0-9-]+?)[-_](?:sdk|rs|client|api)$`),
		"nuget":    pattern.New(`(?i)^([a-z0-9]+)(?:\.(?:net|sdk|client|api))$`),
		"maven":    pattern.New(`^(?:com|io|dev|ai)\.([a-z0-9-]+)(?:\.[a-z0-9.-]+)?:[a-z0-9-]*(?:sdk|java|client|api|android)[a-z0-9-]*$`),
		"pub":      pattern.New(`^([a-z0-9_]+?)_(?:flutter|sdk|client|dart)$`),
		"hex":      pattern.New(`^([a-z0-9_]+?)_(?:sdk|ex|elixir|client)$`),
	}
})

// byName finds the provider whose slug a library's name holds. Vendors whose software teams mostly run themselves,
// and slugs that are everyday words, are left out.
func (j *judge) byName(kind, name string) []catalog.Signature {
	re := ownNames()[kind]
	if re == nil {
		return nil
	}
	key := nameOf{kind, name}
	rows, ok := j.named[key]
	if !ok {
		rows = j.vendorNamed(re, kind, name)
		j.named[key] = rows // each workspace of a monorepo has the same libraries
	}
	return rows
}

func (j *judge) vendorNamed(re *pattern.Regexp, kind, name string) []catalog.Signature {
	if kind == "pypi" {
		name = catalog.FoldPyPI(name)
	}
	m := re.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	word := downwind.Fold(strings.Join(m[1:], ""))
	if len(word) < 5 || everyday(word) {
		return nil
	}
	slug := j.slugs()[word]
	if slug == "" {
		return nil
	}
	return []catalog.Signature{{Kind: kind, Key: name, Provider: slug, Relation: downwind.BuildTime, Note: "by the vendor's name"}}
}

// slugs maps folded slugs to slugs, for providers that have a hosted domain and no clients of self-run software.
func (j *judge) slugs() map[string]string {
	if j.bySlug != nil {
		return j.bySlug
	}
	j.bySlug = map[string]string{}
	for _, slug := range j.sig.Providers("domain", downwind.Hosted) {
		j.bySlug[downwind.Fold(slug)] = slug
	}
	for _, kind := range [...]string{"npm", "pypi"} {
		for _, slug := range j.sig.Providers(kind, downwind.ClientOnly) {
			delete(j.bySlug, downwind.Fold(slug))
		}
	}
	return j.bySlug
}

// everyday reports whether other people's libraries hold a slug as a word.
func everyday(s string) bool {
	switch s {
	case "docker", "github", "gitlab", "google", "azure", "discord", "render", "branch", "segment",
		"square", "linear", "convex", "courier", "pulumi", "prisma", "figma", "replicate", "daily", "split", "knock", "loops",
		"depot", "front", "heroku", "vercel", "netlify", "nuget", "facebook", "cypress", "postman", "chromatic", "telegram", "steam", "apple",
		"firebase", "composer", "packagist", "jenkins", "bolt", "clever", "drift", "harness", "buddy", "hashicorp", "incident", "signal", "unity",
		"laravel", "symfony", "expo", "deno", "redhat", "mozilla", "python", "ruby", "statuspage", "chainguard", "mintlify", "fern", "renovate",
		"ghost", "stream", "here", "socket", "comet", "radar", "phrase", "shuttle", "adjust", "singular", "embrace", "argos", "iterable", "datastax",
		"metabase", "cloudevents":
		return true
	}
	return false
}

// standIn reports whether a word before a vendor's name means something else than the vendor.
func standIn(s string) bool {
	switch s {
	case "FAKE", "MOCK", "LOCAL", "LITELLM", "OLLAMA", "OLD", "NO", "DISABLE", "TEST":
		return true
	}
	return false
}

// commonWord reports whether a word starts names of variables without meaning the vendor.
func commonWord(s string) bool {
	switch s {
	case "CLOUD", "LINEAR", "BRANCH", "SPLIT", "COURIER", "INCIDENT", "RENDER", "MAKE",
		"CONVEX", "SQUARE", "HERE", "LOOPS", "EDGE", "META", "PUBLIC", "GITHUB", "SPACES", "ACCESS",
		"DEPOT", "DAILY", "KNOCK", "SEGMENT", "BUNNY", "ATLAS", "COMPOSER", "TEAMS", "GOOGLE", "CIRCLE", "TUNNEL", "BOX":
		return true
	}
	return false
}

package catalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"downwind"
)

//go:embed data/services.tsv
var servicesTable string

//go:embed data/signatures/services.tsv
var serviceNamesTable string

// ServiceClass says how a team comes to use a provider's service, and what suffers when it fails.
type ServiceClass string

// The classes of services. A service without another class is a product.
const (
	// ServiceProduct: used where a file shows it; the provider's general client hints at it.
	ServiceProduct ServiceClass = "product"
	// ServiceCore: every customer uses it.
	ServiceCore ServiceClass = "core"
	// ServiceWhole: a name for the provider as a whole.
	ServiceWhole ServiceClass = "whole"
	// ServiceGeneral: one of several that the general client serves alike.
	ServiceGeneral ServiceClass = "general"
	// ServiceEndpoint: one call of a general client; source code tells which.
	ServiceEndpoint ServiceClass = "endpoint"
	// ServiceOption: reached through the general client by those who chose it, beside the core.
	ServiceOption ServiceClass = "feature-product"
	// ServiceFeature: a part of other services that files rarely show.
	ServiceFeature ServiceClass = "feature"
	// ServiceOutbound: a feature in one direction; files that show only the other direction rule it out.
	ServiceOutbound ServiceClass = "outbound"
	// ServiceSpecial: needs a package or a screen of its own; nothing else hints at it.
	ServiceSpecial ServiceClass = "special"
	// ServiceScreen: sold apart, with a screen or device of its own.
	ServiceScreen ServiceClass = "screen"
	// ServiceGuess: what shows it is used by other programs as well.
	ServiceGuess ServiceClass = "guess"
	// ServiceDashboard: consoles for people.
	ServiceDashboard ServiceClass = "dashboard"
	// ServiceWebsite: websites, documentation, support: nobody's stack.
	ServiceWebsite ServiceClass = "website"
	// ServiceControl: an administration interface, used by code that manages the provider.
	ServiceControl ServiceClass = "control"
	// ServicePublish: putting out, for those who publish.
	ServicePublish ServiceClass = "publish"
	// ServiceLogins: signing in to a registry.
	ServiceLogins ServiceClass = "logins"
)

// A Service is a part of a provider's offer with the words that status pages use for it.
type Service struct {
	Provider string
	// Key is the slug that signatures and stacks use ("s3"); it is unique in the provider.
	Key   string
	Class ServiceClass
	// Global services have no region; Edge services run in places that end users choose.
	Global, Edge bool
	// Abroad services reach people in countries of their own: a country that is hit is theirs, not the provider's region.
	Abroad bool
	// Live services of a provider that else serves building answer the visitors of what was built ("Pages").
	Live bool
	// Build services, and those used only to build, hurt building and deploying instead of what runs.
	Build bool
	// Names are the words of status pages for it.
	Names []string
	// Hints are pieces of evidence that show its use; Against those that rule it out.
	Hints, Against []ServiceHint
}

// A ServiceHint is a pattern on one piece of evidence: its kind and its match, "*" standing for any run of characters.
// The kind "kind" compares the evidence's kind itself, "service" its service.
type ServiceHint struct {
	Kind, Pattern string
	// Weak hints make a use possible only: the service may run beneath another one.
	Weak bool
}

// Fits reports whether a piece of evidence, given by kind, match and service, shows what the hint is about. Case does not matter.
func (h ServiceHint) Fits(kind, match, service string) bool {
	return h.fits(kind, strings.ToLower(match), service)
}

func (h ServiceHint) fits(kind, match, service string) bool {
	switch h.Kind {
	case "kind":
		return kind == h.Pattern
	case "service":
		return service == h.Pattern
	case "*":
	default:
		if h.Kind != kind {
			return false
		}
	}
	return downwind.Glob(h.Pattern, match)
}

// A ServiceMention is a service named in a text, with byte offsets.
type ServiceMention struct {
	Services   []*Service
	Text       string
	Start, End int
}

// serviceName is one spelling; proper names count in prose only when written with a capital.
type serviceName struct {
	service *Service
	proper  bool
}

// Services is the gazetteer of services: what status pages call them and how files show them. It is read-only and safe for
// concurrent use.
type Services struct {
	of      map[string][]*Service
	names   map[string]map[string][]serviceName
	traits  map[string]map[string]string
	longest int
	heads   heads
	hints   map[string]map[string][]hinted
	// told are the providers with rows of their own.
	told map[string]bool
}

// hinted is a hint with its service.
type hinted struct {
	hint    ServiceHint
	service *Service
}

// Shown returns the services that a piece of evidence of a provider shows, in the order of the table; with weak, those that may
// run beneath what it shows.
func (s *Services) Shown(provider, kind, match, service string, weak bool) []*Service {
	var out []*Service
	low := strings.ToLower(match)
	for _, p := range [...]string{provider, "*"} {
		for _, k := range [...]string{kind, "*"} {
			for _, h := range s.hints[p][k] {
				if h.hint.Weak == weak && h.hint.fits(kind, low, service) && !slices.Contains(out, h.service) {
					out = append(out, h.service)
				}
			}
		}
	}
	return out
}

// LoadServices reads the built-in table, once; the error names the row.
var LoadServices = sync.OnceValues(func() (*Services, error) { return parseServices(servicesTable, serviceNamesTable) })

func parseServices(table, names string) (*Services, error) {
	s := &Services{of: map[string][]*Service{}, names: map[string]map[string][]serviceName{}, traits: map[string]map[string]string{}, told: map[string]bool{}, longest: 1}
	if err := eachRow(table, 6, s.row); err != nil {
		return nil, fmt.Errorf("services table: %w", err)
	}
	for line := range strings.Lines(names) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 3 || f[0] == "provider" || f[0] == "provider_slug" {
			continue
		}
		sv := s.Get(f[0], f[1])
		if sv == nil {
			sv = &Service{Provider: f[0], Key: f[1], Class: ServiceProduct}
			s.of[f[0]] = append(s.of[f[0]], sv)
		}
		s.name(sv, f[2])
		s.name(sv, upperFirst(strings.ReplaceAll(f[1], "-", " ")))
	}
	s.heads.sort()
	s.indexHints()
	return s, nil
}

// indexHints files hints by the kind of evidence that they look at; those on the service or the kind itself look at all.
func (s *Services) indexHints() {
	s.hints = map[string]map[string][]hinted{}
	for p, list := range s.of {
		by := map[string][]hinted{}
		for _, sv := range list {
			for _, h := range sv.Hints {
				k := h.Kind
				if k == "service" || k == "kind" {
					k = "*"
				}
				by[k] = append(by[k], hinted{h, sv})
			}
		}
		s.hints[p] = by
	}
}

func (s *Services) row(f []string) error {
	provider, key := f[0], f[1]
	if key == "*" {
		t := map[string]string{}
		for _, flag := range strings.FieldsFunc(f[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			k, v, _ := strings.Cut(flag, "=")
			t[k] = v
		}
		s.traits[provider] = t
		return nil
	}
	sv := &Service{Provider: provider, Key: key, Class: ServiceProduct}
	for flag := range strings.SplitSeq(f[2], ",") {
		switch flag {
		case "global":
			sv.Global = true
		case "edge":
			sv.Edge = true
		case "abroad":
			sv.Abroad = true
		case "live":
			sv.Live = true
		case "build":
			sv.Build = true
			if f[2] == "build" {
				sv.Class = ServiceProduct
			}
		case "buildonly", "sourcemap":
			sv.Build = true
		case "":
			return fmt.Errorf("service %s of %s has no class", key, provider)
		default:
			sv.Class = ServiceClass(flag)
		}
	}
	var err error
	if sv.Hints, err = parseHints(f[4]); err != nil {
		return fmt.Errorf("service %s of %s: %w", key, provider, err)
	}
	if sv.Against, err = parseHints(f[5]); err != nil {
		return fmt.Errorf("service %s of %s: %w", key, provider, err)
	}
	s.of[provider] = append(s.of[provider], sv)
	s.told[provider] = true
	for _, n := range splitNames(f[3]) {
		s.name(sv, n)
	}
	return nil
}

func parseHints(s string) ([]ServiceHint, error) {
	var out []ServiceHint
	for _, h := range splitNames(s) {
		kind, pattern, ok := strings.Cut(h, ":")
		if !ok || pattern == "" {
			return nil, fmt.Errorf("hint %q is not kind:pattern", h)
		}
		pattern, weak := strings.CutSuffix(strings.ToLower(pattern), "?")
		out = append(out, ServiceHint{kind, pattern, weak})
	}
	return out, nil
}

func (s *Services) name(sv *Service, name string) {
	words := serviceWords(name)
	if len(words) == 0 {
		return
	}
	s.longest = max(s.longest, len(words))
	into := s.names[sv.Provider]
	if into == nil {
		into = map[string][]serviceName{}
		s.names[sv.Provider] = into
	}
	k := strings.Join(words, "")
	s.heads.add(k)
	r, _ := utf8.DecodeRuneInString(name)
	for i, have := range into[k] {
		if have.service == sv {
			into[k][i].proper = have.proper && unicode.IsUpper(r)
			return
		}
	}
	into[k] = append(into[k], serviceName{sv, unicode.IsUpper(r)})
	if !slices.Contains(sv.Names, name) {
		sv.Names = append(sv.Names, name)
	}
}

// serviceWords folds a name to its words in lower case, plural endings cut: "Edge Functions" and "edge function" are one.
func serviceWords(s string) []string {
	words := placeWords(s)
	for i, w := range words {
		words[i] = singular(strings.ToLower(w))
	}
	return words
}

func singular(w string) string {
	for _, end := range [...]string{"ches", "shes", "sses", "xes"} {
		if strings.HasSuffix(w, end) {
			return w[:len(w)-2]
		}
	}
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		return w[:len(w)-1]
	}
	return w
}

// Of returns the services of a provider; nil where the table knows none.
func (s *Services) Of(provider string) []*Service { return s.of[provider] }

// Told reports whether the table of services itself has rows for a provider; the names that signatures use are not enough to tell what
// else there is.
func (s *Services) Told(provider string) bool { return s.told[provider] }

// Get returns a service by its key, nil where the table does not know it.
func (s *Services) Get(provider, key string) *Service {
	for _, sv := range s.of[provider] {
		if sv.Key == key {
			return sv
		}
	}
	return nil
}

// Trait returns what is said of a provider as a whole: "build", "registry", "edge", "spread", "default-place".
func (s *Services) Trait(provider, trait string) (value string, ok bool) {
	value, ok = s.traits[provider][trait]
	return value, ok
}

// Named returns the services that a whole name means at a provider: its own spelling, a key, or one known to all providers.
func (s *Services) Named(provider, name string) []*Service {
	key := strings.Join(serviceWords(name), "")
	if key == "" {
		return nil
	}
	for _, p := range [...]string{provider, "*"} {
		if found := s.names[p][key]; found != nil {
			return plain(found)
		}
	}
	return nil
}

func plain(ns []serviceName) []*Service {
	out := make([]*Service, len(ns))
	for i, n := range ns {
		out[i] = n.service
	}
	return out
}

// Mentions finds the services that a text names, left to right, longest name first. With anyCase, as in names of components,
// the writing of capitals does not matter; in prose a proper name must be written with one.
func (s *Services) Mentions(provider, text string, anyCase bool) []ServiceMention {
	toks := tokenise(text)
	folded := make([]string, len(toks)) // as far as they were needed
	var out []ServiceMention
	for i := 0; i < len(toks); {
		if len(toks[i].text) >= longWord && s.heads.passes(toks[i].text) {
			i++
			continue
		}
		n, found := s.longestAt(provider, text, toks[i:], folded[i:], anyCase)
		if n == 0 {
			i++
			continue
		}
		out = append(out, ServiceMention{Services: found, Text: text[toks[i].start:toks[i+n-1].end], Start: toks[i].start, End: toks[i+n-1].end})
		i += n
	}
	return out
}

// longWord is from how many bytes on the beginning of a word stays the same when its plural is taken off.
const longWord = 7

func (s *Services) longestAt(provider, text string, toks []placeToken, folded []string, anyCase bool) (int, []*Service) {
	var ends [8]int
	n, all := 0, ""
	for n < min(len(ends), len(toks)) {
		if folded[n] == "" {
			folded[n] = singular(strings.ToLower(toks[n].text))
		}
		all += folded[n]
		if !s.heads.begins(all) {
			break
		}
		ends[n] = len(all)
		n++
	}
	for ; n > 0; n-- {
		if !joined(text, toks[:n]) {
			continue
		}
		key := all[:ends[n-1]]
		for _, p := range [...]string{provider, "*"} {
			var hits []*Service
			for _, name := range s.names[p][key] {
				if !anyCase && name.proper && !startsUpper(toks[0].text) && !hasDigit(toks[0].text) {
					continue
				}
				hits = append(hits, name.service)
			}
			if hits != nil {
				return n, hits
			}
		}
	}
	return 0, nil
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func startsUpper(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

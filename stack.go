package downwind

// Confidence grades how surely files show that a provider is used.
type Confidence string

// The grades of use, surest first.
const (
	Sure   Confidence = "sure"
	Likely Confidence = "likely"
	Guess  Confidence = "guess"
)

// Relation tells how a piece of evidence stands to the provider's service.
type Relation string

// The relations of the catalogue: hosted service used; client that also talks to software run by the team itself;
// needed to build, test or deploy only; no use (types, mocks, emulators, look-alikes).
const (
	Hosted     Relation = "hosted"
	ClientOnly Relation = "client"
	BuildTime  Relation = "build"
	TypeOnly   Relation = "type"
)

// Evidence is one place in a team's files that shows a use. It holds names, hosts and regions, never a value.
type Evidence struct {
	File string `json:"file"`
	// Line counts from 1; 0 where the format has no lines.
	Line int `json:"line"`
	// Kind is the sort of sign: npm, pypi, go, …, domain, env, image, tf_resource, config_file (the kinds of the catalogue).
	Kind string `json:"kind"`
	// Match is the name as it stands in the file.
	Match   string `json:"match"`
	Version string `json:"version,omitempty"`
	// Direct is false for what stands only deeper in a lockfile.
	Direct bool `json:"direct"`
	// Dev says that the entry is a development or test dependency.
	Dev bool `json:"dev,omitempty"`
	// Service and Region are what this evidence tells of them, empty where it tells nothing.
	Service  string   `json:"service,omitempty"`
	Region   string   `json:"region,omitempty"`
	Relation Relation `json:"relation,omitempty"`
}

// A Use is one provider that a stack depends on.
type Use struct {
	// Provider is the catalogue's slug.
	Provider   string     `json:"provider"`
	Name       string     `json:"name"`
	Confidence Confidence `json:"confidence"`
	// Services and Regions are sorted; empty: not told by the files. A region is a code of the provider, or "global".
	Services []string   `json:"services"`
	Regions  []string   `json:"regions"`
	Evidence []Evidence `json:"evidence"`
	// Manual says that a person added or confirmed this use; it survives the next upload.
	Manual bool `json:"manual,omitempty"`
}

// A StackFile is one file that was read for a stack.
type StackFile struct {
	Path string `json:"path"`
	// Kind is the parser's name; empty: not read, the diagnostic says why.
	Kind         string       `json:"kind"`
	Dependencies int          `json:"dependencies"`
	Diagnostics  []Diagnostic `json:"diagnostics"`
}

// A Stack is what a team runs on, as its files show ("downwind.stack/v1").
type Stack struct {
	Files     []StackFile `json:"files"`
	Providers []Use       `json:"providers"`
	// Unknown are hosts, images and providers of infrastructure that no signature fits.
	Unknown []Evidence `json:"unknown"`
	// SelfHosted names software that the files run themselves, by the provider that would host it ("livekit"), with the evidence.
	SelfHosted map[string][]Evidence `json:"self_hosted,omitempty"`
	// Weak are signs that prove no use by themselves, by provider: transitive packages (Direct false), clients of software
	// that teams run themselves (relation client), types and mocks (relation type), and what a redirection took away.
	// It leaves out providers that Providers lists.
	Weak map[string][]Evidence `json:"weak,omitempty"`
	// Dropped counts values that looked like secrets and were dropped in the parsers.
	Dropped int `json:"dropped,omitempty"`
}

// Use returns the use of a provider, nil where the stack has none.
func (s *Stack) Use(slug string) *Use {
	for i := range s.Providers {
		if s.Providers[i].Provider == slug {
			return &s.Providers[i]
		}
	}
	return nil
}

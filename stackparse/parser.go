// Package stackparse turns the files of a team (manifests, lockfiles, infrastructure code, settings, host lists) into
// the providers, services and regions that the team depends on.
//
// Parsers only say what stands in a file: package names, hosts, names of variables, resources, images, as Facts with
// their line. The Reader finds, opens and bounds the files, and judges all facts together against the catalogue's
// signatures: what is used, how surely, and what only looks like it. Values of settings never leave a parser; only
// host names, regions and the kind of resource an identifier names do.
package stackparse

import (
	"context"
	"fmt"
	"io"
	"slices"

	"downwind"
	"downwind/stackparse/internal/scan"
)

// A Parser reads one family of files.
type Parser interface {
	// Name is the word for StackFile.Kind ("npm", "terraform").
	Name() string
	// Claims says whether a file is this parser's, by its slash-separated path below the folder that is read.
	Claims(path string) bool
	// Parse adds what stands in the file to the result. Damage becomes a diagnostic, never an error or a panic.
	Parse(ctx context.Context, in Input, out *Result)
}

// A TreeParser reads all its files together, because one explains the other: Terraform variables, Maven parents,
// version catalogues. Its Parse is not called.
type TreeParser interface {
	Parser
	// ParseTree gets all claimed files, sorted by path. The results go to out(path), one Result per file.
	ParseTree(ctx context.Context, in []Input, out func(path string) *Result)
}

// A Sniffer is a parser that also knows its files by how they begin, whatever they are called. It is asked about JSON
// that nobody claims.
type Sniffer interface {
	Parser
	// Sniffs says whether a file is this parser's by its first 4,096 bytes.
	Sniffs(head []byte) bool
}

// A Skimmer is a parser of source code, of which a repository may hold very much: files beyond a size of their own are passed
// over, and of all of them only so much is read as marks are looked for in.
type Skimmer interface {
	Parser
	// Skims marks the parser and does nothing.
	Skims()
}

// An Input is one file.
type Input struct {
	// Path is slash-separated and relative to what was given to the reader.
	Path string
	// Data is the content in UTF-8, without byte order mark; its first 4,096 bytes where Again is set. Parse must not keep a piece
	// of it: other files are read into the same room. ParseTree may.
	Data []byte
	// Again reads the content of a large file of a Streamer from its front, in UTF-8. It is nil for all others, and only one
	// reader holds at a time.
	Again func() io.Reader
	// Beside says whether a file exists at a path relative to the folder of this one.
	Beside func(rel string) bool
	// Known says whether a signature fits a name, so that big lockfiles need not be kept.
	Known func(kind, name string) bool
}

// State tells how firmly a setting or an entry stands in a file.
type State uint8

// The states of a fact, firmest first.
const (
	// Firm: declared, with a value, or as a reference to a secret.
	Firm State = iota
	// Loose: a direct entry that is conditional or dual: an unselected branch, required_providers without a resource.
	Loose
	// Faint: optional, empty or commented out in a template, an example.
	Faint
)

// A Fact is one thing that stands in a file.
type Fact struct {
	// Kind is a kind of the signatures, or one of the kinds below.
	Kind string
	// Name is the package, host, variable, resource type … as it stands there.
	Name string
	Line int
	// Show replaces Name as the text of the evidence where Name was resolved (an alias, a default).
	Show    string
	Version string
	State   State
	// Dev marks development and test dependencies; Transitive what stands only deeper in a lockfile.
	Dev, Transitive bool
	// Source is the address of the Terraform provider that a resource belongs to, where the file tells.
	Source string
	// Provider, Service and Regions say what the parser knows already.
	Provider, Service string
	Regions           []string
	// Template says that the file is a template (".env.example"), where a value is an example.
	Template bool
	// As replaces Kind in the evidence ("tf_data", "tf_backend"); Relation replaces that of the signature.
	As       string
	Relation downwind.Relation
	// Except is a provider of whom this fact says nothing, though its name would.
	Except string
	// Listed says that it stands in a list of hosts that somebody wrote down as dependencies.
	Listed bool
	// Called says that a host stands in an address that programs ask (".../api/v1"), not in a link for people.
	Called bool
	// Linked says that a host stands in an address of the web, which may lead people to a vendor's front page.
	Linked bool
	// Pipeline says that it stands in the definition of a pipeline, whose secrets are named after vendors.
	Pipeline bool
	// Param is the parameter whose default or value this is, "path of its file#name": what another file sets takes the place
	// of the default.
	Param string
	// Secret says that the name refers to a secret that is handed in when deployed.
	Secret bool
}

// Kinds of facts beyond those of the signatures.
const (
	// KindRegion: Provider and Regions are set by a variable or key named for that provider.
	KindRegion = "region"
	// KindRedirect: the client of Provider (and Service) is pointed at the host in Name, "" for one that is not told.
	KindRedirect = "redirect"
	// KindRegistry: Provider is the registry from which the file's packages are installed.
	KindRegistry = "registry"
	// KindUse: Provider is used, Name is the text that shows it.
	KindUse = "use"
	// KindClient: a program makes a client of Provider for the service in Name, as the vendor's own kits call it. It
	// proves no use by itself, but tells service and region of one that something else shows.
	KindClient = "client"
	// KindNamed: source code names the host in Name, or a resource of Provider. It proves no use by itself, but tells the region of a provider that
	// something else shows.
	KindNamed = "named"
	// KindPlain: a program makes a client of Provider for Service that it points nowhere else. It proves no use by itself, but
	// a client of the same kit that a program points elsewhere is then another one.
	KindPlain = "plain"
	// KindCalled: a program calls the host in Name. It proves a use where something reads a variable of the same vendor.
	KindCalled = "called"
	// KindRead: a program that calls hosts reads the variable in Name.
	KindRead = "read"
	// KindUnknown: something that has a provider which no signature knows (a private Terraform provider).
	KindUnknown = "unknown"
)

// A Result gathers what a parser found in one file.
type Result struct {
	// Kind replaces the parser's name in StackFile.Kind when set.
	Kind        string
	Facts       []Fact
	Diagnostics []downwind.Diagnostic
	// Dependencies counts the entries read.
	Dependencies int
	// Dropped counts values that looked like secrets.
	Dropped int
}

// maxFacts bounds what is kept of one file: the largest bills and states have some thousands of entries that matter.
const maxFacts = 50_000

// Add takes in a fact and counts it.
func (r *Result) Add(f Fact) {
	r.Dependencies++
	if r.Full() {
		return
	}
	if n := len(r.Facts); n == cap(r.Facts) {
		r.Facts = slices.Grow(r.Facts, max(n, 4)) // by more than append, which moves thousands of them often
	}
	r.Facts = append(r.Facts, f)
}

// Full says that no more facts are kept of this file.
func (r *Result) Full() bool { return len(r.Facts) > maxFacts }

// Warn adds a warning.
func (r *Result) Warn(line int, format string, a ...any) {
	const most = 20
	if len(r.Diagnostics) < most {
		r.Diagnostics = append(r.Diagnostics, downwind.Diagnostic{Severity: "warning", Line: line, Summary: fmt.Sprintf(format, a...)})
	}
}

// Problems takes in what a scanner could not read.
func (r *Result) Problems(probs []scan.Problem) {
	for _, p := range probs {
		r.Warn(p.Line, "%s", p.Summary)
	}
}

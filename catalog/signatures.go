package catalog

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"downwind"
)

// A Signature is one sign by which a provider shows in a file.
type Signature struct {
	// Kind is one of signatureKinds.
	Kind string
	// Key is the name that is compared, in the folded spelling of its kind; a trailing * marks a prefix, a * inside a
	// domain or an image any run of characters.
	Key string
	// Provider is the catalogue's slug.
	Provider string
	// Service is the provider's product as a short slug ("s3"), empty where the name does not tell.
	Service  string
	Relation downwind.Relation
	// Region is the provider's region that the name itself tells, mostly empty.
	Region string
	// Note is a hint for people.
	Note string
}

// Signatures looks names up in the embedded tables and in the overlays of the user. It is safe for concurrent use;
// a table is read when its kind is first asked for.
type Signatures struct {
	kinds map[string]*signatureKind
}

// A signatureKind is one sort of signs; its table is made when it is first asked for.
type signatureKind struct {
	name string
	// rows are the embedded ones, over those that are laid over them.
	rows  string
	over  []Signature
	once  sync.Once
	table *signatureTable
}

// NewSignatures returns the embedded tables with the overlays laid over them. An overlay is a table of the same shape
// with the kind as first column: kind, key, provider, service, relation, region, note; columns after the third may be
// missing, lines that start with # and a header line are skipped. A row replaces the embedded one of the same kind, key
// and provider; the relation "none" removes it.
func NewSignatures(overlays ...io.Reader) (*Signatures, error) {
	s := EmbeddedSignatures()
	for _, r := range overlays {
		if err := s.readOverlay(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// EmbeddedSignatures returns the embedded tables without an overlay.
func EmbeddedSignatures() *Signatures {
	s := &Signatures{kinds: make(map[string]*signatureKind, len(signatureKinds))}
	kinds := make([]signatureKind, len(signatureKinds))
	for i, k := range signatureKinds {
		kinds[i].name, kinds[i].rows = k.name, *k.rows
		s.kinds[k.name] = &kinds[i]
	}
	return s
}

func (s *Signatures) readOverlay(r io.Reader) error {
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimRight(strings.TrimPrefix(in.Text(), "\ufeff"), " \r")
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "kind\t") {
			continue
		}
		kind, rest, _ := strings.Cut(line, "\t")
		k := s.kinds[kind]
		if k == nil {
			return fmt.Errorf("signature overlay line %d: unknown kind %q: %w", n, kind, downwind.ErrInvalid)
		}
		row, err := parseSignature(kind, rest)
		if err != nil {
			return fmt.Errorf("signature overlay line %d: %w", n, err)
		}
		k.over = append(k.over, row)
	}
	return in.Err()
}

// removed is the relation of an overlay row that takes an embedded row away.
const removed downwind.Relation = "none"

func parseSignature(kind, line string) (Signature, error) {
	s := Signature{Kind: kind, Relation: downwind.Hosted}
	for i := 0; ; i++ {
		col, rest, more := strings.Cut(line, "\t")
		switch i {
		case 0:
			s.Key = col
		case 1:
			s.Provider = col
		case 2:
			s.Service = col
		case 3:
			if col != "" {
				s.Relation = downwind.Relation(col)
			}
		case 4:
			s.Region = col
		case 5:
			s.Note = col
		default:
			return s, fmt.Errorf("%d columns in %q: %w", i+1, s.Key, downwind.ErrInvalid)
		}
		if !more {
			break
		}
		line = rest
	}
	if s.Key == "" || s.Provider == "" {
		return s, fmt.Errorf("key or provider is empty: %w", downwind.ErrInvalid)
	}
	switch s.Relation {
	case downwind.Hosted, downwind.ClientOnly, downwind.BuildTime, downwind.TypeOnly, removed:
		return s, nil
	}
	return s, fmt.Errorf("unknown relation %q of %q: %w", s.Relation, s.Key, downwind.ErrInvalid)
}

// Rows goes through all rows of a kind, embedded and overlay, in the order of their keys; there are none of an unknown kind.
func (s *Signatures) Rows(kind string) iter.Seq[Signature] {
	return func(yield func(Signature) bool) {
		for line := range strings.Lines(s.text(kind)) {
			if row, err := parseSignature(kind, strings.TrimSuffix(line, "\n")); err == nil && !yield(row) {
				return
			}
		}
	}
}

// Providers returns the providers of the rows of a kind that have a relation, in no particular order; nil where there is no
// such kind.
func (s *Signatures) Providers(kind string, relation downwind.Relation) []string {
	text := s.text(kind)
	seen := map[string]bool{}
	for text != "" {
		if relation != downwind.Hosted { // which alone may go without saying; few rows have another
			at := strings.Index(text, "\t"+string(relation))
			if at < 0 {
				break
			}
			text = text[strings.LastIndexByte(text[:at], '\n')+1:]
		}
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if slug, rel := providerOf(line); rel == relation {
			seen[slug] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// providerOf returns the provider and the relation of a row.
func providerOf(line string) (slug string, rel downwind.Relation) {
	_, rest, _ := strings.Cut(line, "\t")
	slug, rest, _ = strings.Cut(rest, "\t")
	_, rest, _ = strings.Cut(rest, "\t")
	told, _, _ := strings.Cut(rest, "\t")
	return slug, downwind.Relation(cmp.Or(told, string(downwind.Hosted)))
}

// text is all rows of a kind: many a run goes through rows that it looks nothing up in.
func (s *Signatures) text(kind string) string {
	if k := s.kinds[kind]; k != nil {
		return overlaid(k.rows, k.over)
	}
	return ""
}

// table is the index of the rows of a kind, nil for an unknown one.
func (s *Signatures) table(kind string) *signatureTable {
	k := s.kinds[kind]
	if k == nil {
		return nil
	}
	k.once.Do(func() { k.table = indexSignatures(k.name, s.text(k.name)) })
	return k.table
}

// overlaid returns the rows of a table with the rows of overlays in their places.
func overlaid(text string, over []Signature) string {
	if len(over) == 0 {
		return text
	}
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, o := range over {
		o.Key = foldSignature(o.Kind, o.Key)
		same := o.Key + "\t" + o.Provider
		rows = slices.DeleteFunc(rows, func(r string) bool { return r == same || strings.HasPrefix(r, same+"\t") })
		if o.Relation != removed {
			rows = append(rows, strings.Join([]string{same, o.Service, string(o.Relation), o.Region, o.Note}, "\t"))
		}
	}
	slices.SortStableFunc(rows, func(a, b string) int {
		keyA, _, _ := strings.Cut(a, "\t")
		keyB, _, _ := strings.Cut(b, "\t")
		return strings.Compare(keyA, keyB)
	})
	return strings.Join(rows, "\n") + "\n"
}

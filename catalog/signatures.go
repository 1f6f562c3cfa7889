package catalog

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	overlay map[string][]Signature
	// tables are those that were asked for so far. It is replaced as a whole under mu, so that look-ups need no lock.
	tables atomic.Pointer[map[string]*signatureTable]
	mu     sync.Mutex
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
	s := &Signatures{overlay: map[string][]Signature{}}
	s.tables.Store(&map[string]*signatureTable{})
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
		if _, known := embeddedRows(kind); !known {
			return fmt.Errorf("signature overlay line %d: unknown kind %q: %w", n, kind, downwind.ErrInvalid)
		}
		row, err := parseSignature(kind, rest)
		if err != nil {
			return fmt.Errorf("signature overlay line %d: %w", n, err)
		}
		s.overlay[kind] = append(s.overlay[kind], row)
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

// SignatureRows returns all rows of a kind, embedded and overlay, in no particular order.
func (s *Signatures) SignatureRows(kind string) ([]Signature, error) {
	t, err := s.table(kind)
	if err != nil {
		return nil, err
	}
	return t.all()
}

// Providers returns the providers of the rows of a kind that have a relation, in no particular order; nil where there is no
// such kind.
func (s *Signatures) Providers(kind string, relation downwind.Relation) []string {
	text, err := s.text(kind)
	if err != nil {
		return nil
	}
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

// text returns the rows of a kind as they are indexed; many a run needs no index of a kind whose rows it goes through.
func (s *Signatures) text(kind string) (string, error) {
	if t := (*s.tables.Load())[kind]; t != nil {
		return t.text, nil
	}
	return s.read(kind)
}

func (s *Signatures) read(kind string) (string, error) {
	rows, ok := embeddedRows(kind)
	if !ok {
		return "", fmt.Errorf("signatures of kind %q: %w", kind, downwind.ErrNotFound)
	}
	return overlaid(rows, s.overlay[kind]), nil
}

func (s *Signatures) table(kind string) (*signatureTable, error) {
	if t := (*s.tables.Load())[kind]; t != nil {
		return t, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	tables := *s.tables.Load()
	if t := tables[kind]; t != nil {
		return t, nil
	}
	text, err := s.read(kind)
	if err != nil {
		return nil, err
	}
	tables = maps.Clone(tables)
	tables[kind] = indexSignatures(kind, text)
	s.tables.Store(&tables)
	return tables[kind], nil
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

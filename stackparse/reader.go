package stackparse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"downwind"
	"downwind/catalog"
	"downwind/stackparse/internal/marks"
	"downwind/stackparse/internal/scan"
)

// The limits used where Options leave them zero.
const (
	DefaultMaxFile  = 128 << 20
	DefaultMaxTotal = 1 << 30
	DefaultMaxFiles = 50_000
)

// maxSmall bounds files whose parsers keep the text of all their files at once; lockfiles are read piece by piece and may be as
// big as MaxFile.
const maxSmall = 16 << 20

// maxGlanced bounds how much source code is looked through for marks: they only refine what manifests show.
const maxGlanced = 16 << 20

// Options of a Reader. Zero values are the defaults.
type Options struct {
	// Parsers in the order in which they are asked; the first that claims a file reads it. Usually all.Parsers().
	Parsers []Parser
	// Signatures to judge by; nil: the embedded ones.
	Signatures *catalog.Signatures
	// Names gives a provider's display name; nil: the slug is shown.
	Names func(slug string) string
	// MaxFile and MaxTotal bound bytes of one file and of all (archives: unpacked); MaxFiles the number of files.
	MaxFile, MaxTotal int64
	MaxFiles          int
	// NoIgnore reads what .gitignore excludes, too.
	NoIgnore bool
}

// A Reader reads stacks. It is safe for concurrent use.
type Reader struct {
	opt Options
}

// New returns a reader.
func New(opt Options) *Reader {
	if opt.Signatures == nil {
		opt.Signatures = catalog.EmbeddedSignatures()
	}
	if opt.Names == nil {
		opt.Names = func(slug string) string { return slug }
	}
	if opt.MaxFile <= 0 {
		opt.MaxFile = DefaultMaxFile
	}
	if opt.MaxTotal <= 0 {
		opt.MaxTotal = DefaultMaxTotal
	}
	if opt.MaxFiles <= 0 {
		opt.MaxFiles = DefaultMaxFiles
	}
	return &Reader{opt: opt}
}

// A source is one file that can be opened, wherever it comes from.
type source struct {
	path string
	size int64
	// read returns the content, at most max bytes; errTooBig beyond. It may use the room that is given.
	read func(max int64, room []byte) ([]byte, error)
	// head returns the first bytes, at most max.
	head func(max int) ([]byte, error)
	// open returns the content to be read piece by piece; nil where it is in memory anyway.
	open func() (io.ReadCloser, error)
}

func memory(p string, data []byte) source {
	return source{
		path: p, size: int64(len(data)),
		read: func(int64, []byte) ([]byte, error) { return data, nil },
		head: func(max int) ([]byte, error) { return data[:min(max, len(data))], nil },
	}
}

var errTooBig = errors.New("too big")

// run is one reading of a set of files.
type run struct {
	r     *Reader
	judge *judge
	names map[string]bool // all paths, to answer Beside
	// alone are files named by themselves, with what to say where nobody makes anything of them.
	alone map[string]string
	// claims remembers who reads a path.
	claims map[string]Parser
	files  []downwind.StackFile
	total  atomic.Int64
	// marks narrow uses that other evidence shows.
	marks []marks.Mark
}

func (r *Reader) newRun() *run {
	return &run{r: r, judge: newJudge(r.opt.Signatures), names: map[string]bool{}, alone: map[string]string{}, claims: map[string]Parser{}}
}

func (u *run) known(kind, name string) bool { return u.r.opt.Signatures.Has(kind, name) }

// fewFiles is up to how many files of an upload are each explained where nobody makes anything of them.
const fewFiles = 10

// ReadFiles reads files that are in memory, by their slash-separated paths.
func (r *Reader) ReadFiles(ctx context.Context, files map[string][]byte) downwind.Stack {
	var list []source
	u := r.newRun()
	for _, p := range sortedKeys(files) {
		data := files[p]
		if archiveKind(p) != "" {
			list = append(list, u.unpack(p, data)...)
			continue
		}
		s := memory(cleanPath(p), data)
		if len(files) <= fewFiles {
			u.explain(s.path, data[:min(len(data), headSize)])
		}
		list = append(list, s)
	}
	u.read(ctx, list)
	return u.finish()
}

// ReadDomains reads lines of host names as people type them.
func (r *Reader) ReadDomains(ctx context.Context, lines []string) downwind.Stack {
	return r.ReadFiles(ctx, map[string][]byte{"domains.txt": []byte(strings.Join(lines, "\n"))})
}

func cleanPath(p string) string {
	p = path.Clean("/" + strings.ReplaceAll(p, "\\", "/"))
	return strings.TrimPrefix(p, "/")
}

func (u *run) claim(p string) Parser {
	if x, ok := u.claims[p]; ok {
		return x
	}
	for _, x := range u.r.opt.Parsers {
		if x.Claims(p) {
			u.claims[p] = x
			return x
		}
	}
	u.claims[p] = nil
	return nil
}

// configFile counts a file's very existence where a signature says so ("wrangler.toml").
func (u *run) configFile(p string) {
	if rows := u.judge.find("config_file", p); len(rows) > 0 {
		u.judge.configFile(p, rows)
	}
}

// Holds returns how many bytes of a file of this name and size are held while it is read.
func (r *Reader) Holds(name string, size int64) int64 {
	for _, p := range r.opt.Parsers {
		if p.Claims(name) {
			if s, ok := p.(Streamer); ok && s.Streams(name) {
				return min(size, scan.Window)
			}
			break
		}
	}
	return size
}

// streams says whether a file is read piece by piece: marks are not looked for in files of that size.
func (u *run) streams(s source, p Parser) bool {
	x, ok := p.(Streamer)
	return ok && s.open != nil && s.size > scan.Window && x.Streams(s.path)
}

// stream parses a file piece by piece.
func (u *worker) stream(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := u.fits(j.s, u.r.opt.MaxFile); err != nil {
		return err
	}
	head, err := j.s.head(headSize)
	if err != nil {
		return unreadable(err)
	}
	in, err := u.input(j.s, head)
	if err != nil {
		return err
	}
	u.total.Add(j.s.size)
	file := &stream{open: j.s.open}
	in.Again = file.again
	u.parse(j, func() { j.p.Parse(ctx, in, j.out) })
	if err := file.close(); err != nil {
		return unreadable(err)
	}
	if unread(j.out) { // and is read as a whole by others
		u.total.Add(-j.s.size)
	}
	return nil
}

// open reads a file, and looks for marks in it.
func (u *worker) open(ctx context.Context, j *job) {
	limit, room := u.r.opt.MaxFile, []byte(nil)
	if j.tree != nil {
		limit = min(limit, maxSmall)
	} else {
		room = u.room(j.s)
	}
	if j.err = ctx.Err(); j.err != nil {
		return
	}
	if j.err = u.fits(j.s, limit); j.err != nil {
		return
	}
	data, err := j.s.read(limit, room)
	switch {
	case errors.Is(err, errTooBig):
		j.err = fmt.Errorf("bigger than the limit of %d MB, not read", limit>>20)
		return
	case err != nil:
		j.err = unreadable(err)
		return
	}
	u.total.Add(int64(len(data)))
	if j.in, j.err = u.input(j.s, data); j.err == nil && marks.Claims(j.s.path) {
		j.marks = marks.Find(j.s.path, j.in.Data)
	}
}

// fits holds a file against the limits.
func (u *run) fits(s source, limit int64) error {
	switch {
	case s.size > limit:
		return fmt.Errorf("%d MB: bigger than the limit of %d MB, not read", s.size>>20, limit>>20)
	case u.total.Load()+s.size > u.r.opt.MaxTotal:
		return fmt.Errorf("the limit of %d MB for all files is reached, not read", u.r.opt.MaxTotal>>20)
	}
	return nil
}

func unreadable(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

func (u *run) input(s source, data []byte) (Input, error) {
	text, ok := scan.Decode(data)
	if !ok {
		return Input{}, errors.New("binary content, not read as text")
	}
	return Input{Path: s.path, Data: text, Beside: func(rel string) bool { return u.names[path.Join(path.Dir(s.path), rel)] }, Known: u.known}, nil
}

// headSize is how much of a file is looked at to tell what it is.
const headSize = 4096

// explain notes what to say of a file named by itself, should nobody make anything of it.
func (u *run) explain(name string, head []byte) {
	if u.claim(name) != nil || len(u.judge.find("config_file", name)) == 0 { // that there is such a file may say enough
		u.alone[name] = explainUnknown(name, head)
	}
}

// sniff asks about JSON that nobody claims by its name.
func (u *run) sniff(s source) Parser {
	if !sniffable(s.path) || s.head == nil {
		return nil
	}
	head, err := s.head(headSize)
	if err != nil {
		return nil
	}
	for _, p := range u.r.opt.Parsers {
		if x, ok := p.(Sniffer); ok && x.Sniffs(head) {
			return p
		}
	}
	return nil
}

func sniffable(p string) bool { return strings.HasSuffix(p, ".json") }

// glance looks for marks in a file that no parser claims, such as source code; what cannot be read there is nobody's loss.
func (u *worker) glance(s source) []marks.Mark {
	if u.total.Load()+s.size > u.r.opt.MaxTotal {
		return nil
	}
	data, err := s.read(marks.MaxFile, u.room(s))
	if err != nil {
		return nil
	}
	u.total.Add(int64(len(data)))
	text, ok := scan.Decode(data)
	if !ok {
		return nil
	}
	return marks.Find(s.path, text)
}

func (u *run) skip(p, why string) {
	u.files = append(u.files, downwind.StackFile{Path: p, Diagnostics: []downwind.Diagnostic{{Severity: downwind.SeverityWarning, Summary: why}}})
}

func (u *run) take(p Parser, file string, out *Result) {
	kind := out.Kind
	if kind == "" {
		kind = p.Name()
	}
	if unread(out) {
		if why := u.alone[file]; why != "" {
			u.skip(file, why)
		}
		return
	}
	if out.Full() {
		out.Warn(0, "more than %d entries that may matter: the rest is only counted", maxFacts)
	}
	u.files = append(u.files, downwind.StackFile{Path: file, Kind: kind, Dependencies: out.Dependencies, Diagnostics: out.Diagnostics})
	u.judge.dropped += out.Dropped
	u.judge.file(file, out.Facts)
}

// Unread as a Result's Kind says that the file turned out to be something else; it is not listed.
const Unread = "-"

func (u *run) finish() downwind.Stack {
	s := u.judge.stack(u.r.opt.Names)
	slices.SortFunc(u.files, func(a, b downwind.StackFile) int { return strings.Compare(a.Path, b.Path) })
	s.Files = u.files
	marks.Attach(&s, u.marks)
	return s
}

// explainUnknown says what a file that no parser claims looks like.
func explainUnknown(name string, head []byte) string {
	const hint = "; read are manifests and lockfiles, Terraform, compose and Kubernetes files, workflows, .env files, SBOMs and lists of hosts"
	text, ok := scan.Decode(head)
	t := bytes.TrimSpace(text)
	switch {
	case len(head) == 0:
		return "empty file"
	case bytes.HasPrefix(head, []byte("%PDF")):
		return "looks like a PDF" + hint
	case bytes.HasPrefix(head, []byte("\x89PNG")), bytes.HasPrefix(head, []byte("\xff\xd8")):
		return "looks like an image" + hint
	case !ok:
		return "binary content" + hint
	case marks.Source(name):
		return "source code that shows no use of a cloud" + hint
	case bytes.HasPrefix(t, []byte("{")), bytes.HasPrefix(t, []byte("[")):
		return "looks like JSON of another kind" + hint
	case bytes.HasPrefix(t, []byte("<")):
		return "looks like XML or HTML" + hint
	}
	return "no known kind of stack file (" + path.Base(name) + ")" + hint
}

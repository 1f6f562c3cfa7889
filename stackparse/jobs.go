package stackparse

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"downwind/stackparse/internal/marks"
	"downwind/stackparse/internal/scan"
)

// A job is the reading of one file; everything but the judgement can be done beside others.
type job struct {
	s     source
	p     Parser
	in    Input
	out   *Result
	marks []marks.Mark
	err   error
	// tree is set for files of a TreeParser.
	tree *tree
	// done is closed once the job is.
	done chan struct{}
	// glance: nobody claims the file, but it may hold marks. passed: there is too much source code to read this, too.
	glance, passed bool
}

// A tree is all files of one TreeParser.
type tree struct {
	parser TreeParser
	files  []*job
	// left counts the files that are not opened yet.
	left atomic.Int64
}

// read parses all sources, several at a time. The facts are judged meanwhile, in the order of the paths, and those of trees after
// all others, so that the answer is always the same.
func (u *run) read(ctx context.Context, list []source) {
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.path, b.path) })
	jobs := u.jobs(list)
	trees := u.trees(jobs)
	finish := u.work(ctx, jobs)
	for i := range jobs {
		j := &jobs[i]
		<-j.done
		u.configFile(j.s.path)
		u.marks = append(u.marks, j.marks...)
		switch {
		case j.err != nil:
			u.skip(j.s.path, j.err.Error())
		case j.tree != nil:
		case j.p != nil:
			u.take(j.p, j.s.path, j.out)
			j.out = nil
		case u.alone[j.s.path] != "":
			u.skip(j.s.path, u.alone[j.s.path])
		}
	}
	finish()
	for _, t := range trees {
		for _, j := range t.files {
			if j.err == nil {
				u.take(t.parser, j.s.path, j.out)
			}
		}
	}
}

// jobs decides who reads what.
func (u *run) jobs(list []source) []job {
	jobs := make([]job, len(list))
	glanced := int64(0)
	for i, s := range list {
		u.names[s.path] = true
		j := job{s: s, p: u.claim(s.path), done: make(chan struct{})}
		_, skims := j.p.(Skimmer)
		if skims || j.p == nil && marks.Claims(s.path) {
			if s.size <= marks.MaxFile {
				glanced += s.size
			}
			seen := s.size <= marks.MaxFile && glanced <= maxGlanced
			j.glance = seen && j.p == nil
			j.passed = !seen && skims
		}
		jobs[i] = j
	}
	return jobs
}

// trees gathers the files that are parsed together.
func (u *run) trees(jobs []job) (list []*tree) {
	for i := range jobs {
		j := &jobs[i]
		p, ok := j.p.(TreeParser)
		if !ok {
			continue
		}
		at := slices.IndexFunc(list, func(t *tree) bool { return t.parser == p })
		if at < 0 {
			at, list = len(list), append(list, &tree{parser: p})
		}
		j.tree = list[at]
		j.tree.files = append(j.tree.files, j)
		j.tree.left.Add(1)
	}
	return list
}

// work begins all jobs, one worker per processor, and returns what waits for their end. Trees come first: what is made of their
// text is large and gone soon, and other files are parsed beside the part of the work that one processor does alone.
func (u *run) work(ctx context.Context, jobs []job) (finish func()) {
	order := make([]*job, 0, len(jobs))
	for _, ofTree := range []bool{true, false} {
		for i := range jobs {
			if (jobs[i].tree != nil) == ofTree {
				order = append(order, &jobs[i])
			}
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, max(len(jobs), 1)) {
		wg.Go(func() {
			w := worker{run: u}
			for i := int(next.Add(1)) - 1; i < len(order); i = int(next.Add(1)) - 1 {
				j := order[i]
				w.do(ctx, j)
				close(j.done)
				if j.tree != nil && j.tree.left.Add(-1) == 0 {
					j.tree.parse(ctx)
				}
			}
		})
	}
	return wg.Wait
}

// A worker does one job after the other, with room that one hands on to the next.
type worker struct {
	*run
	// facts is room for those of files to come.
	facts []Fact
	// text is room for a file: nothing that a Parser makes of one holds a piece of it.
	text []byte
}

func (u *worker) do(ctx context.Context, j *job) {
	switch {
	case j.passed:
		j.out = &Result{Kind: Unread}
		return
	case j.tree != nil:
		u.open(ctx, j)
		return
	case j.p == nil:
		j.p = u.sniff(j.s)
	}
	if j.p == nil {
		if j.glance {
			j.marks = u.glance(j.s)
		}
		return
	}
	if u.streams(j.s, j.p) {
		if j.err = u.stream(ctx, j); j.err != nil || !unread(j.out) {
			return
		}
	}
	if u.open(ctx, j); j.err != nil {
		return
	}
	defer func() { j.in = Input{} }()
	u.parse(j, func() { j.p.Parse(ctx, j.in, j.out) })
	for p := j.p; unread(j.out); {
		if p = u.after(p, j.s.path); p == nil {
			return
		}
		j.p = p
		u.parse(j, func() { p.Parse(ctx, j.in, j.out) })
	}
}

// room is that for a file that is not too large; others and what is in memory need none.
func (u *worker) room(s source) []byte {
	if u.text == nil && s.open != nil {
		u.text = make([]byte, scan.Window)
	}
	return u.text
}

// parse makes a result for a job and has it filled.
func (u *worker) parse(j *job, fill func()) {
	const some = 64
	if cap(u.facts) < some/4 {
		u.facts = make([]Fact, 0, some)
	}
	j.out = &Result{Facts: u.facts}
	guard(j.out, fill)
	n := len(j.out.Facts)
	j.out.Facts = j.out.Facts[:n:n]
	if n <= cap(u.facts) { // else they have moved, and the room is left as it was
		u.facts = u.facts[n:n]
	}
}

// parse parses all files of a tree that could be opened.
func (t *tree) parse(ctx context.Context) {
	var in []Input
	results := map[string]*Result{}
	for _, j := range t.files {
		if j.err == nil {
			j.out = &Result{}
			results[j.s.path] = j.out
			in = append(in, j.in)
			j.in = Input{}
		}
	}
	if len(in) == 0 {
		return
	}
	stray := &Result{}
	guard(results[in[0].Path], func() {
		t.parser.ParseTree(ctx, in, func(p string) *Result {
			if r := results[p]; r != nil {
				return r
			}
			return stray
		})
	})
}

// unread says whether a file turned out to be something else than its name said.
func unread(r *Result) bool { return r.Kind == Unread && len(r.Facts) == 0 && len(r.Diagnostics) == 0 }

// after returns the next parser that claims a file, for one that the last makes nothing of ("app.yaml" is App Engine's or a
// manifest); nil where there is none.
func (u *run) after(last Parser, path string) Parser {
	at := slices.Index(u.r.opt.Parsers, last)
	for _, p := range u.r.opt.Parsers[at+1:] {
		if _, tree := p.(TreeParser); !tree && p.Claims(path) {
			return p
		}
	}
	return nil
}

// guard keeps a fault in one parser from ending the reading of the others.
func guard(out *Result, parse func()) {
	defer func() {
		if p := recover(); p != nil {
			out.Warn(0, "reading stopped at a fault in the parser: %.200v", p)
		}
	}()
	parse()
}

// Package feedstest is a fake status page: it plays the states of a page one after the other, answers conditional requests,
// and fails, slows down, moves or lies on demand. Tests and the demo serve it over loopback.
package feedstest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// File is one answer of the page.
type File struct {
	Body        []byte
	ContentType string
}

// Step is a state of the page: what each path answers, "/api/v2/summary.json" and the like.
type Step map[string]File

// Page serves steps as an http.Handler. It is safe for concurrent use.
type Page struct {
	mu       sync.Mutex
	steps    []Step
	at       int
	fail     map[string]failure
	moved    string
	noETag   bool
	noise    int
	catchAll []byte
	before   func(r *http.Request)
	requests []Request
}

type failure struct {
	status int
	times  int // how often; negative: always
	header http.Header
	body   []byte
}

// Request is one request that the page saw.
type Request struct {
	Path        string
	Conditional bool
	Status      int
	At          time.Time
}

// New makes a page that shows the first step. A step inherits what it does not name from the step before.
func New(steps ...Step) *Page {
	p := &Page{fail: map[string]failure{}}
	for i, s := range steps {
		full := Step{}
		if i > 0 {
			maps.Copy(full, p.steps[i-1])
		}
		maps.Copy(full, s)
		p.steps = append(p.steps, full)
	}
	return p
}

// FromFS reads steps from folders in name order, as in the LiveKit pack: a file that a folder lacks is that of the folder
// before. JSON files are served below /api/v2/, feeds at the root, with what a Statuspage derives from its summary.
func FromFS(fsys fs.FS) (*Page, error) {
	dirs, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		files, err := fs.ReadDir(fsys, d.Name())
		if err != nil {
			return nil, err
		}
		step := Step{}
		for _, f := range files {
			body, err := fs.ReadFile(fsys, path.Join(d.Name(), f.Name()))
			if err != nil {
				return nil, err
			}
			if err := step.put(f.Name(), body); err != nil {
				return nil, fmt.Errorf("step %s: %w", d.Name(), err)
			}
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("no step folders")
	}
	return New(steps...), nil
}

// put files one saved answer under the path that a Statuspage serves it at.
func (s Step) put(name string, body []byte) error {
	switch path.Ext(name) {
	case ".atom", ".rss":
		s["/"+name] = File{body, "application/" + strings.TrimPrefix(path.Ext(name), ".") + "+xml; charset=utf-8"}
		return nil
	case ".json":
		s["/api/v2/"+name] = JSON(body)
	default:
		return nil
	}
	if name != "summary.json" {
		return nil
	}
	var sum struct {
		Page         json.RawMessage   `json:"page"`
		Status       json.RawMessage   `json:"status"`
		Incidents    json.RawMessage   `json:"incidents"`
		Maintenances []json.RawMessage `json:"scheduled_maintenances"`
	}
	if err := json.Unmarshal(body, &sum); err != nil {
		return fmt.Errorf("summary.json: %w", err)
	}
	planned := map[string][]json.RawMessage{"upcoming": {}, "active": {}}
	for _, m := range sum.Maintenances {
		var state struct {
			Status string `json:"status"`
		}
		if err := json.Unmarshal(m, &state); err != nil {
			return fmt.Errorf("summary.json: %w", err)
		}
		switch state.Status {
		case "scheduled":
			planned["upcoming"] = append(planned["upcoming"], m)
		case "in_progress", "verifying":
			planned["active"] = append(planned["active"], m)
		}
	}
	for file, v := range map[string]any{
		"status.json":                          map[string]any{"page": sum.Page, "status": sum.Status},
		"incidents/unresolved.json":            map[string]any{"page": sum.Page, "incidents": sum.Incidents},
		"scheduled-maintenances/upcoming.json": map[string]any{"page": sum.Page, "scheduled_maintenances": planned["upcoming"]},
		"scheduled-maintenances/active.json":   map[string]any{"page": sum.Page, "scheduled_maintenances": planned["active"]},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		s["/api/v2/"+file] = JSON(b)
	}
	return nil
}

// JSON, Atom, RSS and HTML are files with their content types.
func JSON(body []byte) File { return File{body, "application/json; charset=utf-8"} }

// Atom is an Atom feed.
func Atom(body []byte) File { return File{body, "application/atom+xml; charset=utf-8"} }

// RSS is an RSS feed.
func RSS(body []byte) File { return File{body, "application/rss+xml; charset=utf-8"} }

// HTML is a page.
func HTML(body []byte) File { return File{body, "text/html; charset=utf-8"} }

// Show makes the page show step n from now on, counted from 0.
func (p *Page) Show(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = min(max(n, 0), len(p.steps)-1)
}

// Steps is how many steps there are.
func (p *Page) Steps() int { return len(p.steps) }

// Set changes one answer of the step that is shown and of those after it.
func (p *Page) Set(file string, f File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := p.at; i < len(p.steps); i++ {
		p.steps[i][file] = f
	}
}

// Fail answers a path ("" for all) with a status, times often; negative: until Heal. header is added to the answer.
func (p *Page) Fail(file string, status, times int, header http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail[file] = failure{status: status, times: times, header: header, body: []byte(http.StatusText(status))}
}

// Lie answers a path ("" for all) with 200 and this body, until Heal: a sign-in page, a cut answer.
func (p *Page) Lie(file string, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail[file] = failure{status: http.StatusOK, times: -1, body: body}
}

// Heal ends all failures, lies and moves.
func (p *Page) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail, p.moved, p.catchAll = map[string]failure{}, "", nil
}

// Move redirects every request permanently to the same path at another origin ("https://new.example"); an origin that ends
// in "/" takes all requests to that one page, as many vendors do.
func (p *Page) Move(origin string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = origin
}

// CatchAll answers every unknown path with 200 and this body.
func (p *Page) CatchAll(body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catchAll = body
}

// WithoutValidators stops sending and honouring ETags, as most real platforms do.
func (p *Page) WithoutValidators() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noETag = true
}

// Noise makes every answer differ in white space at its end, as stamps in bodies do.
func (p *Page) Noise() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noise = 1
}

// Before is called at the start of every request, outside the page's lock: to wait, to count, to advance a clock.
func (p *Page) Before(f func(r *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = f
}

// Requests returns what was asked since the last call.
func (p *Page) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.requests
	p.requests = nil
	return out
}

// Paths returns the paths asked since the last call, sorted.
func (p *Page) Paths() []string {
	var out []string
	for _, r := range p.Requests() {
		out = append(out, r.Path)
	}
	slices.Sort(out)
	return out
}

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	before := p.before
	p.mu.Unlock()
	if before != nil {
		before(r)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	status := p.serve(w, r)
	p.requests = append(p.requests, Request{
		Path: r.URL.Path, Conditional: r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "",
		Status: status, At: time.Now().UTC(),
	})
}

func (p *Page) serve(w http.ResponseWriter, r *http.Request) int {
	if f, ok := p.failing(r.URL.Path); ok {
		for k, v := range f.header {
			w.Header()[k] = v
		}
		w.WriteHeader(f.status)
		_, _ = w.Write(f.body)
		return f.status
	}
	if p.moved != "" {
		to := p.moved
		if !strings.HasSuffix(to, "/") {
			to += r.URL.Path
		}
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return http.StatusMovedPermanently
	}
	f, ok := p.file(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return http.StatusNotFound
	}
	body := f.Body
	if p.noise > 0 {
		p.noise++
		body = append(slices.Clone(body), strings.Repeat(" ", 1+p.noise%97)...)
	}
	w.Header().Set("Content-Type", f.ContentType)
	if !p.noETag {
		sum := sha256.Sum256(body)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified
		}
	}
	_, _ = w.Write(body)
	return http.StatusOK
}

// failing takes the failure that is due for a path.
func (p *Page) failing(file string) (failure, bool) {
	for _, key := range []string{file, ""} {
		f, ok := p.fail[key]
		if !ok || f.times == 0 {
			continue
		}
		if f.times > 0 {
			f.times--
			p.fail[key] = f
		}
		return f, true
	}
	return failure{}, false
}

func (p *Page) file(name string) (File, bool) {
	if len(p.steps) > 0 {
		if f, ok := p.steps[p.at][name]; ok {
			return f, true
		}
	}
	if p.catchAll != nil {
		return HTML(p.catchAll), true
	}
	return File{}, false
}

package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"downwind"
)

//go:embed templates static
var embedded embed.FS

// pages holds the parsed templates and the static files.
type pages struct {
	files  fs.FS
	live   bool
	prefix string
	dates  dater
	set    map[string]*template.Template
	static map[string]staticFile
}

type staticFile struct {
	kind string
	body []byte
	tag  string
}

// loadPages parses every template beside base.html; files that are given are read anew at every request.
func loadPages(files fs.FS, prefix string, now func() time.Time) (*pages, error) {
	p := &pages{files: files, live: files != nil, prefix: prefix, dates: dater{now}}
	if files == nil {
		p.files = embedded
	}
	return p, p.load()
}

func (p *pages) load() error {
	names, err := fs.Glob(p.files, "templates/*.html")
	if err != nil {
		return err
	}
	p.static = map[string]staticFile{}
	statics, err := fs.Glob(p.files, "static/*")
	if err != nil {
		return err
	}
	for _, name := range statics {
		body, err := fs.ReadFile(p.files, name)
		if err != nil {
			return fmt.Errorf("static file %s: %w", name, err)
		}
		p.static[path.Base(name)] = staticFile{mime.TypeByExtension(path.Ext(name)), body, hashOf(string(body))[:12]}
	}
	base, err := template.New("base").Funcs(p.funcs()).ParseFS(p.files, "templates/base.html", "templates/parts.html")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	p.set = map[string]*template.Template{}
	for _, name := range names {
		if short := path.Base(name); short != "base.html" && short != "parts.html" {
			t, err := template.Must(base.Clone()).ParseFS(p.files, name)
			if err != nil {
				return fmt.Errorf("template %s: %w", short, err)
			}
			p.set[short] = t
		}
	}
	return nil
}

// funcs are the words of the templates.
func (p *pages) funcs() template.FuncMap {
	return template.FuncMap{
		"href":      func(parts ...any) string { return p.prefix + joinPath(parts...) },
		"asset":     func(name string) string { return p.prefix + "/static/" + name + "?v=" + p.static[name].tag },
		"link":      safeLink,
		"clean":     clean,
		"utc":       p.dates.utc,
		"clock":     p.dates.clock,
		"period":    p.dates.period,
		"anchor":    postAnchor,
		"day":       p.dates.day,
		"year":      func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
		"pieces":    pieces,
		"iso":       isoTime,
		"span":      spanTag,
		"spanwords": spanWords,
		"phase":     phaseWord,
		"impact":    impactWord,
		"status":    statusWord,
		"kindword":  kindWord,
		"category":  func(c downwind.Category) string { return categoryWords()[c] },
		"count":     countWord,
		"join":      strings.Join,
		"add":       func(a, b int) int { return a + b },
		"pct":       func(f float64) string { return fmt.Sprintf("%.3f%%", f) },
		"query":     url.QueryEscape,
		"upper":     upperFirst,
		"code":      codeTag,
		"oldside":   oldSide,
		"newside":   newSide,
	}
}

// joinPath joins path segments; the first is kept as it is, those behind it are escaped one by one.
func joinPath(parts ...any) string {
	var b strings.Builder
	for i, part := range parts {
		text := fmt.Sprint(part)
		switch {
		case i == 0:
			b.WriteString(text)
		case strings.HasPrefix(text, "/"):
			b.WriteString(text)
		default:
			if !strings.HasSuffix(b.String(), "/") {
				b.WriteByte('/')
			}
			b.WriteString(url.PathEscape(text))
		}
	}
	return b.String()
}

// safeLink lets through http and https only; other addresses of providers become no link at all.
func safeLink(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.String()
}

// A view is what base.html needs, with the page's own data.
type view struct {
	Title       string
	Description string
	// Path is the page's own, for forms that come back; Canonical its full address.
	Path, Canonical, Base string
	// Nav names the entry of the menu that is open.
	Nav     string
	Theme   string
	Session *session
	NoIndex bool
	// Alternates are other forms of the page.
	Alternates []alternate
	// Card is the path of the page's picture for previews of links, empty without.
	Card string
	// Modified is when its subject changed last; zero: not stated.
	Modified time.Time
	Now      time.Time
	Data     any
}

type alternate struct{ Type, Title, Href string }

// CSRF is the token for the forms of a session, empty without one.
func (v *view) CSRF() string {
	if v.Session == nil {
		return ""
	}
	return v.Session.formToken()
}

// Own returns the team of the session, empty without.
func (v *view) Own() string {
	if v.Session == nil {
		return ""
	}
	return v.Session.Team
}

func (s *Server) view(r *http.Request, title string, data any) *view {
	v := &view{
		Title: title, Path: r.URL.RequestURI(), Session: sessionOf(r), Now: s.now(), Data: data,
		Base: s.baseFor(r), NoIndex: !s.opt.Public,
	}
	if !strings.HasPrefix(v.Path, "/") {
		v.Path = "/"
	}
	v.Canonical = v.Base + r.URL.EscapedPath()
	v.Nav, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		v.Theme = c.Value
	}
	return v
}

// baseFor is the public address without a slash at its end.
func (s *Server) baseFor(r *http.Request) string {
	if s.base != nil {
		return s.base.Scheme + "://" + s.base.Host + s.prefix
	}
	o := originOf(r)
	host := o.host
	if host == "" {
		host = "localhost"
	}
	return o.scheme + "://" + host + s.prefix
}

// render writes a page that depends on nobody's validator: errors, forms, results.
func (s *Server) render(w http.ResponseWriter, status int, name string, v *view) error {
	body, err := s.execute(name, v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone when this fails
	return nil
}

// show writes a page with a validator.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name string, v *view) error {
	body, err := s.execute(name, v)
	if err != nil {
		return err
	}
	for _, a := range v.Alternates {
		w.Header().Add("Link", fmt.Sprintf("<%s>; rel=\"alternate\"; type=\"%s\"", s.prefix+a.Href, a.Type))
	}
	return answer(w, r, "text/html; charset=utf-8", body)
}

func (s *Server) execute(name string, v *view) ([]byte, error) {
	p := s.pages
	if p.live {
		fresh := &pages{files: p.files, live: true, prefix: p.prefix, dates: p.dates}
		if err := fresh.load(); err != nil {
			return nil, err
		}
		p = fresh
	}
	t := p.set[name]
	if t == nil {
		return nil, fmt.Errorf("no template %s", name)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "base.html", v); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

func (s *Server) showStatic(w http.ResponseWriter, r *http.Request) error {
	p := s.pages
	if p.live {
		p = &pages{files: p.files, live: true, prefix: p.prefix, dates: p.dates}
		if err := p.load(); err != nil {
			return err
		}
	}
	f, ok := p.static[r.PathValue("file")]
	if !ok {
		return downwind.ErrNotFound
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	if r.URL.Query().Get("v") == f.tag {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	return answer(w, r, f.kind, f.body)
}

func (s *Server) showRobots(w http.ResponseWriter, r *http.Request) error {
	rules := "User-agent: *\nDisallow: " + s.prefix + "/teams/\nDisallow: " + s.prefix + "/login\n"
	if !s.opt.Public {
		rules = "User-agent: *\nDisallow: /\n"
	}
	return answer(w, r, "text/plain; charset=utf-8", []byte(rules))
}

func (s *Server) showHealth(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n")) // the client has gone when this fails
	return nil
}

func (s *Server) showReady(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if s.opt.Ready != nil {
		if err := s.opt.Ready(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprintf(w, "not ready: %s\n", clean(err.Error())) // the client has gone when this fails
			return nil
		}
	}
	_, _ = w.Write([]byte("ready\n")) // the client has gone when this fails
	return nil
}

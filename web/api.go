package web

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"downwind"
)

// An apiRoute is one operation of /api/v1; the OpenAPI document is checked against the list of them.
type apiRoute struct {
	method, path string
	// scope is what a token must allow; empty: what everybody may read where pages are public.
	scope string
	serve func(w http.ResponseWriter, r *http.Request, who apiCaller) error
}

const apiRoot = "/api/v1"

func (a apiRoute) pattern() string { return a.method + " " + apiRoot + a.path }

func (s *Server) apiRoutes() []apiRoute {
	read, write := downwind.ScopeRead, downwind.ScopeStackWrite
	return []apiRoute{
		{"GET", "/openapi.yaml", "", s.apiDescription},
		{"GET", "/providers", "", s.apiProviders},
		{"GET", "/providers/{slug}", "", s.apiProvider},
		{"GET", "/incidents", "", s.apiIncidents},
		{"GET", "/incidents/{provider}/{id}", "", s.apiIncident},
		{"GET", "/incidents/{provider}/{id}/versions", "", s.apiVersions},
		{"GET", "/incidents/{provider}/{id}/versions/{n}", "", s.apiVersion},
		{"GET", "/incidents/{provider}/{id}/versions/{n}/proof", "", s.apiProof},
		{"GET", "/incidents/{provider}/{id}/windows", "", s.apiWindows},
		{"POST", "/verify", "", s.apiVerify},
		{"GET", "/events", "", s.apiEvents},
		{"POST", "/stack/check", "", s.apiCheckStack},
		{"GET", "/impact", read, s.apiImpact},
		{"GET", "/teams", read, s.apiTeams},
		{"GET", "/teams/{team}", read, s.apiTeam},
		{"GET", "/teams/{team}/stack", read, s.apiTeamStack},
		{"PUT", "/teams/{team}/stack", write, s.apiPutStack},
		{"PATCH", "/teams/{team}/stack", write, s.apiAmendStack},
		{"GET", "/teams/{team}/subscriptions", read, s.apiSubscriptions},
		{"GET", "/teams/{team}/holds", read, s.apiHolds},
		{"GET", "/deliveries", read, s.apiDeliveries},
	}
}

// An apiCaller is who asks: the holder of a token, the administrator, or nobody known.
type apiCaller struct {
	name string
	// team is the only team the caller may ask about; empty for the administrator and tokens for all teams.
	team   string
	scopes []string
	admin  bool
	known  bool
}

func (c apiCaller) may(scope string) bool {
	return c.admin || slices.Contains(c.scopes, scope) || (scope == downwind.ScopeRead && slices.Contains(c.scopes, downwind.ScopeStackWrite))
}

// role is what the holder of a token may do after signing in with it.
func (c apiCaller) role() Role {
	switch {
	case c.admin:
		return RoleAdmin
	case slices.Contains(c.scopes, downwind.ScopeStackWrite):
		return RoleEditor
	}
	return RoleViewer
}

// tokenHolder finds whose token it is; an unknown or revoked one is downwind.ErrNotFound.
func (s *Server) tokenHolder(ctx context.Context, token string) (apiCaller, error) {
	if token == "" || len(token) > 200 {
		return apiCaller{}, downwind.ErrNotFound
	}
	if !s.opt.AdminToken.IsZero() && subtle.ConstantTimeCompare([]byte(hashOf(token)), []byte(hashOf(s.opt.AdminToken.Reveal()))) == 1 {
		return apiCaller{name: "admin", admin: true, known: true}, nil
	}
	t, err := s.opt.Reader.TokenByHash(ctx, hashOf(token))
	if err != nil {
		return apiCaller{}, err
	}
	if !t.Revoked.IsZero() {
		return apiCaller{}, downwind.ErrNotFound
	}
	return apiCaller{name: t.Name, team: t.Team, scopes: t.Scopes, known: true}, nil
}

// caller reads the bearer token of a request. Without one the caller is nobody; a session counts as a reading token
// of its team.
func (s *Server) caller(r *http.Request) (apiCaller, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		if who := sessionOf(r); who != nil {
			return apiCaller{name: who.Name, team: who.Team, scopes: []string{downwind.ScopeRead}, known: true}, nil
		}
		return apiCaller{}, refuse(http.StatusUnauthorized, "Send a token: Authorization: Bearer …")
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return apiCaller{}, refuse(http.StatusUnauthorized, "The Authorization header must be: Bearer …")
	}
	if !s.fails.peek(clientKey(r), s.now()) {
		return apiCaller{}, tooManyLogins()
	}
	who, err := s.tokenHolder(r.Context(), strings.TrimSpace(token))
	if errors.Is(err, downwind.ErrNotFound) {
		s.fails.allow(clientKey(r), s.now())
		return apiCaller{}, refuse(http.StatusUnauthorized, "This token is not known or has been revoked.")
	}
	return who, err
}

// api serves one operation; errors become problem documents (RFC 9457).
func (s *Server) api(route apiRoute) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := s.withSession(r)
		if err == nil {
			err = s.callAPI(route, w, r)
		}
		if err != nil {
			s.failAPI(w, r, err)
		}
	})
}

func (s *Server) callAPI(route apiRoute, w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	who, err := s.caller(r)
	open := route.scope == "" && (s.opt.Public || route.path == "/openapi.yaml")
	if err != nil && (!open || r.Header.Get("Authorization") != "") {
		return err
	}
	if route.scope != "" && !who.may(route.scope) {
		return refuse(http.StatusForbidden, "This token does not have the scope %s.", route.scope)
	}
	if route.method != http.MethodGet {
		if r.Header.Get("Authorization") == "" {
			if err := s.sameOrigin(r); err != nil {
				return err
			}
		}
		if !s.posts.allow(clientKey(r), s.now()) {
			return &httpError{status: http.StatusTooManyRequests, sentence: "Too many requests that change something. Wait a minute.", retry: 60}
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	}
	if open {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	return route.serve(w, r, who)
}

type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`
}

func (s *Server) failAPI(w http.ResponseWriter, r *http.Request, err error) {
	status, sentence := statusOf(err)
	s.logFailure(r, status, err)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="downwind"`)
	}
	var known *httpError
	if errors.As(err, &known) && known.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(known.retry))
	}
	w.WriteHeader(status)
	body := problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: sentence, Instance: r.URL.EscapedPath()}
	_ = json.NewEncoder(w).Encode(body) // the client has gone when this fails
}

// apiMissing answers for paths that are no operation, and for methods that a path does not take.
func (s *Server) apiMissing() http.Handler {
	methods := map[string][]string{}
	for _, route := range s.apiRoutes() {
		methods[route.path] = append(methods[route.path], route.method)
	}
	mux := http.NewServeMux()
	for path, allowed := range methods {
		mux.HandleFunc(apiRoot+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			s.failAPI(w, r, refuse(http.StatusMethodNotAllowed, "This address takes %s.", strings.Join(allowed, " and ")))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.failAPI(w, r, refuse(http.StatusNotFound, "There is no operation at this address; /api/v1/openapi.yaml lists them."))
	})
	return mux
}

// team finds a team that the caller may ask about; others' teams do not exist for it.
func (s *Server) callersTeam(ctx context.Context, who apiCaller, id string) (downwind.Team, error) {
	if id == "" {
		id = who.team
	}
	missing := refuse(http.StatusNotFound, "There is no team %q that this token may see.", clip(oneLine(id), 60))
	if id == "" || (who.team != "" && who.team != id) {
		return downwind.Team{}, missing
	}
	team, err := s.opt.Reader.Team(ctx, id)
	if isMissing(err) {
		return downwind.Team{}, missing
	}
	return team, err
}

// pageSize reads limit=, between 1 and the ceiling.
func pageSize(r *http.Request, standard, ceiling int) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > ceiling {
		return 0, refuse(http.StatusBadRequest, "limit is a number from 1 to %d.", ceiling)
	}
	return n, nil
}

// A listing is one page of a list; next is null on the last page.
type listing[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// nextPage is the address of the following page.
func (s *Server) nextPage(r *http.Request, cursor string) *string {
	q := r.URL.Query()
	q.Set("cursor", cursor)
	address := fmt.Sprintf("%s%s?%s", s.baseFor(r), r.URL.EscapedPath(), q.Encode())
	return &address
}

// listCursor names the last line of a page of what has no cursor of its own: its time and its id.
func listCursor(at time.Time, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + "|" + id))
}

// readCursor reads what listCursor wrote; both are zero without one.
func readCursor(r *http.Request) (at time.Time, id string, err error) {
	text := r.URL.Query().Get("cursor")
	if text == "" {
		return at, "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	stamp, id, ok := strings.Cut(string(raw), "|")
	n, numeric := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !ok || numeric != nil {
		return at, "", refuse(http.StatusBadRequest, "The cursor cannot be read; take it from next.")
	}
	return time.UnixMicro(n).UTC(), id, nil
}

// Operations lists the operations of the API as "GET /incidents", sorted.
func Operations() []string {
	var out []string
	for _, route := range (&Server{}).apiRoutes() {
		out = append(out, route.method+" "+route.path)
	}
	slices.Sort(out)
	return out
}

// HashToken is how a token is stored and looked up: its SHA-256, hex.
func HashToken(token string) string { return hashOf(token) }

package web

import (
	"net/http"
	"slices"
)

// A table is a mux that knows what it serves.
type table struct {
	*http.ServeMux
	patterns []string
}

// Handle registers a handler for a pattern.
func (t *table) Handle(pattern string, h http.Handler) {
	t.patterns = append(t.patterns, pattern)
	t.ServeMux.Handle(pattern, h)
}

// Patterns lists the patterns of everything that is served, sorted.
func (s *Server) Patterns() []string {
	mux := &table{ServeMux: http.NewServeMux()}
	s.register(mux)
	slices.Sort(mux.patterns)
	return mux.patterns
}

// routes serves the table, behind what every request passes.
func (s *Server) routes() http.Handler {
	mux := &table{ServeMux: http.NewServeMux()}
	s.register(mux)
	return s.recovered(s.forwarded(s.stripPrefix(s.secured(compressed(s.observed(mux))))))
}

// register is the contents page of everything that is served.
func (s *Server) register(mux *table) {
	// Pages.
	mux.Handle("GET /{$}", s.page(s.showNow))
	mux.Handle("GET /now.json", s.page(s.showNowJSON))
	mux.Handle("GET /now.md", s.page(s.showNowMarkdown))
	s.formed(mux, "/providers", s.showProviders)
	mux.Handle("GET /providers/{slug}", s.page(s.showProvider))
	mux.Handle("GET /incidents/{provider}/{id}", s.page(s.showIncident))
	mux.Handle("GET /incidents/{provider}/{id}/replay.csv", s.page(s.showReplayCSV))
	mux.Handle("GET /incidents/{provider}/{id}/card.png", s.page(s.showIncidentCard))
	mux.Handle("GET /providers/{slug}/card.png", s.page(s.showProviderCard))
	mux.Handle("GET /incidents/{provider}/{id}/versions/{n}", s.page(s.showVersion))
	mux.Handle("GET /incidents/{provider}/{id}/diff/{range}", s.page(s.showDiff))
	mux.Handle("GET /incidents/{provider}/{id}/v/{file}", s.page(s.showBundle))
	s.formed(mux, "/maintenance", s.showMaintenance)
	mux.Handle("GET /maintenance.ics", s.page(s.showMaintenanceCalendar))
	s.formed(mux, "/archive", s.showArchive)
	mux.Handle("GET /stack", s.page(s.showStackForm))
	mux.Handle("POST /stack", s.form(s.checkStack))
	mux.Handle("POST /stack/keep", s.form(s.keepStack))
	mux.Handle("GET /backtest", s.page(s.showBacktestForm))
	mux.Handle("POST /backtest", s.form(s.backtest))
	s.formed(mux, "/corrections", s.showCorrections)
	mux.Handle("POST /corrections", s.form(s.reportError))
	s.formed(mux, "/about", s.showAbout)

	// Served feeds.
	mux.Handle("GET /feed", s.feed(s.showFeed))
	mux.Handle("GET /teams/{secret}/feed", s.secretPath(s.showTeamFeed))
	mux.Handle("GET /teams/{secret}/maintenance.ics", s.secretPath(s.showTeamCalendar))

	// Teams and signing in.
	mux.Handle("GET /teams/{secret}", s.secretPath(s.showTeamBySecret))
	mux.Handle("GET /team", s.member(RoleViewer, s.showTeam))
	mux.Handle("GET /team/settings", s.member(RoleEditor, s.showSettings))
	mux.Handle("POST /team/settings", s.memberForm(RoleEditor, s.saveSettings))
	mux.Handle("POST /team/subscriptions", s.memberForm(RoleEditor, s.subscribe))
	mux.Handle("POST /team/subscriptions/end", s.memberForm(RoleEditor, s.unsubscribe))
	mux.Handle("POST /team/stack", s.memberForm(RoleEditor, s.amendStack))
	mux.Handle("POST /team/rotate", s.memberForm(RoleAdmin, s.rotateSecret))
	mux.Handle("POST /team/tokens", s.memberForm(RoleAdmin, s.addToken))
	mux.Handle("POST /team/tokens/revoke", s.memberForm(RoleAdmin, s.revokeToken))
	mux.Handle("GET /admin/queue", s.operator(s.showQueue))
	mux.Handle("POST /admin/queue", s.operatorForm(s.changeQueue))
	if s.river != nil {
		mux.Handle(riverPath+"/", s.operator(s.showRiver))
	}
	mux.Handle("GET /login", s.open(s.showLogin))
	mux.Handle("POST /login", s.openForm(s.loginByToken))
	mux.Handle("GET /login/oidc", s.open(s.leaveForOIDC))
	mux.Handle("GET /login/oidc/callback", s.open(s.returnFromOIDC))
	mux.Handle("GET /login/{token}", s.open(s.showLoginLink))
	mux.Handle("POST /login/{token}", s.openForm(s.loginByLink))
	mux.Handle("POST /logout", s.openForm(s.logout))
	mux.Handle("POST /theme", s.openForm(s.saveTheme))

	// Badges, static files, operators.
	mux.Handle("GET /badges/{name}", s.page(s.showBadge))
	mux.Handle("GET /teams/{secret}/badge.svg", s.secretPath(s.showTeamBadge))
	mux.Handle("GET /static/{file}", s.open(s.showStatic))
	mux.Handle("GET /robots.txt", s.open(s.showRobots))
	mux.Handle("GET /healthz", s.open(s.showHealth))
	mux.Handle("GET /readyz", s.open(s.showReady))
	if s.opt.Metrics != nil {
		mux.Handle("GET /metrics", s.opt.Metrics)
	}

	// The API.
	for _, route := range s.apiRoutes() {
		mux.Handle(route.pattern(), s.api(route))
	}
	mux.Handle("/api/", s.apiMissing())

	// What others bring: chat platforms, webhooks, the transparency log.
	for pattern, h := range s.opt.Extra {
		mux.Handle(pattern, h)
	}
	mux.Handle("/", s.open(s.showMissing))
}

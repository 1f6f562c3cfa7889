package web

import (
	"net/http"
)

// routes is the contents page of everything that is served.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()

	// Pages.
	mux.Handle("GET /{$}", s.page(s.showNow))
	mux.Handle("GET /now.json", s.page(s.showNowJSON))
	mux.Handle("GET /now.md", s.page(s.showNowMarkdown))
	mux.Handle("GET /providers", s.page(s.showProviders))
	mux.Handle("GET /providers/{slug}", s.page(s.showProvider))
	mux.Handle("GET /incidents/{provider}/{id}", s.page(s.showIncident))
	mux.Handle("GET /incidents/{provider}/{id}/replay.csv", s.page(s.showReplayCSV))
	mux.Handle("GET /incidents/{provider}/{id}/versions/{n}", s.page(s.showVersion))
	mux.Handle("GET /incidents/{provider}/{id}/diff/{range}", s.page(s.showDiff))
	mux.Handle("GET /incidents/{provider}/{id}/v/{file}", s.page(s.showBundle))
	mux.Handle("GET /maintenance", s.page(s.showMaintenance))
	mux.Handle("GET /maintenance.ics", s.page(s.showMaintenanceCalendar))
	mux.Handle("GET /archive", s.page(s.showArchive))
	mux.Handle("GET /stack", s.page(s.showStackForm))
	mux.Handle("POST /stack", s.form(s.checkStack))
	mux.Handle("POST /stack/keep", s.form(s.keepStack))
	mux.Handle("GET /corrections", s.page(s.showCorrections))
	mux.Handle("POST /corrections", s.form(s.reportError))
	mux.Handle("GET /about", s.page(s.showAbout))

	// Served feeds.
	mux.Handle("GET /feed", s.feed(s.showFeed))
	mux.Handle("GET /teams/{secret}/feed", s.secretPath(s.showTeamFeed))
	mux.Handle("GET /teams/{secret}/maintenance.ics", s.secretPath(s.showTeamCalendar))

	// Teams and signing in.
	mux.Handle("GET /teams/{secret}", s.secretPath(s.showTeamBySecret))
	mux.Handle("GET /team", s.member(RoleViewer, s.showTeam))
	mux.Handle("POST /team/rotate", s.memberForm(RoleAdmin, s.rotateSecret))
	mux.Handle("POST /team/tokens", s.memberForm(RoleAdmin, s.addToken))
	mux.Handle("POST /team/tokens/revoke", s.memberForm(RoleAdmin, s.revokeToken))
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

	return s.recovered(s.forwarded(s.stripPrefix(s.secured(compressed(mux)))))
}

package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"downwind/secret"
	"downwind/web"
	"downwind/web/webtest"
)

// browser starts a headless Chromium that talks to nobody but us.
func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests take long")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	ctx, done := context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(done)
	return ctx
}

// site serves the made-up world; change adapts the options.
func site(t *testing.T, change ...func(*web.Options)) (*httptest.Server, *webtest.World) {
	t.Helper()
	world := webtest.New()
	opt := world.Options()
	opt.AdminToken = secret.New("the-administrator")
	for _, f := range change {
		f(&opt)
	}
	srv, err := web.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(srv)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server, world
}

// changed tells the server that something was published.
func changed(server *httptest.Server) { server.Config.Handler.(*web.Server).Changed() }

// everyPage lists each page of the site once, with what it is called in pictures.
var everyPage = []struct{ name, path string }{
	{"now", "/"},
	{"providers", "/providers"},
	{"provider", "/providers/lumen-voice"},
	{"provider-unreadable", "/providers/halyard-dns"},
	{"incident", "/incidents/lumen-voice/k03ne"},
	{"incident-open", "/incidents/lumen-voice/vq7d2"},
	{"incident-guess", "/incidents/quaymail/m-4471"},
	{"work", "/incidents/kestrel-db/mw-88"},
	{"version", "/incidents/lumen-voice/k03ne/versions/4"},
	{"version-side", "/incidents/lumen-voice/k03ne/versions/4?view=side"},
	{"archive", "/archive"},
	{"maintenance", "/maintenance"},
	{"stack", "/stack"},
	{"backtest", "/backtest"},
	{"team", "/teams/" + webtest.Secret},
	{"corrections", "/corrections"},
	{"about", "/about"},
	{"login", "/login"},
	{"missing", "/nothing"},
}

// memberPages are those behind the sign-in.
var memberPages = []struct{ name, path string }{
	{"now-yours", "/"},
	{"incident-yours", "/incidents/lumen-voice/vq7d2"},
	{"team-member", "/team"},
	{"settings", "/team/settings?destination=slack:T01:C012"},
	{"settings-paused", "/team/settings?destination=discord:9:12"},
	{"queue", "/admin/queue"},
}

// results are the pages that an uploaded stack leads to.
var results = []struct{ name, path string }{{"stack-found", "/stack"}, {"backtest-found", "/backtest"}}

// TestPictures writes a picture of every page at three widths in both modes into DOWNWIND_SHOTS, for people to look at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("DOWNWIND_SHOTS")
	if dir == "" {
		t.Skip("DOWNWIND_SHOTS names no folder")
	}
	only := os.Getenv("DOWNWIND_SHOTS_ONLY")
	server, _ := site(t, func(o *web.Options) { o.HomeTeam = os.Getenv("DOWNWIND_SHOTS_TEAM") })
	ctx := browser(t)
	shootAll := func(name string, load func()) {
		if only != "" && !strings.Contains(","+only+",", ","+name+",") {
			return
		}
		for _, width := range []int64{320, 768, 1280} {
			for _, mode := range []string{"light", "dark"} {
				steps(t, ctx, viewport(width, mode))
				load()
				shoot(t, ctx, fmt.Sprintf("%s-%d-%s", name, width, mode))
			}
		}
	}
	for _, p := range everyPage {
		shootAll(p.name, func() { steps(t, ctx, chromedp.Navigate(server.URL+p.path)) })
	}
	for _, p := range results {
		shootAll(p.name, func() { handOver(t, ctx, server.URL+p.path) })
	}
	steps(t, ctx, viewport(1280, "light"))
	signInByToken(t, ctx, server)
	for _, p := range memberPages {
		shootAll(p.name, func() { steps(t, ctx, chromedp.Navigate(server.URL+p.path)) })
	}
}

// handOver pastes a stack into the form of a page and sends it.
func handOver(t *testing.T, ctx context.Context, address string) {
	t.Helper()
	open(t, ctx, address)
	steps(t, ctx, chromedp.SendKeys("#text", "lumen-voice\nquaymail\nx.unknown.example"))
	press(t, ctx, "form.stack button")
}

// signInByToken signs the administrator in to the world's team.
func signInByToken(t *testing.T, ctx context.Context, server *httptest.Server) {
	t.Helper()
	open(t, ctx, server.URL+"/login")
	steps(t, ctx, chromedp.SendKeys("#token", "the-administrator"), chromedp.SendKeys("#team", webtest.Team))
	press(t, ctx, "form.narrow button")
}

// viewport makes the window as wide as a screen and asks for light or dark.
func viewport(width int64, mode string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		metrics := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500}
		if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, metrics); err != nil {
			return err
		}
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode}}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media)
		return err
	})
}

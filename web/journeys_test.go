package web_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"downwind/web"
	"downwind/web/webtest"
)

// open goes to a page and returns the words of its main part.
func open(t *testing.T, ctx context.Context, address string) string {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("open %s: %v", address, err)
	}
	return mainText(t, ctx)
}

func mainText(t *testing.T, ctx context.Context) string {
	t.Helper()
	text, err := chromedp.Run(ctx, chromedp.Text("main"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// press clicks what leads to another page and waits for it.
func press(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	patience, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if _, err := chromedp.RunResponse(patience, chromedp.Click(selector)); err != nil {
		t.Fatalf("press %s: %v", selector, err)
	}
	return mainText(t, ctx)
}

func steps(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("page lacks %q:\n%.1500s", part, text)
		}
	}
}

// TestJourneys walks the ways of people through the site in a browser with scripts switched off.
func TestJourneys(t *testing.T) {
	ctx := browser(t)
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	server, world := site(t)
	t.Run("check a stack by paste", func(t *testing.T) {
		open(t, ctx, server.URL+"/stack")
		steps(t, ctx, chromedp.SendKeys("#text", "api.lumenvoice.example\nbeacon.unknown.example\n"))
		text := press(t, ctx, "form.stack button")
		want(t, text, "1 provider found", "1 open incident hits this stack", "Calls failing to connect", "domains.txt:1", "Unknown", "beacon.unknown.example", "Nothing has been stored")
		shoot(t, ctx, "stack-result")
	})
	t.Run("check a stack by upload", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "services.env")
		if err := os.WriteFile(file, []byte("TALLY=https://api.tallypay.example\nAPP_SECRET=hunter2hunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, ctx, server.URL+"/stack")
		steps(t, ctx, chromedp.SetUploadFiles("#files", []string{file}))
		text := press(t, ctx, "form.stack button")
		want(t, text, "1 provider found", "Tallypay", "services.env:1", "1 value that looks like secrets")
		if strings.Contains(text, "hunter2") {
			t.Error("the page shows a value")
		}
	})
	t.Run("read an incident and compare versions", func(t *testing.T) {
		want(t, open(t, ctx, server.URL+"/archive?q=Virginia"), "Elevated API errors in Virginia")
		text := press(t, ctx, "ul.rows a")
		want(t, text, "What to do", "Replay requests of both periods", "Does not fit together", "2026-11-17T16:32:00Z/2026-11-17T17:05:00Z", "16:34 to 17:03 UTC", "Versions", "A past post was changed without notice")
		text = press(t, ctx, "ol.versions li.silent a")
		want(t, text, "Version 4 of 5", "The provider changed a past post without saying so", "A second, shorter period")
		text = press(t, ctx, ".switch a")
		want(t, text, "Before", "Now", "A second, shorter period")
	})
	t.Run("sign in, keep a stack, change settings", func(t *testing.T) {
		path, err := web.LoginPath(t.Context(), world.Store, web.Login{Team: webtest.Team, Role: web.RoleAdmin, Name: "@ana"}, world.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		open(t, ctx, server.URL+path)
		want(t, press(t, ctx, "main button"), "Checkout", "package.json", "Ledger", "below the minimum")
		shoot(t, ctx, "team-signed-in")
		want(t, open(t, ctx, server.URL+"/"), "1 open incident hits Checkout")
		open(t, ctx, server.URL+"/stack")
		steps(t, ctx, chromedp.SendKeys("#text", "api.quaymail.example"))
		press(t, ctx, "form.stack button")
		want(t, press(t, ctx, `form[action$="/stack/keep"] button`), "1 provider in the stack", "Quaymail")
		open(t, ctx, server.URL+"/stack")
		steps(t, ctx, chromedp.SendKeys("#text", "lumen-voice"))
		press(t, ctx, "form.stack button")
		want(t, press(t, ctx, `form[action$="/team/subscriptions"] button`), "Slack #checkout-ops", "Saved", "Lumen Voice", "by @ana")
		steps(t, ctx, chromedp.SendKeys("#digest", "daily"))
		want(t, press(t, ctx, `form[action$="/team/settings"] button`), "Saved")
		if d := world.Store.Dests[0]; d.Digest != "daily" || d.DigestAt != "08:00" || d.Quiet != "22:00-07:00" {
			t.Errorf("settings kept: %+v", d)
		}
		open(t, ctx, server.URL+"/team")
		before := world.Store.TeamRows[webtest.Team].Secret
		press(t, ctx, `form[action$="/team/rotate"] button`)
		if world.Store.TeamRows[webtest.Team].Secret == before {
			t.Error("the secret address is the same")
		}
		steps(t, ctx, chromedp.SendKeys("#token-name", "ci"))
		want(t, press(t, ctx, `form[action$="/team/tokens"] button`), "shown this once", "dw_")
		want(t, press(t, ctx, `form[action$="/logout"] button`), "incidents are open")
	})
	t.Run("look back with a stack", func(t *testing.T) {
		open(t, ctx, server.URL+"/stack")
		steps(t, ctx, chromedp.SendKeys("#text", "lumen-voice"))
		press(t, ctx, "form.stack button")
		want(t, press(t, ctx, `form.actions[action$="/backtest"] button`), "You would have heard of", "By month", "Intermittent timeouts")
	})
	t.Run("look after the queue", func(t *testing.T) {
		signInByToken(t, ctx, server)
		want(t, press(t, ctx, `a[href$="/admin/queue"]`), "Messages that wait", "Discord asks to wait", "discord answered 503")
		want(t, press(t, ctx, `button[value="retry"]`), "The job is due now", "available")
		press(t, ctx, `button[value="resume"]`)
		if d := world.Store.Dests[1]; d.Paused != "" {
			t.Errorf("still paused: %s", d.Paused)
		}
		press(t, ctx, `form[action$="/logout"] button`)
	})
	t.Run("choose dark", func(t *testing.T) {
		open(t, ctx, server.URL+"/about")
		press(t, ctx, `button[value="dark"]`)
		theme, err := chromedp.Run(ctx, chromedp.AttributeValue("html", "data-theme"))
		if err != nil || theme.Value != "dark" {
			t.Errorf("theme %v: %v", theme, err)
		}
		press(t, ctx, `button[value="system"]`)
	})
	t.Run("report an error", func(t *testing.T) {
		open(t, ctx, server.URL+"/incidents/lumen-voice/k03ne")
		press(t, ctx, `a[href^="/corrections?about="]`)
		steps(t, ctx, chromedp.SendKeys("#text", "The second period is missing in the calendar."))
		want(t, press(t, ctx, "aside button"), "Thank you")
		if world.Store.KeptKinds(web.ReportKind) != 1 {
			t.Error("the report was not kept")
		}
	})
}

// shoot keeps a picture of a page that a journey came to, where pictures are asked for.
func shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("DOWNWIND_SHOTS")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "page-"+name+".png"), shot, 0o644); err != nil {
		t.Fatal(err)
	}
}

// axe fetches the checker of accessibility once; the test is left out where npm cannot reach its registry.
func axe(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests take long")
	}
	file := os.Getenv("DOWNWIND_AXE")
	if file == "" {
		npm, err := exec.LookPath("npm")
		if err != nil {
			t.Skip("npm is not installed and DOWNWIND_AXE names no axe.min.js")
		}
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "axe-core@4")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("axe-core cannot be fetched: %v: %.300s", err, out)
		}
		file = filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("axe-core: %v", err)
	}
	return string(body)
}

type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// TestAccessible asks axe-core about every page in both modes, and whether anything sticks out at 320 pixels.
func TestAccessible(t *testing.T) {
	source := axe(t)
	server, _ := site(t, func(o *web.Options) { o.HomeTeam = webtest.Team })
	ctx := browser(t)
	for _, mode := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			for _, p := range everyPage {
				steps(t, ctx, viewport(width, mode))
				open(t, ctx, server.URL+p.path)
				judge(t, ctx, source, p.path+" "+mode)
				fits(t, ctx, p.path, width)
			}
		}
	}
	for _, p := range results {
		handOver(t, ctx, server.URL+p.path)
		judge(t, ctx, source, p.path+" with a result")
	}
	signInByToken(t, ctx, server)
	for _, mode := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			for _, p := range memberPages {
				steps(t, ctx, viewport(width, mode))
				open(t, ctx, server.URL+p.path)
				judge(t, ctx, source, p.path+" signed in, "+mode)
				fits(t, ctx, p.path, width)
			}
		}
	}
}

// fits checks that nothing of a page sticks out of the screen.
func fits(t *testing.T, ctx context.Context, path string, width int64) {
	t.Helper()
	wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth"))
	if err != nil {
		t.Fatal(err)
	}
	if wide > width {
		t.Errorf("%s is %d pixels wide on a screen of %d", path, wide, width)
	}
}

func judge(t *testing.T, ctx context.Context, source, page string) {
	t.Helper()
	const run = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify(r))`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](source+";typeof axe === 'object'")); err != nil {
		t.Fatal(err)
	}
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	var found struct {
		Passes     []violation `json:"passes"`
		Violations []violation `json:"violations"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Passes) < 15 {
		t.Errorf("%s: only %d rules were checked", page, len(found.Passes))
	}
	for _, v := range found.Violations {
		t.Errorf("%s: %s: %s\n%.300s\n%.400s", page, v.ID, v.Help, v.Nodes[0].HTML, v.Nodes[0].Summary)
	}
}

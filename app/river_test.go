package app_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"downwind/config"
	"downwind/secret"
)

// refusals keeps, from the first line of a page on, what the browser refused to load or run for its policy.
const refusals = `window.refused = []; document.addEventListener("securitypolicyviolation", e => refused.push(e.violatedDirective + " " + e.blockedURI))`

// TestRiversOwnPages opens the job engine's pages in a browser: they show our jobs to the operator, under a policy that
// lets them run and refuses nothing that they need, and to nobody else.
func TestRiversOwnPages(t *testing.T) {
	if testing.Short() {
		t.Skip("browser tests take long")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	v := newVillage(t, func(c *config.Config) {
		c.Server.AdminToken, c.Server.RiverUI, c.Server.BaseURL = secret.New("the-operator"), true, ""
	})
	v.until(hour(14, 50))
	if got := v.browse(http.MethodGet, "/admin/river/api/jobs", "", nil); got.Code == http.StatusOK {
		t.Fatalf("a stranger reads the jobs: %s", got.Body)
	}
	server := httptest.NewServer(v.app.Handler())
	t.Cleanup(server.Close)

	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	ctx, done := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(done)
	err = chromedp.Do(ctx, chromedp.Navigate(server.URL+"/login"),
		chromedp.SendKeys("#token", "the-operator"), chromedp.SendKeys("#team", "checkout"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.RunResponse(ctx, chromedp.Click("main form button")); err != nil {
		t.Fatalf("sign in: %v", err)
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: refusals}); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"/admin/river/jobs?state=available": "delivery_wake", "/admin/river/queues": "Queues"} {
		if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+address), chromedp.WaitVisible("#root main")); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		text, err := chromedp.Run(ctx, chromedp.Text("body"))
		for err == nil && !strings.Contains(text, want) { // until the script has drawn the page, or the browser's time is over
			text, err = chromedp.Run(ctx, chromedp.Text("body"))
		}
		if err != nil {
			t.Errorf("%s lacks %q, %v:\n%.800s", address, want, err, text)
		}
		refused, err := chromedp.Run(ctx, chromedp.Evaluate[[]string]("window.refused"))
		refused = slices.DeleteFunc(refused, func(s string) bool { return s == "script-src eval" })
		if err != nil || len(refused) > 0 {
			t.Errorf("%s: refused %q, %v", address, refused, err)
		}
	}
}

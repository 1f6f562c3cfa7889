package catalog

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downwind"
)

func load(t testing.TB) *Catalog {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryProviderIsUsable(t *testing.T) {
	c := load(t)
	if len(c.All()) < 680 {
		t.Fatalf("%d providers, want those of the seed (685)", len(c.All()))
	}
	firm := 0
	for _, p := range c.All() {
		if p.Name == "" {
			t.Errorf("%s has no name", p.Slug)
		}
		if p.StatusURL == "" && p.Unsupported == "" {
			t.Errorf("%s has neither an address nor a reason", p.Slug)
		}
		if p.StatusURL != "" {
			u, err := url.Parse(p.StatusURL)
			if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
				t.Errorf("%s: status_url %q is no web address", p.Slug, p.StatusURL)
			}
		}
		if p.Verified && (p.Platform == "" || p.StatusURL == "" || p.Unsupported != "") {
			t.Errorf("%s is verified without platform and address", p.Slug)
		}
		if p.Verified {
			firm++
		}
	}
	if firm < 360 {
		t.Errorf("%d firm providers, want more than 360", firm)
	}
}

func TestLookup(t *testing.T) {
	c := load(t)
	cases := []struct{ name, what, want string }{
		{"slug", "livekit", "livekit"},
		{"alias", "gcp", "google-cloud"},
		{"alias spelt with spaces", "Google Cloud Platform", "google-cloud"},
		{"name", "Amazon Web Services", "aws"},
		{"name without case", "liveKIT", "livekit"},
		{"renamed slug", "discord-2", "discord"},
		{"status host", "www.githubstatus.com", "github"},
		{"status address", "https://status.livekit.io/incidents/abc", "livekit"},
		{"home page", "https://livekit.io/", "livekit"},
		{"below the home page", "docs.livekit.io", "livekit"},
		{"shared home page", "atlassian.com", "atlassian"},
		{"address with a path of its own", "https://www.google.com/appsstatus/dashboard", "google-workspace"},
		{"nobody", "nobody-knows-this", ""},
		{"public suffix alone", "co.uk", ""},
		{"empty", "", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p, ok := c.Lookup(tc.what)
			if p.Slug != tc.want || ok != (tc.want != "") {
				t.Errorf("Lookup(%q) = %q, %v; want %q", tc.what, p.Slug, ok, tc.want)
			}
		})
	}
}

func TestSearchAndClosest(t *testing.T) {
	c := load(t)
	if got := c.Search("live"); len(got) == 0 || !slices.ContainsFunc(got, func(p downwind.Provider) bool { return p.Slug == "livekit" }) {
		t.Errorf("Search(live) does not find livekit: %v", got)
	}
	if got := c.Search("github"); len(got) == 0 || got[0].Slug != "github" {
		t.Errorf("Search(github) puts %v first", got)
	}
	if got := c.Search(""); len(got) != len(c.All()) {
		t.Errorf("empty search returns %d of %d", len(got), len(c.All()))
	}
	for typo, want := range map[string]string{"livkit": "livekit", "githbu": "github", "cloudfalre": "cloudflare", "gpc": "google-cloud"} {
		if got := c.Closest(typo, 3); !slices.Contains(got, want) {
			t.Errorf("Closest(%q) = %v, want %q among them", typo, got, want)
		}
	}
	if got := c.Closest("zzzzzzzzzz", 3); len(got) != 0 {
		t.Errorf("Closest(nonsense) = %v", got)
	}
	if got := c.Closest("livekit", 1); len(got) != 1 {
		t.Errorf("Closest returns %d, want at most 1", len(got))
	}
}

func TestNameIsThatOfTheCatalogue(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.All() {
		if got := Name(p.Slug); got != p.Name {
			t.Errorf("the name of %s is %q, want %q", p.Slug, got, p.Name)
		}
	}
	for _, unknown := range []string{"", "no-such-provider", "a\"b", "../x"} {
		if got := Name(unknown); got != unknown {
			t.Errorf("the name of %q is %q", unknown, got)
		}
	}
}

func TestOverlay(t *testing.T) {
	c := load(t)
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "providers.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	over, err := c.Overlay(write("[[provider]]\nslug = \"livekit\"\nstatus_url = \"https://status.example.org\"\ninterval = \"30s\"\n\n[[provider]]\nslug = \"acme\"\nname = \"Acme\"\nstatus_url = \"https://status.acme.example\"\naliases = [\"acme-corp\"]\ncomponents = [\"Core » API\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := over.Provider("livekit")
	if p.StatusURL != "https://status.example.org" || p.Name != "LiveKit" || p.Interval.Seconds() != 30 || p.Verified {
		t.Errorf("changed provider is %+v", p)
	}
	if a, ok := over.Lookup("Acme Corp"); !ok || a.Components[0] != (downwind.Component{Name: "API", Group: "Core"}) {
		t.Errorf("added provider is %+v, %v", a, ok)
	}
	if p, _ := c.Provider("livekit"); p.StatusURL == "https://status.example.org" {
		t.Error("the overlay changed the built-in catalogue")
	}
	for name, tc := range map[string]struct{ text, want string }{
		"unknown key":     {"[[provider]]\nslug = \"acme\"\nstatusurl = \"x\"\n", `line 3: unknown key "provider.statusurl"`},
		"bad slug":        {"[[provider]]\nslug = \"Acme Inc\"\n", "lower-case letters"},
		"no address":      {"[[provider]]\nslug = \"acme\"\n", "no status_url"},
		"bad interval":    {"[[provider]]\nslug = \"aws\"\ninterval = \"soon\"\n", "interval"},
		"taken alias":     {"[[provider]]\nslug = \"acme\"\nstatus_url = \"https://a.example\"\naliases = [\"aws\"]\n", "slug of another provider"},
		"not toml at all": {"[[provider", "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.Overlay(write(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestWith(t *testing.T) {
	c := load(t)
	w, err := c.With(downwind.Provider{Slug: "acme", Name: "Acme", StatusURL: "https://status.acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := w.Lookup("https://status.acme.example/history"); !ok || p.Slug != "acme" {
		t.Errorf("found %+v, %v", p, ok)
	}
	if _, ok := c.Provider("acme"); ok {
		t.Error("With changed the catalogue it was called on")
	}
}

func BenchmarkParseProviders(b *testing.B) {
	for b.Loop() {
		for _, f := range providerFiles {
			if _, err := parseProviders(*f.text); err != nil {
				b.Fatal(err)
			}
		}
	}
}

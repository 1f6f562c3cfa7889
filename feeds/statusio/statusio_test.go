package statusio

import (
	"testing"

	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestEndpoints(t *testing.T) {
	const id = "0123456789abcdef01234567"
	cases := map[string]string{
		"https://api.status.io/1.0/status/" + id:        id,
		"https://mill.status.io/pages/" + id + "/rss":   id,
		"https://mill.status.io/pages/history/" + id:    id,
		"https://status.gitlab.com":                     pages()["status.gitlab.com"],
		"https://status.gitlab.com/anything":            pages()["status.gitlab.com"],
		"https://mill.status.io":                        "",
		"https://mill.example/pages/0123":               "",
		"https://mill.example/pages/" + id + "beef/rss": "",
	}
	for page, want := range cases {
		plan := Adapter{}.Endpoints(page)
		switch {
		case want == "" && plan != nil:
			t.Errorf("%s: plan %v without a page id", page, plan)
		case want != "" && (len(plan) != 1 || plan[0].URL != "https://api.status.io/1.0/status/"+want):
			t.Errorf("%s: plan %v, want page %s", page, plan, want)
		}
	}
}

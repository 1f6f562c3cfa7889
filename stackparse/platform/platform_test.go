package platform_test

import (
	"testing"

	"downwind/stackparse/platform"
	"downwind/stackparse/stackparsetest"
)

func TestFixtures(t *testing.T) { stackparsetest.Run(t, platform.Parser{}) }

func FuzzParse(f *testing.F) {
	stackparsetest.Fuzz(f, platform.Parser{}, "vercel.json", "netlify.toml", "fly.toml", "wrangler.jsonc", "firebase.json", "render.yaml", "app.json", "Procfile", "livekit.toml", "nx.json", "eas.json", "profiles.yml", "railway.toml", "zappa_settings.json", "team-provider-info.json", "apphosting.yaml", "azure.yaml")
}

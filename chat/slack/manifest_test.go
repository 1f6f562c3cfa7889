package slack

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manifest is what the app depends on in the manifests of deploy/.
type manifest struct {
	Display struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	} `yaml:"display_information"`
	Features struct {
		Shortcuts []struct {
			Type     string `yaml:"type"`
			Callback string `yaml:"callback_id"`
		} `yaml:"shortcuts"`
		Commands []struct {
			Command string `yaml:"command"`
			Escape  bool   `yaml:"should_escape"`
			URL     string `yaml:"url"`
		} `yaml:"slash_commands"`
		Home struct {
			Enabled bool `yaml:"home_tab_enabled"`
		} `yaml:"app_home"`
	} `yaml:"features"`
	OAuth struct {
		Scopes struct {
			Bot      []string `yaml:"bot"`
			Optional []string `yaml:"bot_optional"`
		} `yaml:"scopes"`
		Redirects []string `yaml:"redirect_urls"`
	} `yaml:"oauth_config"`
	Settings struct {
		Events struct {
			URL string   `yaml:"request_url"`
			Bot []string `yaml:"bot_events"`
		} `yaml:"event_subscriptions"`
		Interactivity struct {
			Enabled bool   `yaml:"is_enabled"`
			URL     string `yaml:"request_url"`
		} `yaml:"interactivity"`
		Socket bool `yaml:"socket_mode_enabled"`
	} `yaml:"settings"`
}

// The manifests ask for what the code needs: the same scopes, commands, shortcut and events in both.
func TestManifests(t *testing.T) {
	for name, socket := range map[string]bool{"slack-manifest.yaml": true, "slack-manifest-http.yaml": false} {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile("../../deploy/" + name)
			if err != nil {
				t.Fatal(err)
			}
			var m manifest
			if err := yaml.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			scopes := append(slices.Clone(m.OAuth.Scopes.Bot), m.OAuth.Scopes.Optional...)
			want := slices.Clone(botScopes)
			slices.Sort(scopes)
			slices.Sort(want)
			if !slices.Equal(scopes, want) {
				t.Errorf("scopes %v, the install asks for %v", scopes, want)
			}
			var names []string
			for _, c := range m.Features.Commands {
				names = append(names, c.Command)
				if !c.Escape {
					t.Errorf("%s: channels and groups would arrive without their ids", c.Command)
				}
				if (c.URL == "") != socket {
					t.Errorf("%s: url %q", c.Command, c.URL)
				}
			}
			if !slices.Equal(names, []string{"/feed", "/downwind"}) {
				t.Errorf("commands %v", names)
			}
			if s := m.Features.Shortcuts; len(s) != 1 || s[0].Callback != shortcutStack || s[0].Type != "message" {
				t.Errorf("shortcuts %v", s)
			}
			for _, e := range []string{"app_home_opened", "app_uninstalled", "tokens_revoked"} {
				if !slices.Contains(m.Settings.Events.Bot, e) {
					t.Errorf("the event %s is missing", e)
				}
			}
			if m.Settings.Socket != socket || !m.Settings.Interactivity.Enabled || !m.Features.Home.Enabled {
				t.Errorf("settings %+v", m.Settings)
			}
			if len(m.Display.Name) > 35 || len(m.Display.Description) > 140 {
				t.Error("name or description too long")
			}
			if !socket {
				for _, u := range []string{m.Features.Commands[0].URL, m.Settings.Events.URL, m.Settings.Interactivity.URL, m.OAuth.Redirects[0]} {
					if !strings.HasPrefix(u, "https://downwind.example.org/slack/") {
						t.Errorf("address %q", u)
					}
				}
			}
		})
	}
}

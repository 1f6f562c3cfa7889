package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"downwind/config"
)

var env = map[string]string{
	"SLACK_BOT_TOKEN": "xoxb-hunter2", "SLACK_APP_TOKEN": "xapp-hunter2", "SLACK_SIGNING_SECRET": "hunter2",
	"DISCORD_BOT_TOKEN": "hunter2", "DOWNWIND_ADMIN_TOKEN": "hunter2",
}

func getenv(k string) string { return env[k] }

func TestExampleIsValidAndComplete(t *testing.T) {
	text, err := os.ReadFile("../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(string(text), "..", getenv)
	if err != nil {
		t.Fatalf("config.example.toml: %v", err)
	}
	if len(cfg.Team) != 1 || cfg.Team[0].Slack != "C0123456789" || cfg.Slack.BotToken.Reveal() != "xoxb-hunter2" {
		t.Errorf("example read wrong: %+v", cfg.Team)
	}
	for _, key := range keys(reflect.TypeOf(*cfg), "") {
		last := key[strings.LastIndex(key, ".")+1:]
		if !strings.Contains(string(text), last+" = ") {
			t.Errorf("config.example.toml does not show %s", key)
		}
	}
}

// keys lists the TOML keys of a type.
func keys(t reflect.Type, prefix string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("toml")
		if tag == "-" || tag == "" {
			continue
		}
		ft := f.Type
		if ft.Kind() == reflect.Slice {
			ft = ft.Elem()
		}
		if ft.Kind() == reflect.Struct && ft.Name() != "Span" {
			out = append(out, keys(ft, prefix+tag+".")...)
			continue
		}
		out = append(out, prefix+tag)
	}
	return out
}

func TestFaultsNameKeyAndLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "[server]\nlisten = \"127.0.0.1:1\"\nlisen = \"x\"\n", "line 3: server.lisen: unknown key"},
		{"unknown table", "[slak]\nmode = \"socket\"\n", "line 1: slak: unknown key"},
		{"secret in the file", "[slack]\nbot_token = \"xoxb-1\"\n", "line 2: slack.bot_token: unknown key; a secret does not stand in the file"},
		{"secret as variable name", "[slack]\nbot_token_env = \"xoxb-123-456\"\n", "line 2: slack.bot_token_env: this looks like the secret itself"},
		{"variable not set", "[slack]\nbot_token_env = \"NOPE\"\n", "line 2: slack.bot_token_env: the environment variable NOPE is not set"},
		{"broken TOML", "[server]\nlisten = \n", "line 2: "},
		{"bad duration", "[poll]\ninterval = \"fast\"\n", "no duration"},
		{"impolite", "[poll]\ninterval = \"1ms\"\n", "line 2: poll.interval: 1ms is too short"},
		{"hot slower than normal", "[poll]\nhot_interval = \"2m\"\n", "line 2: poll.hot_interval"},
		{"bad mode", "[slack]\nmode = \"rtm\"\n", "line 2: slack.mode: \"rtm\" is none of socket, http"},
		{"bad network", "[poll]\nallow_private = [\"10.0.0.0\"]\n", "line 2: poll.allow_private"},
		{"bad store", "[store]\nurl = \"mysql://x\"\n", "line 2: store.url"},
		{"pprof on the network", "[server]\npprof = \"0.0.0.0:6060\"\n", "line 2: server.pprof"},
		{"channel twice", "[[team]]\nname=\"a\"\nslack=\"C0123456789\"\n[[team]]\nname=\"b\"\nslack=\"C0123456789\"\n", "belongs to team \"a\" already"},
		{"team twice", "[[team]]\nname=\"A b\"\nconsole=true\n[[team]]\nname=\"a-b\"\nconsole=true\n", "stands twice"},
		{"empty team", "[[team]]\nname=\"a\"\n", "neither a stack nor a channel"},
		{"channel name for id", "[[team]]\nname=\"a\"\nslack=\"#ops\"\n", "line 3: team.slack: \"#ops\" is no channel id"},
		{"zone", "[[team]]\nname=\"a\"\nconsole=true\ntimezone=\"Mars/Olympus\"\n", "line 4: team.timezone"},
		{"provider slug", "[[provider]]\nslug=\"Acme Inc\"\n", "line 2: provider.slug"},
		{"destination without a team", "[[destination]]\nname=\"x\"\nkind=\"webhook\"\nteam=\"none\"\n", "line 4: destination.team"},
		{"mail without a server", "[operator]\nemail=\"a@example.org\"\n", "line 2: operator.email"},
		{"api url", "[slack]\napi_url = \"http://127.0.0.1:1/\"\n", "line 2: slack.api_url"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Parse(tt.text, t.TempDir(), getenv)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want %q in it", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "xoxb-1") {
				t.Errorf("leaks a secret: %v", err)
			}
		})
	}
}

func TestSecretFromFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tok"), []byte("xoxb-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("[slack]\nbot_token_file = \"tok\"\n", dir, getenv)
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Slack.BotToken.Reveal(); got != "xoxb-file" {
		t.Errorf("got %q", got)
	}
}

func TestTeamID(t *testing.T) {
	for in, want := range map[string]string{"Payments": "payments", "  EU / Back-end ": "eu-back-end", "#": ""} {
		if got := config.TeamID(in); got != want {
			t.Errorf("TeamID(%q) = %q, want %q", in, got, want)
		}
	}
}

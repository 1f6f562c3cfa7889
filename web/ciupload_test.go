package web_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"downwind"
	"downwind/web/webtest"
)

var fence = regexp.MustCompile("(?s)```(sh|yaml)\n(.*?)```")

// TestUploadsOfTheDocs runs what docs/ci-upload.md tells CI to run, with curl, in a repository, against the pages.
func TestUploadsOfTheDocs(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	docs, err := os.ReadFile("../docs/ci-upload.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fence.FindAllStringSubmatch(string(docs), -1)
	if len(blocks) < 3 {
		t.Fatalf("docs/ci-upload.md has %d examples", len(blocks))
	}
	var action struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	var gitlab map[string]struct{ Script []string }
	if err := yaml.Unmarshal([]byte(blocks[1][2]), &action); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(blocks[2][2]), &gitlab); err != nil {
		t.Fatal(err)
	}
	steps := action.Jobs["stack"].Steps
	for name, script := range map[string]string{
		"curl": blocks[0][2], "GitHub": steps[len(steps)-1].Run, "GitLab": strings.Join(gitlab["downwind-stack"].Script, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			server, world := site(t)
			dir := t.TempDir()
			for file, text := range map[string]string{
				"package-lock.json": "lumen-voice\n", "infra/main.tf": "tallypay\n", "src/ignored.txt": "quaymail\n", "with space/go.mod": "kestrel-db\n",
			} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			script = "set -e\ngit init -q .\ngit add -A\n" + strings.ReplaceAll(script, "/teams/payments/", "/teams/"+webtest.Team+"/")
			cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "DOWNWIND_URL="+server.URL, "DOWNWIND_TOKEN="+token(t, world, webtest.Team, downwind.ScopeStackWrite))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			stack := world.Store.TeamRows[webtest.Team].Stack
			for _, slug := range []string{"lumen-voice", "tallypay"} {
				if stack.Use(slug) == nil {
					t.Errorf("%s was not uploaded", slug)
				}
			}
			if stack.Use("quaymail") != nil {
				t.Error("a file was uploaded that was not asked for")
			}
		})
	}
}

package stackparse_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// A large file is made of a beginning, entries for packages, and an end.
type large struct {
	name       string
	begin, end string
	// entry has the package's name in the place of NAME.
	entry string
	// sdk is a package that a signature knows, at least to be kept among the weak evidence or to be asked about.
	sdk string
}

// larges are files of every format that is read piece by piece.
var larges = []large{
	{"package-lock.json", `{"lockfileVersion": 3, "packages": {"": {"dependencies": {"twilio": "^4", "left-pad": "1"}},` + "\n", "\n\"z\": {}}}", `"node_modules/NAME": {"version": "1.2.3", "resolved": "https://registry.npmjs.org/NAME/-/NAME-1.2.3.tgz", "integrity": "sha512-0123456789abcdef==", "dependencies": {"a": "^1", "b": "~2.0"}},` + "\n", "stripe"},
	{"pnpm-lock.yaml", "lockfileVersion: '9.0'\nimporters:\n\n  .:\n    dependencies:\n      twilio:\n        specifier: ^4\n        version: 4.1.0\n\npackages:\n\n", "snapshots:\n", "  NAME@1.2.3:\n    resolution: {integrity: sha512-0123456789abcdef==}\n    engines: {node: '>=18'}\n\n", "stripe"},
	{"yarn.lock", "# yarn lockfile v1\n\n", "", "NAME@^1.0.0, NAME@^1.2.0:\n  version \"1.2.3\"\n  resolved \"https://registry.yarnpkg.com/NAME/-/NAME-1.2.3.tgz#0123\"\n  dependencies:\n    a \"^1\"\n\n", "stripe"},
	{"bun.lock", "{\"lockfileVersion\": 1, \"workspaces\": {\"\": {\"dependencies\": {\"twilio\": \"^4\",},},},\n\"packages\": {\n", "}}\n", "    \"NAME\": [\"NAME@1.2.3\", \"\", { \"dependencies\": { \"a\": \"^1\" } }, \"sha512-0123==\"],\n\n", "stripe"},
	{"deno.lock", "{\"version\": \"4\", \"specifiers\": {\"npm:twilio@4\": \"4.1.0\",\n", "\"jsr:@std/assert@1\": \"1.0.0\"},\n\"npm\": {}}\n", "    \"npm:NAME@1\": \"1.2.3\",\n", "stripe"},
	{"uv.lock", "version = 1\n\n", "", "[[package]]\nname = \"NAME\"\nversion = \"1.2.3\"\nsource = { registry = \"https://pypi.org/simple\" }\n\n", "stripe"},
	{"Pipfile.lock", "{\"default\": {\n", "\"z\": {}}}", "    \"NAME\": {\"hashes\": [\"sha256:0123\"], \"version\": \"==1.2.3\"},\n", "stripe"},
	{"composer.lock", "{\"packages\": [\n", "{}]}", "{\"name\": \"NAME\", \"version\": \"v1.2.3\", \"require\": {\"php\": \"^8\"}},\n", "stripe/stripe-php"},
	{"Cargo.lock", "version = 3\n\n", "", "[[package]]\nname = \"NAME\"\nversion = \"1.2.3\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\n", "async-stripe"},
	{"Gemfile.lock", "GEM\n  remote: https://rubygems.org/\n  specs:\n", "\nDEPENDENCIES\n  twilio-ruby\n", "    NAME (1.2.3)\n      rack (>= 2)\n", "stripe"},
	{"go.sum", "", "", "NAME v1.2.3 h1:0123456789=\nNAME v1.2.3/go.mod h1:0123456789=\n", "github.com/stripe/stripe-go/v76"},
	{"mix.lock", "%{\n", "}\n", "  \"NAME\": {:hex, :jason, \"1.2.3\", \"0123\", [:mix], [], \"hexpm\", \"4567\"},\n", "stripity_stripe"},
	{"Podfile.lock", "PODS:\n", "\nDEPENDENCIES:\n  - Stripe\n", "  - NAME (1.2.3):\n    - A/Core (= 1)\n", "Stripe"},
	{"packages.lock.json", "{\"version\": 1, \"dependencies\": {\"net8.0\": {\n", "\"z\": {}}}}", "\"NAME\": {\"type\": \"Direct\", \"requested\": \"[1, )\", \"resolved\": \"1.2.3\", \"contentHash\": \"0123\"},\n", "Stripe.net"},
	{"bom.json", "{\"bomFormat\": \"CycloneDX\", \"metadata\": {\"component\": {\"bom-ref\": \"root\"}}, \"components\": [\n", "{}], \"services\": [{\"name\": \"Stripe\", \"endpoints\": [\"https://api.stripe.com/v1\"]}]}", "{\"type\": \"library\", \"bom-ref\": \"NAME\", \"name\": \"NAME\", \"purl\": \"pkg:npm/NAME@1.2.3\"},\n", "stripe"},
	{"bom.xml", "<?xml version=\"1.0\"?>\n<bom xmlns=\"http://cyclonedx.org/schema/bom/1.4\"><components>\n", "</components></bom>\n", "<component type=\"library\"><name>NAME</name>\n<version>1</version><purl>pkg:npm/NAME@1.2.3</purl></component>\n", "stripe"},
	{"app.spdx", "SPDXVersion: SPDX-2.3\n", "", "PackageName: NAME\nSPDXID: SPDXRef-NAME\nExternalRef: PACKAGE-MANAGER purl pkg:npm/NAME@1.2.3\n\n", "stripe"},
	{"terraform.tfstate", "{\"version\": 4, \"terraform_version\": \"1.9.0\", \"resources\": [\n", "{}]}", "{\"mode\": \"managed\", \"type\": \"null_resource\", \"name\": \"NAME\", \"instances\": [{\"attributes\": {\"id\": \"NAME.example\"}}]},\n", "queue"},
	{"data-plan.json", "{\"rows\": [\n", "{}]}", "{\"a\": \"NAME\", \"b\": 1},\n", "stripe"}, // a plan by its name alone
}

// text makes a file of at least size bytes, the known package early, late, and several times between.
func (l large) text(size int) []byte {
	var b bytes.Buffer
	b.WriteString(l.begin)
	for n := 0; b.Len() < size; n++ {
		name := fmt.Sprintf("package_%d", n)
		if n%97 == 1 {
			name = l.sdk
		}
		b.WriteString(strings.ReplaceAll(l.entry, "NAME", name))
	}
	b.WriteString(strings.ReplaceAll(l.entry, "NAME", l.sdk))
	b.WriteString(l.end)
	return b.Bytes()
}

func inFolder(t *testing.T, name string, text []byte) downwind.Stack {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file from a disk is read piece by piece, one from an upload as a whole: the answers are the same.
func TestLargeFilesAreReadAlike(t *testing.T) {
	for _, l := range larges {
		t.Run(l.name, func(t *testing.T) {
			whole := l.text(5 * scan.Window / 2)
			at := len(whole) / 2
			for what, text := range map[string][]byte{
				"whole": whole, "cut off": whole[:at], "wide": []byte(utf16(string(whole))),
				"damaged": append(append(bytes.Clone(whole[:at]), "\xff}]\x00'"...), whole[at:]...),
			} {
				want := reader(stackparse.Options{}).ReadFiles(context.Background(), map[string][]byte{l.name: text, "README.md": nil, "a": nil, "b": nil, "c": nil, "d": nil, "e": nil, "f": nil, "g": nil, "h": nil, "i": nil})
				got := inFolder(t, l.name, text)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-as a whole +piece by piece):\n%.3000s", what, diff)
				}
				if what == "whole" && l.name != "data-plan.json" && (len(got.Files) != 1 || got.Files[0].Dependencies < 200) {
					t.Errorf("read %+v", got.Files)
				}
			}
		})
	}
}

func TestLargeFilesAreNotHeld(t *testing.T) {
	const size = 12 << 20
	for _, l := range larges[:3] {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, l.name), l.text(size), 0o644); err != nil {
			t.Fatal(err)
		}
		_ = inFolder(t, l.name, l.text(100)) // reads the signatures
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{dir})
		runtime.ReadMemStats(&after)
		if err != nil || len(s.Files) != 1 || s.Files[0].Dependencies < 20_000 {
			t.Fatalf("read %+v, %v", s.Files, err)
		}
		// What is left are texts that live for a moment: keys, names, and the evidence.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > size {
			t.Errorf("%s: reading %d MB allocates %d MB", l.name, size>>20, grown>>20)
		}
	}
}

// A file that nobody makes anything of as a stream is offered to the others that know its name.
func TestLargeFileThatIsSomethingElse(t *testing.T) {
	text := `{"Logging": {"a": "` + strings.Repeat("x", scan.Window) + `"}, "Stripe": {"BaseUrl": "https://api.stripe.com/v1"}}`
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "config"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config", "plan.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{dir})
	if err != nil || s.Use("stripe") == nil {
		t.Errorf("uses %q, %v", summary(s), err)
	}
}

func TestEntriesOfOneFileAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("{\"version\": \"4\", \"specifiers\": {\n")
	for n := range 60_000 {
		fmt.Fprintf(&b, "\"npm:package_%d@1\": \"1.0.0\",\n", n)
	}
	b.WriteString("}}")
	s := read(t, map[string]string{"deno.lock": b.String(), "package.json": `{"dependencies": {"stripe": "1"}}`})
	if s.Use("stripe") == nil {
		t.Error("the other file was not read")
	}
	if d := s.Files[0].Diagnostics; len(d) != 1 || !strings.Contains(d[0].Summary, "50000 entries") {
		t.Errorf("diagnostics %+v", d)
	}
}

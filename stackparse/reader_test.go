package stackparse_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downwind"
	"downwind/catalog"
	"downwind/stackparse"
	"downwind/stackparse/all"
)

func reader(opt stackparse.Options) *stackparse.Reader {
	opt.Parsers = all.Parsers()
	return stackparse.New(opt)
}

func read(t *testing.T, files map[string]string) downwind.Stack {
	t.Helper()
	in := map[string][]byte{}
	for k, v := range files {
		in[k] = []byte(v)
	}
	return reader(stackparse.Options{}).ReadFiles(context.Background(), in)
}

// summary writes uses as "slug confidence services regions".
func summary(s downwind.Stack) []string {
	var out []string
	for _, u := range s.Providers {
		out = append(out, strings.TrimSpace(u.Provider+" "+string(u.Confidence)+" "+strings.Join(u.Services, ",")+" "+strings.Join(u.Regions, ",")))
	}
	return out
}

func TestJudgement(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string // each must be among the uses
		not   []string // providers that must not be used
		own   []string // providers whose software the team runs itself
		weak  []string
	}{
		{name: "direct dependency", files: map[string]string{"package.json": `{"dependencies":{"stripe":"1"}}`}, want: []string{"stripe sure"}},
		{name: "development dependency", files: map[string]string{"package.json": `{"devDependencies":{"stripe":"1"}}`}, want: []string{"stripe guess"}},
		{name: "driver alone", files: map[string]string{"package.json": `{"dependencies":{"redis":"4","mongodb":"6"}}`}, not: []string{"redis", "mongodb-atlas"}, weak: []string{"redis", "mongodb-atlas"}},
		{name: "driver with a host", files: map[string]string{"package.json": `{"dependencies":{"mongodb":"6"}}`, ".env": "MONGODB_URI=mongodb+srv://u:p@c0.ab1cd.mongodb.net/x"}, want: []string{"mongodb-atlas sure"}},
		{name: "types only", files: map[string]string{"package.json": `{"dependencies":{"@types/stripe":"1"}}`}, not: []string{"stripe"}},
		{name: "transitive only", files: map[string]string{"package.json": `{"dependencies":{}}`, "package-lock.json": `{"packages":{"":{},"node_modules/stripe":{"version":"1"}}}`}, not: []string{"stripe"}, weak: []string{"stripe"}},
		{name: "base URL of another vendor", files: map[string]string{"package.json": `{"dependencies":{"openai":"4"}}`, ".env": "OPENAI_BASE_URL=https://api.groq.com/openai/v1\nOPENAI_API_KEY=x"}, want: []string{"groq sure"}, not: []string{"openai"}, own: []string{"openai"}},
		{name: "S3 of another vendor", files: map[string]string{".env": "AWS_ACCESS_KEY_ID=x\nS3_ENDPOINT=https://x.r2.cloudflarestorage.com"}, want: []string{"cloudflare sure r2"}, not: []string{"aws"}},
		{name: "own LiveKit", files: map[string]string{"package.json": `{"dependencies":{"livekit-server-sdk":"2"}}`, "compose.yaml": "services:\n  lk: {image: 'livekit/livekit-server:v1'}\n  app: {environment: {LIVEKIT_URL: 'ws://lk:7880'}}\n"}, not: []string{"livekit"}, own: []string{"livekit"}, weak: []string{"livekit"}},
		{name: "LiveKit Cloud beside a local server", files: map[string]string{"package.json": `{"dependencies":{"livekit-server-sdk":"2"}}`, "compose.yaml": "services:\n  lk: {image: 'livekit/livekit-server:v1'}\n", "k8s.yaml": "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n    - {name: LIVEKIT_URL, value: 'wss://acme.livekit.cloud'}\n"}, want: []string{"livekit sure"}},
		{name: "own Supabase", files: map[string]string{"package.json": `{"dependencies":{"@supabase/supabase-js":"2"}}`, "compose.yaml": "services:\n  app: {environment: {SUPABASE_URL: 'http://kong:8000'}}\n"}, not: []string{"supabase"}, own: []string{"supabase"}},
		{name: "agent inside", files: map[string]string{"compose.yaml": "services:\n  app: {environment: {DD_AGENT_HOST: datadog-agent, DD_API_KEY: '${DD_API_KEY}', DD_TRACE_AGENT_URL: 'http://agent:8126'}}\n"}, want: []string{"datadog sure"}},
		{name: "look-alike hosts", files: map[string]string{"domains.txt": "stripe.com.evil.example\nnotstripe.com\n"}, not: []string{"stripe"}},
		{name: "region in a host", files: map[string]string{"domains.txt": "sqs.eu-central-1.amazonaws.com\n"}, want: []string{"aws sure sqs eu-central-1"}},
		{name: "site in a variable", files: map[string]string{".env": "DD_API_KEY=x\nDD_SITE=datadoghq.eu\n"}, want: []string{"datadog sure  eu1"}},
		{name: "empty template", files: map[string]string{".env.example": "SENDGRID_API_KEY=\n"}, want: []string{"sendgrid guess"}},
		{name: "secret named after a vendor", files: map[string]string{".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: x\n        env: {T: \"${{ secrets.SLACK_ALERT_HOOK }}\"}\n"}, want: []string{"slack sure", "github sure actions"}},
		{name: "vendor's own naming", files: map[string]string{"package.json": `{"dependencies":{"@replicate/sdk":"1","@mailgun/node-sdk":"1"}}`}, want: []string{"mailgun likely"}, not: []string{"replicate"}},
		{name: "comments", files: map[string]string{"main.tf": "/* resource \"heroku_app\" \"x\" {} */\n# resource \"aws_s3_bucket\" \"x\" {}\n"}, not: []string{"heroku", "aws"}},
		{name: "IDN and case", files: map[string]string{"domains.txt": "BÜCHER.MyShopify.com.\n"}, want: []string{"shopify sure"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.files)
			got := summary(s)
			for _, w := range c.want {
				if !slices.ContainsFunc(got, func(g string) bool { return g == w || strings.HasPrefix(g, w+" ") }) {
					t.Errorf("%q is not among %q", w, got)
				}
			}
			for _, n := range c.not {
				if u := s.Use(n); u != nil && u.Confidence != downwind.Guess {
					t.Errorf("%s is used: %+v", n, u.Evidence)
				}
			}
			for _, n := range c.own {
				if len(s.SelfHosted[n]) == 0 {
					t.Errorf("%s is not told to be run by the team itself", n)
				}
			}
			for _, n := range c.weak {
				if len(s.Weak[n]) == 0 {
					t.Errorf("no weak sign of %s", n)
				}
			}
		})
	}
}

func TestValuesNeverLeave(t *testing.T) {
	const secret = "hunter2-s3cr3t"
	s := read(t, map[string]string{
		".env":              "STRIPE_KEY=" + secret + "\nDATABASE_URL=postgres://user:" + secret + "@db.x.eu-west-1.rds.amazonaws.com/x\nMAIL=smtp://" + secret + ":x@smtp.sendgrid.net",
		"terraform.tfstate": `{"version":4,"resources":[{"type":"aws_db_instance","provider":"x","instances":[{"attributes":{"password":"` + secret + `","address":"db.x.eu-west-1.rds.amazonaws.com"}}]}]}`,
		"compose.yaml":      "services:\n  a:\n    environment:\n      STRIPE_KEY: " + secret + "\n",
		"deploy.yaml":       "apiVersion: v1\nkind: Secret\nstringData:\n  TWILIO_AUTH_TOKEN: " + secret + "\n",
		"main.tf":           "resource \"aws_db_instance\" \"x\" {\n  password = \"" + secret + "\"\n}\n",
	})
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("hunter2")) {
		t.Errorf("a secret stands in the result: %s", b)
	}
	if s.Use("stripe") == nil || s.Use("sendgrid") == nil || s.Use("aws") == nil {
		t.Errorf("uses: %q", summary(s))
	}
	if s.Dropped == 0 {
		t.Error("no dropped value is counted")
	}
}

func TestWalkKeepsOut(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	write := func(root, name, text string) {
		t.Helper()
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "package.json", `{"dependencies":{"stripe":"1"}}`)
	write(dir, "node_modules/x/package.json", `{"dependencies":{"twilio":"1"}}`)
	write(dir, "vendor/x/composer.json", `{"require":{"sendgrid/sendgrid":"1"}}`)
	write(dir, ".gitignore", "secret/\n/out.env\n")
	write(dir, "secret/.env", "OPENAI_API_KEY=x")
	write(dir, "sub/.gitignore", "*.env\n")
	write(dir, "sub/a.env", "SENTRY_DSN=x")
	write(dir, "out.env", "MAILGUN_API_KEY=x")
	write(outside, "package.json", `{"dependencies":{"pusher":"1"}}`)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "package.json"), filepath.Join(dir, "linked.package.json")); err != nil {
		t.Fatal(err)
	}
	s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := summary(s), []string{"npm sure", "stripe sure"}; !slices.Equal(got, want) && !slices.Equal(got, []string{"npm sure package-installation", "stripe sure"}) {
		t.Errorf("uses %q, want %q", got, want)
	}
}

func TestReadPathsRefusesWhatIsNotThere(t *testing.T) {
	_, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{"./no/such/file.json"})
	if err == nil || !strings.Contains(err.Error(), "no/such/file.json") {
		t.Errorf("error %v", err)
	}
	s, err := reader(stackparse.Options{}).ReadPaths(context.Background(), []string{"api.stripe.com", "https://x.supabase.co/rest"})
	if err != nil || s.Use("stripe") == nil || s.Use("supabase") == nil {
		t.Errorf("domains: %q, %v", summary(s), err)
	}
}

func zipOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	pkg := []byte(`{"dependencies":{"stripe":"1"}}`)
	bomb := zipOf(t, map[string][]byte{"z/package.json": pkg, "b/yarn.lock": bytes.Repeat([]byte("a"), 40<<20)})
	var tgz bytes.Buffer
	z := gzip.NewWriter(&tgz)
	w := tar.NewWriter(z)
	for name, data := range map[string][]byte{"repo/package.json": pkg, "../../etc/.env": []byte("TWILIO_AUTH_TOKEN=x")} {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteHeader(&tar.Header{Name: "repo/.env", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	z.Close()
	for _, c := range []struct {
		name    string
		data    []byte
		stripe  bool
		warning string
	}{
		{"repo.zip", zipOf(t, map[string][]byte{"repo/package.json": pkg, "repo/node_modules/x/package.json": []byte(`{"dependencies":{"twilio":"1"}}`)}), true, ""},
		{"repo.tar.gz", tgz.Bytes(), true, ""},
		{"code.zip", zipOf(t, map[string][]byte{"src/generated.ts": bytes.Repeat([]byte("a"), 30<<20), "z/package.json": pkg}), true, ""},
		{"nested.zip", zipOf(t, map[string][]byte{"inner.zip": zipOf(t, map[string][]byte{"package.json": pkg})}), false, "inside an archive"},
		{"bomb.zip", bomb, true, "beyond the limit"},
		{"cut.zip", bomb[:len(bomb)/2], false, "archive"},
		{"cut.tar.gz", tgz.Bytes()[:tgz.Len()/2], false, "archive"},
		{"no.zip", []byte("this is no archive"), false, "archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reader(stackparse.Options{MaxFile: 32 << 20}).ReadFiles(context.Background(), map[string][]byte{c.name: c.data})
			if got := s.Use("stripe") != nil; got != c.stripe {
				t.Errorf("stripe found: %v, want %v", got, c.stripe)
			}
			if s.Use("twilio") != nil {
				t.Errorf("twilio is used: %+v", s.Use("twilio").Evidence)
			}
			all := ""
			for _, f := range s.Files {
				for _, d := range f.Diagnostics {
					all += d.Summary + "\n"
				}
			}
			if !strings.Contains(all, c.warning) {
				t.Errorf("diagnostics %q do not tell %q", all, c.warning)
			}
		})
	}
}

// TestFewFilesAreExplained: who hands in some files hears of each that nobody reads; of a whole folder they do not.
func TestFewFilesAreExplained(t *testing.T) {
	files := map[string][]byte{
		"plan.pdf": []byte("%PDF-1.7"), "notes.md": []byte("# hello\n"), "data.json": []byte(`{"a":1}`), "empty.txt": nil, "main.go": []byte("package main\n"),
		"package.json": []byte(`{"dependencies":{"stripe":"1"}}`), ".travis.yml": []byte("language: go\n"),
	}
	told := func() map[string]string {
		out := map[string]string{}
		for _, f := range reader(stackparse.Options{}).ReadFiles(context.Background(), files).Files {
			for _, d := range f.Diagnostics {
				out[f.Path] = d.Summary
			}
		}
		return out
	}
	got := told()
	for name, want := range map[string]string{"plan.pdf": "looks like a PDF", "notes.md": "no known kind", "data.json": "looks like JSON", "empty.txt": "empty file", "main.go": "source code"} {
		if !strings.HasPrefix(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("told of what is read: %q", got)
	}
	for i := range 20 {
		files[strings.Repeat("x", i+1)+".md"] = []byte("# hello\n")
	}
	if got := told(); len(got) > 0 {
		t.Errorf("told of a folder's files: %q", got)
	}
}

func TestLimits(t *testing.T) {
	ctx := context.Background()
	big := reader(stackparse.Options{MaxFile: 1000}).ReadFiles(ctx, map[string][]byte{"package.json": bytes.Repeat([]byte(" "), 2000), "go.mod": []byte("require github.com/stripe/stripe-go/v78 v78.0.0\n")})
	if big.Use("stripe") == nil || len(big.Files) != 2 || len(big.Files[1].Diagnostics) == 0 {
		t.Errorf("files %+v", big.Files)
	}
	total := reader(stackparse.Options{MaxTotal: 50}).ReadFiles(ctx, map[string][]byte{"a/package.json": bytes.Repeat([]byte(" "), 40), "b/package.json": bytes.Repeat([]byte(" "), 40)})
	if n := len(total.Files); n != 2 {
		t.Errorf("%d files", n)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if s := reader(stackparse.Options{}).ReadFiles(cancelled, map[string][]byte{"package.json": []byte(`{"dependencies":{"stripe":"1"}}`)}); s.Use("stripe") != nil {
		t.Error("a cancelled reading reads")
	}
}

func TestHostileInputs(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",", 9), ",") + "]\n"
	}
	s := read(t, map[string]string{
		"deep.package.json":     strings.Repeat(`{"a":`, 6000),
		"deep2/package.json":    `{"dependencies":` + strings.Repeat("[", 100000),
		"bomb.yaml":             "apiVersion: v1\nkind: Pod\n" + bomb,
		"values.yaml":           bomb,
		"nul.env":               "\x00\x00STRIPE_KEY=1\n",
		"utf16.package.json":    "\xff\xfe" + utf16(`{"dependencies":{"twilio":"1"}}`),
		"bom.package.json":      "\ufeff{\"dependencies\":{\"pusher\":\"1\"}}",
		"binary/package.json":   string(bytes.Repeat([]byte{0, 1, 2, 0xff}, 5000)),
		"long/requirements.txt": strings.Repeat("a", 3<<20) + "\nsendgrid==1\n",
		"main.tf":               "a = " + strings.Repeat("[", 3000),
		"self/main.tf":          "module \"x\" { source = \"../self\" }\nlocals {\n a = local.b\n b = local.a\n}\n",
	})
	for _, slug := range []string{"twilio", "pusher", "stripe", "sendgrid"} {
		if s.Use(slug) == nil {
			t.Errorf("%s is not found; uses %q", slug, summary(s))
		}
	}
}

func utf16(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestSameAnswerEveryTime(t *testing.T) {
	files := map[string]string{}
	for _, d := range []string{"a", "b", "c", "d", "e", "f"} {
		files[d+"/package.json"] = `{"dependencies":{"stripe":"1","@sentry/node":"7","openai":"4"}}`
		files[d+"/main.tf"] = "resource \"aws_s3_bucket\" \"x\" {}\nprovider \"aws\" { region = \"eu-west-1\" }\n"
		files[d+"/.env"] = "SENTRY_DSN=https://k@o1.ingest.us.sentry.io/1\nUNKNOWN_URL=https://api." + d + "-partner.com\n"
	}
	first, err := json.Marshal(read(t, files))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		again, err := json.Marshal(read(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Fatalf("answers differ:\n%s\n%s", first, again)
		}
	}
}

func TestOverlay(t *testing.T) {
	sig, err := catalog.NewSignatures(strings.NewReader("kind\tkey\tprovider\tservice\n# ours\nnpm\t@acme/pay\tacme-pay\tcards\nnpm\tstripe\tstripe\t\tnone\ndomain\t*.acme-pay.com\tacme-pay\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := reader(stackparse.Options{Signatures: sig, Names: func(s string) string { return strings.ToUpper(s) }}).ReadFiles(context.Background(), map[string][]byte{
		"package.json": []byte(`{"dependencies":{"@acme/pay":"1","stripe":"1"}}`),
	})
	if u := s.Use("acme-pay"); u == nil || u.Name != "ACME-PAY" || !slices.Equal(u.Services, []string{"cards"}) {
		t.Errorf("uses %q", summary(s))
	}
	if s.Use("stripe") != nil {
		t.Error("a removed signature still counts")
	}
	for _, bad := range []string{"npm\t\tx\n", "nosuch\tx\ty\n", "npm\tx\ty\tz\tmaybe\n"} {
		if _, err := catalog.NewSignatures(strings.NewReader(bad)); err == nil {
			t.Errorf("overlay %q is accepted", bad)
		}
	}
}

// TestFilesShareNoText reads the fixtures of all parsers from the disk, where one file after the other is read into the same room,
// and from memory, where each has its own.
func TestFilesShareNoText(t *testing.T) {
	files := map[string][]byte{}
	for _, pattern := range []string{"*/testdata/*", "*/testdata/*/*"} {
		fixtures, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range fixtures {
			if text, err := os.ReadFile(p); err == nil && !strings.HasSuffix(p, ".golden") {
				files[filepath.ToSlash(p)] = text
			}
		}
	}
	dir := t.TempDir()
	for p, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 100 {
		t.Fatalf("only %d fixtures", len(files))
	}
	want := reader(stackparse.Options{}).ReadFiles(context.Background(), files)
	got, err := reader(stackparse.Options{NoIgnore: true}).ReadPaths(context.Background(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("from the disk (-memory +disk):\n%s", diff)
	}
}

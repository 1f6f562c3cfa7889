// Package workflow reads pipelines: GitHub workflows and actions, GitLab CI, CircleCI, Azure Pipelines, Bitbucket,
// Buildkite, Cloud Build, CodeBuild, and scripts by which people put something out. It reads line by line, so that damage in one step costs only that step.
package workflow

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/commands"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/words"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "workflow".
func (Parser) Name() string { return "workflow" }

// Claims takes pipeline definitions by their usual places, and scripts by names that say that they put something out.
func (Parser) Claims(p string) bool { return vendorOf(p) != "" || scripted(p) }

// vendorOf returns the pipeline's host.
func vendorOf(p string) string {
	base := path.Base(p)
	dir := path.Base(path.Dir(p))
	yaml := strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml")
	switch {
	case !yaml:
		return ""
	case dir == "workflows" && (strings.Contains(p, ".github/") || strings.Contains(p, ".gitea/") || strings.Contains(p, ".forgejo/")),
		(base == "action.yml" || base == "action.yaml"):
		return "github"
	case strings.HasPrefix(base, ".gitlab-ci") || base == "gitlab-ci.yml":
		return "gitlab"
	case dir == ".circleci":
		return "circleci"
	case strings.HasPrefix(base, "azure-pipelines") || dir == ".azure-pipelines":
		return "azure-devops"
	case base == "bitbucket-pipelines.yml":
		return "bitbucket"
	case dir == ".buildkite":
		return "buildkite"
	case strings.HasPrefix(base, "cloudbuild"), strings.EqualFold(dir, "cloudbuild"), strings.EqualFold(dir, ".cloudbuild"):
		return "google-cloud"
	case strings.HasPrefix(base, "buildspec"):
		return "aws"
	}
	return otherHosts()[base]
}

// otherHosts are further systems by the one name of their file.
var otherHosts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		".travis.yml": "travis", ".drone.yml": "drone", "appveyor.yml": "appveyor", ".appveyor.yml": "appveyor", ".woodpecker.yml": "woodpecker", ".cirrus.yml": "cirrus-ci",
		"codemagic.yaml": "codemagic", "bitrise.yml": "bitrise", "codefresh.yml": "codefresh", "semaphore.yml": "semaphore",
	}
})

var (
	plainRef  = pattern.New(`\$\{?([A-Z][A-Z0-9_]{3,})\}?`)
	runsOn    = pattern.New(`runs-on\s*:\s*(.*)`)
	imageLine = pattern.New(`^\s*(?:-\s*)?["']?(?:image|container|name)["']?\s*:\s*["']?([a-z0-9][^\s"'#]*[/:][^\s"'#]*)["']?\s*(?:#.*)?$`)
	loginLine = pattern.New(`(?:docker|podman|helm registry|oras|buildah)\s+(?:login|push)\s+.*?\b((?:[a-z0-9-]+\.)+[a-z]{2,})\b`)
)

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	host := vendorOf(in.Path)
	if host == "github" {
		out.Kind = "github-actions"
	}
	r := &reader{out: out, host: host, known: in.Known, command: -1, names: variables{data: in.Data}}
	r.commands = commands.New(func(name string) bool { return in.Known("command", name) })
	if host == "" {
		out.Kind = "script"
		script(in, r)
		return
	}
	if host == "google-cloud" {
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "google-cloud", Service: "cloud-build", Name: path.Base(in.Path)})
	}
	lines(in.Data, r.line)
	r.action("")
	r.unplay()
	const checked = 16 << 10 // lines are read all the same; that the whole is YAML is checked where that costs little
	switch {
	case host == "google-cloud":
		docs, probs := scan.YAML(in.Data)
		out.Problems(probs)
		builds(docs, r)
	case len(in.Data) <= checked:
		out.Problems(scan.CheckYAML(in.Data))
	}
}

// lines calls f with the lines that are neither empty nor a comment.
func lines(data []byte, f func(n int, text string)) {
	scan.ByteLines(data, func(n int, text []byte) {
		if t := bytes.TrimSpace(text); len(t) > 0 && t[0] != '#' {
			f(n, string(text))
		}
	})
}

type reader struct {
	out      *stackparse.Result
	host     string
	known    func(kind, name string) bool
	commands *commands.Finder
	// seen are the words of the line.
	seen words.Set
	// uses is the action of the step that is being read.
	uses string
	// command is the place in out.Facts of the command that the line before begins, where it goes on; else -1.
	command int
	names   variables
	// playing says that the line stands among the settings for Google Play; plays are the variables with keys of that store.
	playing bool
	plays   map[string]bool
}

// sharedToken reports whether every pipeline has a secret.
func sharedToken(s string) bool {
	switch s {
	case "GITHUB_TOKEN", "CI_JOB_TOKEN", "GH_TOKEN":
		return true
	}
	return false
}

// vocabulary has the words of which one stands in every line that a rule fits.
var vocabulary = words.Exact()

func signs(list ...string) words.Run { return vocabulary.Add(list...) }

var (
	secretSigns = signs("secrets.")
	usesSigns   = signs("uses")
	runsOnSigns = signs("runs-on")
	loginSigns  = signs(" login", " push")
	hookSigns   = signs("hooks.slack.com")
)

func (r *reader) line(n int, text string) {
	if strings.IndexByte(text, '#') > 0 {
		if i := strings.Index(text, " #"); i > 0 {
			text = text[:i]
		}
	}
	r.seen = words.In(vocabulary, text)
	if r.seen.Has(secretSigns) {
		r.secrets(text, n)
	}
	if r.host != "github" && strings.IndexByte(text, '$') >= 0 {
		r.variables(text, n)
	}
	if r.seen.Has(usesSigns) {
		if action := used(text); action != "" {
			r.action(action)
			r.use(action, n)
			return
		}
	}
	if r.seen.Has(runsOnSigns) {
		if m := runsOn.FindStringSubmatch(text); m != nil {
			runner(m[1], n, r.out)
		}
	}
	r.shell(text, n)
	r.told(text, n)
	if r.host != "github" {
		r.step(text, n)
	}
	if r.seen.Has(loginSigns) {
		if m := loginLine.FindStringSubmatch(text); m != nil {
			r.login(m[1], n)
		}
	}
	if r.seen.Has(hookSigns) {
		r.out.Value(stackparse.Setting{Name: "hook", Line: n}, "https://hooks.slack.com", stackparse.Firm)
	}
	r.keys(text, n)
}

// blanks may stand between the parts of a line.
const blanks = " \t\r\n\f"

// used is the action that a line names as that of its step, "" where it names none.
func used(text string) string {
	trim := func(s string) string { return strings.TrimLeft(s, blanks) }
	unquote := func(s string) string {
		if s != "" && (s[0] == '"' || s[0] == '\'') {
			return s[1:]
		}
		return s
	}
	t, is := strings.CutPrefix(unquote(trim(strings.TrimPrefix(trim(text), "-"))), "uses")
	t, set := strings.CutPrefix(trim(unquote(t)), ":")
	if !is || !set {
		return ""
	}
	t = unquote(trim(t))
	if i := strings.IndexAny(t, blanks+`"'#`); i >= 0 {
		t = t[:i]
	}
	return t
}

// secrets adds the secrets that a line names ("secrets.NAME").
func (r *reader) secrets(text string, n int) {
	const before = "secrets."
	for at := strings.Index(text, before); at >= 0; at = strings.Index(text, before) {
		inside := at > 0 && wordByte(text[at-1])
		text = text[at+len(before):]
		end := 0
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if name := text[:end]; !inside && name != "" && name[0] > '9' {
			text = text[end:]
			if !sharedToken(name) {
				r.out.Setting(stackparse.Setting{Name: name, Line: n, Secret: true, Pipeline: true})
			}
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func (r *reader) variables(text string, n int) {
	key := ""
	if r.playing {
		key, _, _ = pair(text)
	}
	for _, m := range plainRef.FindAllStringSubmatch(text, -1) {
		if key == "credentials" {
			r.plays[m[1]] = true
		}
		if !strings.HasPrefix(m[1], "CI_") && !strings.HasPrefix(m[1], "CIRCLE_") && !strings.HasPrefix(m[1], "BUILDKITE_") {
			r.out.Setting(stackparse.Setting{Name: m[1], Line: n, Secret: true, Pipeline: true})
		}
	}
}

// keys reads "key: value" lines whose key tells what the value is.
func (r *reader) keys(text string, n int) {
	key, v, ok := pair(text)
	if job, one := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(text), "- "), "{"); one && !strings.HasPrefix(job, "{") { // a job of a matrix
		for part := range strings.SplitSeq(strings.TrimRight(job, "} "), ",") {
			r.keys(part, n)
		}
		return
	}
	if !ok {
		if name, inner, found := strings.Cut(text, ": {"); found && !strings.Contains(name, ":") { // a plug-in with its settings
			key, v = "with", "{"+inner
		} else {
			return
		}
	}
	if list, ok := strings.CutPrefix(v, "[{"); ok { // jobs of a matrix
		for one := range strings.SplitSeq(list, "{") {
			for part := range strings.SplitSeq(strings.TrimRight(one, "}], "), ",") {
				r.keys(part, n)
			}
		}
		return
	}
	if inner, ok := strings.CutPrefix(v, "{"); ok && !strings.HasPrefix(inner, "{") {
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(inner), "}"), ",") {
			r.keys(part, n)
		}
		return
	}
	if name, ok := strings.CutPrefix(key, "TF_VAR_"); ok && !strings.ContainsAny(v, "${") {
		r.out.Setting(stackparse.Setting{Name: name, Value: v, Line: n, Deep: true})
		return
	}
	if upper(key) {
		if strings.Contains(v, "secrets.") || strings.Contains(v, "${{") {
			if strings.Contains(v, "secrets.") && !strings.Contains(v, "secrets.GITHUB_TOKEN") {
				r.out.Setting(stackparse.Setting{Name: key, Line: n, Secret: true, Pipeline: true})
			}
			return
		}
		if key != "GITHUB_TOKEN" {
			r.out.Setting(stackparse.Setting{Name: key, Value: v, Line: n})
		}
		return
	}
	v = strings.Trim(v, `"'`)
	switch key {
	case "registry", "registries", "login-server":
		if !strings.Contains(v, "${{") {
			r.login(v, n)
		}
	case "aws-region", "aws_region", "region", "regionName", "location":
		r.place(key, v, n)
	case "site":
		if strings.HasPrefix(r.uses, "datadog/") {
			r.placed("datadog", key, v, n)
		}
	case "role-to-assume", "cache-from", "cache-to", "url", "base-url", "server-url", "webhook", "webhook-url", "endpoint", "host":
		if !strings.Contains(v, "github.com") {
			r.out.Value(stackparse.Setting{Name: key, Line: n}, v, stackparse.Firm)
		}
	case "registry-url":
		r.out.Value(stackparse.Setting{Name: key, Line: n}, v, stackparse.Loose)
	case "image", "container":
		if ref, _, cut := strings.Cut(v, "${{"); cut && strings.Contains(ref, "/") { // the tag is told by a variable
			r.out.Add(stackparse.Fact{Kind: "image", Name: strings.TrimRight(ref, ":@"), Line: n, State: stackparse.Loose})
		} else if im := imageLine.FindStringSubmatch(text); im != nil && !strings.Contains(im[1], "${{") {
			r.out.Add(stackparse.Fact{Kind: "image", Name: im[1], Line: n, State: stackparse.Loose})
		} else if v != "" && !strings.ContainsAny(v, "{$ ") && key == "image" {
			r.out.Add(stackparse.Fact{Kind: "image", Name: v, Line: n, State: stackparse.Loose})
		}
	case "command", "args":
		if tool, _, _ := strings.Cut(r.uses, "@"); runs()[tool] != "" {
			r.ran(runs()[tool]+" ", v, n)
		}
	case "orb":
		r.out.Dependencies++
	}
}

// place is a key that names a region: whose, tell the key and the action, else what the stack uses and has such a region.
func (r *reader) place(key, v string, n int) {
	v = strings.Trim(v, "[]")
	f := stackparse.Fact{Kind: stackparse.KindRegion, Name: key, Line: n}
	for one := range strings.SplitSeq(v, ",") { // a matrix has several
		f.Regions = append(f.Regions, strings.Trim(one, ` "'`))
	}
	switch {
	case strings.HasPrefix(r.uses, "google-github-actions/"):
		f.Provider = "google-cloud"
	case strings.HasPrefix(r.uses, "aws-actions/"), strings.HasPrefix(key, "aws"):
		f.Provider = "aws"
	}
	if strings.ContainsAny(v, "${<") {
		r.placed(f.Provider, key, v, n)
		return
	}
	r.out.Facts = append(r.out.Facts, f)
}

// pair cuts "- key: value" and "KEY=value" without a regular expression: it runs on every line.
func pair(text string) (key, value string, ok bool) {
	t := strings.TrimPrefix(strings.TrimSpace(text), "- ")
	i := 0
	for i < len(t) && t[i] != ':' && t[i] != '=' {
		i++
	}
	if i == 0 || i == len(t) {
		return "", "", false
	}
	key = strings.Trim(strings.TrimSpace(t[:i]), `"'`)
	for j := range len(key) {
		if c := key[j]; c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", "", false
		}
	}
	return key, strings.TrimSpace(t[i+1:]), key != ""
}

// upper says whether a key is written like a variable.
func upper(key string) bool {
	return len(key) > 2 && key[0] >= 'A' && key[0] <= 'Z' && key == strings.ToUpper(key) && !strings.Contains(key, "-")
}

// action ends the step before and begins one.
func (r *reader) action(uses string) {
	r.uses, _, _ = strings.Cut(strings.ToLower(uses), "@")
}

func (r *reader) use(ref string, n int) {
	if strings.HasPrefix(ref, "./") {
		return
	}
	if img, ok := strings.CutPrefix(ref, "docker://"); ok {
		r.out.Add(stackparse.Fact{Kind: "image", Name: img, Line: n, State: stackparse.Loose})
		return
	}
	name, version, _ := strings.Cut(ref, "@")
	f := stackparse.Fact{Kind: "gh_action", Name: name, Line: n}
	if len(version) < 20 {
		f.Version = version
	}
	r.out.Add(f)
}

// login is a registry that the pipeline logs in to or pushes to.
func (r *reader) login(host string, n int) {
	h := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(host, "https://"), "http://"))
	h, _, _ = strings.Cut(h, "/")
	switch {
	case h == "ghcr.io" || h == "docker.pkg.github.com":
		r.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "github", Service: "packages", Name: h, Line: n})
	case h == "docker.io" || h == "index.docker.io" || h == "registry-1.docker.io":
		r.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "docker", Service: "docker-hub-registry", Name: h, Line: n})
	case strings.Contains(h, "."):
		r.out.Value(stackparse.Setting{Name: "registry", Line: n}, h, stackparse.Firm)
	}
}

// runners are labels of machines that a vendor hosts.
var runners = []struct{ prefix, provider string }{
	{"depot-", "depot"},
	{"blacksmith-", "blacksmith"},
	{"buildjet-", "buildjet"},
	{"namespace-", "namespace"},
	{"nscloud-", "namespace"},
	{"warp-", "warpbuild"},
	{"ubicloud", "ubicloud"},
	{"runs-on=", "aws"},
	{"cirun-", "cirun"},
	{"macstadium", "macstadium"},
}

func runner(text string, n int, out *stackparse.Result) {
	for w := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(` ,[]"'|&(){}$`, c) }) {
		for _, x := range runners {
			if strings.HasPrefix(w, x.prefix) && x.provider != "aws" {
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: x.provider, Name: w, Line: n})
			}
		}
	}
}

package workflow

import (
	"slices"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/commands"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/words"
)

// notShell reports whether the value of a key is a text for people or a name, so that no command stands there.
func notShell(s string) bool {
	switch s {
	case "name", "uses", "description", "label", "if", "needs", "image", "key", "with", "path", "paths", "title", "id", "displayName", "cache",
		"branches", "default":
		return true
	}
	return false
}

var (
	imageSigns = signs("--image")
	storeSigns = signs("--endpoint")
)

// imageFlag is the image that a command starts, up to where a variable tells the rest.
var imageFlag = pattern.New(`--image[ =]["']?([a-z0-9][a-z0-9.-]*\.[a-z]+/[\w./:@-]*)`)

// otherStore is the address that a command of Amazon's tool is given.
var otherStore = pattern.New(`\baws\s[^|;&]*--endpoint(?:-url)?[= ]["']?(https?://[^\s"']+)`)

// shell finds the commands of a line. A command that a backslash carries on takes its region from the lines after.
func (r *reader) shell(text string, n int) {
	t := strings.TrimPrefix(strings.TrimSpace(text), "- ")
	if r.command >= 0 {
		f := &r.out.Facts[r.command]
		if f.Regions == nil {
			f.Regions = r.regions(commands.Region(t), n)
		}
		if !strings.HasSuffix(t, "\\") {
			r.command = -1
		}
	}
	if key, _, ok := strings.Cut(t, ": "); ok && !strings.ContainsAny(key, " \"'") {
		if notShell(key) {
			return
		}
		t = t[len(key)+2:]
	}
	if r.seen.Has(imageSigns) {
		r.started(t, n)
	}
	if r.seen.Has(storeSigns) {
		if m := otherStore.FindStringSubmatch(t); m != nil && !strings.Contains(m[1], "amazonaws.com") {
			// The tool of Amazon speaks to another store, whose keys go by Amazon's names.
			r.out.Value(stackparse.Setting{Name: "AWS_ENDPOINT_URL_S3", Line: n}, m[1], stackparse.Firm)
			return
		}
	}
	if r.ran("", t, n) && strings.HasSuffix(t, "\\") {
		r.command = len(r.out.Facts) - 1
	}
}

// started adds the image that a command starts.
func (r *reader) started(text string, n int) {
	m := imageFlag.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if name := strings.TrimRight(m[1], ":@/"); strings.Contains(name, "/") { // else only the registry is told
		r.out.Add(stackparse.Fact{Kind: "image", Name: name, Line: n, State: stackparse.Loose})
	}
}

// runs are actions that hand their input to a tool of their vendor, with the tool.
var runs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"cloudflare/wrangler-action": "wrangler", "superfly/flyctl-actions": "flyctl", "w9jds/firebase-action": "firebase", "netlify/actions/cli": "netlify",
	}
})

// ran adds the commands of a text and reports whether there are any. What does not stand there itself is the prefix, as where
// an action runs a tool with these words.
func (r *reader) ran(prefix, text string, n int) bool {
	found := r.commands.Find(prefix + text)
	for _, c := range found {
		show := strings.TrimPrefix(c.Show, prefix)
		r.out.Facts = append(r.out.Facts, stackparse.Fact{Kind: "command", Name: c.Name, Show: show, Line: n, Regions: r.regions(c.Region, n)})
	}
	return len(found) > 0
}

// regions are what the region of a command stands for.
func (r *reader) regions(text string, n int) (out []string) {
	for part := range strings.SplitSeq(text, ",") {
		for _, v := range r.names.resolve(part, n) {
			out = append(out, v.text)
		}
	}
	return out
}

// step finds the ready-made steps of a line: orbs, tasks, pipes, plug-ins and the like, as the signatures of kind
// "step" name them, with the system before the name.
func (r *reader) step(text string, n int) {
	key, value, ok := pair(text)
	t := strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "- "), `"'`)
	name := ""
	switch r.host {
	case "circleci":
		if orb, _, tagged := strings.Cut(strings.Trim(value, `"'`), "@"); ok && tagged && strings.Count(orb, "/") == 1 && !strings.Contains(orb, " ") {
			name = "orb:" + orb
		}
	case "azure-devops":
		if key == "task" {
			name, _, _ = strings.Cut("task:"+strings.Trim(value, `"'`), "@")
		}
	case "bitbucket":
		if key == "pipe" {
			pipe, _, _ := strings.Cut(strings.TrimPrefix(strings.Trim(value, `"'`), "docker://"), ":")
			name = "pipe:" + pipe
		}
	case "buildkite":
		if plugin, version, tagged := strings.Cut(t, "#"); tagged && !strings.Contains(plugin, " ") && strings.HasPrefix(version, "v") {
			name = "plugin:" + strings.TrimSuffix(plugin, "-buildkite-plugin")
		}
	case "bitrise":
		if id, _, tagged := strings.Cut(t, "@"); tagged && !strings.ContainsAny(id, " :/") {
			name = "bitrise:" + id
		}
	case "travis", "appveyor", "codemagic":
		r.play(key, ok)
		if name = r.host + ":" + key; key == "provider" {
			name = r.host + ":" + strings.Trim(value, `"'`)
		}
		if !ok || !r.known("step", name) {
			return
		}
	}
	if name != "" {
		_, show, _ := strings.Cut(name, ":")
		r.out.Add(stackparse.Fact{Kind: "step", Name: name, Show: show, Line: n})
	}
}

// play follows the settings by which Codemagic publishes to Google Play.
func (r *reader) play(key string, ok bool) {
	switch {
	case key == "google_play":
		r.playing = true
		if r.plays == nil {
			r.plays = map[string]bool{}
		}
	case !ok || key == "scripts" || key == "publishing" || r.known("step", r.host+":"+key):
		r.playing = false
	}
}

// unplay drops the variables that hold the key of Google Play: they are called after Google's cloud and say nothing of it.
func (r *reader) unplay() {
	if len(r.plays) > 0 {
		r.out.Facts = slices.DeleteFunc(r.out.Facts, func(f stackparse.Fact) bool { return f.Kind == "env" && r.plays[f.Name] })
	}
}

// builds reads the steps of Cloud Build, whose commands are lists of arguments.
func builds(docs []*scan.Node, r *reader) {
	for _, d := range docs {
		fill := substitutions(d, r.out)
		for _, s := range d.Get("steps").All() {
			args := s.Get("args")
			tool := s.Get("entrypoint")
			if tool.Str() == "" {
				tool = s.Get("name")
			}
			list := []string{tool.Str()}
			for _, a := range args.All() {
				list = append(list, fill.Replace(a.Str()))
				pushed(a, fill, r.out)
			}
			if args != nil {
				line := strings.Join(list, " ")
				r.seen = words.In(vocabulary, line)
				r.shell(line, tool.Line)
			}
		}
		for _, image := range d.Get("images").All() {
			pushed(image, fill, r.out)
		}
		for _, pool := range [...]*scan.Node{d.Get("options", "pool", "name"), d.Get("options", "workerPool")} {
			if pool != nil {
				r.out.Value(stackparse.Setting{Name: "pool", Line: pool.Line, Pipeline: true}, fill.Replace(pool.Str()), stackparse.Loose)
			}
		}
	}
}

// substitutions are the variables of a build with their values, and the regions among them.
func substitutions(d *scan.Node, out *stackparse.Result) *strings.Replacer {
	var pairs []string
	d.Get("substitutions").Each(func(k string, line int, v *scan.Node) {
		pairs = append(pairs, "${"+k+"}", v.Str(), "$"+k, v.Str())
		name := strings.ToLower(strings.TrimLeft(k, "_"))
		if strings.HasSuffix(name, "region") || strings.HasSuffix(name, "location") || strings.HasSuffix(name, "zone") {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "google-cloud", Name: k, Regions: []string{v.Str()}, Line: line})
		}
	})
	return strings.NewReplacer(pairs...)
}

// pushed is an image that a build makes, in a registry of Google's.
func pushed(image *scan.Node, fill *strings.Replacer, out *stackparse.Result) {
	text := fill.Replace(image.Str())
	host, _, ok := strings.Cut(text, "/")
	if at := strings.Index(image.Str(), "docker.pkg.dev"); ok && at > 0 && strings.HasSuffix(host, ".pkg.dev") {
		out.Add(stackparse.Fact{Kind: "domain", Name: host, Show: "docker.pkg.dev", Line: image.Line, Listed: true})
	}
}

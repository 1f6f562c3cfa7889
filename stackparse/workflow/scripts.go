package workflow

import (
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/words"
)

// scriptName is a script that puts something out, by its name.
var scriptName = pattern.New(`(?i)^(?:deploy|release|publish|provision|rollout|ship)(?:[._-].*)?\.(?:sh|bash)$|^(?:GNU)?Makefile$|^makefile$|^[Jj]enkinsfile(?:[._-].*)?$|^[Tt]askfile(?:\.dist)?\.ya?ml$|^\.?justfile$`)

func scripted(p string) bool {
	base := path.Base(p)
	return scriptName.MatchString(base) || shellName.MatchString(base) && scriptDirs[strings.ToLower(path.Base(path.Dir(p)))] && !aside.MatchString(base)
}

var (
	shellName = pattern.New(`\.(?:sh|bash)$`)
	// aside are scripts for those who work on a program.
	aside = pattern.New(`(?i)(?:^|[._-])(?:test|tests|local|dev|develop|lint|format|fmt|check|e2e|mock|bench|example|hook|entrypoint)(?:[._-]|$)`)
	// scriptDirs are folders of scripts by which people set up what runs.
	scriptDirs = map[string]bool{"deploy": true, "deployment": true, "deployments": true, "infra": true, "infrastructure": true, "ops": true, "provision": true, "provisioning": true, "scripts": true, "bin": true, "terraform": true, "cloud": true, "release": true}
)

// script reads the commands by which people put something out, and the regions that are set for them. Whether they still do so
// nobody knows.
func script(in stackparse.Input, r *reader) {
	tasks := strings.Contains(strings.ToLower(path.Base(in.Path)), "taskfile")
	jenkins := strings.HasPrefix(strings.ToLower(path.Base(in.Path)), "jenkinsfile")
	lines(in.Data, func(n int, text string) {
		t := strings.TrimSpace(text)
		if strings.HasPrefix(t, "//") {
			return
		}
		t = strings.TrimLeft(t, "@-") // a recipe that is not shown, or may fail
		r.seen = words.In(vocabulary, t)
		r.shell(t, n)
		r.told(t, n)
		key, v, ok := pair(strings.TrimPrefix(t, "export "))
		if v = strings.Trim(strings.TrimPrefix(v, "="), ` "'`); ok && upper(key) && (!strings.ContainsAny(v, "$ (;") || strings.Contains(v, "://") && !strings.ContainsAny(v, " (;")) && !(tasks && strings.Contains(v, "://")) { // tasks print links
			r.out.Setting(stackparse.Setting{Name: key, Value: v, Line: n, Deep: true})
		}
		if jenkins {
			stage(t, n, r)
		}
	})
	for i := range r.out.Facts {
		if f := &r.out.Facts[i]; f.Kind == "command" {
			f.State = stackparse.Loose
		}
	}
	if len(r.out.Facts) == 0 {
		r.out.Kind = stackparse.Unread
	}
}

var (
	// steps of Jenkins take their settings as "name: value".
	regionOf = pattern.New(`\b(region|regionName|awsRegion|location)\s*:\s*["']([\w${}.-]+)["']`)
	// bound is the name of a variable by which a step gets a secret.
	bound = pattern.New(`\b(?:\w*[vV]ariable)\s*:\s*["']([A-Z][A-Z0-9_]+)["']|^([A-Z][A-Z0-9_]+)\s*=\s*credentials\(`)
)

// stage reads what steps of Jenkins are told: where they work, and the secrets that they get.
func stage(t string, n int, r *reader) {
	for _, m := range regionOf.FindAllStringSubmatch(t, 4) {
		r.placed("", m[1], m[2], n)
	}
	for _, m := range bound.FindAllStringSubmatch(t, 8) {
		r.out.Setting(stackparse.Setting{Name: m[1] + m[2], Line: n, Secret: true, Pipeline: true})
	}
}

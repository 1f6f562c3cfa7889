package workflow

import (
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// scriptName is a script that puts something out, by its name.
var scriptName = pattern.New(`(?i)^(?:deploy|release|publish|provision|rollout|ship)(?:[._-].*)?\.(?:sh|bash)$|^(?:GNU)?Makefile$|^makefile$`)

func scripted(p string) bool { return scriptName.MatchString(path.Base(p)) }

// script reads the commands by which people put something out, and the regions that are set for them. Whether they still do so
// nobody knows.
func script(in stackparse.Input, r *reader) {
	scan.Lines(in.Data, func(n int, text string) {
		t := strings.TrimSpace(text)
		if t == "" || t[0] == '#' {
			return
		}
		t = strings.TrimLeft(t, "@-") // a recipe that is not shown, or may fail
		r.shell(t, n)
		key, v, ok := pair(strings.TrimPrefix(t, "export "))
		if v = strings.Trim(strings.TrimPrefix(v, "="), ` "'`); ok && upper(key) && !strings.ContainsAny(v, "$ (") {
			r.out.Setting(stackparse.Setting{Name: key, Value: v, Line: n, Deep: true})
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

package config

import (
	"sync"

	"downwind"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// forges are the hosts of repositories whose clones a build waits for.
var forges = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"github.com": {"github", "git-operations"}, "gitlab.com": {"gitlab", ""}, "bitbucket.org": {"bitbucket", ""},
	}
})

// moduleURL is the address of a submodule, by HTTPS or SSH.
var moduleURL = pattern.New(`^\s*url\s*=\s*(?:[a-z+]+://)?(?:[^@\s/]+@)?([a-z0-9.-]+)[:/]\S+`)

// submodules takes the hosts from which a repository's submodules are cloned.
func submodules(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		m := moduleURL.FindStringSubmatch(text)
		if m == nil {
			return
		}
		out.Dependencies++
		if f, ok := forges()[m[1]]; ok {
			out.Add(stackparse.Fact{
				Kind: stackparse.KindUse, As: "submodule", Relation: downwind.BuildTime, Provider: f.provider, Service: f.service,
				Name: m[1], Line: line, State: stackparse.Loose,
			})
		}
	})
}

package config

import (
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// registryFile says whether a file configures where packages come from.
func registryFile(p string) bool {
	switch strings.ToLower(path.Base(p)) {
	case ".npmrc", ".yarnrc", ".yarnrc.yml", "nuget.config", "pip.conf", ".pypirc":
		return true
	}
	return strings.HasSuffix(p, ".bundle/config") || strings.HasSuffix(p, ".cargo/config.toml") || strings.HasSuffix(p, ".m2/settings.xml")
}

var (
	// feed is an address of a registry: of a URL, or as .npmrc has it for credentials ("//npm.pkg.github.com/:_authToken").
	feed = pattern.New(`(?:\b(?:sparse\+)?https?:|^\s*['"]?)//([^\s"'<>/]+)`)
	// bundled is how Bundler writes hosts in keys: dots as "__", dashes as "___".
	bundled = pattern.New(`^BUNDLE_([A-Z0-9_]+__[A-Z0-9_]+):`)
	// credential is a literal secret of a registry.
	credential = pattern.New(`(?i)(?:_authToken|_auth|_password|npmAuthToken|ClearTextPassword|password)["']?\s*[=:]|key="(?:ClearTextPassword|Password)"`)
)

// registries takes the hosts of registries out of the settings of a package manager, whatever the syntax: all of them
// write an address per line.
func registries(in stackparse.Input, out *stackparse.Result) {
	markup, aside := false, false
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		markup = markup || strings.HasPrefix(t, "<")
		if markup {
			t, aside = uncomment(t, aside)
		} else if t != "" && (t[0] == '#' || t[0] == ';') {
			return
		}
		if t == "" {
			return
		}
		if credential.MatchString(t) {
			out.Dropped++
		}
		if strings.Contains(t, "xmlns") || strings.Contains(t, "<url>http://maven.apache.org") {
			return
		}
		seen := map[string]bool{}
		for _, m := range feed.FindAllStringSubmatch(t, 5) {
			host := m[1]
			if i := strings.LastIndexByte(host, '@'); i >= 0 {
				host = host[i+1:]
			}
			if seen[host] {
				continue
			}
			seen[host] = true
			out.Dependencies++
			out.Value(stackparse.Setting{Name: "registry", Line: line, Listed: true}, "https://"+host, stackparse.Firm)
		}
		if m := bundled.FindStringSubmatch(t); m != nil {
			host := strings.NewReplacer("___", "-", "__", ".").Replace(m[1])
			out.Add(stackparse.Fact{Kind: "domain", Name: strings.ToLower(host), Show: "BUNDLE_" + m[1], Line: line, Listed: true})
		}
	})
}

// uncomment takes comments of XML off a line; inside tells that one is open, before and after.
func uncomment(t string, inside bool) (rest string, open bool) {
	var b strings.Builder
	for {
		if inside {
			_, after, ok := strings.Cut(t, "-->")
			if !ok {
				return b.String(), true
			}
			t, inside = after, false
		}
		before, after, ok := strings.Cut(t, "<!--")
		b.WriteString(before)
		if !ok {
			return b.String(), false
		}
		t, inside = after, true
	}
}

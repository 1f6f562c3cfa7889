package config

import (
	"bytes"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/stores"
)

// programmed says whether a path is configuration that is written in the language of a framework: Django's settings,
// the environments and initializers of Rails, Laravel's config, WordPress's wp-config.php.
func programmed(p string) bool {
	base, dir := path.Base(p), path.Base(path.Dir(p))
	switch path.Ext(base) {
	case ".py":
		return base == "settings.py" || dir == "settings" && base != "__init__.py"
	case ".rb":
		return dir == "environments" || dir == "initializers" || dir == "deploy"
	case ".php":
		return base == "wp-config.php" || dir == "config"
	}
	return false
}

var (
	// assigned is a name and the text that it is set to, which stands in quotes at once.
	assigned = pattern.New(`["':]?\b([A-Za-z_][A-Za-z0-9_.]*)["']?\s*(?::\s*[\w\[\]. |]+=|=>|[:=,])\s*["']([^"'\s]+)["']`)
	// placed are names whose text is a region.
	placed = pattern.New(`(?i)(?:^|[_.])region(?:_name)?$`)
	// pointing are names whose text is where a program connects to.
	pointing = pattern.New(`(?i)(?:^|[_.])(?:host|hostname|address|server|endpoint|endpoint_url|broker_url|dsn|api_?base|base_url|api_url|smtp)$`)
)

// code takes the hosts that programmed settings name as where to connect to; nothing is run.
func code(in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	dev := devFile.MatchString(strings.TrimSuffix(base, path.Ext(base)))
	scan.Lines(in.Data, func(line int, text string) {
		t := strings.TrimSpace(text)
		if t == "" || t[0] == '#' || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "*") || !strings.ContainsAny(t, `"'`) {
			return
		}
		for _, m := range assigned.FindAllStringSubmatch(t, 10) {
			if placed.MatchString(m[1]) {
				out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line, Deep: true, Dev: dev})
			}
			if pointing.MatchString(m[1]) && (strings.Contains(m[2], ".") || strings.HasSuffix(m[2], "://")) {
				out.Value(stackparse.Setting{Name: strings.ToUpper(m[1]), Line: line, Deep: true, Dev: dev}, m[2], stackparse.Firm)
			}
		}
	})
	if bytes.Contains(in.Data, []byte("s3")) || bytes.Contains(in.Data, []byte("S3")) || bytes.Contains(in.Data, []byte("fog_credentials")) {
		disks(in, dev, out)
	}
}

// disk is a disk of Laravel's that is kept as S3 does.
var disk = pattern.New(`["']driver["']\s*=>\s*["']s3["']`)

// disks finds the clients of S3 that the settings point at another store. Where a disk has no such address, it may be Amazon's.
func disks(in stackparse.Input, dev bool, out *stackparse.Result) {
	all := disk.FindAllIndex(in.Data, 20)
	away := 0
	for _, c := range stores.Find(in.Data) {
		if c.Address == "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindPlain, Provider: "aws", Service: "s3", Name: c.Show, Line: c.Line})
			continue
		}
		away++
		out.Store(c.Address, c.Line, stackparse.Loose, dev)
	}
	if away > 0 && len(all) > away {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindPlain, Provider: "aws", Service: "s3", Name: "driver", Line: 1 + bytes.Count(in.Data[:all[0][0]], []byte{'\n'})})
	}
}

// proxied says whether a path is configuration of nginx, Caddy or HAProxy.
func proxied(p string) bool {
	base, dir := path.Base(p), path.Base(path.Dir(p))
	return base == "nginx.conf" || base == "Caddyfile" || base == "haproxy.cfg" || strings.HasSuffix(base, ".nginx") || strings.HasSuffix(base, ".nginx.conf") || strings.HasSuffix(base, ".conf") && (dir == "nginx" || dir == "conf.d" || dir == "sites-enabled" || dir == "sites-available")
}

var (
	passTo   = pattern.New(`\b(?:proxy_pass|grpc_pass)\s+([a-z]+://[^\s;]+)`)
	handOn   = pattern.New(`^\s*(?:reverse_proxy(?:\s+/\S*)?|server\s+\S+)\s+((?:[a-z]+://)?[a-z0-9][a-z0-9.-]*\.[a-z]{2,}(?::\d+)?)`)
	upstream = pattern.New(`(?:^|[{;])\s*server\s+([a-z0-9][a-z0-9.-]*\.[a-z]{2,})(?::\d+)?\b[^{;]*;`)
)

// proxy takes the hosts to which a proxy hands requests on.
func proxy(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		t, _, _ := strings.Cut(text, "#")
		for _, re := range [...]*pattern.Regexp{passTo, upstream, handOn} {
			if m := re.FindStringSubmatch(t); m != nil {
				out.Value(stackparse.Setting{Name: "upstream", Line: line, Deep: true}, m[1], stackparse.Firm)
			}
		}
	})
}

package stackparse

import (
	"cmp"
	"strings"

	"downwind"
	"downwind/catalog"
)

// image weighs an image that is pulled: what it runs, and whose registry it comes from.
func (j *judge) image(path string, f Fact) {
	ref := cleanImage(f.Name)
	if ref == "" {
		return
	}
	rows := j.find("image", ref)
	for _, s := range rows {
		f2 := f
		f2.Show = cmp.Or(f.Show, f.Name)
		g := j.sign(path, f2, s)
		if _, region := imagePlace(s.Provider, ref); region != "" {
			g.Region = region
		}
		if s.Relation == downwind.ClientOnly {
			d := j.draft(s.Provider)
			d.servers = append(d.servers, g)
			continue
		}
		if s.Relation == downwind.TypeOnly {
			j.weaken(s.Provider, g.Evidence)
			d := j.draft(s.Provider)
			d.servers = append(d.servers, g)
			continue
		}
		if s.Relation == downwind.BuildTime {
			// A pull is a use of the registry only; whose company keeps it matters where teams have accounts there.
			deployed := f.State == Firm && (s.Provider == "github" || s.Provider == "gitlab")
			g.level = min(g.level, guess+boolLevel(deployed))
			g.quiet = !deployed
		}
		j.add(s.Provider, g)
	}
	registry, _, _ := strings.Cut(ref, "/")
	if !strings.Contains(ref, "/") || !strings.ContainsAny(registry, ".:") {
		g := j.sign(path, f, catalog.Signature{Service: "docker-hub-registry", Relation: downwind.BuildTime})
		g.Kind = "image"
		j.add("docker", g)
	} else if len(rows) == 0 {
		if host, class := cleanHost(registry); class == hostPublic {
			f2 := f
			f2.Kind, f2.Name = "domain", host
			if found := j.find("domain", host); found == nil {
				j.strange(path, Fact{Kind: "image", Name: ref, Line: f.Line})
			} else {
				f2.State = max(f2.State, Loose)
				j.host(path, f2)
			}
		}
	}
}

func boolLevel(b bool) level {
	if b {
		return 1
	}
	return 0
}

// cleanImage takes tag, digest and template holes off an image reference.
func cleanImage(ref string) string {
	ref = strings.Trim(strings.TrimSpace(ref), `"'`)
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "docker://"), "oci://")
	ref, _, _ = strings.Cut(ref, "@")
	if i := strings.Index(ref, "${"); i >= 0 {
		ref = hostHole.ReplaceAllString(ref, "x")
	}
	ref = hostHole.ReplaceAllString(ref, "x")
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		ref = ref[:i]
	}
	if ref == "" || ref == "x" || ref == "scratch" || strings.ContainsAny(ref, " \t{}$") || strings.HasPrefix(ref, "x/") {
		return ""
	}
	return strings.ToLower(ref)
}

func imagePlace(provider, ref string) (service, region string) {
	host, _, _ := strings.Cut(ref, "/")
	if strings.Contains(host, ".") {
		return hostPlace(provider, host)
	}
	return "", ""
}

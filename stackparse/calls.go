package stackparse

import (
	"slices"

	"downwind"
)

// called files a host that a program calls.
func (j *judge) called(path string, f Fact) {
	for _, s := range j.find("domain", f.Name) {
		if s.Relation != downwind.Hosted {
			continue
		}
		service, region := hostPlace(s.Provider, f.Name)
		if service != "" {
			s.Service = service
		}
		if region != "" {
			s.Region = region
		}
		g := j.sign(path, f, s)
		g.Kind, g.level = "code", likely
		j.calls[s.Provider] = append(j.calls[s.Provider], g)
	}
}

// read notes whose variable a program reads that calls hosts.
func (j *judge) read(f Fact) {
	rows, _ := j.variableRows(f.Name)
	for _, s := range rows {
		if s.Relation == downwind.Hosted {
			j.keys[s.Provider] = true
		}
	}
}

// confirm makes the hosts that programs call evidence where a variable of the same vendor is read or told as well. Alone they are
// none: a host in source code may be one of many that are known, or one that is kept out.
func (j *judge) confirm() {
	for slug, calls := range j.calls {
		if !j.keys[slug] && (j.drafts[slug] == nil || !slices.ContainsFunc(j.drafts[slug].signs, isKey)) {
			continue
		}
		for _, g := range calls {
			j.add(slug, g)
		}
	}
}

// isKey reports whether a sign is a variable of the vendor's, but for tests.
func isKey(g *sign) bool { return g.Kind == "env" && !g.Dev && g.Relation == downwind.Hosted }

// apart drops what points single clients of a program elsewhere where others of the same kit go to the provider itself.
func (j *judge) apart(slug string, d *draft) {
	d.redirects = slices.DeleteFunc(d.redirects, func(g sign) bool { return g.literal && j.plain[nameOf{slug, g.Service}] })
}

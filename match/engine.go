package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/internal/pattern"
)

// engineWords are the names of engines that managed databases and caches run, by the name that stands for them.
var engineWords = [...][2]string{
	{"postgres", "postgres"},
	{"mysql", "mysql"},
	{"mariadb", "mariadb"},
	{"oracle", "oracle"},
	{"sql server", "sqlserver"},
	{"sqlserver", "sqlserver"},
	{"aurora", "aurora"},
	{"redis", "redis"},
	{"valkey", "valkey"},
	{"memcached", "memcached"},
}

// engineSettings begin settings that name an engine.
var engineSettings = [...]string{"engine=", "database_version="}

// enginesIn returns the engines that a text in lower case names.
func enginesIn(low string) []string {
	var out []string
	for _, w := range engineWords {
		if strings.Contains(low, w[0]) && !slices.Contains(out, w[1]) {
			out = append(out, w[1])
		}
	}
	return out
}

// besideAurora names Aurora as a neighbour of the others, not as what alone is hit ("RDS and Aurora instances").
var besideAurora = pattern.New(`\brds\s*(?:and|or|/|&|,)\s*(?:amazon\s+)?aurora\b|\baurora\s*(?:and|or|/|&|,)\s*(?:amazon\s+)?rds\b`)

// readEngines finds the engines that alone are hit: those that title and failing clauses name.
func (r *Reading) readEngines(t *prose) {
	for _, c := range t.trouble() {
		if len(c.engines) > 0 && besideAurora.MatchString(c.low) {
			return
		}
		for _, e := range c.engines {
			if !slices.Contains(r.engines, e) {
				r.engines = append(r.engines, e)
			}
		}
	}
}

// caches are the engines that keep things in memory; what runs them is no database.
func cached(engine string) bool {
	return engine == "redis" || engine == "valkey" || engine == "memcached"
}

// otherEngine returns a setting by which the files run another engine than those hit; nil where none is told or one fits.
func (c *hearing) otherEngine(s string) *asset {
	if len(c.engines) == 0 || !runsEngines.has(s) {
		return nil
	}
	var other *asset
	for i := range c.use.assets {
		a := &c.use.assets[i]
		for _, set := range engineSettings {
			value, ok := strings.CutPrefix(strings.ToLower(a.ev.Match), set)
			if !ok || a.ev.Kind != "setting" {
				continue
			}
			runs := enginesIn(value)
			if len(runs) == 0 || cached(runs[0]) != cached(c.engines[0]) {
				continue
			}
			if sameEngine(c.engines, runs) {
				return nil
			}
			other = a
		}
	}
	return other
}

// runsEngines are the services that run one of several engines, by their keys.
var runsEngines = words(`rds aurora elasticache memorydb cloud-sql memorystore managed-databases`)

// sameEngine compares the engines hit with those of one resource ("aurora-postgresql" is two words); Aurora is asked for where the
// notice names it.
func sameEngine(hit, runs []string) bool {
	dialect := func(e string) bool { return e != "aurora" }
	if slices.Contains(hit, "aurora") && !slices.Contains(runs, "aurora") {
		return false
	}
	if !slices.ContainsFunc(hit, dialect) {
		return true
	}
	return slices.ContainsFunc(runs, func(e string) bool { return dialect(e) && slices.Contains(hit, e) })
}

// judgeEngine holds what runs another engine.
func (c *hearing) judgeEngine(f *finding) bool {
	if f.item.service == nil {
		return false
	}
	a := c.otherEngine(f.item.service.Key)
	if a == nil {
		return false
	}
	f.level, f.held, f.assets = misses, downwind.HeldProduct, []*asset{a}
	f.whyNot = "only " + strings.Join(c.engines, ", ") + " is hit, and these files run " + a.ev.Match[strings.IndexByte(a.ev.Match, '=')+1:]
	return true
}

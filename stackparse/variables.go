package stackparse

import (
	"strings"

	"downwind"
	"downwind/catalog"
)

// publicPrefixes are put before names of variables by frameworks that hand them to browsers.
var publicPrefixes = []string{
	"NEXT_PUBLIC_", "VITE_", "REACT_APP_", "NUXT_PUBLIC_", "NUXT_", "EXPO_PUBLIC_", "PUBLIC_", "GATSBY_", "MIX_", "VUE_APP_",
	"NG_APP_", "TF_VAR_", "PROD_", "PRODUCTION_", "STAGING_", "APP_", "CI_", "NG_", "STORYBOOK_", "DJANGO_", "RAILS_", "SPRING_", "BACKEND_", "FRONTEND_", "SERVER_", "API_", "WEB_",
}

// variableRows finds the signatures of a variable, also behind the prefixes of frameworks and stages.
func (j *judge) variableRows(name string) (rows []catalog.Signature, exact bool) {
	up := strings.ToUpper(name)
	for range 3 {
		if rows = j.find("env", up); rows != nil {
			return rows, !strings.HasSuffix(rows[0].Key, "*")
		}
		next := up
		for _, p := range publicPrefixes {
			if after, ok := strings.CutPrefix(up, p); ok && strings.Contains(after, "_") {
				next = after
				break
			}
		}
		if next == up {
			break
		}
		up = next
	}
	return nil, false
}

func (j *judge) variable(path string, f Fact) {
	rows, exact := j.variableRows(f.Name)
	if len(rows) == 0 && f.State == Firm {
		rows = j.vendorKey(f.Name)
	}
	if len(rows) == 0 && f.Secret && f.Pipeline {
		rows = j.vendorWord(f.Name)
	}
	for _, s := range rows {
		g := j.sign(path, f, s)
		switch {
		case g.level == pending || g.level == nothing:
		case !exact && !f.Secret:
			g.level = min(g.level, likely)
		case f.Template:
			g.level = min(g.level, likely)
		}
		if g.level == sure && !f.Secret && s.Relation == downwind.BuildTime {
			g.level = likely
		}
		j.add(s.Provider, g)
	}
}

// keyEnds are the ways in which names of variables say that they hold a vendor's key.
var keyEnds = []string{"_API_KEY", "_ACCESS_TOKEN", "_API_TOKEN", "_AUTH_TOKEN", "_SECRET_KEY", "_API_SECRET", "_WEBHOOK_SECRET", "_ACCESS_KEY", "_TOKEN", "_KEY"}

// vendorKey finds the vendor whose key a variable holds, whatever words a team put before its name (ACME_STRIPE_API_KEY,
// OPENAI_ACCESS_TOKEN): one of the vendor's own variables has to begin alike.
func (j *judge) vendorKey(name string) []catalog.Signature {
	up := strings.ToUpper(name)
	for _, end := range keyEnds {
		stem, ok := strings.CutSuffix(up, end)
		if !ok {
			continue
		}
		for range 3 {
			if strings.Contains("_"+stem+"_", "_AZURE_") || standIn(stem) {
				return nil
			}
			for _, own := range [...]string{"_API_KEY", "_API_TOKEN", "_SECRET_KEY"} {
				if rows := j.find("env", stem+own); len(rows) > 0 && len(stem) > 3 && !strings.HasSuffix(rows[0].Key, "*") && rows[0].Relation == downwind.Hosted {
					return []catalog.Signature{{Kind: "env", Key: stem + "*", Provider: rows[0].Provider, Relation: downwind.Hosted}}
				}
			}
			first, rest, more := strings.Cut(stem, "_")
			if !more || standIn(first) {
				return nil
			}
			stem = rest
		}
		return nil
	}
	return nil
}

// vendorWord finds the vendor that a secret is named after (STORYBOOK_VERCEL_TOKEN): a word that starts names of one
// vendor's variables and of no other's.
func (j *judge) vendorWord(name string) []catalog.Signature {
	if j.words == nil {
		j.words = map[string]string{}
		for r := range j.sig.Rows("env") {
			word, _, more := strings.Cut(strings.TrimSuffix(r.Key, "*"), "_")
			if !more || len(word) < 4 || r.Relation == downwind.TypeOnly || commonWord(word) {
				continue
			}
			if have, ok := j.words[word]; ok && have != r.Provider {
				j.words[word] = ""
			} else {
				j.words[word] = r.Provider
			}
		}
	}
	up := strings.ToUpper(name)
	for _, p := range publicPrefixes {
		up = strings.TrimPrefix(up, p)
	}
	for word := range strings.SplitSeq(up, "_") {
		if slug := j.words[word]; slug != "" && strings.Contains(slug, strings.ToLower(word)) {
			return []catalog.Signature{{Kind: "env", Key: word + "*", Provider: slug, Relation: downwind.Hosted}}
		}
	}
	return nil
}

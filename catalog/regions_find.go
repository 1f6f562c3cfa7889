package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A PlaceMention is a place named in a text, with its byte offsets. Places holds more than one where the name is
// ambiguous at the provider.
type PlaceMention struct {
	Places     []Place
	Text       string
	Start, End int
}

type placeToken struct {
	text       string
	start, end int
}

// Mentions finds the places that a text names, left to right, longest name first. Names match whole: "East US" is not found
// in "East US 2", nor "us-east1" in "us-east12". Two-letter and three-letter codes count only when written in capitals.
func (g *Regions) Mentions(provider, text string) []PlaceMention {
	toks := tokenise(text)
	var out []PlaceMention
	for i := 0; i < len(toks); {
		if g.heads.passes(toks[i].text) {
			i++
			continue
		}
		m, used := g.mentionAt(provider, text, toks[i:])
		if used == 0 {
			i++
			continue
		}
		out = append(out, m)
		i += used
	}
	return out
}

func tokenise(text string) []placeToken {
	var toks []placeToken
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			toks = append(toks, placeToken{text[start:i], start, i})
			start = -1
		}
	}
	if start >= 0 {
		toks = append(toks, placeToken{text[start:], start, len(text)})
	}
	return toks
}

// mentionAt tries the names that begin at the first token and reports how many tokens the longest one takes, 0 for none.
func (g *Regions) mentionAt(provider, text string, toks []placeToken) (PlaceMention, int) {
	var ends [8]int
	n, key := 0, ""
	for n < min(len(ends), len(toks)) {
		key += placeKey(toks[n].text)
		ends[n] = len(key)
		n++
		if !g.heads.begins(key) {
			break // a zone's letter may still follow a whole name
		}
	}
	for ; n > 0; n-- {
		if !joined(text, toks[:n]) {
			continue
		}
		raw := text[toks[0].start:toks[n-1].end]
		if places := g.atText(provider, raw, key[:ends[n-1]], n); places != nil {
			return PlaceMention{Places: places, Text: raw, Start: toks[0].start, End: toks[n-1].end}, n
		}
	}
	return PlaceMention{}, 0
}

// joined reports whether only spaces and light punctuation stand between the tokens.
func joined(text string, toks []placeToken) bool {
	for i := 1; i < len(toks); i++ {
		gap := text[toks[i-1].end:toks[i].start]
		if len(gap) > 3 || strings.ContainsAny(gap, "\n;:!?") {
			return false
		}
		if strings.HasPrefix(gap, ". ") && toks[i-1].end-toks[i-1].start > 2 {
			return false
		}
		if strings.Contains(gap, ", ") && !commaName(toks[i].text) {
			return false
		}
	}
	return true
}

// commaName reports whether a word may follow a comma inside one name ("Washington, D.C.").
func commaName(w string) bool {
	return w == "D" || w == "DC" || w == "United" || utf8.RuneCountInString(w) > 3
}

func (g *Regions) atText(provider, raw, key string, tokens int) []Place {
	if tokens == 1 && utf8.RuneCountInString(raw) <= 3 && !isUpper(raw) {
		return nil
	}
	digits := hasDigit(key)
	if digits {
		if z, ok := g.zone(provider, raw); ok {
			return []Place{z}
		}
	}
	if found := g.lookup(provider, key); found != nil && (plausible(raw, found) || tokens > 1 && strings.ContainsAny(raw, "-_")) {
		return named(found, raw)
	}
	if len(key) > 5 && (digits || tokens > 1) {
		for _, c := range clouds {
			if found := g.byProvider[c][key]; found != nil {
				return borrowed(named(found, raw), provider, c)
			}
		}
	}
	return nil
}

// plausible guards against words that are names of places only when written so: a name begins with a capital or holds a digit.
func plausible(raw string, found []Place) bool {
	r, _ := utf8.DecodeRuneInString(raw)
	return unicode.IsUpper(r) || hasDigit(raw) || found[0].Kind == PlaceGlobal
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func isUpper(s string) bool {
	letters := false
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		letters = letters || unicode.IsLetter(r)
	}
	return letters || hasDigit(s)
}

// A Nearness says how a place where something fails stands to a place where something runs.
type Nearness int

// The answers of Relate.
const (
	// PlacesApart: trouble there is no trouble here.
	PlacesApart Nearness = iota
	// PlacesUnclear: the names do not tell.
	PlacesUnclear
	// PlacesInside: the trouble is in one part of the wider place in which the thing runs.
	PlacesInside
	// PlacesSame: the trouble is where the thing runs, or in a wider place around it.
	PlacesSame
)

// Relate compares a place that is hit with a place that is used, both of one provider.
func (g *Regions) Relate(hit, used Place) Nearness {
	switch {
	case hit.Kind == PlaceGlobal:
		return PlacesSame
	case used.Kind == PlaceGlobal:
		return PlacesInside
	case hit.Cloud != "" && used.Cloud != "" && hit.Cloud != used.Cloud:
		return PlacesApart
	case hit.Kind == used.Kind && hit.Code == used.Code:
		return PlacesSame
	case hit.Kind == PlaceZone || used.Kind == PlaceZone:
		return relateZones(hit, used)
	case hit.Kind == PlaceOther || used.Kind == PlaceOther:
		return relateUnknown(hit, used)
	case hit.Kind == PlaceGroup:
		return relateGroup(hit, used, PlacesSame)
	case used.Kind == PlaceGroup:
		return relateGroup(used, hit, PlacesInside)
	}
	return g.relateByMap(hit, used)
}

func relateZones(hit, used Place) Nearness {
	switch {
	case hit.Kind == PlaceZone && used.Kind == PlaceZone:
		if hit.Region != used.Region {
			return PlacesApart
		}
		if strings.Contains(hit.Code, "-az") != strings.Contains(used.Code, "-az") || !strings.Contains(hit.Code, "-az") && isLetterZone(hit) {
			return PlacesInside // a letter means another zone in every account
		}
		return PlacesApart
	case hit.Kind == PlaceZone:
		if used.Kind == PlaceRegion && hit.Region == used.Code {
			return PlacesInside
		}
		if used.Kind != PlaceRegion && hit.Country == used.Country {
			return PlacesInside
		}
		return PlacesApart
	}
	if hit.Kind == PlaceRegion && used.Region == hit.Code || hit.Kind != PlaceRegion && hit.Country != "" && hit.Country == used.Country {
		return PlacesSame
	}
	return PlacesApart
}

// isLetterZone tells an AWS zone with its letter ("eu-central-1b") from a Google one ("us-east4-a").
func isLetterZone(p Place) bool {
	return len(p.Code) > 2 && p.Code[len(p.Code)-2] != '-'
}

// relateUnknown compares names of which one is not in the gazetteer: only the same or clearly different words decide.
func relateUnknown(hit, used Place) Nearness {
	a, b := placeKey(hit.Name), placeKey(used.Name)
	if a == b || placeKey(hit.Code) == placeKey(used.Code) {
		return PlacesSame
	}
	if hit.Kind == PlaceOther && used.Kind == PlaceOther {
		return PlacesApart
	}
	return PlacesUnclear
}

func relateGroup(group, other Place, inside Nearness) Nearness {
	if other.Kind == PlaceRegion {
		if strings.HasPrefix(other.Code, strings.TrimSuffix(group.Code, "*")) {
			return inside
		}
		return PlacesApart
	}
	if other.Country == group.Country || other.Code == group.Country {
		return PlacesInside
	}
	return PlacesApart
}

// relateByMap compares by city, country and area.
func (g *Regions) relateByMap(hit, used Place) Nearness {
	if point(hit) && point(used) {
		if hit.City == "" || hit.City != used.City {
			return PlacesApart
		}
		if hit.Kind != PlaceRegion || used.Kind != PlaceRegion || hit.Cloud != "" && bareCode(hit.Code) == bareCode(used.Code) {
			return PlacesSame
		}
		return PlacesApart
	}
	if g.within(used, hit) {
		return PlacesSame
	}
	if g.within(hit, used) {
		return PlacesInside
	}
	return PlacesApart
}

// bareCode is a region's code without the cloud that it is borrowed from ("aws-eu-central-1", "EU_CENTRAL_1").
func bareCode(code string) string {
	bare, _ := cutCloud(code)
	return placeKey(bare)
}

// point reports whether a place is one spot on the map: a city, or a region that is not drawn around a country.
func point(p Place) bool { return p.Kind == PlaceCity || p.Kind == PlaceRegion && !p.Wide }

// within reports whether the inner place lies in the outer one.
func (g *Regions) within(inner, outer Place) bool {
	target := outer.Code
	if outer.Kind == PlaceRegion {
		if !outer.Wide {
			return false
		}
		// A region drawn around a country or an area ("us", "eu") holds what lies there, but not a sibling as wide as itself.
		if inner.Kind == PlaceRegion && inner.Wide {
			return false
		}
		if inner.Kind == PlaceRegion && inner.City == "" {
			return strings.HasPrefix(inner.Code, outer.Code)
		}
		target = outer.Country
	}
	return target != "" && g.reaches(inner, target)
}

// reaches reports whether the place's country is the target or lies in the target area.
func (g *Regions) reaches(p Place, target string) bool {
	c := p.Country
	if p.Kind == PlaceArea {
		c = p.Code
	}
	if c == "" {
		return false
	}
	if c == target {
		return true
	}
	for _, a := range g.parents[c] {
		if a == target {
			return true
		}
		for _, b := range g.parents[a] {
			if b == target {
				return true
			}
		}
	}
	return false
}

// Areas returns the continents that a place lies in, empty where not known or global.
func (g *Regions) Areas(p Place) []string {
	switch p.Kind {
	case PlaceGlobal, PlaceOther:
		return nil
	case PlaceArea:
		return []string{p.Code}
	}
	if ps := g.parents[p.Country]; len(ps) > 0 {
		return ps[:1]
	}
	if p.Country != "" {
		return []string{p.Country}
	}
	return nil
}

package guidance

import (
	"slices"
	"strings"
	"sync"

	"downwind/guidance/when"
)

// A place is where a region name lies: continent and country as far as the name tells, and the compass point of names
// like "US East". Empty fields are not told.
type place struct{ continent, country, point string }

const (
	namerica = "north america"
	samerica = "south america"
	europe   = "europe"
	asia     = "asia"
	africa   = "africa"
	mideast  = "middle east"
	oceania  = "oceania"
)

// areas are the names that compass points are put to.
var areas = sync.OnceValue(func() map[string]place {
	return map[string]place{
		"us": {namerica, "us", ""}, "usa": {namerica, "us", ""}, "united states": {namerica, "us", ""}, "eu": {europe, "", ""}, "europe": {europe, "", ""},
		"asia": {asia, "", ""}, "ap": {asia, "", ""}, "apac": {asia, "", ""}, "asia pacific": {asia, "", ""}, "asia-pacific": {asia, "", ""}, "uk": {europe, "uk", ""}, "united kingdom": {europe, "uk", ""},
		"canada": {namerica, "canada", ""}, "ca": {namerica, "canada", ""}, "africa": {africa, "", ""}, "south africa": {africa, "south africa", ""}, "af": {africa, "", ""},
		"south america": {samerica, "", ""}, "sa": {samerica, "", ""}, "southamerica": {samerica, "", ""}, "latin america": {samerica, "", ""}, "latam": {samerica, "", ""},
		"north america": {namerica, "", ""}, "northamerica": {namerica, "", ""}, "na": {namerica, "", ""}, "middle east": {mideast, "", ""}, "me": {mideast, "", ""}, "emea": {"", "", ""},
		"australia": {oceania, "australia", ""}, "australiasoutheast": {oceania, "australia", ""}, "oceania": {oceania, "", ""}, "india": {asia, "india", ""}, "japan": {asia, "japan", ""},
		"korea": {asia, "korea", ""}, "south korea": {asia, "korea", ""}, "brazil": {samerica, "brazil", ""}, "mexico": {namerica, "mexico", ""}, "germany": {europe, "germany", ""},
		"france": {europe, "france", ""}, "norway": {europe, "norway", ""}, "sweden": {europe, "sweden", ""}, "switzerland": {europe, "switzerland", ""}, "uae": {mideast, "uae", ""},
		"saudi arabia": {mideast, "saudi arabia", ""}, "israel": {mideast, "israel", ""}, "qatar": {mideast, "qatar", ""}, "china": {asia, "china", ""}, "il": {mideast, "israel", ""}, "mx": {namerica, "mexico", ""},
		"us gov": {namerica, "us", "gov"}, "singapore": {asia, "singapore", ""}, "turkey": {asia, "turkey", ""}, "türkiye": {asia, "turkey", ""}, "ireland": {europe, "ireland", ""}, "italy": {europe, "italy", ""},
		"spain": {europe, "spain", ""}, "poland": {europe, "poland", ""}, "netherlands": {europe, "netherlands", ""}, "chile": {samerica, "chile", ""}, "indonesia": {asia, "indonesia", ""}, "malaysia": {asia, "malaysia", ""},
		"bahrain": {mideast, "bahrain", ""}, "hong kong": {asia, "hong kong", ""}, "taiwan": {asia, "taiwan", ""}, "new zealand": {oceania, "new zealand", ""}, "finland": {europe, "finland", ""}, "denmark": {europe, "denmark", ""},
		"thailand": {asia, "thailand", ""}, "vietnam": {asia, "vietnam", ""}, "philippines": {asia, "philippines", ""}, "argentina": {samerica, "argentina", ""}, "colombia": {samerica, "colombia", ""}, "belgium": {europe, "belgium", ""}, "austria": {europe, "austria", ""}, "enam": {namerica, "", "east"}, "wnam": {namerica, "", "west"}, "weur": {europe, "", "west"}, "eeur": {europe, "", "east"},
	}
})

// cities are the towns that data centres are called after.
var cities = sync.OnceValue(func() map[string]place {
	return map[string]place{
		"ashburn": {namerica, "us", "east"}, "virginia": {namerica, "us", "east"}, "n. virginia": {namerica, "us", "east"}, "northern virginia": {namerica, "us", "east"}, "ohio": {namerica, "us", "east"},
		"chicago": {namerica, "us", "central"}, "iowa": {namerica, "us", "central"}, "dallas": {namerica, "us", "central"}, "denver": {namerica, "us", "central"}, "oregon": {namerica, "us", "west"}, "san jose": {namerica, "us", "west"},
		"san francisco": {namerica, "us", "west"}, "los angeles": {namerica, "us", "west"}, "seattle": {namerica, "us", "west"}, "phoenix": {namerica, "us", "west"}, "california": {namerica, "us", "west"}, "new york": {namerica, "us", "east"},
		"new jersey": {namerica, "us", "east"}, "newark": {namerica, "us", "east"}, "atlanta": {namerica, "us", "east"}, "miami": {namerica, "us", "east"}, "boston": {namerica, "us", "east"}, "las vegas": {namerica, "us", "west"}, "salt lake city": {namerica, "us", "west"},
		"toronto": {namerica, "canada", "east"}, "montreal": {namerica, "canada", "east"}, "calgary": {namerica, "canada", "west"}, "vancouver": {namerica, "canada", "west"}, "queretaro": {namerica, "mexico", ""},
		"london": {europe, "uk", ""}, "manchester": {europe, "uk", ""}, "dublin": {europe, "ireland", ""}, "frankfurt": {europe, "germany", ""}, "berlin": {europe, "germany", ""}, "falkenstein": {europe, "germany", ""}, "nuremberg": {europe, "germany", ""}, "amsterdam": {europe, "netherlands", ""}, "paris": {europe, "france", ""},
		"marseille": {europe, "france", ""}, "strasbourg": {europe, "france", ""}, "gravelines": {europe, "france", ""}, "madrid": {europe, "spain", ""}, "milan": {europe, "italy", ""}, "zurich": {europe, "switzerland", ""}, "stockholm": {europe, "sweden", ""}, "helsinki": {europe, "finland", ""},
		"warsaw": {europe, "poland", ""}, "vienna": {europe, "austria", ""}, "brussels": {europe, "belgium", ""}, "copenhagen": {europe, "denmark", ""}, "oslo": {europe, "norway", ""}, "lisbon": {europe, "portugal", ""}, "prague": {europe, "czechia", ""}, "istanbul": {asia, "turkey", ""},
		"mumbai": {asia, "india", ""}, "hyderabad": {asia, "india", ""}, "bangalore": {asia, "india", ""}, "chennai": {asia, "india", ""}, "delhi": {asia, "india", ""}, "tokyo": {asia, "japan", ""}, "osaka": {asia, "japan", ""}, "seoul": {asia, "korea", ""}, "jakarta": {asia, "indonesia", ""},
		"kuala lumpur": {asia, "malaysia", ""}, "taipei": {asia, "taiwan", ""}, "bangkok": {asia, "thailand", ""}, "manila": {asia, "philippines", ""}, "beijing": {asia, "china", ""}, "shanghai": {asia, "china", ""}, "sydney": {oceania, "australia", ""}, "melbourne": {oceania, "australia", ""},
		"perth": {oceania, "australia", ""}, "auckland": {oceania, "new zealand", ""}, "dubai": {mideast, "uae", ""}, "riyadh": {mideast, "saudi arabia", ""}, "tel aviv": {mideast, "israel", ""}, "doha": {mideast, "qatar", ""}, "johannesburg": {africa, "south africa", ""}, "cape town": {africa, "south africa", ""},
		"nairobi": {africa, "kenya", ""}, "lagos": {africa, "nigeria", ""}, "são paulo": {samerica, "brazil", ""}, "sao paulo": {samerica, "brazil", ""}, "santiago": {samerica, "chile", ""}, "bogota": {samerica, "colombia", ""}, "bogotá": {samerica, "colombia", ""}, "buenos aires": {samerica, "argentina", ""}, "lima": {samerica, "peru", ""},
	}
})

// points are the compass words of region names.
var points = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"east": "east", "west": "west", "central": "central", "north": "north", "south": "south", "northeast": "northeast", "southeast": "southeast", "northwest": "northwest", "southwest": "southwest",
		"northcentral": "central", "southcentral": "central",
	}
})

// codes are the three letters that end in a digit in the names of halls: "fra1", "iad1".
var codes = sync.OnceValue(func() map[string]place {
	return map[string]place{
		"ams": cities()["amsterdam"], "fra": cities()["frankfurt"], "lon": cities()["london"], "lhr": cities()["london"], "nyc": cities()["new york"], "sfo": cities()["san francisco"], "tor": cities()["toronto"], "blr": cities()["bangalore"], "sgp": areas()["singapore"], "syd": cities()["sydney"],
		"iad": cities()["ashburn"], "icn": cities()["seoul"], "hnd": cities()["tokyo"], "kix": cities()["osaka"], "cdg": cities()["paris"], "dub": cities()["dublin"], "gru": cities()["são paulo"], "bom": cities()["mumbai"], "sin": areas()["singapore"], "hkg": areas()["hong kong"], "arn": cities()["stockholm"],
		"cle": cities()["ohio"], "pdx": cities()["oregon"], "cpt": cities()["cape town"], "dxb": cities()["dubai"], "yul": cities()["montreal"], "atl": cities()["atlanta"], "nrt": cities()["tokyo"], "ord": cities()["chicago"], "lax": cities()["los angeles"], "sea": cities()["seattle"], "dfw": cities()["dallas"], "yyz": cities()["toronto"], "mia": cities()["miami"], "ewr": cities()["newark"], "sjc": cities()["san jose"],
		"ie": areas()["ireland"], "au": areas()["australia"], "br": areas()["brazil"], "jp": areas()["japan"], "de": areas()["germany"], "sg": areas()["singapore"], "us": areas()["us"], "eu": areas()["eu"], "ap": areas()["ap"], "in": areas()["india"], "uk": areas()["uk"], "usw": {namerica, "us", "west"}, "use": {namerica, "us", "east"}, "usc": {namerica, "us", "central"}, "euw": {europe, "", "west"}, "euc": {europe, "", "central"},
	}
})

// placeOf reads the name of a region; ok is false for a name that tells nothing.
func placeOf(name string) (place, bool) {
	s := strings.ToLower(strings.TrimSpace(name))
	if p, ok := areas()[s]; ok {
		return p, true
	}
	if p, ok := cities()[s]; ok {
		return p, true
	}
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '/' })
	var p place
	found := false
	for i, w := range f {
		base := strings.TrimRight(w, "0123456789")
		if pt, ok := points()[base]; ok && (found || i+1 < len(f)) {
			if p.point == "" {
				p.point = pt
			}
			continue
		}
		if a, ok := areas()[base]; ok && p.continent == "" {
			found, p.continent, p.country = true, a.continent, a.country
			if a.point != "" {
				p.point = a.point
			}
			continue
		}
		if a, ok := glued(base); ok && !found {
			return a, true
		}
		if c, ok := codes()[base]; ok && base != w && !found {
			return c, true
		}
		if i+1 < len(f) {
			if a, ok := areas()[w+" "+f[i+1]]; ok {
				found, p.continent, p.country = true, a.continent, a.country
			} else if c, ok := cities()[w+" "+f[i+1]]; ok {
				return c, true
			}
		}
		if c, ok := cities()[base]; ok && !found {
			return c, true
		}
	}
	return p, found
}

// glued reads "europe-west1" and "eastus2" style names without separators.
func glued(w string) (place, bool) {
	for pt, dir := range points() {
		if a, ok := areas()[strings.TrimSuffix(w, pt)]; ok && strings.HasSuffix(w, pt) {
			return place{a.continent, a.country, dir}, true
		}
		if a, ok := areas()[strings.TrimPrefix(w, pt)]; ok && strings.HasPrefix(w, pt) {
			return place{a.continent, a.country, dir}, true
		}
	}
	return place{}, false
}

// apart reports whether two region names certainly mean different places.
func apart(a, b string) bool {
	if strings.EqualFold(a, b) {
		return false
	}
	p, okP := placeOf(a)
	q, okQ := placeOf(b)
	if !okP || !okQ {
		return false
	}
	differ := func(x, y string) bool { return x != "" && y != "" && x != y }
	if differ(p.continent, q.continent) || differ(p.country, q.country) {
		return true
	}
	return p.country == q.country && p.continent == q.continent && differ(p.point, q.point)
}

// sameRegion compares two region names by letters and digits.
func sameRegion(a, b string) bool { return a == b || plainName(a) == plainName(b) }

func plainName(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// everywhere are the phrases that stand for regions without naming them.
var everywhere = []string{"several regions", "multiple regions", "all regions", "many regions", "some regions", "various regions"}

// isEverywhere reports whether a name is one of these phrases, however its letters are written.
func isEverywhere(name string) bool {
	return (strings.HasSuffix(name, "s") || strings.HasSuffix(name, "S")) && slices.Contains(everywhere, strings.ToLower(name))
}

// maxMentions bounds how often regions are named in one text; a list of all that a provider has is a tenth of it.
const maxMentions = 2000

// places finds the regions named in a text, in order. They last until the next call, or the reader is released.
func (r *reader) places(known []string) []when.Mention {
	out := r.mentions[:0]
	for i := 0; i < len(r.words) && len(out) < maxMentions; {
		n := 0
		if r.words[i].place {
			n = r.placeAt(i)
		} else if len(known) == 0 {
			i++
			continue // as nearly all words
		}
		if n == 0 && len(known) > 0 {
			n = r.knownAt(i, known)
		}
		if n == 0 {
			i++
			continue
		}
		m := when.Mention{From: int(r.words[i].from), To: int(r.words[i+n-1].to), Region: true}
		m.Name = singleSpaced(r.text[m.From:m.To])
		last := len(out) - 1
		if last >= 0 && m.From-out[last].To <= 4 && strings.ContainsAny(r.text[out[last].To:m.From], "(") && !apart(out[last].Name, m.Name) {
			// "US Central (Chicago)": one place, named twice
			i += n
			continue
		}
		out = append(out, m)
		i += n
		if more, k := r.nextPoint(i, m.Name); k > 0 {
			out = append(out, more)
			i += k
		}
	}
	r.mentions = out
	return out
}

// placeAt returns how many words from i, which may begin the name of a place, name a region; 0 for none.
func (r *reader) placeAt(i int) int {
	w := r.word(i)
	if len(w) < 2 {
		if len(w) == 1 && w[0] == 'n' && r.joined(i) && r.word(i+1) == "virginia" {
			return 2
		}
		return 0
	}
	if !r.capital(i) {
		if !r.isCode(i) {
			if (w == "several" || w == "multiple" || w == "all" || w == "many" || w == "various") && i+1 < len(r.words) && r.word(i+1) == "regions" {
				return 2
			}
			return 0
		}
		return 1
	}
	if r.isCode(i) {
		return 1
	}
	two := ""
	if r.joined(i) && r.capital(i+1) {
		two = w + " " + r.word(i+1)
	}
	if two != "" {
		if _, ok := cities()[two]; ok {
			return 2
		}
		if _, ok := areas()[two]; ok {
			return 2 + r.pointAt(i+2, i+1)
		}
	}
	if _, ok := areas()[w]; ok && len(w) > 1 && !(len(w) == 2 && string(r.text[r.words[i].from:r.words[i].to]) != strings.ToUpper(w)) {
		n := 1 + r.pointAt(i+1, i)
		if n == 1 && (w == "ap" || w == "ca" || w == "me" || w == "sa" || w == "af" || w == "na" || w == "il" || w == "mx") {
			return 0
		}
		return n
	}
	if _, ok := cities()[w]; ok {
		return 1
	}
	// "East US 2", "North Europe"
	if _, ok := points()[w]; ok && r.joined(i) && r.capital(i+1) {
		if _, ok := areas()[r.word(i+1)]; ok {
			n := 2
			if r.joined(i+1) && len(r.word(i+2)) == 1 && r.word(i + 2)[0] >= '1' && r.word(i + 2)[0] <= '9' {
				n++
			}
			return n
		}
	}
	return 0
}

// pointAt counts the compass words (and one digit) at word i that follow the area ending at word prev.
func (r *reader) pointAt(i, prev int) int {
	n := 0
	for i < len(r.words) && n < 2 && r.joined(prev) && (r.capital(i) || r.text[r.words[prev].to] == '-') {
		w := r.word(i)
		base := strings.TrimRight(w, "0123456789")
		if _, ok := points()[base]; !ok {
			break
		}
		n, prev, i = n+1, i, i+1
	}
	if n > 0 && i < len(r.words) && r.joined(prev) && len(r.word(i)) == 1 && r.word(i)[0] >= '1' && r.word(i)[0] <= '9' {
		n++
	}
	return n
}

// nextPoint reads the second half of "US Central/East" and "US Central and East".
func (r *reader) nextPoint(i int, name string) (when.Mention, int) {
	area, point, ok := strings.Cut(name, " ")
	if !ok || strings.IndexByte(point, ' ') >= 0 || i >= len(r.words) {
		return when.Mention{}, 0
	}
	if _, ok := points()[strings.ToLower(point)]; !ok {
		return when.Mention{}, 0
	}
	k := i
	if r.word(k) == "and" && k+1 < len(r.words) {
		k++
	}
	if _, ok := points()[r.word(k)]; !ok || !r.capital(k) || k == i && r.text[r.words[i].from-1] != '/' {
		return when.Mention{}, 0
	}
	if k+1 < len(r.words) && r.joined(k) {
		if _, ok := areas()[r.word(k+1)]; ok && r.capital(k+1) {
			return when.Mention{}, 0
		}
	}
	w := r.words[k]
	return when.Mention{From: int(w.from), To: int(w.to), Region: true, Name: area + " " + r.text[w.from:w.to]}, k - i + 1
}

// isCode reports whether word i is a region code: "us-east-1", "europe-west1-b", "prod-us-east-0", "FRA1", "IE1".
func (r *reader) isCode(i int) bool {
	w := r.word(i)
	if dash := strings.IndexByte(w, '-'); dash > 0 {
		first := w[:dash]
		rest := w[dash+1:]
		if first == "prod" || first == "aws" || first == "gcp" || first == "azure" {
			d := strings.IndexByte(rest, '-')
			if d < 0 {
				return false
			}
			first, rest = rest[:d], rest[d+1:]
		}
		if _, ok := areas()[first]; !ok && first != "northamerica" {
			return false
		}
		second := rest
		if d := strings.IndexByte(rest, '-'); d >= 0 {
			second = rest[:d]
		}
		_, ok := points()[strings.TrimRight(second, "0123456789")]
		return ok || second == "gov"
	}
	n := len(w)
	if n >= 3 && n <= 4 && w[n-1] >= '0' && w[n-1] <= '9' && r.text[r.words[i].from] <= 'Z' {
		_, ok := codes()[w[:n-1]]
		return ok
	}
	return false
}

// knownAt matches the page's own region names at word i.
func (r *reader) knownAt(i int, known []string) int {
	from := int(r.words[i].from)
	for _, k := range known {
		if len(k) < 4 || from+len(k) > len(r.text) || strings.EqualFold(k, "global") || !strings.EqualFold(r.text[from:from+len(k)], k) {
			continue
		}
		n := 0
		for j := i; j < len(r.words) && int(r.words[j].from) < from+len(k); j++ {
			n++
		}
		if int(r.words[i+n-1].to) == from+len(k) {
			return n
		}
	}
	return 0
}

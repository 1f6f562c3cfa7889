package program

import (
	"strings"
	"sync"

	"downwind/catalog"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/words"
)

// maxList is how many regions one file may name before it is a table of what there is, not of what is used.
const maxList = 6

// maxResource is how many lines below its beginning a resource may tell its region.
const maxResource = 12

var (
	cloudRegion  = pattern.New(`^(?:[a-z]{2}(?:-gov)?-(?:north|south|east|west|central|northeast|northwest|southeast|southwest)-[1-9][a-f]?|[a-z]{2,}-(?:north|south|east|west|central|northeast|northwest|southeast|southwest)[0-9]{1,2}(?:-[a-f])?|(?:nam|eur)[0-9])$`)
	azurePlace   = pattern.New(`(?i)^(?:(?:north|south|east|west)?[ -]?central|north|south|east|west)[ -]?(?:us|europe|india)\s?[23]?$|^(?:uk|france|germany|japan|korea|australia|brazil|canada|norway|sweden|switzerland|uae|poland|italy|spain|qatar|israel|south[ -]?africa|new[ -]?zealand|mexico|austria|indonesia|malaysia|belgium|chile|denmark|taiwan)[ -]?(?:north|south|east|west|central|southeast|west[ -]?central)\s?2?$|^(?:south)?[ -]?east[ -]?asia$`)
	googleRegion = pattern.New(`[a-z][0-9]{1,2}$`)
	// placeKey is a name that says where something is, and that it is set here.
	placeKey = pattern.New(`(?i)([a-z_.]*(?:region|location|zone)[a-z_]*)["']?\]?\s*(?:=>|:=|\.\w+\(|::new\(|[=:(,])`)
	// constant is a region as kits write it: Region.EU_WEST_1, RegionEndpoint.EUWest1, Region::EuWest1.
	constant = pattern.New(`\bRegions?\.([A-Z]{2})_(?:(GOV)_)?([A-Z]+)_(\d)\b|\bRegion(?:Endpoint)?(?:\.|::)?([A-Z][A-Za-z])(Gov)?((?:North|South|East|West|Central)[a-z]*)(\d)\b`)
	// elsewhere are regions of other clouds so: SupportedRegion.EUROPE_WEST1, AzureLocation.WestEurope.
	elsewhere  = pattern.New(`\bSupportedRegion\.([A-Z]+_[A-Z]+[0-9]{1,2})\b|\bAzureLocation\.([A-Z]\w+)\b`)
	endpointIs = pattern.New(`(?i)\bendpoint\w*["']?\s*[:=]|localhost|127\.0\.0\.1|localstack|minio`)
	quotedText = pattern.New("[\"'`]([A-Za-z][A-Za-z0-9 _-]{3,30})[\"'`]")
	// ownConstant is a region as a kit for Pulumi writes it: digitalocean.Region.FRA1.
	ownConstant = pattern.New(`\b(digitalocean|hcloud|linode|vultr|scaleway)\.Region\.?([A-Z][A-Z0-9_]+)\b`)
	// newResource begins the description of another resource.
	newResource = pattern.New(`\bnew\s+\w+\.\w`)
	// fallbacks are ways to say what counts where a variable is not set.
	fallbacks   = pattern.New(`\|\||\?\?|\bor\s+["']|[gG]etenv\(|environ|process\.env|ENV\[|fetch\(|env\(|tryGetContext|\.get\(`)
	indexSpec   = pattern.New(`\bServerlessSpec\(|\bserverless\s*[:=]\s*\{|\bServerlessSpec\{|\bPodSpec\(`)
	ownResource = pattern.New(`\bnew\s+(digitalocean|hcloud|linode|vultr|neon|upstash|supabase|planetscale|vercel|mongodbatlas|confluentcloud|scaleway)\.[A-Z]\w+\(`)
	functional  = pattern.New(`\bsetGlobalOptions\b|\bset_global_options\b|\bon[A-Z]\w+\(|\bon_\w+\(|\bfunctions\b|\.region\(|\bregion\s*[:=]`)
)

// lineWords have the words of which one stands in every line that a rule for all files fits.
var lineWords = words.Folded()

var (
	clientSigns   = lineWords.Add(".client(", ".resource(", "aws.", `aws\`, "aws::", "aws-sdk-go/service/")
	endpointSigns = lineWords.Add("endpoint", "localhost", "127.0.0.1", "localstack", "minio")
	regionSigns   = lineWords.Add("region", "location")
	keySigns      = lineWords.Add("region", "location", "zone")
	ownerSigns    = lineWords.Add("serverless", "podspec", "digitalocean.", "hcloud.", "linode.", "vultr.", "neon.", "upstash.", "supabase.", "planetscale.", "vercel.", "mongodbatlas.", "confluentcloud.", "scaleway.")
)

// vendors maps the names of kits to their vendors.
var vendors = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"digitalocean": "digitalocean", "hcloud": "hetzner", "linode": "linode", "vultr": "vultr", "neon": "neon", "upstash": "upstash", "supabase": "supabase", "planetscale": "planetscale", "vercel": "vercel", "mongodbatlas": "mongodb-atlas", "confluentcloud": "confluent-cloud", "scaleway": "scaleway",
	}
})

// A place is a region that a line tells.
type place struct {
	line int
	// name is the key or variable, show what stands there, code the region.
	name, show, code string
	// fallback says that it counts only where a variable is not set, functions that it is set for those of Firebase.
	fallback, functions bool
	// owner is the vendor whose resource the line stands in, where it is none of the big clouds.
	owner string
}

// places gathers the regions of one file.
type places struct {
	// here are the words of the line.
	here *words.Set
	list []place
	// open is the name whose list goes on over the next lines.
	open string
	// off are lines that point a client at another store.
	off []int
	// owner is the vendor of the resource that a line near began to describe, since the line in begun.
	owner string
	begun int
}

// read takes in one line.
func (p *places) read(line int, s string) {
	if p.here.Has(endpointSigns) && endpointIs.MatchString(s) {
		p.off = append(p.off, line)
	}
	if p.here.Has(regionSigns) && p.constant(line, s) {
		return
	}
	if p.owner != "" || p.here.Has(ownerSigns) {
		p.owned(line, s)
	}
	name, rest, around := p.open, s, ""
	if p.here.Has(keySigns) {
		if m := placeKey.FindStringSubmatchIndex(s); m != nil {
			at, end := m[2], m[3]
			name, rest, around = s[at:end], s[end:], s[strings.LastIndexByte(s[:at], ',')+1:at]
		}
	}
	if p.goesOn(s, name != p.open); name == "" {
		return
	} else if p.open != "" {
		p.open = name
	}
	for _, m := range quotedText.FindAllStringSubmatchIndex(rest, 2*maxList) {
		text := rest[m[2]:m[3]]
		owner := ""
		if p.owner != "" && line-p.begun <= maxResource && (p.owner == "pinecone" || catalog.RegionCode(p.owner, text) != "") {
			owner = p.owner
		}
		if compared(rest[:m[0]]) || owner == "" && !cloudRegion.MatchString(text) && !azurePlace.MatchString(text) {
			continue
		}
		p.list = append(p.list, place{line: line, name: name, show: text, code: text, fallback: fallbacks.MatchString(around + rest[:m[0]]), functions: functional.MatchString(s), owner: owner})
		p.owner = ""
	}
}

// constant takes a region that stands in the line as a kit's own constant, and reports whether there is one.
func (p *places) constant(line int, s string) bool {
	if m := constant.FindStringSubmatch(s); m != nil {
		code := m[1] + m[5]
		if m[2]+m[6] != "" {
			code += "-gov"
		}
		p.list = append(p.list, place{line: line, name: "region", show: m[0], code: strings.ToLower(code + "-" + m[3] + m[7] + "-" + m[4] + m[8])})
		return true
	}
	if m := elsewhere.FindStringSubmatch(s); m != nil {
		code := strings.ToLower(strings.ReplaceAll(m[1], "_", "-") + m[2])
		p.list = append(p.list, place{line: line, name: "region", show: m[0], code: code, functions: m[1] != ""})
		return true
	}
	if m := ownConstant.FindStringSubmatch(s); m != nil {
		if code := catalog.RegionCode(vendors()[m[1]], m[2]); code != "" {
			p.list = append(p.list, place{line: line, name: "region", show: m[0], code: code, owner: vendors()[m[1]]})
			return true
		}
	}
	return false
}

// owned keeps track of whose resource the lines describe.
func (p *places) owned(line int, s string) {
	if indexSpec.MatchString(s) {
		p.owner, p.begun = "pinecone", line
	} else if m := ownResource.FindStringSubmatch(s); m != nil {
		p.owner, p.begun = vendors()[m[1]], line
	} else if p.owner != "" && newResource.MatchString(s) {
		p.owner = ""
	}
}

// goesOn keeps track of a list that begins at the end of a line and goes on until its bracket closes.
func (p *places) goesOn(s string, begins bool) {
	switch {
	case begins && (strings.HasSuffix(s, "[") || strings.HasSuffix(s, ": {") || strings.HasSuffix(s, "= {")):
		p.open = "list"
	case begins || strings.ContainsAny(s, "])}"):
		p.open = ""
	}
}

// compared reports whether what follows is only compared with something.
func compared(before string) bool {
	t := strings.TrimRight(before, " ")
	for _, end := range [...]string{"==", "!=", "case", "includes(", "startsWith(", "startswith("} {
		if strings.HasSuffix(t, end) {
			return true
		}
	}
	return false
}

// elsewhere reports whether a client near a line is pointed at another store.
func (p *places) elsewhere(line int) bool {
	const near = 4
	for _, off := range p.off {
		if off-line <= near && line-off <= near {
			return true
		}
	}
	return false
}

var (
	// preferred is where a function of Vercel's says that it wants to run.
	preferred = pattern.New(`\b(?:preferredRegion\s*(?::[^=]*)?=|regions\s*:)\s*(\[[^\]]*\]|["'][a-z0-9]+["'])`)
	edgeWord  = pattern.New(`["']([a-z]{3}[0-9])["']`)
)

// edges adds the regions of Vercel that functions are told.
func (f *file) edges(line int, s string) {
	m := preferred.FindStringSubmatch(s)
	if m == nil {
		return
	}
	for _, r := range edgeWord.FindAllStringSubmatch(m[1], maxList) {
		if catalog.RegionCode("vercel", r[1]) == "" {
			continue
		}
		f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, As: "code", Provider: "vercel", Name: "preferredRegion", Show: r[1], Line: line, Regions: r[1:]})
	}
}

// regions adds what the lines tell, unless they are a table.
func (f *file) regions() {
	different := map[string]bool{}
	for _, x := range f.places.list {
		different[x.code] = true
	}
	if len(different) > maxList {
		return
	}
	for _, x := range f.places.list {
		if f.places.elsewhere(x.line) || x.owner == "" && !f.azure && !cloudRegion.MatchString(x.code) {
			continue
		}
		r := stackparse.Fact{Kind: stackparse.KindRegion, As: "code", Name: x.name, Show: x.show, Line: x.line, Regions: []string{x.code}}
		switch {
		case f.firebase && x.functions && googleRegion.MatchString(x.code):
			r.Provider = "firebase"
		case x.owner != "":
			r.Provider = x.owner
		}
		if x.fallback {
			r.State = stackparse.Faint
			if f.described {
				r.State = stackparse.Loose
			}
		}
		f.out.Facts = append(f.out.Facts, r)
	}
}

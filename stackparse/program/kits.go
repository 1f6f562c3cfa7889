package program

import (
	"strings"

	"downwind/catalog"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/words"
)

// A told is a way in which programs tell the kit of a vendor where its service is, by a word of the vendor's own.
type told struct {
	provider string
	// signs are words of which one stands in every file that uses the kit.
	signs   words.Run
	pattern *pattern.Regexp
}

// ways are looked for only in files that hold their word. What they find counts where the catalogue knows it as a region of
// the vendor.
var ways = []told{
	{"pusher", signs("usher"), pattern.New(`\bcluster["']?\s*[:=]\s*["']([a-z]{2}[0-9]?)["']`)},
	{"amplitude", signs("mplitude"), pattern.New(`(?i)\bserver_?zone["']?\s*[:=]\s*(?:["']|\w*ServerZone\.)(EU|US)\b`)},
	{"twilio", signs("wilio"), pattern.New(`\b(?:region|edge)["']?\s*[:=]\s*["']([a-z]{2,}[0-9a-z-]*)["']`)},
	{"algolia", signs("lgolia"), pattern.New(`\bregion["']?\s*[:=]\s*["'](de|us|eu)["']`)},
	{"firebase", signs("irebase"), pattern.New(`\bgetFunctions\([^)]*,\s*["']([a-z]+-[a-z]+[0-9]{1,2})["']|\bFirebaseFunctions\.(?:instanceFor|getInstance)\([^)]*["']([a-z]+-[a-z]+[0-9]{1,2})["']|\bFunctions\.functions\(region:\s*"([a-z]+-[a-z]+[0-9]{1,2})"|\bfunctions\(["']([a-z]+-[a-z]+[0-9]{1,2})["']`)},
	{"azure", signs("SpeechConfig"), pattern.New(`\b[fF]romSubscription\([^,]+,\s*["']([a-z]+[0-9]?)["']`)},
}

// kits adds the places that a line tells the kits of vendors.
func (f *file) kits(line int, s string) {
	for _, w := range f.ways {
		for _, m := range w.pattern.FindAllStringSubmatch(s, 4) {
			text, known := strings.Join(m[1:], ""), w.provider
			if known == "firebase" {
				known = "google-cloud" // whose regions they are
			}
			if w.provider != "amplitude" && catalog.RegionCode(known, text) == "" || fallbacks.MatchString(s) {
				continue
			}
			f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, As: "code", Provider: w.provider, Name: text, Line: line, Regions: []string{text}})
		}
	}
}

package program

import (
	"bytes"
	"slices"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/words"
)

const (
	// maxHosts bounds the different hosts of a file: more are a table of what there is, not of what is used.
	maxHosts = 12
	// maxAddress bounds the letters of an address.
	maxAddress = 300
)

var (
	// addressMarks stand in addresses: the end of a scheme, and ends of hosts that programs name without one.
	addressMarks = []string{"://", ".amazonaws.com", ".windows.net", ".azure.com", ".pkg.dev", ".googleapis.com", "datadoghq.", "arn:aws", "/locations/"}
	addressSigns = signsOf(addressMarks)
	// placeLabel is what hosts of a region or a site hold in front of the domain of their vendor.
	placeLabel = pattern.New(`(?i)(?:^|[./@:-])(?:(?:eu|us|de|au|uk|ca|jp|in|ap|sg|ie|br)[0-9]{0,2}|[a-z]{2,12}-?(?:north|south|east|west|central|northeast|southeast|northwest|southwest)[a-z]*-?[0-9]{0,2}|(?:north|south|east|west|central)[a-z]{2,9}[0-9]?|(?:uk|norway|france|germany|sweden|poland|japan|korea|brazil|canada|australia|switzerland|uae)[a-z]{4,11}|datadoghq)(?:-docker|-aiplatform|-[0-9]+)?[./:-]`)
)

// signsOf returns a sign for each of several words.
func signsOf(list []string) (out []words.Run) {
	for _, w := range list {
		out = append(out, signs(w))
	}
	return out
}

// hosts finds the addresses in which a program names a region or a site of a vendor. They prove no use, since programs also
// hold links and lists, but tell the place of a vendor that something else shows.
func (f *file) hosts() {
	var found stackparse.Result
	different := map[string]bool{}
	var asked [][2]int
	line, counted := 1, 0
	for _, at := range f.addresses() {
		line += bytes.Count(f.text[counted:at[0]], []byte("\n"))
		counted = at[0]
		before := f.before(at[0])
		if comment(before) || strings.Contains(before, " // ") || strings.Contains(before, " # ") {
			continue
		}
		if f.asks(at, before) {
			asked = append(asked, at)
		}
		text := string(f.text[at[0]:at[1]])
		if !placeLabel.MatchString(text) || fallbacks.MatchString(before) || compared(strings.TrimRight(before, "\"'` ")) {
			continue // or what counts only where a variable is not set
		}
		n := len(found.Facts)
		found.Value(stackparse.Setting{Line: line}, text, stackparse.Firm)
		for _, x := range found.Facts[n:] {
			if x.Kind == "domain" {
				different[x.Name] = true
			}
		}
	}
	if len(asked) > 0 {
		f.calls(asked)
	}
	if len(different) > maxHosts {
		return
	}
	for _, x := range found.Facts {
		if x.Kind == "domain" && f.in.Known("domain", x.Name) || x.Provider != "" && len(x.Regions) > 0 && x.Kind != stackparse.KindRegion {
			x.Kind = stackparse.KindNamed
			f.out.Facts = append(f.out.Facts, x)
		}
	}
}

// addresses returns where addresses and hosts of clouds begin and end, in their order.
func (f *file) addresses() (out [][2]int) {
	const most = 400
	for i, mark := range addressMarks {
		if !f.seen.Has(addressSigns[i]) {
			continue
		}
		for end := 0; len(out) < most; {
			at := bytes.Index(f.text[end:], []byte(mark))
			if at < 0 {
				break
			}
			start, stop := end+at, end+at
			for start > end && start > stop-maxAddress && part(f.text[start-1]) {
				start--
			}
			for stop < len(f.text) && stop-start < maxAddress && (part(f.text[stop]) || f.text[stop] == ':' || f.text[stop] == '/') {
				stop++
			}
			if mark == "://" || start == 0 || f.text[start-1] != '/' { // else it is part of an address
				out = append(out, [2]int{start, stop})
			}
			end = max(stop, end+at+len(mark))
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[0] - b[0] })
	return out
}

// part says whether a byte can stand in an address, templates included.
func part(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(".-_${}@%+", c) >= 0
}

// before is what stands on its line before a place in the file.
func (f *file) before(at int) string {
	return strings.TrimSpace(string(f.text[bytes.LastIndexByte(f.text[:at], '\n')+1 : at]))
}

package catalog

import (
	"strings"
	"sync"
)

// regionRows are the rows of each provider, as they stand in the table.
var regionRows = sync.OnceValue(func() map[string]string {
	_, table, _ := strings.Cut(regionsTable, "\n") // the names of the columns
	out := map[string]string{}
	last, begun, end := "", 0, 0
	for row := range strings.Lines(table) {
		provider, _, _ := strings.Cut(row, "\t")
		if provider != last {
			last, begun = provider, end
		}
		end += len(row)
		out[provider] = table[begun:end]
	}
	return out
})

// regionCodes are the codes of a provider's regions in the order of the table; nil where it has none.
func regionCodes(provider string) (codes []string) {
	for row := range strings.Lines(regionRows()[provider]) {
		_, row, _ = strings.Cut(row, "\t")
		if code, _, _ := strings.Cut(row, "\t"); !strings.HasSuffix(code, "*") { // a name for several regions
			codes = append(codes, code)
		}
	}
	return codes
}

// RegionCode is the code of the region that a provider calls by a name or a code, without regard to case ("EU (Ireland)" and
// "euw1" are "eu-west-1" at AWS); "" where the table has no such region of the provider. It searches the provider's rows as
// they stand, for those who ask for a few names only; LoadRegions is for many.
func RegionCode(provider, name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return ""
	}
	for rows := regionRows()[provider]; rows != ""; {
		var row string
		row, rows, _ = strings.Cut(rows, "\n")
		_, row, _ = strings.Cut(row, "\t")
		code, row, _ := strings.Cut(row, "\t")
		if strings.HasSuffix(code, "*") { // a name for several regions
			continue
		}
		if strings.EqualFold(code, name) {
			return code
		}
		names, _, _ := strings.Cut(row, "\t")
		for names != "" {
			var other string
			if other, names, _ = strings.Cut(names, "|"); strings.EqualFold(other, name) {
				return code
			}
		}
	}
	return ""
}

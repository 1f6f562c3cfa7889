package catalog

import "strings"

// RegionCode is the code of the region that a provider calls by a name or a code, without regard to case ("EU (Ireland)" and
// "euw1" are "eu-west-1" at AWS); "" where the table has no such region of the provider. It searches the provider's rows as
// they stand, for those who ask for a few names only; LoadRegions is for many.
func RegionCode(provider, name string) string {
	name = strings.TrimSpace(name)
	head := "\n" + provider + "\t"
	i := strings.Index(regionsTable, head)
	if i < 0 || name == "" {
		return ""
	}
	for row := range strings.Lines(regionsTable[i+1:]) {
		fields := strings.SplitN(row, "\t", 4)
		if len(fields) < 4 || fields[0] != provider {
			return ""
		}
		code := fields[1]
		if strings.HasSuffix(code, "*") { // a name for several regions
			continue
		}
		if strings.EqualFold(code, name) {
			return code
		}
		for other := range strings.SplitSeq(fields[2], "|") {
			if strings.EqualFold(other, name) {
				return code
			}
		}
	}
	return ""
}

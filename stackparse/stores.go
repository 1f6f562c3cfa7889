package stackparse

import "strings"

// Store takes in that a client of S3 is pointed at an address by a literal: its host is evidence of whom it belongs to, and the
// client none of AWS. An address on a developer's machine or in a network of one's own says nothing, nor does one of Amazon's.
func (r *Result) Store(address string, line int, state State, dev bool) {
	for _, h := range hostsIn(address) {
		if h.class != hostPublic || amazonHost(h.host) {
			continue
		}
		f := Fact{Kind: "domain", Name: h.host, Show: h.show, Line: line, State: state, Dev: dev}
		r.Facts = append(r.Facts, f, Fact{Kind: KindRedirect, As: "code", Provider: "aws", Service: "s3", Name: h.host, Show: h.show, Line: line, Dev: dev})
	}
}

// amazonHost reports whether a host is one of Amazon's.
func amazonHost(h string) bool {
	return strings.HasSuffix(h, ".amazonaws.com") || strings.HasSuffix(h, ".amazonaws.com.cn") || strings.HasSuffix(h, ".api.aws")
}

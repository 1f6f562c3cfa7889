package stackparse

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"downwind"
)

// A Lookup asks the domain name system; *net.Resolver is one.
type Lookup interface {
	LookupCNAME(ctx context.Context, host string) (string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupNS(ctx context.Context, name string) ([]*net.NS, error)
}

// Resolve asks for CNAME, MX and NS records of the unknown domains of a stack and returns them as a zone, to be read
// like one. At most 100 names are asked, each for at most 2 s; names that do not answer are left out. A nil lookup is
// the system's resolver.
func Resolve(ctx context.Context, unknown []downwind.Evidence, look Lookup) []byte {
	if look == nil {
		look = net.DefaultResolver
	}
	var zone bytes.Buffer
	asked := 0
	for _, e := range unknown {
		if e.Kind != "domain" || asked >= 100 || ctx.Err() != nil {
			continue
		}
		asked++
		one, cancel := context.WithTimeout(ctx, 2*time.Second)
		if c, err := look.LookupCNAME(one, e.Match); err == nil && strings.TrimSuffix(c, ".") != e.Match {
			fmt.Fprintf(&zone, "%s. 300 IN CNAME %s\n", e.Match, c)
		}
		if list, err := look.LookupMX(one, e.Match); err == nil {
			for _, m := range list {
				fmt.Fprintf(&zone, "%s. 300 IN MX %d %s\n", e.Match, m.Pref, m.Host)
			}
		}
		if list, err := look.LookupNS(one, e.Match); err == nil {
			for _, n := range list {
				fmt.Fprintf(&zone, "%s. 300 IN NS %s\n", e.Match, n.Host)
			}
		}
		cancel()
	}
	return zone.Bytes()
}

// Merge joins two stacks: uses of the same provider become one, the surer confidence wins.
func Merge(a, b downwind.Stack) downwind.Stack {
	a.Files = append(a.Files[:len(a.Files):len(a.Files)], b.Files...)
	a.Unknown = append(a.Unknown[:len(a.Unknown):len(a.Unknown)], b.Unknown...)
	a.Providers = slices.Clone(a.Providers)
	for _, u := range b.Providers {
		have := a.Use(u.Provider)
		if have == nil {
			a.Providers = append(a.Providers, u)
			continue
		}
		for _, s := range u.Services {
			have.Services = union(have.Services, s)
		}
		for _, r := range u.Regions {
			have.Regions = union(have.Regions, r)
		}
		have.Evidence = append(have.Evidence[:len(have.Evidence):len(have.Evidence)], u.Evidence...)
		if rank(u.Confidence) > rank(have.Confidence) {
			have.Confidence = u.Confidence
		}
		have.Manual = have.Manual || u.Manual
	}
	a.Dropped += b.Dropped
	slices.SortFunc(a.Providers, func(x, y downwind.Use) int { return strings.Compare(x.Provider, y.Provider) })
	return a
}

// union adds to a sorted list what is not in it.
func union(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	list = append(slices.Clone(list), s)
	slices.Sort(list)
	return list
}

func rank(c downwind.Confidence) int {
	switch c {
	case downwind.Sure:
		return 2
	case downwind.Likely:
		return 1
	}
	return 0
}

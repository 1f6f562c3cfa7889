package feeds

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"downwind"
)

// denied are the networks that no source may be in: this host, private and shared networks, link-local (cloud metadata),
// documentation, benchmarks, multicast, reserved, and every way to write an IPv4 address inside an IPv6 one. From the IANA
// special-purpose registries of both families.
var denied = sync.OnceValue(func() []netip.Prefix {
	return prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
		"2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	)
})

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Guard decides which addresses may be dialled. It looks at the address that is dialled, after the name was resolved, so
// that neither redirects nor changing answers of a resolver get past it.
type Guard struct {
	// Allow are networks that may be dialled although they are denied: private status pages that an operator names.
	Allow []netip.Prefix
}

// Check returns an error for an address that may not be dialled.
func (g Guard) Check(addr netip.Addr) error {
	plain := addr.Unmap().WithZone("")
	for _, p := range g.Allow {
		if p.Contains(plain) {
			return nil
		}
	}
	for _, p := range denied() {
		if p.Contains(plain) || p.Contains(addr.WithZone("")) {
			return fmt.Errorf("%s is in %s, which is not public (poll.allow_private can allow it): %w", addr, p, downwind.ErrForbidden)
		}
	}
	return nil
}

// Control is for net.Dialer: it refuses a connection before its first packet.
func (g Guard) Control(network, address string, _ syscall.RawConn) error {
	switch network {
	case "tcp4", "tcp6", "tcp":
	default:
		return fmt.Errorf("network %s is not dialled: %w", network, downwind.ErrForbidden)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, downwind.ErrForbidden)
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return fmt.Errorf("address %q is no IP address: %w", address, downwind.ErrForbidden)
	}
	return g.Check(addr)
}

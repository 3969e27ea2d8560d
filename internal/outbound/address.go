package outbound

import (
	"net"
	"net/netip"
	"slices"
)

// reserved are the IPv4 addresses that are not of the public internet, from
// IANA's registry of special-purpose addresses (RFC 6890), multicast included.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
)

// global is what IANA has given out of IPv6, and reserved6 what of that is not of
// the public internet: protocol assignments with Teredo, documentation, 6to4.
var (
	global    = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

// refused are the addresses that no profile connects to: unspecified ones, which
// are this machine, link-local ones and multicast, and those where clouds give
// credentials to whoever asks.
var refused = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32", "100.100.100.200/32",
	"::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128",
)

// nat64 holds IPv4 addresses in its last four bytes (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Public reports whether an address is of the public internet.
func Public(a netip.Addr) bool {
	a = unwrap(a)
	switch {
	case !a.IsValid() || a.Zone() != "":
		return false
	case a.Is4():
		return !within(reserved, a) && !within(refused, a)
	default:
		return global.Contains(a) && !within(reserved6, a)
	}
}

// Routable reports whether an administrator may name an address: a public or
// private one, or this machine.
func Routable(a netip.Addr) bool {
	a = unwrap(a)
	return a.IsValid() && a.Zone() == "" && !within(refused, a)
}

// unwrap takes an IPv4 address out of the IPv6 address that stands for it.
func unwrap(a netip.Addr) netip.Addr {
	if a = a.Unmap(); nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// ours reports whether an address belongs to this machine.
func ours(a netip.Addr) bool {
	if a = unwrap(a); a.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(own, func(n net.Addr) bool {
		p, err := netip.ParsePrefix(n.String())
		return err == nil && p.Addr().Unmap() == a
	})
}

func within(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

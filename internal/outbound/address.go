package outbound

import (
	"net"
	"net/netip"
	"slices"
)

// reserved lists the IPv4 ranges that are not part of the public internet. They come from
// IANA's registry of special-purpose addresses (RFC 6890) and include multicast
// addresses.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
)

// global is the part of the IPv6 address space that IANA has allocated. reserved6 lists
// the ranges within global that are nevertheless not public: those for protocol
// assignments (including Teredo), for documentation, and for 6to4.
var (
	global    = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

// refused lists the ranges to which no profile may connect: unspecified addresses, which
// refer to this machine, link-local and multicast addresses, and the metadata services of
// clouds, which return credentials without authentication.
var refused = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32", "100.100.100.200/32",
	"::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128",
)

// The IPv6 prefixes of addresses that contain an IPv4 address, and thisHost, the range of
// IPv4 addresses that do not count as contained, such as 0.0.0.1 in ::1.
var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")   // the IPv4 address is in the last four bytes (RFC 6052)
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48") // the network chooses the position of the IPv4 address (RFC 8215)
	sixToFour  = netip.MustParsePrefix("2002::/16")      // the IPv4 address follows the prefix (RFC 3056)
	compatible = netip.MustParsePrefix("::/96")          // the IPv4 address is in the last four bytes (RFC 4291)
	thisHost   = netip.MustParsePrefix("0.0.0.0/8")
)

// Public reports whether an address is part of the public internet.
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

// Routable reports whether an administrator may enter an address as a setting. Public and
// private addresses and those of this machine are allowed, except for the refused ranges.
func Routable(a netip.Addr) bool {
	a = unwrap(a)
	isRefused := func(a netip.Addr) bool { return within(refused, a) }
	return a.IsValid() && a.Zone() == "" && !isRefused(a) && !slices.ContainsFunc(embedded(a), isRefused)
}

// unwrap returns the IPv4 address that is contained in an IPv4-mapped IPv6 address or in
// one with the prefix nat64. It returns all other addresses unchanged.
func unwrap(a netip.Addr) netip.Addr {
	if a = a.Unmap(); nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// embedded returns the IPv4 addresses to which the network may translate an IPv6 address.
// Such IPv6 addresses are never public; see global and reserved6.
func embedded(a netip.Addr) (list []netip.Addr) {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	at := func(places ...int) {
		four := netip.AddrFrom4([4]byte{b[places[0]], b[places[1]], b[places[2]], b[places[3]]})
		if !thisHost.Contains(four) { // leaves out an embedded 0.x.x.x, such as in ::1
			list = append(list, four)
		}
	}
	switch {
	case sixToFour.Contains(a):
		at(2, 3, 4, 5)
	case compatible.Contains(a):
		at(12, 13, 14, 15)
	case localNAT64.Contains(a): // prefixes of 48, 56, 64 and 96 bits, which skip byte 8
		at(6, 7, 9, 10)
		at(7, 9, 10, 11)
		at(9, 10, 11, 12)
		at(12, 13, 14, 15)
	}
	return list
}

// ours reports whether an address belongs to this machine. If the addresses of this machine
// cannot be determined, ours returns true.
func ours(a netip.Addr) bool {
	all := append(embedded(a), unwrap(a))
	if slices.ContainsFunc(all, netip.Addr.IsLoopback) {
		return true
	}
	own, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(own, func(n net.Addr) bool {
		p, err := netip.ParsePrefix(n.String())
		return err == nil && slices.Contains(all, p.Addr().Unmap())
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

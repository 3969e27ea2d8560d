package proxy

import (
	"net/netip"
	"slices"
	"strings"
)

// forwardingHeaders lists the headers in which proxies send the address of a client, in
// canonical form. Those that are read by default come first.
var forwardingHeaders = []string{
	forwardedFor, "X-Real-Ip", "Forwarded", "Cf-Connecting-Ip", "True-Client-Ip",
	"X-Client-Ip", "X-Cluster-Client-Ip", "Fly-Client-Ip",
}

// maxShown is the number of bytes after which Forwarded cuts off the value of a header.
const maxShown = 200

// Forwarded returns the forwarding headers of a request as lines of the form "Name:
// value", or nil if there are none. counted reports whether one of them determined the
// address that Client returns.
func (p Proxies) Forwarded(remoteAddr string, header map[string][]string) (lines []string, counted bool) {
	read := p.read()
	names := slices.Clone(forwardingHeaders)
	for _, name := range read {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	trusted := p.Trusted(remoteAddr)
	for _, name := range names {
		list := strings.Join(header[name], ",")
		if blank(list) {
			continue
		}
		lines = append(lines, name+": "+list[:min(len(list), maxShown)])
		counted = counted || trusted && slices.Contains(read, name) && p.pick(name, list).IsValid()
	}
	return lines, counted
}

// Peer returns the address in remoteAddr, which may include a port, or the zero Addr if
// there is none.
func Peer(remoteAddr string) netip.Addr {
	if peer, err := netip.ParseAddrPort(remoteAddr); err == nil { // the form that net/http uses
		return peer.Addr().Unmap().WithZone("")
	}
	return parseAddr(remoteAddr)
}

package proxy

import (
	"net/netip"
	"slices"
	"strings"
)

// forwardingHeaders lists the headers in which proxies send the address of a client, in
// canonical form. The headers that are read by default come first.
var forwardingHeaders = []string{
	forwardedFor, "X-Real-Ip", "Forwarded", "Cf-Connecting-Ip", "True-Client-Ip",
	"X-Client-Ip", "X-Cluster-Client-Ip", "Fly-Client-Ip",
}

// maxShown limits the length of header values in the output.
const maxShown = 200

// Forwarded returns the forwarding headers of a request as lines of the form "Name:
// value". It returns nil if there are none. counted reports whether one of them
// determined the address that Client returns.
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

// Peer returns the address in remoteAddr, which may include a port. It returns the zero
// Addr if remoteAddr contains no address.
func Peer(remoteAddr string) netip.Addr {
	if peer, err := netip.ParseAddrPort(remoteAddr); err == nil { // the form used by net/http
		return peer.Addr().Unmap().WithZone("")
	}
	return parseAddr(remoteAddr)
}

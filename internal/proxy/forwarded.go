package proxy

import (
	"net/netip"
	"slices"
	"strings"
)

// forwardingHeaders are those by which proxies tell an address, in canonical
// form, the ones that are read by default first.
var forwardingHeaders = []string{
	forwardedFor, "X-Real-Ip", "Forwarded", "Cf-Connecting-Ip", "True-Client-Ip",
	"X-Client-Ip", "X-Cluster-Client-Ip", "Fly-Client-Ip",
}

// maxShown is how much of a header's value is kept.
const maxShown = 200

// Forwarded are the forwarding headers of a request as "Name: value", nil when
// it has none, and whether one of them gave the address that Client returns.
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

// Peer is the address of a direct peer, given with or without a port; the zero
// Addr when it has none.
func Peer(remoteAddr string) netip.Addr {
	if peer, err := netip.ParseAddrPort(remoteAddr); err == nil { // as net/http has it
		return peer.Addr().Unmap().WithZone("")
	}
	return parseAddr(remoteAddr)
}

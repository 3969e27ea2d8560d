// Package proxy finds the address of a client behind reverse proxies. A
// forwarding header counts only when the peer that sent it may be trusted.
package proxy

import (
	"net/netip"
	"net/textproto"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// defaultHeaders are read where no others are configured; canonical.
var defaultHeaders = []string{forwardedFor, "X-Real-Ip"}

// carrierGrade is the space that providers use between themselves and their
// customers, RFC 6598.
var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")

// Proxies says which forwarding headers can be believed.
type Proxies struct {
	// Count is the number of trusted reverse proxies in front. Zero or less
	// means that no forwarding header is read.
	Count int
	// Headers, when there are any, are the only ones read, in this order and
	// written in any case. Otherwise it is X-Forwarded-For, then X-Real-IP.
	Headers []string
}

// Trusted reports whether forwarding headers from this direct peer are read at
// all: there is a proxy, and the peer has a loopback or a private address.
// Link-local and carrier-grade peers are not trusted; untrusted hosts may have those.
func (p Proxies) Trusted(remoteAddr string) bool {
	return p.trusts(Peer(remoteAddr))
}

func (p Proxies) trusts(peer netip.Addr) bool {
	return p.Count > 0 && private(peer)
}

// private reports whether an address may be that of a proxy in the same network:
// loopback, 10/8, 172.16/12, 192.168/16 or fc00::/7. Link-local and carrier-grade
// addresses are those of untrusted hosts.
func private(a netip.Addr) bool { return a.IsLoopback() || a.IsPrivate() }

// Client is the address of the caller: of a peer that is trusted, what the
// first usable header says, otherwise the peer's own. remoteAddr is the peer
// with or without a port, header the request's, its keys canonical MIME header
// names. The result is normalised: IPv4 that was mapped into IPv6 is IPv4, and
// there is no zone. It is the zero Addr where the peer has no address, as on a
// Unix socket; such a peer is not trusted.
func (p Proxies) Client(remoteAddr string, header map[string][]string) netip.Addr {
	peer := Peer(remoteAddr)
	if !p.trusts(peer) {
		return peer
	}
	for _, name := range p.read() {
		// Several lines of one header are one list, RFC 9110.
		list := strings.Join(header[name], ",")
		if list == "" {
			continue
		}
		if a := p.pick(name, list); a.IsValid() {
			return a
		}
	}
	return peer
}

// read are the headers that are read, in canonical form.
func (p Proxies) read() []string {
	if len(p.Headers) == 0 {
		return defaultHeaders
	}
	names := make([]string, len(p.Headers))
	for i, name := range p.Headers {
		names[i] = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
	}
	return names
}

// pick takes the caller's entry out of a list, or the zero Addr when that
// entry is no address.
//
// Each proxy appends the address it was called from to X-Forwarded-For, so with
// Count trusted proxies the entry at that place from the right is the last one
// that can be believed; a list that is shorter gives its first entry. If that
// entry is a private address, further proxies of the same network stood in
// front, and the nearest public one to its left is taken, if there is one. A
// link-local or carrier-grade entry is a client: to its left is what that client
// made up.
//
// Other headers are set, not appended to, so their first entry counts.
func (p Proxies) pick(name, list string) netip.Addr {
	if name != forwardedFor {
		for list != "" {
			var entry string
			if entry, list, _ = strings.Cut(list, ","); !blank(entry) {
				return parseAddr(entry)
			}
		}
		return netip.Addr{}
	}
	chosen := ""
	for n := 0; n < p.Count && list != ""; {
		var entry string
		if entry, list = cutLast(list); !blank(entry) {
			chosen = entry
			n++
		}
	}
	a := parseAddr(chosen)
	if !private(a) {
		return a
	}
	for list != "" {
		var entry string
		entry, list = cutLast(list)
		if left := parseAddr(entry); left.IsValid() && !Local(left) {
			return left
		}
	}
	return a
}

// cutLast splits a list at its last comma.
func cutLast(list string) (entry, rest string) {
	i := strings.LastIndexByte(list, ',')
	return list[i+1:], list[:max(i, 0)]
}

func blank(entry string) bool { return strings.TrimSpace(entry) == "" }

// parseAddr reads an address in any of the forms that proxies write, with and
// without brackets and port. Anything else is the zero Addr.
func parseAddr(text string) netip.Addr {
	text = strings.TrimSpace(text)
	host, port := text, ""
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if host, port, ok = strings.Cut(inside, "]"); !ok {
			return netip.Addr{}
		}
	} else if strings.Count(text, ":") == 1 { // two or more: IPv6 without a port
		i := strings.IndexByte(text, ':')
		host, port = text[:i], text[i:]
	}
	if !isPort(port) {
		return netip.Addr{}
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap().WithZone("")
}

// isPort accepts what may follow a host: nothing, or a colon and digits.
func isPort(text string) bool {
	return text == "" || text[0] == ':' && strings.Trim(text[1:], "0123456789") == ""
}

// Local reports whether an address cannot belong to the public network:
// private, unique local, loopback, link-local, carrier-grade or unspecified.
// The zero Addr is not local, it is unknown.
func Local(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || carrierGrade.Contains(a)
}

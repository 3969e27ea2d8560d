// Package proxy determines the address of a client behind reverse proxies. It uses a
// forwarding header only if the peer that sent it is trusted. It also defines the form in
// which addresses are stored.
package proxy

import (
	"net/netip"
	"net/textproto"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// defaultHeaders lists the headers from which the address of a client is read by default,
// in canonical form.
var defaultHeaders = []string{forwardedFor, "X-Real-Ip"}

// carrierGrade is the address space that internet providers use between their network and
// their customers (RFC 6598).
var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")

// Proxies configures how many reverse proxies are trusted, and which headers are read.
type Proxies struct {
	// Count is the number of reverse proxies in front of the server that are trusted. If it
	// is 0 or less, no forwarding header is read.
	Count int
	// Headers, unless it is empty, replaces the default headers: X-Forwarded-For, then
	// X-Real-IP. Headers are read in the given order. Their names can be written in any
	// case.
	Headers []string
}

// Trusted reports whether forwarding headers from the given peer are read. They are read
// if Count is positive and the peer has a loopback or private address. Link-local and
// carrier-grade addresses are not trusted, because untrusted hosts can have them.
func (p Proxies) Trusted(remoteAddr string) bool {
	return p.trusts(Peer(remoteAddr))
}

func (p Proxies) trusts(peer netip.Addr) bool {
	return p.Count > 0 && private(peer)
}

// private reports whether a is a loopback or private address: 10/8, 172.16/12, 192.168/16
// or fc00::/7. A proxy in the same network can have such an address. Link-local and
// carrier-grade addresses are not included, because untrusted hosts can have them.
func private(a netip.Addr) bool { return a.IsLoopback() || a.IsPrivate() }

// Client returns the address of the client. If the peer is trusted, that is the address
// in the first usable header, and otherwise the peer's own address. remoteAddr is the
// address of the peer, with or without a port. The keys of header must be canonical MIME
// header names.
//
// The result is normalized: IPv4 addresses mapped into IPv6 become IPv4, and zones are
// removed. If the peer has no address, as on a Unix socket, it is not trusted, and the
// result is the zero Addr.
func (p Proxies) Client(remoteAddr string, header map[string][]string) netip.Addr {
	peer := Peer(remoteAddr)
	if !p.trusts(peer) {
		return peer
	}
	for _, name := range p.read() {
		// several lines of one header form one list (RFC 9110)
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

// read returns the names of the headers to read, in canonical form.
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

// pick returns the client's address from list, the value of the header with the given
// name. It returns the zero Addr if the selected entry is not an address.
//
// Each proxy appends the address of its peer to X-Forwarded-For. The leftmost entry
// that can be trusted is therefore at position Count from the right or, if the list is
// shorter, the first entry. If it is a private address, it belongs to another proxy in the same
// network; pick then uses the nearest public entry to its left, if there is one. A
// link-local or carrier-grade entry belongs to a client, which may have invented the
// entries to its left.
//
// Proxies replace the other headers instead of appending to them, so pick uses the first
// entry of those.
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

// cutLast splits a list at its last comma. entry is the part after that comma.
func cutLast(list string) (entry, rest string) {
	i := strings.LastIndexByte(list, ',')
	return list[i+1:], list[:max(i, 0)]
}

func blank(entry string) bool { return strings.TrimSpace(entry) == "" }

// parseAddr parses an address in any form that proxies write, with or without brackets
// and with or without a port. It returns the zero Addr for any other text.
func parseAddr(text string) netip.Addr {
	text = strings.TrimSpace(text)
	host, port := text, ""
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if host, port, ok = strings.Cut(inside, "]"); !ok {
			return netip.Addr{}
		}
	} else if strings.Count(text, ":") == 1 { // a text with two or more is an IPv6 address without a port
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

// isPort reports whether a text can follow a host: it must be empty, or a colon and
// digits.
func isPort(text string) bool {
	return text == "" || text[0] == ':' && strings.Trim(text[1:], "0123456789") == ""
}

// Local reports whether an address cannot be part of the public network, because it is
// private, unique local, loopback, link-local, carrier-grade or unspecified. The zero
// Addr is not local.
func Local(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() || carrierGrade.Contains(a)
}

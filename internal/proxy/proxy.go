// Package proxy determines the address of a client behind reverse proxies. A forwarding
// header is used only if the peer that sent it is trusted. The package also defines the
// form in which the address is stored.
package proxy

import (
	"net/netip"
	"net/textproto"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// defaultHeaders lists the headers that are read by default, in canonical form.
var defaultHeaders = []string{forwardedFor, "X-Real-Ip"}

// carrierGrade is the address space that providers use between their network and their
// customers (RFC 6598).
var carrierGrade = netip.MustParsePrefix("100.64.0.0/10")

// Proxies configures the reverse proxies and the headers that are trusted.
type Proxies struct {
	// Count is the number of trusted reverse proxies in front of the server. If it is 0 or
	// less, no forwarding header is read.
	Count int
	// Headers replaces the default headers if it is not empty. Headers are read in this
	// order. Their names may be written in any case. The default is X-Forwarded-For, then
	// X-Real-IP.
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

// Client returns the address of the client. If the peer is trusted, this is the address
// in the first usable header. Otherwise it is the peer's own address. remoteAddr is the
// address of the peer, with or without a port. The keys of header must be canonical MIME
// header names. The result is normalised: IPv4 addresses mapped into IPv6 become IPv4,
// and zones are removed. If the peer has no address, as on a Unix socket, it is not
// trusted and the result is the zero Addr.
func (p Proxies) Client(remoteAddr string, header map[string][]string) netip.Addr {
	peer := Peer(remoteAddr)
	if !p.trusts(peer) {
		return peer
	}
	for _, name := range p.read() {
		// Several lines of one header form one list (RFC 9110).
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

// pick returns the client's address from the list in the named header. It returns the
// zero Addr if the entry is not an address.
//
// Each proxy appends the address of its peer to X-Forwarded-For. With Count trusted
// proxies, the entry at position Count from the right is therefore the last trustworthy
// one. If the list is shorter, its first entry is used. If the entry is a private
// address, it belongs to a further proxy in the same network. In this case, the nearest
// public entry to its left is used, if there is one. A link-local or carrier-grade entry
// belongs to a client, which may have invented the entries to its left.
//
// Proxies replace the other headers instead of appending to them, so the first entry of
// these headers is used.
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

// cutLast splits a list at its last comma. entry is the part after the comma.
func cutLast(list string) (entry, rest string) {
	i := strings.LastIndexByte(list, ',')
	return list[i+1:], list[:max(i, 0)]
}

func blank(entry string) bool { return strings.TrimSpace(entry) == "" }

// parseAddr parses an address in any form that proxies write, with or without brackets
// and a port. It returns the zero Addr for any other text.
func parseAddr(text string) netip.Addr {
	text = strings.TrimSpace(text)
	host, port := text, ""
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if host, port, ok = strings.Cut(inside, "]"); !ok {
			return netip.Addr{}
		}
	} else if strings.Count(text, ":") == 1 { // with two or more it is IPv6 without a port
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

// isPort reports whether a text can follow a host. It must be empty, or a colon followed
// by digits.
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

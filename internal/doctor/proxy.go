package doctor

import (
	"net/netip"
	"strings"
	"time"

	"svc/internal/proxy"
)

// checkProxy examines the forwarding headers of recent requests.
func checkProxy(p *Installation) []Finding {
	if p.Facts == nil {
		return unasked
	}
	f := p.Facts.Forwarding
	var findings []Finding
	if f.Ignored != nil {
		findings = append(findings, ignoredHeaders(f))
	}
	if f.Last != nil && (f.Ignored == nil || f.Last.At > f.Ignored.At) {
		findings = append(findings, note("proxy_seen", messagef("last seen: %s from %s at %s; taken for the caller: %s",
			append(f.Last.values(), f.Last.Client)...),
			messagef("nothing, if that is the address of a client; otherwise set SVC_TRUSTED_PROXY_COUNT (now %d) to the number of your proxies",
				f.Count)))
	}
	if f.Gateway != "" && f.Count > 0 {
		findings = append(findings, note("proxy_container", messagef("requests come from %s, the gateway of the container: clients that reach "+
			"the published port directly can forge an address", f.Gateway),
			messagef("publish the port only to your proxy (-p 127.0.0.1:4000:4000), or without a proxy set SVC_TRUSTED_PROXY_COUNT=0")))
	}
	return findings
}

// ignoredHeaders returns a finding that explains why forwarding headers were ignored. If the proxy
// is not trusted, all clients appear to have the same address.
func ignoredHeaders(f Forwarding) Finding {
	peer, _ := netip.ParseAddr(f.Ignored.Peer)
	trusted := proxy.Proxies{Count: f.Count, Headers: f.Headers}.Trusted(f.Ignored.Peer)
	switch {
	case trusted:
		return warning("proxy_unknown_header", messagef("%s from %s at %s, which was ignored: the proxy sends none of the known headers",
			f.Ignored.values()...),
			messagef("configure the proxy to set X-Forwarded-For, or name its header in SVC_CLIENT_IP_HEADER"))
	case !proxy.Local(peer):
		return note("proxy_public", messagef("%s from %s at %s, which was ignored: the peer has a public address, and only private ones are "+
			"trusted", f.Ignored.values()...),
			messagef("nothing, if none of your proxies has that address: the header is forged; otherwise connect the proxy over a private network"))
	case f.Count <= 0:
		return warning("proxy_uncounted", messagef("%s from %s at %s, which was ignored: SVC_TRUSTED_PROXY_COUNT is 0", f.Ignored.values()...),
			messagef("set it to the number of your proxies; until then all clients share the address of the proxy, also in limits and logs"))
	}
	return warning("proxy_distant", messagef("%s from %s at %s, which was ignored: the peer's address is neither private nor of this "+
		"machine", f.Ignored.values()...),
		messagef("connect the proxy over loopback or a private network (10/8, 172.16/12, 192.168/16, fc00::/7)"))
}

// values returns the forwarding headers, the peer and the time of a request as arguments for
// messagef.
func (c *Chain) values() []any {
	return []any{strings.Join(c.Headers, ", "), c.Peer, time.Unix(c.At, 0).Format(time.TimeOnly)}
}

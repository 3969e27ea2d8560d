package distribution

import (
	"net"
	"net/url"
	"strings"
)

// Hosts decides which host serves which paths. If direct links have a host of their own, it serves
// only them, and other hosts serve everything else, so that uploaded content never shares the
// origin of the site.
type Hosts struct{ links string }

// NewHosts returns Hosts for the base address of direct links and the address of the site. If one
// is missing or both have the same host, every host serves everything.
func NewHosts(dist, site string) Hosts {
	links, pages := hostOf(dist), hostOf(site)
	if links == "" || pages == "" || links == pages {
		return Hosts{}
	}
	return Hosts{links}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return plainHost(u.Host)
}

// plainHost returns a host in lower case, without port and without the trailing dot of a fully
// qualified name.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Serve reports whether a host serves a request. link reports whether the request is for a direct
// link.
func (h Hosts) Serve(host string, link bool) bool {
	return h.links == "" || link == (plainHost(host) == h.links)
}

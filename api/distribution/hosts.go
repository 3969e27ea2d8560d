package distribution

import (
	"net"
	"net/url"
	"strings"
)

// Hosts determines which host serves which paths. If direct links have a separate host, that host
// serves only direct links, and the other hosts serve everything else. Uploaded content then never
// shares an origin with the site.
type Hosts struct{ links string }

// NewHosts returns Hosts for dist, the base address of direct links, and site, the address of the
// site. If one of them is missing, or if both have the same host, every host serves everything.
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

// plainHost converts a host to lower case and removes the port and the trailing dot of a fully
// qualified name.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Serve reports whether the given host serves a request. The caller sets link if the request is for
// a direct link.
func (h Hosts) Serve(host string, link bool) bool {
	return h.links == "" || link == (plainHost(host) == h.links)
}

package distribution

import (
	"net"
	"net/url"
	"strings"
)

// Hosts says which host answers what. With a host of its own for direct links, that
// host answers nothing else and no other host answers them, so that nothing that was
// uploaded shares the origin of the site.
type Hosts struct{ links string }

// NewHosts makes Hosts of the base address of direct links and that of the site. Where
// one is missing or both have one host, every host answers everything.
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

// plainHost is a host in lower case, without a port and without the dot that a full
// name may end in.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Serve reports whether a request to a host is answered, which is one for a direct
// link or not.
func (h Hosts) Serve(host string, link bool) bool {
	return h.links == "" || link == (plainHost(host) == h.links)
}

package files

import (
	"net/url"
	"slices"
	"strings"
)

// AssetName returns the file name of a release's attachment from its address:
//
//	{scheme and host of web}/{owner}/{repo}/releases/download/{tag}/{name}
//
// without query, fragment or credentials. White space around the address is ignored. ok is false
// for an address of another form and for a name that cannot be cleaned. web is the web address of
// the code host.
func AssetName(web, address string) (filename string, ok bool) {
	host, err := url.Parse(web)
	if err != nil {
		return "", false
	}
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(address, "?#") || u.User != nil || u.Scheme != host.Scheme || !strings.EqualFold(u.Host, host.Host) {
		return "", false
	}
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if len(segments) != 6 || segments[2] != "releases" || segments[3] != "download" {
		return "", false
	}
	for i, segment := range segments {
		// A folder would make the client that fetches it ask for another path.
		if segments[i], err = url.PathUnescape(segment); err != nil || slices.Contains([]string{"", ".", ".."}, segments[i]) {
			return "", false
		}
	}
	filename, err = CleanName(segments[5])
	return filename, err == nil
}

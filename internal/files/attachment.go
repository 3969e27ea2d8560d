package files

import (
	"net/url"
	"slices"
	"strings"
)

// AssetName returns the file name of a release's attachment, given the address of the attachment:
//
//	{scheme and host of web}/{owner}/{repo}/releases/download/{tag}/{name}
//
// The address must have no query, fragment or credentials. White space around it is ignored. ok is
// false if the address has another form or the name cannot be cleaned. The parameter web is the
// address of the code host's web site.
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
		// With an empty segment, "." or "..", the HTTP client would request another path.
		if segments[i], err = url.PathUnescape(segment); err != nil || slices.Contains([]string{"", ".", ".."}, segments[i]) {
			return "", false
		}
	}
	filename, err = CleanName(segments[5])
	return filename, err == nil
}

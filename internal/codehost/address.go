package codehost

import (
	"net"
	"net/url"
	"regexp"
	"strings"
)

// names matches a valid name of an owner or a repository.
var names = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// ParseRepo returns the name, owner/name, of the repository to which an address belongs.
// It ignores a suffix .git and any path after the repository. ok is false if the address
// is not on the code host's web site.
func (c *Client) ParseRepo(address string) (name string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	web, webErr := url.Parse(c.Web)
	if err != nil || webErr != nil || u.Scheme != "http" && u.Scheme != "https" || !sameHost(u, web) {
		return "", false
	}
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if len(parts) < 2 {
		return "", false
	}
	name = parts[0] + "/" + strings.TrimSuffix(parts[1], ".git")
	return name, validName(name)
}

// validName reports whether a text has the form owner/name.
func validName(name string) bool {
	owner, repo, ok := strings.Cut(name, "/")
	return ok && names.MatchString(owner) && names.MatchString(repo) && strings.Trim(owner, ".") != "" && strings.Trim(repo, ".") != ""
}

// sameHost reports whether two URLs have the same host and port. A missing port means the scheme's
// default port. If neither URL has a port, the schemes may differ.
func sameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b) ||
		a.Port() == "" && b.Port() == "" && strings.EqualFold(a.Hostname(), b.Hostname())
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// origin returns the scheme, host and port of a URL.
func origin(u *url.URL) string {
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port(u))
}

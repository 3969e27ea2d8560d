package target

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Kind is a kind of target.
type Kind string

// The kinds of targets.
const (
	KindS3        Kind = "s3"
	KindWebDAV    Kind = "webdav"
	KindDirectory Kind = "directory"
	KindPeer      Kind = "peer" // a standby that accepts changes
)

// Location says where a target is. It contains no credentials. The zero value is no target.
type Location struct {
	Kind Kind

	// BaseURL is the address of the S3 endpoint without a path, or that of the WebDAV collection without
	// a slash at its end. For a peer it is the https address.
	BaseURL string

	Bucket, Region string // for S3; without a region the endpoint is asked
	Prefix         string // of the names of all objects in the bucket, without slashes at its ends
	PathStyle      bool   // whether the bucket is in the path and not in the host name

	Directory string // the path of a directory

	text string // the canonical URL
}

// String returns the target as a URL in canonical form.
func (l Location) String() string { return l.text }

// amazon is the endpoint of S3 targets that name none.
const amazon = "https://s3.amazonaws.com"

// Parse parses the URL of a target. Its errors do not contain the URL, because it can contain
// credentials where they are not allowed.
func Parse(text string) (Location, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil && strings.Contains(text, "@"):
		return Location{}, errCredentials
	case err != nil || u.Opaque != "":
		return Location{}, errForm
	case u.User != nil:
		return Location{}, errCredentials
	case u.Fragment != "" || strings.Contains(text, "#"):
		return Location{}, errors.New(`the target must not contain "#"`)
	}
	query, err := parameters(u)
	if err != nil {
		return Location{}, err
	}
	switch u.Scheme {
	case "s3":
		return parseS3(u, query)
	case "webdav+http", "webdav+https":
		return parseWebDAV(u)
	case "file":
		return parseDirectory(u)
	case "svc":
		return parsePeer(u)
	default:
		return Location{}, errForm
	}
}

// parameters returns the query parameters, of which only S3 targets have any.
func parameters(u *url.URL) (map[string]string, error) {
	all, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the query of the target is not valid: a parameter has the form name=value")
	}
	values := map[string]string{}
	for name, list := range all {
		switch {
		case secretName.MatchString(name):
			return nil, errCredentials
		case u.Scheme != "s3" && supported[u.Scheme]:
			return nil, fmt.Errorf("a target that begins with %s:// has no query parameters", u.Scheme)
		case name != "endpoint" && name != "region" && name != "path_style":
			return nil, fmt.Errorf("the target has the unknown parameter %.40q: an s3:// target can have endpoint, region and path_style", name)
		case len(list) > 1:
			return nil, fmt.Errorf("the target has the parameter %s more than once", name)
		}
		values[name] = list[0]
	}
	return values, nil
}

var (
	supported  = map[string]bool{"s3": true, "webdav+http": true, "webdav+https": true, "file": true, "svc": true}
	secretName = regexp.MustCompile(`(?i)key|secret|user|pass|token|credential`)
	bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$`)
	regionName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

func parseS3(u *url.URL, query map[string]string) (Location, error) {
	l := Location{Kind: KindS3, BaseURL: amazon, Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Region: query["region"]}
	switch {
	case l.Bucket == "":
		return Location{}, errors.New("the target has no bucket: it must have the form s3://BUCKET/PREFIX")
	case !bucketName.MatchString(l.Bucket):
		return Location{}, errors.New("the bucket of the target must have 3 to 63 letters, digits, dots and hyphens")
	case l.Prefix != "" && (!fs.ValidPath(l.Prefix) || len(l.Prefix) > 512):
		return Location{}, errors.New(`the prefix of the target must have at most 512 bytes, and no segment that is empty, "." or ".."`)
	}
	canonical := url.Values{}
	if text, given := query["endpoint"]; given {
		endpoint, err := url.Parse(text)
		switch {
		case err == nil && endpoint.User != nil, err != nil && strings.Contains(text, "@"):
			return Location{}, errCredentials
		case err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || !hasHost(endpoint) ||
			strings.Trim(endpoint.Path, "/") != "" || endpoint.RawQuery != "" || endpoint.Fragment != "":
			return Location{}, errors.New("the endpoint of the target must have the form https://HOST:PORT")
		}
		l.BaseURL = endpoint.Scheme + "://" + endpoint.Host
		canonical.Set("endpoint", l.BaseURL)
	}
	if text, given := query["region"]; given {
		if !regionName.MatchString(text) {
			return Location{}, errors.New("the region of the target must have 1 to 64 letters, digits and hyphens")
		}
		canonical.Set("region", text)
	}
	if text, given := query["path_style"]; given {
		if text != "true" && text != "false" {
			return Location{}, errors.New("path_style of the target must be true or false")
		}
		l.PathStyle = text == "true"
		canonical.Set("path_style", text)
	}
	l.text = (&url.URL{Scheme: "s3", Host: l.Bucket, Path: "/" + l.Prefix, RawQuery: canonical.Encode()}).String()
	return l, nil
}

func parseWebDAV(u *url.URL) (Location, error) {
	if !hasHost(u) {
		return Location{}, fmt.Errorf("the target has no host: it must have the form %s://HOST/PATH", u.Scheme)
	}
	rest := "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	return Location{Kind: KindWebDAV, BaseURL: strings.TrimPrefix(u.Scheme, "webdav+") + rest, text: u.Scheme + rest}, nil
}

func parseDirectory(u *url.URL) (Location, error) {
	dir := u.Path
	if runtime.GOOS == "windows" { // file:///C:/path
		dir = strings.TrimPrefix(dir, "/")
	}
	dir = filepath.FromSlash(dir)
	if u.Host != "" || !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return Location{}, errors.New("a directory as the target must have the form file:///PATH, with an absolute path")
	}
	dir = filepath.Clean(dir)
	path := filepath.ToSlash(dir)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return Location{Kind: KindDirectory, Directory: dir, text: "file://" + (&url.URL{Path: path}).EscapedPath()}, nil
}

func parsePeer(u *url.URL) (Location, error) {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if !hasHost(u) || err != nil || port == 0 || strings.Trim(u.Path, "/") != "" {
		return Location{}, errors.New("another svc as the target must have the form svc://HOST:PORT")
	}
	address := net.JoinHostPort(u.Hostname(), u.Port())
	return Location{Kind: KindPeer, BaseURL: "https://" + address, text: "svc://" + address}, nil
}

// hasHost reports whether a URL has a host, and a port of at most 65535 if it has one.
func hasHost(u *url.URL) bool {
	if u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && port > 0
}

// CheckOutside returns an error if the target is a directory within the data directory dir. It returns nil if
// the disk of the target cannot be reached.
func (l Location) CheckOutside(dir string) error {
	if l.Kind != KindDirectory {
		return nil
	}
	for _, resolve := range []func(string) (string, error){filepath.Abs, resolveLinks} {
		data, err := resolve(dir)
		if err != nil {
			return err
		}
		to, err := resolve(l.Directory)
		if err != nil {
			return nil //nolint:nilerror // the target fails, and is tried again
		}
		if below, err := filepath.Rel(data, to); err == nil && filepath.IsLocal(below) {
			return errors.New("the directory of the target must be outside of the data directory")
		}
	}
	return nil
}

// resolveLinks returns a path without symbolic links. Elements at its end that do not exist are kept.
func resolveLinks(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if parent := filepath.Dir(path); errors.Is(err, os.ErrNotExist) && parent != path {
		if real, err = resolveLinks(parent); err == nil {
			real = filepath.Join(real, filepath.Base(path))
		}
	}
	return real, err
}

var (
	errForm        = errors.New("the target must be a URL that begins with s3://, webdav+https://, webdav+http://, file:/// or svc://")
	errCredentials = errors.New("the target must not contain credentials: set replicate.user and replicate.password")
)

package storage

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/studio-b12/gowebdav"

	"svc/internal/outbound"
)

// Maximum sizes, in bytes, of responses other than the content of objects. A listing
// takes a few hundred bytes for each part.
const (
	maxListing = 64 << 20
	maxAnswer  = 64 << 10
)

// controlTime limits the time of a request that transfers no content.
const controlTime = 15 * time.Second

// davURL returns the address of the given name below the base address of a WebDAV server.
func davURL(base *url.URL, name string) *url.URL {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	u := *base
	u.RawPath = base.EscapedPath() + "/" + strings.Join(segments, "/")
	u.Path = base.Path + "/" + name
	return &u
}

// call calls fn with a client of the WebDAV library. The client sends all requests to one address,
// the parameter to. If the last response was not successful, call returns its status together with
// the error. The status is 0 if there was no response.
//
// The library does not support contexts, and it escapes addresses a second time. An interceptor
// therefore sets the context and the address of each request.
func (d *WebDAV) call(ctx context.Context, to *url.URL, fn func(*gowebdav.Client) error) (status int, err error) {
	c := gowebdav.NewAuthClient("http://storage", gowebdav.NewPreemptiveAuth(d))
	c.SetTransport(davTransport{d.client.Transport, d.listing})
	c.SetInterceptor(func(_ string, r *http.Request) {
		*r = *r.WithContext(ctx)
		r.URL, r.Host = to, to.Host
	})
	err = fn(c)
	if failed, ok := errors.AsType[gowebdav.StatusError](err); ok {
		return failed.Status, statusError(failed.Status)
	}
	return 0, explain(err)
}

// control is like call, but with the time limit controlTime.
func (d *WebDAV) control(ctx context.Context, to *url.URL, fn func(*gowebdav.Client) error) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	return d.call(ctx, to, fn)
}

// Authorize sets the credentials of a request. It also makes the library return redirects
// instead of following them, because the library would follow the redirect of a PUT with
// a GET.
func (d *WebDAV) Authorize(_ *http.Client, r *http.Request, _ string) error {
	d.authorize(r)
	r.Header.Set(gowebdav.XInhibitRedirect, "1")
	return nil
}

func (d *WebDAV) authorize(r *http.Request) {
	if d.username != "" || d.password != "" {
		r.SetBasicAuth(d.username, d.password)
	}
}

// Verify accepts every response, because the library evaluates the responses itself.
func (d *WebDAV) Verify(*http.Client, *http.Response, string) (bool, error) { return false, nil }

// Clone returns d itself. That is sufficient because requests do not change d.
func (d *WebDAV) Clone() gowebdav.Authenticator { return d }

// Close does nothing, because the connections belong to the shared client.
func (d *WebDAV) Close() error { return nil }

// davTransport is a RoundTripper that limits the size of response bodies.
type davTransport struct {
	base    http.RoundTripper
	listing int64 // limit for the list of a collection
}

// RoundTrip sends r.
func (t davTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	limit := int64(maxAnswer)
	if r.Header.Get("Depth") == "1" {
		limit = t.listing
	}
	answer.Body = &drained{io.LimitReader(answer.Body, limit), answer.Body}
	return answer, nil
}

// drained is a response body. When it is closed, it is first read to its end or to the
// size limit, because the connection can only then be reused.
type drained struct {
	io.Reader
	body io.Closer
}

// Close reads the remainder and closes the body.
func (d *drained) Close() error {
	_, err := io.Copy(io.Discard, d.Reader)
	return errors.Join(err, d.body.Close())
}

func success(status int) bool { return status >= 200 && status < 300 }

// lengthOf returns the length in bytes of the file with the given name on the server. It
// uses PROPFIND, and HEAD if the server does not support PROPFIND or returns no length.
// If there is no file, the error is errAbsent. The library reports a missing length as 0.
// lengthOf accepts 0 only if that is the expected length, because Apache sends no length
// in its response to a HEAD request for an empty file.
func (d *WebDAV) lengthOf(ctx context.Context, name string, expected int64) (int64, error) {
	var file *gowebdav.File
	status, err := d.control(ctx, davURL(d.base, name), func(c *gowebdav.Client) error {
		info, err := c.Stat("/") // nil if there is no file
		file, _ = info.(*gowebdav.File)
		return err
	})
	if _, unanswered := errors.AsType[*url.Error](err); unanswered {
		return 0, err
	}
	switch {
	case status == http.StatusNotFound, file != nil && file.IsDir():
		return 0, errAbsent
	case status == http.StatusUnauthorized, status == http.StatusLocked:
		return 0, err
	case err == nil && file != nil && (file.Size() > 0 || expected == 0):
		return file.Size(), nil
	default:
		return d.headLength(ctx, name)
	}
}

func (d *WebDAV) headLength(ctx context.Context, name string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, davURL(d.base, name).String(), nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept-Encoding", "identity")
	d.authorize(r)
	answer, err := d.client.Do(r)
	if err != nil {
		return 0, outbound.Explain(err)
	}
	if err := answer.Body.Close(); err != nil {
		return 0, err
	}
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return 0, errAbsent
	case answer.StatusCode != http.StatusOK:
		return 0, statusError(answer.StatusCode)
	case answer.ContentLength < 0:
		return 0, errNoLength
	}
	return answer.ContentLength, nil
}

// lengths returns the lengths in bytes of the files in a collection, by file name. It
// contains only files that the server lists in response to a PROPFIND.
func (d *WebDAV) lengths(ctx context.Context, name string) map[string]int64 {
	known := map[string]int64{}
	_, _ = d.control(ctx, davURL(d.base, name+"/"), func(c *gowebdav.Client) error {
		list, err := c.ReadDir("/") // the caller asks for the lengths of missing files one by one
		for _, info := range list {
			if !info.IsDir() && info.Size() > 0 {
				known[info.Name()] = info.Size()
			}
		}
		return err
	})
	return known
}

var errNoLength = errors.New("the storage does not report the length of the written file")

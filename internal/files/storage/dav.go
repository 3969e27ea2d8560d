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

// Limits, in bytes, on answers that are not content. A listing takes a few hundred bytes for each
// part.
const (
	maxListing = 64 << 20
	maxAnswer  = 64 << 10
)

// controlTime is the time limit of requests that carry no content.
const controlTime = 15 * time.Second

// davURL returns the address of a name below the base address of a WebDAV server.
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

// call lets the library make the requests of fn to one address. If the last answer was not a
// success, the status is returned with the error; without an answer it is 0.
//
// The library does not support contexts and escapes addresses a second time, so an interceptor sets
// context and address of each request.
func (d *WebDAV) call(ctx context.Context, to *url.URL, fn func(*gowebdav.Client) error) (status int, err error) {
	c := gowebdav.NewAuthClient("http://storage", gowebdav.NewPreemptiveAuth(d))
	c.SetTransport(davTransport{d.client.Transport})
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

// control is call with the time limit controlTime.
func (d *WebDAV) control(ctx context.Context, to *url.URL, fn func(*gowebdav.Client) error) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	return d.call(ctx, to, fn)
}

// Authorize sets the credentials of a request. It makes the library return redirects instead of
// following them, because it would turn a PUT into a GET.
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

// Verify accepts every answer; the library evaluates it.
func (d *WebDAV) Verify(*http.Client, *http.Response, string) (bool, error) { return false, nil }

// Clone returns d itself, which requests do not change.
func (d *WebDAV) Clone() gowebdav.Authenticator { return d }

// Close does nothing: the connections belong to the shared client.
func (d *WebDAV) Close() error { return nil }

// davTransport limits the sizes of the bodies of answers.
type davTransport struct{ base http.RoundTripper }

// RoundTrip sends r.
func (t davTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	limit := int64(maxAnswer)
	if r.Header.Get("Depth") == "1" {
		limit = maxListing
	}
	answer.Body = &drained{io.LimitReader(answer.Body, limit), answer.Body}
	return answer, nil
}

// drained reads a body to its end, or its limit, before it closes it. Otherwise the connection
// could not be reused.
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

// lengthOf returns the length of the file at an address. It uses PROPFIND, and HEAD if that is not
// supported or returns no length. It returns errAbsent if there is no file. The library reports a
// missing length as 0. That is accepted only if 0 is expected: Apache sends no length for empty
// files in answers to HEAD.
func (d *WebDAV) lengthOf(ctx context.Context, name string, expected int64) (int64, error) {
	var file *gowebdav.File
	status, err := d.control(ctx, davURL(d.base, name), func(c *gowebdav.Client) error {
		info, err := c.Stat("/") // info is a nil interface if there is no file
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

// lengths returns the lengths of the files in a collection by name, as far as a PROPFIND lists
// them.
func (d *WebDAV) lengths(ctx context.Context, name string) map[string]int64 {
	known := map[string]int64{}
	_, _ = d.control(ctx, davURL(d.base, name+"/"), func(c *gowebdav.Client) error {
		list, err := c.ReadDir("/") // the caller queries missing files one by one
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

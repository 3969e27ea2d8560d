package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
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

// exchange lets the library make requests to one address and returns the status of the last answer.
// It ignores the library's errors, which hide what happened and treat only three statuses as
// success. An error means that there was no answer.
//
// The library does not support contexts and escapes addresses a second time, so an interceptor sets
// context and address of each request.
func (d *WebDAV) exchange(ctx context.Context, to *url.URL, fn func(*gowebdav.Client)) (int, error) {
	c := gowebdav.NewAuthClient("http://storage", gowebdav.NewPreemptiveAuth(d))
	answers := &davAnswers{base: d.client.Transport}
	c.SetTransport(answers)
	c.SetInterceptor(func(_ string, r *http.Request) {
		*r = *r.WithContext(ctx)
		r.URL, r.Host = to, to.Host
	})
	fn(c)
	if answers.err != nil {
		return 0, explain(answers.err)
	}
	return answers.status, nil
}

// control is exchange with the time limit controlTime.
func (d *WebDAV) control(ctx context.Context, to *url.URL, fn func(*gowebdav.Client)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	return d.exchange(ctx, to, fn)
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

// Verify accepts every answer; exchange evaluates it.
func (d *WebDAV) Verify(*http.Client, *http.Response, string) (bool, error) { return false, nil }

// Clone returns d itself, which requests do not change.
func (d *WebDAV) Clone() gowebdav.Authenticator { return d }

// Close does nothing: the connections belong to the shared client.
func (d *WebDAV) Close() error { return nil }

// davAnswers records the last answer and limits the size of its body.
type davAnswers struct {
	base   http.RoundTripper
	status int
	err    error
}

// RoundTrip sends r.
func (a *davAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	plain := r.Clone(r.Context()) // the client reads the header of r again after a redirect
	plain.Header.Del(gowebdav.XInhibitRedirect)
	answer, err := a.base.RoundTrip(plain)
	if err != nil {
		a.err = err
		return nil, err
	}
	limit := int64(maxAnswer)
	if r.Header.Get("Depth") == "1" {
		limit = maxListing
	}
	body := &drained{io.LimitReader(answer.Body, limit), answer.Body}
	answer.Body = body
	a.status, a.err = answer.StatusCode, nil
	if r.Method == http.MethodPut && success(answer.StatusCode) && isHTML(answer.Header) && !davCreated(answer.StatusCode, body) {
		a.err = errWebPage
		return nil, errors.Join(errWebPage, body.Close())
	}
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

// created matches the title of the page that Apache's mod_dav sends with status 201.
var created = regexp.MustCompile(`<title>201 Created</title>`)

// davCreated reports whether an answer is Apache's page for a created file. Any other page is taken
// for a firewall's.
func davCreated(status int, body io.Reader) bool {
	page, err := io.ReadAll(body)
	return err == nil && status == http.StatusCreated && created.Match(bytes.TrimSpace(page))
}

// lengthOf returns the length of the file at an address. It uses PROPFIND, and HEAD if that is not
// supported or returns no length. It returns errAbsent if there is no file. The library reports a
// missing length as 0. That is accepted only if 0 is expected: Apache sends no length for empty
// files in answers to HEAD.
func (d *WebDAV) lengthOf(ctx context.Context, name string, expected int64) (int64, error) {
	var file *gowebdav.File
	status, err := d.control(ctx, davURL(d.base, name), func(c *gowebdav.Client) {
		info, _ := c.Stat("/") // the status counts; info is a nil interface if there is no file
		file, _ = info.(*gowebdav.File)
	})
	switch {
	case err != nil:
		return 0, err
	case status == http.StatusNotFound, file != nil && file.IsDir():
		return 0, errAbsent
	case status == http.StatusUnauthorized, status == http.StatusLocked:
		return 0, statusError(status)
	case status == http.StatusMultiStatus && file != nil && (file.Size() > 0 || expected == 0):
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
	_, err := d.control(ctx, davURL(d.base, name+"/"), func(c *gowebdav.Client) {
		list, _ := c.ReadDir("/") // the caller queries missing files one by one
		for _, info := range list {
			if !info.IsDir() && info.Size() > 0 {
				known[info.Name()] = info.Size()
			}
		}
	})
	if err != nil {
		return nil
	}
	return known
}

var (
	errWebPage  = errors.New("the storage answered with a web page, as a firewall does")
	errNoLength = errors.New("the storage does not tell the length of what was written")
)

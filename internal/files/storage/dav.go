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

// Limits of what is read of answers that are not content, in bytes. A listing has
// a few hundred for each part.
const (
	maxListing = 64 << 20
	maxAnswer  = 64 << 10
)

// controlTime is the limit of requests that carry no content.
const controlTime = 15 * time.Second

// davURL is an address on a WebDAV server.
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

// exchange lets the library make requests to one address and judges by the answer
// itself: its errors hide what happened, and for it only three statuses are
// successes. It returns the status of the last answer; an error means that there
// was none.
//
// The library knows no context, and it escapes an address that is escaped
// already; so every request gets context and address in its interceptor.
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

// control is an exchange that must end soon.
func (d *WebDAV) control(ctx context.Context, to *url.URL, fn func(*gowebdav.Client)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	return d.exchange(ctx, to, fn)
}

// Authorize sets the credentials of a request, and has the library hand out
// redirects instead of following them: it would turn a PUT into a GET.
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

// Verify accepts every answer; exchange judges it.
func (d *WebDAV) Verify(*http.Client, *http.Response, string) (bool, error) { return false, nil }

// Clone is d itself, which requests do not change.
func (d *WebDAV) Clone() gowebdav.Authenticator { return d }

// Close has nothing to close; connections are those of the shared client.
func (d *WebDAV) Close() error { return nil }

// davAnswers remembers the last answer and limits its body.
type davAnswers struct {
	base   http.RoundTripper
	status int
	err    error
}

// RoundTrip sends r.
func (a *davAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	plain := r.Clone(r.Context()) // the client looks at the header of r again when it is redirected
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

// drained is a body that is read to its end, or its limit, before it is closed:
// otherwise its connection could not be used again.
type drained struct {
	io.Reader
	body io.Closer
}

// Close reads what is left and closes the body.
func (d *drained) Close() error {
	_, err := io.Copy(io.Discard, d.Reader)
	return errors.Join(err, d.body.Close())
}

func success(status int) bool { return status >= 200 && status < 300 }

// created is the title of the page with which Apache's mod_dav says 201.
var created = regexp.MustCompile(`<title>201 Created</title>`)

// davCreated tells Apache's page of a file that was created, which is a success,
// from the page of a firewall.
func davCreated(status int, body io.Reader) bool {
	page, err := io.ReadAll(body)
	return err == nil && status == http.StatusCreated && created.Match(bytes.TrimSpace(page))
}

// lengthOf asks for the length of what lies at an address: with PROPFIND, and
// with HEAD where that is not supported or tells no length. An address without a
// file is errAbsent. For the library no length is 0; that is believed only where 0
// is expected, because of empty files Apache does not tell more with HEAD.
func (d *WebDAV) lengthOf(ctx context.Context, name string, expected int64) (int64, error) {
	var file *gowebdav.File
	status, err := d.control(ctx, davURL(d.base, name), func(c *gowebdav.Client) {
		info, _ := c.Stat("/") // judged by the status; nil in an interface where no file was found
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

// lengths are the lengths of the files in a collection by their names, as far as
// a PROPFIND tells them.
func (d *WebDAV) lengths(ctx context.Context, name string) map[string]int64 {
	known := map[string]int64{}
	_, err := d.control(ctx, davURL(d.base, name+"/"), func(c *gowebdav.Client) {
		list, _ := c.ReadDir("/") // what is missing here is asked for one by one
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

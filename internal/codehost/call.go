package codehost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"svc/internal/outbound"
)

const maxRedirects = 5

// call is a request to the API.
type call struct {
	method   string
	path     string // path below the base address of the API, escaped, with the query
	token    string // token for the Authorization header, or ""
	identity string // identity to which the rate limit applies
	body     any    // sent as JSON; nil = no body
}

// name returns the method and the path without the query, for use in errors.
func (k call) name() string {
	path, _, _ := strings.Cut(k.path, "?")
	return k.method + " " + path
}

// response is a response with a 2xx status.
type response struct {
	path   string // path of the last request, below the base address and escaped; redirects may have changed it
	header http.Header
	body   []byte
}

// decode parses the body, which must be JSON, into v. The call k is named in the error.
func (r *response) decode(k call, v any) error {
	if err := json.Unmarshal(r.body, v); err != nil {
		return &Error{Call: k.name(), Detail: "the answer has another form than expected", Err: err}
	}
	return nil
}

// do makes a call. If a rate limit prevents the call and ends soon, do waits and retries once. All
// errors are of type *Error.
func (c *Client) do(ctx context.Context, k call) (*response, error) {
	waited := false
	if until := c.limits.get(k.identity); until.After(c.Now()) {
		if waited = c.await(ctx, until); !waited {
			return nil, &Error{Call: k.name(), Status: http.StatusTooManyRequests, Detail: "not sent", Reset: until}
		}
	}
	r, err := c.send(ctx, k)
	if e, ok := errors.AsType[*Error](err); ok && !e.Reset.IsZero() && !waited && c.await(ctx, e.Reset) {
		return c.send(ctx, k)
	}
	return r, err
}

// send makes a call once and follows redirects.
func (c *Client) send(ctx context.Context, k call) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	failed := func(err error) (*response, error) {
		return nil, &Error{Call: k.name(), Unclear: k.method != http.MethodGet, Err: err}
	}
	var body []byte
	if k.body != nil {
		var err error
		if body, err = json.Marshal(k.body); err != nil {
			return failed(err)
		}
	}
	address, known := c.API+k.path, (*kept)(nil)
	if k.method == http.MethodGet {
		known = c.kept.get(k.identity + " " + address)
	}
	for range maxRedirects {
		r, err := c.request(ctx, k, address, body, known)
		if err != nil {
			return failed(err)
		}
		answer, err := c.HTTP.Do(r)
		if err != nil {
			return failed(outbound.Explain(err))
		}
		limit := maxAnswer
		if k.method != http.MethodGet {
			limit = maxReceipt
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, int64(limit)+1))
		_ = answer.Body.Close() // the body has been read
		if err == nil && len(text) > limit {
			err = errors.New("the answer is too long")
		}
		if err != nil {
			return failed(outbound.Explain(err))
		}
		if next := moved(answer); next != nil {
			if origin(next) != origin(r.URL) {
				return nil, &Error{Call: k.name(), Status: answer.StatusCode, Detail: "a redirect leads to another host"}
			}
			address = next.String()
			continue
		}
		return c.judge(k, answer, text, known)
	}
	return nil, &Error{Call: k.name(), Detail: "too many redirects"}
}

// request builds the HTTP request for a call. known is a cached response, with which the
// request becomes conditional, or nil.
func (c *Client) request(ctx context.Context, k call, address string, body []byte, known *kept) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, k.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, outbound.Explain(err)
	}
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-Github-Api-Version", "2022-11-28")
	if k.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if k.token != "" {
		r.Header.Set("Authorization", "Bearer "+k.token)
	}
	if known != nil {
		r.Header.Set("If-None-Match", known.etag)
	}
	return r, nil
}

// moved returns the address to which a response redirects the call, or nil if there is no
// redirect to follow. The HTTP client has already followed redirects of GET requests. A
// redirect of any other request means that the repository was renamed, so the call is
// repeated there with the same method and body.
func moved(answer *http.Response) *url.URL {
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if next, err := answer.Location(); err == nil {
			return next
		}
	}
	return nil
}

// judge converts an HTTP response to a response or an error. It records the rate limit
// that the HTTP response reports. text is the body. known is the cached response that a
// response with status 304 confirms, or nil.
func (c *Client) judge(k call, answer *http.Response, text []byte, known *kept) (*response, error) {
	at := answer.Request.URL.EscapedPath()
	if base, err := url.Parse(c.API); err == nil {
		at = strings.TrimPrefix(at, base.EscapedPath())
	}
	var said struct {
		Message string `json:"message"`
	}
	ok := answer.StatusCode/100 == 2
	if !ok {
		_ = json.Unmarshal(text, &said) // a response need not have a message
	}
	reset := resetOf(answer.StatusCode, answer.Header, said.Message, c.Now())
	if !reset.IsZero() {
		c.limits.note(k.identity, reset, c.Now())
	}
	if answer.StatusCode == http.StatusNotModified && known != nil {
		return &response{at, known.header, known.body}, nil
	}
	if !ok {
		e := &Error{Call: k.name(), Status: answer.StatusCode, Detail: oneLine(said.Message)}
		if refused(answer.StatusCode) {
			e.Reset = reset
		}
		// with a 3xx status that cannot be followed, such as 303, the call may have taken
		// effect
		e.Unclear = k.method != http.MethodGet && answer.StatusCode/100 != 4
		return nil, e
	}
	if k.method == http.MethodGet {
		c.kept.put(&kept{k.identity + " " + c.API + k.path, answer.Header.Get("ETag"), answer.Header, text})
	}
	return &response{at, answer.Header, text}, nil
}

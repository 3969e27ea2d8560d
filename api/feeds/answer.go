package feeds

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"svc/api/web"
)

// Header values; they must not be changed.
var (
	forAMinute = []string{"public, max-age=60"}
	noStore    = []string{"private, no-store"}

	varyByEncoding = []string{"Accept-Encoding"}
	varyByStaging  = []string{"Accept-Encoding, x-user-staging-id"}
)

// The content types of feeds.
const (
	jsonType  = "application/json"
	yamlType  = "text/yaml; charset=utf-8"
	xmlType   = "application/xml; charset=utf-8"
	plainType = "text/plain; charset=utf-8"
	atomType  = "application/atom+xml; charset=utf-8"
	rssType   = "application/rss+xml; charset=utf-8"
)

// caching sets the headers that tell caches whether they may keep the response.
func (a *asking) caching(public bool) {
	header := a.w.Header()
	header["Vary"], header["Cache-Control"] = varyByEncoding, noStore
	if public {
		header["Cache-Control"] = forAMinute
	}
}

// send responds with a feed.
func (a *asking) send(contentType string, body []byte) error {
	return a.sendAs(!a.personal(), varyByEncoding, contentType, body)
}

// sendAs is like send, but the caller determines whether caches may share the response (public) and
// by which request headers it varies (vary).
func (a *asking) sendAs(public bool, vary []string, contentType string, body []byte) error {
	if a.failed != nil {
		return a.failed
	}
	r := &response{contentType: []string{contentType}, caching: noStore, vary: vary, body: body, named: a.named}
	if public {
		sum := sha256.Sum256(body)
		r.caching, r.etag = forAMinute, []string{`"` + hex.EncodeToString(sum[:16]) + `"`}
	}
	a.remember(r)
	a.reply(r)
	return nil
}

// write sends a body with status 200.
func (a *asking) write(contentType []string, body []byte) {
	header := a.w.Header()
	header["Content-Type"] = contentType
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	a.w.WriteHeader(http.StatusOK)
	_, _ = a.w.Write(body) // an error means that the client has disconnected
}

// matches reports whether the If-None-Match headers in lists contain the entity tag etag or *.
func matches(lists []string, etag string) bool {
	for _, list := range lists {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.Trim(one, " \t"); one == "*" || strings.TrimPrefix(one, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// nothing responds with status 204, which tells the client that it is offered no version.
func (a *asking) nothing() error {
	if a.failed != nil {
		return a.failed
	}
	a.caching(!a.personal())
	a.w.WriteHeader(http.StatusNoContent)
	return nil
}

// missing responds with status 404.
func (a *asking) missing() error {
	if a.failed != nil {
		return a.failed
	}
	return web.ErrNoPath
}

// refuse responds with status 400, because the version in the path cannot be parsed.
func (a *asking) refuse() error {
	const text = "the version in the path is not readable\n"
	header := a.w.Header()
	header["Content-Type"] = []string{plainType}
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	header["Cache-Control"] = forAMinute
	a.w.WriteHeader(http.StatusBadRequest)
	_, _ = a.w.Write([]byte(text)) // an error means that the client has disconnected
	return nil
}

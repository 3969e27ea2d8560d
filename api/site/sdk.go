package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"svc/api/web"
	"svc/clients/browser"
)

// sdkPrefix is what the paths of the client library for web pages begin with.
const sdkPrefix = "/sdk/"

func (h *Handlers) sdkRoutes() []web.Route {
	return []web.Route{{Method: "GET", Path: sdkPrefix + ":file", Access: web.Anyone(), Handler: serveSDK}}
}

// IsSDK reports whether a decoded path is below that of the client library.
func IsSDK(path string) bool { return strings.HasPrefix(path, sdkPrefix) }

// The headers of the client library. Pages of every origin may load it, those that are
// isolated from other origins as well, and it is the same for all of them.
var (
	anyPage        = []string{"cross-origin"}
	varyByEncoding = []string{"Accept-Encoding"}
	javaScript     = []string{"text/javascript; charset=utf-8"}
	forMinutes     = []string{"public, max-age=300"}
	forever        = []string{"public, max-age=31536000, immutable"}
)

// SetSDKHeaders sets what every answer below the path of the client library has.
func SetSDKHeaders(header http.Header, r *http.Request) {
	web.AllowEveryOrigin(header, r)
	header["Cross-Origin-Resource-Policy"] = anyPage
	header["Vary"] = varyByEncoding
}

// script is a file of the client library under one of its names.
type script struct {
	forms  []form // the one to prefer first, the plain one last
	pinned bool   // the name stands for this content only
}

// form is a script as it is sent.
type form struct {
	encoding string // "" = as it is
	etag     string
	body     string
}

// scripts are all files by name. Making them takes some milliseconds, once.
var scripts = sync.OnceValue(func() map[string]script {
	all := map[string]script{}
	for _, f := range browser.Files() {
		hash := f.Hash()
		forms := []form{{"br", `"` + hash + `-br"`, f.Brotli}, {"gzip", `"` + hash + `-gzip"`, zipped(f.Text)}, {"", `"` + hash + `"`, f.Text}}
		all[f.Name] = script{forms: forms}
		all[f.PinnedName()] = script{forms: forms, pinned: true}
	}
	return all
})

func zipped(text string) string {
	var to bytes.Buffer
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression) // it fails for other levels, and a buffer never
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return to.String()
}

func serveSDK(w http.ResponseWriter, r *web.Request) error {
	s, ok := scripts()[r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	f := s.formFor(strings.Join(r.Header["Accept-Encoding"], ","))
	header := w.Header()
	header["Cache-Control"] = forMinutes
	if s.pinned {
		header["Cache-Control"] = forever
	}
	header["Etag"] = []string{f.etag}
	if hasItem(strings.Join(r.Header["If-None-Match"], ","), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header["Content-Type"] = javaScript
	header["Content-Length"] = []string{strconv.Itoa(len(f.body))}
	if f.encoding != "" {
		header["Content-Encoding"] = []string{f.encoding}
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, f.body) // an error means that the client has gone
	}
	return nil
}

// formFor is the first form that an Accept-Encoding lists, RFC 9110 section 12.5.3. Who
// accepts anything, or all but what is listed, gets the plain one.
func (s script) formFor(accepted string) form {
	last := len(s.forms) - 1
	for _, f := range s.forms[:last] {
		if hasItem(accepted, f.encoding) {
			return f
		}
	}
	return s.forms[last]
}

// hasItem reports whether a list with commas has an item, in any case. A weak entity tag
// is like a strong one, and an item of no weight, as in "br;q=0", is not in the list.
func hasItem(list, want string) bool {
	for item := range strings.SplitSeq(list, ",") {
		item, parameter, _ := strings.Cut(item, ";")
		item = strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if strings.EqualFold(item, want) && !weightless(parameter) {
			return true
		}
	}
	return false
}

// weightless reports whether a parameter is a weight of 0, in any of its forms.
func weightless(parameter string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && weight == 0
}

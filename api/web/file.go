package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// File is a file that does not change while the program runs. It holds the file in each encoding in
// which it can be sent. It is safe for concurrent use.
type File struct {
	contentType []string
	forms       func() []form // in order of preference, the unencoded one last
}

// form is a file in one encoding. Its body is created on the first request for this encoding.
type form struct {
	encoding string // "" = not encoded
	etag     string
	body     func() string
}

// NewFile returns a file with the given content type. The functions text and brotli must return its
// plain content and its content compressed with Brotli. They are called on the first request. If
// brotli is nil, the file is not available in Brotli encoding.
func NewFile(contentType string, text, brotli func() string) *File {
	return &File{[]string{contentType}, sync.OnceValue(func() []form {
		plain := text()
		sum := sha256.Sum256([]byte(plain))
		hash := hex.EncodeToString(sum[:8])
		var forms []form
		if brotli != nil {
			forms = append(forms, form{"br", `"` + hash + `-br"`, sync.OnceValue(brotli)})
		}
		if strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "image/svg") || contentType == "application/json" {
			forms = append(forms, form{"gzip", `"` + hash + `-gzip"`, sync.OnceValue(func() string { return zipped(text()) })})
		}
		return append(forms, form{"", `"` + hash + `"`, sync.OnceValue(text)})
	})}
}

// NewPackedFile returns a file that the program contains only in two compressed forms. The
// functions brotli and gzip must return these forms. They are called on the first request.
func NewPackedFile(contentType string, brotli, gzip func() string) *File {
	return &File{[]string{contentType}, sync.OnceValue(func() []form {
		brotli := sync.OnceValue(brotli)
		sum := sha256.Sum256([]byte(brotli()))
		hash := hex.EncodeToString(sum[:8])
		return []form{
			{"br", `"` + hash + `-br"`, brotli},
			{"gzip", `"` + hash + `-gzip"`, sync.OnceValue(gzip)},
			{"", `"` + hash + `"`, sync.OnceValue(func() string { return unzipped(gzip()) })},
		}
	})}
}

// fileTypes maps file extensions to content types. The tables of the operating systems are not
// used, because they differ.
var fileTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".webp":  "image/webp",
	".woff2": "font/woff2",
}

// FileType returns the content type of a file with the given name.
func FileType(name string) string {
	if known := fileTypes[path.Ext(name)]; known != "" {
		return known
	}
	return "application/octet-stream"
}

func zipped(text string) string {
	var to bytes.Buffer
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression) // the level is valid, and writing to a buffer never fails
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return to.String()
}

// unzipped decompresses text. It panics if the text is not valid, because the text is part of the
// program.
func unzipped(text string) string {
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(plain)
}

// Values of the Cache-Control header. They must not be modified.
var (
	ForMinutes = []string{"public, max-age=300"}
	Forever    = []string{"public, max-age=31536000, immutable"}
)

// VaryByEncoding is the value of the Vary header of a response that is available in several
// encodings.
var VaryByEncoding = []string{"Accept-Encoding"}

// Serve answers a GET or HEAD request with the best form that the client accepts, or with 304 if
// the client already has that form. The parameter caching is the value of the Cache-Control header.
func (f *File) Serve(w http.ResponseWriter, r *Request, caching []string) {
	chosen := choose(f.forms(), strings.Join(r.Header["Accept-Encoding"], ","))
	header := w.Header()
	header["Cache-Control"] = caching
	header["Etag"] = []string{chosen.etag}
	if hasItem(strings.Join(r.Header["If-None-Match"], ","), chosen.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := chosen.body()
	header["Content-Type"] = f.contentType
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	if chosen.encoding != "" {
		header["Content-Encoding"] = []string{chosen.encoding}
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // an error means that the client has gone
	}
}

// choose returns the first form with an encoding that the Accept-Encoding header lists (RFC 9110
// section 12.5.3). If there is none, choose returns the last form, which is not encoded. It ignores
// "*", so that a client that accepts any encoding gets the plain form.
func choose(forms []form, accepted string) form {
	last := len(forms) - 1
	for _, f := range forms[:last] {
		if hasItem(accepted, f.encoding) {
			return f
		}
	}
	return forms[last]
}

// hasItem reports whether a list separated by commas contains an item, ignoring case. Weak entity
// tags count as strong ones. An item with weight 0, as in "br;q=0", does not count.
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

// weightless reports whether a parameter is a weight of 0, such as "q=0" or "Q=0.0".
func weightless(parameter string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return strings.EqualFold(strings.TrimSpace(name), "q") && err == nil && weight == 0
}

package distribution

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/storage"
	"svc/store"
)

// linkPrefix is the prefix of all direct links.
const linkPrefix = "/f/"

func (h *Handlers) linkRoutes() []web.Route {
	return []web.Route{{Method: "GET", Path: "/f/:project/:file_id/:file_name", Access: web.Anyone(), Handler: h.download}}
}

// IsLink reports whether a decoded path is a direct link.
func IsLink(path string) bool { return strings.HasPrefix(path, linkPrefix) }

// sandbox is the Content-Security-Policy of every response to a direct link. It makes browsers
// sandbox an uploaded file, so that the file cannot act as a page of this site.
var sandbox = []string{"sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"}

// SetLinkHeaders sets the headers that every response to a direct link has. Such responses do not
// depend on the client.
func SetLinkHeaders(header http.Header, r *http.Request) {
	web.AllowEveryOrigin(header, r)
	header["Content-Security-Policy"] = sandbox
}

// RefuseLink responds with status 404 to a direct link for which there is no file. Caches may keep
// the response for a minute.
func RefuseLink(w http.ResponseWriter) {
	w.Header()["Cache-Control"] = []string{"public, max-age=60"}
	writeText(w, http.StatusNotFound, "Not Found")
}

func writeText(w http.ResponseWriter, status int, text string) {
	header := w.Header()
	header["Content-Type"] = []string{"text/plain"}
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // an error means that the client has disconnected
}

// download answers a request for a direct link. If the record of the file is sufficient for the
// response, download does not access the storage. Otherwise it reads the object from the storage
// that the record names.
func (h *Handlers) download(w http.ResponseWriter, r *web.Request) error {
	key, ok := files.ParseLink(r.URL.EscapedPath())
	if !ok {
		RefuseLink(w)
		return nil
	}
	return h.serve(w, r, key, forever)
}

// forever is the value of Cache-Control for direct links. The content behind a direct link never changes.
const forever = "public, max-age=31536000, immutable"

// noStore is the value of Cache-Control for responses that caches must not store.
var noStore = []string{"no-store"}

// ServeStored answers a request in the same way as the direct link to a stored file does. path is
// the path of the link, percent-encoded. caching is the value of Cache-Control.
func (h *Handlers) ServeStored(w http.ResponseWriter, r *web.Request, path, caching string) error {
	key, ok := files.ParseLink(path)
	if !ok {
		RefuseLink(w)
		return nil
	}
	SetLinkHeaders(w.Header(), r.Request)
	return h.serve(w, r, key, caching)
}

// serve answers a request with the stored file that has an object key.
func (h *Handlers) serve(w http.ResponseWriter, r *web.Request, key, caching string) error {
	f, backend, err := h.DB.LinkedFile(key)
	if fault.Is(err, fault.NotFound) {
		RefuseLink(w)
		return nil
	}
	if err != nil {
		return err
	}
	etag := `"` + f.SHA256 + `"`
	if unchanged(r.Header, etag, f.CreatedAt) {
		setFileHeaders(w.Header(), f, etag, caching)
		// net/http removes the header Content-Type from a 304, but the API requires it. A
		// header name in another case is kept and means the same on the wire. HTTP/2 would send
		// both headers.
		delete(w.Header(), "Content-Type")
		w.Header()["content-type"] = []string{files.ContentType(f.Filename)}
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	spans, satisfiable := askedFor(r.Header, etag, f.Size)
	if !satisfiable {
		w.Header()["Content-Range"] = []string{"bytes */" + strconv.FormatInt(f.Size, 10)}
		writeText(w, http.StatusRequestedRangeNotSatisfiable, "Range Not Satisfiable")
		return nil
	}
	d := &transfer{Handlers: h, file: f, backend: backend, caching: caching, cacheStatus: bypass}
	d.plan(spans)
	if r.Method == http.MethodHead {
		d.begin(w, etag)
		return nil
	}
	answering := func() {}
	if !backend.Builtin() {
		answering = waiting(w)
	}
	err = d.open(r.Context(), d.spans[0])
	answering()
	if errors.Is(err, fs.ErrNotExist) && backend.Builtin() && r.Route.Replication.IsStandby() {
		w.Header()["Cache-Control"] = noStore // a cache must ask again
		return web.ErrNotCopied
	}
	if err != nil {
		h.Log.Warn("storage of a file unavailable", "file", f.ID, "storage", f.Backend, "error", err, "id", r.ID)
		w.Header()["Cache-Control"] = noStore
		writeText(w, http.StatusBadGateway, "Storage Unavailable")
		return nil
	}
	defer d.close()
	if d.counts(r.Header) {
		h.count(store.CountedRequest{Project: f.Project, Hour: store.HourOf(r.Received), Download: f.ID})
	}
	d.begin(w, etag)
	if err := d.send(w, r); err != nil {
		if r.Context().Err() == nil {
			h.Log.Warn("download broken off", "file", f.ID, "storage", f.Backend, "error", err, "id", r.ID)
		}
		// Abort the connection, so that the partial response does not look complete.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// conditions are the headers that make a request conditional.
var conditions = []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"}

// counts reports whether the response counts as a download. That is the case if the response
// contains the first byte of the file and the request is not conditional. A client that resumes a
// download, or fetches the file in parts, is therefore counted once.
func (d *transfer) counts(header http.Header) bool {
	return !slices.ContainsFunc(conditions, func(name string) bool { return len(header[name]) > 0 }) &&
		slices.ContainsFunc(d.spans, func(s span) bool { return s.start == 0 })
}

// waiting removes the time limits of a request while a storage is being queried. Otherwise the read
// deadline would cancel the context of the request, and the write deadline could pass before the
// response begins. The caller must call answering before it writes the response, to set the write
// deadline again.
func waiting(w http.ResponseWriter) (answering func()) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not supported in process
	return web.NoWriteDeadline(w)
}

// setFileHeaders sets the headers that responses with status 200, 206 and 304 have in common.
func setFileHeaders(header http.Header, f *store.File, etag, caching string) {
	contentType := files.ContentType(f.Filename)
	values := &[6]string{
		caching, etag,
		time.Unix(f.CreatedAt, 0).UTC().Format(http.TimeFormat), "bytes", contentType, disposition(f.Filename, contentType),
	}
	header["Cache-Control"] = values[0:1:1]
	header["Etag"] = values[1:2:2]
	header["Last-Modified"] = values[2:3:3]
	header["Accept-Ranges"] = values[3:4:4]
	header["Content-Type"] = values[4:5:5]
	header["Content-Disposition"] = values[5:6:6]
}

// disposition returns a Content-Disposition (RFC 6266) that makes browsers display images and save
// all other files. The header contains the filename twice: in plain ASCII for old programs, and in
// UTF-8 for all others.
func disposition(filename, contentType string) string {
	var b strings.Builder
	b.Grow(len(filename)*2 + 48)
	if strings.HasPrefix(contentType, "image/") {
		b.WriteString(`inline; filename="`)
	} else {
		b.WriteString(`attachment; filename="`)
	}
	for _, c := range filename {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			c = '_'
		}
		b.WriteByte(byte(c))
	}
	b.WriteString(`"; filename*=UTF-8''`)
	const hex = "0123456789ABCDEF"
	for i := range len(filename) {
		if c := filename[i]; attrChar(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// attrChar reports whether c is an attr-char of RFC 8187 section 3.2.1.
func attrChar(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0
}

// unchanged reports whether the client already has the file, according to the conditional headers
// of its request. See RFC 9110 sections 13.1.2 and 13.1.3.
func unchanged(header http.Header, etag string, created int64) bool {
	if lists := header["If-None-Match"]; len(lists) > 0 {
		for _, list := range lists {
			for one := range strings.SplitSeq(list, ",") {
				if one = strings.Trim(one, " \t"); one == "*" || strings.TrimPrefix(one, "W/") == etag {
					return true
				}
			}
		}
		return false
	}
	since := header["If-Modified-Since"]
	if len(since) != 1 {
		return false
	}
	t, err := http.ParseTime(since[0])
	return err == nil && created <= t.Unix()
}

// askedFor returns the ranges that the request asks for. It ignores them if the header If-Range
// does not match the file.
func askedFor(header http.Header, etag string, size int64) (spans []span, satisfiable bool) {
	ranges := header["Range"]
	if len(ranges) == 0 {
		return nil, true
	}
	if known := header["If-Range"]; len(known) > 0 && (len(known) > 1 || strings.Trim(known[0], " \t") != etag) {
		return nil, true
	}
	return parseRange(ranges, size)
}

// Values of X-Svc-Cache-Status.
const (
	hit    = "HIT"
	miss   = "MISS"
	bypass = "BYPASS"
)

// transfer is a response that contains bytes of a file.
type transfer struct {
	*Handlers
	file    *store.File
	backend *store.StorageBackend
	caching string // value of Cache-Control

	spans       []span // contains at least one span
	partial     bool
	boundary    string   // "" unless there are several spans
	heads       []string // header of each part of the body; nil unless there are several spans
	length      int64    // length of the body
	cacheStatus string
	from        io.ReadCloser // reader of the span that was opened last
}

// plan determines the layout of the body. If spans is empty, the body is the whole file.
func (d *transfer) plan(spans []span) {
	d.spans, d.partial = spans, len(spans) > 0
	if !d.partial {
		d.spans = []span{{0, d.file.Size}}
	}
	d.length = total(d.spans)
	if len(spans) < 2 {
		return
	}
	d.boundary = rand.Text()[:24]
	contentType := files.ContentType(d.file.Filename)
	d.heads = make([]string, len(spans))
	for i, s := range spans {
		d.heads[i] = "--" + d.boundary + "\r\nContent-Type: " + contentType + "\r\nContent-Range: " + d.contentRange(s) + "\r\n\r\n"
		if i > 0 {
			d.heads[i] = "\r\n" + d.heads[i]
		}
		d.length += int64(len(d.heads[i]))
	}
	d.length += int64(len(d.tail()))
}

// tail returns the final boundary of a body with several spans.
func (d *transfer) tail() string { return "\r\n--" + d.boundary + "--\r\n" }

func (d *transfer) contentRange(s span) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.start, s.start+s.length-1, d.file.Size)
}

// begin sends the status and the headers of the response.
func (d *transfer) begin(w http.ResponseWriter, etag string) {
	header := w.Header()
	setFileHeaders(header, d.file, etag, d.caching)
	header["Content-Length"] = []string{strconv.FormatInt(d.length, 10)}
	header["X-Svc-Cache-Status"] = []string{d.cacheStatus}
	switch {
	case !d.partial:
		w.WriteHeader(http.StatusOK)
		return
	case d.boundary != "":
		header["Content-Type"] = []string{"multipart/byteranges; boundary=" + d.boundary}
	default:
		header["Content-Range"] = []string{d.contentRange(d.spans[0])}
	}
	w.WriteHeader(http.StatusPartialContent)
}

// open opens the given span for reading. A local file stays open from one span to the next. An
// object on another storage is read in slices through the cache. For such an object, open only
// returns errors of the first slice, and reading returns the errors of later slices.
func (d *transfer) open(ctx context.Context, s span) (err error) {
	if file, ok := d.from.(*os.File); ok {
		_, err = file.Seek(s.start, io.SeekStart)
		return err
	}
	d.close()
	o := storage.Object{Key: d.file.ObjectKey, Size: d.file.Size, PartSize: d.file.PartSize}
	if d.backend.Builtin() {
		d.from, err = d.Storages.Local().Open(ctx, o, s.start, s.length)
		return err
	}
	var known bool
	fetch := func(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
		backend, err := d.Open(d.backend)
		if err != nil {
			return nil, err
		}
		return backend.Open(ctx, o, offset, length)
	}
	d.from, known, err = d.Cache.Reader(ctx, o.Key, o.Size, s.start, s.length, fetch)
	if d.cacheStatus == bypass { // the header shows the cache status of the first slice
		d.cacheStatus = miss
		if known {
			d.cacheStatus = hit
		}
	}
	return err
}

func (d *transfer) close() {
	if d.from != nil {
		_ = d.from.Close() // the file was only read, so closing it loses nothing
		d.from = nil
	}
}

// send sends the body. The caller must have opened the first span.
func (d *transfer) send(w http.ResponseWriter, r *web.Request) error {
	wire := http.NewResponseController(w)
	// The read deadline of the request would cancel its context during the response.
	_ = wire.SetReadDeadline(time.Time{}) // not supported in process
	for i, s := range d.spans {
		if i > 0 {
			if err := d.open(r.Context(), s); err != nil {
				return err
			}
		}
		if d.boundary != "" {
			if _, err := io.WriteString(w, d.heads[i]); err != nil {
				return err
			}
		}
		if err := copyPaced(w, wire, d.from, s.length); err != nil {
			return err
		}
	}
	if d.boundary == "" {
		return nil
	}
	_, err := io.WriteString(w, d.tail())
	return err
}

// The minimum speed of a download. If a client takes longer than pieceTime for a piece, it is
// considered disconnected, even if the connection is still open. The minimum is a little more than
// 8 KiB per second. The total time of a download is not limited.
const (
	piece     = 1 << 20
	pieceTime = 2 * time.Minute
)

// copyPaced copies exactly n bytes to the client in pieces and sets a deadline for each piece. If
// the source is a local file, it passes an *os.File wrapped in an io.LimitedReader to w, so that
// the kernel can copy the bytes to a connection without TLS.
func copyPaced(w http.ResponseWriter, wire *http.ResponseController, from io.Reader, n int64) error {
	for n > 0 {
		_ = wire.SetWriteDeadline(time.Now().Add(pieceTime)) // not supported in process
		want := min(n, piece)
		sent, err := io.Copy(w, io.LimitReader(from, want))
		if err == nil && sent < want {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		n -= sent
	}
	return nil
}

package svcsdk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DownloadOptions configures a download.
type DownloadOptions struct {
	// OnProgress receives the number of bytes received so far and the total. The total is -1 if it
	// is not known.
	OnProgress func(received, total int64)
	// Link is the link to download from. If it is nil, the link of the update is used.
	Link *DownloadLink
}

// Download is a downloaded file.
type Download struct {
	Path   string
	Size   int64
	SHA256 string // hexadecimal
	// Verified reports whether the size and the SHA-256 were checked against the server's record.
	Verified bool
}

// Download downloads the file of the update to the given path. It writes a partial file in the same
// folder first, and renames it when it is complete. If Download fails, an existing file at that
// path is unchanged. The error is a [*UsageError] if there is no usable link, and otherwise a
// [*ConnectionError]. If the link belongs to a svc server, Download also checks the size and the
// SHA-256. After a broken connection, Download resumes. It can also resume a download that an
// earlier process, which was killed, left incomplete. Download does not install anything.
func (u *Update) Download(ctx context.Context, to string, opts *DownloadOptions) (*Download, error) {
	var o DownloadOptions
	if opts != nil {
		o = *opts
	}
	link := cmp.Or(o.Link, u.Link)
	if link == nil {
		return nil, usage("there is no download for this platform")
	}
	target, err := url.Parse(link.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, usage("the link of the download is not an http or https address")
	}
	if target.Scheme == "http" && strings.HasPrefix(strings.ToLower(u.client.base), "https:") {
		return nil, usage("the link of the download is not an https address")
	}
	d := &downloader{
		client: u.client, link: target.String(), own: isOwnLink(link.URL), to: to,
		progress: o.OnProgress, total: -1,
	}
	d.http = &http.Client{Transport: u.client.http.Transport, CheckRedirect: checkDownloadRedirect}
	return d.run(ctx)
}

// checkDownloadRedirect lets downloads follow up to five redirects, but not from https to http.
func checkDownloadRedirect(next *http.Request, via []*http.Request) error {
	const most = 5
	if len(via) > most {
		return errors.New("the download has too many redirects")
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("the download is redirected from https to http")
	}
	return nil
}

// downloader is a download in progress.
type downloader struct {
	client   *Client
	http     *http.Client
	link, to string // URL to download from and path of the complete file
	own      bool   // the link belongs to a svc server
	progress func(received, total int64)

	total   int64  // size of the file, or -1 if it is not known
	etag    string // a strong ETag, without its quotes; "" if there is none
	partial *os.File
	sum     hash.Hash
	offset  int64  // bytes in the partial file, all included in sum
	best    int64  // the greatest offset so far
	claimed string // path of the partial file, which is a key of partials
}

// permanent is an error for which a further attempt is useless.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// run makes attempts until the download is complete or has failed permanently.
func (d *downloader) run(ctx context.Context) (*Download, error) {
	defer d.discard()
	defer func() { partials.Delete(d.claimed) }()
	for failed := 0; ; {
		best := d.best
		err := d.attempt(ctx)
		if err == nil {
			return d.finish()
		}
		if d.best > best {
			failed = 0
		}
		failed++
		const most = 5
		_, final := errors.AsType[permanent](err)
		if final || failed >= most || ctx.Err() != nil || d.client.closing.Err() != nil {
			return nil, downloadError(ctx, err)
		}
		pause := outcome{failure: connectFailed, retryAfter: askedPause(err)}
		delay, _ := pause.retry(http.MethodGet, failed-1, most)
		if err := d.client.pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

func downloadError(ctx context.Context, err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &ConnectionError{Message: "download failed: " + err.Error(), Cause: err, Timeout: errors.Is(err, context.DeadlineExceeded)}
}

// errSlow means that no byte arrived within the time limit.
var errSlow = fmt.Errorf("no byte came in time: %w", context.DeadlineExceeded)

// attempt requests the missing bytes of the file and appends them to the partial file.
func (d *downloader) attempt(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatchdog(d.client.config.timeout, func() { cancel(errSlow) })
	defer watch.stop()
	response, err := d.request(ctx, d.offset)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		if err := d.begin(response); err != nil {
			return err
		}
		if d.offset > 0 { // an earlier process has left the first bytes
			return d.rest(ctx, watch)
		}
	}
	return d.take(response, watch)
}

// rest requests the bytes that follow the content of the partial file, which an earlier process
// left, and appends them.
func (d *downloader) rest(ctx context.Context, watch *watchdog) error {
	response, err := d.request(ctx, d.offset)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		if err := d.restart(); err != nil {
			return err
		}
	}
	return d.take(response, watch)
}

// take appends the body of a response to the partial file. It returns an error if the body does not
// begin where that file ends.
func (d *downloader) take(response *http.Response, watch *watchdog) error {
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusPartialContent:
		if !d.continues(response.Header.Get("Content-Range")) {
			return permanent{errors.New("the server continued at another place")}
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return errors.Join(errors.New("the server has nothing after what is here"), d.restart())
	default:
		return d.refused(response)
	}
	if err := d.copy(response.Body, watch); err != nil {
		return cmp.Or(context.Cause(response.Request.Context()), err)
	}
	if d.total >= 0 && d.offset < d.total {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// request requests the bytes of the file that begin at the given offset.
func (d *downloader) request(ctx context.Context, offset int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.link, nil)
	if err != nil {
		return nil, permanent{errors.New("the address cannot be used")}
	}
	r.URL.User = nil
	r.Header.Set("User-Agent", d.client.config.userAgent)
	// The server sends the size and the SHA-256 of the uncompressed file.
	r.Header.Set("Accept-Encoding", "identity")
	if offset > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		r.Header.Set("If-Range", `"`+d.etag+`"`)
	}
	return d.http.Do(r)
}

// refusal is the error for a response with a status other than 200, 206 and 416.
type refusal struct {
	status     int
	retryAfter time.Duration
}

func (r *refusal) Error() string { return fmt.Sprintf("the answer has the status %d", r.status) }

func askedPause(err error) time.Duration {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.retryAfter
	}
	return 0
}

func (d *downloader) refused(response *http.Response) error {
	r := &refusal{status: response.StatusCode}
	r.retryAfter, _ = retryAfter(response.Header.Get("Retry-After"), d.client.clock.now())
	if r.status < 502 || r.status > 504 || r.retryAfter > mostAsked {
		return permanent{r}
	}
	return r
}

// begin reads the size and the ETag of the file from the response, and opens the partial file,
// which may already have some of the content.
func (d *downloader) begin(response *http.Response) error {
	etag := response.Header.Get("ETag")
	strong := len(etag) > 2 && etag[0] == '"' && etag[len(etag)-1] == '"'
	if etag = strings.Trim(etag, `"`); !strong {
		etag = ""
	}
	if d.own && !isSHA256(etag) {
		return permanent{errors.New("the answer does not say the SHA-256 of the file")}
	}
	if d.own && response.ContentLength < 0 {
		return permanent{errors.New("the answer does not say the size of the file")}
	}
	same := d.partial != nil && d.etag == etag && etag != ""
	d.etag, d.total = etag, response.ContentLength
	if d.partial != nil && (same || !d.own) {
		return d.restart()
	}
	d.discard()
	partials.Delete(d.claimed)
	return d.open()
}

// open opens the partial file. If the link belongs to a svc server, the name of the partial file is
// derived from the ETag, and an earlier process may already have written some of its content.
func (d *downloader) open() (err error) {
	const shown = 16
	dir, name := filepath.Split(d.to)
	if !d.own {
		path := filepath.Join(dir, name+"."+newUUID()[:8]+".part")
		if d.partial, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
			return permanent{err}
		}
		return d.restart()
	}
	path := filepath.Join(dir, name+"."+d.etag[:shown]+".part")
	if _, taken := partials.LoadOrStore(path, true); taken {
		// Another goroutine is downloading the same file.
		path = filepath.Join(dir, name+"."+newUUID()+".part")
		partials.Store(path, true)
	}
	d.claimed = path
	// The folder may be writable for other users, so make sure that this is a regular file.
	if found, err := os.Lstat(path); err == nil && found.Mode().IsRegular() {
		d.partial, err = os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return permanent{err}
		}
	} else if d.partial, err = createPartial(path); err != nil {
		return permanent{err}
	}
	d.sum = sha256.New()
	if d.offset, err = io.Copy(d.sum, d.partial); err != nil {
		return permanent{err}
	}
	if d.offset >= d.total {
		return d.restart()
	}
	d.best = d.offset
	return nil
}

// restart empties the partial file.
func (d *downloader) restart() error {
	d.sum, d.offset = sha256.New(), 0
	if d.partial == nil {
		return nil
	}
	name := d.partial.Name()
	err := d.partial.Close()
	if err == nil {
		d.partial, err = createPartial(name)
	}
	if err != nil {
		d.partial = nil
		return permanent{err}
	}
	return nil
}

// partials holds the paths of the partial files that are being written.
var partials sync.Map

// createPartial creates an empty partial file. If the file already exists, createPartial removes it
// first. It does not truncate the existing file, because another process may be renaming it.
func createPartial(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

// continues reports whether a Content-Range begins at the end of the partial file and has the
// expected total size.
func (d *downloader) continues(header string) bool {
	text, ok := strings.CutPrefix(header, "bytes ")
	place, total, found := strings.Cut(text, "/")
	start, _, ranged := strings.Cut(place, "-")
	if !ok || !found || !ranged || d.partial == nil || start != strconv.FormatInt(d.offset, 10) {
		return false
	}
	return d.total < 0 || total == strconv.FormatInt(d.total, 10)
}

// copy appends the body of a response to the partial file. If the connection breaks and the
// download cannot be resumed, copy empties the partial file.
func (d *downloader) copy(body io.Reader, watch *watchdog) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := body.Read(buffer)
		watch.reset()
		if n > 0 {
			if _, err := d.partial.Write(buffer[:n]); err != nil {
				return permanent{err}
			}
			d.sum.Write(buffer[:n])
			d.offset += int64(n)
			d.best = max(d.best, d.offset)
			if d.total >= 0 && d.offset > d.total {
				return permanent{errors.New("the size of the file is not that of its record")}
			}
			if d.progress != nil {
				d.progress(d.offset, d.total)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if d.etag == "" {
				return errors.Join(err, d.restart())
			}
			return err
		}
	}
}

// finish checks the file and renames it to its final path.
func (d *downloader) finish() (*Download, error) {
	sum := hex.EncodeToString(d.sum.Sum(nil))
	if d.own && sum != d.etag {
		return nil, &ConnectionError{Message: "download failed: the SHA-256 of the file is not that of its record"}
	}
	name := d.partial.Name()
	err := d.partial.Sync()
	err = errors.Join(err, d.partial.Close())
	if err == nil {
		err = os.Rename(name, d.to)
	}
	if err != nil {
		return nil, &ConnectionError{Message: "download failed: " + err.Error(), Cause: err}
	}
	d.partial = nil
	return &Download{Path: d.to, Size: d.offset, SHA256: sum, Verified: d.own}, nil
}

// discard removes the partial file, if there is one.
func (d *downloader) discard() {
	if d.partial == nil {
		return
	}
	name := d.partial.Name()
	if err := errors.Join(ignoreClosed(d.partial.Close()), os.Remove(name)); err != nil {
		d.client.logger.Debug("a partial download cannot be removed")
	}
	d.partial = nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func isSHA256(text string) bool {
	return len(text) == hex.EncodedLen(sha256.Size) && strings.Trim(text, "0123456789abcdef") == ""
}

// watchdog calls a function when it has not been reset for a given time.
type watchdog struct {
	limit time.Duration
	timer *time.Timer // nil if there is no limit
}

func newWatchdog(limit time.Duration, bark func()) *watchdog {
	w := &watchdog{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, bark)
	}
	return w
}

func (w *watchdog) reset() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

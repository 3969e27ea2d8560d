package svcsdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Logs reports errors of the app to the project in the background. It never fails or blocks. It
// holds up to 100 reports in memory. It sends the same error at most once a minute. It sends up to
// ten reports in a burst, then one every six seconds. See [Client.Logs].
type Logs struct {
	client *Client

	mu       sync.Mutex // guards the fields below; never held during I/O
	redact   func(Report) (Report, bool)
	waiting  []*pendingReport
	limits   reportLimits
	failures int // number of consecutive failures
	failed   int // total number of failures
	changed  chan struct{}
	kick     chan struct{}
	running  bool
	ended    bool
	cancel   context.CancelFunc
	workers  sync.WaitGroup
}

// Report describes an error.
type Report struct {
	Level      LogLevel
	Content    string // type, message and stack, at most 4,096 characters
	Source     string // where the error occurred, at most 128 characters
	DeviceInfo map[string]any
	CustomData map[string]any
}

// pendingReport is a report that waits to be sent. It is sent to the project that was bound when
// the report was made.
type pendingReport struct {
	project string
	body    []byte // encoded immediately, so that later changes by the app do not affect it
}

// CaptureOptions adds details to a report. The zero value reports an error without details.
type CaptureOptions struct {
	Level      *LogLevel // nil means LogError
	Source     string
	CustomData map[string]any
}

const (
	mostReports     = 100
	mostContent     = 4096
	mostSource      = 128
	reportBackoff   = 5 * time.Second
	sourceUncaught  = "uncaught"
	recoverPatience = 2 * time.Second
)

func newLogs(c *Client) *Logs {
	return &Logs{client: c, changed: make(chan struct{}), kick: make(chan struct{}, 1), limits: newReportLimits()}
}

// Capture reports an error with the caller's stack. If err is nil, it does nothing.
func (l *Logs) Capture(err error, opts *CaptureOptions) {
	if err == nil {
		return
	}
	l.capture(fault{kind: fmt.Sprintf("%T", err), message: safeText(err), frames: callers(1)}, opts)
}

// CapturePanic reports a recovered value. Call it in the deferred function that called recover,
// because the stack then still shows the panic.
func (l *Logs) CapturePanic(value any) {
	if value == nil {
		return
	}
	l.capture(panicFault(value, callers(1)), &CaptureOptions{Source: sourceUncaught})
}

// Recover reports a panic and panics again. Defer it at the start of a goroutine. It waits up to
// two seconds for the report to be sent, because the program is about to end.
func (l *Logs) Recover() {
	value := recover()
	if value == nil {
		return
	}
	l.capture(panicFault(value, callers(1)), &CaptureOptions{Source: sourceUncaught})
	ctx, cancel := context.WithTimeout(context.Background(), recoverPatience)
	left := l.Flush(ctx)
	cancel()
	if left == 0 {
		forgetCrash()
	}
	panic(value)
}

func panicFault(value any, frames []frame) fault {
	f := fault{kind: "panic", frames: panicking(frames)}
	if err, ok := value.(error); ok {
		f.kind, f.message = fmt.Sprintf("%T", err), safeText(err)
	} else {
		f.message = fmt.Sprint(value)
	}
	return f
}

// safeText returns the text of err, even if its Error method panics.
func safeText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return err.Error()
}

// fault is an error or a panic.
type fault struct {
	kind, message string
	frames        []frame // innermost first
}

// place returns the text of the innermost frame.
func (f *fault) place() string {
	if len(f.frames) == 0 {
		return ""
	}
	return f.frames[0].String()
}

// fingerprint returns a hash of the kind, the message and the innermost frame. Two faults with the
// same fingerprint count as the same error.
func (f *fault) fingerprint() string {
	return fingerprint(f.kind + "\n" + f.message + "\n" + f.place())
}

// content returns the text of the report.
func (f *fault) content() string {
	head := f.kind
	if f.message != "" {
		head = strings.TrimPrefix(head+": "+f.message, ": ")
	}
	var b strings.Builder
	b.WriteString(head)
	for _, frame := range f.frames {
		b.WriteByte('\n')
		b.WriteString(frame.line())
	}
	return cutCharacters(b.String(), mostContent)
}

// cutCharacters cuts a text to at most n characters.
func cutCharacters(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// capture creates a report and queues it for the background goroutine.
func (l *Logs) capture(f fault, opts *CaptureOptions) {
	// A panic in this library, or in the app's redaction, must not reach the app.
	defer func() {
		if recover() != nil {
			l.client.logger.Debug("a report was dropped, because making it panicked")
		}
	}()
	var o CaptureOptions
	if opts != nil {
		o = *opts
	}
	s := l.client.settings.Load()
	print := f.fingerprint()
	l.mu.Lock()
	if l.ended || s.project == "" {
		l.mu.Unlock()
		return
	}
	repeated, dropped, ok := l.limits.pass(print, l.client.clock.monotonic())
	redact := l.redact
	l.mu.Unlock()
	if !ok {
		return
	}
	r := Report{
		Level: LogError, Content: f.content(), Source: cutCharacters(o.Source, mostSource), DeviceInfo: deviceInfo(s),
		CustomData: map[string]any{},
	}
	if o.Level != nil {
		r.Level = *o.Level
	}
	maps.Copy(r.CustomData, o.CustomData)
	r.CustomData["fingerprint"] = print
	if repeated > 0 {
		r.CustomData["repeated"] = repeated
	}
	if dropped > 0 {
		r.CustomData["dropped"] = dropped
	}
	if redact != nil {
		if r, ok = redact(r); !ok {
			return
		}
	}
	body, err := r.encode()
	if err != nil {
		l.client.logger.Debug("a report was dropped, because it cannot be encoded")
		return
	}
	l.enqueue(&pendingReport{s.project, body})
}

// encode returns the body of the request that sends the report. Values that JSON cannot express are
// encoded as text.
func (r *Report) encode() ([]byte, error) {
	in := struct {
		Level      LogLevel        `json:"level"`
		Content    string          `json:"content"`
		Source     string          `json:"source,omitempty"`
		DeviceInfo json.RawMessage `json:"device_info,omitempty"`
		CustomData json.RawMessage `json:"custom_data,omitempty"`
	}{Level: r.Level, Content: r.Content, Source: r.Source}
	var deviceErr, customErr error
	in.DeviceInfo, deviceErr = encodeFields(r.DeviceInfo)
	in.CustomData, customErr = encodeFields(r.CustomData)
	if err := errors.Join(deviceErr, customErr); err != nil {
		return nil, err
	}
	return encodeJSON(in)
}

func encodeFields(fields map[string]any) (json.RawMessage, error) {
	if fields != nil && len(fields) == 0 {
		return json.RawMessage("{}"), nil
	}
	return encodeProperties(fields)
}

// deviceInfo describes the device.
func deviceInfo(s *settings) map[string]any {
	info := map[string]any{"sdk": "svc-sdk-go/" + Version, "runtime": runtime.Version(), "arch": runtime.GOARCH}
	if s.platformIs != off {
		platform, version := s.declared()
		info["os"] = string(platform)
		if version != "" {
			info["os_version"] = version
		}
	}
	if s.appVersion != "" {
		info["app_version"] = s.appVersion
	}
	return info
}

func (l *Logs) enqueue(p *pendingReport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if len(l.waiting) >= mostReports {
		l.waiting = l.waiting[1:]
		l.limits.dropped++
	}
	l.waiting = append(l.waiting, p)
	if !l.running {
		l.running = true
		l.workers.Go(l.run)
	}
}

// run sends the waiting reports until none are left or the client is closed.
func (l *Logs) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 || l.ended {
			l.running = false
			l.announce()
			l.mu.Unlock()
			return
		}
		next := l.waiting[0]
		l.cancel = cancel
		l.mu.Unlock()

		pause, again := l.post(ctx, next)

		l.mu.Lock()
		if !again {
			l.failures = 0
			if len(l.waiting) > 0 && l.waiting[0] == next {
				l.waiting = l.waiting[1:]
			}
			l.announce()
			l.mu.Unlock()
			continue
		}
		l.failures++
		l.failed++
		pause = max(eventBackoff(reportBackoff, l.failures), min(pause, mostAskedFor))
		l.announce()
		l.mu.Unlock()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-l.kick:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// announce wakes the goroutines that wait in Flush. The caller must hold mu.
func (l *Logs) announce() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// post sends a report. The result again reports whether the server may accept the report later.
// pause is the time that the server asks the client to wait, or 0 if it asks for none.
func (l *Logs) post(ctx context.Context, p *pendingReport) (pause time.Duration, again bool) {
	const path = "/public/{k}/logs"
	c := l.client
	target, err := expandPath(path, p.project, nil)
	if err != nil {
		return 0, false
	}
	a, err := c.attempt(ctx, &request{
		method: http.MethodPost, path: path, target: target, settings: c.settings.Load(),
		contentType: "application/json", body: p.body,
	})
	if err != nil {
		return 0, true
	}
	switch {
	case a.status/100 == 2:
	case a.status == http.StatusRequestTimeout, a.status == http.StatusTooManyRequests, a.status >= 500:
		pause, _ = retryAfter(a.header.Get("Retry-After"), c.clock.now())
		return pause, true
	default:
		c.logger.Debug("a report was refused", "status", a.status)
	}
	return 0, false
}

// Flush sends all waiting reports, even during a back-off. If that fails or ctx ends, it returns
// the number of remaining reports.
func (l *Logs) Flush(ctx context.Context) int {
	l.mu.Lock()
	failed := l.failed
	for len(l.waiting) > 0 && l.failed == failed && l.running && ctx.Err() == nil {
		changed := l.changed
		l.mu.Unlock()
		select {
		case l.kick <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
		l.mu.Lock()
	}
	defer l.mu.Unlock()
	return len(l.waiting)
}

// close sends the waiting reports until ctx ends, and then stops sending.
func (l *Logs) close(ctx context.Context) {
	l.Flush(ctx)
	l.mu.Lock()
	l.ended = true
	if l.cancel != nil {
		l.cancel()
	}
	l.mu.Unlock()
	l.workers.Wait()
}

// reportLimits limits the reports of the same error, and the rate of all reports.
type reportLimits struct {
	known   map[string]*knownError
	order   []string // keys of the map known, oldest first
	tokens  float64
	filled  time.Duration // clock time at which tokens was computed
	dropped int           // errors held back by the token bucket since the last report
}

// knownError is an error that has been reported.
type knownError struct {
	at       time.Duration // clock time of the last report
	repeated int           // occurrences since then
}

const (
	reportBurst = 10
	reportEvery = 6 * time.Second
	reportAgain = time.Minute
	mostKnown   = 500
)

func newReportLimits() reportLimits {
	return reportLimits{known: map[string]*knownError{}, tokens: reportBurst}
}

// pass reports whether to send the error with the fingerprint in the parameter print at the time
// now. If so, repeated is the number of times that this error was held back since its last report.
// dropped is the number of errors that the token bucket has held back since the last report of any
// error.
func (r *reportLimits) pass(print string, now time.Duration) (repeated, dropped int, ok bool) {
	k := r.known[print]
	if k != nil && now-k.at < reportAgain {
		k.repeated++
		return 0, 0, false
	}
	r.tokens = min(reportBurst, r.tokens+float64(now-r.filled)/float64(reportEvery))
	r.filled = now
	if r.tokens < 1 {
		r.dropped++
		return 0, 0, false
	}
	r.tokens--
	if k == nil {
		if len(r.order) == mostKnown {
			delete(r.known, r.order[0])
			r.order = append(r.order[:0], r.order[1:]...)
		}
		k = &knownError{}
		r.known[print] = k
		r.order = append(r.order, print)
	}
	repeated, dropped = k.repeated, r.dropped
	k.at, k.repeated, r.dropped = now, 0, 0
	return repeated, dropped, true
}

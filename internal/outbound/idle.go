package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// IdleTime is the time after which a transfer without progress is canceled. The total time
// of a transfer is not limited.
const IdleTime = time.Minute

// Idle returns a RoundTripper that cancels a request if no bytes are transferred for the
// given duration. It watches the request body while it is sent, and the response body
// while it is read. For the time in between, until the header of the response arrives,
// other limits apply.
func Idle(base http.RoundTripper, limit time.Duration) http.RoundTripper {
	return &idle{base, limit}
}

type idle struct {
	base  http.RoundTripper
	limit time.Duration
}

func (i *idle) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	w := &watch{limit: i.limit, cancel: cancel, ctx: ctx}
	w.timer = time.AfterFunc(i.limit, func() { cancel(errIdle) })
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &sent{r.Body, w}
		if again := r.GetBody; again != nil { // the request is sent again if the server has closed an idle connection
			r.GetBody = func() (io.ReadCloser, error) {
				body, err := again()
				return &sent{body, w}, err
			}
		}
	}
	answer, err := i.base.RoundTrip(r)
	w.timer.Stop()
	if err != nil {
		cancel(nil)
		return nil, w.cause(err)
	}
	answer.Body = &received{answer.Body, w}
	return answer, nil
}

// CloseIdleConnections closes unused connections.
func (i *idle) CloseIdleConnections() {
	if c, ok := i.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// watch cancels a request unless its timer is reset in time.
type watch struct {
	limit  time.Duration
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// cause returns errIdle if the watch has canceled the request. Otherwise it returns err.
func (w *watch) cause(err error) error {
	if err != nil && errors.Is(context.Cause(w.ctx), errIdle) {
		return errIdle
	}
	return err
}

// sent is a request body that is being sent. It resets the timer of the watch after each
// Read, and stops the timer at the end of the body.
type sent struct {
	io.ReadCloser
	w *watch
}

func (s *sent) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil {
		s.w.timer.Stop()
	} else {
		s.w.timer.Reset(s.w.limit)
	}
	return n, err
}

// received is a response body. The timer of the watch runs only while a Read is in
// progress.
type received struct {
	io.ReadCloser
	w *watch
}

func (r *received) Read(p []byte) (int, error) {
	r.w.timer.Reset(r.w.limit)
	n, err := r.ReadCloser.Read(p)
	r.w.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.w.cause(err)
	}
	return n, err
}

func (r *received) Close() error {
	defer r.w.cancel(nil)
	return r.ReadCloser.Close()
}

var errIdle = errors.New("the transfer stalled")

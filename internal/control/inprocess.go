package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// InProcess makes requests to BaseURL that h answers in this process, as the
// owner. An answer is read while it is written, as it is over the socket: the
// handler waits for the reader.
func InProcess(h http.Handler) *http.Client {
	return &http.Client{Transport: inProcess{h}}
}

type inProcess struct{ handler http.Handler }

// RoundTrip gives the handler the request as a server would have read it. It
// returns when the header of the answer is written.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), ownerKey{}, true))
	in := r.Clone(ctx)
	in.Host, in.RequestURI, in.RemoteAddr = r.URL.Host, r.URL.RequestURI(), "@"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	body, write := io.Pipe()
	w := &answer{header: http.Header{}, body: write, begun: make(chan struct{})}
	response := &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: http.Header{}, ContentLength: -1, Request: r}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer in.Body.Close()
		err := serve(t.handler, w, in)
		w.WriteHeader(http.StatusOK) // unless one was written
		w.trailers(response.Trailer)
		_ = write.CloseWithError(err) // nil is the end
	}()
	<-w.begun
	response.Status = fmt.Sprintf("%d %s", w.status, http.StatusText(w.status))
	response.StatusCode, response.Header = w.status, w.sent
	response.Body = &answerBody{body, func() {
		cancel()
		_ = body.Close()
		<-ended
	}}
	return response, nil
}

// serve is the handler's part. One that cuts its answer off is an error for who
// reads it.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errCutOff
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

var errCutOff = errors.New("the response was cut off")

// answerBody ends the handler when it is closed.
type answerBody struct {
	io.Reader
	end func()
}

// Close returns when the handler has.
func (b *answerBody) Close() error {
	b.end()
	return nil
}

// answer is an http.ResponseWriter whose reader is in this process.
type answer struct {
	header, sent http.Header
	status       int // 0 until the header is written
	body         *io.PipeWriter
	begun        chan struct{} // closed when the header is written
	once         sync.Once
}

// Header is what will be sent.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader ends the header, unless the status is only informational.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.begun)
	})
}

// Write waits until the reader has taken p or has gone.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush has nothing to do: nothing waits here.
func (a *answer) Flush() {}

// trailers takes what the handler has put behind its answer.
func (a *answer) trailers(to http.Header) {
	for name, values := range a.header {
		if behind, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			to[behind] = values
		}
	}
}

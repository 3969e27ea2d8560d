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

// InProcess returns a client that passes requests for BaseURL to the handler h in this
// process. Owner reports true for these requests. Responses are streamed, as over the control
// socket: h waits until the client has read its output.
func InProcess(h http.Handler) *http.Client {
	return &http.Client{Transport: inProcess{h}}
}

type inProcess struct{ handler http.Handler }

// RoundTrip calls the handler with the request that a server would pass to it. It returns
// when the handler has written the header of the response.
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
		w.WriteHeader(http.StatusOK) // does nothing if the handler has written a header
		w.trailers(response.Trailer)
		_ = write.CloseWithError(err) // nil ends the body without an error
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

// serve calls the handler. If the handler aborts its response, serve returns an error,
// for the reader of the response.
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

// answerBody is the body of a response from a handler in this process. Closing it ends
// the handler.
type answerBody struct {
	io.Reader
	end func()
}

// Close ends the handler and waits until it has returned.
func (b *answerBody) Close() error {
	b.end()
	return nil
}

// answer is an http.ResponseWriter that passes a handler's output to a client in this
// process.
type answer struct {
	header, sent http.Header // the header that the handler changes, and a copy of it as it was sent
	status       int         // 0 until the header has been written
	body         *io.PipeWriter
	begun        chan struct{} // closed when the header has been written
	once         sync.Once
}

// Header returns the header to be sent.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader sends the header, unless the status is informational (1xx). Only the first call
// has an effect.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.begun)
	})
}

// Write waits until the reader has read p or has closed the body.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush does nothing, because nothing is buffered.
func (a *answer) Flush() {}

// trailers copies the trailers that the handler has set into the parameter to.
func (a *answer) trailers(to http.Header) {
	for name, values := range a.header {
		if behind, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			to[behind] = values
		}
	}
}

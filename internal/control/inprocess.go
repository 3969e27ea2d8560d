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
// owner. An answer is handed over as it is written; whoever does not read it to
// its end must close its body, which waits for h.
func InProcess(h http.Handler) *http.Client {
	return &http.Client{Transport: inProcess{h}}
}

type inProcess struct{ handler http.Handler }

// RoundTrip gives the handler the request as a server would have read it.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(context.WithValue(r.Context(), ownerKey{}, true))
	in.Host, in.RequestURI, in.RemoteAddr = r.URL.Host, r.URL.RequestURI(), "@"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	a := &answer{header: http.Header{}, body: writer, begun: make(chan struct{}), trailer: http.Header{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer in.Body.Close()
		err := serve(t.handler, a, in)
		a.WriteHeader(http.StatusOK) // unless one was written
		a.end()
		_ = writer.CloseWithError(err) // it never fails
	}()
	<-a.begun
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		StatusCode: a.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        a.sent,
		Trailer:       a.trailer,
		Body:          &answerBody{reader, done},
		ContentLength: -1,
		Request:       r,
	}, nil
}

// errCutOff is what a client reads of an answer that its handler gave up.
var errCutOff = errors.New("the answer was cut off")

// serve runs the handler. As over a connection, a panic cuts the answer off.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errCutOff
		default:
			err = fmt.Errorf("%w by a panic: %v", errCutOff, p)
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

// answer is an http.ResponseWriter whose body is read while it is written.
type answer struct {
	header, sent http.Header
	trailer      http.Header // filled at the end, as by net/http
	status       int         // 0 until the header is written
	body         *io.PipeWriter
	once         sync.Once
	begun        chan struct{} // closed when status and sent are right
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.begun)
	})
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// end takes over the trailers that were set after the header.
func (a *answer) end() {
	for name, values := range a.header {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			a.trailer[http.CanonicalHeaderKey(name)] = values
		}
	}
}

// answerBody is the body of an answer.
type answerBody struct {
	*io.PipeReader
	done <-chan struct{}
}

// Close gives the rest of the body up and waits for the handler.
func (b *answerBody) Close() error {
	err := b.PipeReader.Close()
	<-b.done
	return err
}

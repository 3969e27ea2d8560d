package control

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// InProcess makes requests to BaseURL that h answers in this process, as the
// owner. The whole answer is held in memory.
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
	defer in.Body.Close()
	w := &answer{header: http.Header{}}
	t.handler.ServeHTTP(w, in)
	w.WriteHeader(http.StatusOK) // unless one was written
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.sent,
		Body:          io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()),
		Request:       r,
	}, nil
}

// answer is an http.ResponseWriter that keeps what is written.
type answer struct {
	header, sent http.Header
	status       int // 0 until the header is written
	body         bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status, a.sent = status, a.header.Clone()
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

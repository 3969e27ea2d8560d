//go:build unix

package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is a server that records the requests of a client and sends the answers that the story
// has planned. It also sends the steps to a player. The steps use a separate listener, because the
// listener of the API sometimes has to refuse connections.
type recorder struct {
	url     string // address of the API
	address string
	control *httptest.Server

	results chan json.RawMessage // results of steps, from the player
	steps   chan []byte          // steps for the player; closed at the end

	mu      sync.Mutex
	api     *http.Server
	planned []answer // answers to the requests of the current step; fallback answers any further requests
	got     []request
	// fallback answers requests that the story does not expect, so that the library can continue.
	fallback func(r *http.Request) answer
}

func record(t *testing.T, fallback func(r *http.Request) answer) *recorder {
	t.Helper()
	r := &recorder{results: make(chan json.RawMessage), steps: make(chan []byte), fallback: fallback}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /control", r.serveControl)
	mux.HandleFunc("POST /spin", serveSpin)
	mux.HandleFunc("GET /{file}", servePage)
	r.control = httptest.NewServer(mux)
	t.Cleanup(r.control.Close)
	t.Cleanup(r.refuse)
	r.accept(t)
	r.url = "http://" + r.address + apiPath
	return r
}

// accept opens the listener of the API, always at the same address.
func (r *recorder) accept(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.api != nil {
		return
	}
	at := r.address
	if at == "" {
		at = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", at)
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); listener, err = net.Listen("tcp", at) {
		// Another process may be using the port for an outgoing connection, so try again.
		<-time.After(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.address = listener.Addr().String()
	r.api = &http.Server{Handler: http.HandlerFunc(r.serveAPI), ReadHeaderTimeout: patience}
	go func(s *http.Server) { _ = s.Serve(listener) }(r.api)
}

// refuse closes the listener of the API.
func (r *recorder) refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.api != nil {
		_ = r.api.Close()
		r.api = nil
	}
}

// serveControl receives the result of a step and answers with the next one.
func (r *recorder) serveControl(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	select {
	case r.results <- body:
	case <-q.Context().Done():
		return
	}
	select {
	case step, more := <-r.steps:
		if !more {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(step)
	case <-q.Context().Done():
	}
}

// expect sets the answers for the next step.
func (r *recorder) expect(planned []answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned, r.got = planned, nil
}

// taken returns the requests that have arrived since the last call of expect.
func (r *recorder) taken() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got
}

func (r *recorder) serveAPI(w http.ResponseWriter, q *http.Request) {
	allowOrigin(w, q)
	if q.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the client was killed while it sent the request
	}
	r.mu.Lock()
	var a answer
	if n := len(r.got); n < len(r.planned) {
		a = r.planned[n]
	} else {
		a = r.fallback(q)
	}
	r.got = append(r.got, received(q, body))
	r.mu.Unlock()
	write(w, a)
}

func allowOrigin(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	h.Set("Connection", "close")
	origin := q.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", q.Header.Get("Access-Control-Request-Headers"))
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	h.Set("Access-Control-Max-Age", "600")
}

// write writes an answer, or closes the connection if a.Closed is set.
func write(w http.ResponseWriter, a answer) {
	if a.Closed {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.Close()
		}
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store") // the server does this; without it, a browser would cache some answers, such as a 410
	if a.Body != "" {
		h.Set("Content-Type", "application/json")
	}
	for name, value := range a.Header {
		h.Set(name, value)
	}
	length := len(a.Body)
	if a.Cut {
		length += 10
	}
	h.Set("Content-Length", fmt.Sprint(length))
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
	if a.Cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// serveSpin stores the list of events that a player in a browser has tracked, because a browser
// cannot write files.
func serveSpin(w http.ResponseWriter, q *http.Request) {
	line, err := io.ReadAll(q.Body)
	if err == nil {
		err = appendTo(q.URL.Query().Get("file"), line)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func appendTo(name string, line []byte) error {
	if !strings.HasPrefix(filepath.Base(name), "spin-") {
		return errors.New("not a file of a player")
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// pages maps URL paths to the files that the browser's player loads from clients/browser.
var pages = map[string]string{
	"player.html": "tests/player.html", "player.js": "tests/player.js",
	"svc-sdk.js": "svc-sdk.js", "svc-sdk.global.js": "svc-sdk.global.js",
}

func servePage(w http.ResponseWriter, q *http.Request) {
	file, known := pages[q.PathValue("file")]
	if !known {
		http.NotFound(w, q)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.ServeFile(w, q, filepath.Join(clientsDir, "browser", filepath.FromSlash(file)))
}

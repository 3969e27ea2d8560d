package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wire serves a handler as on a public listener and gives a connection to it.
func wire(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	return wireRefusing(t, handler, http.NotFound)
}

// wireRefusing is wire with an answer to what is malformed.
func wireRefusing(t *testing.T, handler, refuse http.HandlerFunc) net.Conn {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- NewServer(handler, Limits{}, slog.New(slog.DiscardHandler)).Serve(ctx, time.Minute, refuse, nil, l)
	}()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	must(t, err)
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	t.Cleanup(func() {
		_ = c.Close()
		stop()
		must(t, <-ended)
	})
	return c
}

// Answers of every length around the sizes of buffers come whole, one after another
// on one connection.
func TestAnswersComeWhole(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 8<<10)
	c := wire(t, func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = io.WriteString(w, text[:size])
	})
	sizes := []int{0, 1, 8191, 8192, 8193, maxWhole - 1, maxWhole, maxWhole + 1, len(text)}
	for size := bufferSize - 300; size <= bufferSize+2; size++ { // the header is somewhere in them
		sizes = append(sizes, size)
	}
	from := bufio.NewReader(c)
	for _, size := range sizes {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			_, err := io.WriteString(c, method+" /"+strconv.Itoa(size)+" HTTP/1.1\r\nHost: x\r\n\r\n")
			must(t, err)
			answer, err := http.ReadResponse(from, &http.Request{Method: method})
			must(t, err)
			got, err := io.ReadAll(answer.Body)
			must(t, errors.Join(err, answer.Body.Close()))
			want := text[:size]
			if method == http.MethodHead {
				want = ""
			}
			if string(got) != want {
				t.Fatalf("%s of %d bytes: got %d", method, size, len(got))
			}
		}
	}
}

// What a handler sends bit by bit is not held back: the client has each part before
// the handler goes on.
func TestStreamsAreNotHeldBack(t *testing.T) {
	t.Parallel()
	part := bytes.Repeat([]byte("x"), bufferSize)
	for name, length := range map[string]int{"of any length": -1, "longer than an answer in one piece": maxWhole + bufferSize} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(chan struct{})
			c := wire(t, func(w http.ResponseWriter, r *http.Request) {
				if length > 0 {
					w.Header().Set("Content-Length", strconv.Itoa(length))
				}
				for range (maxWhole + bufferSize) / bufferSize {
					_, _ = w.Write(part)
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-seen:
					case <-r.Context().Done():
						return
					}
				}
			})
			_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			must(t, err)
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			must(t, err)
			defer answer.Body.Close()
			for range (maxWhole + bufferSize) / bufferSize {
				_, err := io.ReadFull(answer.Body, make([]byte, bufferSize))
				must(t, err)
				seen <- struct{}{}
			}
		})
	}
}

// A file follows what was written before it, whether that fills the buffer or not.
func TestFilesComeAfterTheHeader(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 1<<10)
	c := wire(t, padded(len(text), func(w io.Writer) {
		_, _ = io.Copy(w, io.LimitReader(strings.NewReader(text), int64(len(text))))
	}))
	from := bufio.NewReader(c)
	for pad := bufferSize - 512 - 250; pad <= bufferSize-512; pad++ { // 512 bytes are read to find the type
		_, err := io.WriteString(c, "GET /"+strconv.Itoa(pad)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		must(t, err)
		answer, err := http.ReadResponse(from, nil)
		must(t, err)
		got, err := io.ReadAll(answer.Body)
		must(t, errors.Join(err, answer.Body.Close()))
		if string(got) != text {
			t.Fatalf("with %d bytes in the header: got %d bytes, want %d", pad, len(got), len(text))
		}
	}
}

// The answer to HEAD comes at once, also when it just fills the buffer.
func TestHeadersAreNotHeldBack(t *testing.T) {
	t.Parallel()
	c := wire(t, padded(9000, func(io.Writer) {}))
	must(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	from := bufio.NewReader(c)
	for pad := bufferSize - 250; pad <= bufferSize; pad++ {
		_, err := io.WriteString(c, "HEAD /"+strconv.Itoa(pad)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		must(t, err)
		answer, err := http.ReadResponse(from, &http.Request{Method: http.MethodHead})
		must(t, err)
		must(t, answer.Body.Close())
	}
}

// padded answers with a length, and a header with as many bytes as the path says
// besides what net/http adds.
func padded(length int, body func(io.Writer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pad, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Content-Length", strconv.Itoa(length))
		w.Header().Set("X-Pad", strings.Repeat("x", pad))
		body(w)
	}
}

// The first part of an answer waits for the rest, and for nothing else.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	fill := func(header string) []byte {
		return append([]byte(header), bytes.Repeat([]byte("x"), bufferSize-len(header))...)
	}
	start, end := "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\nX: ", "\r\n\r\n"
	fullHeader := []byte(start + strings.Repeat("x", bufferSize-len(start+end)) + end)
	for _, tc := range []struct {
		name string
		b    []byte
		want bool
	}{
		{"a full buffer of a longer answer", fill("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n"), true},
		{"one byte follows", fill("HTTP/1.1 200 OK\r\nContent-Length: 4056\r\n\r\n"), true},
		{"nothing follows", fill("HTTP/1.1 200 OK\r\nContent-Length: 4055\r\n\r\n"), false},
		{"too much follows", fill("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n"), false},
		{"unknown length", fill("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), false},
		{"a length in the body", fill("HTTP/1.1 200 OK\r\n\r\n\r\nContent-Length: 9000\r\n\r\n"), false},
		{"a header that does not end", fill("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\nX: "), false},
		{"a header that nothing follows, as for HEAD", fullHeader, false},
		{"a buffer that is not full", []byte("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n"), false},
		{"the middle of an answer", fill("x"), false},
	} {
		if got := unfinished(tc.b); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

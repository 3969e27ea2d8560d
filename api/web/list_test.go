package web_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"svc/api/web"
)

// slowReader is the response writer for a slow client. The client reads at the given rate, in bytes
// per second, and stops reading before the total number of bytes exceeds the value of the field
// until.
type slowReader struct {
	http.ResponseWriter
	rate, until int
	read        int
	deadline    time.Time
}

func (s *slowReader) SetWriteDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *slowReader) Write(b []byte) (int, error) {
	end := time.Now().Add(time.Duration(len(b)) * time.Second / time.Duration(s.rate))
	if s.read+len(b) > s.until || end.After(s.deadline) {
		time.Sleep(time.Until(s.deadline)) //nolint:forbidigo // by the fake clock of synctest
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(time.Until(end)) //nolint:forbidigo // by the fake clock of synctest
	s.read += len(b)
	return len(b), nil
}

// pieces returns a handler that responds with a list in which each record is sent as a piece.
func pieces(records int, encode func(i int) ([]byte, error)) web.Handler {
	sizes := make([]int, records)
	for i := range sizes {
		sizes[i] = web.MaxUnheld
	}
	return web.Listed(func(*web.Request) (web.List, error) {
		return web.List{Total: records, Sizes: sizes, Encode: encode}, nil
	})
}

// ask returns a request for a large list.
func ask(ctx context.Context, t *testing.T, w http.ResponseWriter) *web.Request {
	t.Helper()
	return &web.Request{
		Request: httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), Writer: w,
		Route: &web.Route{Access: web.Anyone(), Answers: web.NewAnswers(128 << 20)},
	}
}

// TestSlowReadersOfLists checks that a client has 30 seconds plus one second per 64 KiB to read a
// list, regardless of the number of pieces. Each piece is subject to the same limit.
func TestSlowReadersOfLists(t *testing.T) {
	t.Parallel()
	const records = 200
	record := bytes.Repeat([]byte("1"), web.MaxUnheld)
	for _, tc := range []struct {
		name        string
		rate, until int
		whole       bool
		most        time.Duration
	}{
		{"fast enough", 60 << 10, 1 << 30, true, 215 * time.Second},
		{"half as fast", 32 << 10, 1 << 30, false, 65 * time.Second},
		{"stops in the middle", 1 << 30, 10 << 20, false, 35 * time.Second},
		{"reads nothing", 1, 0, false, 35 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &slowReader{ResponseWriter: httptest.NewRecorder(), rate: tc.rate, until: tc.until}
				begin := time.Now()
				r := ask(t.Context(), t, w)
				err := pieces(records, func(int) ([]byte, error) { return record, nil })(w, r)
				r.Release()
				if took := time.Since(begin); (err == nil) != tc.whole || took > tc.most {
					t.Errorf("got %d bytes in %s, %v; want all: %t, in at most %s", w.read, took, err, tc.whole, tc.most)
				}
			})
		})
	}
}

// TestListEndsWithItsClient checks that the server stops encoding a list when the client has
// disconnected.
func TestListEndsWithItsClient(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	encoded := 0
	w := httptest.NewRecorder()
	err := pieces(10, func(int) ([]byte, error) {
		if encoded++; encoded == 3 {
			leave()
		}
		return []byte("1"), nil
	})(w, ask(ctx, t, w))
	if err == nil || encoded != 3 {
		t.Errorf("%d records were encoded, %v; want 3 and an error", encoded, err)
	}
}

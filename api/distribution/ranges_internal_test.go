package distribution

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	many := func(n int) string { // one-byte ranges, two bytes apart
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ",%d-%d", 2*i, 2*i)
		}
		return "bytes=" + b.String()[1:]
	}
	for _, tc := range []struct {
		header string
		size   int64
		want   []span // nil means the whole file
		refuse bool
	}{
		{"bytes=0-4", 10, []span{{0, 5}}, false},
		{"bytes=9-9", 10, []span{{9, 1}}, false},
		{"bytes=5-", 10, []span{{5, 5}}, false},
		{"bytes=0-", 10, []span{{0, 10}}, false},
		{"bytes=5-100", 10, []span{{5, 5}}, false},
		{"bytes=5-99999999999999999999999999", 10, []span{{5, 5}}, false},
		{"bytes=5-9223372036854775807", 10, []span{{5, 5}}, false},
		{"bytes=-3", 10, []span{{7, 3}}, false},
		{"bytes=-30", 10, []span{{0, 10}}, false},
		{"bytes=-99999999999999999999999999", 10, []span{{0, 10}}, false},
		{"BYTES=1-2", 10, []span{{1, 2}}, false},
		{"bytes= 1 - 2 ", 10, []span{{1, 2}}, false},
		{"bytes=,1-2,,", 10, []span{{1, 2}}, false},
		{"bytes=007-008", 10, []span{{7, 2}}, false},

		{"bytes=10-", 10, nil, true},
		{"bytes=10-12", 10, nil, true},
		{"bytes=99999999999999999999999999-", 10, nil, true},
		{"bytes=4-3", 10, nil, true},
		{"bytes=-0", 10, nil, true},
		{"bytes=0-", 0, nil, true},
		{"bytes=0-0", 0, nil, true},
		{"bytes=-5", 0, nil, true},

		{"bytes=0-1,4-5", 10, []span{{0, 2}, {4, 2}}, false},
		{"bytes=8-,0-1", 10, []span{{8, 2}, {0, 2}}, false},
		{"bytes=0-1, 2-3 ,\t-2", 10, []span{{0, 2}, {2, 2}, {8, 2}}, false},
		{"bytes=0-1,1-2", 10, nil, false},
		{"bytes=4-5,0-9", 10, nil, false},
		{"bytes=0-4,5-9", 10, nil, false}, // together as large as the file, which is therefore sent as a whole
		{"bytes=0-1,10-", 10, nil, false},
		{"bytes=0-1,5-4", 10, nil, false},
		{"bytes=0-1,-0", 10, nil, false},
		{"bytes=0-1,x", 10, nil, false},
		{many(1024), 1 << 20, nil, false}, // one range too many, so that the whole file is sent; see below
		{many(1025), 1 << 20, nil, false},

		{"", 10, nil, false},
		{"bytes", 10, nil, false},
		{"bytes=", 10, nil, false},
		{"bytes=-", 10, nil, false},
		{"bytes=--1", 10, nil, false},
		{"bytes=5", 10, nil, false},
		{"bytes=a-b", 10, nil, false},
		{"bytes=+1-2", 10, nil, false},
		{"bytes=1-2-3", 10, nil, false},
		{"bytes=1.5-2", 10, nil, false},
		{"bytes=0x1-2", 10, nil, false},
		{"bytes=١-٢", 10, nil, false},
		{"lines=1-2", 10, nil, false},
		{"bytes:1-2", 10, nil, false},
	} {
		got, ok := parseRange([]string{tc.header}, tc.size)
		if tc.header == many(1024) {
			if len(got) != 1024 || !ok {
				t.Errorf("1,024 ranges: got %d, %t", len(got), ok)
			}
			continue
		}
		if ok == tc.refuse || ok && !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%.60q of %d: got %v, %t; want %v, %t", tc.header, tc.size, got, ok, tc.want, !tc.refuse)
		}
	}
	if got, ok := parseRange([]string{"bytes=0-1", "bytes=4-5"}, 10); got != nil || !ok {
		t.Errorf("two headers: got %v, %t, want the whole file", got, ok)
	}
}

// FuzzParseRange checks that all spans lie within the file. For single ranges, it compares the
// result with the response of net/http in all cases in which both follow the same rule.
func FuzzParseRange(f *testing.F) {
	for _, seed := range []string{"bytes=0-4", "bytes=5-", "bytes=-3", "bytes=10-", "bytes=0-1,4-5", "bytes=8-,0-1", "bytes=-0", "bytes=4-3", "bytes=,1-2,,", "bytes=0-99999999999999999999"} {
		f.Add(seed, uint16(10))
	}
	f.Fuzz(func(t *testing.T, header string, of uint16) {
		size := int64(of)
		spans, ok := parseRange([]string{header}, size)
		if !ok {
			spans = nil
		}
		for i, s := range spans {
			if s.start < 0 || s.length < 1 || s.start+s.length > size {
				t.Fatalf("%q of %d: span %v", header, size, s)
			}
			for _, other := range spans[:i] {
				if s.start < other.start+other.length && other.start < s.start+s.length {
					t.Fatalf("%q of %d: %v and %v overlap", header, size, s, other)
				}
			}
		}
		if len(spans) > maxRanges || len(spans) > 1 && total(spans) >= size {
			t.Fatalf("%q of %d: %d spans of %d bytes", header, size, len(spans), total(spans))
		}
		if len(spans) != 1 {
			return
		}
		r := httptest.NewRequest("GET", "/", http.NoBody)
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", spans[0].start, spans[0].start+spans[0].length-1))
		w := httptest.NewRecorder()
		http.ServeContent(w, r, "x.bin", time.Time{}, bytes.NewReader(make([]byte, size)))
		ours := fmt.Sprintf("bytes %d-%d/%d", spans[0].start, spans[0].start+spans[0].length-1, size)
		if theirs := w.Header().Get("Content-Range"); theirs != ours || int64(w.Body.Len()) != spans[0].length {
			t.Fatalf("%q: net/http answers %q, we %q", header, theirs, ours)
		}
	})
}

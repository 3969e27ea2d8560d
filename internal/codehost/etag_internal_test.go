package codehost

import (
	"fmt"
	"testing"
)

// TestKeptAnswers checks that the cache is bounded and evicts the least recently used answers.
func TestKeptAnswers(t *testing.T) {
	t.Parallel()
	var a answers
	size := func() (bytes int) {
		for e := a.order.Front(); e != nil; e = e.Next() {
			bytes += len(e.Value.(*kept).body)
		}
		return bytes
	}
	const large = 256 << 10
	for i := range 100 {
		a.put(&kept{key: fmt.Sprint(i), etag: "x", body: make([]byte, large)})
		if a.get("0") == nil {
			t.Fatalf("what is always used has gone after %d answers", i)
		}
	}
	if n := size(); n > maxKeptAll || n < maxKeptAll/2 || len(a.byKey) != a.order.Len() {
		t.Errorf("%d bytes in %d answers are kept; want at most %d", n, len(a.byKey), maxKeptAll)
	}
	if a.get("1") != nil || a.get("99") == nil {
		t.Error("the oldest is kept, or the newest is not")
	}
	for _, k := range []*kept{{key: "99", etag: ""}, {key: "98", etag: "x", body: make([]byte, maxKept+1)}} {
		if a.put(k); a.get(k.key) != nil {
			t.Errorf("%s with %d bytes is kept", k.key, len(k.body))
		}
	}
	for i := range 10_000 {
		a.put(&kept{key: fmt.Sprint("small ", i), etag: "x"})
	}
	if len(a.byKey) > maxKeptAll>>10 {
		t.Errorf("%d small answers are kept", len(a.byKey))
	}
}

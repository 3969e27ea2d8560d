package change_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"svc/internal/change"
)

// TestRoundTrip reads operations back as they were added.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("v"), 70_000)
	var s change.Set
	s.Make([]byte("logs"))
	s.In([]byte("logs"))
	s.Put([]byte("k"), large)
	s.Put([]byte("empty"), nil)
	s.Sequence(1 << 60)
	s.In([]byte("logs"), []byte{0, 255})
	s.Delete([]byte("k"))
	s.In()
	s.Drop([]byte("logs"))

	var got []string
	err := change.Each(s.Bytes(), func(op change.Op) error {
		got = append(got, fmt.Sprintf("%d %q %t %q %d %d", op.Kind, op.Bucket, op.Moved, op.Key, len(op.Value), op.Number))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`4 [] true "logs" 0 0`,
		`2 ["logs"] true "k" 70000 0`,
		`2 ["logs"] false "empty" 0 0`,
		`6 ["logs"] false "" 0 1152921504606846976`,
		`3 ["logs" "\x00\xff"] true "k" 0 0`,
		`5 [] true "logs" 0 0`,
	}
	if !slices.Equal(got, want) {
		t.Fatalf("read\n%q\nadded\n%q", got, want)
	}
}

// TestCutSet refuses a set that ends within an operation, and never visits a part of one.
func TestCutSet(t *testing.T) {
	t.Parallel()
	var s change.Set
	s.In([]byte("a"), []byte("b"))
	s.Put([]byte("key"), []byte("value"))
	whole := s.Bytes()
	for n := 1; n < len(whole); n++ {
		visited := false
		err := change.Each(whole[:n], func(change.Op) error { visited = true; return nil })
		if between := n == len(whole)-len("\x02\x03key\x05value"); (err == nil) != between || visited {
			t.Errorf("%d of %d bytes: error %v, visited %t", n, len(whole), err, visited)
		}
		if err != nil && !errors.Is(err, change.ErrInvalid) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestVisitorStops returns the error of the visitor unchanged.
func TestVisitorStops(t *testing.T) {
	t.Parallel()
	var s change.Set
	s.Delete([]byte("a"))
	s.Delete([]byte("b"))
	stop := errors.New("stop")
	n := 0
	if err := change.Each(s.Bytes(), func(change.Op) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Fatalf("%v after %d operations", err, n)
	}
}

// FuzzEach reads any bytes without a panic, and what it reads as a set can be encoded again.
func FuzzEach(f *testing.F) {
	var s change.Set
	s.Make([]byte("logs"))
	s.In([]byte("logs"))
	s.Put([]byte("k"), []byte("v"))
	s.Sequence(7)
	f.Add(s.Bytes())
	f.Add([]byte{1, 200, 1})
	f.Fuzz(func(t *testing.T, set []byte) {
		first, err := list(set)
		if err != nil {
			return
		}
		var again change.Set
		err = change.Each(set, func(op change.Op) error {
			if op.Moved {
				again.In(op.Bucket...)
			}
			switch op.Kind {
			case change.Put:
				again.Put(op.Key, op.Value)
			case change.Delete:
				again.Delete(op.Key)
			case change.Make:
				again.Make(op.Key)
			case change.Drop:
				again.Drop(op.Key)
			case change.Sequence:
				again.Sequence(op.Number)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if second, err := list(again.Bytes()); err != nil || !slices.Equal(first, second) {
			t.Fatalf("encoded again: %v\n%q\n%q", err, first, second)
		}
	})
}

func list(set []byte) (ops []string, err error) {
	err = change.Each(set, func(op change.Op) error {
		ops = append(ops, fmt.Sprintf("%d %q %q %q %d", op.Kind, op.Bucket, op.Key, op.Value, op.Number))
		return nil
	})
	return ops, err
}

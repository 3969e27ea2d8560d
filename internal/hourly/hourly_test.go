package hourly_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"svc/internal/hourly"
	"svc/internal/integrity"
)

type counter struct {
	what uint64
	text string
	n    int64
}

func encode(list []counter, texts bool) []byte {
	e := hourly.NewEncoder(8 * len(list))
	for _, c := range list {
		if texts {
			e.AddText(c.what, c.text, uint64(c.n))
		} else {
			e.Add(c.what, uint64(c.n))
		}
	}
	return e.Value()
}

func decode(value []byte, texts bool) (list []counter, err error) {
	if texts {
		err = hourly.EachText(value, func(what uint64, text []byte, n int64) { list = append(list, counter{what, string(text), n}) })
	} else {
		err = hourly.Each(value, func(what uint64, n int64) { list = append(list, counter{what: what, n: n}) })
	}
	return list, err
}

// TestRoundTrip checks that counters are decoded in the order in which they were encoded.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]counter{
		"nothing":  nil,
		"one":      {{0, "", 0}},
		"several":  {{1, "", 1}, {1, "a", 2}, {300, "1.2.3", 1 << 20}, {math.MaxUint64, "b", math.MaxInt64}},
		"no texts": {{5, "", 7}, {6, "", 128}, {1 << 40, "", 1}},
	} {
		for _, texts := range []bool{true, false} {
			want := slices.Clone(list)
			if !texts {
				for i := range want {
					want[i].text = ""
				}
			}
			if got, err := decode(encode(want, texts), texts); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, texts %v: got %v, %v", name, texts, got, err)
			}
		}
	}
}

// TestFormat checks the encoded bytes, because they are the format on disk.
func TestFormat(t *testing.T) {
	t.Parallel()
	list := []counter{{2, "x", 300}, {5, "", 1}}
	if got, want := encode(list, false), []byte{1, 2, 0xac, 2, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	if got, want := encode(list, true), []byte{1, 2, 1, 'x', 0xac, 2, 3, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("with texts: got %x, want %x", got, want)
	}
}

// TestDamage checks that a value that is truncated, empty or of another form cannot be
// decoded.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, value := range [][]byte{nil, {0}, {2}, {1, 5}, {1, 0x80}, {1, 5, 0x80}} {
		if _, err := decode(value, false); !errors.Is(err, hourly.ErrDamaged) || !errors.Is(err, integrity.ErrDamaged) {
			t.Errorf("%x: got %v, want ErrDamaged", value, err)
		}
	}
	for _, value := range [][]byte{nil, {0}, {1, 5}, {1, 5, 2, 'a', 'b'}, {1, 5, 9, 'a', 1}, {1, 5, 0x80}} {
		if _, err := decode(value, true); !errors.Is(err, hourly.ErrDamaged) {
			t.Errorf("with texts, %x: got %v, want ErrDamaged", value, err)
		}
	}
}

// FuzzEach checks that arbitrary bytes either cannot be decoded, or give counters that
// are unchanged after they are encoded and decoded again.
func FuzzEach(f *testing.F) {
	f.Add([]byte{1, 2, 0xac, 2, 3, 1}, false)
	f.Add([]byte{1, 2, 1, 'x', 0xac, 2, 3, 0, 1}, true)
	f.Fuzz(func(t *testing.T, value []byte, texts bool) {
		list, err := decode(value, texts)
		if err != nil {
			return
		}
		if again, err := decode(encode(list, texts), texts); err != nil || !slices.Equal(again, list) {
			t.Errorf("%x: got %v, %v, want %v", value, again, err, list)
		}
	})
}

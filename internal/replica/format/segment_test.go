package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"filippo.io/age"

	"svc/internal/replica/format"
)

// sample returns a header and the changes that fit it, encoded and decoded.
func sample() (h format.Header, encoded []byte, changes []format.Change) {
	changes = []format.Change{
		{File: format.Records, Position: 8, Time: 1_795_000_000_000, Set: []byte("first")},
		{File: format.Events, Position: 9, Time: 1_795_000_000_000, Set: []byte{}},
		{File: format.Records, Position: 300, Time: 1_795_000_000_007, Set: bytes.Repeat([]byte("large "), 1_000)},
	}
	for _, c := range changes {
		encoded = format.AppendChange(encoded, c)
	}
	h = format.Header{
		Epoch: 3, Number: 42, After: 7, Last: 300, Begin: 1_795_000_000_000, End: 1_795_000_000_007,
		Before: format.SumOf([]byte("the segment before")),
	}
	return h, encoded, changes
}

func seal(t testing.TB, h format.Header, encoded []byte, to ...age.Recipient) []byte {
	t.Helper()
	segment, err := format.Seal(h, encoded, to...)
	if err != nil {
		t.Fatal(err)
	}
	return segment
}

func identity(t testing.TB) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestSegmentRoundTrip(t *testing.T) {
	t.Parallel()
	h, encoded, changes := sample()
	mine, other := identity(t), identity(t)
	for _, encrypted := range []bool{false, true} {
		var to []age.Recipient
		if encrypted {
			to = []age.Recipient{mine.Recipient(), other.Recipient()}
		}
		segment := seal(t, h, encoded, to...)
		h.Encrypted = encrypted
		for _, identities := range [][]age.Identity{{mine}, {identity(t), other}} {
			got, opened, err := format.Open(segment, identities...)
			if err != nil || got != h || !reflect.DeepEqual(opened, changes) {
				t.Fatalf("encrypted %t: error %v\n%+v\n%+v", encrypted, err, got, opened)
			}
		}
		if encrypted && bytes.Contains(segment, []byte("first")) {
			t.Error("the encrypted segment has a change in the clear")
		}
		if got, err := format.ReadHeader(segment); err != nil || got != h {
			t.Errorf("header without an identity: %+v, %v", got, err)
		}
	}
}

// TestWrongIdentity distinguishes a missing key from damage.
func TestWrongIdentity(t *testing.T) {
	t.Parallel()
	h, encoded, _ := sample()
	segment := seal(t, h, encoded, identity(t).Recipient())
	for _, identities := range [][]age.Identity{nil, {identity(t)}} {
		if _, _, err := format.Open(segment, identities...); !errors.Is(err, format.ErrIdentity) || errors.Is(err, format.ErrInvalid) {
			t.Errorf("%d identities: %v", len(identities), err)
		}
	}
}

// TestDamagedSegment finds each bit that is flipped, each byte that is missing, and bytes after the end.
func TestDamagedSegment(t *testing.T) {
	t.Parallel()
	h, encoded, _ := sample()
	id := identity(t)
	for _, to := range [][]age.Recipient{nil, {id.Recipient()}} {
		segment := seal(t, h, encoded, to...)
		damaged := map[string][]byte{"a byte too many": append(bytes.Clone(segment), 0), "two of them": append(bytes.Clone(segment), segment...)}
		for bit := range 8 * len(segment) {
			b := bytes.Clone(segment)
			b[bit/8] ^= 1 << (bit % 8)
			damaged[fmt.Sprintf("bit %d", bit)] = b
		}
		for n := range segment {
			damaged[fmt.Sprintf("%d bytes", n)] = segment[:n]
		}
		for how, b := range damaged {
			if _, changes, err := format.Open(b, id); !errors.Is(err, format.ErrInvalid) || len(changes) > 0 {
				t.Errorf("%s of %d: %d changes, error %v", how, len(segment), len(changes), err)
			}
			if _, err := format.ReadHeader(b); !errors.Is(err, format.ErrInvalid) {
				t.Errorf("%s of %d: the header is read without an error: %v", how, len(segment), err)
			}
		}
	}
}

// TestContradictions refuses segments with intact checksums that no primary writes.
func TestContradictions(t *testing.T) {
	t.Parallel()
	change := func(position uint64, time int64) format.Change {
		return format.Change{File: format.Events, Position: position, Time: time, Set: []byte("x")}
	}
	whole := format.Header{Epoch: 1, Number: 1, After: 4, Last: 6, Begin: 10, End: 20}
	two := []format.Change{change(5, 10), change(6, 20)}
	with := func(edit func(*format.Header)) format.Header { h := whole; edit(&h); return h }
	for _, c := range []struct {
		name    string
		header  format.Header
		changes []format.Change
		want    string // "" if the segment is valid
	}{
		{"valid", whole, two, ""},
		{"a gap in front", with(func(h *format.Header) { h.After = 2 }), two, ""},
		{"no changes", whole, nil, "no changes"},
		{"wrong order", whole, []format.Change{change(6, 10), change(5, 20)}, "position 5 after 6"},
		{"a position twice", whole, []format.Change{change(6, 10), change(6, 20)}, "position 6 after 6"},
		{"a change from before", with(func(h *format.Header) { h.After = 5 }), two, "position 5 after 5"},
		{"a change after the end", whole, append(two[:2:2], change(7, 20)), "ends at position 7, not 6"},
		{"the end is missing", whole, two[:1], "ends at position 5, not 6"},
		{"time goes back", whole, []format.Change{change(5, 10), change(6, 9)}, "time of position 6"},
		{"begins later", whole, []format.Change{change(5, 11), change(6, 20)}, "times differ"},
		{"ends earlier", whole, []format.Change{change(5, 10), change(6, 19)}, "times differ"},
		{"no epoch", with(func(h *format.Header) { h.Epoch = 0 }), two, "count from 1"},
		{"no number", with(func(h *format.Header) { h.Number = 0 }), two, "count from 1"},
		{"no positions", with(func(h *format.Header) { h.After = 6 }), two, "positions after 6 up to 6"},
		{"ends before it begins", with(func(h *format.Header) { h.End = 9 }), two, "ends before it begins"},
		{"unknown file", whole, []format.Change{{File: 3, Position: 5, Time: 10}, change(6, 20)}, "file 3"},
	} {
		var encoded []byte
		for _, of := range c.changes {
			encoded = format.AppendChange(encoded, of)
		}
		_, _, err := format.Open(seal(t, c.header, encoded))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.Is(err, format.ErrInvalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, expected %q", c.name, err, c.want)
		}
	}
}

// TestEndWithinChange distinguishes the end of the bytes from damage, which readers of the spool rely on.
func TestEndWithinChange(t *testing.T) {
	t.Parallel()
	_, encoded, changes := sample()
	c, rest, err := format.NextChange(encoded)
	if err != nil || !reflect.DeepEqual(c, changes[0]) {
		t.Fatalf("%+v, %v", c, err)
	}
	first := encoded[:len(encoded)-len(rest)]
	for n := range first {
		if _, _, err := format.NextChange(first[:n]); !errors.Is(err, format.ErrIncomplete) {
			t.Errorf("%d of %d bytes: %v", n, len(first), err)
		}
	}
	damaged := bytes.Clone(first)
	damaged[len(damaged)-1] ^= 1
	if _, _, err := format.NextChange(damaged); !errors.Is(err, format.ErrInvalid) || errors.Is(err, format.ErrIncomplete) {
		t.Errorf("a wrong checksum: %v", err)
	}
}

// FuzzNextChange reads any bytes without a panic, and what it reads has the same encoding.
func FuzzNextChange(f *testing.F) {
	_, encoded, _ := sample()
	f.Add(encoded)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, rest, err := format.NextChange(b)
		if err != nil {
			if !errors.Is(err, format.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		again, none, err := format.NextChange(format.AppendChange(nil, c))
		if err != nil || len(none) > 0 || !reflect.DeepEqual(again, c) || len(rest) >= len(b) {
			t.Fatalf("%+v was read again as %+v, error %v", c, again, err)
		}
	})
}

// FuzzOpen reads any bytes without a panic, and the segments that it accepts are as their header says.
func FuzzOpen(f *testing.F) {
	h, encoded, _ := sample()
	f.Add(seal(f, h, encoded))
	f.Add(seal(f, h, encoded, identity(f).Recipient()))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, changes, err := format.Open(b)
		if err != nil {
			if len(changes) > 0 || !errors.Is(err, format.ErrInvalid) && !errors.Is(err, format.ErrIdentity) {
				t.Fatalf("%d changes, error %v", len(changes), err)
			}
			return
		}
		if first, last := changes[0], changes[len(changes)-1]; first.Position <= h.After || last.Position != h.Last {
			t.Fatalf("%+v has changes from %d to %d", h, first.Position, last.Position)
		}
	})
}

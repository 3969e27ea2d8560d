package event_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/internal/integrity"
	"svc/internal/testutil"
)

// report runs Check on the file at path and returns its report.
func report(t *testing.T, path string) *integrity.Report {
	t.Helper()
	r := integrity.NewReport(nil)
	check(t, event.Check(t.Context(), path, r))
	return r
}

// newDamageable creates a file with events of three hours, some of which are in the WAL.
// The file is in the state in which a killed process leaves it.
func newDamageable(t *testing.T) (path string) {
	t.Helper()
	w := newWorld(t, event.Options{})
	fillForDamage(t, w)
	check(t, w.Close())
	w.open(t)
	w.send(t, "in the tail", "s", "open", noon-60, "tail 1", "tail 2")
	_, err := w.CompactFile(true) // so that most of its pages are in use
	check(t, err)
	image, err := w.Image()
	check(t, err)
	path = filepath.Join(t.TempDir(), "events.db")
	check(t, errors.Join(image.Copy(path), image.Close()))
	return path
}

// change modifies a file for a test.
type change func(project *boltfile.Bucket, tx *boltfile.Tx) error

// in returns a change that applies the given function to the bucket at a path within the
// project's bucket.
func in(change func(b *boltfile.Bucket) error, path ...string) change {
	return func(b *boltfile.Bucket, _ *boltfile.Tx) error {
		for _, name := range path {
			b = b.Bucket([]byte(name))
		}
		return change(b)
	}
}

// firstValue changes the first value of a bucket.
func firstValue(change func(value []byte) []byte) func(b *boltfile.Bucket) error {
	return func(b *boltfile.Bucket) error {
		key, value := b.Cursor().First()
		return b.PutValue(bytes.Clone(key), change(bytes.Clone(b.ValueAt(key, value))))
	}
}

// emptyBucket replaces the first value of a bucket with an empty bucket.
func emptyBucket(b *boltfile.Bucket) error {
	key, _ := b.Cursor().First()
	key = bytes.Clone(key)
	err := b.DeleteValue(key)
	if err == nil {
		_, err = b.CreateBucket(key)
	}
	return err
}

// flip inverts one bit in the middle of a value.
func flip(value []byte) []byte {
	value[len(value)/2] ^= 1
	return value
}

// TestCheckFindsAndRepairs checks that each kind of damage to derived data is found by
// Check and removed by Repair, and that the engine then gives the same answers as before
// the damage.
func TestCheckFindsAndRepairs(t *testing.T) {
	t.Parallel()
	whole := newDamageable(t)
	if r := report(t, whole); len(r.Listed()) > 0 {
		t.Fatalf("before the damage: %v", r.Listed())
	}
	content, err := os.ReadFile(whole)
	check(t, err)
	want := answersOf(t, whole)
	for _, tc := range []struct {
		name   string
		kind   integrity.Kind
		damage change
	}{
		{"a page of the index of event ids", integrity.EventKey, in(func(b *boltfile.Bucket) error {
			key, value := b.Cursor().Last()
			return b.PutValue(bytes.Clone(key), flip(bytes.Clone(b.ValueAt(key, value))))
		}, "keys")},
		{"the directory of that index", integrity.EventKey, in(firstValue(flip), "keys")},
		{"that index is empty", integrity.EventKey, func(b *boltfile.Bucket, _ *boltfile.Tx) error {
			if err := b.DeleteBucket([]byte("keys")); err != nil {
				return err
			}
			_, err := b.CreateBucket([]byte("keys"))
			return err
		}},
		{"a page of the index of senders", integrity.DictionaryIndex, in(func(b *boltfile.Bucket) error {
			key, value := b.Cursor().Last()
			return b.PutValue(bytes.Clone(key), flip(bytes.Clone(b.ValueAt(key, value))))
		}, "subjects", "index")},
		{"no index of sessions", integrity.DictionaryIndex, in(func(b *boltfile.Bucket) error { return b.DeleteBucket([]byte("index")) }, "sessions")},
		{"counters of an hour are missing", integrity.Undercount, in(func(b *boltfile.Bucket) error {
			key, _ := b.Cursor().Last()
			return b.PutValue(bytes.Clone(key), []byte{1})
		}, "counters")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			check(t, os.WriteFile(path, content, 0o600))
			check(t, event.Change(path, 1, tc.damage))
			r := report(t, path)
			if r.Of(tc.kind) == 0 || r.Of(tc.kind) != r.Number(integrity.Damage)+r.Number(integrity.Wrong) {
				t.Errorf("got %v, want findings of kind %s", r.Listed(), tc.kind)
			}
			check(t, event.Repair(t.Context(), path, nil))
			if r := report(t, path); !r.Clean() {
				t.Errorf("after the repair: %v", r.Listed())
			}
			if got := answersOf(t, path); got != want {
				t.Errorf("after the repair: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// answersOf opens a copy of a file and returns the answers to queries for events, senders
// and counts. It also verifies that no event is accepted twice.
func answersOf(t *testing.T, from string) string {
	t.Helper()
	content, err := os.ReadFile(from)
	check(t, err)
	path := filepath.Join(t.TempDir(), "events.db")
	check(t, os.WriteFile(path, content, 0o600))
	w := &world{path: path}
	w.open(t)
	defer func() { check(t, w.Close()) }()
	var out bytes.Buffer
	for i := range 7 {
		fmt.Fprintln(&out, len(w.export(t, fmt.Sprint("u", i))))
	}
	overview, err := w.Overview(t.Context(), 1, damageRange)
	check(t, err)
	again := 0
	for hour := range 3 {
		for i := range 40 {
			again += w.send(t, "x", "s", "open", noon-int64(hour)*3600+int64(i*60), fmt.Sprint(hour, " ", i, " 0 a"))
		}
	}
	fmt.Fprintf(&out, "%+v, %d taken twice", overview, again)
	return out.String()
}

// TestCheckFindsLosses checks that Check reports damage to data that cannot be derived,
// and that Repair neither fails nor hides such damage.
func TestCheckFindsLosses(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(newDamageable(t))
	check(t, err)
	shorten := func(value []byte) []byte { return value[:len(value)-1] }
	for _, tc := range []struct {
		name   string
		kind   integrity.Kind
		damage change
	}{
		{"a block", integrity.Block, in(firstValue(flip), "blocks")},
		{"a block that is cut off", integrity.Block, in(firstValue(shorten), "blocks")},
		{"a block of which only the bucket is there", integrity.Block, in(emptyBucket, "blocks")},
		{"the key of a block", integrity.Block, in(func(b *boltfile.Bucket) error { return b.Put([]byte("key"), []byte{1}) }, "blocks")},
		{"senders", integrity.Text, in(firstValue(flip), "subjects", "texts")},
		{"sessions that a block refers to", integrity.Reference, func(b *boltfile.Bucket, _ *boltfile.Tx) error {
			if err := b.DeleteBucket([]byte("sessions")); err != nil {
				return err
			}
			_, err := b.CreateBucket([]byte("sessions"))
			return err
		}},
		{"the state of senders", integrity.Text, in(func(b *boltfile.Bucket) error { return b.Put([]byte("state"), make([]byte, 8)) }, "subjects")},
		{"one sender more", integrity.Text, in(func(b *boltfile.Bucket) error { return b.Put([]byte("state"), []byte{0, 0, 0, 9, 0, 0, 0, 0}) }, "subjects")},
		{"a name", integrity.EventName, in(firstValue(shorten), "names")},
		{"the number of a name", integrity.EventName, in(func(b *boltfile.Bucket) error { return b.Put([]byte("key"), []byte(`{"name":"a"}`)) }, "names")},
		{"a name that is counted", integrity.Counters, in(func(b *boltfile.Bucket) error { return b.Delete([]byte{0, 0, 0, 1}) }, "names")},
		{"the last name", integrity.Reference, in(func(b *boltfile.Bucket) error {
			key, _ := b.Cursor().Last()
			return b.Delete(bytes.Clone(key))
		}, "names")},
		{"counters", integrity.Counters, in(firstValue(shorten), "counters")},
		{"the WAL", integrity.WAL, func(_ *boltfile.Bucket, tx *boltfile.Tx) error {
			wal := tx.Bucket([]byte("wal"))
			key, _ := wal.Cursor().First()
			return firstValue(shorten)(wal.Bucket(key))
		}},
		{"a commit of which only the bucket is there", integrity.WAL, func(_ *boltfile.Bucket, tx *boltfile.Tx) error {
			wal := tx.Bucket([]byte("wal"))
			key, _ := wal.Cursor().First()
			return emptyBucket(wal.Bucket(key))
		}},
		{"a WAL that was written as blocks", integrity.WAL, func(_ *boltfile.Bucket, tx *boltfile.Tx) error {
			return tx.Bucket([]byte("meta")).Put([]byte("flushed"), bytes.Repeat([]byte{1}, 8))
		}},
		{"no format", integrity.Layout, func(_ *boltfile.Bucket, tx *boltfile.Tx) error {
			return tx.Bucket([]byte("meta")).Delete([]byte("format"))
		}},
		{"no blocks", integrity.Layout, func(b *boltfile.Bucket, _ *boltfile.Tx) error { return b.DeleteBucket([]byte("blocks")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			check(t, os.WriteFile(path, content, 0o600))
			check(t, event.Change(path, 1, tc.damage))
			for _, when := range []string{"before", "after"} {
				if r := report(t, path); r.Of(tc.kind) == 0 || r.Clean() {
					t.Errorf("%s a repair: got %v, want a finding of kind %s", when, r.Listed(), tc.kind)
				}
				check(t, event.Repair(t.Context(), path, nil))
			}
		})
	}
}

// TestCheckAfterCleaning checks that expired counters are not reported as missing. This
// must hold even if a late event has created counters for an hour from which counters
// were removed.
func TestCheckAfterCleaning(t *testing.T) {
	t.Parallel()
	const day = 86400
	w := newWorld(t, event.Options{})
	for n := range int64(10) {
		w.send(t, "u", "s", "open", noon-n*day, fmt.Sprint(n))
	}
	clean := func(days int64) {
		t.Helper()
		check(t, w.ApplyRetention(t.Context(), 1, noon-90*day, noon-days*day))
	}
	clean(3)
	w.send(t, "u", "s", "open", noon-5*day, "late")
	check(t, w.Flush())

	copied := newWorld(t, event.Options{})
	pour(t, w.Engine, 1, copied.Engine, 1, true)
	check(t, copied.Close())
	if r := report(t, copied.path); !r.Clean() {
		t.Errorf("brought into another file: got %v, want no findings", r.Listed())
	}
	copied.open(t)

	sound := func(when string) {
		t.Helper()
		check(t, w.Close())
		if r := report(t, w.path); !r.Clean() {
			t.Errorf("%s: got %v, want no findings", when, r.Listed())
		}
		check(t, event.Repair(t.Context(), w.path, nil))
		w.open(t)
	}
	sound("after a late event")
	if got := w.total(t); got != 5 { // the events of days 0 to 3, and the late one
		t.Errorf("got %d events counted, want 5", got)
	}
	clean(9) // counters are now to be kept for longer
	sound("kept for longer")
	clean(3)
	sound("without the late event")
	if got := w.total(t); got != 4 {
		t.Errorf("got %d events counted, want 4", got)
	}

	check(t, w.Close())
	check(t, event.Change(w.path, 1, in(func(b *boltfile.Bucket) error {
		key, _ := b.Cursor().First()
		return b.DeleteValue(bytes.Clone(key))
	}, "counters")))
	if r := report(t, w.path); r.Of(integrity.Undercount) != 1 {
		t.Errorf("without the counters of an hour: got %v, want that they are missing", r.Listed())
	}
	w.open(t)
}

// TestCheckOfFirstHour checks that events of the first hour of 1970 are checked like all
// others.
func TestCheckOfFirstHour(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	w.send(t, "u", "s", "open", 0, "a", "b")
	w.send(t, "u", "s", "open", noon, "c")
	check(t, w.Close())
	defer w.open(t)
	if r := report(t, w.path); !r.Clean() {
		t.Errorf("got %v, want no findings", r.Listed())
	}
	check(t, event.Change(w.path, 1, in(firstValue(func([]byte) []byte { return []byte{1} }), "counters")))
	if r := report(t, w.path); r.Of(integrity.Undercount) != 1 {
		t.Errorf("without its counters: got %v, want that they are missing", r.Listed())
	}
	check(t, event.Repair(t.Context(), w.path, nil))
	if r := report(t, w.path); !r.Clean() {
		t.Errorf("after the repair: got %v, want no findings", r.Listed())
	}
}

// TestCheckOfNewer checks that Check refuses a file of a newer program.
func TestCheckOfNewer(t *testing.T) {
	t.Parallel()
	path := newDamageable(t)
	check(t, event.Change(path, 1, func(_ *boltfile.Bucket, tx *boltfile.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.BigEndian.AppendUint32(nil, event.Format+1))
	}))
	if err := event.Check(t.Context(), path, integrity.NewReport(nil)); !errors.Is(err, event.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}

// TestCheckOfRandomDamage checks that Check reports random damage to the bytes of a file,
// unless the damage leaves all contents of the file unchanged.
func TestCheckOfRandomDamage(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	whole := newDamageable(t)
	content, err := os.ReadFile(whole)
	check(t, err)
	want := answersOf(t, whole)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	found, rounds := 0, 200
	for round := range rounds {
		bad := slices.Clone(content)
		damagePages(r, bad)
		path := filepath.Join(t.TempDir(), "events.db")
		check(t, os.WriteFile(path, bad, 0o600))
		findings := integrity.NewReport(nil)
		err := event.Check(t.Context(), path, findings)
		switch {
		case errors.Is(err, event.ErrDamaged) || errors.Is(err, event.ErrNewer) || err == nil && len(findings.Listed()) > 0:
			found++
		case err != nil:
			t.Fatalf("round %d: got %v, want ErrDamaged or a finding", round, err)
		default:
			if got := answersOf(t, path); got != want && !bytes.Equal(bad, content) {
				t.Errorf("round %d: the check is clean, but the file answers\n%s\nnot\n%s", round, got, want)
			}
		}
		check(t, os.Remove(path))
	}
	if t.Logf("%d of %d were found", found, rounds); found < rounds/10 {
		t.Errorf("only %d of %d were found", found, rounds)
	}
}

// damagePages damages a part of a file: it inverts a bit, overwrites a page, puts a page
// in the place of another one, or overwrites a stretch of bytes.
func damagePages(r *rand.Rand, b []byte) {
	const page = 4096
	at := r.IntN(len(b))
	switch r.IntN(4) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
	case 1:
		clear(b[at/page*page:][:page])
	case 2:
		copy(b[at/page*page:][:page], b[r.IntN(len(b)/page)*page:])
	case 3:
		for i := at; i < min(at+1+r.IntN(64), len(b)); i++ {
			b[i] = byte(r.IntN(256))
		}
	}
}

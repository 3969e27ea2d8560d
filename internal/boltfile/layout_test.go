package boltfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/boltfile"
)

// withFile creates a file of the given format and calls fn while the file is open.
func withFile(t *testing.T, path string, format uint32, fn func(*boltfile.DB)) {
	t.Helper()
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		meta, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return meta.Put([]byte("format"), binary.BigEndian.AppendUint32(nil, format))
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fn(db)
	if err := boltfile.Close(db); err != nil {
		t.Fatal(err)
	}
	if err := boltfile.Verify(path); err != nil {
		t.Error(err)
	}
}

// meta returns a value of the meta bucket.
func meta(t *testing.T, db *boltfile.DB, key string) []byte { return stored(t, db, "meta", key) }

// stored returns a value of a bucket. It is nil if there is none.
func stored(t *testing.T, db *boltfile.DB, bucket, key string) (found []byte) {
	t.Helper()
	err := db.View(func(tx *boltfile.Tx) error {
		if b := tx.Bucket([]byte(bucket)); b != nil {
			found = bytes.Clone(b.Get([]byte(key)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// steps returns a layout. Each of its steps records in the file that it has run. The step
// that starts from the format stop writes and then fails.
func steps(oldest, newest, stop uint32) boltfile.Layout {
	l := boltfile.Layout{Oldest: oldest}
	for n := oldest; n < newest; n++ {
		l.Steps = append(l.Steps, func(tx *boltfile.Tx) error {
			b := tx.Bucket([]byte("meta"))
			err := b.Put([]byte("trace"), append(bytes.Clone(b.Get([]byte("trace"))), byte('0'+n)))
			if n == stop {
				return errors.Join(err, errStep)
			}
			return err
		})
	}
	return l
}

var errStep = errors.New("the step fails")

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		format       uint32
		layout       boltfile.Layout
		wantFormat   uint32
		trace        string
		wantErr      error
		beforeCalled bool
	}{
		{"the newest format stays", 3, steps(1, 3, 0), 3, "", nil, false},
		{"every step from an old format", 1, steps(1, 4, 0), 4, "123", nil, true},
		{"the steps that are left", 3, steps(1, 5, 0), 5, "34", nil, true},
		{"a step that fails leaves the format before it", 1, steps(1, 4, 2), 2, "1", errStep, true},
		{"newer is refused", 4, steps(1, 3, 0), 4, "", boltfile.ErrNewer, false},
		{"older than the oldest is refused", 1, steps(2, 3, 0), 1, "", boltfile.ErrDamaged, false},
	} {
		path := filepath.Join(t.TempDir(), "file.db")
		withFile(t, path, tc.format, func(db *boltfile.DB) {
			called := false
			err := tc.layout.SettleDB(db, boltfile.Upgrade{Before: func() error {
				called = true
				if got := binary.BigEndian.Uint32(meta(t, db, "format")); got != tc.format {
					t.Errorf("%s: Before sees format %d, want %d", tc.name, got, tc.format)
				}
				return nil
			}})
			if !errors.Is(err, tc.wantErr) || called != tc.beforeCalled {
				t.Errorf("%s: got %v, Before called: %v; want %v, %v", tc.name, err, called, tc.wantErr, tc.beforeCalled)
			}
			format, trace := binary.BigEndian.Uint32(meta(t, db, "format")), string(meta(t, db, "trace"))
			if format != tc.wantFormat || trace != tc.trace {
				t.Errorf("%s: format %d after steps %q, want %d after %q", tc.name, format, trace, tc.wantFormat, tc.trace)
			}
		})
	}
}

func TestSettleWithoutACopyChangesNothing(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	withFile(t, filepath.Join(t.TempDir(), "file.db"), 1, func(db *boltfile.DB) {
		err := steps(1, 2, 0).SettleDB(db, boltfile.Upgrade{Version: "2.0", Before: func() error { return full }})
		if !errors.Is(err, full) || meta(t, db, "trace") != nil || stored(t, db, "node", "writer") != nil {
			t.Errorf("got %v, trace %q, writer %q; want the error and nothing else", err, meta(t, db, "trace"), stored(t, db, "node", "writer"))
		}
	})
}

// TestWriterIsNamed checks that an older version refuses a file with an error that names
// the version that opened the file last.
func TestWriterIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file.db")
	withFile(t, path, 1, func(db *boltfile.DB) {
		for _, version := range []string{"1.9", "2.0", ""} {
			if err := steps(1, 2, 0).SettleDB(db, boltfile.Upgrade{Version: version}); err != nil {
				t.Fatal(err)
			}
		}
		err := steps(1, 1, 0).SettleDB(db, boltfile.Upgrade{Version: "1.3"})
		newer, ok := errors.AsType[*boltfile.NewerError](err)
		if !ok || *newer != (boltfile.NewerError{Path: path, Format: 2, Oldest: 1, Newest: 1, Writer: "2.0"}) {
			t.Errorf("got %#v", err)
		}
		if string(stored(t, db, "node", "writer")) != "2.0" {
			t.Errorf("a refused program wrote its name: %q", stored(t, db, "node", "writer"))
		}
	})
}

// TestNodeKeysMove opens a file of a version that had the keys of the bucket node in the meta
// bucket. They can be read there, and Settle moves them.
func TestNodeKeysMove(t *testing.T) {
	t.Parallel()
	layout := boltfile.Layout{Buckets: [][]byte{[]byte("meta")}, Node: [][]byte{[]byte("id"), []byte("absent")}, Oldest: 1}
	withFile(t, filepath.Join(t.TempDir(), "file.db"), 1, func(db *boltfile.DB) {
		node := func() (all string) {
			err := db.View(func(tx *boltfile.Tx) error {
				all = fmt.Sprintf("%s %s", tx.Node().Get([]byte("id")), tx.Node().Get([]byte("writer")))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		err := db.Update(func(tx *boltfile.Tx) error {
			b := tx.Bucket([]byte("meta"))
			return errors.Join(b.Put([]byte("id"), []byte("7")), b.Put([]byte("writer"), []byte("1.0")), b.Put([]byte("data"), []byte("x")))
		})
		if got := node(); err != nil || got != "7 1.0" {
			t.Errorf("before: got %q, error %v", got, err)
		}
		for range 2 {
			if err := layout.SettleDB(db, boltfile.Upgrade{}); err != nil {
				t.Fatal(err)
			}
			if got := node(); got != "7 1.0" || meta(t, db, "id") != nil || meta(t, db, "writer") != nil || string(meta(t, db, "data")) != "x" {
				t.Errorf("after: got %q in node, %q and %q in meta", got, meta(t, db, "id"), meta(t, db, "writer"))
			}
		}
	})
}

func TestSettleOfSomethingElse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file.db")
	if err := boltfile.Create(path, func(*boltfile.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := steps(1, 2, 0).SettleDB(db, boltfile.Upgrade{}); !errors.Is(err, boltfile.ErrDamaged) {
		t.Errorf("got %v, want %v", err, boltfile.ErrDamaged)
	}
}

// TestVerify checks that Verify finds an unreachable page, which opening does not detect.
func TestVerify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file.db")
	withFile(t, path, 1, func(db *boltfile.DB) {
		err := db.Update(func(tx *boltfile.Tx) error {
			b, err := tx.CreateBucket([]byte("more"))
			for i := 0; err == nil && i < 2000; i++ {
				err = b.Put(binary.BigEndian.AppendUint32(nil, uint32(i)), bytes.Repeat([]byte("x"), 50))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for at := 0; at < len(content); at += os.Getpagesize() {
		changed := bytes.Clone(content)
		for i := range 16 { // the header of a page
			changed[at+i] ^= 0xFF
		}
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := boltfile.Verify(path); errors.Is(err, boltfile.ErrDamaged) && strings.Contains(err.Error(), path) {
			found++
		}
	}
	if found < len(content)/os.Getpagesize()/2 {
		t.Errorf("%d of %d damaged pages were found; the others must be unused", found, len(content)/os.Getpagesize())
	}
}

package search

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc/internal/testutil"
	"svc/store"
)

// TestRootFileAtEveryPage checks that damage to root.bolt is found on each of its pages.
// If bbolt read a damaged page, it would end the process without a chance to recover.
func TestRootFileAtEveryPage(t *testing.T) {
	t.Parallel()
	size := os.Getpagesize() // equal to the size of bbolt's pages
	for _, tc := range []struct {
		name   string
		damage func(data []byte, at int) []byte
	}{
		{"cut", func(data []byte, at int) []byte { return data[:at] }},
		{"cut in the middle of a page", func(data []byte, at int) []byte { return data[:at+size/2] }},
		{"zero up to the end", func(data []byte, at int) []byte { return append(data[:at], make([]byte, len(data)-at)...) }},
		{"zero", func(data []byte, at int) []byte { clear(data[at : at+size]); return data }},
		{"torn", func(data []byte, at int) []byte {
			copy(data[at:at+size], bytes.Repeat([]byte("torn"), size))
			return data
		}},
		{"torn behind its head", func(data []byte, at int) []byte {
			copy(data[at+16:at+size], bytes.Repeat([]byte("torn"), size))
			return data
		}},
		{"another page in its place", func(data []byte, at int) []byte {
			copy(data[at:], slices.Clone(data[len(data)-at-size:][:size]))
			return data
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			p := b.addProject("app")
			for range 3 {
				b.addLogs(p.ID, 100, numbered)
				b.settle()
			}
			b.closeIndex()
			copyTree(t, b.dir+"/whole", b.folder())
			whole := read(t, b.files("root.bolt")[0])
			anew := 0
			for at := 0; at < len(whole); at += size {
				remove(t, b.folder())
				copyTree(t, b.folder(), b.dir+"/whole")
				write(t, b.files("root.bolt")[0], tc.damage(slices.Clone(whole), at))
				b.openIndex()
				check(t, b.index.admit())
				if b.index.engine == nil {
					anew++
				}
				for _, when := range []string{"before", "after"} {
					if got := b.findLogs(p.ID, "line 77 "); got != 3 {
						t.Errorf("page %d, %s it has come back: got %d logs, want 3", at/size, when, got)
					}
					b.settle()
				}
				if !b.narrows(p.ID, "line") {
					t.Errorf("page %d: index does not say where a text is", at/size)
				}
				b.closeIndex()
			}
			b.openIndex()
			if anew == 0 {
				t.Error("no damage was found")
			}
		})
	}
}

// TestSegmentDamagedAnywhere checks that damage to a segment is found at each of its
// bytes, whether the byte is cleared or the segment is truncated at that byte. Because
// bleve verifies no checksum, it would read a size of 128 TiB in some places and try to
// allocate that amount of memory, which ends the process.
func TestSegmentDamagedAnywhere(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	b := newBox(t)
	p := b.addProject("app")
	b.addLogs(p.ID, 3, numbered)
	b.settle()
	b.closeIndex()
	names := b.files("*.zap")
	if len(names) == 0 {
		t.Fatal("no segment to damage")
	}
	for _, name := range names {
		whole := read(t, name)
		for at := range whole {
			cleared := slices.Clone(whole)
			cleared[at] = 0
			for _, bad := range [][]byte{whole[:at], cleared} {
				if bytes.Equal(bad, whole) {
					continue
				}
				write(t, name, bad)
				if e, _, err := openEngine(t.Context(), b.folder()); err == nil {
					t.Fatalf("byte %d of %d: damage was not found (%v)", at, len(whole), e.close())
				}
			}
		}
		write(t, name, whole)
	}
	b.openIndex()
	check(t, b.index.admit())
	if b.index.engine == nil {
		t.Error("an index that is whole was thrown away")
	}
}

// TestForeignIndexDoesNotStay checks that Open discards an unsuitable index immediately.
// If the index stayed, a command could open an index that is ahead of its store, change
// the store, and not run the index. After enough changes, the checkpoint of that index
// would look valid.
func TestForeignIndexDoesNotStay(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*checkpoint){
		"from the future":  func(s *checkpoint) { s.Seq += 2 },
		"of another store": func(s *checkpoint) { s.Store = "x" },
		"other rules":      func(s *checkpoint) { s.Format = "0" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, p := filled(t)
			b.closeIndex()
			e, s, err := openEngine(t.Context(), b.folder())
			check(t, err)
			edit(&s)
			check(t, errors.Join(e.apply(&batch{checkpoint: &s}), e.close()))
			b.openIndex()
			b.closeIndex()
			b.addLogs(p, 300, numbered)
			b.update(func(tx *store.Tx) error { return tx.PutAnnouncement(p, &store.Announcement{Title: "late"}) })
			b.openIndex()
			check(t, b.index.admit())
			if b.index.engine != nil {
				t.Error("it has stayed")
			}
		})
	}
}

// TestEndWhileTheIndexIsRead checks that an index can be closed while its files are being
// verified. Closing must not wait for the verification, and the index must not be
// discarded.
func TestEndWhileTheIndexIsRead(t *testing.T) {
	t.Parallel()
	b, p := filled(t)
	b.closeIndex()
	b.openIndex()
	b.index.end()
	if err := b.index.admit(); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := examine(ended, b.folder()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	b.closeIndex()
	b.openIndex()
	check(t, b.index.admit())
	if !b.narrows(p, "line") {
		t.Error("index was thrown away")
	}
}

// TestFilesDamagedInUse checks that the process survives and searches are correct if the
// files of an index are damaged while it serves searches.
func TestFilesDamagedInUse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, b *box)
	}{
		// A search accesses pages that no longer exist.
		{"segments cut", func(t *testing.T, b *box) { cut(t, 1<<40, b.files("*.zap")...) }},
		// bbolt panics in a goroutine of bleve, which leaves the file locked.
		{"root file zero", func(t *testing.T, b *box) {
			f, err := os.OpenFile(b.files("root.bolt")[0], os.O_WRONLY, 0)
			check(t, err)
			info, err := f.Stat()
			check(t, err)
			meta := int64(2 * os.Getpagesize())
			_, err = f.WriteAt(make([]byte, info.Size()-meta), meta)
			check(t, errors.Join(err, f.Close()))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, p := filled(t)
			e := b.index.engine
			if n := len(b.files("*.zap")); n != 1 {
				t.Fatalf("got %d segments, which bleve may be merging, want 1", n)
			}
			tc.damage(t, b)
			if got := b.findLogs(p, "line 77 "); got != 1 {
				t.Errorf("before it has come back: got %d logs, want 1", got)
			}
			b.addLogs(p, 300, numbered)
			b.settle()
			if got := b.findLogs(p, "line 77 "); got != 2 || b.index.engine == e || !b.narrows(p, "line") {
				t.Errorf("after: got %d logs, want 2 from another index", got)
			}
			if left, err := filepath.Glob(b.folder() + ".*"); len(left) > 0 || err != nil {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

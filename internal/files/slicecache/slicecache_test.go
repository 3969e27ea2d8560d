package slicecache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/files/slicecache"
	"svc/internal/testutil"
)

const sliceSize = slicecache.SliceSize

// storage is an in-memory storage that counts fetches.
type storage struct {
	mu      sync.Mutex
	objects map[string][]byte
	fetches map[string]int // number of fetches by key and offset
	sent    int64
	answer  func(body io.Reader) (io.Reader, error) // changes the body of each fetch; nil = unchanged
}

func newStorage() *storage {
	return &storage{objects: map[string][]byte{}, fetches: map[string]int{}}
}

// put creates an object of size bytes.
func (s *storage) put(key string, size int) []byte {
	tile := make([]byte, 100_003) // the period is longer than a block, so no two blocks are equal
	_, _ = rand.NewChaCha8([32]byte{byte(len(s.objects))}).Read(tile)
	b := bytes.Repeat(tile, size/len(tile)+1)[:size]
	s.objects[key] = b
	return b
}

func (s *storage) of(key string) slicecache.Fetch {
	return func(_ context.Context, offset, length int64) (io.ReadCloser, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fetches[fmt.Sprintf("%s %d", key, offset)]++
		s.sent += length
		var body io.Reader = bytes.NewReader(s.objects[key][offset : offset+length])
		if s.answer != nil {
			var err error
			if body, err = s.answer(body); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(body), nil
	}
}

func (s *storage) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.fetches {
		n += times
	}
	return n
}

func open(t testing.TB, c slicecache.Config) *slicecache.Cache {
	t.Helper()
	c.Log = slog.New(slog.DiscardHandler)
	cache, err := slicecache.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cache.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return cache
}

// read reads a range of an object through the cache and checks the bytes.
func read(t testing.TB, c *slicecache.Cache, s *storage, key string, offset, length int) (hit bool) {
	t.Helper()
	want := s.objects[key]
	r, hit, err := c.Reader(t.Context(), key, int64(len(want)), int64(offset), int64(length), s.of(key))
	if err != nil {
		t.Errorf("%s from %d: %v", key, offset, err)
		return false
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want[offset:offset+length]) {
		t.Errorf("%s from %d: got %d bytes, %v; want %d", key, offset, len(got), err, length)
	}
	return hit
}

// files returns the names of the files in a directory and their total size in bytes.
func files(t testing.TB, dir string) (names []string, total int64) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name())
		total += info.Size()
	}
	return names, total
}

func TestReadsAreRight(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for _, max := range []int64{0, 1000, 6 << 20, 1 << 30} {
		t.Run(fmt.Sprint(max), func(t *testing.T) {
			t.Parallel()
			dir, s := t.TempDir(), newStorage()
			c := open(t, slicecache.Config{Dir: dir, MaxBytes: max})
			sizes := []int{0, 1, sliceSize - 1, sliceSize, sliceSize + 1, 2*sliceSize + 70_000}
			for i, size := range sizes {
				s.put(fmt.Sprint(i), size)
			}
			r := rand.New(rand.NewPCG(1, 1))
			for range 40 {
				i := r.IntN(len(sizes))
				offset := r.IntN(sizes[i] + 1)
				length := r.IntN(sizes[i] - offset + 1)
				if r.IntN(2) == 0 {
					length = min(length, 100)
				}
				read(t, c, s, fmt.Sprint(i), offset, length)
				if names, total := files(t, dir); total > max {
					t.Fatalf("%v have %d bytes, more than %d", names, total, max)
				}
			}
		})
	}
}

func TestHit(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), newStorage()
	s.put("a", 3*sliceSize)
	c := open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
	steps := []struct {
		offset, length int
		hit            bool
		fetches        int // total number of fetches so far
	}{
		{10, 10, false, 1}, {0, sliceSize, true, 1}, {sliceSize - 1, 1, true, 1},
		{sliceSize - 1, 2, true, 2}, {2*sliceSize + 5, 1, false, 3}, {0, 3 * sliceSize, true, 3},
	}
	for _, step := range steps {
		hit := read(t, c, s, "a", step.offset, step.length)
		if got := s.count(); hit != step.hit || got != step.fetches {
			t.Errorf("%+v: hit %t after %d fetches", step, hit, got)
		}
	}
	if s.sent != 3*sliceSize {
		t.Errorf("%d bytes were fetched, want each slice whole and once", s.sent)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "fetch-ABC"), []byte("killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
	if hit := read(t, c, s, "a", 0, 3*sliceSize); !hit || s.count() != 3 {
		t.Errorf("after a restart: hit %t after %d fetches", hit, s.count())
	}
	if names, _ := files(t, dir); len(names) != 3 {
		t.Errorf("the folder has %v, want three slices", names)
	}
	c.Forget("a")
	if names, _ := files(t, dir); len(names) != 0 {
		t.Errorf("forgotten slices are there: %v", names)
	}
	if read(t, c, s, "a", 0, 1) {
		t.Error("a forgotten slice is served")
	}
}

// TestLeastRecentlyUsed checks that the most recently used slices stay in the cache, even after a
// restart, and that slices that have not been used for 30 days are removed.
func TestLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), newStorage()
	at := time.Now().Add(-200 * 24 * time.Hour)
	config := slicecache.Config{Dir: dir, MaxBytes: 3_300_000, Now: func() time.Time { return at }}
	c := open(t, config)
	for _, key := range []string{"a", "b", "c", "d"} {
		s.put(key, 1<<20)
	}
	use := func(keys string, hits string) {
		t.Helper()
		for i, key := range strings.Split(keys, "") {
			at = at.Add(2 * time.Hour)
			if hit := read(t, c, s, key, 7, 7); hit != (hits[i] == 'h') {
				t.Errorf("%s of %s: hit %t", key, keys, hit)
			}
		}
	}
	use("abcabc", "mmmhhh")
	use("ad", "hm")   // this evicts b
	use("acb", "hhm") // this evicts d
	c = open(t, config)
	use("acb", "hhh")
	config.MaxBytes = 2_200_000 // this evicts a
	c = open(t, config)
	use("cb", "hh")
	at = at.Add(slicecache.Life - 3*time.Hour)
	use("b", "h")
	at = at.Add(2 * time.Hour)
	if err := c.Sweep(); err != nil { // this removes c
		t.Fatal(err)
	}
	use("bc", "hm")
	at = at.Add(slicecache.Life + 3*time.Hour)
	open(t, config)
	if names, _ := files(t, dir); len(names) != 0 {
		t.Errorf("slices of long ago: %v", names)
	}
}

// TestOneFetch checks that concurrent readers of one slice cause only one fetch.
func TestOneFetch(t *testing.T) {
	t.Parallel()
	s := newStorage()
	s.put("a", 2*sliceSize)
	c := open(t, slicecache.Config{Dir: t.TempDir(), MaxBytes: 1 << 30})
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() { read(t, c, s, "a", n*1000, sliceSize+n) })
	}
	all.Wait()
	if s.count() != 2 {
		t.Errorf("fetched %v, want each slice once", s.fetches)
	}
}

// TestWaiting checks that a reader waits at most a minute for another reader's fetch. The reader
// that has started the fetch may wait longer. The fetch must end when no reader waits for it any
// longer.
func TestWaiting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newStorage()
		want := s.put("a", 100)
		c := open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
		canceled, goOn := 0, make(chan struct{})
		slow := func(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
			select {
			case <-ctx.Done():
				canceled++
				return nil, ctx.Err()
			case <-goOn:
			}
			return s.of("a")(ctx, offset, length)
		}
		type result struct {
			content []byte
			err     error
		}
		start := func(ctx context.Context) <-chan result {
			results := make(chan result, 1)
			go func() {
				r, _, err := c.Reader(ctx, "a", 100, 0, 100, slow)
				if err != nil {
					results <- result{err: err}
					return
				}
				content, err := io.ReadAll(r)
				results <- result{content, errors.Join(err, r.Close())}
			}()
			synctest.Wait()
			return results
		}
		alone, leave := context.WithCancel(t.Context())
		first := start(alone)
		leave()
		if got := <-first; !errors.Is(got.err, context.Canceled) {
			t.Errorf("who left got %v", got.err)
		}
		synctest.Wait()
		if canceled != 1 {
			t.Errorf("%d fetches were canceled, want the one that nobody waits for", canceled)
		}

		began, leave := context.WithCancel(t.Context())
		first, second := start(began), start(t.Context())
		leave()
		if got := <-first; !errors.Is(got.err, context.Canceled) {
			t.Errorf("who left got %v", got.err)
		}
		began2 := time.Now()
		if got := <-second; got.err == nil || time.Since(began2) != time.Minute {
			t.Errorf("who waited got %v after %v, want an error after a minute", got.err, time.Since(began2))
		}
		synctest.Wait()
		if canceled != 2 {
			t.Errorf("%d fetches were canceled, want 2", canceled)
		}

		first = start(t.Context())
		time.Sleep(time.Hour) //nolint:forbidigo // the clock of the bubble
		second = start(t.Context())
		close(goOn)
		for _, results := range []<-chan result{first, second} {
			if got := <-results; got.err != nil || !bytes.Equal(got.content, want) {
				t.Errorf("got %d bytes, %v", len(got.content), got.err)
			}
		}
		if s.count() != 1 {
			t.Errorf("%d fetches came to the storage, want 1", s.count())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestForgetWhileFetching checks that a slice is not cached if its object is deleted while the
// slice is being fetched.
func TestForgetWhileFetching(t *testing.T) {
	t.Parallel()
	dir, s := t.TempDir(), newStorage()
	s.put("a", 100)
	c := open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
	s.answer = func(body io.Reader) (io.Reader, error) {
		c.Forget("a")
		return body, nil
	}
	if r, _, err := c.Reader(t.Context(), "a", 100, 0, 100, s.of("a")); err == nil {
		t.Errorf("got %v, want an error", r)
	}
	s.answer = nil
	if read(t, c, s, "a", 0, 100) {
		t.Error("the slice came back")
	}
}

// TestDamageIsNeverServed damages slices on disk in many ways. It checks that readers get the right
// bytes and that damaged slices are fetched again.
func TestDamageIsNeverServed(t *testing.T) {
	t.Parallel()
	change := func(at int64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var b [1]byte
			if _, err := f.ReadAt(b[:], at); err != nil {
				t.Fatal(err)
			}
			b[0] ^= 0x10
			if _, err := f.WriteAt(b[:], at); err != nil {
				t.Fatal(err)
			}
		}
	}
	truncate := func(size int64) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
		}
	}
	zeros := func(t *testing.T, path string) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, info.Size()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const size = 300_000
	for _, tc := range []struct {
		name    string
		damage  func(*testing.T, string)
		restart bool
		hit     bool // the damage is behind the first block
	}{
		{"first byte", change(0), false, false},
		{"first byte after a restart", change(0), true, false},
		{"a byte in the middle", change(200_000), false, true},
		{"last byte", change(size - 1), false, true},
		{"first checksum", change(size), false, false},
		{"last checksum", change(size + 19), true, true},
		{"empty", truncate(0), true, false},
		{"empty while open", truncate(0), false, false},
		{"cut", truncate(size - 1), true, false},
		{"longer", truncate(size + 100), true, false},
		{"zeros", zeros, false, false},
		{"gone", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, false, false},
		{"a folder", func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, s := t.TempDir(), newStorage()
			s.put("a", size)
			c := open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
			read(t, c, s, "a", 0, 1)
			names, _ := files(t, dir)
			tc.damage(t, filepath.Join(dir, names[0]))
			if tc.restart {
				c = open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
			}
			if hit := read(t, c, s, "a", 0, size); hit != tc.hit || s.count() != 2 {
				t.Errorf("hit %t after %d fetches; want %t after 2", hit, s.count(), tc.hit)
			}
			if !read(t, c, s, "a", 0, size) {
				t.Error("it was not mended")
			}
		})
	}
	t.Run("of another object", func(t *testing.T) {
		t.Parallel()
		dir, s := t.TempDir(), newStorage()
		s.put("a", size)
		s.put("b", size)
		c := open(t, slicecache.Config{Dir: dir, MaxBytes: 1 << 30})
		read(t, c, s, "a", 0, 1)
		read(t, c, s, "b", 0, 1)
		names, _ := files(t, dir)
		content, err := os.ReadFile(filepath.Join(dir, names[0]))
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, names[1]), content, 0o600)); err != nil {
			t.Fatal(err)
		}
		if read(t, c, s, "a", 0, size) == read(t, c, s, "b", 0, size) {
			t.Error("want one hit and one miss")
		}
	})
}

// TestStorageFails checks that a download never appears complete if the storage refuses a
// fetch or ends it early. No part of such a slice must be cached.
func TestStorageFails(t *testing.T) {
	t.Parallel()
	refusal := errors.New("no such bucket")
	for _, max := range []int64{0, 1 << 30} {
		for _, tc := range []struct {
			name   string
			answer func(io.Reader) (io.Reader, error)
			want   error
		}{
			{"refused", func(io.Reader) (io.Reader, error) { return nil, refusal }, refusal},
			{"empty", func(io.Reader) (io.Reader, error) { return strings.NewReader(""), nil }, io.ErrUnexpectedEOF},
			{"a byte short", func(body io.Reader) (io.Reader, error) { return io.LimitReader(body, sliceSize-1), nil }, io.ErrUnexpectedEOF},
			{"broken", func(body io.Reader) (io.Reader, error) {
				return io.MultiReader(io.LimitReader(body, 10), errReader{refusal}), nil
			}, refusal},
		} {
			for _, first := range []bool{true, false} {
				dir, s := t.TempDir(), newStorage()
				s.put("a", 2*sliceSize)
				c := open(t, slicecache.Config{Dir: dir, MaxBytes: max})
				if first {
					s.answer = tc.answer
				}
				r, _, err := c.Reader(t.Context(), "a", 2*sliceSize, 0, 2*sliceSize, s.of("a"))
				if err == nil {
					var got []byte
					if !first {
						b := make([]byte, sliceSize)
						if _, err := io.ReadFull(r, b); err != nil {
							t.Fatal(err)
						}
						s.answer = tc.answer
					}
					got, err = io.ReadAll(r)
					if len(got) >= 2*sliceSize {
						t.Errorf("%s: the download is complete", tc.name)
					}
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				}
				if !errors.Is(err, tc.want) {
					t.Errorf("%s, first slice %t, at most %d bytes: got %v, want %v", tc.name, first, max, err, tc.want)
				}
				s.answer = nil
				read(t, c, s, "a", 0, 2*sliceSize)
			}
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// TestEvictedWhileRead checks that a reader can finish reading a slice that is evicted while it is
// being read.
func TestEvictedWhileRead(t *testing.T) {
	t.Parallel()
	s := newStorage()
	want := s.put("a", 1_000_000)
	s.put("b", 1_000_000)
	c := open(t, slicecache.Config{Dir: t.TempDir(), MaxBytes: 1_100_000})
	r, _, err := c.Reader(t.Context(), "a", 1_000_000, 0, 1_000_000, s.of("a"))
	if err != nil {
		t.Fatal(err)
	}
	start := make([]byte, 10)
	if _, err := io.ReadFull(r, start); err != nil {
		t.Fatal(err)
	}
	read(t, c, s, "b", 0, 1_000_000)
	c.Forget("a")
	rest, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(append(start, rest...), want) {
		t.Errorf("got %d bytes, %v", len(rest), err)
	}
}

func TestRangeOutsideTheObject(t *testing.T) {
	t.Parallel()
	s := newStorage()
	s.put("a", 100)
	c := open(t, slicecache.Config{Dir: t.TempDir(), MaxBytes: 1 << 30})
	for _, r := range [][2]int64{{-1, 1}, {0, -1}, {0, 101}, {100, 1}, {101, 0}, {1, 1<<63 - 1}, {1<<63 - 1, 1}} {
		if _, _, err := c.Reader(t.Context(), "a", 100, r[0], r[1], s.of("a")); err == nil {
			t.Errorf("%v was read", r)
		}
	}
}

// FuzzKey checks that, whatever the key is, slices are files directly in the cache's
// directory, and that different keys do not share files.
func FuzzKey(f *testing.F) {
	for _, key := range []string{"f/app/0123456789ab/setup.exe", "", "/", "../../etc/passwd", "a\x00b", "f/CON/nul", strings.Repeat("長", 180)} {
		f.Add(key)
	}
	dir := f.TempDir()
	cache := filepath.Join(dir, "cache")
	c := open(f, slicecache.Config{Dir: cache, MaxBytes: 1 << 20})
	s := newStorage()
	f.Fuzz(func(t *testing.T, key string) {
		s.objects[key], s.objects[key+"/"] = []byte("one"), []byte("two")
		read(t, c, s, key, 0, 3)
		read(t, c, s, key+"/", 0, 3)
		if !read(t, c, s, key, 0, 3) {
			t.Error("the slice is not kept")
		}
		c.Forget(key)
		c.Forget(key + "/")
		if names, _ := files(t, cache); len(names) != 0 {
			t.Errorf("left %v", names)
		}
		if names, _ := files(t, dir); len(names) != 1 {
			t.Errorf("outside the cache: %v", names)
		}
	})
}

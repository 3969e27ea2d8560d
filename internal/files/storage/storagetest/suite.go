// Package storagetest contains a test suite that defines the behaviour of the back ends in package
// storage. It also starts the servers that the tests need.
//
//	suite.go    tests that every back end must pass
//	servers.go  servers for the tests: Apache, rclone, versitygw, and one in this process
package storagetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"svc/internal/files/storage"
)

// Setup contains a back end and the data that the suite needs to test it.
type Setup struct {
	Backend storage.Backend
	Staging string // directory for staged files; for Local it must be in the storage directory
	PartSize,
	Large int64 // size of the largest object in bytes; if the back end splits objects, this one has more than a few parts
}

// Run runs the test suite on a back end.
func Run(t *testing.T, s Setup) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Setup){
		"content":     content,
		"names":       names,
		"keys":        keys,
		"replacement": replacement,
		"neighbours":  neighbours,
		"absence":     absence,
		"refusal":     refusal,
		"concurrency": concurrency,
		"probe":       probe,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, s) })
	}
}

// Content returns size pseudorandom bytes that depend only on seed.
func Content(seed uint64, size int64) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = r.Read(b) // never fails
	return b
}

// Stage writes content to a new file in the directory dir and returns its path.
func Stage(t testing.TB, dir string, content []byte) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "staged-*")
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// Put stores content under a key.
func (s Setup) Put(t testing.TB, key string, content []byte) storage.Object {
	t.Helper()
	o, err := s.Backend.Put(t.Context(), key, Stage(t, s.Staging, content), int64(len(content)))
	if err != nil {
		t.Fatalf("put %s of %d bytes: %v", key, len(content), err)
	}
	return o
}

// read reads a range. It limits the reader to length bytes, as callers of Open must.
func (s Setup) read(ctx context.Context, o storage.Object, offset, length int64) ([]byte, error) {
	r, err := s.Backend.Open(ctx, o, offset, length)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, length))
	return b, errors.Join(err, r.Close())
}

func (s Setup) wantContent(t *testing.T, o storage.Object, want []byte) {
	t.Helper()
	got, err := s.read(t.Context(), o, 0, o.Size)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: got %d bytes, sum %x, %v; want %d, %x", o.Key, len(got), sha256.Sum256(got), err, len(want), sha256.Sum256(want))
	}
	if there, err := s.Backend.Stat(t.Context(), o); !there || err != nil {
		t.Errorf("stat %s: %v, %v; want true", o.Key, there, err)
	}
}

func content(t *testing.T, s Setup) {
	sizes := []int64{0, 1, 4096, 1<<20 + 1, s.Large}
	if s.PartSize > 0 {
		sizes = append(sizes, s.PartSize, s.PartSize+1, 2*s.PartSize)
	}
	for i, size := range sizes {
		want := Content(uint64(i), size)
		o := s.Put(t, fmt.Sprintf("f/content/%012d/file.bin", i), want)
		if parts := s.PartSize > 0 && size > s.PartSize; o.Size != size || parts != (o.PartSize > 0) || parts && o.PartSize != s.PartSize {
			t.Errorf("put of %d bytes: %+v, with part size %d", size, o, s.PartSize)
		}
		s.wantContent(t, o, want)
		for _, r := range ranges(size, s.PartSize) {
			got, err := s.read(t.Context(), o, r[0], r[1])
			if err != nil || !bytes.Equal(got, want[r[0]:r[0]+r[1]]) {
				t.Errorf("%d bytes from %d of %d: got %d bytes, %v", r[1], r[0], size, len(got), err)
			}
		}
		for _, r := range [][2]int64{{0, size + 1}, {size, 1}, {-1, 1}, {0, -1}, {size + 1, 0}, {1 << 62, 1 << 62}} {
			if got, err := s.read(t.Context(), o, r[0], r[1]); err == nil {
				t.Errorf("%d bytes from %d of %d: got %d bytes and no error", r[1], r[0], size, len(got))
			}
		}
	}
}

// ranges returns the ranges in which errors are most likely: at both ends of the object and around
// the boundaries of its parts.
func ranges(size, partSize int64) (list [][2]int64) {
	edges := []int64{0, 1, size / 2, size - 1, size}
	if partSize > 0 {
		edges = append(edges, partSize-1, partSize, partSize+1, 2*partSize)
	}
	for _, from := range edges {
		for _, to := range edges {
			if from >= 0 && to >= from && to <= size && to-from <= 4<<20 {
				list = append(list, [2]int64{from, to - from})
			}
		}
	}
	return list
}

func names(t *testing.T, s Setup) {
	for i, name := range []string{
		"plain.zip", "two words.tar.gz", "100%.txt", "a%2Fb", "%2e%2e", "#1&x=y+z;v,w@$.bin", "it's (1)!~.md",
		"...dots", "Ünïcödé.dmg", "e\u0301.txt", "\u00e9.txt", "\u202egpj.exe", strings.Repeat("安装", 40) + ".msi",
		"[brackets]{braces}^`.exe", "parts", "CON", "index.html",
	} {
		want := Content(uint64(1000+i), 100)
		s.wantContent(t, s.Put(t, fmt.Sprintf("f/na mé%%/%012d/%s", i, name), want), want)
	}
}

// keys checks that the back end refuses malformed keys.
func keys(t *testing.T, s Setup) {
	for _, key := range []string{
		"", "f", "f/p/id", "f/p/id/", "f/p/id/a/b", "/f/p/id/a", "f//id/a", "f/p/../a", "f/./id/a", "f/p/id/..", "../p/id/a",
		"x/p/id/a", `f/p/id/a\b`, `f/..\p/id/a`, "f/p/id/a\x00b", "f/p/id/\xff",
	} {
		if _, err := s.Backend.Put(t.Context(), key, Stage(t, s.Staging, []byte("x")), 1); err == nil {
			t.Errorf("put %q: no error", key)
		}
		o := storage.Object{Key: key, Size: 1}
		if r, err := s.Backend.Open(t.Context(), o, 0, 1); err == nil {
			t.Errorf("open %q: no error, %v", key, r.Close())
		}
		if err := s.Backend.Delete(t.Context(), o); err == nil {
			t.Errorf("delete %q: no error", key)
		}
		if _, err := s.Backend.Stat(t.Context(), o); err == nil {
			t.Errorf("stat %q: no error", key)
		}
	}
}

func replacement(t *testing.T, s Setup) {
	const key = "f/replacement/000000000000/file"
	for i, size := range []int64{1000, 10, 1 << 20} {
		want := Content(uint64(i), size)
		s.wantContent(t, s.Put(t, key, want), want)
	}
}

func neighbours(t *testing.T, s Setup) {
	want := Content(1, 1000)
	one := s.Put(t, "f/neighbours/000000000001/file", want)
	two := s.Put(t, "f/neighbours/000000000002/file", want)
	if err := s.Backend.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	s.wantContent(t, two, want)
	if there, err := s.Backend.Stat(t.Context(), one); there || err != nil {
		t.Errorf("stat of what was deleted: %v, %v; want false", there, err)
	}
	s.wantContent(t, s.Put(t, one.Key, want), want)
}

func absence(t *testing.T, s Setup) {
	o := s.Put(t, "f/absence/000000000000/file", Content(1, s.Large))
	for range 2 {
		if err := s.Backend.Delete(t.Context(), o); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if there, err := s.Backend.Stat(t.Context(), o); there || err != nil {
		t.Errorf("stat: %v, %v; want false", there, err)
	}
	if got, err := s.read(t.Context(), o, 0, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %d bytes, %v; want fs.ErrNotExist", len(got), err)
	}
	never := storage.Object{Key: "f/never/000000000000/file", Size: 1}
	if err := s.Backend.Delete(t.Context(), never); err != nil {
		t.Errorf("delete of what never was: %v", err)
	}
}

// refusal checks that Put fails if the file does not have the announced size, and that
// Stat returns false for an object that does not have the recorded size.
func refusal(t *testing.T, s Setup) {
	const key = "f/refusal/000000000000/file"
	path := Stage(t, s.Staging, Content(1, 100))
	for _, size := range []int64{99, 101} {
		if o, err := s.Backend.Put(t.Context(), key, path, size); err == nil {
			t.Errorf("put of 100 bytes as %d: %+v", size, o)
		}
	}
	if _, err := s.Backend.Put(t.Context(), key, filepath.Join(s.Staging, "absent"), 1); err == nil {
		t.Error("put of a file that is not there: no error")
	}
	o := s.Put(t, key, Content(1, 100))
	for _, size := range []int64{99, 101} {
		o.Size = size
		if there, err := s.Backend.Stat(t.Context(), o); there || err != nil {
			t.Errorf("stat as %d bytes: %v, %v; want false", size, there, err)
		}
		if got, err := s.read(t.Context(), o, 0, size); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("read as %d bytes: %d bytes, %v; want io.ErrUnexpectedEOF", size, len(got), err)
		}
	}
}

func concurrency(t *testing.T, s Setup) {
	s.Put(t, "f/concurrency/keeps the project/file", nil) // otherwise a server may remove the empty directory of the project
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			want := Content(uint64(i), 100_000)
			for round := range 3 {
				key := fmt.Sprintf("f/concurrency/%012d/file", i)
				o, err := s.Backend.Put(t.Context(), key, Stage(t, s.Staging, want), int64(len(want)))
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				s.wantContent(t, o, want)
				if err := s.Backend.Delete(t.Context(), o); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
		})
	}
	running.Wait()
}

func probe(t *testing.T, s Setup) {
	p := s.Backend.Probe(t.Context())
	if !p.OK || p.Error != "" || p.RangeSupported == nil || !*p.RangeSupported || p.LargeWriteOK == nil || !*p.LargeWriteOK {
		t.Errorf("probe: %+v, ranges %v, large %v", p, p.RangeSupported, p.LargeWriteOK)
	}
}

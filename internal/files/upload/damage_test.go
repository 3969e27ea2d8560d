package upload_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/files/upload"
)

// TestDamagedSessions checks that Sweep removes an unusable session and leaves the other sessions
// unchanged.
func TestDamagedSessions(t *testing.T) {
	t.Parallel()
	rewrite := func(name, old, text string) func(string) error {
		return func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Contains(b, []byte(old)) {
				return fmt.Errorf("%s has no %q: %w", name, old, err)
			}
			return os.WriteFile(filepath.Join(dir, name), bytes.Replace(b, []byte(old), []byte(text), 1), 0o600)
		}
	}
	const json, chunks = "session.json", "chunks"
	for name, damage := range map[string]func(dir string) error{
		"no description":    func(dir string) error { return os.Remove(filepath.Join(dir, json)) },
		"no chunks":         func(dir string) error { return os.Remove(filepath.Join(dir, chunks)) },
		"no content":        func(dir string) error { return os.Remove(filepath.Join(dir, "content")) },
		"empty folder":      func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)) },
		"a file":            func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
		"another name":      func(dir string) error { return os.Rename(dir, dir[:len(dir)-4]+"0000") },
		"a foreign folder":  func(dir string) error { return os.Rename(dir, filepath.Join(filepath.Dir(dir), "foreign")) },
		"empty description": func(dir string) error { return os.Truncate(filepath.Join(dir, json), 0) },
		"cut description":   func(dir string) error { return os.Truncate(filepath.Join(dir, json), 40) },
		"large description": func(dir string) error { return os.Truncate(filepath.Join(dir, json), 1<<30) },
		"content cut":       func(dir string) error { return os.Truncate(filepath.Join(dir, "content"), 100) },
		"content longer":    func(dir string) error { return os.Truncate(filepath.Join(dir, "content"), 1<<20) },
		"chunks cut":        func(dir string) error { return os.Truncate(filepath.Join(dir, chunks), 2) },
		"chunks longer":     func(dir string) error { return os.Truncate(filepath.Join(dir, chunks), 4) },
		"chunk of no state": rewrite(chunks, "\x01", "\x02"),
		"replaces no chunk": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "replaced-2"), make([]byte, chunkSize), 0o600)
		},
		"replaces outside": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "replaced-3"), make([]byte, chunkSize), 0o600)
		},
		"replaces what": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "replaced-"), make([]byte, chunkSize), 0o600)
		},
		"replacement cut":      func(dir string) error { return os.WriteFile(filepath.Join(dir, "replaced-0"), make([]byte, 10), 0o600) },
		"newer format":         rewrite(json, `"format":1`, `"format":2`),
		"name that leaves":     rewrite(json, `"setup.zip"`, `"../setup.zip"`),
		"negative size":        rewrite(json, `"size":`, `"size":-`),
		"huge size":            rewrite(json, `"size":3072`, `"size":9223372036854775807`),
		"no chunk size":        rewrite(json, `"chunk_size":1024`, `"chunk_size":0`),
		"another chunk size":   rewrite(json, `"chunk_size":1024`, `"chunk_size":2048`),
		"file id that leaves":  rewrite(json, `"size":`, `"file":"../../../../x","size":`),
		"completed as nothing": rewrite(json, `"size":`, `"done":true,"size":`),
		"checksum of no file":  rewrite(json, `"size":`, `"sha256":"00","size":`),
		"a single request":     rewrite(json, `"size":`, `"single":true,"size":`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, whole := t.TempDir(), content(1, 3*chunkSize)
			s := open(t, dir, time.Now)
			good, bad := create(t, s, int64(len(whole))), create(t, s, int64(len(whole)))
			for _, u := range []*upload.Session{good, bad} {
				send(t, s, u, 0, chunkOf(whole, 0))
				send(t, s, u, 1, chunkOf(whole, 1))
			}
			if err := damage(filepath.Join(dir, bad.ID)); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, time.Now)
			eachUse(t, s, project, bad.ID, false, func(name string, err error) {
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("%s: got %v, want NotFound", name, err)
				}
			})
			if err := s.Sweep(); err != nil {
				t.Fatal(err)
			}
			onlySessions(t, dir, good.ID)
			send(t, s, good, 2, chunkOf(whole, 2))
			to := newStorage(t)
			id, err := s.Complete(project, good.ID, to.register)
			if err != nil {
				t.Fatal(err)
			}
			to.has(t, id, whole)
		})
	}
}

// FuzzOpen checks that a session directory with arbitrary content is either usable or swept. It
// must not crash the process or affect other directories.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s := open(f, dir, time.Now)
	u := create(f, s, 2500)
	send(f, s, u, 0, content(1, chunkSize))
	description, err := os.ReadFile(filepath.Join(dir, u.ID, "session.json"))
	if err != nil {
		f.Fatal(err)
	}
	// Each process of the fuzzer creates a session with another random ID and time. Replace
	// them with fixed values, so that the inputs do not depend on the process.
	text := strings.ReplaceAll(string(description), u.ID, strings.Repeat("a", 32))
	before, after, _ := strings.Cut(text, `"expires":`)
	text = before + `"expires":32503680000` + strings.TrimLeft(after, "0123456789")
	for _, add := range []string{"", `"done":true,"file":"0123456789ab",`, `"file":"0123456789ab","sha256":"` + strings.Repeat("0", 64) + `",`, `"single":true,`} {
		f.Add([]byte(strings.Replace(text, `"size"`, add+`"size"`, 1)), []byte{1, 0, 0}, 2500, "replaced-0", 1024)
	}
	f.Add([]byte(text), []byte{1, 1, 1}, 2500, "beside-1", 3)
	f.Add([]byte(text), []byte{1, 1, 1}, -1, "replaced-1", 1024)
	f.Add([]byte("{}"), []byte{}, 0, "x", 0)
	f.Fuzz(func(t *testing.T, description, chunks []byte, size int, other string, otherSize int) {
		dir := t.TempDir()
		sessions, folder := filepath.Join(dir, "sessions"), filepath.Join(dir, "sessions", strings.Repeat("a", 32))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		put := func(name string, b []byte) {
			if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if filepath.IsLocal(other) && filepath.Base(other) == other {
			// If the name is invalid on this system, the file is not created.
			_ = os.WriteFile(filepath.Join(folder, other), make([]byte, otherSize&0xffff), 0o600)
		}
		put("session.json", description)
		put("chunks", chunks)
		if size >= 0 {
			put("content", make([]byte, size&0xfffff))
		}
		s := open(t, sessions, time.Now)
		to := newStorage(t)
		use := func(name string, err error) {
			if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		id := filepath.Base(folder)
		_, err := s.Complete(project, id, to.register)
		use("Complete", err)
		eachUse(t, s, project, id, true, use)
		if err := s.Sweep(); err != nil {
			t.Error(err)
		}
		if err := s.DropProject(project); err != nil {
			t.Error(err)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("outside the sessions: %v, %v", names, err)
		}
	})
}

package upload_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/disk"
	"svc/internal/fault"
	"svc/internal/files/upload"
	"svc/internal/testutil"
)

// TestDiskIsFull checks that a session takes disk space only as its chunks arrive, and that an
// operation that fails on a full disk loses no data and can be repeated later.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	small := t.TempDir()
	testutil.SmallDisk(t, small, "8m")
	openSmall := func() *upload.Sessions {
		s := open(t, filepath.Join(small, "sessions"), time.Now)
		s.SetChunkSize(1 << 20)
		s.SetReserve(1 << 20)
		return s
	}
	s, to, whole := openSmall(), newStorage(t), content(1, 3<<20)
	to.dir = filepath.Join(small, "objects")
	if err := os.Mkdir(to.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noSpace := func(what string, err error) {
		t.Helper()
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NoSpace {
			t.Errorf("%s: got %v, want NoSpace", what, err)
		}
	}
	u := create(t, s, int64(len(whole)))
	send(t, s, u, 0, whole[:1<<20])
	empty := fill(t, small)
	_, err := s.WriteChunk(t.Context(), project, u.ID, 1, -1, bytes.NewReader(whole[1<<20:2<<20]))
	noSpace("a chunk", err)
	send(t, s, u, 0, whole[:1<<20])
	_, err = s.WriteChunk(t.Context(), project, u.ID, 0, -1, bytes.NewReader(content(9, 1<<20)))
	noSpace("a chunk that differs", err)
	_, err = s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: 1 << 20, Backend: "local"})
	noSpace("another session", err)
	_, err = s.Receive(t.Context(), upload.Request{Project: project, Filename: "setup.zip", Size: 1, Backend: "local"}, bytes.NewReader([]byte("x")), to.register)
	noSpace("a request with a file", err)
	s = openSmall()
	empty()
	for i := 1; i < u.TotalChunks(); i++ {
		send(t, s, u, i, whole[i<<20:(i+1)<<20])
	}
	id, err := s.Complete(project, u.ID, to.register)
	if err != nil {
		t.Fatal(err)
	}
	to.has(t, id, whole)

	// If a session cannot be created, no files of it remain. If a session is dropped, its
	// disk space is free again.
	empty = fill(t, small)
	s.SetReserve(-1 << 30)
	_, err = s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: 4 << 20, Backend: "local"})
	noSpace("a session on a full disk", err)
	onlySessions(t, filepath.Join(small, "sessions"), u.ID)
	empty()
	s.SetReserve(0)
	for range 5 {
		u := create(t, s, 2<<20)
		send(t, s, u, 0, whole[:1<<20])
		send(t, s, u, 1, whole[1<<20:2<<20])
		if err := s.Abort(project, u.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSpaceOfProject checks limits.md 4: uploads take disk space as their chunks arrive, and a
// project may use half of the free space beyond the reserve.
func TestSpaceOfProject(t *testing.T) {
	t.Parallel()
	small := t.TempDir()
	testutil.SmallDisk(t, small, "17m")
	s := open(t, filepath.Join(small, "sessions"), time.Now)
	s.SetChunkSize(1 << 20)
	s.SetReserve(1 << 20)
	begin := func(project uint32, mib float64, pending int64) (*upload.Session, error) {
		return s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: int64(mib * (1 << 20)), Backend: "local", Pending: pending << 20})
	}
	refused := func(what string, err error) {
		t.Helper()
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NoSpace || f.RetryAfter == 0 {
			t.Errorf("%s: got %v, want NoSpace with a time to try again", what, err)
		}
	}
	_, err := begin(1, 8.1, 0)
	refused("more than half", err)
	first, err := begin(1, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	if free, err := disk.Free(small); err != nil || free < 16<<20 {
		t.Errorf("a session of 5 MiB left %d bytes free, %v; want no space taken", free, err)
	}
	_, err = begin(1, 3.1, 0)
	refused("more than half together", err)
	if _, err = begin(2, 7, 0); err != nil {
		t.Errorf("sessions of another project take nothing that is not sent: %v", err)
	}
	for i := range 5 {
		if _, err := s.WriteChunk(t.Context(), 1, first.ID, i, 1<<20, bytes.NewReader(make([]byte, 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	if free, err := disk.Free(small); err != nil || free > 12<<20 {
		t.Errorf("after 5 MiB: %d bytes are free, %v", free, err)
	}
	_, err = begin(1, 3.1, 0)
	refused("more than half together, when the first one has come", err)
	_, err = begin(1, 2, 5)
	refused("more than half with pending files", err)
	_, err = s.Receive(t.Context(), upload.Request{Project: 1, Filename: "setup.zip", Size: 3<<20 + 1<<19, Backend: "local"}, bytes.NewReader(nil), nil)
	refused("more than half with a file in one request", err)
	if _, err := begin(1, 2.5, 0); err != nil {
		t.Errorf("half together: %v", err)
	}
}

// fill uses all free space of a disk. empty frees it again.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

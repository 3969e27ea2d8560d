package upload_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/files/upload"
	"svc/internal/testutil"
)

// TestDiskIsFull: what was accepted has its space, whatever fills the disk
// afterwards; what cannot be done then loses nothing and can be done later.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	testutil.SmallDisk(t, disk, "8m")
	openSmall := func() *upload.Sessions {
		s := open(t, filepath.Join(disk, "sessions"), time.Now)
		s.SetChunkSize(1 << 20)
		s.SetReserve(1 << 20)
		return s
	}
	s, to, whole := openSmall(), newStorage(t), content(1, 5<<20)
	to.dir = filepath.Join(disk, "objects")
	if err := os.Mkdir(to.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noSpace := func(what string, err error) {
		t.Helper()
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NoSpace {
			t.Errorf("%s: got %v, want NoSpace", what, err)
		}
	}
	if _, err := s.Create(project, "setup.zip", 7<<20+1, "local"); !fault.Is(err, fault.NoSpace) {
		t.Errorf("a file larger than the disk without the reserve: got %v, want NoSpace", err)
	}
	u := create(t, s, int64(len(whole)))
	if _, err := s.Create(project, "setup.zip", 3<<20, "local"); !fault.Is(err, fault.NoSpace) {
		t.Errorf("a second file, before the first one came: got %v, want NoSpace", err)
	}
	send(t, s, u, 0, whole[:1<<20])
	empty := fill(t, disk)
	for i := 1; i < u.TotalChunks(); i++ {
		send(t, s, u, i, whole[i<<20:(i+1)<<20])
	}
	send(t, s, u, 2, whole[2<<20:3<<20])
	_, err := s.WriteChunk(t.Context(), project, u.ID, 2, -1, bytes.NewReader(content(9, 1<<20)))
	noSpace("a chunk that differs", err)
	_, err = s.Complete(project, u.ID, to.register)
	noSpace("completing", err)
	_, err = s.Receive(t.Context(), "setup.zip", 1, "local", bytes.NewReader([]byte("x")), to.register)
	noSpace("a request with a file", err)
	s = openSmall()
	empty()
	id, err := s.Complete(project, u.ID, to.register)
	if err != nil {
		t.Fatal(err)
	}
	to.has(t, id, whole)

	// A session that cannot be made leaves nothing, and one that is dropped gives its
	// space back.
	empty = fill(t, disk)
	s.SetReserve(-1 << 30)
	_, err = s.Create(project, "setup.zip", 4<<20, "local")
	noSpace("a session on a full disk", err)
	onlySessions(t, filepath.Join(disk, "sessions"), u.ID)
	empty()
	s.SetReserve(0)
	for range 5 {
		if err := s.Abort(project, create(t, s, 2<<20).ID); err != nil {
			t.Fatal(err)
		}
	}
}

// fill takes all space of a disk until the returned function is called.
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

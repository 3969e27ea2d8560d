package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/backup"
	"svc/internal/disk"
	"svc/internal/fault"
	"svc/internal/testutil"
)

// TestNoRoomForCopies: a backup that would leave no room for those who write is
// refused before anything is copied.
func TestNoRoomForCopies(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	staging := filepath.Join(a.Data, "files", "staging")
	testutil.SmallDisk(t, staging, "16m")
	put(t, filepath.Join(staging, "upload"), "another's")
	_, err := a.Write(t.Context(), io.Discard, backup.Options{})
	if !fault.Is(err, fault.NoSpace) || !strings.Contains(err.Error(), "MiB are free") {
		t.Errorf("got %v, want NoSpace that says how much is free", err)
	}
	if got, want := names(t, staging), []string{"upload"}; !slices.Equal(got, want) {
		t.Errorf("staging has %v, want %v", got, want)
	}
}

// TestAttachmentWithoutRoom: one that would take of the reserve is refused, and leaves
// nothing.
func TestAttachmentWithoutRoom(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("content"))
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	f := d.file(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
	staged := d.Storages.Local().Staged(string(f.ID))
	if err := os.MkdirAll(filepath.Dir(staged), 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.SmallDisk(t, filepath.Dir(staged), fmt.Sprint(disk.Reserve))
	if err := d.jobs.fetch(t.Context(), f, staged); !fault.Is(err, fault.NoSpace) || !strings.Contains(err.Error(), "not enough disk space for the attachment") {
		t.Errorf("got %v, want NoSpace", err)
	}
	if !isGone(staged) {
		t.Error("something is left")
	}
}

// TestCleanUpGoesOn: an object that cannot be moved is an error, and the others are moved.
func TestCleanUpGoesOn(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	known := len(d.ready(27))
	var objects []string
	for _, id := range []string{"000000000001", "000000000002", "000000000003"} {
		object := filepath.Join(d.dir, "objects", "f", "app", id, "app.zip")
		if err := os.MkdirAll(filepath.Dir(object), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, object, "x")
		objects = append(objects, object)
	}
	inUse := objects[1]
	if err := syscall.Mount(inUse, inUse, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("needs a mount, which was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	d.age.Store(int64(26 * time.Hour))
	err := d.jobs.sweepLocal(t.Context())
	if unmounted := syscall.Unmount(inUse, 0); unmounted != nil {
		t.Fatal(unmounted)
	}
	if got := d.objects(); !errors.Is(err, syscall.EBUSY) || len(got) != known+1 || !slices.Contains(got, inUse) {
		t.Errorf("got %v, left %q; want that of the three %s alone is left", err, got, inUse)
	}
	if err := d.jobs.sweepLocal(t.Context()); err != nil || len(d.objects()) != known {
		t.Errorf("when it can be moved: %v, left %q", err, d.objects())
	}
}

// TestPruneIsTriedAgain: an old archive that cannot be removed is an error until it
// can be, although no other backup is due meanwhile.
func TestPruneIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	dir := t.TempDir()
	old := filepath.Join(dir, "svc-19990101-000000.tar.zst")
	put(t, old, "x")
	if err := syscall.Mount(old, old, "", syscall.MS_BIND, ""); err != nil { // now it is in use
		t.Skipf("needs a mount, which was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		j := scheduled(a, Schedule{Every: 24 * time.Hour, Keep: 1, Dir: dir})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			j.keepBackingUp(ctx)
		}()
		wait := func() BackupState {
			<-time.After(3 * checkEvery)
			synctest.Wait()
			return j.Backups()
		}
		if s := wait(); !strings.Contains(s.LastError, "remove an old backup") || s.Last.IsZero() {
			t.Errorf("while it cannot be removed: got %+v", s)
		}
		if err := syscall.Unmount(old, 0); err != nil {
			t.Error(err)
		}
		if s := wait(); s.LastError != "" {
			t.Errorf("when it can be: got %+v", s)
		}
		stop()
		<-done
	})
	if got, want := names(t, dir), []string{"svc-20000101-000000.tar.zst"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

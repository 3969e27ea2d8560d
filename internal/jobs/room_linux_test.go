package jobs

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/backup"
	"svc/internal/fault"
	"svc/internal/testutil"
)

// TestNoRoomForCopies checks that a backup is refused before it copies anything if the copies would
// use the disk space reserved for writers.
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

// TestPruneIsTriedAgain checks that a failed removal of an old archive is retried even if no backup
// is due, and is reported as an error until it succeeds.
func TestPruneIsTriedAgain(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	dir := t.TempDir()
	old := filepath.Join(dir, "svc-19990101-000000.tar.zst")
	put(t, old, "x")
	if err := syscall.Mount(old, old, "", syscall.MS_BIND, ""); err != nil { // a mount point cannot be removed
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

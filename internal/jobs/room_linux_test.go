package jobs

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"svc/internal/backup"
	"svc/internal/fault"
)

// TestNoRoomForCopies: a backup that would leave no room for those who write is
// refused before anything is copied.
func TestNoRoomForCopies(t *testing.T) {
	t.Parallel()
	a := openArchiver(t)
	staging := filepath.Join(a.Data, "files", "staging")
	if err := syscall.Mount("tmpfs", staging, "tmpfs", 0, "size=16m,mode=700"); err != nil {
		t.Skipf("needs a small disk, and mounting one was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(staging, 0); err != nil {
			t.Error(err)
		}
	})
	put(t, filepath.Join(staging, "upload"), "another's")
	_, err := a.Write(t.Context(), io.Discard, backup.Options{})
	if !fault.Is(err, fault.NoSpace) || !strings.Contains(err.Error(), "MiB are free") {
		t.Errorf("got %v, want NoSpace that says how much is free", err)
	}
	if got, want := names(t, staging), []string{"upload"}; !slices.Equal(got, want) {
		t.Errorf("staging has %v, want %v", got, want)
	}
}

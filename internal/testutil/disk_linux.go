package testutil

import (
	"syscall"
	"testing"
)

// SmallDisk mounts an in-memory file system at a directory until the end of the test.
// size is a size for mount, such as 16m.
func SmallDisk(t testing.TB, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skipf("needs a small disk, and mounting one was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	t.Cleanup(func() {
		// A process started by another test may briefly hold files open, so the unmount is lazy.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

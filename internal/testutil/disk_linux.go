package testutil

import (
	"syscall"
	"testing"
)

// SmallDisk mounts a file system in memory at a directory until the end of the test. size
// is a size in the syntax of mount, such as 16m.
func SmallDisk(t testing.TB, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skipf("needs a small disk, and mounting one was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	t.Cleanup(func() {
		// unmount lazily, because a process that another test has started may still hold files
		// open
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

package testutil

import (
	"syscall"
	"testing"
)

// SmallDisk mounts a disk in memory at a folder until the test ends. size is as mount
// takes it, such as 16m.
func SmallDisk(t testing.TB, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skipf("needs a small disk, and mounting one was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	t.Cleanup(func() {
		// A process that another test is just starting may hold its files for a moment.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

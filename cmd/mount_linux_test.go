package cmd

import (
	"os"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// canMount reports whether this process may mount file systems.
func canMount(t *testing.T) bool {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Logf("nothing can be mounted here: %v", err)
		return false
	}
	return syscall.Unmount(dir, 0) == nil
}

// tmpfs implements the script command "tmpfs FOLDER SIZE". It creates the folder and mounts an
// empty file system there until the script ends.
func tmpfs(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(syscall.Mount("none", dir, "tmpfs", 0, "mode=0700,size="+args[1]))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

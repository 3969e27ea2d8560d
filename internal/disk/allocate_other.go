//go:build !linux

package disk

import (
	"os"
	"runtime"
)

// allocate sets the length. NTFS gives the space with it, other file systems when
// it is written.
func allocate(f *os.File, size int64) (bool, error) {
	return runtime.GOOS == "windows", f.Truncate(size)
}

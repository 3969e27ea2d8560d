//go:build !linux

package disk

import "os"

// allocate sets the length. NTFS gives the space with it, other file systems when
// it is written.
func allocate(f *os.File, size int64) error {
	return f.Truncate(size)
}

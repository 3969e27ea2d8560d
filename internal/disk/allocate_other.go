//go:build !linux

package disk

import "os"

// allocate sets the length of the file. NTFS then reserves the space; other file systems
// reserve it when data is written.
func allocate(f *os.File, size int64) error {
	return f.Truncate(size)
}

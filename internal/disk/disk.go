// Package disk asks the operating system about the disk below a folder, and leaves room
// on it for others.
package disk

import (
	"fmt"
	"os"
)

// Free is the number of bytes that this process can still write below a folder.
func Free(dir string) (bytes uint64, err error) {
	if bytes, err = free(dir); err != nil {
		return 0, fmt.Errorf("query free space of %s: %w", dir, err)
	}
	return bytes, nil
}

// Device tells the file system of a path from others that are mounted now; 0 where
// the operating system does not say.
func Device(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return device(info), nil
}

// Allocate makes a file size bytes long, unless it is longer, and takes the space
// for them. given is false where the operating system or the file system cannot do
// that before the bytes are written.
func Allocate(f *os.File, size int64) (given bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if size == 0 || size < info.Size() {
		return true, nil
	}
	return allocate(f, size)
}

// Package disk measures the free space of the disk that contains a directory, and keeps a
// reserve of free space for the other uses of the disk.
package disk

import (
	"fmt"
	"os"
)

// Free returns the number of bytes that this process can still write to the file system
// of a directory.
func Free(dir string) (bytes uint64, err error) {
	if bytes, err = free(dir); err != nil {
		return 0, fmt.Errorf("query free space of %s: %w", dir, err)
	}
	return bytes, nil
}

// Device returns a number that identifies the file system of a path. The number is unique
// among the file systems that are currently mounted. It is 0 if the operating system does
// not provide it.
func Device(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return device(info), nil
}

// Allocate extends a file to size bytes and reserves the space for it. It does not
// shorten a file that is longer. If the operating system or the file system cannot
// reserve space in advance, it reserves none.
func Allocate(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if size == 0 || size < info.Size() {
		return nil
	}
	return allocate(f, size)
}

// Extend extends a file to size bytes. If the file system supports holes, it reserves no
// space.
func Extend(f *os.File, size int64) error {
	if err := allowHoles(f); err != nil {
		return err
	}
	return f.Truncate(size)
}

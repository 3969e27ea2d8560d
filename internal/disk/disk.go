// Package disk queries the disk that contains a directory, and reserves free space on it
// for other uses.
package disk

import (
	"fmt"
	"os"
)

// Free returns the number of bytes that this process can still write below a directory.
func Free(dir string) (bytes uint64, err error) {
	if bytes, err = free(dir); err != nil {
		return 0, fmt.Errorf("query free space of %s: %w", dir, err)
	}
	return bytes, nil
}

// Device returns a number that identifies the file system of a path among those currently
// mounted, or 0 if the operating system does not provide it.
func Device(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return device(info), nil
}

// Allocate extends a file to size bytes, unless it is longer, and reserves the space, if
// the operating system and the file system can do so before the bytes are written.
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

// Extend extends a file to size bytes without reserving space, if the file system
// supports holes.
func Extend(f *os.File, size int64) error {
	if err := allowHoles(f); err != nil {
		return err
	}
	return f.Truncate(size)
}

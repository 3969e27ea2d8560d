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
// for them, if the operating system and the file system can do that before the bytes are
// written.
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

// Extend makes a file size bytes long without taking the space for them, if the file
// system can leave holes.
func Extend(f *os.File, size int64) error {
	if err := allowHoles(f); err != nil {
		return err
	}
	return f.Truncate(size)
}

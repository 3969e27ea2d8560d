// Package disk asks the operating system about the disk below a folder.
package disk

import "fmt"

// Free is the number of bytes that this process can still write below a folder.
func Free(dir string) (bytes uint64, err error) {
	if bytes, err = free(dir); err != nil {
		return 0, fmt.Errorf("ask for free space of %s: %w", dir, err)
	}
	return bytes, nil
}

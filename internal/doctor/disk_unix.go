//go:build unix

package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FreeBytes is the room that is left for this user on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(min(s.Bavail*uint64(s.Bsize), 1<<62)), nil
}

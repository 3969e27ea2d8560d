//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

func free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// allowHoles does nothing, because every file may have holes.
func allowHoles(*os.File) error { return nil }

func device(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev) //nolint:unconvert // int32 on macOS
	}
	return 0
}

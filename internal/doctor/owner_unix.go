//go:build unix

package doctor

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the ID of the user that owns a file. known is false if the ID is not available.
func ownerOf(info fs.FileInfo) (user int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// sameDisk reports whether two files are on the same file system.
func sameDisk(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, also := b.Sys().(*syscall.Stat_t)
	return ok && also && one.Dev == other.Dev
}

// linked reports whether a file has more than one hard link.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

package doctor

import "io/fs"

// ownerOf always returns 0 and false. On Windows, the owner of a file does not matter,
// because the ACL of the folder controls access.
func ownerOf(fs.FileInfo) (user int, known bool) { return 0, false }

// sameDisk always returns false, because a FileInfo does not identify the file system on
// Windows.
func sameDisk(_, _ fs.FileInfo) bool { return false }

// linked always returns false, because a FileInfo does not count hard links on Windows.
func linked(fs.FileInfo) bool { return false }

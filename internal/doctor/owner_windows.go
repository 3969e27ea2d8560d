package doctor

import "io/fs"

// ownerOf always returns false, because Windows controls access by the ACL of the folder.
func ownerOf(fs.FileInfo) (user int, known bool) { return 0, false }

// sameDisk always returns false, because the information is not available on Windows.
func sameDisk(_, _ fs.FileInfo) bool { return false }

// linked always returns false, because the information is not available on Windows.
func linked(fs.FileInfo) bool { return false }

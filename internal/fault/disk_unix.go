//go:build unix

package fault

import "syscall"

var (
	// EFBIG is the error of a file size limit (ulimit -f).
	fullNumbers       = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	unwritableNumbers = []syscall.Errno{syscall.EROFS, syscall.EIO}
	openNumbers       = []syscall.Errno{syscall.EMFILE, syscall.ENFILE}
	inUseNumbers      = []syscall.Errno{} // open files can be renamed and removed
)

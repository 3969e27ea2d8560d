//go:build unix

package fault

import "syscall"

var (
	// EFBIG is returned if the size of files is limited (ulimit -f).
	fullNumbers       = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	unwritableNumbers = []syscall.Errno{syscall.EROFS, syscall.EIO}
	openNumbers       = []syscall.Errno{syscall.EMFILE, syscall.ENFILE}
	inUseNumbers      = []syscall.Errno{} // empty, because open files can be renamed and removed
)

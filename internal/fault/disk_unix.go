//go:build unix

package fault

import "syscall"

var (
	// EFBIG is what a limit on the size of files gives (ulimit -f).
	fullNumbers       = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	unwritableNumbers = []syscall.Errno{syscall.EROFS, syscall.EIO}
	openNumbers       = []syscall.Errno{syscall.EMFILE, syscall.ENFILE}
	inUseNumbers      = []syscall.Errno{} // files that are open can be renamed and removed
)

package fault

import "syscall"

// Error codes that winerror.h defines.
var (
	fullNumbers = []syscall.Errno{
		112,  // ERROR_DISK_FULL
		39,   // ERROR_HANDLE_DISK_FULL
		1295, // ERROR_DISK_QUOTA_EXCEEDED
		223,  // ERROR_FILE_TOO_LARGE
	}
	unwritableNumbers = []syscall.Errno{
		19,   // ERROR_WRITE_PROTECT
		1117, // ERROR_IO_DEVICE
		29,   // ERROR_WRITE_FAULT
	}
	openNumbers = []syscall.Errno{
		4, // ERROR_TOO_MANY_OPEN_FILES
	}
	inUseNumbers = []syscall.Errno{
		32, // ERROR_SHARING_VIOLATION
		33, // ERROR_LOCK_VIOLATION
	}
)

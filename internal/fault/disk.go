package fault

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// diskWait is the value of Retry-After for errors of the disk. It is long because such errors
// usually require an administrator.
const diskWait = time.Minute

// Disk converts temporary errors that occur when a file is opened or written to faults. The fault
// is NoSpace if the disk is full or a limit on the size of files is exceeded. It is Unavailable if
// the disk cannot be written, if too many files are open, or if another process has the file open.
// The log text and the error chain of the fault contain the original error. Disk returns all other
// errors unchanged, and also errors that already are faults.
func Disk(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	f := ofDisk(err)
	if f == nil {
		return err
	}
	return fmt.Errorf("%w: %w", f, err)
}

// ofDisk returns the fault for an error of the operating system, or nil if Disk does not convert
// this error.
func ofDisk(err error) *Error {
	is := func(number syscall.Errno) bool { return errors.Is(err, number) }
	switch {
	case slices.ContainsFunc(fullNumbers, is):
		return New(NoSpace, "the disk of the server is full, nothing was stored; try again when there is space").After(diskWait)
	case slices.ContainsFunc(unwritableNumbers, is):
		return Unwritable()
	case slices.ContainsFunc(openNumbers, is):
		return New(Unavailable, "the server has too many files open; try again in a few seconds").After(5 * time.Second)
	case slices.ContainsFunc(inUseNumbers, is):
		return New(Unavailable, "another request is using the file; try again in a few seconds").After(5 * time.Second)
	}
	return nil
}

// Unwritable returns the fault which reports that the disk of the server cannot be written,
// whatever the reason.
func Unwritable() *Error {
	return New(Unavailable,
		"the disk of the server cannot be written at the moment, nothing was stored; try again in a minute").After(diskWait)
}

package fault

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// diskWait is how long clients are asked to wait for a disk: somebody has to
// make room or to look at it.
const diskWait = time.Minute

// Disk makes a fault of what the system says when a file cannot be written or
// opened for a reason that passes: NoSpace when the disk is full or a limit on
// the size of files is reached, Unavailable when it cannot be written, when too many
// files are open, or when others have the file open. The cause stays in the text for the log and can be
// found in the chain. Other errors, and those that are faults already, are
// returned as they are.
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

// ofDisk is the fault of an error of the system, nil when it is another error.
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

// Unwritable is the fault of a disk that takes nothing, whatever its reason.
func Unwritable() *Error {
	return New(Unavailable, "the disk of the server cannot be written at the moment, nothing was stored; try again in a minute").After(diskWait)
}

package fault_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"svc/internal/fault"
)

func TestDisk(t *testing.T) {
	t.Parallel()
	ours := fault.New(fault.Conflict, "taken")
	full, readOnly, files, inUse := syscall.ENOSPC, syscall.EROFS, syscall.EMFILE, syscall.EBUSY
	inUseKind := fault.Kind(0) // only on Windows can a process lock an open file against others
	if os.PathSeparator == '\\' {
		full, readOnly, files, inUse = 112, 19, 4, 32 // ERROR_DISK_FULL, ERROR_WRITE_PROTECT, ERROR_TOO_MANY_OPEN_FILES, ERROR_SHARING_VIOLATION
		inUseKind = fault.Unavailable
	}
	for _, tc := range []struct {
		name string
		err  error
		kind fault.Kind // 0 = err is not converted
		text string
	}{
		{"full", full, fault.NoSpace, "the disk of the server is full"},
		{"full, as the file system says it", &os.PathError{Op: "write", Path: "/secret/place", Err: full}, fault.NoSpace, "the disk of the server is full"},
		{"read-only", fmt.Errorf("commit: %w", readOnly), fault.Unavailable, "cannot be written at the moment"},
		{"no more files", errors.Join(errors.New("first"), files), fault.Unavailable, "too many files open"},
		{"a fault already", ours, fault.Conflict, "taken"},
		{"a fault around it", fmt.Errorf("%w: %w", ours, full), fault.Conflict, "taken"},
		{"another error", os.ErrNotExist, 0, ""},
		{"in use", inUse, inUseKind, "another request is using the file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := fault.Disk(tc.err)
			if !errors.Is(err, tc.err) {
				t.Errorf("%v does not lead to %v", err, tc.err)
			}
			f, ok := errors.AsType[*fault.Error](err)
			if ok != (tc.kind != 0) {
				t.Fatalf("got %v, a fault: %t", err, ok)
			}
			if !ok {
				return
			}
			if f.Kind != tc.kind || !strings.Contains(f.Error(), tc.text) || strings.Contains(f.Error(), "secret") {
				t.Errorf("got kind %d %q, want %d %q", f.Kind, f.Error(), tc.kind, tc.text)
			}
			if f != ours && f.RetryAfter == 0 {
				t.Error("it does not say when to try again")
			}
		})
	}
	if err := fault.Disk(nil); err != nil {
		t.Errorf("without an error: got %v", err)
	}
}

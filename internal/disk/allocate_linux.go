package disk

import (
	"errors"
	"os"
	"syscall"
)

func allocate(f *os.File, size int64) (bool, error) {
	for {
		switch err := syscall.Fallocate(int(f.Fd()), 0, 0, size); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS):
			return false, f.Truncate(size)
		case !errors.Is(err, syscall.EINTR):
			return false, &os.PathError{Op: "fallocate", Path: f.Name(), Err: err}
		}
	}
}

package disk

import (
	"errors"
	"os"
	"syscall"
)

func allocate(f *os.File, size int64) error {
	for {
		switch err := syscall.Fallocate(int(f.Fd()), 0, 0, size); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS):
			return f.Truncate(size)
		case !errors.Is(err, syscall.EINTR):
			return &os.PathError{Op: "fallocate", Path: f.Name(), Err: err}
		}
	}
}

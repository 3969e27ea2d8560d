package control

import (
	"os"
	"path/filepath"
	"strconv"

	"svc/internal/datadir"
)

// shortPath returns a path for the socket through an open handle of its directory, so
// that the length of the path does not depend on the location of the directory. The path
// is valid until done is called.
func shortPath(dir string) (path string, done func(), err error) {
	handle, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	through := "/proc/self/fd/" + strconv.Itoa(int(handle.Fd()))
	if _, err := os.Stat(through); err != nil { // /proc is not available
		_ = handle.Close()
		return "", nil, err
	}
	return filepath.Join(through, datadir.Socket), func() { _ = handle.Close() }, nil
}

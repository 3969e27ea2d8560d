package control

import (
	"os"
	"path/filepath"
	"strconv"

	"svc/internal/datadir"
)

// shortPath names the socket through an open handle of its directory, so that
// its length does not depend on where the directory is. The name is good until
// done is called.
func shortPath(dir string) (path string, done func(), err error) {
	handle, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	through := "/proc/self/fd/" + strconv.Itoa(int(handle.Fd()))
	if _, err := os.Stat(through); err != nil { // no /proc in here
		_ = handle.Close()
		return "", nil, err
	}
	return filepath.Join(through, datadir.Socket), func() { _ = handle.Close() }, nil
}

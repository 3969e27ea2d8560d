package disk

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

func free(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var available uint64
	err = windows.GetDiskFreeSpaceEx(path, &available, nil, nil)
	return available, err
}

// device does not know: a disk that is not there has no letter, so nothing is made in
// its place.
func device(fs.FileInfo) uint64 { return 0 }

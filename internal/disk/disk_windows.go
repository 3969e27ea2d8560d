package disk

import (
	"errors"
	"io/fs"
	"os"

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

// allowHoles makes a file sparse, unless the file system does not support sparse files.
func allowHoles(f *os.File) error {
	var returned uint32
	err := windows.DeviceIoControl(windows.Handle(f.Fd()), windows.FSCTL_SET_SPARSE, nil, 0, nil, 0, &returned, nil)
	if errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return nil
	}
	return err
}

// device returns 0. The number of the device is not needed on Windows: a missing disk has no
// drive letter, so files cannot be created in its place.
func device(fs.FileInfo) uint64 { return 0 }

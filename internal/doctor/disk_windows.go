package doctor

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// FreeBytes is the room that is left for this user on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(min(free, 1<<62)), err
}

// filesystem is "smb" for a share of another machine; of others it says nothing.
func (p *Patient) filesystem() (string, error) {
	path, err := p.realPath()
	if err != nil {
		return "", err
	}
	if volume := filepath.VolumeName(path); strings.HasPrefix(volume, `\\`) {
		return "smb", nil
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "smb", nil
	}
	return "local", nil
}

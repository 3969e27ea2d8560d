package doctor

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// filesystem returns "smb" if the data folder is on a network share, and "local" otherwise.
func (p *Installation) filesystem() (string, error) {
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

package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"svc/internal/disk"
)

// FolderMark is the name of a file that marks a disk as intended for backups. An
// administrator creates it in the backup directory or in its parent directory.
const FolderMark = ".svc-backups"

// Folder describes the directory of scheduled backups.
type Folder struct {
	Dir  string
	Data string // the data directory, which is certainly on a mounted disk
	// LastDevice is the number of the device that contained Dir when the last backup
	// succeeded. Known reports whether any backup has succeeded.
	LastDevice uint64
	Known      bool
}

// Usable returns an error if backups must not be written to the directory. missing
// reports whether the directory must be created first.
//
// A directory that is missing, or that is empty although it was on another disk before,
// is probably the mount point of a disk that is not mounted. Backups would then fill the
// disk that contains the mount point, where the administrator would not look for them.
func (f Folder) Usable(now time.Time) (missing bool, err error) {
	if within(f.Dir, f.Data) {
		_, err := os.Stat(f.Dir)
		return errors.Is(err, fs.ErrNotExist), nil
	}
	device, err := disk.Device(f.Dir)
	switch {
	case err == nil:
		list, err := ListScheduled(f.Dir, now)
		if err != nil || len(list) > 0 || !f.Known || f.LastDevice == device || exists(f.Dir, FolderMark) {
			return false, err
		}
		return false, fmt.Errorf("%s contains no backups and is on another disk than the last backup: mount that disk, or if the directory has "+
			"moved, put an empty file %s into it", f.Dir, FolderMark)
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	parent := filepath.Dir(f.Dir)
	if device, err = disk.Device(parent); err != nil {
		return false, err
	}
	if f.Known && f.LastDevice == device || exists(parent, FolderMark) {
		return true, nil
	}
	return false, fmt.Errorf("%s does not exist, and its disk may not be mounted: mount it and create the directory, or put an empty file "+
		"%s into %s", f.Dir, FolderMark, parent)
}

// within reports whether a path is below a directory. It only compares the names, without
// resolving links.
func within(path, dir string) bool {
	path, one := filepath.Abs(path)
	dir, other := filepath.Abs(dir)
	below, err := filepath.Rel(dir, path)
	return errors.Join(one, other, err) == nil && below != "." && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}

package jobs

import (
	"path/filepath"

	"svc/internal/disk"
	"svc/internal/instance"
	"svc/store"
)

// FolderProblem returns the reason why backups cannot be written to the schedule's directory. It
// returns nil if they can, or if no backups are scheduled.
func (j *Jobs) FolderProblem() error {
	plan := j.schedule()
	if j.Archive == nil || plan.Every <= 0 {
		return nil
	}
	_, err := j.usable(plan.Dir)
	return err
}

// usable returns an error if backups cannot be written to a directory. missing reports whether the
// directory must be created.
func (j *Jobs) usable(dir string) (missing bool, err error) {
	f, err := instance.BackupFolder(j.DB, dir, j.Archive.Data)
	if err != nil {
		return false, err
	}
	return f.Usable(j.Now())
}

// noteFolder stores the path and the device of the directory to which the last backup was written.
func (j *Jobs) noteFolder(dir string) error {
	device, err := disk.Device(dir)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	now := store.BackupFolder{Dir: path, Device: device}
	return j.DB.Update(func(tx *store.Tx) error {
		known, err := tx.BackupFolder()
		if err != nil || known != nil && *known == now {
			return err
		}
		return tx.PutBackupFolder(now)
	})
}

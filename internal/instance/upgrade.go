package instance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/disk"
	"svc/internal/doctor"
	"svc/internal/durable"
)

// upgradePrefix is the prefix of the file names of backups that are made before a
// migration.
const upgradePrefix = "svc-before-"

// BeforeUpgrade returns a boltfile.Upgrade that makes a backup before the first database of the
// data directory is migrated from an older version. The backup contains both databases, but not the
// local files. The caller must hold the lock of the directory and prevent writes.
func BeforeUpgrade(data, version string, log *slog.Logger) boltfile.Upgrade {
	copied := false
	return boltfile.Upgrade{Version: version, Before: func() error {
		if copied {
			return nil
		}
		path, err := copyBeforeUpgrade(data, version)
		if err != nil {
			return err
		}
		copied = true
		log.Info("data migrated to this version; a copy was made before", "file", path)
		return nil
	}}
}

// copyBeforeUpgrade writes the backup before an upgrade to the given version, and returns its path.
// If an interrupted upgrade has already left a backup, copyBeforeUpgrade keeps it too, because it
// contains older data.
func copyBeforeUpgrade(data, version string) (path string, err error) {
	if err := os.Mkdir(filepath.Join(data, datadir.Upgrades), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	path = UpgradeCopy(data, version)
	for n := 2; ; n++ {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		path = UpgradeCopy(data, fmt.Sprintf("%s-%d", version, n))
	}
	staging := StagingFolder(data)
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return "", err
	}
	stage, err := os.MkdirTemp(staging, "upgrade-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := roomForCopies(data, stage); err != nil {
		return "", err
	}
	return path, durable.Write(path, 0o600, func(w io.Writer) error {
		archive, err := backup.NewWriter(w, version, time.Now())
		if err != nil {
			return err
		}
		for _, name := range datadir.Databases { // one after the other, so that only one copy takes space at a time
			staged := filepath.Join(stage, name)
			if err := copyLive(staged, filepath.Join(data, name)); err != nil {
				archive.Abort()
				return err
			}
			if err := errors.Join(addIfThere(archive, staged), os.RemoveAll(staged)); err != nil {
				archive.Abort()
				return err
			}
		}
		for _, name := range []string{datadir.Secrets, datadir.Config} {
			if err := addIfThere(archive, filepath.Join(data, name)); err != nil {
				archive.Abort()
				return err
			}
		}
		_, err = archive.Close(false, nil)
		return err
	})
}

// addIfThere adds a file to an archive. It does nothing if the file does not exist.
func addIfThere(archive *backup.Writer, path string) error {
	if err := archive.AddFile(filepath.Base(path), path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// roomForCopies returns a NoSpace fault unless the disk has enough space for a copy of
// the larger database and for a compressed archive of both.
func roomForCopies(data, stage string) error {
	var largest, all int64
	for _, name := range datadir.Databases {
		if size, err := boltfile.Size(filepath.Join(data, name)); err == nil {
			largest, all = max(largest, size), all+size
		}
	}
	return disk.Need(stage, uint64(largest+all/2)+disk.Floor, "a copy of the data before the upgrade")
}

// copyLive copies a database without the deleted data that its file still contains. It
// copies a damaged database unchanged. If the database does not exist, it does nothing.
func copyLive(to, from string) error {
	err := copyFile(to, from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = boltfile.ExamineCopy(to)
	}
	if errors.Is(err, boltfile.ErrDamaged) {
		return nil
	}
	return err
}

// notInNames matches characters that can occur in a version but should not occur in a file name.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.+_-]+`)

// UpgradeCopy returns the path of the backup that is made before the upgrade to the given version.
func UpgradeCopy(data, version string) string {
	return filepath.Join(data, datadir.Upgrades, upgradePrefix+notInNames.ReplaceAllString(version, "_")+backup.Suffix)
}

// DropUpgradeCopies deletes the backups from before an upgrade that are older than
// doctor.UpgradeKept. The caller must have opened the data successfully with this
// version.
func DropUpgradeCopies(data string, now time.Time, log *slog.Logger) error {
	list, err := os.ReadDir(filepath.Join(data, datadir.Upgrades))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range list {
		if !strings.HasPrefix(entry.Name(), upgradePrefix) || !strings.HasSuffix(entry.Name(), backup.Suffix) {
			continue
		}
		info, infoErr := entry.Info()
		if infoErr != nil {
			err = errors.Join(err, infoErr)
			continue
		}
		if now.Sub(info.ModTime()) <= doctor.UpgradeKept {
			continue
		}
		path := filepath.Join(data, datadir.Upgrades, entry.Name())
		if failed := os.Remove(path); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		log.Info("deleted an old copy from before an upgrade", "file", path)
	}
	return err
}

// NewestUpgradeCopy returns the path of the newest backup that was made before the
// upgrade to the given version, or "" if there is none. If that upgrade was interrupted,
// the data may have changed since the backup was made.
func NewestUpgradeCopy(data, version string) (path string) {
	dir, name := filepath.Split(UpgradeCopy(data, version))
	names := regexp.MustCompile("^" + regexp.QuoteMeta(strings.TrimSuffix(name,
		backup.Suffix)) + "(-[0-9]+)?" + regexp.QuoteMeta(backup.Suffix) + "$")
	list, _ := os.ReadDir(dir) // a folder that cannot be read is treated as empty
	var newest time.Time
	for _, entry := range list {
		if info, err := entry.Info(); err == nil && names.MatchString(entry.Name()) && info.ModTime().After(newest) {
			path, newest = filepath.Join(dir, entry.Name()), info.ModTime()
		}
	}
	return path
}

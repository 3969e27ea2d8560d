package instance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/durable"
)

// readme is the content of README.txt in every data directory.
const readme = `This folder contains all data of one installation of svc.

  svc.db        data: projects, versions, keys, settings
  events.db     data: events of apps
  search.bleve  search index, made from svc.db; may be deleted while the server is stopped
  secrets.toml  keys of the data; neither is usable without the other
  certs         automatic certificates and their keys
  config.toml   optional settings, written by you; see: svc config example
  files         local files, uploads, and copies while a backup is made
  backups       scheduled backups, if configured
  upgrade       copies made before an upgrade
  replicate     changes that are not at the replica yet, if configured
  svc.lock      names the process that has the folder open
  svc.sock      connects commands with a running server
  svc.bootstrap-admin.txt  first password, until the first login
  demo.json     shows that "svc demo" created this data
  standby.json  shows that this is a copy that follows a primary; see: svc promote

Copy the folder with "svc backup FILE", which works while the server runs. A copy
made with cp while it runs may be inconsistent. Do not put the folder on a network
file system or into a synchronised folder.
`

// ErrNotFolder reports that a path exists but is not a folder.
var ErrNotFolder = errors.New("not a folder")

// MakeFolder prepares the data directory for a server, and creates it if it does not exist. The
// result made reports whether it has created the directory. The error is one that CheckFolder
// returns, or one of the file system.
func MakeFolder(dir string) (made bool, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := durable.MkdirAll(dir, 0o700); err != nil {
			return false, fmt.Errorf("create data directory: %w", err)
		}
		made = true
	}
	if err := CheckFolder(dir); err != nil {
		return false, err
	}
	if Has(dir, datadir.Readme) {
		return made, nil
	}
	if err := durable.WriteFile(filepath.Join(dir, datadir.Readme), []byte(readme), 0o600); err != nil {
		if made {
			_ = os.Remove(dir) // without its content, the folder is useless
		}
		return false, fmt.Errorf("prepare data directory: %w", err)
	}
	return made, nil
}

// ForeignError reports a folder that contains files of other programs and no data of svc.
type ForeignError struct {
	Dir   string
	Names []string // names of the foreign files, sorted; never empty
}

// Error names the folder and some of the foreign files.
func (e *ForeignError) Error() string {
	const most = 5
	names := strings.Join(e.Names[:min(len(e.Names), most)], ", ")
	if more := len(e.Names) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s is not empty: it has %s, which svc did not make", e.Dir, names)
}

// CheckForeign returns a *ForeignError if a directory contains files of other programs but no
// database, because the first start must not create the server's files among them. It ignores
// lost+found and all names that can occur in a data directory.
func CheckForeign(dir string) error {
	if Has(dir, datadir.Database) {
		return nil
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil // MakeFolder reports the problem
	}
	names, err := backup.Foreign(dir)
	if err != nil {
		return fmt.Errorf("inspect data directory: %w", err)
	}
	if len(names) > 0 {
		return &ForeignError{Dir: dir, Names: names}
	}
	return nil
}

// FindFolder reports whether dir is a data directory. A directory is a data directory if it
// contains a database, or the lock that the first start takes before it creates the database. The
// error is one that CheckFolder returns.
func FindFolder(dir string) (found bool, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := CheckFolder(dir); err != nil {
		return false, err
	}
	return Has(dir, datadir.Database) || Has(dir, datadir.Lock), nil
}

// OpenToOthers reports whether users outside of the group of a folder have any access to
// it. On Windows, which uses ACLs, it always returns false.
func OpenToOthers(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0
}

// Has reports whether a folder has a file with the given name.
func Has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// CheckFolder returns ErrNotFolder if dir is not a folder, and a *control.OwnerError if dir belongs
// to another user.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("inspect data directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is %w", dir, ErrNotFolder)
	}
	return control.CheckOwner(dir)
}

// StagingFolder returns the path of the folder for temporary files in a data directory.
func StagingFolder(dir string) string {
	path := datadir.StagingOf(dir)
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// EmptyStaging removes the files that a crash has left in the staging folder, and returns the path
// of the folder. It keeps unfinished uploads, and file contents that wait to be moved to another
// storage, because there are no other copies of them. The caller must hold the lock of the data
// directory.
func EmptyStaging(dir string) (path string, err error) {
	path = StagingFolder(dir)
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	for _, entry := range list {
		if name := "staging/" + entry.Name(); name != datadir.Uploads && name != datadir.StagedFiles {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, entry.Name())))
		}
	}
	if err != nil {
		return "", fmt.Errorf("remove files of interrupted operations: %w", err)
	}
	return path, nil
}

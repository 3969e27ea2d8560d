package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"svc/internal/control"
	"svc/internal/durable"
)

const (
	databaseName  = "svc.db"
	eventsName    = "events.db"
	bootstrapName = "svc.bootstrap-admin.txt"
)

// readme lies in every data directory, for whoever finds it there.
const readme = `This folder is the whole data of one installation of svc.

  svc.db        projects, versions, keys, settings: the data
  events.db     what happens in apps: the data, too
  search.bleve  made from svc.db for searching; may be deleted while stopped
  secrets.toml  keys that belong to the data; useless apart, both are needed
  certs         automatic certificates and their keys
  config.toml   optional settings, yours; see: svc config example
  files         local files, and copies while a backup is made
  backups       backups that the server makes, if it is told to
  upgrade       copies made before an upgrade
  svc.lock      says which process has the folder open
  svc.sock      the way for commands to a running server
  svc.bootstrap-admin.txt  first password, until the first login

Copy the folder with "svc backup FILE", which works while the server runs. A copy
that is made with cp meanwhile may be torn. Do not put the folder on a network
file system or into a synchroniser.
`

// makeFolder prepares the data directory for a server and reports whether it
// was made.
func makeFolder(dir string) (made bool, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := durable.MkdirAll(dir, 0o700); err != nil {
			return false, fmt.Errorf("make data directory: %w", err)
		}
		made = true
	}
	if err := checkFolder(dir); err != nil {
		return false, err
	}
	if exists(dir, "README.txt") {
		return made, nil
	}
	if err := durable.WriteFile(filepath.Join(dir, "README.txt"), []byte(readme), 0o600); err != nil {
		if made {
			_ = os.Remove(dir) // a folder with nothing in it helps nobody
		}
		return false, fmt.Errorf("prepare data directory: %w", err)
	}
	return made, nil
}

// needFolder is for commands, which never make a data directory.
func needFolder(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return noData(dir)
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	if !exists(dir, databaseName) && !exists(dir, control.LockName) {
		return noData(dir)
	}
	return nil
}

func noData(dir string) error {
	return withCode(exitNoData, fmt.Errorf("there is no data in %s\n"+
		"name the data directory of the server with --data or SVC_DATA, or make one: svc serve --data %s", dir, dir))
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// checkFolder refuses what is no folder and what belongs to somebody else.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at data directory: %w", err)
	}
	if !info.IsDir() {
		return withCode(exitUsage, fmt.Errorf("%s is not a folder", dir))
	}
	return control.CheckOwner(dir)
}

// Package datadir has the names of what lies in a data directory. It is the only
// package that spells them: what works on the directory, from the archive of a
// backup to the lock, takes them from here. What the files hold and how they are
// opened is the business of package instance and of the packages below it.
package datadir

import "path/filepath"

// The files and folders of a data directory.
const (
	Database     = "svc.db"                  // records, owned by package store
	Events       = "events.db"               // owned by package event
	Index        = "search.bleve"            // derived from Database
	Secrets      = "secrets.toml"            // made at the first start
	Config       = "config.toml"             // of the people who run it, optional
	Certificates = "certs"                   // automatic ones and their keys
	Files        = "files"                   // local files
	Backups      = "backups"                 // where scheduled backups go by default
	Upgrades     = "upgrade"                 // copies from before an upgrade
	Lock         = "svc.lock"                // held by the process that has it open
	Socket       = "svc.sock"                // for commands to a running server
	Bootstrap    = "svc.bootstrap-admin.txt" // the first password
	Demo         = "demo.json"               // says that "svc demo" has made it all
	Journal      = "restore.json"            // of a restore that is being done
	Readme       = "README.txt"
)

// The parts of Files. Beside Uploads and StagedFiles, Staging holds what is there only
// while it is needed, such as copies for a backup.
const (
	Staging = Files + "/staging"
	Cache   = Files + "/cache"
)

// The parts of a directory of local files, which is Files unless another one is named.
const (
	Objects     = "objects"         // contents of files, by their object keys
	Uploads     = "staging/uploads" // uploads in progress
	StagedFiles = "staging/files"   // contents on their way to other storage, by file ids
	Slices      = "cache"           // parts of files on other storage
	Owner       = "owner.json"      // the database that has the records of these files
	OwnerLock   = "owner.lock"      // held by the process that uses the directory
	Lost        = "lost"            // by date, what no record was found for
)

// Databases are the files that only svc can write.
var Databases = []string{Database, Events}

// StagingOf is the path of Staging below a data directory.
func StagingOf(dir string) string { return filepath.Join(dir, filepath.FromSlash(Staging)) }

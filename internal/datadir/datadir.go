// Package datadir defines the names of the files in a data directory. All code that works
// on the directory, from backups to the lock, uses these constants. No other package
// contains the names. Package instance and the packages below it define the content of
// the files and how they are opened.
package datadir

import "path/filepath"

// The files and directories of a data directory.
const (
	Database     = "svc.db"                  // records, owned by package store
	Events       = "events.db"               // owned by package event
	Index        = "search.bleve"            // derived from Database
	Secrets      = "secrets.toml"            // generated at the first start
	Config       = "config.toml"             // written by the administrator, optional
	Certificates = "certs"                   // automatic certificates and their keys
	Files        = "files"                   // local files
	Backups      = "backups"                 // default location of scheduled backups
	Upgrades     = "upgrade"                 // copies from before an upgrade
	Lock         = "svc.lock"                // held by the process that has the directory open
	Socket       = "svc.sock"                // for commands to a running server
	Bootstrap    = "svc.bootstrap-admin.txt" // the initial password
	Demo         = "demo.json"               // marks data created by "svc demo"
	Journal      = "restore.json"            // of a restore in progress
	Readme       = "README.txt"
)

// The directories within Files. Besides Uploads and StagedFiles, Staging contains
// temporary files, such as copies for a backup.
const (
	Staging = Files + "/staging"
	Cache   = Files + "/cache"
)

// The files and directories within a directory of local files. That directory is Files
// unless another one is configured.
const (
	Objects     = "objects"         // contents of files, by object key
	Uploads     = "staging/uploads" // uploads in progress
	StagedFiles = "staging/files"   // contents to be moved to other storage, by file ID
	Slices      = "cache"           // parts of files on other storage
	Owner       = "owner.json"      // identifies the database with the records of these files
	OwnerLock   = "owner.lock"      // held by the process that uses the directory
	Lost        = "lost"            // files without a record, by date
)

// Databases lists the files that only svc can write.
var Databases = []string{Database, Events}

// StagingOf returns the path of Staging in the given data directory.
func StagingOf(dir string) string { return filepath.Join(dir, filepath.FromSlash(Staging)) }

// Package datadir defines the names of the files in a data directory. All code that uses
// the directory, from backups to the lock, takes the names from here. Package instance
// and the packages below it define the content of the files and how they are opened.
package datadir

import "path/filepath"

// The files and directories of a data directory.
const (
	Database     = "svc.db"                  // the records; owned by package store
	Events       = "events.db"               // the events; owned by package event
	Index        = "search.bleve"            // the search index; derived from Database
	Secrets      = "secrets.toml"            // secrets that the first start has generated
	Config       = "config.toml"             // the configuration, which the administrator can write
	Certificates = "certs"                   // certificates that were obtained automatically, with their keys
	Files        = "files"                   // local files
	Backups      = "backups"                 // default location of scheduled backups
	Upgrades     = "upgrade"                 // backups that are made before an upgrade
	Lock         = "svc.lock"                // held by the process that has the directory open
	Socket       = "svc.sock"                // the socket for commands to a running server
	Bootstrap    = "svc.bootstrap-admin.txt" // the initial password of the administrator
	Demo         = "demo.json"               // marks data that "svc demo" has created
	Journal      = "restore.json"            // the journal of a restore that is in progress
	Standby      = "standby.json"            // marks the directory of a standby, and says what it follows
	Accepted     = "accepted"                // what the primary of a standby has sent to it, and the identity of the standby
	Replicate    = "replicate"               // changes that wait for the replica, and the state of the replication
	Readme       = "README.txt"
)

// The directories within the directory Files. In addition to Uploads and StagedFiles,
// Staging contains temporary files, such as copies of the databases for a backup.
const (
	Staging = Files + "/staging"
	Cache   = Files + "/cache"
)

// The files and directories within a directory of local files, which is Files unless the
// settings name another one.
const (
	Objects     = "objects"         // contents of files, named by object key
	Uploads     = "staging/uploads" // uploads that are in progress
	StagedFiles = "staging/files"   // contents that wait to be moved to another storage, named by file ID
	Slices      = "cache"           // cached slices of files on other storages
	Owner       = "owner.json"      // identifies the database that has the records of these files
	OwnerLock   = "owner.lock"      // held by the process that uses the directory
	Lost        = "lost"            // files without a record, by the date on which they were moved
)

// Databases lists the files of the two databases, which no other program can write.
var Databases = []string{Database, Events}

// StagingOf returns the path of Staging in the given data directory.
func StagingOf(dir string) string { return filepath.Join(dir, filepath.FromSlash(Staging)) }

package store

import (
	"encoding/binary"
	"time"
)

// jobPrefix begins the keys of runs in meta; the name of the job follows.
const jobPrefix = "job/"

var backupFolderKey = []byte("backup_folder") // in meta

// JobRun is the last run of a job that has ended.
type JobRun struct {
	Begun   int64  `json:"begun"`             // Unix seconds
	Took    int64  `json:"took_ms"`           // milliseconds
	Failure string `json:"failure,omitempty"` // why it failed; "" when it went well
}

// At returns when the run began.
func (r JobRun) At() time.Time { return time.Unix(r.Begun, 0) }

// Duration returns how long the run took.
func (r JobRun) Duration() time.Duration { return time.Duration(r.Took) * time.Millisecond }

// JobRun returns the last run of a job, or nil when none has ended.
func (tx *Tx) JobRun(job string) (*JobRun, error) {
	return get[JobRun](tx.bolt.Bucket(metaBucket), []byte(jobPrefix+job))
}

// PutJobRun keeps the last run of a job.
func (tx *Tx) PutJobRun(job string, r JobRun) error {
	return put(tx.bolt.Bucket(metaBucket), []byte(jobPrefix+job), r)
}

// BackupFolder is where the last scheduled backup was made.
type BackupFolder struct {
	Dir    string `json:"dir"`
	Device uint64 `json:"device"` // of the folder, as the operating system numbered it then
}

// BackupFolder returns where the last scheduled backup was made, or nil.
func (tx *Tx) BackupFolder() (*BackupFolder, error) {
	return get[BackupFolder](tx.bolt.Bucket(metaBucket), backupFolderKey)
}

// PutBackupFolder notes where a backup was made.
func (tx *Tx) PutBackupFolder(f BackupFolder) error {
	return put(tx.bolt.Bucket(metaBucket), backupFolderKey, f)
}

// CleanedAt returns when the last clean-up by retention was complete, or the zero time.
func (tx *Tx) CleanedAt() time.Time { return tx.metaTime(cleanedKey) }

// MarkCleaned notes that a clean-up is complete.
func (tx *Tx) MarkCleaned(at time.Time) error { return tx.putMetaTime(cleanedKey, at) }

// Erasures returns the number of times that feedback, a project or the logs of an address
// were deleted since ForgetErasures. Fragments of their texts may be in the search index.
func (tx *Tx) Erasures() uint64 {
	raw := tx.bolt.Bucket(metaBucket).Get(erasedKey)
	if len(raw) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(raw)
}

// ForgetErasures notes that nothing of n erasures is in the search index. If there have
// been more, all are kept.
func (tx *Tx) ForgetErasures(n uint64) error {
	if tx.Erasures() != n {
		return nil
	}
	return tx.bolt.Bucket(metaBucket).Delete(erasedKey)
}

// noteErasure counts an erasure.
func (tx *Tx) noteErasure() error {
	return tx.bolt.Bucket(metaBucket).Put(erasedKey, binary.BigEndian.AppendUint64(nil, tx.Erasures()+1))
}

// metaTime returns a time, in whole seconds, of the bucket meta, or the zero time.
func (tx *Tx) metaTime(key []byte) time.Time {
	raw := tx.bolt.Bucket(metaBucket).Get(key)
	if len(raw) != 8 {
		return time.Time{}
	}
	return time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
}

func (tx *Tx) putMetaTime(key []byte, at time.Time) error {
	return tx.bolt.Bucket(metaBucket).Put(key, binary.BigEndian.AppendUint64(nil, uint64(at.Unix())))
}

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/searchtext"
	"svc/internal/signature"
)

// FileID identifies a file within the instance. It consists of 12 random characters 0-9
// and a-z, and is part of the file's link.
type FileID string

// FileStatus is the state of a file.
type FileStatus string

// The states of a file. A ready file changes its state only if RefuseContent marks it as
// failed.
const (
	FilePending FileStatus = "pending" // is being written or fetched
	FileReady   FileStatus = "ready"   // can be downloaded
	FileFailed  FileStatus = "failed"
)

// FileStatuses lists all states.
var FileStatuses = []FileStatus{FilePending, FileReady, FileFailed}

// FileSource is the origin of a file.
type FileSource string

// The sources of files.
const (
	FileUploaded FileSource = "upload"
	FileMirrored FileSource = "codehost_release"
)

// maxFileError is the maximum length, in characters, of the stored reason for a failure.
const maxFileError = 500

// File is a stored file of a project. Times are Unix seconds. A field that is "" or 0 has
// no value.
type File struct {
	ID        FileID     `json:"-"`
	Project   ProjectID  `json:"project"`
	ObjectKey string     `json:"object_key"` // f/{project}/{id}/{filename}; never changes
	Filename  string     `json:"filename"`   // as files.CleanName returns it
	Size      int64      `json:"size"`       // bytes; 0 while a mirrored file has not been downloaded
	SHA256    string     `json:"sha256,omitempty"`
	SHA1      string     `json:"sha1,omitempty"`
	SHA512    string     `json:"sha512,omitempty"`
	BLAKE2b   string     `json:"blake2b,omitempty"`   // BLAKE2b-512
	PartSize  int64      `json:"part_size,omitempty"` // bytes per part; 0 = the object has no parts
	Status    FileStatus `json:"status"`
	Source    FileSource `json:"source"`
	SourceURL string     `json:"source_url,omitempty"`
	Error     string     `json:"error,omitempty"` // reason of the last failure, at most 500 characters
	Backend   string     `json:"backend"`         // id of the StorageBackend
	CreatedAt int64      `json:"created_at"`
	UpdatedAt int64      `json:"updated_at"`

	// Facts contains the data that was found in the content. It is nil until the content has been
	// read. Until then, the checksums other than SHA256 may be missing, too: a job reads files that
	// an earlier version of the program stored.
	Facts *asset.Facts `json:"facts,omitempty"`

	// Checks contains the results of verifying signatures with the content.
	Checks map[string]signature.Result `json:"checks,omitempty"` // by signature.Signature.CheckID

	// Attempts counts the failed attempts to complete a pending file. RetryAt is the time at
	// which a job makes the next attempt.
	Attempts int   `json:"attempts,omitempty"`
	RetryAt  int64 `json:"retry_at,omitempty"`
}

// SearchText returns the folded text that the query parameter search= is matched against.
func (f *File) SearchText() string {
	id := string(f.ID)
	return searchtext.Fields(&f.Filename, &id, &f.SHA256)
}

func errNoFile() error { return fault.New(fault.NotFound, "file not found") }

// orderKey returns a key that orders the files of a project by creation time, and by id
// within a second.
func (f *File) orderKey() []byte {
	key := binary.BigEndian.AppendUint64(f.Project.key(), uint64(f.CreatedAt))
	return append(key, f.ID...)
}

// orderValue returns the fields by which lists are filtered. They are stored with the
// order key, so that a list does not have to read each record.
func (f *File) orderValue() []byte { return append([]byte{f.Status[0]}, f.SearchText()...) }

// sourceKey returns the key under which the ids of a project's files with the given
// source address are stored.
func sourceKey(p ProjectID, url string) []byte {
	sum := sha256.Sum256([]byte(url))
	return append(p.key(), sum[:]...)
}

// dueKey returns the key of a file's pending work that is due at the given time, in Unix
// seconds. Keys are sorted by that time.
func dueKey(at int64, id FileID) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(max(at, 0))), id...)
}

// File reads a file of a project.
func (tx *Tx) File(p ProjectID, id FileID) (*File, error) {
	f, err := tx.file([]byte(id))
	if err != nil {
		return nil, err
	}
	if f == nil || f.Project != p || tx.content(p) == nil {
		return nil, errNoFile()
	}
	return f, nil
}

// FileByID reads a file of any project, even if the project has been deleted.
func (tx *Tx) FileByID(id FileID) (*File, error) {
	f, err := tx.file([]byte(id))
	if err == nil && f == nil {
		err = errNoFile()
	}
	return f, err
}

// file reads a file by its id, even if its project has been deleted. It returns nil if
// there is no such file.
func (tx *Tx) file(id []byte) (*File, error) {
	if len(id) == 0 {
		return nil, nil
	}
	f, err := get[File](tx.bolt.Bucket(filesBucket), id)
	if f != nil {
		f.ID = FileID(id)
	}
	return f, err
}

// FileBySource returns the newest file of a project with the given source address, or nil
// if there is none.
func (tx *Tx) FileBySource(p ProjectID, url string) (*File, error) {
	ids := tx.bolt.Bucket(fileSourcesBucket).Get(sourceKey(p, url))
	if len(ids) < fileIDLength {
		return nil, nil
	}
	return tx.File(p, FileID(ids[len(ids)-fileIDLength:]))
}

// fileIDLength is the length of a FileID in bytes.
const fileIDLength = 12

func validFileID(id FileID) bool {
	return len(id) == fileIDLength && strings.Trim(string(id), "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// CreateFile stores a new file, which must be pending or ready. The caller must have set
// its ID. The error is a Conflict if the id is in use, and NotFound if the storage does
// not exist.
func (tx *Tx) CreateFile(p ProjectID, f *File) error {
	if tx.content(p) == nil {
		return fault.New(fault.NotFound, "project not found")
	}
	if !validFileID(f.ID) || f.Status != FilePending && f.Status != FileReady {
		return fault.New(fault.Invalid, "a new file must be pending or ready and have an id of 12 characters 0-9 and a-z")
	}
	if known, err := tx.file([]byte(f.ID)); err != nil {
		return err
	} else if known != nil {
		return fault.New(fault.Conflict, "file %s exists already", f.ID)
	}
	if _, err := tx.StorageBackend(f.Backend); err != nil {
		return err
	}
	f.Project, f.CreatedAt = p, tx.now.Unix()
	return addFile(tx, f)
}

// addFile stores a file and adds it to the indexes.
func addFile(tx *Tx, f *File) error {
	if f.SourceURL != "" {
		sources := tx.bolt.Bucket(fileSourcesBucket)
		key := sourceKey(f.Project, f.SourceURL)
		if err := sources.Put(key, append(bytes.Clone(sources.Get(key)), f.ID...)); err != nil {
			return err
		}
	}
	tx.changeSigned(f.Project)
	tx.count(f.Project, countFiles(f.Status), 1)
	if err := countBackend(tx, f.Backend, 1); err != nil {
		return err
	}
	return tx.writeFile(f)
}

// fileMay lists the states that may follow each state. If a state is listed after itself,
// the other fields of a file in this state may change. The fields of a ready file may not
// change.
var fileMay = map[FileStatus][]FileStatus{
	FilePending: {FilePending, FileReady, FileFailed},
	FileFailed:  {FilePending},
}

// PutFile stores a changed file. The error is a Conflict if the new state may not follow the stored
// one. It is NotFound if the file has been deleted. In that case the caller must remove the object
// that it has written.
func (tx *Tx) PutFile(p ProjectID, f *File) error {
	before, err := tx.File(p, f.ID)
	if err != nil {
		return err
	}
	if !slices.Contains(fileMay[before.Status], f.Status) {
		return fault.New(fault.Conflict, "a file that is %s cannot become %s", before.Status, f.Status)
	}
	if before.Status == FilePending {
		if err := tx.bolt.Bucket(filePendingBucket).Delete(dueKey(before.RetryAt, f.ID)); err != nil {
			return err
		}
	}
	if f.Status != FilePending {
		f.Attempts, f.RetryAt = 0, 0
	}
	if runes := []rune(f.Error); len(runes) > maxFileError {
		f.Error = string(runes[:maxFileError])
	}
	if before.Status != f.Status {
		tx.linksChanged = true
		tx.changeSigned(p)
	}
	tx.count(p, countFiles(before.Status), -1)
	tx.count(p, countFiles(f.Status), 1)
	if err := tx.writeFile(f); err != nil || f.Status != FileFailed {
		return err
	}
	return tx.notifyFile(f)
}

// UnreadFiles returns the ready files of all projects whose content has not been read, in the
// order of their ids. It begins after the given id and returns at most the given number of
// files.
func (tx *Tx) UnreadFiles(after FileID, limit int) (list []*File, err error) {
	cursor := tx.bolt.Bucket(filesBucket).Cursor()
	for key, raw := cursor.Seek(append([]byte(after), 0)); key != nil && len(list) < limit; key, raw = cursor.Next() {
		if bytes.Contains(raw, []byte(`"facts":`)) { // search the encoded record, because decoding takes a hundred times as long
			continue
		}
		f, err := decode[File](key, raw)
		if err != nil {
			return nil, err
		}
		if f.ID = FileID(key); f.Status == FileReady && tx.alive(f.Project.key()) {
			list = append(list, f)
		}
	}
	return list, nil
}

// PutFileContent stores the checksums and the Facts of f, which were obtained by reading the
// content of a ready file.
func (tx *Tx) PutFileContent(f *File) error {
	current, err := tx.File(f.Project, f.ID)
	if err != nil {
		return err
	}
	current.SHA1, current.SHA512, current.BLAKE2b, current.Facts = f.SHA1, f.SHA512, f.BLAKE2b, f.Facts
	tx.linksChanged = true
	tx.changeSigned(f.Project)
	return put(tx.bolt.Bucket(filesBucket), []byte(f.ID), current)
}

// maxChecks limits the number of signature checks that are stored for a file. Checks with the
// result Kept are never dropped.
const maxChecks = 256

// PutChecks stores the results of verifying signatures with the content of a file.
// results contains them by signature.Signature.CheckID.
func (tx *Tx) PutChecks(p ProjectID, id FileID, results map[string]signature.Result) error {
	f, err := tx.File(p, id)
	if err != nil {
		return err
	}
	all := maps.Clone(results)
	for check, result := range f.Checks {
		if _, again := all[check]; result == signature.Kept || !again && len(f.Checks) < maxChecks {
			all[check] = result
		}
	}
	f.Checks, tx.linksChanged = all, true
	return put(tx.bolt.Bucket(filesBucket), []byte(id), f)
}

// KeptSignatures returns the CheckIDs of the file's signatures that remain valid although their key
// is retired, in ascending order.
func (f *File) KeptSignatures() (kept []string) {
	for check, result := range f.Checks {
		if result == signature.Kept {
			kept = append(kept, check)
		}
	}
	slices.Sort(kept)
	return kept
}

// KeepSignatures adds the result Kept for the given CheckIDs to f.Checks. They belong to signatures
// that remain valid although their key is retired.
func (f *File) KeepSignatures(kept []string) {
	if f.Checks == nil {
		f.Checks = make(map[string]signature.Result, len(kept))
	}
	for _, check := range kept {
		f.Checks[check] = signature.Kept
	}
}

// RefuseContent marks a ready file as failed for the given reason. A job removes the file's object
// at the Unix time in the parameter due, unless the caller has removed the object by then.
func (tx *Tx) RefuseContent(p ProjectID, id FileID, reason string, due int64) (*FileDeletion, error) {
	f, err := tx.File(p, id)
	if err != nil {
		return nil, err
	}
	if f.Status != FileReady {
		return nil, fault.New(fault.Conflict, "the file is %s, not ready", f.Status)
	}
	d := &FileDeletion{ID: f.ID, ObjectKey: f.ObjectKey, Size: f.Size, PartSize: f.PartSize, Backend: f.Backend, Refresh: true, RetryAt: due}
	tx.count(p, countFiles(f.Status), -1)
	f.Status, f.Error = FileFailed, reason
	f.SHA256, f.SHA1, f.SHA512, f.BLAKE2b, f.Facts, f.Checks = "", "", "", "", nil, nil
	tx.count(p, countFiles(f.Status), 1)
	tx.linksChanged = true
	return d, errors.Join(tx.writeFile(f), tx.PutFileDeletion(d), tx.notifyFile(f))
}

// RetryFile makes a failed file pending again. For a file in any other state, the error
// is a Conflict.
func (tx *Tx) RetryFile(p ProjectID, id FileID) (*File, error) {
	f, err := tx.File(p, id)
	if err != nil {
		return nil, err
	}
	if f.Status != FileFailed {
		return nil, fault.New(fault.Conflict, "the file is %s; only a failed one can be tried again", f.Status)
	}
	f.Status, f.Error = FilePending, ""
	return f, tx.PutFile(p, f)
}

// writeFile stores the record of a file and its entries in the indexes for lists and
// jobs.
func (tx *Tx) writeFile(f *File) error {
	f.UpdatedAt = tx.now.Unix()
	if f.Status == FilePending {
		tx.filesWaiting = true
		if err := tx.bolt.Bucket(filePendingBucket).Put(dueKey(f.RetryAt, f.ID), nil); err != nil {
			return err
		}
	}
	if err := tx.bolt.Bucket(fileOrderBucket).Put(f.orderKey(), f.orderValue()); err != nil {
		return err
	}
	return put(tx.bolt.Bucket(filesBucket), []byte(f.ID), f)
}

// DeleteFile removes the record of a file, and thereby its link. The parameter due is the time, in
// Unix seconds, at which a job removes the object, unless the caller has removed it by then. If
// refresh is true, the job then also refreshes the file's link in the CDN.
func (tx *Tx) DeleteFile(p ProjectID, id FileID, refresh bool, due int64) (*FileDeletion, error) {
	f, err := tx.File(p, id)
	if err != nil {
		return nil, err
	}
	tx.count(p, countFiles(f.Status), -1)
	return dropFile(tx, f, refresh, due)
}

// dropFile removes the record of a file and adds a FileDeletion for its object.
func dropFile(tx *Tx, f *File, refresh bool, due int64) (*FileDeletion, error) {
	if f.SourceURL != "" {
		if err := dropSource(tx, f); err != nil {
			return nil, err
		}
	}
	err := errors.Join(
		tx.bolt.Bucket(filePendingBucket).Delete(dueKey(f.RetryAt, f.ID)),
		tx.bolt.Bucket(fileOrderBucket).Delete(f.orderKey()),
		tx.bolt.Bucket(filesBucket).Delete([]byte(f.ID)),
		countBackend(tx, f.Backend, -1),
	)
	if err != nil {
		return nil, err
	}
	d := &FileDeletion{
		ID: f.ID, ObjectKey: f.ObjectKey, Size: f.Size, PartSize: f.PartSize, Backend: f.Backend,
		Refresh: refresh && f.Status == FileReady, RetryAt: due,
	}
	return d, tx.PutFileDeletion(d)
}

// dropSource removes a file from the list of files with the same source address.
func dropSource(tx *Tx, f *File) error {
	sources := tx.bolt.Bucket(fileSourcesBucket)
	key := sourceKey(f.Project, f.SourceURL)
	var left []byte
	for id := range slices.Chunk(sources.Get(key), fileIDLength) {
		if string(id) != string(f.ID) {
			left = append(left, id...)
		}
	}
	if left == nil {
		return sources.Delete(key)
	}
	return sources.Put(key, left)
}

// fileIDAfter returns the file id at the end of a key, where it follows n other bytes.
func fileIDAfter(key []byte, n int) (FileID, error) {
	if len(key) != n+fileIDLength {
		return "", fmt.Errorf("%w: %x ends with no file id", ErrDamaged, key)
	}
	return FileID(key[n:]), nil
}

// orderedFile reads the file to which a key of the bucket file_order refers.
func orderedFile(tx *Tx, key []byte) (*File, error) {
	id, err := fileIDAfter(key, 4+8)
	if err != nil {
		return nil, err
	}
	f, err := tx.file([]byte(id))
	if err == nil && f == nil {
		err = fmt.Errorf("%w: no file %s", ErrDamaged, id)
	}
	return f, err
}

// EachFile visits the files of a project, the oldest first. visit must not write.
func (tx *Tx) EachFile(p ProjectID, visit func(*File) error) error {
	cursor := tx.bolt.Bucket(fileOrderBucket).Cursor()
	for key, _ := cursor.Seek(p.key()); bytes.HasPrefix(key, p.key()); key, _ = cursor.Next() {
		f, err := orderedFile(tx, key)
		if err != nil {
			return err
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// ObjectKey returns the object key of a file, or "" if there is no such file. It also
// finds files of projects that are deleted or not yet visible, because the objects of
// these files must not be mistaken for objects without a record.
func (tx *Tx) ObjectKey(id FileID) (string, error) {
	f, err := tx.file([]byte(id))
	if err != nil || f == nil {
		return "", err
	}
	return f.ObjectKey, nil
}

// FilesAfter returns the files of all projects in the order of their ids. It begins after the given
// id and returns at most the given number of files.
func (tx *Tx) FilesAfter(id FileID, limit int) (list []*File, err error) {
	return listOf(tx.bolt.Bucket(filesBucket), append([]byte(id), 0), limit, func(f *File, key []byte) error {
		f.ID = FileID(key)
		return nil
	})
}

// PendingFiles returns the files that are waiting for their job, in the order in which they are due
// and up to the given limit. Some of them may not be due yet; see File.RetryAt.
func (tx *Tx) PendingFiles(limit int) (list []*File, err error) {
	cursor := tx.bolt.Bucket(filePendingBucket).Cursor()
	for key, _ := cursor.First(); key != nil && len(list) < limit; key, _ = cursor.Next() {
		id, err := fileIDAfter(key, 8)
		if err != nil {
			return nil, err
		}
		f, err := tx.file([]byte(id))
		if err != nil {
			return nil, err
		}
		if f != nil && tx.alive(f.Project.key()) {
			list = append(list, f)
		}
	}
	return list, nil
}

// PendingBytes returns the total size of a project's pending files. It leaves out files
// of unknown size. It reads the records of all pending files.
func (tx *Tx) PendingBytes(p ProjectID) (bytes int64, err error) {
	list, err := tx.PendingFiles(math.MaxInt)
	for _, f := range list {
		if f.Project == p {
			bytes += f.Size
		}
	}
	return bytes, err
}

// FilesWaiting returns a channel that receives a value when there are new pending files
// or deletions. Only one goroutine may receive from it.
func (s *Store) FilesWaiting() <-chan struct{} { return s.filesWaiting }

// purgeFiles converts up to limit files of a deleted project into FileDeletions of their
// objects. left is the unused part of the limit.
func purgeFiles(tx *Tx, p ProjectID, limit int) (left int, err error) {
	var files []*File
	err = tx.EachFile(p, func(f *File) error {
		if len(files) == limit {
			return errEnough
		}
		files = append(files, f)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, err
	}
	for _, f := range files {
		if _, err := dropFile(tx, f, true, tx.now.Unix()); err != nil {
			return 0, err
		}
	}
	return limit - len(files), nil
}

// errEnough is returned by a function to end a visit early.
var errEnough = errors.New("enough")

// countFiles returns the name under which the number of files in a state is stored.
func countFiles(status FileStatus) countName { return countName("files." + status) }

// countBackend adds delta to the number of files on a storage.
func countBackend(tx *Tx, id string, delta int64) error {
	return addTo(tx.bolt.Bucket(fileCountsBucket), countName(id), delta)
}

// FilesOn returns the number of files on a storage. A file of a deleted project is
// included until Purge has converted it into a FileDeletion.
func (tx *Tx) FilesOn(backend string) (int64, error) {
	return counted(tx.bolt.Bucket(fileCountsBucket), countName(backend))
}

// FileDeletion is an object that must be removed from its storage, because the record of
// its file has been deleted or its content was refused. Times are Unix seconds.
type FileDeletion struct {
	ID        FileID `json:"-"`
	ObjectKey string `json:"object_key"`
	Size      int64  `json:"size"`
	PartSize  int64  `json:"part_size,omitempty"`
	Backend   string `json:"backend"`
	Refresh   bool   `json:"refresh,omitempty"` // the CDN may have a copy, which must be removed afterwards
	Early     bool   `json:"early,omitempty"`   // the link was also refreshed before the removal, see RefreshEarly
	Attempts  int    `json:"attempts,omitempty"`
	RetryAt   int64  `json:"retry_at"`
	Error     string `json:"error,omitempty"` // error of the last attempt
}

// CDNRefresh is a link that must be refreshed in the CDN, because the CDN may have old
// copies. Times are Unix seconds.
type CDNRefresh struct {
	ID        FileID `json:"-"`
	ObjectKey string `json:"object_key"`
	Until     int64  `json:"until"` // time after which a failing refresh is given up
	Attempts  int    `json:"attempts,omitempty"`
	RetryAt   int64  `json:"retry_at"`
	Error     string `json:"error,omitempty"` // error of the last attempt
	// Round counts how often the link was added again before its refresh had ended. A link
	// that is added again during a refresh has to be refreshed once more.
	Round int `json:"round,omitempty"`
}

// RefreshTime is the duration for which a failing refresh is retried.
const RefreshTime = 24 * time.Hour

// RetryPause returns the pause before the next attempt at failed work. It grows with the
// number of attempts from one minute to one hour.
func RetryPause(attempts int) time.Duration {
	return min(time.Minute<<min(attempts, 6), time.Hour)
}

// FileDeletions returns the objects to remove, in the order in which they are due and up to the
// given limit. Some of them may not be due yet; see FileDeletion.RetryAt.
func (tx *Tx) FileDeletions(limit int) (list []*FileDeletion, err error) {
	return listOf(tx.bolt.Bucket(fileDeletionsBucket), nil, limit, func(d *FileDeletion, key []byte) (err error) {
		d.ID, err = fileIDAfter(key, 8)
		return err
	})
}

// FileDeletion reads the stored form of d again. If it returns nil, d is no longer
// stored, and the caller must not remove the object: the object may have been removed and
// stored again in the meantime. The caller must hold the lock of the object.
func (tx *Tx) FileDeletion(d *FileDeletion) (*FileDeletion, error) {
	now, err := get[FileDeletion](tx.bolt.Bucket(fileDeletionsBucket), dueKey(d.RetryAt, d.ID))
	if now != nil {
		now.ID = d.ID
	}
	return now, err
}

// DueFileDeletions returns the deletions that are due by the given time, grouped by the id of their
// storage and in the order in which they are due. The limit applies to each storage. Storages for
// which the function skip returns true are left out. next is the time at which the first later
// deletion is due, or 0 if there is none.
func (tx *Tx) DueFileDeletions(
	by int64, limit int, skip func(backend string) bool,
) (due map[string][]*FileDeletion, next int64, err error) {
	due = map[string][]*FileDeletion{}
	var passed [][]byte // the storages from which no more deletions are taken, as JSON fields
	cursor := tx.bolt.Bucket(fileDeletionsBucket).Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		id, err := fileIDAfter(key, 8)
		if err != nil {
			return nil, 0, err
		}
		if at := int64(binary.BigEndian.Uint64(key)); at > by {
			return due, at, nil
		}
		if slices.ContainsFunc(passed, func(backend []byte) bool { return bytes.Contains(raw, backend) }) {
			continue // search the encoded record, because decoding takes a hundred times as long and there may be a hundred thousand records
		}
		d, err := decode[FileDeletion](key, raw)
		if err != nil {
			return nil, 0, err
		}
		if len(due[d.Backend]) == limit || skip(d.Backend) {
			passed = append(passed, fmt.Appendf(nil, `"backend":%q`, d.Backend))
			continue
		}
		d.ID = id
		due[d.Backend] = append(due[d.Backend], d)
	}
	return due, 0, nil
}

// PutFileDeletion adds an object to the list of objects to remove.
func (tx *Tx) PutFileDeletion(d *FileDeletion) error {
	tx.filesWaiting = true
	return put(tx.bolt.Bucket(fileDeletionsBucket), dueKey(d.RetryAt, d.ID), d)
}

// DropFileDeletion removes an object from the list of objects to remove.
func (tx *Tx) DropFileDeletion(d *FileDeletion) error {
	return tx.bolt.Bucket(fileDeletionsBucket).Delete(dueKey(d.RetryAt, d.ID))
}

// PostponeFileDeletion records a failed attempt to remove an object, with the reason, and
// schedules the next attempt.
func (tx *Tx) PostponeFileDeletion(d *FileDeletion, at int64, reason string) error {
	if err := tx.DropFileDeletion(d); err != nil {
		return err
	}
	d.Attempts, d.RetryAt, d.Error = d.Attempts+1, at, reason
	return tx.PutFileDeletion(d)
}

// HoldFileDeletion reschedules the removal of an object without recording an attempt.
func (tx *Tx) HoldFileDeletion(d *FileDeletion, at int64) error {
	if err := tx.DropFileDeletion(d); err != nil {
		return err
	}
	d.RetryAt = at
	return tx.PutFileDeletion(d)
}

// FinishFileDeletion records that an object has been removed. If refresh is true, it
// schedules a refresh of the object's link in the CDN for the given time. If the link was
// refreshed early, it is refreshed again, except on the local storage: a CDN may read
// directly from other storages, and may have fetched the object after the early refresh.
func (tx *Tx) FinishFileDeletion(d *FileDeletion, refresh bool, at int64) error {
	if err := tx.DropFileDeletion(d); err != nil || !refresh || !d.Refresh || d.Early && d.Backend == LocalStorage {
		return err
	}
	return tx.PutCDNRefresh(&CDNRefresh{ID: d.ID, ObjectKey: d.ObjectKey}, at)
}

// RefreshEarly schedules a refresh of a deleted file's link in the CDN before the object
// is removed, for example because the removal has failed. It does nothing if refresh is
// false. It changes d, which the caller must store.
func (tx *Tx) RefreshEarly(d *FileDeletion, refresh bool, at int64) error {
	if !refresh || !d.Refresh || d.Early {
		return nil
	}
	d.Early = true
	return tx.PutCDNRefresh(&CDNRefresh{ID: d.ID, ObjectKey: d.ObjectKey}, at)
}

// PutCDNRefresh schedules a refresh of a link in the CDN for the given time. A failing
// refresh is retried for RefreshTime. The new entry replaces an existing entry of the
// same file.
func (tx *Tx) PutCDNRefresh(r *CDNRefresh, at int64) error {
	former, err := tx.CDNRefresh(r.ID)
	if err != nil {
		return err
	}
	if former != nil {
		r.Round = former.Round + 1
	}
	r.RetryAt, r.Until = at, at+int64(RefreshTime/time.Second)
	tx.filesWaiting = true
	return put(tx.bolt.Bucket(cdnRefreshesBucket), []byte(r.ID), r)
}

// CDNRefresh returns the pending refresh of a file's link, or nil if there is none.
func (tx *Tx) CDNRefresh(id FileID) (*CDNRefresh, error) {
	r, err := get[CDNRefresh](tx.bolt.Bucket(cdnRefreshesBucket), []byte(id))
	if r != nil {
		r.ID = id
	}
	return r, err
}

// CDNRefreshes returns all pending refreshes.
func (tx *Tx) CDNRefreshes() (list []*CDNRefresh, err error) {
	return listOf(tx.bolt.Bucket(cdnRefreshesBucket), nil, math.MaxInt, func(r *CDNRefresh, key []byte) error {
		r.ID = FileID(key)
		return nil
	})
}

// RetryCDNRefresh records that the first refresh of a file's link has failed, and
// schedules a retry.
func (tx *Tx) RetryCDNRefresh(f *File, failure string) error {
	r := &CDNRefresh{ID: f.ID, ObjectKey: f.ObjectKey, Attempts: 1, Error: failure}
	return tx.PutCDNRefresh(r, tx.now.Add(RetryPause(0)).Unix())
}

// SettleCDNRefresh records the outcome of a refresh that ended at the given time. failure
// is "" if the CDN accepted the request. A failed refresh is retried until r.Until, and
// gaveUp reports that this time has passed. If the link has been added again since r was
// read, the entry is left unchanged.
func (tx *Tx) SettleCDNRefresh(r *CDNRefresh, now time.Time, failure string) (gaveUp bool, err error) {
	current, err := tx.CDNRefresh(r.ID)
	if err != nil || current == nil || current.Round != r.Round {
		return false, err
	}
	gaveUp = failure != "" && now.Unix() >= r.Until
	if failure == "" || gaveUp {
		return gaveUp, tx.bolt.Bucket(cdnRefreshesBucket).Delete([]byte(r.ID))
	}
	next := *r
	next.RetryAt = min(now.Add(RetryPause(r.Attempts)).Unix(), r.Until)
	next.Attempts, next.Error = r.Attempts+1, failure
	tx.filesWaiting = true
	return false, put(tx.bolt.Bucket(cdnRefreshesBucket), []byte(r.ID), &next)
}

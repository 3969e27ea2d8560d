package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// FileDeletion is an object that must be removed from its storage. The record of
// its file is gone already.
type FileDeletion struct {
	ID        FileID `json:"-"`
	ObjectKey string `json:"object_key"`
	Size      int64  `json:"size"`
	PartSize  int64  `json:"part_size,omitempty"`
	Backend   string `json:"backend"`
	Refresh   bool   `json:"refresh,omitempty"` // the CDN may have a copy, which must go afterwards
	Early     bool   `json:"early,omitempty"`   // the link is refreshed before the object is gone, see RefreshEarly
	Attempts  int    `json:"attempts,omitempty"`
	RetryAt   int64  `json:"retry_at"`
	Error     string `json:"error,omitempty"` // of the last attempt
}

// CDNRefresh is a link whose copies in the CDN must go. Times are Unix seconds.
type CDNRefresh struct {
	ID        FileID `json:"-"`
	ObjectKey string `json:"object_key"`
	Until     int64  `json:"until"` // when it is given up
	Attempts  int    `json:"attempts,omitempty"`
	RetryAt   int64  `json:"retry_at"`
	Error     string `json:"error,omitempty"` // of the last attempt
	// Round counts how often the link was put while it was still there. One that is put again
	// during a refresh is refreshed once more.
	Round int `json:"round,omitempty"`
}

// RefreshTime is how long a failing refresh is tried again.
const RefreshTime = 24 * time.Hour

// RetryPause returns the time after which work that has failed is tried again. It grows from
// a minute to an hour.
func RetryPause(attempts int) time.Duration {
	return min(time.Minute<<min(attempts, 6), time.Hour)
}

// FileDeletions returns at most limit objects to remove, in the order in which that is
// due. Some may be due only later, see FileDeletion.RetryAt.
func (tx *Tx) FileDeletions(limit int) (list []*FileDeletion, err error) {
	cursor := tx.bolt.Bucket(fileDeletionsBucket).Cursor()
	for key, raw := cursor.First(); key != nil && len(list) < limit; key, raw = cursor.Next() {
		d, err := decode[FileDeletion](key, raw)
		if err != nil {
			return nil, err
		}
		if d.ID, err = fileIDAfter(key, 8); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// FileDeletion reads a deletion again, and returns nil when its object is not to be removed
// any more. Whoever removes one asks when nobody else may: it may have been removed since,
// and another object be there.
func (tx *Tx) FileDeletion(d *FileDeletion) (*FileDeletion, error) {
	now, err := get[FileDeletion](tx.bolt.Bucket(fileDeletionsBucket), dueKey(d.RetryAt, d.ID))
	if now != nil {
		now.ID = d.ID
	}
	return now, err
}

// DueFileDeletions returns the objects to remove by a time, at most limit of each storage, in
// the order in which they are due. The keys of due are ids of storages, without those that
// skip reports. next is when the first other one is due, or 0 if there is none.
func (tx *Tx) DueFileDeletions(by int64, limit int, skip func(backend string) bool) (due map[string][]*FileDeletion, next int64, err error) {
	due = map[string][]*FileDeletion{}
	var passed [][]byte // the backends of which no more are wanted, as they stand in a record
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
			continue // decoding takes a hundred times as long, and there may be a hundred thousand
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

// PutFileDeletion adds an object to remove.
func (tx *Tx) PutFileDeletion(d *FileDeletion) error {
	tx.filesWaiting = true
	return put(tx.bolt.Bucket(fileDeletionsBucket), dueKey(d.RetryAt, d.ID), d)
}

// DropFileDeletion takes an object off the list.
func (tx *Tx) DropFileDeletion(d *FileDeletion) error {
	return tx.bolt.Bucket(fileDeletionsBucket).Delete(dueKey(d.RetryAt, d.ID))
}

// PostponeFileDeletion notes that an object could not be removed, and why, and when
// to try again.
func (tx *Tx) PostponeFileDeletion(d *FileDeletion, at int64, reason string) error {
	if err := tx.DropFileDeletion(d); err != nil {
		return err
	}
	d.Attempts, d.RetryAt, d.Error = d.Attempts+1, at, reason
	return tx.PutFileDeletion(d)
}

// HoldFileDeletion notes when to remove an object that was not to be removed now.
func (tx *Tx) HoldFileDeletion(d *FileDeletion, at int64) error {
	if err := tx.DropFileDeletion(d); err != nil {
		return err
	}
	d.RetryAt = at
	return tx.PutFileDeletion(d)
}

// FinishFileDeletion notes that an object is gone. If refresh is set, its link is refreshed in
// the CDN from a time on. A link that was refreshed early is refreshed again unless the storage
// is local: a CDN may read from other storages directly, and can have fetched the object since.
func (tx *Tx) FinishFileDeletion(d *FileDeletion, refresh bool, at int64) error {
	if err := tx.DropFileDeletion(d); err != nil || !refresh || !d.Refresh || d.Early && d.Backend == LocalStorage {
		return err
	}
	return tx.PutCDNRefresh(&CDNRefresh{ID: d.ID, ObjectKey: d.ObjectKey}, at)
}

// RefreshEarly has the link of a deleted file refreshed in the CDN from a time on, if refresh is
// set, although its object is still there. It changes d, which the caller stores.
func (tx *Tx) RefreshEarly(d *FileDeletion, refresh bool, at int64) error {
	if !refresh || !d.Refresh || d.Early {
		return nil
	}
	d.Early = true
	return tx.PutCDNRefresh(&CDNRefresh{ID: d.ID, ObjectKey: d.ObjectKey}, at)
}

// PutCDNRefresh adds a link whose copies must go, from the time at on and for RefreshTime. It
// replaces one of the same file.
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

// CDNRefresh returns the link of a file whose copies must go, or nil if there is none.
func (tx *Tx) CDNRefresh(id FileID) (*CDNRefresh, error) {
	r, err := get[CDNRefresh](tx.bolt.Bucket(cdnRefreshesBucket), []byte(id))
	if r != nil {
		r.ID = id
	}
	return r, err
}

// CDNRefreshes lists the links whose copies must go.
func (tx *Tx) CDNRefreshes() (list []*CDNRefresh, err error) {
	cursor := tx.bolt.Bucket(cdnRefreshesBucket).Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		r, err := decode[CDNRefresh](key, raw)
		if err != nil {
			return nil, err
		}
		r.ID = FileID(key)
		list = append(list, r)
	}
	return list, nil
}

// RetryCDNRefresh notes that a first refresh of the link of a file has failed, and when to try
// again.
func (tx *Tx) RetryCDNRefresh(f *File, failure string) error {
	r := &CDNRefresh{ID: f.ID, ObjectKey: f.ObjectKey, Attempts: 1, Error: failure}
	return tx.PutCDNRefresh(r, tx.now.Add(RetryPause(0)).Unix())
}

// SettleCDNRefresh notes how a refresh ended at a time; failure is "" if the CDN accepted it.
// A failed one is tried again until its time is over. The link stays as it is if it was put
// again since r was read.
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

// Package store owns svc.db, with all its records, keys, buckets and encodings, and the
// in-memory project snapshots for the read path. No other package opens the database. Callers
// either use the methods of *Tx inside View or Update, or read an immutable value that the
// last commit published.
//
//	store.go          Open, Close, View, Update, State; facts about the instance itself
//	apply.go          following another store: its changes, and the memory that they touch
//	tx.go             Tx, buckets, ids, records, counts stored for each project
//	projects.go       projects with their languages, and the removal of deleted content
//	versions.go       versions, including releases of the code host
//	rollouts.go       rollouts of versions
//	assets.go         assets of versions
//	yank.go           withdrawing a version
//	announcements.go  announcements
//	submissions.go    feedback and logs, in package series
//	prune.go          deleting selected or old feedback and logs
//	log_groups.go     groups of equal errors
//	log_group_counts.go counts of groups, written once for a block of logs
//	log_group_form.go the stored form of a group
//	log_events.go     events about groups
//	log_grouping.go   grouping logs that were stored without a group
//	forwards.go       feedback on its way to an issue at the code host
//	cards.go          cards of dashboards
//	requests.go       request statistics
//	health.go         users and failures of versions, by time
//	files.go          files, and the objects and copies to remove
//	files_list.go     lists of files
//	links.go          the files that links lead to
//	assets.go         the assets of versions
//	backends.go       storage back ends
//	settings.go       settings of the instance and of projects
//	distribution.go   channels and other settings by which a project distributes versions
//	trust.go          the public keys with which downloads are signed
//	account.go        the administrator, networks of logins, API keys
//	hooks.go          hooks, which send events to others
//	outbox.go         the deliveries of hooks
//	notify.go         the events of records, which hooks send to others
//	feed.go           the change feed that the search index follows
//	snapshot.go       immutable projects for public reads, within a memory budget
//	import.go         writing a whole project
//	check.go          finding damage, and repairing derived data
//
// The package is larger than others because all records share the transaction. The methods
// of *Tx hide the keys and buckets from other packages.
package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/limit"
	"svc/internal/notify"
	"svc/store/series"
)

// Format is the version of the layout that this program writes. Open refuses a file with
// a greater version, because a newer program wrote it.
const Format = 1

// layout describes the formats of the file and the migrations from earlier formats. There
// are no migrations yet.
var layout = boltfile.Layout{Buckets: rootBuckets, Node: [][]byte{storeIDKey, backupFolderKey}, Oldest: 1}

var (
	// ErrNewer is returned by Open for a file written by a newer program.
	ErrNewer = boltfile.ErrNewer
	// ErrDamaged is returned by Open for a file that cannot be read.
	ErrDamaged = boltfile.ErrDamaged
	// ErrLocked is returned by Open while another process has the file open.
	ErrLocked = boltfile.ErrLocked
)

// Options configure how a store is opened. The zero value is suitable for a server.
type Options struct {
	// Now returns the current time. The default is time.Now.
	Now func() time.Time
	// Log receives warnings about transactions that have been open for too long.
	Log *slog.Logger
	// SnapshotBytes limits the memory used by project snapshots. The default is 64 MiB.
	SnapshotBytes int64
	// ExactBytes is the number of bytes of text that a search in a list reads to determine the
	// exact total. The default is 160 MiB. After that much text and 10,000 records, the search
	// stops as soon as its page is complete, and the total is an upper bound.
	ExactBytes int64
	// DedupWindow is the time within which identical submissions are stored only once; see
	// SubmitOnce. If it is 0, each submission is stored.
	DedupWindow time.Duration
	// SiteURL is the public address of the server, for the links in events. It is "" if it is unknown.
	SiteURL string
	// Upgrade configures the migration of a file in an earlier format.
	Upgrade boltfile.Upgrade
	// NoSync disables waiting for the disk, for tests. Stored data then survives the death of
	// the process, but not always a power failure.
	NoSync bool
	// ReadOnly opens an existing file without changing it.
	ReadOnly bool
	// Follow opens an existing file that follows another store's; see Store.Following.
	Follow bool
	// Recorder receives the changes of each transaction; see boltfile.Options.
	Recorder boltfile.Recorder
}

// Store is an open svc.db. It is safe for concurrent use.
type Store struct {
	// Whole is held while a change of several files is made in one file after the other. A copy of several
	// files locks it before Hold, so that all of them have the same position.
	Whole sync.Mutex

	// file is locked from the start of a write transaction until its changes are visible in
	// memory, so that the file and the memory change in the same order.
	file  *boltfile.Writer
	now   func() time.Time
	log   *slog.Logger
	path  string
	id    uuid.UUID
	owner uuid.UUID // the result of Owner

	exactBytes int64       // Options.ExactBytes
	site       notify.Site // Options.SiteURL

	ids     idSource           // guarded by the lock of file
	imports map[ProjectID]bool // projects that are being imported; guarded by the lock of file
	heads   series.Cache       // guarded by the lock of file

	outdated bool // applied changes are not in memory yet; guarded by the lock of file

	logGroups     map[ProjectID]*projectGroups // cache, see Tx.groupsOf; guarded by the lock of file
	logGroupsSize int                          // number of groups and projects in logGroups; guarded by the lock of file

	lastChange  atomic.Uint64
	changedText atomic.Int64
	commits     atomic.Int64

	submissions *boltfile.Group[func(*Tx) error]
	duplicates  *limit.Duplicates // submissions of the last Options.DedupWindow

	filesWaiting   chan struct{} // the channel that FilesWaiting returns
	unverified     unverified
	projectDeleted chan struct{} // the channel that ProjectDeleted returns

	changing  sync.Mutex
	changed   chan struct{} // closed at the next change; nil if no reader waits; guarded by changing
	hooksWork chan struct{} // the channel that HooksChanged returns, or nil; guarded by changing

	projects  atomic.Pointer[directory]
	keys      atomic.Pointer[keyring]
	account   atomic.Pointer[Account]
	hooks     atomic.Pointer[map[ProjectID][]*Hook]
	snapshots cache
	links     atomic.Pointer[links]

	observed observed
}

// Open opens the file at path, and creates it if it does not exist, unless Options.Follow is set. The
// error contains the path. It wraps ErrNewer, ErrDamaged, ErrLocked or an error of the file system.
func Open(path string, o Options) (*Store, error) {
	s := &Store{
		now: o.Now, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), path: path, exactBytes: cmp.Or(o.ExactBytes, 160<<20),
		site:         notify.Site(o.SiteURL),
		duplicates:   limit.NewDuplicates(o.DedupWindow, maxDuplicates),
		filesWaiting: make(chan struct{}, 1), projectDeleted: make(chan struct{}, 1),
		unverified: unverified{waiting: make(chan struct{}, 1), projects: map[ProjectID]bool{}},
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.links.Store(&links{})
	s.snapshots.budget = cmp.Or(o.SnapshotBytes, 64<<20)
	if !o.ReadOnly && !o.Follow {
		if err := boltfile.Create(path, s.layOut); err != nil {
			return nil, fmt.Errorf("create %s: %w", path, err)
		}
	}
	db, err := boltfile.Open(path, boltfile.Options{
		MapSize: 1 << 30, Loaded: loadedBuckets, ReadOnly: o.ReadOnly, Follow: o.Follow, NoSync: o.NoSync, Recorder: o.Recorder,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s.file = boltfile.NewWriter(db, s.log)
	if err = layout.Settle(s.file, o.Upgrade); err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), s.file.Abandon())
	}
	s.submissions = boltfile.NewGroup[func(*Tx) error](s.file, "writes", groupLimits)
	s.submissions.Commit = s.commitGroup
	return s, nil
}

// layOut creates the buckets, the ids and the built-in storage of a new file.
func (s *Store) layOut(t *boltfile.Tx) error {
	meta, err := layout.Make(t)
	if err != nil {
		return err
	}
	now := s.now().Unix()
	local := &StorageBackend{Name: localName, Kind: StorageLocal, Default: true, CreatedAt: now, UpdatedAt: now}
	return errors.Join(
		putNewID(t.Node(), storeIDKey), putNewID(meta, ownerKey), put(t.Bucket(storageBackendsBucket), []byte(LocalStorage), local),
	)
}

// load reads the data that a store holds in memory: ids, the number of the last change, the project
// directory, the API keys, the administrator's account and the hooks.
func (s *Store) load() error {
	return s.file.View(func(t *boltfile.Tx) error {
		for _, name := range rootBuckets {
			if t.Bucket(name) == nil {
				return fmt.Errorf("%w: no bucket %s", ErrDamaged, name)
			}
		}
		meta := t.Bucket(metaBucket)
		copy(s.ids.last[:], meta.Get(lastIDKey))
		if copy(s.id[:], t.Node().Get(storeIDKey)) < len(s.id) || copy(s.owner[:], meta.Get(ownerKey)) < len(s.owner) {
			return fmt.Errorf("%w: no store_id or owner_id", ErrDamaged)
		}
		s.lastChange.Store(t.Bucket(feedBucket).Sequence())
		tx := &Tx{bolt: t, store: s, now: s.now()}
		return errors.Join(s.loadProjects(tx), s.loadKeys(tx), s.loadAccount(tx), s.loadHooks(tx))
	})
}

// ID returns the id of this data file. Data that is derived from the file, such as the
// search index, contains this id to show that it belongs to the file.
func (s *Store) ID() uuid.UUID { return s.id }

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Close waits for open transactions and closes the file. It writes the list of free
// pages, which makes the next Open fast.
func (s *Store) Close() error {
	s.submissions.Wait()
	s.file.Lock()
	defer s.file.Unlock()
	return s.file.Close()
}

// View runs fn in a read transaction. fn must not wait for anything outside the process and must
// not open another transaction.
func (s *Store) View(fn func(*Tx) error) error {
	return s.file.View(func(t *boltfile.Tx) error {
		return fn(&Tx{bolt: t, store: s, now: s.now()})
	})
}

// Read runs fn in a read transaction and returns the result of fn.
func Read[T any](s *Store, fn func(*Tx) (T, error)) (v T, err error) {
	err = s.View(func(tx *Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// Update runs fn in its own write transaction. If Update returns nil, everything that fn
// wrote is on disk and visible to all readers. Otherwise nothing has changed, with one
// exception: if the disk fails in the last step, the text of the error states that the
// change may be stored nevertheless. Readers then see the change, but a power failure may
// undo it. If the disk is full or cannot be written, the error is a fault of kind NoSpace
// or Unavailable.
func (s *Store) Update(fn func(*Tx) error) error {
	s.file.Lock()
	defer s.file.Unlock()
	return s.commit(fn)
}

// NewID returns an id for something that is not stored in the file, such as a test delivery.
func (s *Store) NewID() ID {
	s.file.Lock()
	defer s.file.Unlock()
	return s.ids.next(s.now())
}

// StartAt stores that the content of the file is the one at a position, unless it has reached that
// position already. See boltfile.Writer.
func (s *Store) StartAt(position uint64) error { return s.file.StartAt(position) }

// Settle waits until the commit in progress, if any, is visible to readers.
func (s *Store) Settle() {
	s.file.Lock()
	defer s.file.Unlock()
}

// Hold blocks writers until release is called, so that several files can be copied as of
// the same moment. The caller must call release soon.
func (s *Store) Hold() (release func()) { return s.file.Hold() }

// Image returns an image of the file as of the last commit. The caller must close it.
func (s *Store) Image() (*boltfile.Image, error) { return s.file.Image() }

// CompactFile replaces the file with a smaller copy if at least a quarter of the file is free, and
// at least 1 MiB. If always is true, it does so in any case. Readers continue, but writers wait.
// The error is of kind NoSpace, wraps ErrDamaged, or comes from the file system.
func (s *Store) CompactFile(always bool) (boltfile.Compaction, error) { return s.file.Compact(always) }

// ZeroFreePages overwrites deleted data in the free pages of the file, and returns the
// number of bytes that it overwrote. See boltfile.Writer.
func (s *Store) ZeroFreePages(ctx context.Context) (zeroed int64, err error) {
	return s.file.ZeroFreePages(ctx)
}

// Commits returns the number of commits since the file was opened.
func (s *Store) Commits() int64 { return s.commits.Load() }

// commit runs fn in a write transaction. All writes use it. The caller must hold the lock
// of s.file.
func (s *Store) commit(fn func(*Tx) error) error {
	tx := &Tx{store: s, now: s.now(), ids: s.ids, heads: s.heads.Begin()}
	err := s.file.Update(func(t *boltfile.Tx) error {
		tx.bolt = t
		if err := fn(tx); err != nil {
			return err
		}
		return finish(tx)
	})
	if boltfile.Written(err) {
		s.commits.Add(1)
		s.observed.feedback.Add(tx.newFeedback)
		s.observed.logs.Add(tx.newLogs)
		for i, n := range tx.deliveries {
			s.observed.deliveries[i].Add(n)
		}
		publish(tx)
	}
	return err
}

// State describes a store: its current size, and counters that start at zero when it is
// opened.
type State struct {
	boltfile.State

	Waiting        int    // submissions in the queue
	Feedback, Logs uint64 // number of records stored since the store was opened
	// Deliveries counts, for each of DeliveryStates, how often a delivery has reached that state
	// since the store was opened.
	Deliveries        [len(DeliveryStates)]uint64
	DeliveriesWaiting int // deliveries that have not ended, of all hooks
}

// observed holds the counters that State returns.
type observed struct {
	feedback, logs atomic.Uint64
	deliveries     [len(DeliveryStates)]atomic.Uint64
}

// State returns the current state. If there is an error, everything except the size of the file and
// DeliveriesWaiting is valid.
func (s *Store) State() (State, error) {
	file, err := s.file.State()
	waiting, _ := s.submissions.Waiting()
	state := State{State: file, Waiting: waiting, Feedback: s.observed.feedback.Load(), Logs: s.observed.logs.Load()}
	for i := range state.Deliveries {
		state.Deliveries[i] = s.observed.deliveries[i].Load()
	}
	n, waits := Read(s, (*Tx).deliveriesWaiting)
	state.DeliveriesWaiting = n
	return state, errors.Join(err, waits)
}

// Writable returns the error of the last commit, or nil if that commit succeeded; see
// boltfile.Writer. It does not wait for writers.
func (s *Store) Writable() error { return s.file.Writable() }

// LockedFor returns how long the current writer has held the lock, or 0 if there is no writer.
func (s *Store) LockedFor() time.Duration { return s.file.LockedFor() }

// Damage returns an error that describes to the administrator the damage found in the file, or nil
// if there is none.
func (s *Store) Damage() error { return s.file.DamageCause() }

// jobPrefix is the prefix of the keys under which job runs are stored in the bucket meta.
// The name of the job follows it.
const jobPrefix = "job/"

var backupFolderKey = []byte("backup_folder") // a key of the bucket node

// JobRun describes the last completed run of a job.
type JobRun struct {
	Begun   int64  `json:"begun"`             // Unix seconds
	Took    int64  `json:"took_ms"`           // milliseconds
	Failure string `json:"failure,omitempty"` // why it failed; "" if it succeeded
}

// At returns the time at which the run began.
func (r JobRun) At() time.Time { return time.Unix(r.Begun, 0) }

// Duration returns how long the run took.
func (r JobRun) Duration() time.Duration { return time.Duration(r.Took) * time.Millisecond }

// JobRun returns the last completed run of a job, or nil if there is none.
func (tx *Tx) JobRun(job string) (*JobRun, error) {
	return get[JobRun](tx.bolt.Bucket(metaBucket), []byte(jobPrefix+job))
}

// PutJobRun stores the last run of a job.
func (tx *Tx) PutJobRun(job string, r JobRun) error {
	return put(tx.bolt.Bucket(metaBucket), []byte(jobPrefix+job), r)
}

// BackupFolder is the folder to which the last scheduled backup was written.
type BackupFolder struct {
	Dir    string `json:"dir"`
	Device uint64 `json:"device"` // device number of the folder when the backup was written
}

// BackupFolder returns the folder of the last scheduled backup, or nil if none has been
// made.
func (tx *Tx) BackupFolder() (*BackupFolder, error) {
	return get[BackupFolder](tx.bolt.Node(), backupFolderKey)
}

// PutBackupFolder stores the folder to which a backup was written.
func (tx *Tx) PutBackupFolder(f BackupFolder) error {
	return put(tx.bolt.Node(), backupFolderKey, f)
}

// CleanedAt returns the time at which the last clean-up of old data was completed, or the zero time
// if there has been none.
func (tx *Tx) CleanedAt() time.Time { return metaTime(tx, cleanedKey) }

// MarkCleaned stores the time at which a clean-up was completed.
func (tx *Tx) MarkCleaned(at time.Time) error { return putMetaTime(tx, cleanedKey, at) }

// DiskLow reports whether little disk space was free at the last measurement that PutDiskLow
// stored.
func (tx *Tx) DiskLow() bool { return tx.bolt.Bucket(metaBucket).Get(diskLowKey) != nil }

// PutDiskLow stores whether a measurement found little free disk space.
func (tx *Tx) PutDiskLow(low bool) error {
	if low {
		return tx.bolt.Bucket(metaBucket).Put(diskLowKey, []byte{1})
	}
	return tx.bolt.Bucket(metaBucket).Delete(diskLowKey)
}

// Erasures returns the number of erasures since ForgetErasures last reset this number. An erasure
// is a deletion of feedback, of a project, or of the logs of an address. After an erasure, the
// search index may still contain fragments of the deleted texts.
func (tx *Tx) Erasures() uint64 {
	raw := tx.bolt.Bucket(metaBucket).Get(erasedKey)
	if len(raw) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(raw)
}

// ForgetErasures resets the number of erasures, because the search index no longer
// contains any of the deleted texts. n is the number of erasures that the index is known
// to have processed. If Erasures returns a different number by now, ForgetErasures does
// nothing.
func (tx *Tx) ForgetErasures(n uint64) error {
	if tx.Erasures() != n {
		return nil
	}
	return tx.bolt.Bucket(metaBucket).Delete(erasedKey)
}

// noteErasure increments the number of erasures.
func (tx *Tx) noteErasure() error {
	return tx.bolt.Bucket(metaBucket).Put(erasedKey, binary.BigEndian.AppendUint64(nil, tx.Erasures()+1))
}

// metaTime returns the time that the bucket meta contains under a key, in whole seconds. If there
// is none, it returns the zero time.
func metaTime(tx *Tx, key []byte) time.Time {
	raw := tx.bolt.Bucket(metaBucket).Get(key)
	if len(raw) != 8 {
		return time.Time{}
	}
	return time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
}

func putMetaTime(tx *Tx, key []byte, at time.Time) error {
	return tx.bolt.Bucket(metaBucket).Put(key, binary.BigEndian.AppendUint64(nil, uint64(at.Unix())))
}

var (
	ownerKey      = []byte("owner_id")    // a key of the bucket meta
	sweepAfterKey = []byte("sweep_after") // a key of the bucket meta
)

// sweepPause is the time after a restore or an import during which storages are not swept. A sweep
// removes the objects in a storage that belong to no record.
const sweepPause = 24 * time.Hour

// Owner returns the id by which a storage directory recognizes the database that owns it.
// Unlike ID, it is the same in a backup and after a restore, so that a restored database
// can still open its storage.
func (s *Store) Owner() uuid.UUID { return s.owner }

func putNewID(b *boltfile.Bucket, key []byte) error {
	id := uuid.New()
	return b.Put(key, id[:])
}

// SweepAfter returns the time before which a sweep must not remove objects without a record, or the
// zero time if it may remove them at any time.
func (tx *Tx) SweepAfter() time.Time { return metaTime(tx, sweepAfterKey) }

// HoldSweeps prevents the removal of objects without a record for the duration sweepPause. It must
// be called when records have been restored or imported, and when a storage directory has been
// adopted.
func (tx *Tx) HoldSweeps() error { return putMetaTime(tx, sweepAfterKey, tx.now.Add(sweepPause)) }

// Renew prepares a restored copy for use. It gives the copy a new id, because data that was derived
// from the original, such as its search index, does not belong to the copy. It deletes the record
// of the folder that holds the original's backups. It also calls HoldSweeps, because a storage may
// have objects that belong to records newer than the copy.
func (s *Store) Renew() error {
	id := uuid.New()
	err := s.Update(func(tx *Tx) error {
		node := tx.bolt.Node()
		return errors.Join(node.Put(storeIDKey, id[:]), node.Delete(backupFolderKey), tx.HoldSweeps())
	})
	if err == nil {
		s.id = id
	}
	return err
}

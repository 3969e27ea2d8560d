package store

import (
	"fmt"
	"time"

	"svc/internal/boltfile"
	"svc/store/series"
)

// The buckets at the root. docs/format/svc-db.md describes keys and values.
var (
	metaBucket     = []byte("meta")     // format, id of this file, last id issued
	namesBucket    = []byte("names")    // project key or alias -> project number
	projectsBucket = []byte("projects") // project number -> Project
	contentBucket  = []byte("content")  // project number -> bucket of what belongs to it
	ownersBucket   = []byte("owners")   // record id -> project number
	keysBucket     = []byte("api_keys") // id -> APIKey
	accountBucket  = []byte("account")  // "admin" -> Account
	feedBucket     = []byte("feed")     // sequence -> what changed

	filesBucket           = []byte("files")            // file id -> File
	fileOrderBucket       = []byte("file_order")       // project number, creation, file id -> state and names
	fileSourcesBucket     = []byte("file_sources")     // project number, sum of the address -> file ids
	filePendingBucket     = []byte("file_pending")     // when due, file id -> nothing
	fileDeletionsBucket   = []byte("file_deletions")   // when due, file id -> FileDeletion
	fileCountsBucket      = []byte("file_counts")      // storage id -> number of files
	storageBackendsBucket = []byte("storage_backends") // id -> StorageBackend
	settingsBucket        = []byte("settings")         // name -> settings of the instance
	cdnRefreshesBucket    = []byte("cdn_refreshes")    // file id -> CDNRefresh
	deliveriesBucket      = []byte("deliveries")       // project number, sum of the delivery id -> when it is forgotten

	rootBuckets = [][]byte{
		metaBucket, namesBucket, projectsBucket, contentBucket, ownersBucket, keysBucket, accountBucket, feedBucket,
		filesBucket, fileOrderBucket, fileSourcesBucket, filePendingBucket, fileDeletionsBucket, fileCountsBucket, storageBackendsBucket,
		settingsBucket, cdnRefreshesBucket, deliveriesBucket,
	}
	loadedBuckets = [][]byte{metaBucket, projectsBucket, keysBucket, accountBucket} // read by Open
)

// The buckets inside a project's content bucket.
var (
	versionsBucket     = []byte("versions")      // id -> Version
	versionNamesBucket = []byte("version_names") // display version -> id
	countsBucket       = []byte("counts")        // countName -> number

	announcementsBucket = []byte("announcements") // id -> Announcement
	cardsBucket         = []byte("cards")         // id -> Card

	projectSettingsBucket = []byte("settings") // name -> settings of the project
	forwardsBucket        = []byte("forwards") // key of a submission or of feedback, or id -> Forward

	requestsBucket       = []byte("requests")        // hour -> counters, see request_hours.go
	systemVersionsBucket = []byte("system_versions") // hour -> counters
	clientVersionsBucket = []byte("client_versions") // hour -> counters
)

// contentBuckets are made with each project.
var contentBuckets = [][]byte{
	versionsBucket, versionNamesBucket, countsBucket, announcementsBucket, cardsBucket,
	feedbackSeries.Records, feedbackSeries.Words, feedbackSeries.Texts,
	logSeries.Records, logSeries.Words, logSeries.Texts,
	requestsBucket, systemVersionsBucket, clientVersionsBucket, projectSettingsBucket, forwardsBucket,
}

var (
	formatKey  = []byte("format")
	storeIDKey = []byte("store_id")
	lastIDKey  = []byte("last_id")
	adminKey   = []byte("admin")
	cleanedKey = []byte("cleaned_at") // in meta
	erasedKey  = []byte("erased")     // in meta
)

// Tx is a transaction. It is valid until the function it was given to returns,
// and belongs to that goroutine.
type Tx struct {
	bolt  *boltfile.Tx
	store *Store
	now   time.Time // one moment for the whole transaction
	ids   idSource  // write transactions only

	hidden ProjectID // that an import writes to, 0 when this is none

	work           map[ProjectID]*work
	projectChanged map[ProjectID]bool
	keysChanged    bool
	accountChanged bool
	deltas         map[ProjectID]map[countName]int64
	lastChange     uint64        // sequence of the last change recorded, 0 when none
	changedText    int64         // for ChangedText
	heads          *series.Heads // nil in a read transaction
	filesWaiting   bool          // something is pending, or to be deleted
	projectDeleted bool
	storageChanged bool // that is, a back end

	newFeedback, newLogs uint64 // for State
}

// Now returns the time of the transaction, the same for all it writes.
func (tx *Tx) Now() time.Time { return tx.now }

// newID issues the next record id, which is greater than every one before.
func (tx *Tx) newID() ID { return tx.ids.next(tx.now) }

// finish writes what the transaction as a whole must leave behind.
func (tx *Tx) finish() error {
	if err := tx.writeCounts(); err != nil {
		return err
	}
	if tx.ids.last == tx.store.ids.last {
		return nil
	}
	return tx.bolt.Bucket(metaBucket).Put(lastIDKey, tx.ids.last[:])
}

// publish makes a committed transaction visible in memory.
func (tx *Tx) publish() {
	s := tx.store
	s.ids = tx.ids
	tx.heads.Keep()
	if tx.keysChanged || tx.accountChanged || tx.projectChanged != nil {
		tx.reload()
	}
	s.publishSnapshots(tx)
	if tx.filesWaiting || tx.storageChanged || tx.projectChanged != nil {
		s.links.Store(&links{})
	}
	if tx.filesWaiting {
		select {
		case s.filesWaiting <- struct{}{}:
		default: // it has been told
		}
	}
	if tx.projectDeleted {
		select {
		case s.projectDeleted <- struct{}{}:
		default: // it has been told
		}
	}
	s.changedText.Add(tx.changedText)
	if tx.lastChange != 0 {
		s.announceChanges(tx.lastChange)
	}
}

// reload reads what changed back from the committed file. It cannot fail: the
// transaction has just written the same bytes.
func (tx *Tx) reload() {
	err := tx.store.file.View(func(t *boltfile.Tx) error {
		read := &Tx{bolt: t, store: tx.store, now: tx.now}
		if tx.keysChanged {
			if err := tx.store.loadKeys(read); err != nil {
				return err
			}
		}
		if tx.accountChanged {
			if err := tx.store.loadAccount(read); err != nil {
				return err
			}
		}
		return tx.store.refreshProjects(read, tx.projectChanged)
	})
	if err != nil {
		panic(fmt.Sprintf("store: committed records cannot be read back: %v", err))
	}
}

// content is the bucket of what belongs to a project; nil when that is gone, or
// not yet to be seen.
func (tx *Tx) content(p ProjectID) *boltfile.Bucket {
	if !tx.alive(p.key()) && (p != tx.hidden || p == 0) {
		return nil
	}
	return tx.bolt.Bucket(contentBucket).Bucket(p.key())
}

// contentBucket returns a bucket of a project, or nil if the project is gone.
func (tx *Tx) contentBucket(p ProjectID, name []byte) *boltfile.Bucket {
	content := tx.content(p)
	if content == nil {
		return nil
	}
	return content.Bucket(name)
}

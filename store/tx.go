package store

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"svc/internal/asset"
	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/store/series"
)

// The buckets at the root. docs/format/svc-db.md describes keys and values.
var (
	metaBucket     = []byte("meta")     // format, id of this file, last id issued
	namesBucket    = []byte("names")    // project key or alias -> project number
	projectsBucket = []byte("projects") // project number -> Project
	contentBucket  = []byte("content")  // project number -> bucket with the project's content
	ownersBucket   = []byte("owners")   // record id -> project number
	keysBucket     = []byte("api_keys") // id -> APIKey
	accountBucket  = []byte("account")  // "admin" -> Account
	feedBucket     = []byte("feed")     // sequence -> Change

	filesBucket           = []byte("files")            // file id -> File
	fileOrderBucket       = []byte("file_order")       // project number, creation time, file id -> state and names
	fileSourcesBucket     = []byte("file_sources")     // project number, hash of the address -> file ids
	filePendingBucket     = []byte("file_pending")     // due time, file id -> empty
	fileDeletionsBucket   = []byte("file_deletions")   // due time, file id -> FileDeletion
	fileCountsBucket      = []byte("file_counts")      // storage id -> number of files
	storageBackendsBucket = []byte("storage_backends") // id -> StorageBackend
	settingsBucket        = []byte("settings")         // name -> settings of the instance
	cdnRefreshesBucket    = []byte("cdn_refreshes")    // file id -> CDNRefresh
	deliveriesBucket      = []byte("deliveries")       // project number, hash of the delivery id -> expiry time

	// The buckets of hooks are created when they are first needed. They are not in rootBuckets.
	hooksBucket       = []byte("hooks")        // project number or 0, id -> Hook
	hookStatesBucket  = []byte("hook_states")  // hook id -> HookState
	hookWaitingBucket = []byte("hook_waiting") // hook id, delivery id -> HookDelivery that has not ended
	hookEndedBucket   = []byte("hook_done")    // hook id, delivery id -> HookDelivery that has ended
	hookDueBucket     = []byte("hook_due")     // hook id, due time, delivery id -> empty
	hookBodiesBucket  = []byte("hook_bodies")  // id of the first delivery of an event -> number of deliveries, body

	hookBuckets = [][]byte{hooksBucket, hookStatesBucket, hookWaitingBucket, hookEndedBucket, hookDueBucket, hookBodiesBucket}

	rootBuckets = [][]byte{
		metaBucket, namesBucket, projectsBucket, contentBucket, ownersBucket, keysBucket, accountBucket, feedBucket,
		filesBucket, fileOrderBucket, fileSourcesBucket, filePendingBucket, fileDeletionsBucket, fileCountsBucket, storageBackendsBucket,
		settingsBucket, cdnRefreshesBucket, deliveriesBucket,
	}
	loadedBuckets = [][]byte{metaBucket, projectsBucket, keysBucket, accountBucket, hooksBucket} // the buckets that Open reads
)

// The buckets inside the content bucket of a project.
var (
	versionsBucket     = []byte("versions")      // id -> Version
	versionNamesBucket = []byte("version_names") // display version -> id
	countsBucket       = []byte("counts")        // countName -> number

	announcementsBucket = []byte("announcements") // id -> Announcement
	cardsBucket         = []byte("cards")         // id -> Card

	projectSettingsBucket = []byte("settings") // name -> settings of the project
	forwardsBucket        = []byte("forwards") // key of the submission, or else id of the feedback -> Forward

	requestsBucket       = []byte("requests")        // hour -> counters
	systemVersionsBucket = []byte("system_versions") // hour -> counters
	clientVersionsBucket = []byte("client_versions") // hour -> counters
	downloadsBucket      = []byte("downloads")       // first hour of a day -> counters
	healthBucket         = []byte("health")          // version id, start of a bucket -> counters
	logGroupsBucket      = []byte("log_groups")      // fingerprint -> LogGroup, and the progress of grouping
)

// contentBuckets are the buckets that are created with each project.
var contentBuckets = [][]byte{
	versionsBucket, versionNamesBucket, countsBucket, announcementsBucket, cardsBucket,
	feedbackSeries.Records, feedbackSeries.Words, feedbackSeries.Texts,
	logSeries.Records, logSeries.Words, logSeries.Texts,
	requestsBucket, systemVersionsBucket, clientVersionsBucket, projectSettingsBucket, forwardsBucket,
}

// laterBuckets are the buckets that are created when a project first needs them. Older
// versions of the program created projects without them.
var laterBuckets = [][]byte{downloadsBucket, healthBucket, logGroupsBucket, logSeries.Labels}

var (
	formatKey  = []byte("format")
	storeIDKey = []byte("store_id")
	lastIDKey  = []byte("last_id")
	adminKey   = []byte("admin")
	cleanedKey = []byte("cleaned_at") // a key of the bucket meta
	erasedKey  = []byte("erased")     // a key of the bucket meta
	diskLowKey = []byte("disk_low")   // a key of the bucket meta
)

// Tx is a transaction. It is valid until the function that received it returns, and must
// only be used by the same goroutine.
type Tx struct {
	bolt  *boltfile.Tx
	store *Store
	now   time.Time // time of the transaction, see Now
	ids   idSource  // source of ids; only in write transactions

	hidden ProjectID // the project that an import writes to, or 0

	work           map[ProjectID]*work
	projectChanged map[ProjectID]bool
	keysChanged    bool
	hooksChanged   bool
	hooksWaiting   bool // a delivery waits, or the hooks have changed
	accountChanged bool
	deltas         map[ProjectID]map[countName]int64
	lastChange     uint64        // sequence number of the last change recorded, 0 if none
	changedText    int64         // bytes to add to Store.changedText
	heads          *series.Heads // nil in a read transaction
	filesWaiting   bool          // files or deletions are waiting for a job
	projectDeleted bool
	storageChanged bool // a storage back end has changed
	linksChanged   bool // a file to which a link may lead has changed, or a setting that applies to its signatures

	trusts        map[ProjectID]asset.Trust // the cached results of the method trust
	signedChanged map[ProjectID]bool        // projects in which a signature may have to be verified

	groups map[ProjectID]*projectGroups // groups of logs that the transaction has read

	newFeedback, newLogs uint64                      // counted for State
	deliveries           [len(DeliveryStates)]uint64 // counted for State
}

// Now returns the time of the transaction. It is the same for everything that the
// transaction writes.
func (tx *Tx) Now() time.Time { return tx.now }

// newID issues the next record id. It is greater than all earlier ones.
func (tx *Tx) newID() ID { return tx.ids.next(tx.now) }

// finish writes the groups of logs, the counts and the last id to the file, just before the commit.
func finish(tx *Tx) error {
	if err := errors.Join(writeGroups(tx), writeCounts(tx)); err != nil {
		return err
	}
	if tx.ids.last == tx.store.ids.last {
		return nil
	}
	return tx.bolt.Bucket(metaBucket).Put(lastIDKey, tx.ids.last[:])
}

// publish makes the changes of a committed transaction visible in memory.
func publish(tx *Tx) {
	s := tx.store
	s.ids = tx.ids
	tx.heads.Keep()
	s.keepGroups(tx.groups)
	if tx.keysChanged || tx.accountChanged || tx.hooksChanged || tx.projectChanged != nil {
		reload(tx)
	}
	s.publishSnapshots(tx)
	if tx.filesWaiting || tx.storageChanged || tx.linksChanged || tx.projectChanged != nil {
		s.links.Store(&links{})
	}
	s.unverified.add(tx.signedChanged)
	if tx.filesWaiting {
		select {
		case s.filesWaiting <- struct{}{}:
		default: // the reader has not received the previous value yet
		}
	}
	if tx.projectDeleted {
		select {
		case s.projectDeleted <- struct{}{}:
		default: // the reader has not received the previous value yet
		}
	}
	if tx.hooksWaiting {
		s.announceHooks()
	}
	s.changedText.Add(tx.changedText)
	if tx.lastChange != 0 {
		s.announceChanges(tx.lastChange)
	}
}

// reload updates the data in memory from the committed file. It cannot fail, because the
// transaction has just written the same bytes.
func reload(tx *Tx) {
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
		if tx.hooksChanged {
			if err := tx.store.loadHooks(read); err != nil {
				return err
			}
		}
		return tx.store.refreshProjects(read, tx.projectChanged)
	})
	if err != nil {
		panic(fmt.Sprintf("store: committed records cannot be read back: %v", err))
	}
}

// content returns the bucket with everything that belongs to a project. It returns nil if
// the project is gone or not visible yet.
func (tx *Tx) content(p ProjectID) *boltfile.Bucket {
	if !tx.alive(p.key()) && (p != tx.hidden || p == 0) {
		return nil
	}
	return tx.bolt.Bucket(contentBucket).Bucket(p.key())
}

// contentBucket returns the bucket with the given name from the content of a project, or nil if the
// project is gone.
func (tx *Tx) contentBucket(p ProjectID, name []byte) *boltfile.Bucket {
	content := tx.content(p)
	if content == nil {
		return nil
	}
	return content.Bucket(name)
}

// identified is implemented by pointers to records with an id that is not part of the
// encoded value.
type identified[R any] interface {
	*R
	identify(ID)
}

func notFound(what string) error { return fault.New(fault.NotFound, "%s not found", what) }

// read reads the record with the given id from a bucket. The error is NotFound if there is no such
// record. The parameter what is the name of the record's kind, for the error.
func read[R any, T identified[R]](b *boltfile.Bucket, id ID, what string) (T, error) {
	if b == nil {
		return nil, notFound(what)
	}
	rec, err := get[R](b, id[:])
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, notFound(what)
	}
	T(rec).identify(id)
	return rec, nil
}

// listOf reads up to limit records of a bucket, beginning at a given key. It calls
// identify to set the id of each record, because the id is only in the key.
func listOf[R any](b *boltfile.Bucket, from []byte, limit int, identify func(rec *R, key []byte) error) (list []*R, err error) {
	cursor := b.Cursor()
	for key, raw := cursor.Seek(from); key != nil && len(list) < limit; key, raw = cursor.Next() {
		rec, err := decode[R](key, raw)
		if err == nil {
			err = identify(rec, key)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	return list, nil
}

// eachRecord visits the records of a bucket, the oldest first. The keys of the bucket must be the
// ids of the records. visit must not write.
func eachRecord[R any, T identified[R]](b *boltfile.Bucket, visit func(T) error) error {
	return b.ForEach(func(key, raw []byte) error {
		rec, err := decode[R](key, raw)
		if err != nil {
			return err
		}
		id, err := idOf(key)
		if err != nil {
			return err
		}
		T(rec).identify(id)
		return visit(rec)
	})
}

// owned reads a record and its project, given only the record's id. The parameter read must read
// the record. The parameter what is the name of the record's kind, for errors.
func owned[R any](tx *Tx, id ID, what string, read func(ProjectID, ID) (*R, error)) (*Project, *R, error) {
	owner, ok := tx.owner(id)
	if !ok {
		return nil, nil, notFound(what)
	}
	p, err := tx.projectByID(owner)
	if err != nil {
		return nil, nil, err
	}
	rec, err := read(owner, id)
	return p, rec, err
}

// write stores a record in a bucket of its project and records the change c in the feed.
// It returns the record as it will be read back, which shares no memory with rec.
func write[R any, T identified[R]](tx *Tx, bucket []byte, c Change, rec T) (stored T, err error) {
	raw, err := encode(rec)
	if err != nil {
		return nil, err
	}
	if stored, err = decode[R](c.ID[:], raw); err != nil {
		return nil, err
	}
	stored.identify(c.ID)
	return stored, errors.Join(tx.content(c.Project).Bucket(bucket).Put(c.ID[:], raw), tx.record(c))
}

// erase removes a record from a bucket of its project, removes its owner entry, and
// records the change c in the feed.
func (tx *Tx) erase(bucket []byte, c Change) error {
	return errors.Join(
		tx.content(c.Project).Bucket(bucket).Delete(c.ID[:]),
		tx.bolt.Bucket(ownersBucket).Delete(c.ID[:]),
		tx.record(c),
	)
}

// get decodes the value that a bucket contains under a key. It returns nil if there is none.
func get[T any](b *boltfile.Bucket, key []byte) (*T, error) {
	raw := b.Get(key)
	if raw == nil {
		return nil, nil
	}
	return decode[T](key, raw)
}

// decode decodes raw, the value that is stored under a key. The key appears only in the error.
func decode[T any](key, raw []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("%w: decode %T at %x: %w", ErrDamaged, *v, key, err)
	}
	return v, nil
}

// numberOf decodes a number that is stored as a key or value, or as a part of one. The
// error is ErrDamaged if raw is not size bytes long.
func numberOf(raw []byte, size int) (n uint64, err error) {
	if len(raw) != size {
		return 0, fmt.Errorf("%w: %x is no number of %d bytes", ErrDamaged, raw, size)
	}
	for _, b := range raw {
		n = n<<8 | uint64(b)
	}
	return n, nil
}

// deleteNumbers deletes up to limit keys from the start of a bucket, and returns how many
// it deleted. It stops at the first key for which goes returns false. The keys are
// numbers of size bytes.
func deleteNumbers(b *boltfile.Bucket, limit, size int, goes func(uint64) bool) (int, error) {
	var damaged error
	n, err := b.DeleteFirst(limit, func(key []byte) bool {
		number, err := numberOf(key, size)
		damaged = err
		return err == nil && goes(number)
	})
	return n, errors.Join(err, damaged)
}

// put stores v as JSON under a key.
func put(b *boltfile.Bucket, key []byte, v any) error {
	raw, err := encode(v)
	if err != nil {
		return err
	}
	return b.Put(key, raw)
}

// encode returns v as JSON without HTML escapes, so that a free-form object is read back unchanged.
func encode(v any) ([]byte, error) {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(raw.Bytes(), []byte("\n")), nil
}

// ID identifies a record. It is a UUIDv7 (RFC 9562), which begins with the time. The byte
// order of ids is therefore the order of creation, and new keys are appended to a bucket.
type ID = uuid.UUID

// ParseID parses the text form of an id, which has 36 characters in lower or upper case.
func ParseID(text string) (ID, bool) {
	if len(text) != 36 {
		return ID{}, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// idOf decodes an id that is the key of a record.
func idOf(key []byte) (ID, error) {
	if len(key) != len(ID{}) {
		return ID{}, fmt.Errorf("%w: id %x", ErrDamaged, key)
	}
	return ID(key), nil
}

// CreatedAt returns the time at which an id was issued, in Unix seconds. It is the
// creation time of the record, so that ordering records by id also orders them by time.
func CreatedAt(id ID) int64 { return series.CreatedAt(id) }

// LastID returns the time in the last issued id, in Unix milliseconds, or 0 if none has
// been issued. No later id has an earlier time.
func (s *Store) LastID() int64 {
	s.file.Lock()
	defer s.file.Unlock()
	return int64(milliseconds(s.ids.last))
}

func milliseconds(id ID) uint64 {
	return binary.BigEndian.Uint64(id[:8]) >> 16
}

// idSource issues UUIDv7 ids that always ascend, even if the clock goes backwards. If the
// clock has not advanced since the last id, the random part of the last id grows by a
// random step.
type idSource struct{ last ID }

func (s *idSource) next(now time.Time) ID {
	if ms := uint64(min(max(now.UnixMilli(), 0), 1<<48-1)); ms > milliseconds(s.last) {
		var id ID
		rand.Read(id[6:]) // never fails, see crypto/rand
		binary.BigEndian.PutUint32(id[:4], uint32(ms>>16))
		binary.BigEndian.PutUint16(id[4:6], uint16(ms))
		s.last = stamp(id)
		return s.last
	}
	var step [4]byte
	rand.Read(step[:])
	s.last = plus(s.last, uint64(binary.BigEndian.Uint32(step[:]))+1)
	return s.last
}

// plus adds n to an id. It ignores the six fixed bits of the id and treats the others, 48 bits of
// time and 74 random bits, as one number.
func plus(id ID, n uint64) ID {
	const randB = 1<<62 - 1
	high := binary.BigEndian.Uint64(id[:8])
	low := binary.BigEndian.Uint64(id[8:])&randB + n
	high = high>>16<<12 | high&0xfff // the time and the first 12 random bits as one number
	high += low >> 62
	binary.BigEndian.PutUint64(id[:8], high>>12<<16|high&0xfff)
	binary.BigEndian.PutUint64(id[8:], low&randB)
	return stamp(id)
}

// stamp sets the fixed bits of the id: version 7 and the variant of RFC 9562.
func stamp(id ID) ID {
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// countName is the name of a count that is stored for each project.
type countName string

// The counts stored for each project.
const (
	countVersions      countName = "versions"
	countRollouts      countName = "versions.rollouts" // rollouts that are not final
	countAnnouncements countName = "announcements"
	countPinned        countName = "announcements.pinned"
	countFeedback      countName = "feedback"
	countRated         countName = "feedback.rated"
	countRatings       countName = "feedback.ratings" // sum of all ratings
	countLogGroups     countName = "log_groups"       // does not count loggroup.Overflow
)

// countLevel returns the name of the count of logs of a level.
func countLevel(level int) countName { return countName(fmt.Sprintf("logs.%d", level)) }

// count adds delta to a count of a project. The counts are written once, at the end of
// the transaction.
func (tx *Tx) count(p ProjectID, name countName, delta int64) {
	if delta == 0 {
		return
	}
	if tx.deltas == nil {
		tx.deltas = map[ProjectID]map[countName]int64{}
	}
	if tx.deltas[p] == nil {
		tx.deltas[p] = map[countName]int64{}
	}
	tx.deltas[p][name] += delta
}

// SubmissionBytes returns the size of the stored feedback and logs of a project, in
// bytes. They take more space in the file, because of the data for lists and searches.
func (tx *Tx) SubmissionBytes(p ProjectID) (feedback, logs int64, err error) {
	b := tx.contentBucket(p, countsBucket)
	if b == nil {
		return 0, 0, nil
	}
	if feedback, err = counted(b, feedbackSeries.bytes); err == nil {
		logs, err = counted(b, logSeries.bytes)
	}
	return feedback, logs, err
}

// writeCounts writes the counts that the transaction changed.
func writeCounts(tx *Tx) error {
	for p, deltas := range tx.deltas {
		content := tx.content(p)
		if content == nil {
			continue // deleted in this transaction
		}
		b := content.Bucket(countsBucket)
		for name, delta := range deltas {
			if err := addTo(b, name, delta); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTo adds delta to a count in a bucket.
func addTo(b *boltfile.Bucket, name countName, delta int64) error {
	n, err := counted(b, name)
	if err != nil {
		return err
	}
	return b.Put([]byte(name), binary.BigEndian.AppendUint64(nil, uint64(n+delta)))
}

// counted reads a count. It returns 0 if the count is missing.
func counted(b *boltfile.Bucket, name countName) (int64, error) {
	raw := b.Get([]byte(name))
	if raw == nil {
		return 0, nil
	}
	n, err := numberOf(raw, 8)
	return int64(n), err
}

// sums returns the totals of the named counts over all projects.
func sums(tx *Tx, names ...countName) ([]int64, error) {
	totals := make([]int64, len(names))
	all := tx.bolt.Bucket(contentBucket)
	return totals, all.ForEachBucket(func(key []byte) error {
		if !tx.alive(key) {
			return nil
		}
		counts := all.Bucket(key).Bucket(countsBucket)
		for i, name := range names {
			n, err := counted(counts, name)
			if err != nil {
				return err
			}
			totals[i] += n
		}
		return nil
	})
}

// AnnouncementStatistics counts the announcements of all projects, including hidden ones.
func (tx *Tx) AnnouncementStatistics() (all, pinned int64, err error) {
	n, err := sums(tx, countAnnouncements, countPinned)
	return n[0], n[1], err
}

// FeedbackStatistics contains the counts of the feedback of all projects, including hidden
// feedback. Ratings is the sum of all ratings.
type FeedbackStatistics struct{ Count, Rated, Ratings int64 }

// FeedbackStatistics counts the feedback of all projects and adds up its ratings.
func (tx *Tx) FeedbackStatistics() (FeedbackStatistics, error) {
	n, err := sums(tx, countFeedback, countRated, countRatings)
	return FeedbackStatistics{n[0], n[1], n[2]}, err
}

// LogStatistics counts the logs of all projects by level, including hidden logs.
func (tx *Tx) LogStatistics() (byLevel [4]int64, err error) {
	n, err := sums(tx, countLevel(0), countLevel(1), countLevel(2), countLevel(3))
	return [4]int64(n), err
}

// FileCount counts the files of all projects.
func (tx *Tx) FileCount() (total int64, err error) {
	names := make([]countName, len(FileStatuses))
	for i, status := range FileStatuses {
		names[i] = countFiles(status)
	}
	counts, err := sums(tx, names...)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// Contents describes how much data belongs to a project.
type Contents struct {
	Versions, Announcements, Feedback, Logs int64
	Files, FileBytes                        int64
	Cards                                   int
	Keys                                    int // keys that are not revoked and list this project
}

// Contents returns how much data a project has. It reads the records of all its files and
// cards, and of all API keys, so it is slow for a project with many files.
func (tx *Tx) Contents(p ProjectID) (c Contents, err error) {
	counts := tx.content(p).Bucket(countsBucket)
	number := func(name countName) int64 {
		n, damaged := counted(counts, name)
		err = errors.Join(err, damaged)
		return n
	}
	c.Versions, c.Announcements, c.Feedback = number(countVersions), number(countAnnouncements), number(countFeedback)
	for level := range 4 {
		c.Logs += number(countLevel(level))
	}
	err = errors.Join(err, tx.EachFile(p, func(f *File) error {
		c.Files++
		c.FileBytes += f.Size
		return nil
	}))
	if err != nil {
		return c, err
	}
	if err := tx.EachCard(p, func(*Card) error { c.Cards++; return nil }); err != nil {
		return c, err
	}
	return c, eachRecord(tx.bolt.Bucket(keysBucket), func(k *APIKey) error {
		if k.RevokedAt == nil && slices.Contains(k.Projects, p) {
			c.Keys++
		}
		return nil
	})
}

package event

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/fault"
	"svc/internal/stats"
)

// groupLimits limits the batches that wait for the disk and the batches that share a
// commit, each by their number and their approximate total size.
var groupLimits = boltfile.Limits{Waiting: 4096, WaitingBytes: 64 << 20, Together: 1024, TogetherBytes: maxTogetherBytes}

const maxTogetherBytes = 8 << 20

// ingestion is a batch that is being stored.
type ingestion struct {
	batch *Batch
	Ingested
	found  *batchLookup
	lookup *lookup // contains found; set in the first batch of a group
}

// Ingested is the result of storing a batch.
type Ingested struct {
	Accepted  int  // events that were not stored before
	NamesFull bool // an event was left out because the project has reached its limit on names
}

// Ingest stores the events of a batch that are not stored yet. It returns when they are
// on disk. Concurrent batches share one commit; a single batch is not delayed. The error
// is of kind Unavailable if too many batches wait, of kind NoSpace or Unavailable while
// the disk refuses writes and shortly afterwards, and of kind Damaged if the file is
// damaged.
//
// Names and times must be normalized; package submission does so. An item with an empty
// name is left out, as is an item with a new name that would exceed Options.MaxNames. The
// caller must not change the batch after the call.
func (e *Engine) Ingest(b *Batch) (Ingested, error) {
	in := &ingestion{batch: b}
	if err := e.batches.Submit(in, b.bytes()); err != nil {
		return Ingested{}, err
	}
	return in.Ingested, nil
}

// lookups pools lookup buffers, because allocating one takes longer than the
// lookup itself.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

// lookUpGroup finds out which events and senders of a group of batches are already
// stored. It runs while the previous group is being written.
func (e *Engine) lookUpGroup(group []*ingestion) {
	l := lookups.Get().(*lookup)
	e.lookUp(group, l)
	group[0].lookup = l
}

// bytes estimates the memory that a batch takes, in bytes.
func (b *Batch) bytes() int {
	n := 500
	for i := range b.Items {
		n += 100 + len(b.Items[i].ID) + len(b.Items[i].Properties)
	}
	return n
}

// commitGroup stores a group of batches after lookUpGroup has been called for it. The
// caller must hold e.file's lock.
func (e *Engine) commitGroup(group []*ingestion) error {
	defer func() {
		for _, in := range group {
			if in.lookup != nil {
				lookups.Put(in.lookup)
			}
		}
	}()
	err := e.file.Damage()
	if err == nil && e.Following() {
		return boltfile.ErrFollowing
	}
	if err == nil {
		err = e.makeRoom()
	}
	if err == nil {
		err = e.commit(group)
		e.commits.Add(1)
	}
	if errors.Is(err, ErrDamaged) {
		err = e.file.NoteDamage(err)
	}
	if err == nil || errors.Is(err, errNothing) {
		e.observed.batches.Add(uint64(len(group)))
	}
	return err
}

// makeRoom freezes the active head if it is full. While an earlier frozen head is still
// being written, the active head can grow to twice its normal size. Beyond that size,
// makeRoom waits for the frozen head to be written, or returns an error if the last
// attempt to write it failed. The caller must hold e.file's lock.
func (e *Engine) makeRoom() error {
	for {
		h := e.heads.Load()
		size := max(h.active.events, h.active.bytes/(maxHeadBytes/e.headEvents+1))
		switch {
		case size < e.headEvents:
			return nil
		case h.frozen == nil:
			e.freeze(h)
			e.nudge()
			return nil
		case size < 2*e.headEvents:
			return nil
		case e.failed != nil:
			if e.file.Refused() == nil {
				e.nudge()
			}
			if _, ok := errors.AsType[*fault.Error](e.failed); ok {
				return e.failed
			}
			return fault.New(fault.Unavailable, "events cannot currently be written to the disk; try again in a minute").After(time.Minute)
		}
		e.room.Wait()
	}
}

// freeze makes the active head of h the frozen one and starts a new active head. h must
// be the current heads, and must not have a frozen head. The caller must hold e.file's
// lock.
func (e *Engine) freeze(h *heads) {
	e.heads.Store(&heads{active: newHead(h.active.generation + 1), frozen: h.active})
	e.failed = nil
}

// projectReader finds events and senders of a project in one transaction. It is
// not safe for concurrent use.
type projectReader struct {
	keys               *hashindex.Reader
	subjects, sessions *dictionary.Reader
	blocks             *boltfile.Bucket
}

// reader returns a projectReader for the bucket of a project. The indexes must
// be valid in the bucket's transaction.
func (x *projectIndexes) reader(b *boltfile.Bucket) *projectReader {
	return &projectReader{
		keys: x.keys.Reader(b.Bucket(keysBucket)), blocks: b.Bucket(blocksBucket),
		subjects: x.subjects.Reader(b.Bucket(subjectsBucket)), sessions: x.sessions.Reader(b.Bucket(sessionsBucket)),
	}
}

// lookUp stores its results in the parameter into: which items of a batch are in blocks,
// and the numbers of the batch's subject and session.
func (r *projectReader) lookUp(b *Batch, into *batchLookup) (err error) {
	into.subject, into.session = 0, 0
	for i := range into.stored {
		into.stored[i] = false
	}
	var broken error
	err = r.keys.All(into.hashes, func(i int, payload uint32) bool {
		if broken == nil {
			into.stored[i], broken = storedID(r.blocks, payload, b.Items[i].ID)
		}
		return !into.stored[i] && broken == nil
	})
	if err := errors.Join(err, broken); err != nil {
		return err
	}
	into.subject, into.session, err = r.sender(b.Subject, b.Session)
	return err
}

// sender returns the numbers of a distinct_id and a session_id in the dictionaries. A
// number is 0 if the text is not in the dictionary.
func (r *projectReader) sender(subject, session string) (subjectNumber, sessionNumber uint32, err error) {
	subjectNumber, _, err = r.subjects.Find(subject)
	if err == nil && session != "" {
		sessionNumber, _, err = r.sessions.Find(session)
	}
	return subjectNumber, sessionNumber, err
}

// storedID reports whether an event ID is stored in a block. The parameter payload is the
// value that the index of event IDs stores for the ID. A payload holds only the lower 16
// bits of the hour, so storedID searches every hour with the same lower 16 bits. Such hours
// are about seven and a half years apart.
func storedID(blocks *boltfile.Bucket, payload uint32, id string) (found bool, err error) {
	from := int(payload&(1<<slotBits-1)) * slotSeconds
	cursor := blocks.Cursor()
	last, _ := cursor.Last()
	for hour := payload >> slotBits; last != nil && hour <= binary.BigEndian.Uint32(last); hour += 1 << 16 {
		for key, raw := cursor.Seek(encoding.Key32(hour)); key != nil && binary.BigEndian.Uint32(key) == hour; key, raw = cursor.Next() {
			err := block.IDs(blocks.ValueAt(key, raw), from, from+slotSeconds-1, func(_ int, other string) bool {
				found = other == id
				return !found
			})
			if found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// lookup records which events and senders of a group of batches are already stored.
// Finding them takes as long as the rest of the work for a group, so it is done while the
// previous group is being written. The commit repeats lookups that have become outdated
// by then.
type lookup struct {
	batches []batchLookup
	hashes  []uint64 // hashes of all event_ids of the group
	stored  []bool
}

// batchLookup is the lookup of one batch. Its slices are subslices of the group's slices.
type batchLookup struct {
	state            projectState // the state in which the lookup is valid
	hashes           []uint64     // hash of each event_id
	stored           []bool       // whether each event is stored in a block
	subject, session uint32       // numbers of the batch's subject and session; 0 if they have none
}

// projectState identifies a state of the indexes of a project. The zero value differs
// from every state.
type projectState struct {
	project            *project
	keys               uint64
	subjects, sessions [2]uint64
}

func (x *projectIndexes) state(p *project) projectState {
	return projectState{p, x.keys.Generation(), x.subjects.Generation(), x.sessions.Generation()}
}

// lookUp finds those events and senders of a group that are already in the file. It
// ignores errors, because the commit repeats failed lookups and returns their errors.
func (e *Engine) lookUp(group []*ingestion, l *lookup) {
	l.prepare(group, e.secret)
	_ = e.file.View(func(tx *boltfile.Tx) error {
		readers := map[Project]*projectReader{}
		states := map[Project]projectState{}
		for i, w := range group {
			number := w.batch.Project
			reader, known := readers[number]
			if !known {
				var err error
				if reader, states[number], err = e.projectReader(tx, number); err != nil {
					return err
				}
				readers[number] = reader
			}
			if reader == nil {
				continue
			}
			if err := reader.lookUp(w.batch, &l.batches[i]); err != nil {
				return err
			}
			l.batches[i].state = states[number]
		}
		return nil
	})
}

// prepare resets l to an empty lookup of a group and computes the hashes of its event
// IDs.
func (l *lookup) prepare(group []*ingestion, s hashindex.Secret) {
	n := 0
	for _, w := range group {
		n += len(w.batch.Items)
	}
	l.hashes, l.stored = slices.Grow(l.hashes[:0], n), slices.Grow(l.stored[:0], n)[:n]
	l.batches = slices.Grow(l.batches[:0], len(group))
	for i, w := range group {
		from := len(l.hashes)
		for i := range w.batch.Items {
			l.hashes = append(l.hashes, s.Hash(w.batch.Items[i].ID))
		}
		l.batches = append(l.batches, batchLookup{hashes: l.hashes[from:], stored: l.stored[from:len(l.hashes)]})
		w.found = &l.batches[i]
	}
}

// projectReader returns a reader of the indexes of a project as of a transaction, and the
// state of these indexes. The reader is nil if the project has no stored data.
func (e *Engine) projectReader(tx *boltfile.Tx, number Project) (*projectReader, projectState, error) {
	p := e.project(number)
	b := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(number)))
	if p == nil || b == nil {
		return nil, projectState{}, nil
	}
	x, err := e.loadIndexes(b)
	if err != nil {
		return nil, projectState{}, err
	}
	return x.reader(b), x.state(p), nil
}

// commit stores batches, which must have been looked up, in one transaction and
// then makes them visible. The caller must hold e.file's lock.
func (e *Engine) commit(group []*ingestion) error {
	var c *commit
	err := e.file.Update(func(tx *boltfile.Tx) error {
		c = newCommit(e, tx)
		c.maxNames = e.maxNames
		if err := c.accept(group); err != nil {
			return err
		}
		if len(c.accepted) == 0 {
			return errNothing // new
		}
		return c.write()
	})
	if boltfile.Written(err) {
		c.publish()
		e.observed.rate.Add(e.now(), len(c.fresh))
		e.observed.events.Add(uint64(len(c.fresh)))
	}
	return err
}

// commit is a transaction that stores batches.
type commit struct {
	engine   *Engine
	tx       *boltfile.Tx
	heads    *heads
	maxNames int // maximum number of names in a project; 0 = no limit
	projects map[Project]*commitProject
	accepted []acceptedBatch
	*scratch
}

// maxScratch is the number of events above which the buffers of a commit are not
// reused.
const maxScratch = 8192

// scratch holds buffers that successive commits reuse.
type scratch struct {
	fresh  []freshKey // idempotency keys of the accepted events
	hashes []uint64   // hash of each element of fresh
	byHash rowTable
	value  []byte // the value to store in the WAL

	// Of the current batch:
	take  []int    // indexes of its new items
	named []uint32 // for each element of take, the number of the item's name
}

type freshKey struct {
	project Project
	id      string
}

// commitProject is a project in a transaction.
type commitProject struct {
	*project
	added   bool // created in this transaction
	bucket  *boltfile.Bucket
	reader  *projectReader // nil until a lookup is repeated
	namesIn *boltfile.Bucket
	names   newNames
}

// acceptedBatch holds the project of a batch in the value for the WAL, and the numbers of
// its subject and session. A number is 0 if there is none yet.
type acceptedBatch struct {
	project          *project
	subject, session uint32
}

// newCommit returns a commit in tx. The caller must hold the lock of e.file.
func newCommit(e *Engine, tx *boltfile.Tx) *commit {
	if len(e.scratch.fresh) > maxScratch || cap(e.scratch.value) > maxTogetherBytes {
		e.scratch = scratch{}
	}
	clear(e.scratch.fresh) // otherwise the texts would stay in memory
	clear(e.scratch.byHash.places)
	e.scratch.fresh, e.scratch.hashes, e.scratch.value = e.scratch.fresh[:0], e.scratch.hashes[:0], e.scratch.value[:0]
	return &commit{engine: e, tx: tx, heads: e.heads.Load(), projects: map[Project]*commitProject{}, scratch: &e.scratch}
}

// project returns the project with the given ID, and creates it if it has no stored data.
func (c *commit) project(number Project) (*commitProject, error) {
	if p := c.projects[number]; p != nil {
		return p, nil
	}
	p := &commitProject{project: c.engine.project(number)}
	if p.project == nil {
		var err error
		if p.project, err = c.engine.addProject(c.tx, number); err != nil {
			return nil, err
		}
		p.added = true
	}
	p.bucket = c.tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(number)))
	p.namesIn, p.names.limit = p.bucket.Bucket(namesBucket), c.maxNames
	c.projects[number] = p
	return p, nil
}

// accept determines which events of a group are new, and encodes them in c.value for the
// WAL.
func (c *commit) accept(group []*ingestion) error {
	for _, w := range group {
		p, err := c.project(w.batch.Project)
		if err != nil {
			return err
		}
		if err := c.refresh(p, w.batch, w.found); err != nil {
			return err
		}
		if w.NamesFull, err = c.choose(p, w.batch, w.found); err != nil {
			return err
		}
		if w.Accepted = len(c.take); w.Accepted == 0 {
			continue
		}
		t := walBatch{
			project: w.batch.Project, received: w.batch.Received, subject: w.batch.Subject, session: w.batch.Session,
			details: detailsOf(&w.batch.Client),
		}
		if w.batch.OffsetKnown {
			t.offset = uint8(stats.OffsetOf(w.batch.OffsetMinutes))
		}
		subject, session := numbersOf(c.heads, w.batch, w.found)
		c.accepted = append(c.accepted, acceptedBatch{p.project, subject, session})
		c.value = t.append(c.value, w.batch.Items, c.take, c.named)
	}
	return nil
}

// refresh repeats the lookup of a batch if the indexes have changed since the lookup.
func (c *commit) refresh(p *commitProject, b *Batch, found *batchLookup) error {
	now := p.state(p.project)
	if found.state == now {
		return nil
	}
	if p.reader == nil {
		p.reader = p.projectIndexes.reader(p.bucket)
	}
	found.state = now
	return p.reader.lookUp(b, found)
}

// choose sets c.take to the indexes of the new items of a batch, and c.named to the
// number that the project has assigned to the name of each of these items. full reports
// whether items were left out because of the limit on names.
func (c *commit) choose(p *commitProject, b *Batch, found *batchLookup) (full bool, err error) {
	c.take, c.named = c.take[:0], c.named[:0]
	for i := range b.Items {
		item := &b.Items[i]
		if item.Name == "" || found.stored[i] || c.waiting(p, found.hashes[i], item.ID) {
			continue
		}
		number, err := p.project.names.define(p.namesIn, &p.names, item.Name, item.At)
		if errors.Is(err, errNamesFull) {
			full = true
			continue
		}
		if err != nil {
			return false, err
		}
		c.fresh, c.hashes = append(c.fresh, freshKey{p.number, item.ID}), append(c.hashes, found.hashes[i])
		c.byHash.add(c.hashes)
		c.take, c.named = append(c.take, i), append(c.named, number)
	}
	return full, nil
}

// waiting reports whether an event has already been accepted in this transaction or is in the
// active or the frozen head, which hold new events in memory until they are written to the file.
func (c *commit) waiting(p *commitProject, hash uint64, id string) bool {
	key := freshKey{p.number, id}
	if c.byHash.any(c.hashes, hash, func(row uint32) bool { return c.fresh[row] == key }) {
		return true
	}
	return c.heads.active.has(p.number, hash, id) || c.heads.frozen != nil && c.heads.frozen.has(p.number, hash, id)
}

// numbersOf returns the numbers of the subject and the session of a batch. A number is 0
// if the text is neither in the file nor in memory.
func numbersOf(in *heads, b *Batch, found *batchLookup) (subject, session uint32) {
	subject, session = found.subject, found.session
	for _, h := range in.all() {
		if known := h.projects[b.Project]; known != nil {
			subject = max(subject, known.subjects.numbers[b.Subject])
			session = max(session, known.sessions.numbers[b.Session])
		}
	}
	return subject, session
}

// write appends the accepted events to the WAL.
func (c *commit) write() error {
	wal, err := c.tx.Bucket(walBucket).CreateBucketIfNotExists(encoding.Key64(c.heads.active.generation))
	if err != nil {
		return err
	}
	number, err := wal.NextSequence()
	if err != nil {
		return err
	}
	wal.FillPercent = 0.9
	return wal.PutValue(encoding.Key64(number), c.value)
}

// publish makes the written events visible. It decodes them from the value for the WAL,
// in the same way as a restart.
func (c *commit) publish() {
	for _, p := range c.projects {
		if p.added {
			c.engine.known.Lock()
			c.engine.projects[p.number] = p.project
			c.engine.known.Unlock()
		}
		p.project.names.install(p.names)
	}
	c.heads.active.logged(len(c.value))
	var t walBatch
	r, hashes := newWALReader(c.value), c.hashes
	for _, a := range c.accepted {
		if err := r.next(&t); err != nil {
			panic(err) // cannot fail, because this commit encoded the value
		}
		c.heads.active.append(a.project, c.heads.frozen, &t, a.subject, a.session, hashes)
		hashes = hashes[len(t.items):]
		a.project.names.seen(t.items)
	}
}

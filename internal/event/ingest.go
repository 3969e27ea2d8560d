package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/fault"
	"svc/internal/stats"
)

const (
	// mostWaiting bounds the batches that wait for the disk, mostTogether those
	// that share a commit; the others bound the bytes of both, roughly.
	mostWaiting       = 4096
	mostTogether      = 1024
	mostWaitingBytes  = 64 << 20
	mostTogetherBytes = 8 << 20
	// mostScratch is the number of events after which the memory of a commit is
	// not kept.
	mostScratch = 4096
)

var errNotFinished = errors.New("the shared commit did not finish")

// waiter is a batch in the queue.
type waiter struct {
	batch    *Batch
	bytes    int // of its texts, roughly
	accepted int
	err      error
	done     chan struct{}
}

// Ingest stores the events of a batch that are not stored yet and returns how
// many these are when they are on disk. Batches that arrive meanwhile share one
// commit; alone it adds no delay. The error is Unavailable when too many wait.
//
// Names and times are expected as the contract wants them stored; an item whose
// name is empty is left out. The batch must not be changed afterwards.
func (e *Engine) Ingest(b *Batch) (accepted int, err error) {
	w := &waiter{batch: b, bytes: b.bytes(), done: make(chan struct{})}
	e.queue.Lock()
	if len(e.waiting) >= mostWaiting || len(e.waiting) > 0 && e.waitingBytes+w.bytes > mostWaitingBytes {
		e.queue.Unlock()
		return 0, fault.New(fault.Unavailable, "too many events are waiting; try again in a second").After(time.Second)
	}
	e.waiting = append(e.waiting, w)
	e.waitingBytes += w.bytes
	leads := len(e.waiting) == 1
	e.queue.Unlock()
	if leads {
		e.lead()
	}
	<-w.done
	return w.accepted, w.err
}

// lead commits what waits: whoever finds the queue empty leads. What is left
// after a full group is led by a goroutine of its own, so that nobody's answer
// waits for the events of others.
func (e *Engine) lead() {
	e.writing.Lock()
	defer e.writing.Unlock()
	err := e.makeRoom()
	e.queue.Lock()
	group, bytes := together(e.waiting)
	e.waiting = slices.Clone(e.waiting[len(group):])
	e.waitingBytes -= bytes
	if len(e.waiting) > 0 {
		e.done.Go(e.lead)
	}
	e.queue.Unlock()
	e.commitGroup(group, err)
}

// together is the first batches of a queue that share a commit, at least one, and
// their bytes.
func together(waiting []*waiter) (group []*waiter, bytes int) {
	n := 0
	for n < len(waiting) && n < mostTogether && (n == 0 || bytes+waiting[n].bytes <= mostTogetherBytes) {
		bytes += waiting[n].bytes
		n++
	}
	return waiting[:n], bytes
}

// bytes is how large a batch is, roughly.
func (b *Batch) bytes() int {
	n := 500
	for i := range b.Items {
		n += 100 + len(b.Items[i].ID) + len(b.Items[i].Properties)
	}
	return n
}

// commitGroup commits batches unless there is an error already, and answers
// those who wait.
func (e *Engine) commitGroup(group []*waiter, err error) {
	if err == nil {
		err = errNotFinished
		defer func() { // also after a panic: the others must not wait for ever
			for _, w := range group {
				w.err = err
				close(w.done)
			}
		}()
		err = e.commit(group)
		return
	}
	for _, w := range group {
		w.err = err
		close(w.done)
	}
}

// makeRoom freezes a full head, and waits when the one before is still being
// written and memory is short. The caller holds e.writing.
func (e *Engine) makeRoom() error {
	for {
		h := e.heads.Load()
		size := max(h.active.events, h.active.bytes/(mostHeadBytes/e.headEvents+1))
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
			return fmt.Errorf("events in memory cannot be written: %w", e.failed)
		}
		e.room.Wait()
	}
}

// freeze lets a new head begin. The caller holds e.writing.
func (e *Engine) freeze(h *heads) {
	e.heads.Store(&heads{active: newHead(h.active.generation + 1), frozen: h.active})
}

// commit stores batches in one transaction and then makes them visible. The
// caller holds e.writing.
func (e *Engine) commit(group []*waiter) error {
	tx, err := e.db.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	c := newCommit(e, tx)
	if err := c.accept(group); err != nil {
		return err
	}
	if len(c.accepted) == 0 { // nothing new, nothing to write
		return nil
	}
	if err := c.write(); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	c.publish()
	return nil
}

// commit is a transaction that stores batches.
type commit struct {
	engine   *Engine
	tx       *bbolt.Tx
	heads    *heads
	projects map[Project]*commitProject
	accepted []acceptedBatch
	*scratch
}

// scratch is the memory that commits use again, one after the other.
type scratch struct {
	fresh  []freshKey // idempotency keys of the accepted events
	hashes []uint64   // of them
	byHash rowTable
	value  []byte // for the tail
}

type freshKey struct {
	project Project
	id      string
}

// commitProject is a project in a transaction.
type commitProject struct {
	*project
	added              bool // in this transaction
	keys               *hashReader
	subjects, sessions *dictionaryReader
	blocks, namesIn    *bbolt.Bucket
	names              newNames
}

// acceptedBatch is where a batch is in the value for the tail, and the numbers
// of its sender as far as they are known.
type acceptedBatch struct {
	project          *project
	subject, session uint32
}

// newCommit is for those who hold e.writing.
func newCommit(e *Engine, tx *bbolt.Tx) *commit {
	if len(e.scratch.fresh) > mostScratch || cap(e.scratch.value) > mostTogetherBytes {
		e.scratch = scratch{}
	}
	clear(e.scratch.fresh) // or the texts would stay in memory
	clear(e.scratch.byHash.places)
	e.scratch.fresh, e.scratch.hashes, e.scratch.value = e.scratch.fresh[:0], e.scratch.hashes[:0], e.scratch.value[:0]
	return &commit{engine: e, tx: tx, heads: e.heads.Load(), projects: map[Project]*commitProject{}, scratch: &e.scratch}
}

// project finds or makes the project of a batch.
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
	b := c.tx.Bucket(projectsBucket).Bucket(be32(uint32(number)))
	p.keys = p.project.keys.reader(b.Bucket(keysBucket))
	p.subjects = p.project.subjects.reader(b.Bucket(subjectsBucket))
	p.sessions = p.project.sessions.reader(b.Bucket(sessionsBucket))
	p.blocks, p.namesIn = b.Bucket(blocksBucket), b.Bucket(namesBucket)
	c.projects[number] = p
	return p, nil
}

// accept finds out which events are new and encodes them.
func (c *commit) accept(group []*waiter) error {
	var t tailBatch
	for _, w := range group {
		w.accepted = 0
		p, err := c.project(w.batch.Project)
		if err != nil {
			return err
		}
		t = tailBatch{project: w.batch.Project, received: w.batch.Received, subject: w.batch.Subject, session: w.batch.Session, items: t.items[:0]}
		for i := range w.batch.Items {
			item := &w.batch.Items[i]
			if item.Name == "" {
				continue
			}
			hash := c.engine.secret.hash(item.ID)
			known, err := c.known(p, hash, item.ID)
			if err != nil {
				return err
			}
			if known {
				continue
			}
			c.fresh, c.hashes = append(c.fresh, freshKey{p.number, item.ID}), append(c.hashes, hash)
			c.byHash.add(c.hashes)
			number, err := p.project.names.define(p.namesIn, &p.names, item.Name, item.At)
			if err != nil {
				return err
			}
			t.items = append(t.items, tailItem{id: item.ID, name: number, at: item.At, props: string(item.Properties)})
		}
		if len(t.items) == 0 {
			continue
		}
		if w.batch.OffsetKnown {
			t.offset = uint8(stats.OffsetOf(w.batch.OffsetMinutes))
		}
		t.details = detailsOf(&w.batch.Client)
		subject, session, err := c.senders(p.project, t.subject, t.session)
		if err != nil {
			return err
		}
		c.accepted = append(c.accepted, acceptedBatch{p.project, subject, session})
		c.value = t.append(c.value)
		w.accepted = len(t.items)
	}
	return nil
}

// known reports whether an event is stored.
func (c *commit) known(p *commitProject, hash uint64, id string) (found bool, err error) {
	key := freshKey{p.number, id}
	if c.byHash.any(c.hashes, hash, func(row uint32) bool { return c.fresh[row] == key }) {
		return true, nil
	}
	for _, h := range c.heads.all() {
		if h.has(p.number, hash, id) {
			return true, nil
		}
	}
	var broken error
	err = p.keys.each(hash, func(payload uint32) bool {
		found, broken = storedID(p.blocks, payload, id)
		return !found && broken == nil
	})
	return found, errors.Join(err, broken)
}

// storedID looks for an event where its key says that it may be: in the hours
// whose lower 16 bits these are, of which one in seven years passes.
func storedID(blocks *bbolt.Bucket, payload uint32, id string) (found bool, err error) {
	from := int(payload&(1<<slotBits-1)) * slotSeconds
	cursor := blocks.Cursor()
	last, _ := cursor.Last()
	for hour := payload >> slotBits; last != nil && hour <= binary.BigEndian.Uint32(last); hour += 1 << 16 {
		for key, raw := cursor.Seek(be32(hour)); key != nil && binary.BigEndian.Uint32(key) == hour; key, raw = cursor.Next() {
			err := blockIDs(raw, from, from+slotSeconds-1, func(_ int, other string) bool {
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

// senders finds the numbers of a subject and a session; 0 for what is new.
func (c *commit) senders(of *project, subject, session string) (subjectNumber, sessionNumber uint32, err error) {
	p, err := c.project(of.number)
	if err != nil {
		return 0, 0, err
	}
	for _, h := range c.heads.all() {
		if known := h.projects[of.number]; known != nil {
			subjectNumber = max(subjectNumber, known.subjects.numbers[subject])
			sessionNumber = max(sessionNumber, known.sessions.numbers[session])
		}
	}
	if subjectNumber == 0 {
		if subjectNumber, _, err = p.subjects.find(subject); err != nil {
			return 0, 0, err
		}
	}
	if sessionNumber == 0 && session != "" {
		sessionNumber, _, err = p.sessions.find(session)
	}
	return subjectNumber, sessionNumber, err
}

// write appends what was accepted to the tail.
func (c *commit) write() error {
	tail, err := c.tx.Bucket(tailBucket).CreateBucketIfNotExists(be64(c.heads.active.generation))
	if err != nil {
		return err
	}
	number, err := tail.NextSequence()
	if err != nil {
		return err
	}
	tail.FillPercent = 0.9
	return tail.Put(be64(number), c.value)
}

// publish makes what was written visible. It reads the value for the tail as a
// restart would.
func (c *commit) publish() {
	for _, p := range c.projects {
		if p.added {
			c.engine.known.Lock()
			c.engine.projects[p.number] = p.project
			c.engine.known.Unlock()
		}
		p.project.names.install(p.names)
	}
	var t tailBatch
	r, hashes := tailReader{rest: string(c.value)}, c.hashes
	for _, a := range c.accepted {
		if err := r.next(&t); err != nil {
			panic(err) // it was made a moment ago
		}
		c.heads.active.append(a.project, c.heads.frozen, &t, a.subject, a.session, hashes)
		hashes = hashes[len(t.items):]
		a.project.names.seen(t.items)
	}
}

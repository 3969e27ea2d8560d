package event

import (
	"encoding/binary"
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/stats"
)

// commit stores batches in one transaction and then makes them visible. The
// caller holds e.writing.
func (e *Engine) commit(group []*waiter) error {
	begin := time.Now()
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
	err = tx.Commit()
	if e.observed.committed(begin, tx, err); err != nil {
		return err
	}
	c.publish()
	e.observed.rate.Add(e.now(), len(c.fresh))
	e.observed.events.Add(uint64(len(c.fresh)))
	e.observed.group.Observe(int64(len(group)))
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

// mostScratch is the number of events after which the memory of a commit is not
// kept.
const mostScratch = 8192

// scratch is the memory that commits use again, one after the other.
type scratch struct {
	fresh  []freshKey // idempotency keys of the accepted events
	hashes []uint64   // of them
	byHash rowTable
	value  []byte // for the tail

	// Of the batch that is looked at:
	asked  []uint64 // hashes of its event_ids
	stored []bool   // whether they are in blocks
	take   []int    // places of its new items
	named  []uint32 // numbers of their names
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
	for _, w := range group {
		p, err := c.project(w.batch.Project)
		if err != nil {
			return err
		}
		if err := c.choose(p, w.batch); err != nil {
			return err
		}
		if w.accepted = len(c.take); w.accepted == 0 {
			continue
		}
		t := tailBatch{
			project: w.batch.Project, received: w.batch.Received, subject: w.batch.Subject, session: w.batch.Session,
			details: detailsOf(&w.batch.Client),
		}
		if w.batch.OffsetKnown {
			t.offset = uint8(stats.OffsetOf(w.batch.OffsetMinutes))
		}
		subject, session, err := c.senders(p.project, t.subject, t.session)
		if err != nil {
			return err
		}
		c.accepted = append(c.accepted, acceptedBatch{p.project, subject, session})
		c.value = t.append(c.value, w.batch.Items, c.take, c.named)
	}
	return nil
}

// choose finds the items of a batch that are new, and the numbers of their
// names.
func (c *commit) choose(p *commitProject, b *Batch) error {
	c.take, c.named = c.take[:0], c.named[:0]
	if err := c.findStored(p, b); err != nil {
		return err
	}
	for i := range b.Items {
		item := &b.Items[i]
		if item.Name == "" || c.stored[i] || c.waiting(p, c.asked[i], item.ID) {
			continue
		}
		number, err := p.project.names.define(p.namesIn, &p.names, item.Name, item.At)
		if err != nil {
			return err
		}
		c.fresh, c.hashes = append(c.fresh, freshKey{p.number, item.ID}), append(c.hashes, c.asked[i])
		c.byHash.add(c.hashes)
		c.take, c.named = append(c.take, i), append(c.named, number)
	}
	return nil
}

// waiting reports whether an event is in this transaction or in memory.
func (c *commit) waiting(p *commitProject, hash uint64, id string) bool {
	key := freshKey{p.number, id}
	if c.byHash.any(c.hashes, hash, func(row uint32) bool { return c.fresh[row] == key }) {
		return true
	}
	return c.heads.active.has(p.number, hash, id) || c.heads.frozen != nil && c.heads.frozen.has(p.number, hash, id)
}

// findStored finds the events of a batch that are in blocks.
func (c *commit) findStored(p *commitProject, b *Batch) (err error) {
	c.asked, c.stored = c.asked[:0], c.stored[:0]
	for i := range b.Items {
		c.asked, c.stored = append(c.asked, c.engine.secret.hash(b.Items[i].ID)), append(c.stored, false)
	}
	var broken error
	err = p.keys.all(c.asked, func(i int, payload uint32) bool {
		if broken == nil {
			c.stored[i], broken = storedID(p.blocks, payload, b.Items[i].ID)
		}
		return !c.stored[i] && broken == nil
	})
	return errors.Join(err, broken)
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
	c.heads.active.logged(len(c.value))
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

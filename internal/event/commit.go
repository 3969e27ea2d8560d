package event

import (
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/stats"
)

// commit stores batches in one transaction and then makes them visible. It is
// told what was found of them. The caller holds e.writing.
func (e *Engine) commit(group []*waiter, found *lookup) error {
	begin := time.Now()
	var c *commit
	var written *bbolt.Tx
	var refused error // by what is in the batches or the file, not by the disk
	err := e.file.Update(func(tx *bbolt.Tx) error {
		c, written = newCommit(e, tx), tx
		if refused = c.accept(group, found); refused == nil && len(c.accepted) == 0 {
			refused = errNothing // new
		}
		if refused == nil {
			refused = c.write()
		}
		return refused
	})
	if errors.Is(refused, errNothing) {
		return nil
	}
	if refused == nil {
		e.observed.committed(begin, written, err)
	}
	if boltfile.Written(err) {
		c.publish()
		e.observed.rate.Add(e.now(), len(c.fresh))
		e.observed.events.Add(uint64(len(c.fresh)))
		e.observed.group.Observe(int64(len(group)))
	}
	return err
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
	take  []int    // places of its new items
	named []uint32 // numbers of their names
}

type freshKey struct {
	project Project
	id      string
}

// commitProject is a project in a transaction.
type commitProject struct {
	*project
	added   bool // in this transaction
	bucket  *bbolt.Bucket
	reader  *projectReader // nil until something is looked up again
	namesIn *bbolt.Bucket
	names   newNames
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
	p.bucket = c.tx.Bucket(projectsBucket).Bucket(be32(uint32(number)))
	p.namesIn = p.bucket.Bucket(namesBucket)
	c.projects[number] = p
	return p, nil
}

// accept finds out which events are new and encodes them.
func (c *commit) accept(group []*waiter, found *lookup) error {
	for i, w := range group {
		p, err := c.project(w.batch.Project)
		if err != nil {
			return err
		}
		if err := c.refresh(p, w.batch, &found.batches[i]); err != nil {
			return err
		}
		if err := c.choose(p, w.batch, &found.batches[i]); err != nil {
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
		subject, session := numbersOf(c.heads, w.batch, &found.batches[i])
		c.accepted = append(c.accepted, acceptedBatch{p.project, subject, session})
		c.value = t.append(c.value, w.batch.Items, c.take, c.named)
	}
	return nil
}

// refresh looks up a batch again if what was found of it is not of this state.
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

// choose finds the items of a batch that are new, and the numbers of their
// names.
func (c *commit) choose(p *commitProject, b *Batch, found *batchLookup) error {
	c.take, c.named = c.take[:0], c.named[:0]
	for i := range b.Items {
		item := &b.Items[i]
		if item.Name == "" || found.stored[i] || c.waiting(p, found.hashes[i], item.ID) {
			continue
		}
		number, err := p.project.names.define(p.namesIn, &p.names, item.Name, item.At)
		if err != nil {
			return err
		}
		c.fresh, c.hashes = append(c.fresh, freshKey{p.number, item.ID}), append(c.hashes, found.hashes[i])
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

// numbersOf is the numbers of the subject and the session of a batch, 0 for what is
// new.
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
	return putValue(tail, be64(number), c.value)
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

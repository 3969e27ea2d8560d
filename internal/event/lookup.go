package event

import (
	"encoding/binary"
	"errors"
	"slices"

	"go.etcd.io/bbolt"
)

// projectReader finds events and senders of a project in one transaction. It is
// for one goroutine.
type projectReader struct {
	keys               *hashReader
	subjects, sessions *dictionaryReader
	blocks             *bbolt.Bucket
}

// reader needs the bucket of a project in a transaction in which the indexes are
// right.
func (x *projectIndexes) reader(b *bbolt.Bucket) *projectReader {
	return &projectReader{
		keys: x.keys.reader(b.Bucket(keysBucket)), blocks: b.Bucket(blocksBucket),
		subjects: x.subjects.reader(b.Bucket(subjectsBucket)), sessions: x.sessions.reader(b.Bucket(sessionsBucket)),
	}
}

// lookUp writes down which items of a batch are in blocks, and the numbers of
// its sender.
func (r *projectReader) lookUp(b *Batch, into *batchLookup) (err error) {
	into.subject, into.session = 0, 0
	for i := range into.stored {
		into.stored[i] = false
	}
	var broken error
	err = r.keys.all(into.hashes, func(i int, payload uint32) bool {
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

// sender finds the numbers of a subject and a session, which are 0 when they
// have none.
func (r *projectReader) sender(subject, session string) (subjectNumber, sessionNumber uint32, err error) {
	subjectNumber, _, err = r.subjects.find(subject)
	if err == nil && session != "" {
		sessionNumber, _, err = r.sessions.find(session)
	}
	return subjectNumber, sessionNumber, err
}

// storedID looks for an event where its key says that it may be: in the hours
// whose lower 16 bits these are, of which one in seven years passes.
func storedID(blocks *bbolt.Bucket, payload uint32, id string) (found bool, err error) {
	from := int(payload&(1<<slotBits-1)) * slotSeconds
	cursor := blocks.Cursor()
	last, _ := cursor.Last()
	for hour := payload >> slotBits; last != nil && hour <= binary.BigEndian.Uint32(last); hour += 1 << 16 {
		for key, raw := cursor.Seek(be32(hour)); key != nil && binary.BigEndian.Uint32(key) == hour; key, raw = cursor.Next() {
			err := blockIDs(valueOf(blocks, key, raw), from, from+slotSeconds-1, func(_ int, other string) bool {
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

// lookup is what the file has of the batches of a group. Looking up takes as
// long as everything else, so it is done while the group before is written; what
// has changed by then is looked up again.
type lookup struct {
	batches []batchLookup
	hashes  []uint64 // of all items
	stored  []bool
}

// batchLookup is that of one batch. Its slices are parts of those of the group.
type batchLookup struct {
	state            projectState // in which it is right
	hashes           []uint64     // of the event_ids
	stored           []bool       // in blocks
	subject, session uint32       // 0 = they have no number
}

// projectState tells two states of the indexes of a project apart. The zero
// value is none.
type projectState struct {
	project                                              *project
	keys, subjectTexts, subjects, sessionTexts, sessions uint64
}

func (x *projectIndexes) state(p *project) projectState {
	return projectState{p, x.keys.nextRun, x.subjects.texts(), x.subjects.index.nextRun, x.sessions.texts(), x.sessions.index.nextRun}
}

// texts changes with every text that is added or removed.
func (d *dictionary) texts() uint64 { return uint64(d.free)<<32 | uint64(d.removed) }

// lookUp finds what the file has of a group. What cannot be found out now is left
// to the commit, which says why.
func (e *Engine) lookUp(group []*waiter, l *lookup) {
	l.prepare(group, e.secret)
	defer func() { _ = recover() }() // the file is damaged, and the commit will find that, too
	_ = e.viewFile(func(tx *bbolt.Tx) error {
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

// prepare makes room for a group of which nothing is known.
func (l *lookup) prepare(group []*waiter, s secret) {
	n := 0
	for _, w := range group {
		n += len(w.batch.Items)
	}
	l.hashes, l.stored = slices.Grow(l.hashes[:0], n), slices.Grow(l.stored[:0], n)[:n]
	l.batches = slices.Grow(l.batches[:0], len(group))
	for _, w := range group {
		from := len(l.hashes)
		for i := range w.batch.Items {
			l.hashes = append(l.hashes, s.hash(w.batch.Items[i].ID))
		}
		l.batches = append(l.batches, batchLookup{hashes: l.hashes[from:], stored: l.stored[from:len(l.hashes)]})
	}
}

// projectReader reads the indexes of a project as they are in a transaction. It
// is nil when there is no such project.
func (e *Engine) projectReader(tx *bbolt.Tx, number Project) (*projectReader, projectState, error) {
	p := e.project(number)
	b := tx.Bucket(projectsBucket).Bucket(be32(uint32(number)))
	if p == nil || b == nil {
		return nil, projectState{}, nil
	}
	x, err := e.loadIndexes(b)
	if err != nil {
		return nil, projectState{}, err
	}
	return x.reader(b), x.state(p), nil
}

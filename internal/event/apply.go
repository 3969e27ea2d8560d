package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"svc/internal/boltfile"
	"svc/internal/change"
	"svc/internal/event/encoding"
)

// An engine that follows another one receives the changes of the other one's file and answers queries
// in the meantime. Its memory equals the memory after a start, but each generation of the WAL
// has a head of its own, because the other engine writes one generation after the other as blocks.
// Only new values of the WAL are read; older events stay in the heads.

// following is the state of an engine that follows another one.
type following struct {
	// position is the position of the file that the memory corresponds to, or changing while the
	// memory is brought up to date. A query that meets a file at another position begins again.
	position atomic.Uint64
	// replayed holds, for each generation of the WAL, the number of the last value that has been loaded
	// into memory. Guarded by the lock of Engine.file.
	replayed map[uint64]uint64
	outdated bool // an attempt to bring the memory up to date has failed; guarded by the lock of Engine.file
}

// changing is the position of a memory that is being changed.
const changing = math.MaxUint64

// Following reports whether the engine follows another one. It then does no background work, and
// writing methods return a fault of kind Unavailable.
func (e *Engine) Following() bool { return e.file.Following() }

// Apply writes the changes of another engine, which this one follows, and makes them visible to
// queries. All of them share one transaction; see boltfile.Writer.Apply, which also explains the
// position. The error is boltfile.ErrNewer if a newer program has upgraded the other file. After an
// error, the changes can be applied again: those that are stored already are skipped.
func (e *Engine) Apply(changes []boltfile.Change, position uint64) error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	e.file.Lock()
	defer e.file.Unlock()
	if err := e.file.Damage(); err != nil {
		return err
	}
	e.refreshing.Lock()
	defer e.refreshing.Unlock()
	applied, err := e.file.Apply(changes, position, layout.CheckFormat)
	if !boltfile.Written(err) {
		return err
	}
	return errors.Join(err, e.follow(applied, e.following.outdated))
}

// follow brings the memory up to date after the given changes have been applied. If all is true, it
// loads everything again. It also does so if it cannot read only the changes. If that fails, too, the
// file is damaged. The caller must hold maintaining, the lock of file, and refreshing.
func (e *Engine) follow(applied []boltfile.Change, all bool) error {
	if len(applied) > 0 || all {
		e.following.position.Store(changing)
	}
	e.following.outdated = true
	err := e.file.View(func(tx *boltfile.Tx) error {
		if all || e.refresh(tx, applied) != nil {
			if err := e.reload(tx); err != nil {
				return err
			}
		}
		position, _ := tx.Position()
		e.following.position.Store(position)
		return nil
	})
	if errors.Is(err, ErrDamaged) {
		err = e.file.NoteDamage(err)
	}
	e.following.outdated = err != nil
	e.tidy.Store(false)
	return err
}

// current reports whether the memory corresponded to the file of a transaction all the time since it
// had the position that the parameter since contains. It always does, except in an engine that
// follows another one.
func (e *Engine) current(tx *boltfile.Tx, since uint64) bool {
	if !e.file.Following() || e.file.Damage() != nil {
		return true
	}
	position, _ := tx.Position()
	return position == since && e.following.position.Load() == since
}

// touched lists the parts of a file that changes have touched and that an engine holds in memory.
type touched struct {
	all      bool
	projects map[Project]*touchedProject
	wal      map[uint64]bool // generations with values that have changed since they were replayed
}

type touchedProject struct {
	dropped, names, indexes bool
}

// project returns the entry of a project with the given key.
func (t *touched) project(key []byte) (*touchedProject, error) {
	if len(key) != 4 {
		return nil, fmt.Errorf("%w: project with a key of %d bytes", ErrDamaged, len(key))
	}
	number := Project(binary.BigEndian.Uint32(key))
	if t.projects[number] == nil {
		t.projects[number] = &touchedProject{}
	}
	return t.projects[number], nil
}

// add adds an operation of a change set. replayed holds the last value in memory of each generation.
func (t *touched) add(op change.Op, replayed map[uint64]uint64) error {
	if len(op.Bucket) == 0 {
		t.all = t.all || op.Kind == change.Drop // repair makes buckets anew
		return nil
	}
	if op.Kind == change.Sequence {
		return nil
	}
	path := append(op.Bucket[1:len(op.Bucket):len(op.Bucket)], op.Key)
	switch string(op.Bucket[0]) {
	case string(walBucket):
		if len(path[0]) != 8 || len(path) > 1 && len(path[1]) != 8 {
			return errWAL
		}
		generation := binary.BigEndian.Uint64(path[0])
		if len(path) == 1 && op.Kind == change.Drop || len(path) > 1 && binary.BigEndian.Uint64(path[1]) <= replayed[generation] {
			t.wal[generation] = true
		}
	case string(projectsBucket):
		p, err := t.project(path[0])
		if err != nil {
			return err
		}
		if len(path) == 1 {
			p.dropped = p.dropped || op.Kind == change.Drop
			return nil
		}
		switch string(path[1]) {
		case string(namesBucket):
			p.names = true
		case string(keysBucket), string(subjectsBucket), string(sessionsBucket):
			p.indexes = true
		}
	}
	return nil
}

// refresh reads the touched parts of the file into memory. After an error, the memory is incomplete.
func (e *Engine) refresh(tx *boltfile.Tx, applied []boltfile.Change) error {
	t := touched{projects: map[Project]*touchedProject{}, wal: map[uint64]bool{}}
	for _, c := range applied {
		if err := change.Each(c.Set, func(op change.Op) error { return t.add(op, e.following.replayed) }); err != nil {
			return fmt.Errorf("read change set %d: %w", c.Position, err)
		}
	}
	if t.all {
		return e.reload(tx)
	}
	flushed := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
	e.dropHeads(flushed)
	for number, p := range t.projects {
		if err := e.refreshProject(tx, number, p); err != nil {
			return fmt.Errorf("project %d: %w", number, err)
		}
	}
	for generation := range t.wal {
		if generation > flushed {
			return e.replayApart(tx)
		}
	}
	return e.replayNew(tx)
}

// dropHeads removes the heads of the generations up to the given one, which are blocks now.
func (e *Engine) dropHeads(flushed uint64) {
	h := e.heads.Load()
	next := *h
	if next.frozen != nil && next.frozen.generation <= flushed {
		next.frozen = nil
	}
	if next.active.generation <= flushed {
		next.active = newHead(flushed + 1)
	}
	if next != *h {
		e.heads.Store(&next)
	}
	for generation := range e.following.replayed {
		if generation <= flushed {
			delete(e.following.replayed, generation)
		}
	}
}

// refreshProject loads the touched parts of a project.
func (e *Engine) refreshProject(tx *boltfile.Tx, number Project, t *touchedProject) error {
	b := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(number)))
	before := e.project(number)
	switch {
	case b == nil:
		e.setProject(number, nil)
		return nil
	case before == nil, t.dropped:
		p, err := e.loadProject(b, number)
		if err == nil {
			e.setProject(number, p)
		}
		return err
	case !t.names && !t.indexes:
		return nil
	}
	next := &project{number: number, names: before.names, projectIndexes: before.projectIndexes}
	var err error
	if t.indexes {
		if next.projectIndexes, err = e.loadIndexes(b); err != nil {
			return err
		}
	}
	if t.names {
		if next.names, err = loadNames(b.Bucket(namesBucket)); err != nil {
			return err
		}
		for _, h := range e.heads.Load().all() {
			if of := h.projects[number]; of != nil {
				next.names.seenInMemory(of)
			}
		}
	}
	e.setProject(number, next)
	return nil
}

// setProject replaces a project, or removes it if p is nil.
func (e *Engine) setProject(number Project, p *project) {
	e.known.Lock()
	defer e.known.Unlock()
	if p == nil {
		delete(e.projects, number)
		return
	}
	e.projects[number] = p
}

// seenInMemory updates FirstSeen and LastSeen of the names of the events in memory. A name that is
// gone belongs to an event that is gone, too.
func (n *names) seenInMemory(of *headProject) {
	for row, number := range of.names {
		if n.has(number) {
			one := n.list[number]
			one.FirstSeen, one.LastSeen = min(one.FirstSeen, of.at[row]), max(one.LastSeen, of.at[row])
		}
	}
}

// reload loads everything from the file.
func (e *Engine) reload(tx *boltfile.Tx) error {
	for _, number := range e.Projects() {
		e.setProject(number, nil)
	}
	if err := e.loadProjects(tx); err != nil {
		return err
	}
	return e.replayApart(tx)
}

// replayApart reads the whole WAL into new heads. The newest generation has the active head. All older
// ones share the frozen head: there is more than one only if the other engine has been started since,
// and it then writes all of them together, because it read them into one head.
func (e *Engine) replayApart(tx *boltfile.Tx) error {
	flushed := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
	var generations []uint64
	err := tx.Bucket(walBucket).ForEachBucket(func(key []byte) error {
		if len(key) != 8 || binary.BigEndian.Uint64(key) <= flushed {
			return errWAL
		}
		generations = append(generations, binary.BigEndian.Uint64(key))
		return nil
	})
	if err != nil {
		return err
	}
	next := &heads{active: newHead(flushed + 1)}
	if n := len(generations); n > 0 {
		next.active = newHead(generations[n-1])
		if n > 1 {
			next.frozen = newHead(generations[n-2])
		}
	}
	e.following.replayed = map[uint64]uint64{}
	r := replay{engine: e, tx: tx, heads: next}
	for _, generation := range generations {
		h := next.active
		if generation < h.generation {
			h = next.frozen
		}
		if err := e.replayAfter(&r, h, generation); err != nil {
			return err
		}
	}
	e.heads.Store(next)
	return nil
}

// replayNew reads the values of the WAL that are not in memory yet.
func (e *Engine) replayNew(tx *boltfile.Tx) error {
	r := replay{engine: e, tx: tx, heads: e.heads.Load()}
	cursor := tx.Bucket(walBucket).Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		if len(key) != 8 {
			return errWAL
		}
		generation := binary.BigEndian.Uint64(key)
		h := r.heads.active
		switch {
		case r.heads.frozen != nil && generation <= r.heads.frozen.generation:
			h = r.heads.frozen
		case generation <= h.generation:
		case len(h.projects) == 0: // a head without events
			h = newHead(generation)
			r.heads = &heads{active: h, frozen: r.heads.frozen}
		case r.heads.frozen != nil:
			return e.replayApart(tx)
		default:
			h = newHead(generation)
			r.heads = &heads{active: h, frozen: r.heads.active}
		}
		e.heads.Store(r.heads)
		if err := e.replayAfter(&r, h, generation); err != nil {
			return err
		}
	}
	return nil
}

// replayAfter reads the values of a generation of the WAL that follow those in memory into a head.
func (e *Engine) replayAfter(r *replay, h *head, generation uint64) error {
	b := r.tx.Bucket(walBucket).Bucket(encoding.Key64(generation))
	cursor := b.Cursor()
	for key, raw := cursor.Seek(encoding.Key64(e.following.replayed[generation] + 1)); key != nil; key, raw = cursor.Next() {
		if len(key) != 8 {
			return errWAL
		}
		if err := r.value(h, b.ValueAt(key, raw)); err != nil {
			return err
		}
		e.following.replayed[generation] = binary.BigEndian.Uint64(key)
	}
	return nil
}

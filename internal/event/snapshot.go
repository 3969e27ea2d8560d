package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/encoding"
	"svc/internal/event/query"
	"svc/internal/hourly"
)

// snapshot is a consistent view of a project: its blocks and its events in
// memory, with each event exactly once. It is valid until the end of its
// transaction.
type snapshot struct {
	ctx     context.Context
	engine  *Engine
	project *project // nil if the project has never stored anything
	blocks  *boltfile.Bucket
	counts  *boltfile.Bucket
	heads   []headSnapshot
	read    []*hour  // hours that were passed to the query
	texts   []string // names by number
}

// headSnapshot holds the events of a project that were in a head when the
// snapshot was taken.
type headSnapshot struct {
	head         *head
	of           *headProject
	n            int // number of events
	counts       map[counterGroup][]int64
	firstSession uint32
	sessions     []string // numbered from firstSession
}

// subject returns the number of a distinct_id if it was first received with an event of
// this head, and 0 otherwise.
func (s *headSnapshot) subject(text string) uint32 {
	s.head.mu.RLock()
	defer s.head.mu.RUnlock()
	return s.of.subjects.numbers[text]
}

// hour holds the events of one hour of a snapshot.
type hour struct {
	start int64            // Unix second
	raws  [][]byte         // the encoded blocks
	heads []*block.Columns // the events in memory
}

// snapshot runs fn with a snapshot of a project. fn must not block on a slow
// reader, such as a client. snapshot waits while too many queries run.
func (e *Engine) snapshot(ctx context.Context, p Project, fn func(*snapshot) error) error {
	e.observed.waitingQueries.Add(1)
	select {
	case e.queries <- struct{}{}:
		e.observed.waitingQueries.Add(-1)
	case <-ctx.Done():
		e.observed.waitingQueries.Add(-1)
		return ctx.Err()
	}
	defer func() { <-e.queries }()
	defer e.observed.query.Since(time.Now())
	for {
		err := e.snapshotOnce(ctx, p, fn)
		if errors.Is(err, errOutdated) {
			e.refreshing.RLock()
			e.refreshing.RUnlock() //nolint:staticcheck // an empty section waits for the changes to be in memory
			if err := ctx.Err(); err != nil {
				return err
			}
			continue
		}
		if !errors.Is(err, errForgotten) {
			return err
		}
	}
}

// errOutdated is returned if the memory and the file of a snapshot may belong to different
// positions of the engine that this one follows.
var errOutdated = errors.New("changes were applied during the query")

// errForgotten is returned if the names of a snapshot may not match its events.
var errForgotten = errors.New("event names were removed during the query")

// snapshotOnce is like snapshot. However, if event names were removed while the snapshot was being
// taken, their numbers may have been reassigned. snapshotOnce then returns errForgotten instead of
// calling fn. Likewise, it returns errOutdated if changes of another engine are being applied.
func (e *Engine) snapshotOnce(ctx context.Context, p Project, fn func(*snapshot) error) error {
	v := &snapshot{ctx: ctx, engine: e}
	position := e.following.position.Load()
	forgotten := uint64(0)
	if of := e.project(p); of != nil {
		forgotten = of.names.forgotten.Load()
	}
	// The heads are read first: one that is written before the transaction
	// begins is left out below, and one that is written later is not missed.
	heads := e.heads.Load().all()
	return e.noteDamage(e.file.View(func(tx *boltfile.Tx) error {
		if v.project = e.project(p); v.project == nil {
			if !e.current(tx, position) {
				return errOutdated
			}
			return fn(v)
		}
		flushed := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
		for _, h := range heads {
			if h.generation > flushed {
				v.take(h, p)
			}
		}
		v.blocks, v.counts = projectBucket(tx, p, blocksBucket), projectBucket(tx, p, countersBucket)
		v.texts = v.project.names.all() // last, so that it includes the names of all events seen
		if !e.current(tx, position) {
			return errOutdated
		}
		if v.project.names.forgotten.Load() != forgotten {
			return errForgotten
		}
		return v.run(fn)
	}))
}

// run calls fn. If fn panics because of damage, run returns the damage as an error.
// Queries do not verify the blocks that they read, because that would take longer than
// most queries. They panic at a reference to an item that does not exist.
func (v *snapshot) run(fn func(*snapshot) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err = v.damage(); err == nil {
				panic(p) // the file is not the cause
			}
		}
	}()
	return fn(v)
}

// damage returns an error about a damaged block in the hours that were passed to the
// query, or nil if none of their blocks is damaged.
func (v *snapshot) damage() error {
	for _, h := range v.read {
		for _, raw := range h.raws {
			if err := block.Check(raw); err != nil {
				return h.failed(err)
			}
		}
	}
	return nil
}

// failed adds the hour to an error about one of its blocks.
func (h *hour) failed(err error) error {
	return fmt.Errorf("events of hour %d: %w", h.start/3600, err)
}

// take adds to the snapshot the events of a project that a head contains at the time of
// the call.
func (v *snapshot) take(h *head, p Project) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	of := h.projects[p]
	if of == nil {
		return
	}
	s := headSnapshot{
		head: h, n: len(of.at), counts: make(map[counterGroup][]int64, len(of.counts)), firstSession: of.sessions.first,
		sessions: of.sessions.list,
		of: &headProject{
			at: of.at, received: of.received, names: of.names, clients: of.clients, ids: of.ids, props: of.props, senders: of.senders,
			subjects: of.subjects,
		},
	}
	for g, list := range of.counts {
		s.counts[g] = slices.Clone(list)
	}
	v.heads = append(v.heads, s)
}

// name returns the number of a name.
func (v *snapshot) name(text string) (number uint32, ok bool) {
	if v.project == nil {
		return 0, false
	}
	number, ok = v.project.names.find(text)
	return number, ok && v.nameText(number) == text
}

func (v *snapshot) nameText(number uint32) string {
	if int(number) >= len(v.texts) {
		return ""
	}
	return v.texts[number]
}

// hours returns the hours that have events and overlap the range between two Unix
// seconds, both inclusive, in ascending order.
func (v *snapshot) hours(from, to int64) []*hour {
	from, to = max(from, 0), min(to, 1<<32*3600-1)
	if from > to {
		return nil
	}
	inMemory := map[int64][]*block.Columns{}
	for _, s := range v.heads {
		for order := s.of.order(s.n, from/3600*3600, to/3600*3600+3599); len(order) > 0; {
			var at int64
			var first []uint64
			at, first, order = cutHour(order)
			inMemory[at] = append(inMemory[at], s.part(at, first))
		}
	}
	var list []*hour
	if v.blocks != nil {
		cursor := v.blocks.Cursor()
		for key, raw := cursor.Seek(encoding.Key32(uint32(from / 3600))); key != nil; key, raw = cursor.Next() {
			at := int64(binary.BigEndian.Uint32(key)) * 3600
			if at > to {
				break
			}
			if len(list) == 0 || list[len(list)-1].start != at {
				list = append(list, &hour{start: at, heads: inMemory[at]})
				delete(inMemory, at)
			}
			last := list[len(list)-1]
			last.raws = append(last.raws, v.blocks.ValueAt(key, raw))
		}
	}
	for at, parts := range inMemory {
		list = append(list, &hour{start: at, heads: parts})
	}
	slices.SortFunc(list, func(a, b *hour) int { return cmp.Compare(a.start, b.start) })
	v.read = list
	return list
}

// part returns the events of one hour in a head. The parameter at is the Unix second at which the
// hour begins, and the parameter order is part of a result of the method order. Properties are read
// on demand.
func (s *headSnapshot) part(at int64, order []uint64) *block.Columns {
	object := func(row uint32) string { return s.of.props[order[row]&(1<<rowBits-1)] }
	columns := block.NewColumns(at, s.of.rows(order, false), func(key string) (*block.Column, error) {
		objects := make([]string, len(order))
		for i := range order {
			objects[i] = object(uint32(i))
		}
		return block.PropertyOf(objects, key), nil
	})
	columns.Keys = block.KeysOf(object)
	return columns
}

// open implements Open of query.Hour.
func (h *hour) open(reuse []*block.Columns) ([]*block.Columns, error) {
	list := reuse[:0]
	for _, raw := range h.raws {
		p, err := block.Open(h.start, raw)
		if err != nil {
			return nil, h.failed(err)
		}
		list = append(list, p)
	}
	return append(list, h.heads...), nil
}

// eachCount implements Counts of query.Source.
func (v *snapshot) eachCount(from, to int64, visit func(query.Counter)) error {
	from, to = max(from, 0)/3600, min(to, 1<<32*3600-1)
	if from*3600 > to {
		return nil
	}
	share := func(c counter, n int64) {
		visit(query.Counter{Hour: int64(c.hour) * 3600, Name: c.name, Platform: c.platform, Region: c.region, Offset: uint8(c.offset), N: n})
	}
	if v.counts != nil {
		cursor := v.counts.Cursor()
		for key, raw := cursor.Seek(encoding.Key32(uint32(from))); key != nil; key, raw = cursor.Next() {
			at := binary.BigEndian.Uint32(key)
			if int64(at)*3600 > to {
				break
			}
			if err := v.ctx.Err(); err != nil {
				return err
			}
			if err := hourly.Each(raw, func(what uint64, n int64) { share(counterFrom(at, what), n) }); err != nil {
				return err
			}
		}
	}
	for _, s := range v.heads {
		eachHeadCount(s.counts, func(c counter, n int64) {
			if int64(c.hour) >= from && int64(c.hour)*3600 <= to {
				share(c, n)
			}
		})
	}
	return nil
}

// source returns the query.Source with which queries read the snapshot.
func (v *snapshot) source() *query.Source {
	return &query.Source{
		Names: v.texts, Number: v.name, Counts: v.eachCount, Budget: v.engine.memory,
		Hours: func(from, to int64) []query.Hour {
			hours := v.hours(from, to)
			list := make([]query.Hour, len(hours))
			for i, h := range hours {
				list[i] = query.Hour{Start: h.start, Open: h.open}
			}
			return list
		},
	}
}

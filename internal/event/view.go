package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// view is a project at one moment: its blocks and its events in memory, each
// event once. It lives as long as its transaction.
type view struct {
	ctx     context.Context
	engine  *Engine
	project *project // nil when nothing was ever stored
	blocks  *bbolt.Bucket
	counts  *bbolt.Bucket
	heads   []snapshot
	read    []*hour  // that the query was given
	texts   []string // names by number
	bound   *budget
}

// snapshot is the events of a project that a head had at one moment.
type snapshot struct {
	head         *head
	of           *headProject
	n            int
	counts       map[counterGroup][]int64
	firstSession uint32
	sessions     []string // numbered from firstSession
}

// subject is the number of a distinct_id that is new in the head; 0 when it is
// not.
func (s *snapshot) subject(text string) uint32 {
	s.head.mu.RLock()
	defer s.head.mu.RUnlock()
	return s.of.subjects.numbers[text]
}

// hour is an hour of a view.
type hour struct {
	start int64 // Unix second
	raws  [][]byte
	heads []*part
}

// view runs fn with a project as it is now. fn must not write to anybody who
// may be slow. It waits while too many queries run.
func (e *Engine) view(ctx context.Context, p Project, fn func(*view) error) error {
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
	v := &view{ctx: ctx, engine: e, bound: &budget{most: e.memory}}
	// The heads come first: one that is written before the transaction begins is
	// left out below, and none that is written later is missed.
	heads := e.heads.Load().all()
	return e.viewFile(func(tx *bbolt.Tx) error {
		if v.project = e.project(p); v.project == nil {
			return fn(v)
		}
		flushed := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
		for _, h := range heads {
			if h.generation > flushed {
				v.take(h, p)
			}
		}
		v.blocks, v.counts = projectBucket(tx, p, blocksBucket), projectBucket(tx, p, countersBucket)
		v.texts = v.project.names.all() // last: the events seen have no others
		return v.run(fn)
	})
}

// run is fn with damage as an error. Queries do not verify the blocks that they
// read, which would take longer than most of them do: what refers to nothing is
// found when they get there, with a panic.
func (v *view) run(fn func(*view) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err = v.damage(); err == nil {
				panic(p) // it is not the file
			}
		}
	}()
	return fn(v)
}

// damage looks for a damaged block among those that the query was given.
func (v *view) damage() error {
	for _, h := range v.read {
		for _, raw := range h.raws {
			if err := checkBlock(raw); err != nil {
				return h.failed(err)
			}
		}
	}
	return nil
}

// failed is an error about a block of the hour.
func (h *hour) failed(err error) error {
	return fmt.Errorf("events of hour %d: %w", h.start/3600, err)
}

// take notes what a head has of the project now.
func (v *view) take(h *head, p Project) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	of := h.projects[p]
	if of == nil {
		return
	}
	s := snapshot{
		head: h, n: len(of.at), counts: make(map[counterGroup][]int64, len(of.counts)), firstSession: of.sessions.first, sessions: of.sessions.list,
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

// name is the number of a name.
func (v *view) name(text string) (number uint32, ok bool) {
	if v.project == nil {
		return 0, false
	}
	number, ok = v.project.names.find(text)
	return number, ok && int(number) < len(v.texts)
}

// names is more than the greatest number of a name.
func (v *view) names() int { return len(v.texts) }

func (v *view) nameText(number uint32) string {
	if int(number) >= len(v.texts) {
		return ""
	}
	return v.texts[number]
}

// memory bounds what the query may hold.
func (v *view) memory() *budget { return v.bound }

// hours lists the hours that have events and touch a range, ascending.
func (v *view) hours(from, to int64) []*hour {
	from, to = max(from, 0), min(to, 1<<32*3600-1)
	if from > to {
		return nil
	}
	inMemory := map[int64][]*part{}
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
		for key, raw := cursor.Seek(be32(uint32(from / 3600))); key != nil; key, raw = cursor.Next() {
			at := int64(binary.BigEndian.Uint32(key)) * 3600
			if at > to {
				break
			}
			if len(list) == 0 || list[len(list)-1].start != at {
				list = append(list, &hour{start: at, heads: inMemory[at]})
				delete(inMemory, at)
			}
			last := list[len(list)-1]
			last.raws = append(last.raws, valueOf(v.blocks, key, raw))
		}
	}
	for at, parts := range inMemory {
		list = append(list, &hour{start: at, heads: parts})
	}
	slices.SortFunc(list, func(a, b *hour) int { return cmp.Compare(a.start, b.start) })
	v.read = list
	return list
}

// part is the events of one hour in a head. Properties are read when they are
// asked for.
func (s *snapshot) part(at int64, order []uint64) *part {
	return newPart(at, s.of.rows(order, false), func(key string) (*column, error) {
		objects := make([]string, len(order))
		for i, o := range order {
			objects[i] = s.of.props[o&(1<<rowBits-1)]
		}
		return rawColumn(objects, key), nil
	})
}

// open is the parts of the hour in the order of receipt. It may be called from
// several goroutines, each with parts of its own to use again.
func (h *hour) open(reuse []*part) ([]*part, error) {
	list := reuse[:0]
	for _, raw := range h.raws {
		p, err := openBlock(h.start, raw)
		if err != nil {
			return nil, h.failed(err)
		}
		list = append(list, p)
	}
	return append(list, h.heads...), nil
}

// eachCount visits the hourly counters of the hours that start in a range, the
// first one whole. A counter may be visited more than once, each time with a
// share of its number. Hours are Unix seconds.
func (v *view) eachCount(from, to int64, visit func(hour int64, name uint32, platform uint8, region uint16, offset uint8, n int64)) error {
	from, to = max(from, 0)/3600, min(to, 1<<32*3600-1)
	if from*3600 > to {
		return nil
	}
	share := func(c counter, n int64) {
		visit(int64(c.hour)*3600, c.name, c.platform, c.region, uint8(c.offset), n)
	}
	if v.counts != nil {
		cursor := v.counts.Cursor()
		for key, raw := cursor.Seek(be32(uint32(from))); key != nil; key, raw = cursor.Next() {
			at := binary.BigEndian.Uint32(key)
			if int64(at)*3600 > to {
				break
			}
			if err := v.ctx.Err(); err != nil {
				return err
			}
			if err := readCounters(raw, func(what uint64, n int64) { share(counterFrom(at, what), n) }); err != nil {
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

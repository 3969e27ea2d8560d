package event

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// dropStep is the number of values that one transaction deletes, so that those
// who write wait little.
const dropStep = 64

// Clean removes the events of a project that happened before a moment, and the
// counters of hours that begin before the hour of another; both are Unix
// seconds. Texts that only these events had go from the dictionaries. Names
// stay. It can be stopped and repeated at will.
func (e *Engine) Clean(ctx context.Context, p Project, eventsBefore, countersBefore int64) error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	of := e.project(p)
	if of == nil {
		return nil
	}
	dropped, err := e.dropBefore(ctx, of, blocksBucket, eventsBefore/3600)
	of.swept = of.swept && !dropped
	if err != nil {
		return err
	}
	cut, err := e.cutHour(ctx, of, eventsBefore)
	of.swept = of.swept && !cut
	if err != nil {
		return err
	}
	if !of.swept {
		if err := e.forgetUnused(ctx, of); err != nil {
			return err
		}
	}
	_, err = e.dropBefore(ctx, of, countersBucket, countersBefore/3600)
	return err
}

// dropBefore deletes what is stored under earlier hours. With the first counters
// that go it writes down from which hour on all are there.
func (e *Engine) dropBefore(ctx context.Context, of *project, name []byte, hour int64) (dropped bool, err error) {
	hour = min(max(hour, 0), math.MaxUint32)
	for ctx.Err() == nil {
		n := 0
		err := e.update(func(tx *bbolt.Tx) error {
			p := tx.Bucket(projectsBucket).Bucket(be32(uint32(of.number)))
			keys := keysBefore(p.Bucket(name), uint32(hour))
			if n = len(keys); n == 0 {
				return errNothing
			}
			if from := be32(uint32(hour)); bytes.Equal(name, countersBucket) && bytes.Compare(p.Get(countersFromKey), from) < 0 {
				if err := p.Put(countersFromKey, from); err != nil {
					return err
				}
			}
			return deleteKeys(p.Bucket(name), keys)
		})
		if errors.Is(err, errNothing) {
			return dropped, nil
		}
		if err != nil {
			return dropped, err
		}
		dropped = true
	}
	return dropped, ctx.Err()
}

func keysBefore(b *bbolt.Bucket, hour uint32) (keys [][]byte) {
	cursor := b.Cursor()
	for key, _ := cursor.First(); key != nil && binary.BigEndian.Uint32(key) < hour && len(keys) < dropStep; key, _ = cursor.Next() {
		keys = append(keys, append([]byte(nil), key...))
	}
	return keys
}

func deleteKeys(b *bbolt.Bucket, keys [][]byte) error {
	for _, key := range keys {
		if err := deleteValue(b, key); err != nil {
			return err
		}
	}
	return nil
}

// update is a write transaction of its own.
func (e *Engine) update(fn func(*bbolt.Tx) error) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	return e.updateFile(fn)
}

// cutHour removes the events of an hour that happened before a moment in it.
func (e *Engine) cutHour(ctx context.Context, of *project, before int64) (cut bool, err error) {
	var keys [][]byte
	hour := uint32(min(max(before/3600, 0), 1<<32-1))
	err = e.viewFile(func(tx *bbolt.Tx) error {
		cursor := projectBucket(tx, of.number, blocksBucket).Cursor()
		for key, _ := cursor.Seek(be32(hour)); key != nil && binary.BigEndian.Uint32(key) == hour; key, _ = cursor.Next() {
			keys = append(keys, append([]byte(nil), key...))
		}
		return nil
	})
	for _, key := range keys {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return cut, err
		}
		n, err := e.rewrite(of, key, func(r *rows, row int) bool {
			return int64(hour)*3600+int64(r.seconds[row]) < before
		})
		if err != nil {
			return cut, err
		}
		cut = cut || n > 0
	}
	return cut, err
}

// forgetUnused removes the texts from the dictionaries that no event has any
// more.
func (e *Engine) forgetUnused(ctx context.Context, of *project) error {
	e.writing.Lock()
	ends := [2]uint32{of.subjects.next(), of.sessions.next()}
	e.writing.Unlock()
	subjects, sessions := newMarks(ends[0]), newMarks(ends[1])
	err := e.viewFile(func(tx *bbolt.Tx) error {
		return eachBlock(ctx, tx, of.number, func(_ []byte, p *part) {
			for i := range p.subjects {
				subjects.set(p.subjects[i])
				sessions.set(p.sessions[i])
			}
		})
	})
	if err != nil {
		return err
	}
	const step = 16 << 10 // numbers looked at in one transaction
	for from := uint32(1); from < max(ends[0], ends[1]) && ctx.Err() == nil; from += step {
		gone := [2][]uint32{subjects.unset(from, min(from+step, ends[0])), sessions.unset(from, min(from+step, ends[1]))}
		if len(gone[0])+len(gone[1]) == 0 {
			continue
		}
		if err := e.forget(of, gone[0], gone[1]); err != nil {
			return err
		}
	}
	of.swept = ctx.Err() == nil
	return ctx.Err()
}

// marks is a set of numbers.
type marks []uint64

// newMarks is a set for numbers below one. Others, which only a damaged block
// has, are not taken.
func newMarks(end uint32) marks { return make(marks, end/64+1) }

func (m marks) set(n uint32) {
	if int(n/64) < len(m) {
		m[n/64] |= 1 << (n % 64)
	}
}

// unset lists the numbers from one up to and without another that are not in
// the set.
func (m marks) unset(from, end uint32) (list []uint32) {
	for n := from; n < end; n++ {
		if m[n/64]&(1<<(n%64)) == 0 {
			list = append(list, n)
		}
	}
	return list
}

// DropProject removes everything of a project.
func (e *Engine) DropProject(ctx context.Context, p Project) error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	if err := e.flush(); err != nil {
		return err
	}
	of := e.project(p)
	if of == nil {
		return nil
	}
	for _, name := range [][]byte{blocksBucket, countersBucket} {
		if _, err := e.dropBefore(ctx, of, name, math.MaxUint32); err != nil {
			return err
		}
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	err := e.updateFile(func(tx *bbolt.Tx) error {
		if err := leaveTail(tx, p); err != nil {
			return err
		}
		return tx.Bucket(projectsBucket).DeleteBucket(be32(uint32(p)))
	})
	if !boltfile.Written(err) {
		return err
	}
	for _, h := range e.heads.Load().all() { // what came in since the flush
		h.mu.Lock()
		delete(h.projects, p)
		h.mu.Unlock()
	}
	e.known.Lock()
	defer e.known.Unlock()
	delete(e.projects, p)
	return err
}

package event

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/encoding"
)

// dropStep is the number of values that one transaction deletes. It is small so that
// writers wait only briefly.
const dropStep = 64

// ApplyRetention removes the events of a project that are older than eventsBefore, and
// the counters of all hours before the hour that contains countersBefore. Both are Unix
// seconds. It also removes the distinct_ids and session_ids to which no remaining event
// refers, and the names that were never edited and to which no remaining event or counter
// refers. It can be stopped and repeated at any time.
func (e *Engine) ApplyRetention(ctx context.Context, p Project, eventsBefore, countersBefore int64) error {
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
	of.vacuumed = of.vacuumed && !dropped
	if err != nil {
		return err
	}
	cut, err := e.cutHour(ctx, of, eventsBefore)
	of.vacuumed = of.vacuumed && !cut
	if err != nil {
		return err
	}
	if !of.vacuumed {
		if err := e.vacuum(ctx, of); err != nil {
			return err
		}
	}
	if _, err = e.dropBefore(ctx, of, countersBucket, countersBefore/3600); err != nil {
		return err
	}
	return e.forgetNames(ctx, of)
}

// dropBefore deletes the values of all hours before the given hour (in hours since 1970)
// from the bucket with the given name. If it deletes counters, it also records the given
// hour as the first hour with complete counters.
func (e *Engine) dropBefore(ctx context.Context, of *project, name []byte, hour int64) (dropped bool, err error) {
	hour = min(max(hour, 0), math.MaxUint32)
	for ctx.Err() == nil {
		err := e.update(func(tx *boltfile.Tx) error {
			p := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(of.number)))
			n, err := p.Bucket(name).DeleteFirst(dropStep, func(key []byte) bool { return int64(binary.BigEndian.Uint32(key)) < hour })
			if err != nil {
				return err
			}
			if n == 0 {
				return errNothing
			}
			if from := encoding.Key32(uint32(hour)); bytes.Equal(name, countersBucket) && bytes.Compare(p.Get(countersFromKey), from) < 0 {
				return p.Put(countersFromKey, from)
			}
			return nil
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

// update runs fn in its own write transaction.
func (e *Engine) update(fn func(*boltfile.Tx) error) error {
	e.file.Lock()
	defer e.file.Unlock()
	return e.updateFile(fn)
}

// cutHour removes the events that are earlier than the parameter before, a Unix second,
// but in the same hour. cut reports whether there were any.
func (e *Engine) cutHour(ctx context.Context, of *project, before int64) (cut bool, err error) {
	var keys [][]byte
	hour := uint32(min(max(before/3600, 0), 1<<32-1))
	err = e.file.View(func(tx *boltfile.Tx) error {
		cursor := projectBucket(tx, of.number, blocksBucket).Cursor()
		for key, _ := cursor.Seek(encoding.Key32(hour)); key != nil && binary.BigEndian.Uint32(key) == hour; key, _ = cursor.Next() {
			keys = append(keys, append([]byte(nil), key...))
		}
		return nil
	})
	for _, key := range keys {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return cut, err
		}
		n, err := e.rewrite(of, key, func(r *block.Rows, row int) bool {
			return int64(hour)*3600+int64(r.Seconds[row]) < before
		})
		if err != nil {
			return cut, err
		}
		cut = cut || n > 0
	}
	return cut, err
}

// vacuum removes the distinct_ids and session_ids to which no event refers from the
// dictionaries.
func (e *Engine) vacuum(ctx context.Context, of *project) error {
	e.file.Lock()
	ends := [2]uint32{of.subjects.Next(), of.sessions.Next()}
	e.file.Unlock()
	subjects, sessions := encoding.NewBitset(ends[0]), encoding.NewBitset(ends[1])
	err := e.file.View(func(tx *boltfile.Tx) error {
		return eachBlock(ctx, tx, of.number, func(_ []byte, p *block.Columns) {
			for _, subject := range p.Subjects() {
				subjects.Set(subject)
			}
			for _, session := range p.Sessions() {
				sessions.Set(session)
			}
		})
	})
	if err != nil {
		return err
	}
	const step = 16 << 10 // numbers examined in one transaction
	for from := uint32(1); from < max(ends[0], ends[1]) && ctx.Err() == nil; from += step {
		gone := [2][]uint32{subjects.Missing(from, min(from+step, ends[0])), sessions.Missing(from, min(from+step, ends[1]))}
		if len(gone[0])+len(gone[1]) == 0 {
			continue
		}
		if err := e.removeTexts(of, gone[0], gone[1]); err != nil {
			return err
		}
	}
	of.vacuumed = ctx.Err() == nil
	return ctx.Err()
}

// DropProject removes all data of a project.
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
	e.file.Lock()
	defer e.file.Unlock()
	err := e.updateFile(func(tx *boltfile.Tx) error {
		if err := removeFromWAL(tx, p); err != nil {
			return err
		}
		return tx.Bucket(projectsBucket).DeleteBucket(encoding.Key32(uint32(p)))
	})
	if !boltfile.Written(err) {
		return err
	}
	for _, h := range e.heads.Load().all() { // events that arrived after the flush
		h.mu.Lock()
		delete(h.projects, p)
		h.mu.Unlock()
	}
	e.known.Lock()
	defer e.known.Unlock()
	delete(e.projects, p)
	return err
}

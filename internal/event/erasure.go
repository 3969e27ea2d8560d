package event

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
)

// DeleteSubject removes all events of a subject, the user with the given distinct_id, and
// returns their number. It also removes the subject's distinct_id and the session_ids
// that no other subject has. It does not remove counters and definitions. If
// DeleteSubject fails halfway, it can be repeated; it then counts only the remaining
// events.
func (e *Engine) DeleteSubject(ctx context.Context, p Project, subject string) (deleted int64, err error) {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	if err := e.flush(); err != nil {
		return 0, err
	}
	of := e.project(p)
	if of == nil {
		return 0, nil
	}
	erasing, err := e.findSubject(ctx, of, subject)
	if err != nil || erasing.number == 0 {
		return 0, err
	}
	vacuumed := of.vacuumed
	of.vacuumed = false
	for _, key := range erasing.keys {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := e.rewrite(of, key, func(r *block.Rows, row int) bool {
			return r.Senders[r.SenderOf[row]].Subject == erasing.number
		})
		if err != nil {
			return 0, err
		}
		deleted += int64(n)
	}
	if !vacuumed { // another erasure may have begun before, and sessions without a block are left
		return deleted, e.vacuum(ctx, of)
	}
	err = e.removeTexts(of, []uint32{erasing.number}, erasing.sessions)
	of.vacuumed = err == nil
	return deleted, err
}

// erasing identifies the stored data of a subject that is being erased.
type erasing struct {
	number   uint32
	keys     [][]byte // keys of the blocks that contain the subject's events
	sessions []uint32 // numbers of the session_ids that no other subject uses
}

func (e *Engine) findSubject(ctx context.Context, of *project, subject string) (found erasing, err error) {
	err = e.file.View(func(tx *boltfile.Tx) error {
		b := projectBucket(tx, of.number, subjectsBucket)
		d, err := dictionary.Load(b, e.secret)
		if err != nil {
			return err
		}
		if found.number, _, err = d.Reader(b).Find(subject); found.number == 0 || err != nil {
			return err
		}
		own := map[uint32]bool{}
		err = eachBlock(ctx, tx, of.number, func(key []byte, part *block.Columns) {
			if !slices.Contains(part.Subjects(), found.number) {
				return
			}
			sessions := part.Sessions()
			for i, number := range part.Subjects() {
				if number == found.number {
					own[sessions[i]] = true
				}
			}
			found.keys = append(found.keys, append([]byte(nil), key...))
		})
		if err != nil {
			return err
		}
		delete(own, 0)
		err = eachBlock(ctx, tx, of.number, func(_ []byte, part *block.Columns) {
			sessions := part.Sessions()
			for i, number := range part.Subjects() {
				if number != found.number {
					delete(own, sessions[i])
				}
			}
		})
		for session := range own {
			found.sessions = append(found.sessions, session)
		}
		return err
	})
	return found, err
}

// eachBlock calls visit for each block of a project. key and p are valid until the end of
// tx.
func eachBlock(ctx context.Context, tx *boltfile.Tx, p Project, visit func(key []byte, p *block.Columns)) error {
	return projectBucket(tx, p, blocksBucket).EachValue(func(key, raw []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		hour := int64(binary.BigEndian.Uint32(key)) * 3600
		part, err := block.Open(hour, raw)
		if err != nil {
			return fmt.Errorf("events of hour %d: %w", hour/3600, err)
		}
		visit(key, part)
		return nil
	})
}

// rewrite removes the rows for which drop returns true from the block with the given key,
// and returns the number of removed rows. If no rows remain, it deletes the block. The
// caller must hold e.maintaining, so that blocks do not change.
func (e *Engine) rewrite(of *project, key []byte, drop func(r *block.Rows, row int) bool) (dropped int, err error) {
	var raw []byte
	err = e.file.View(func(tx *boltfile.Tx) error {
		hour := int64(binary.BigEndian.Uint32(key)) * 3600
		r, err := block.Decode(hour, projectBucket(tx, of.number, blocksBucket).Value(key))
		if err != nil {
			return fmt.Errorf("events of hour %d: %w", hour/3600, err)
		}
		kept := r.Without(func(row int) bool { return drop(r, row) })
		dropped = r.Len() - kept.Len()
		if dropped > 0 && kept.Len() > 0 {
			raw, err = block.Encode(hour, kept)
		}
		return err
	})
	if err != nil || dropped == 0 {
		return 0, err
	}
	e.file.Lock()
	defer e.file.Unlock()
	return dropped, e.updateFile(func(tx *boltfile.Tx) error {
		blocks := projectBucket(tx, of.number, blocksBucket)
		if raw == nil {
			return blocks.DeleteValue(key)
		}
		return blocks.PutValue(key, raw)
	})
}

// removeTexts removes the distinct_ids and the session_ids with the given numbers, except
// those to which an event in memory refers. Such an event can have arrived after the
// numbers were collected. No block may refer to any of the numbers.
func (e *Engine) removeTexts(of *project, subjects, sessions []uint32) error {
	e.file.Lock()
	defer e.file.Unlock()
	var nextSubjects, nextSessions *dictionary.Dictionary
	err := e.updateFile(func(tx *boltfile.Tx) (err error) {
		used := e.usedInMemory(of.number)
		b := projectBucket(tx, of.number, subjectsBucket)
		if nextSubjects, err = of.subjects.Remove(b, without(subjects, used.subjects)); err != nil {
			return err
		}
		b = projectBucket(tx, of.number, sessionsBucket)
		nextSessions, err = of.sessions.Remove(b, without(sessions, used.sessions))
		return err
	})
	if boltfile.Written(err) {
		of.subjects, of.sessions = nextSubjects, nextSessions
		e.tidy.Store(false)
	}
	return err
}

// used holds the numbers of the distinct_ids and session_ids of the events in memory.
type used struct{ subjects, sessions map[uint32]bool }

// usedInMemory returns the numbers of the distinct_ids and session_ids to which the
// events in memory refer. The caller must hold the lock of e.file.
func (e *Engine) usedInMemory(p Project) used {
	u := used{map[uint32]bool{}, map[uint32]bool{}}
	for _, h := range e.heads.Load().all() {
		if of := h.projects[p]; of != nil {
			for i := range of.senders {
				u.subjects[of.senders[i].Subject] = true
				u.sessions[of.senders[i].Session] = true
			}
		}
	}
	return u
}

func without(list []uint32, used map[uint32]bool) []uint32 {
	var rest []uint32
	for _, number := range list {
		if !used[number] {
			rest = append(rest, number)
		}
	}
	return rest
}

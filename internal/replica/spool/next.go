package spool

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// ErrGap is returned by Next if changes are missing, so that a snapshot is needed.
var ErrGap = errors.New("changes are missing in the spool")

// Batch is a number of consecutive changes.
type Batch struct {
	Changes     []byte // encoded by format.AppendChange, one after the other
	Count       int    // 0 if there are none
	First, Last uint64 // positions of the first and the last change
	Begin, End  int64  // times of the first and the last change, Unix milliseconds

	size int64 // of the records, in bytes
}

// cursor is the place after a change.
type cursor struct {
	position uint64 // of the change; 0 = there is no cursor
	number   uint64 // of the file
	offset   int64
}

// part is a part of a file.
type part struct {
	file
	from int64
}

// More returns a channel that receives a value after Next may return more, or after a gap. Values are
// not queued.
func (s *Spool) More() <-chan struct{} { return s.more }

// Next returns the first changes above a position, with at most limit bytes unless there is only one. It
// returns changes only if all changes before them have been committed or have failed. The error wraps
// ErrGap.
func (s *Spool) Next(after uint64, limit int) (Batch, error) {
	parts, until, voids, err := s.parts(after)
	if err != nil {
		return Batch{}, err
	}
	var b Batch
	end := cursor{position: after}
	for _, p := range parts {
		full := false
		if full, err = p.read(&b, &end, after, until, limit, voids); full || err != nil {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.drop(fmt.Sprintf("reading it failed: %v", err)) // does nothing if the files were dropped while they were read
		return Batch{}, fmt.Errorf("%w: %w", ErrGap, err)
	}
	if b.Count > 0 && s.out != nil {
		s.batch, s.cursor = b, end
		s.batch.Changes = nil
		if after >= s.confirmed {
			s.oldest = b.Begin
		}
	}
	return b, nil
}

// parts returns where the changes above a position are, up to which position they can be returned, and
// which of them are void.
func (s *Spool) parts(after uint64) (parts []part, until uint64, voids []uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil || after < s.files[0].base {
		return nil, 0, nil, ErrGap
	}
	until = s.last
	for _, d := range s.databases {
		if d.pending > 0 {
			until = min(until, d.pending-1)
		}
	}
	for i, f := range s.files {
		if i+1 < len(s.files) && s.files[i+1].base <= after {
			continue
		}
		p := part{file: *f, from: headerSize}
		if s.cursor.position == after && s.cursor.number == f.number {
			p.from = s.cursor.offset
		}
		parts = append(parts, p)
	}
	for position := range s.voids {
		if position > after {
			voids = append(voids, position)
		}
	}
	slices.Sort(voids)
	return parts, until, voids, nil
}

// read adds the changes of a part of a file between two positions, without the first and with the second. full
// reports whether the batch is complete.
func (p part) read(b *Batch, end *cursor, after, until uint64, limit int, voids []uint64) (full bool, err error) {
	f, err := os.Open(p.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = eachRecord(f, p.from, p.size, func(r record, at int64) bool {
		if r.kind != changeRecord || r.position <= after {
			return true
		}
		if _, void := slices.BinarySearch(voids, r.position); void {
			return true
		}
		if full = r.position > until || b.Count > 0 && len(b.Changes)+len(r.encoded) > limit; full {
			return false
		}
		if b.Count == 0 {
			b.First, b.Begin = r.position, r.change.Time
		}
		b.Changes = append(b.Changes, r.encoded...)
		b.Count, b.Last, b.End, b.size = b.Count+1, r.position, r.change.Time, b.size+r.size
		*end = cursor{r.position, p.number, at + r.size}
		return true
	})
	return full, err
}

// Confirm records that the target has all changes up to a position. It deletes the files that contain no later ones.
func (s *Spool) Confirm(position uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if position <= s.confirmed {
		return nil
	}
	s.confirmed = position
	switch {
	case position >= s.visible:
		s.waiting, s.oldest = 0, 0
		for _, d := range s.databases {
			if d.pending > position {
				s.waiting += d.size
			}
		}
	case position == s.batch.Last:
		s.waiting = max(0, s.waiting-s.batch.size)
		s.oldest = s.batch.End
	default:
		s.oldest = max(s.oldest, s.batch.End)
	}
	for void := range s.voids {
		if void <= position {
			delete(s.voids, void)
		}
	}
	if s.out == nil {
		return nil
	}
	keep := 0
	for keep+1 < len(s.files) && s.files[keep+1].base <= position {
		keep++
	}
	var numbers []uint64
	for _, f := range s.files[:keep] {
		numbers = append(numbers, f.number)
	}
	s.files = slices.Clone(s.files[keep:])
	return errors.Join(s.write(appendMark(nil, confirmedRecord, position)), s.forget(numbers))
}

package spool

import (
	"fmt"
	"os"

	"svc/internal/boltfile"
	"svc/internal/disk"
	"svc/internal/replica/format"
)

// Recorder returns the recorder of a database. It is nil if s is nil.
func (s *Spool) Recorder(of format.File) boltfile.Recorder {
	if s == nil {
		return nil
	}
	return recorder{s, of}
}

// recorder records the changes of a database.
type recorder struct {
	spool *Spool
	of    format.File
}

// Append records a change. It never fails: without space, the spool is dropped. The position is 0 while
// the database follows another one.
func (r recorder) Append(set []byte) (position uint64, err error) {
	s := r.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.following {
		return 0, nil
	}
	s.last++
	s.time = max(s.time, s.now().UnixMilli())
	next := database{settled: s.databases[r.of].settled, pending: s.last, time: s.time}
	if s.out != nil {
		c := format.Change{File: r.of, Position: s.last, Time: s.time, Set: set}
		if next.size, err = s.record(c); err != nil {
			s.drop(err.Error())
		}
	}
	s.databases[r.of] = next
	return s.last, nil
}

// Settle marks the last change as void if its transaction failed.
func (r recorder) Settle(visible bool) {
	s := r.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &s.databases[r.of]
	if d.pending == 0 { // the database follows another one
		return
	}
	switch {
	case visible:
		d.settled, s.visible = d.pending, max(s.visible, d.pending)
		if s.oldest == 0 {
			s.oldest = d.time
		}
	case s.out != nil:
		s.voids[d.pending] = struct{}{}
		s.waiting -= d.size
		if err := s.write(appendMark(nil, voidRecord, d.pending)); err != nil {
			s.drop(err.Error())
		}
	}
	d.pending = 0
	s.signal()
}

// signal makes a value available in the channel of More.
func (s *Spool) signal() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// record appends a change and returns the size of its record. It begins a new file if the newest one is
// large enough.
func (s *Spool) record(c format.Change) (size int64, err error) {
	s.encoded = format.AppendChange(append(s.encoded[:0], changeRecord), c)
	size = int64(len(s.encoded))
	total := size
	for _, f := range s.files {
		total += f.size
	}
	if total > s.max {
		return 0, fmt.Errorf("it would have more than %d bytes", s.max)
	}
	if err := s.need(uint64(size)); err != nil {
		return 0, err
	}
	if s.files[len(s.files)-1].size >= s.fileSize {
		if err := s.rotate(c.Position - 1); err != nil {
			return 0, err
		}
	}
	if err := s.write(s.encoded); err != nil {
		return 0, err
	}
	s.waiting += size
	if cap(s.encoded) > maxReused {
		s.encoded = nil
	}
	return size, nil
}

// maxReused is the size in bytes of the largest buffer that is kept for the next change.
const maxReused = 1 << 20

// need returns an error if the disk would keep less than disk.Floor free after writing the given number
// of bytes.
func (s *Spool) need(bytes uint64) error {
	if free, err := s.free(); err == nil && free < bytes+disk.Floor {
		return fmt.Errorf("the disk has only %d MiB free", free>>20)
	}
	return nil
}

// write appends a record to the newest file.
func (s *Spool) write(record []byte) error {
	f := s.files[len(s.files)-1]
	if _, err := s.out.WriteAt(record, f.size); err != nil {
		return err
	}
	f.size += int64(len(record))
	return nil
}

// rotate begins a new file, which has all changes above a position. After an error, the previous one is
// still in use.
func (s *Spool) rotate(base uint64) error {
	h := header{base: base, time: s.time, confirmed: s.confirmed}
	for i, d := range s.databases {
		h.settled[i], h.pending[i] = d.settled, d.pending
	}
	f := &file{number: s.number + 1, path: pathOf(s.dir, s.number+1), base: base, size: headerSize}
	out, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = out.Write(h.encode()); err == nil && s.out != nil {
		err = s.out.Close()
	}
	if err != nil {
		_ = out.Close()
		_ = os.Remove(f.path) // it has no change, so that it does no harm if it stays
		return err
	}
	s.number, s.out, s.files = f.number, out, append(s.files, f)
	return nil
}

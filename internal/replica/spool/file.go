package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"svc/internal/replica/format"
)

// A spool consists of files with consecutive numbers. Each begins with a header, which is followed by
// records. A record begins with its kind:
//
//	changeRecord     a change, encoded by format.AppendChange
//	voidRecord       8 bytes position, 4 bytes CRC-32C: the transaction with this position failed
//	confirmedRecord  the same: the target has everything up to the position
const (
	changeRecord    = 'c'
	voidRecord      = 'v'
	confirmedRecord = 'd'

	magic      = "svcspol1"
	headerSize = int64(len(magic) + 7*8 + 4)
	markSize   = 1 + 8 + 4
	suffix     = ".spool"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// file is a file of a spool.
type file struct {
	number uint64
	path   string
	base   uint64 // its changes have greater positions
	size   int64  // bytes
}

func pathOf(dir string, number uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%016d%s", number, suffix))
}

// list returns the numbers of the files in a directory, in order. A directory that does not exist has none.
func list(dir string) (numbers []uint64, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		name, ours := strings.CutSuffix(entry.Name(), suffix)
		if number, err := strconv.ParseUint(name, 10, 64); ours && err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// header is the state of a spool in which a file begins. The arrays are indexed by format.File.
type header struct {
	base      uint64 // the changes of the file have greater positions
	time      int64  // of the last change before the file
	confirmed uint64
	settled   [format.Events + 1]uint64 // positions of the databases
	pending   [format.Events + 1]uint64 // positions of transactions in progress, which are in the file before; 0 = none
}

func (h header) encode() []byte {
	b := append(make([]byte, 0, headerSize), magic...)
	for _, n := range []uint64{
		h.base, uint64(h.time), h.confirmed,
		h.settled[format.Records], h.settled[format.Events], h.pending[format.Records], h.pending[format.Events],
	} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// errHeader is returned for a file that does not begin with a valid header.
var errHeader = errors.New("invalid header")

func decodeHeader(b []byte) (h header, err error) {
	if int64(len(b)) < headerSize || string(b[:len(magic)]) != magic ||
		crc32.Checksum(b[:headerSize-4], castagnoli) != binary.BigEndian.Uint32(b[headerSize-4:]) {
		return h, errHeader
	}
	at := func(i int) uint64 { return binary.BigEndian.Uint64(b[len(magic)+8*i:]) }
	h.base, h.time, h.confirmed = at(0), int64(at(1)), at(2)
	h.settled[format.Records], h.settled[format.Events] = at(3), at(4)
	h.pending[format.Records], h.pending[format.Events] = at(5), at(6)
	return h, nil
}

// appendMark appends a record that has only a position.
func appendMark(b []byte, kind byte, position uint64) []byte {
	start := len(b)
	b = binary.BigEndian.AppendUint64(append(b, kind), position)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// record is a record of a file.
type record struct {
	kind     byte
	position uint64
	change   format.Change // of a changeRecord
	encoded  []byte        // the encoding of the change
	size     int64         // of the record, in bytes
}

// decodeRecord decodes the record at the start of b. The error is format.ErrIncomplete if b ends within it.
func decodeRecord(b []byte) (r record, err error) {
	if len(b) == 0 {
		return r, format.ErrIncomplete
	}
	switch r.kind = b[0]; r.kind {
	case changeRecord:
		c, rest, err := format.NextChange(b[1:])
		if err != nil {
			return r, err
		}
		r.change, r.position, r.size = c, c.Position, int64(len(b)-len(rest))
		r.encoded = b[1:r.size]
	case voidRecord, confirmedRecord:
		if len(b) < markSize {
			return r, format.ErrIncomplete
		}
		r.position, r.size = binary.BigEndian.Uint64(b[1:]), markSize
		if crc32.Checksum(b[:markSize-4], castagnoli) != binary.BigEndian.Uint32(b[markSize-4:]) {
			return r, fmt.Errorf("%w: the checksum of a record is wrong", format.ErrInvalid)
		}
	default:
		return r, fmt.Errorf("%w: a record of kind %d", format.ErrInvalid, r.kind)
	}
	return r, nil
}

// chunk is the number of bytes that eachRecord reads at once.
const chunk = 1 << 20

// eachRecord visits the records between two offsets of a file, until visit returns false. at is the offset
// of the record. The bytes of a record are valid only during the call. The error wraps format.ErrInvalid,
// or is one of the file system.
func eachRecord(f io.ReaderAt, from, to int64, visit func(r record, at int64) bool) error {
	b := make([]byte, 0, min(chunk, to-from))
	for from < to {
		b = b[:min(int64(cap(b)), to-from)]
		if _, err := f.ReadAt(b, from); err != nil {
			return err
		}
		rest := b
		for {
			r, err := decodeRecord(rest)
			if errors.Is(err, format.ErrIncomplete) && from+int64(len(rest)) < to {
				break // the rest of the record has not been read yet
			}
			if err != nil {
				return err
			}
			if !visit(r, from) {
				return nil
			}
			rest, from = rest[r.size:], from+r.size
			if from == to {
				return nil
			}
		}
		if len(rest) == len(b) { // the record is larger than the buffer
			b = make([]byte, 0, min(2*int64(cap(b)), to-from))
		}
	}
	return nil
}

// loaded is the content of the files of a spool.
type loaded struct {
	files     []*file // without a hole between their changes
	first     header  // of the first of files
	last      uint64  // the greatest position of all files
	time      int64   // of the last change of all files
	confirmed uint64
	databases [format.Events + 1]loadedDatabase
	voids     map[uint64]struct{}
	oldest    int64 // time of the first change above confirmed
	waiting   int64 // bytes of the records above confirmed
}

// loadedDatabase compares a database with the files of a spool.
type loadedDatabase struct {
	at    At
	found bool     // the files lead to the position of the database
	above []uint64 // changes that are not void, above the position of the database
}

// mismatch returns why the changes do not lead to the content of the databases. It is "" if they do.
func (l *loaded) mismatch() string {
	if len(l.files) == 0 {
		return "there is no spool"
	}
	for _, d := range l.databases[format.Records:] {
		switch {
		case !d.at.Complete:
			return "a database has changed without being recorded"
		case !d.found:
			return "the end of the spool is missing"
		case len(d.above) > 1 || len(d.above) > 0 && d.above[0] <= l.confirmed:
			return "a database is older than the spool"
		}
	}
	return ""
}

// read adds the next file. If it does not continue the previous one, those before it are left out. A file
// ends at the first record that is not valid.
func (l *loaded) read(dir string, number uint64) error {
	f := &file{number: number, path: pathOf(dir, number)}
	content, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer content.Close()
	info, err := content.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, min(headerSize, info.Size()))
	if _, err := io.ReadFull(content, head); err != nil {
		return err
	}
	h, err := decodeHeader(head)
	if err != nil {
		return nil //nolint:nilerror // the process was killed before it had written the header, or the file is lost
	}
	if len(l.files) == 0 || h.base != l.last {
		l.restart(h)
	}
	f.base, f.size = h.base, headerSize
	l.files = append(l.files, f)
	l.last, l.time, l.confirmed = max(l.last, h.base), max(l.time, h.time), max(l.confirmed, h.confirmed)
	last := h.base
	err = eachRecord(content, headerSize, info.Size(), func(r record, _ int64) bool {
		if r.kind == changeRecord && r.position <= last {
			return false
		}
		if r.kind == changeRecord {
			last = r.position
		}
		l.add(r)
		f.size += r.size
		return true
	})
	if errors.Is(err, format.ErrInvalid) {
		return nil
	}
	return err
}

// restart forgets the files so far, because the next one, with the given header, does not continue them.
func (l *loaded) restart(h header) {
	l.files, l.first, l.voids, l.oldest, l.waiting = nil, h, map[uint64]struct{}{}, 0, 0
	for i := format.Records; i <= format.Events; i++ {
		d := &l.databases[i]
		d.above, d.found = nil, d.at.Position == h.settled[i] || d.at.Position == h.pending[i]
	}
}

// add adds a record.
func (l *loaded) add(r record) {
	switch r.kind {
	case changeRecord:
		l.last, l.time = max(l.last, r.position), max(l.time, r.change.Time)
		d := &l.databases[r.change.File]
		switch {
		case r.position > d.at.Position:
			d.above = append(d.above, r.position)
			return
		case r.position == d.at.Position:
			d.found = true
		}
		if l.oldest == 0 {
			l.oldest = r.change.Time
		}
		l.waiting += r.size
	case voidRecord:
		l.voids[r.position] = struct{}{}
		for i := range l.databases {
			d := &l.databases[i]
			if d.at.Position == r.position {
				d.found = false
			}
			d.above = slices.DeleteFunc(d.above, func(position uint64) bool { return position == r.position })
		}
	case confirmedRecord:
		if l.confirmed = max(l.confirmed, r.position); l.confirmed >= l.last {
			l.oldest, l.waiting = 0, 0
		}
	}
}

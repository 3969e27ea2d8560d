// Package series keeps records that arrive without bound, numbered in order of arrival.
// Every 256 of them, when complete, also become a block of two packed columns: a word of
// filter bits per record, and the searchable texts. Lists, totals, deep offsets and the
// verification of a search scan these columns; only the records of a page are decoded.
// The last, incomplete block has no columns: a reader makes them from its records, at
// most 255.
//
// A List needs the bucket of its owner and knows nothing of transactions, projects or the
// change feed. docs/format/svc-db.md describes keys and values.
//
//	series.go  Series, List: one record at a time
//	head.go    the columns of the last block, cached between transactions
//	blocks.go  the columns of blocks: reading, writing, trimming
//	page.go    pages, totals and searches
//	prune.go   removing many records
//	check.go   comparing columns with records
package series

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"github.com/google/uuid"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/store/column"
)

// ID is the UUIDv7 of a record. Ids grow with the numbers of records.
type ID = uuid.UUID

// CreatedAt returns when an id was issued, in Unix seconds.
func CreatedAt(id ID) int64 { return int64(binary.BigEndian.Uint64(id[:8]) >> 16 / 1000) }

// Record is a pointer to a record of a series.
type Record[R any] interface {
	*R
	// Identify sets the id, which is not part of the encoded record.
	Identify(ID)
	// Word returns the filter bits. They must not include Gone.
	Word() column.Word
	// SearchText returns the folded text that a search looks through.
	SearchText() string
}

// Gone is the filter bit of a number without a record.
const Gone column.Word = 1 << 1

// Series names the buckets of a kind of record.
type Series[R any, T Record[R]] struct {
	Records []byte // number -> id, then JSON
	Words   []byte // block -> 256 words, two bytes each, little endian
	Texts   []byte // block -> 256 ends of texts, four bytes each, then the texts; stored with PutValue
	What    string // for messages
}

// Changes connects the changes of a List to its transaction.
type Changes struct {
	Owner  uint32                               // tells the same series of different owners apart
	Heads  *Heads                               // of the transaction
	Stored func(bytes int64)                    // is called with each change of the size of all records
	Packed func(block uint32, text int64) error // is called when columns were written, with their bytes of text, or removed
}

// List is a series in the bucket of its owner. It is valid until the transaction of the
// bucket ends. The zero List is empty and must only be read.
type List[R any, T Record[R]] struct {
	Series[R, T]
	content *boltfile.Bucket
	changes Changes
}

// In returns the list in a bucket, which may be nil. Only methods that write use changes.
func (s Series[R, T]) In(content *boltfile.Bucket, changes Changes) List[R, T] {
	return List[R, T]{s, content, changes}
}

func (l List[R, T]) records() *boltfile.Bucket { return l.content.Bucket(l.Records) }

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberOf reads the key of a record.
func (l List[R, T]) numberOf(key []byte) (uint64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("%w: number %x of %s", boltfile.ErrDamaged, key, l.What)
	}
	return binary.BigEndian.Uint64(key), nil
}

// Missing reports whether the owner has no bucket.
func (l List[R, T]) Missing() bool { return l.content == nil }

// Length returns the number of records ever stored, deleted ones included.
func (l List[R, T]) Length() uint64 { return l.records().Sequence() }

// Has reports whether a number has a record.
func (l List[R, T]) Has(number uint64) bool { return l.records().Get(numberKey(number)) != nil }

// encodeRecord returns the stored form of a record: its id, then JSON.
func encodeRecord(id ID, rec any) ([]byte, error) {
	b, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", rec, err)
	}
	return append(id[:len(id):len(id)], b...), nil
}

// Encoded is the stored form of a new record, except for its id. Encoding is most of the
// work of adding a record, so submissions do it before they wait for a shared transaction.
type Encoded struct {
	raw  []byte // as encodeRecord returns it, with an id of zeros
	word column.Word
	text string // folded
}

// Encode returns the Encoded of a record.
func Encode[R any, T Record[R]](rec T) (e Encoded, err error) {
	if e.raw, err = encodeRecord(ID{}, rec); err != nil {
		return e, err
	}
	e.word, e.text = rec.Word(), rec.SearchText()
	return e, nil
}

// idIn returns the id in the stored form of a record. Of a damaged one that is too short,
// the rest of the id is zero.
func idIn(raw []byte) (id ID) {
	copy(id[:], raw)
	return id
}

// decode reads the stored form of a record.
func (l List[R, T]) decode(raw []byte) (T, ID, error) {
	rec, id := T(new(R)), idIn(raw)
	if len(raw) < len(id) {
		return nil, id, fmt.Errorf("%w: record of %d bytes has no id", boltfile.ErrDamaged, len(raw))
	}
	if err := json.Unmarshal(raw[len(id):], rec); err != nil {
		return nil, id, fmt.Errorf("%w: decode record %s: %w", boltfile.ErrDamaged, id, err)
	}
	rec.Identify(id)
	return rec, id, nil
}

// Add appends an encoded record and writes the columns of its block if that is complete.
func (l List[R, T]) Add(id ID, e Encoded) error {
	records := l.records()
	next, err := records.NextSequence()
	if err != nil {
		return err
	}
	copy(e.raw, id[:])
	l.changes.Stored(int64(len(e.raw)))
	records.FillPercent = 0.9
	if err := records.Put(numberKey(next-1), e.raw); err != nil {
		return err
	}
	return l.appended(next-1, e)
}

// Reserve takes the next number without a record. Until Write stores one, the number is
// like that of a deleted record. The id of the record must be issued in the same
// transaction, so that ids grow with the numbers.
func (l List[R, T]) Reserve() (number uint64, err error) {
	next, err := l.records().NextSequence()
	if err != nil {
		return 0, err
	}
	return next - 1, l.appended(next-1, Encoded{word: Gone})
}

// Replace stores a changed record, or removes it if rec is nil. A missing record is
// NotFound.
func (l List[R, T]) Replace(id ID, rec T) error {
	number, _, err := l.find(id)
	if err != nil {
		return err
	}
	return l.Write(number, id, rec)
}

// Write stores the record of a number, or removes it if rec is nil, and updates the
// columns of its block.
func (l List[R, T]) Write(number uint64, id ID, rec T) (err error) {
	l.dropHead()
	records := l.records()
	l.changes.Stored(-int64(len(records.Get(numberKey(number)))))
	if rec == nil {
		err = records.Delete(numberKey(number))
	} else {
		var raw []byte
		if raw, err = encodeRecord(id, rec); err == nil {
			l.changes.Stored(int64(len(raw)))
			err = records.Put(numberKey(number), raw)
		}
	}
	block := number / column.BlockSize
	if err != nil || l.Blocks() <= block {
		return err // the last block has no columns yet
	}
	return l.seal(block)
}

// Find returns the record with an id. A missing one is NotFound.
func (l List[R, T]) Find(id ID) (T, error) {
	_, rec, err := l.find(id)
	return rec, err
}

// find uses that ids grow with the numbers.
func (l List[R, T]) find(id ID) (number uint64, rec T, err error) {
	missing := fault.New(fault.NotFound, "%s not found", l.What)
	if l.Missing() {
		return 0, nil, missing
	}
	cursor := l.records().Cursor()
	at := l.search(cursor, func(other ID) bool { return string(other[:]) >= string(id[:]) })
	key, raw := cursor.Seek(numberKey(at))
	if key == nil || idIn(raw) != id {
		return 0, nil, missing
	}
	if number, err = l.numberOf(key); err != nil {
		return 0, nil, err
	}
	rec, _, err = l.decode(raw)
	return number, rec, err
}

// search returns the least number from which on reached is true for the ids of records.
func (l List[R, T]) search(cursor *boltfile.Cursor, reached func(ID) bool) uint64 {
	return uint64(sort.Search(int(l.Length()), func(n int) bool {
		key, raw := cursor.Seek(numberKey(uint64(n)))
		return key == nil || reached(idIn(raw))
	}))
}

// First returns the number of the first record, or the length if there is none.
func (l List[R, T]) First() uint64 {
	if key, _ := l.records().Cursor().First(); len(key) == 8 { // otherwise damaged
		return binary.BigEndian.Uint64(key)
	}
	return l.Length()
}

// since returns the number of the first record created at or after a moment.
func (l List[R, T]) since(moment int64) uint64 {
	if moment <= 0 {
		return 0
	}
	return l.search(l.records().Cursor(), func(id ID) bool { return CreatedAt(id) >= moment })
}

// span returns the numbers of the records created in a range of time, ends included: from
// first up to and without end. Blocks before the first record need not have columns.
func (l List[R, T]) span(from, to int64) (first, end uint64) {
	first, end = max(l.since(from), l.First()), l.Length()
	if to < math.MaxInt64 {
		end = l.since(to + 1)
	}
	return first, max(first, end)
}

// Each visits all records, the oldest first. visit must not write.
func (l List[R, T]) Each(visit func(T) error) error {
	if l.Missing() {
		return nil
	}
	return l.records().ForEach(func(key, raw []byte) error {
		rec, _, err := l.decode(raw)
		if err != nil {
			return fmt.Errorf("%s %x: %w", l.What, key, err)
		}
		return visit(rec)
	})
}

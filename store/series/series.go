// Package series stores an unbounded series of records, numbered in order of arrival. Every
// 256 records form a block. A complete block also has packed columns: a word of filter bits
// for each record, the searchable texts, and in some series the labels. Lists, totals, deep
// offsets and searches scan these columns, and only the records of a page are decoded. The
// last, incomplete block has no columns. Readers make them from its records, of which there
// are at most 255.
//
// A List needs the bucket of its owner and knows nothing of transactions, projects or the
// change feed. docs/format/svc-db.md describes keys and values.
//
//	series.go    Series, List: one record at a time
//	head.go      the columns of the last block, cached between transactions
//	blocks.go    the columns of blocks: reading, writing, trimming
//	page.go      pages, totals and searches
//	histogram.go counts of records over time
//	labels.go    adding labels to blocks that were completed without them
//	mark.go      changing the filter bits of many records
//	prune.go     removing many records
//	check.go     comparing columns with records
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

// ID is the UUIDv7 of a record. Ids ascend with the numbers of the records.
type ID = uuid.UUID

// CreatedAt returns the time at which an id was issued, which the id contains, in Unix seconds.
func CreatedAt(id ID) int64 { return int64(binary.BigEndian.Uint64(id[:8]) >> 16 / 1000) }

// Record is a pointer to a record of a series.
type Record[R any] interface {
	*R
	// Identify sets the record's id, which is not part of the encoded record.
	Identify(ID)
	// Word returns the filter bits. They must not include Gone.
	Word() column.Word
	// SearchText returns the folded text that a search looks through.
	SearchText() string
	// Label returns the label. It is zero if the records of the series have no labels.
	Label() column.Label
}

// Gone is the filter bit that marks a number without a record.
const Gone column.Word = 1 << 1

// Series names the buckets of one kind of record.
type Series[R any, T Record[R]] struct {
	Records []byte // number -> id, then JSON
	Words   []byte // block -> 256 words, two bytes each, little endian
	Texts   []byte // block -> 256 ends of texts, four bytes each, then the texts; stored with PutValue
	Labels  []byte // block -> 256 positions of labels, a byte each, then the labels; nil = the series has none
	What    string // name of the records in messages
}

// Changes connects a List to the transaction that changes it.
type Changes struct {
	Owner  uint32                               // identifies the owner among the owners of lists of the same series
	Heads  *Heads                               // heads of the transaction
	Stored func(bytes int64)                    // called with the difference when the total size of the records changes
	Packed func(block uint32, text int64) error // called when the columns of a block change, with the size of their texts
}

// List is a series in the bucket of its owner. It is valid until the transaction of the
// bucket ends. The zero List is empty, and the caller must not write to it.
type List[R any, T Record[R]] struct {
	Series[R, T]
	content *boltfile.Bucket
	changes Changes
}

// In returns the list that a bucket contains. If the bucket is nil, the list is empty.
// Only methods that write use changes.
func (s Series[R, T]) In(content *boltfile.Bucket, changes Changes) List[R, T] {
	return List[R, T]{s, content, changes}
}

func (l List[R, T]) records() *boltfile.Bucket { return l.content.Bucket(l.Records) }

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberOf returns the number that is the key of a record.
func (l List[R, T]) numberOf(key []byte) (uint64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("%w: number %x of %s", boltfile.ErrDamaged, key, l.What)
	}
	return binary.BigEndian.Uint64(key), nil
}

// Missing reports whether the list has no bucket, because its owner is gone.
func (l List[R, T]) Missing() bool { return l.content == nil }

// Length returns the number of records that have ever been added, including deleted ones.
func (l List[R, T]) Length() uint64 { return l.records().Sequence() }

// Has reports whether there is a record with the given number.
func (l List[R, T]) Has(number uint64) bool { return l.records().Get(numberKey(number)) != nil }

// encodeRecord returns the stored form of a record: its id, followed by the record as JSON.
func encodeRecord(id ID, rec any) ([]byte, error) {
	b, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", rec, err)
	}
	return append(id[:len(id):len(id)], b...), nil
}

// Encoded is the stored form of a new record, except for its id. Encoding takes most of
// the time of adding a record, so submissions encode their records before they wait for a
// shared transaction.
type Encoded struct {
	raw   []byte // the result of encodeRecord with an id of zeros
	word  column.Word
	text  string // the folded text
	label column.Label
}

// Encode returns the encoded form of a record.
func Encode[R any, T Record[R]](rec T) (e Encoded, err error) {
	if e.raw, err = encodeRecord(ID{}, rec); err != nil {
		return e, err
	}
	e.word, e.text, e.label = rec.Word(), rec.SearchText(), rec.Label()
	return e, nil
}

// idIn returns the id in the stored form of a record. If a damaged record is too short,
// the missing bytes of the id are zero.
func idIn(raw []byte) (id ID) {
	copy(id[:], raw)
	return id
}

// decode decodes the stored form of a record.
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

// Add appends an encoded record. If that completes a block, it writes the columns of the
// block.
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

// Reserve takes the next number without storing a record. Until Write stores a record with the
// number, the list treats the number as that of a deleted record. The id of the record must be
// issued in the same transaction as the number, so that ids ascend with the numbers.
func (l List[R, T]) Reserve() (number uint64, err error) {
	next, err := l.records().NextSequence()
	if err != nil {
		return 0, err
	}
	return next - 1, l.appended(next-1, Encoded{word: Gone})
}

// Replace stores a changed record, or removes it if rec is nil. The error is NotFound if
// there is no record with the id.
func (l List[R, T]) Replace(id ID, rec T) error {
	number, _, err := l.find(id)
	if err != nil {
		return err
	}
	return l.Write(number, id, rec)
}

// Write stores the record with the given number, or removes it if rec is nil. It also
// updates the columns of the block.
func (l List[R, T]) Write(number uint64, id ID, rec T) error {
	if err := l.store(number, id, rec); err != nil {
		return err
	}
	block := number / column.BlockSize
	if l.Blocks() <= block {
		return nil // the last block has no columns yet
	}
	return l.seal(block)
}

// store stores or removes a record like Write, but leaves the columns unchanged.
func (l List[R, T]) store(number uint64, id ID, rec T) (err error) {
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
	return err
}

// Find returns the record with the given id. The error is NotFound if there is none.
func (l List[R, T]) Find(id ID) (T, error) {
	_, rec, err := l.find(id)
	return rec, err
}

// find finds a record by binary search, because ids ascend with the numbers.
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

// search returns the least number n such that reached returns true for the id of the
// first record at or after n. It uses binary search.
func (l List[R, T]) search(cursor *boltfile.Cursor, reached func(ID) bool) uint64 {
	return uint64(sort.Search(int(l.Length()), func(n int) bool {
		key, raw := cursor.Seek(numberKey(uint64(n)))
		return key == nil || reached(idIn(raw))
	}))
}

// First returns the number of the first record. If there are no records, it returns the length of
// the list.
func (l List[R, T]) First() uint64 {
	if key, _ := l.records().Cursor().First(); len(key) == 8 { // a shorter key is damaged
		return binary.BigEndian.Uint64(key)
	}
	return l.Length()
}

// since returns the number of the first record created at or after a moment, in Unix
// seconds.
func (l List[R, T]) since(moment int64) uint64 {
	if moment <= 0 {
		return 0
	}
	return l.search(l.records().Cursor(), func(id ID) bool { return CreatedAt(id) >= moment })
}

// span returns the half-open range [first, end) of the numbers of the records created in the range
// [from, to], in Unix seconds. It does not begin before the first existing record, because earlier
// blocks need not have columns.
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

// EachFrom visits the records from a number on, the oldest first. It skips records that cannot be
// decoded. visit must not write.
func (l List[R, T]) EachFrom(number uint64, visit func(T) error) error {
	cursor := l.records().Cursor()
	for key, raw := cursor.Seek(numberKey(number)); key != nil; key, raw = cursor.Next() {
		rec, _, err := l.decode(raw)
		if err != nil {
			continue // the check of the file reports it
		}
		if err := visit(rec); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"svc/internal/boltfile"
	"svc/internal/platform"
	"svc/store/column"
)

// series is where a project keeps records that come in without bound: feedback
// or logs. They are numbered in order of arrival. Every 256 of them, when
// complete, also become a block of two packed columns: a word of filter bits
// per record, and their searchable texts. Lists, totals, deep offsets and the
// verification of a search are scans of these columns; only what is shown is
// read as records. The last, incomplete block has no columns: a reader
// makes them from its records, at most 255.
type series[R any, T seriesRecord[R]] struct {
	kind    Kind
	records []byte    // number -> id, then JSON
	words   []byte    // block -> 256 words, two bytes each, little endian
	texts   []byte    // block -> 256 ends of texts, four bytes each, then the texts; stored with PutValue
	bytes   countName // of the stored records
	what    string    // for messages
}

// submission is what the columns of a series are made of.
type submission interface {
	word() column.Word
	searchText() string
}

// seriesRecord is a pointer to a record of a series.
type seriesRecord[R any] interface {
	identified[R]
	submission
}

var (
	feedbackSeries = series[Feedback, *Feedback]{KindFeedback, []byte("feedback"), []byte("feedback_words"), []byte("feedback_texts"), "feedback.bytes", "feedback"}
	logSeries      = series[Log, *Log]{KindLog, []byte("logs"), []byte("log_words"), []byte("log_texts"), "logs.bytes", "log"}
)

func numberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func blockKey(block uint32) []byte { return binary.BigEndian.AppendUint32(nil, block) }

// length is the number of records ever stored, deleted ones included.
func (s series[R, T]) length(content *boltfile.Bucket) uint64 {
	return content.Bucket(s.records).Sequence()
}

// encodeRecord is the stored form of a record of a series: its id, then JSON.
func encodeRecord(id ID, rec any) ([]byte, error) {
	b, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", rec, err)
	}
	return append(id[:len(id):len(id)], b...), nil
}

// Encoded is what a series stores of a new record, but for its id. Making it is
// most of the work of adding a record, so submissions do it before they wait for
// a transaction that others share.
type Encoded struct {
	raw  []byte // as encodeRecord has it, with an id of zeros
	word column.Word
	text string // folded
}

func newEncoded(rec submission) (e Encoded, err error) {
	if e.raw, err = encodeRecord(ID{}, rec); err != nil {
		return e, err
	}
	e.word, e.text = rec.word(), rec.searchText()
	return e, nil
}

// decode reads the stored form of a record.
func (s series[R, T]) decode(raw []byte) (T, ID, error) {
	rec := T(new(R))
	var id ID
	if len(raw) < len(id) {
		return nil, id, fmt.Errorf("record of %d bytes has no id", len(raw))
	}
	copy(id[:], raw)
	if err := json.Unmarshal(raw[len(id):], rec); err != nil {
		return nil, id, fmt.Errorf("decode record %s: %w", id, err)
	}
	rec.identify(id)
	return rec, id, nil
}

// add appends a record and seals its block when that is complete.
func (s series[R, T]) add(tx *Tx, p ProjectID, id ID, rec T) error {
	e, err := newEncoded(rec)
	if err != nil {
		return err
	}
	return s.addEncoded(tx, p, id, e)
}

// addEncoded is add for a record that is encoded already.
func (s series[R, T]) addEncoded(tx *Tx, p ProjectID, id ID, e Encoded) error {
	content := tx.content(p)
	records := content.Bucket(s.records)
	next, err := records.NextSequence()
	if err != nil {
		return err
	}
	copy(e.raw, id[:])
	tx.count(p, s.bytes, int64(len(e.raw)))
	records.FillPercent = 0.9
	if err := records.Put(numberKey(next-1), e.raw); err != nil {
		return err
	}
	return s.appended(tx, p, next-1, e)
}

// reserve takes the next number without a record: until that is written, the number is
// like that of a deleted one. The id of the record must be issued in the same
// transaction, so that ids grow with the numbers.
func (s series[R, T]) reserve(tx *Tx, p ProjectID) (number uint64, err error) {
	next, err := tx.content(p).Bucket(s.records).NextSequence()
	if err != nil {
		return 0, err
	}
	return next - 1, s.appended(tx, p, next-1, Encoded{word: gone})
}

// appended adds to the columns what a number has got that is the last one, and seals
// its block when that is complete.
func (s series[R, T]) appended(tx *Tx, p ProjectID, number uint64, e Encoded) error {
	of := headKey{p, s.kind}
	h := tx.extendHead(of, number, e)
	if (number+1)%column.BlockSize != 0 {
		return nil
	}
	block := uint32(number / column.BlockSize)
	if h == nil {
		return s.seal(tx, p, block)
	}
	tx.dropHead(of)
	return s.put(tx, p, block, h.columns.Columns())
}

// seal makes the columns of a complete block from its records and writes them.
func (s series[R, T]) seal(tx *Tx, p ProjectID, block uint32) error {
	c, err := s.readColumns(tx.content(p), block)
	if err != nil {
		return err
	}
	return s.put(tx, p, block, c)
}

// put writes the columns of a complete block.
func (s series[R, T]) put(tx *Tx, p ProjectID, block uint32, c column.Columns) error {
	content := tx.content(p)
	words, texts := content.Bucket(s.words), content.Bucket(s.texts)
	words.FillPercent, texts.FillPercent = 0.9, 0.9
	if err := words.Put(blockKey(block), c.Words); err != nil {
		return err
	}
	if err := texts.PutValue(blockKey(block), c.Texts); err != nil {
		return err
	}
	tx.changedText += int64(len(c.Texts))
	return tx.record(Change{Kind: s.kind, Project: p, Block: block})
}

// walk reads the columns of many blocks of a project, fastest in order.
type walk[R any, T seriesRecord[R]] struct {
	content      *boltfile.Bucket
	series       series[R, T]
	sealed       uint64 // blocks that have columns
	words, texts blockCursor
}

func (s series[R, T]) walk(content *boltfile.Bucket) *walk[R, T] {
	return &walk[R, T]{
		content: content, series: s, sealed: s.length(content) / column.BlockSize,
		words: newBlockCursor(content.Bucket(s.words)), texts: newBlockCursor(content.Bucket(s.texts)),
	}
}

// read reads the columns of a block, in place where it has them; the texts only
// if asked for.
func (w *walk[R, T]) read(block uint64, texts bool) (c column.Columns, err error) {
	if block >= w.sealed {
		return w.series.readColumns(w.content, uint32(block))
	}
	c.Words = w.words.read(block)
	if texts {
		c.Texts = w.texts.read(block)
	}
	if len(c.Words) != 2*column.BlockSize || texts && len(c.Texts) < 4*column.BlockSize {
		return c, fmt.Errorf("%w: block %d of %s has no whole columns", ErrDamaged, block, w.series.what)
	}
	return c, nil
}

// blockCursor is where a walk is in the blocks of one column.
type blockCursor struct {
	bucket *boltfile.Bucket
	cursor *boltfile.Cursor
	next   uint64 // the block after the last one that was read
}

func newBlockCursor(b *boltfile.Bucket) blockCursor {
	return blockCursor{bucket: b, cursor: b.Cursor()}
}

// read is the column of a block, or nil.
func (c *blockCursor) read(block uint64) []byte {
	key := blockKey(uint32(block))
	var at, value []byte
	switch c.next {
	case block:
		at, value = c.cursor.Next()
	case block + 2:
		at, value = c.cursor.Prev()
	}
	if at == nil { // elsewhere, or nothing was read yet
		at, value = c.cursor.Seek(key)
	}
	if c.next = block + 1; !bytes.Equal(at, key) {
		return nil
	}
	return c.bucket.ValueAt(key, value)
}

// readColumns makes the columns of a block from its records. Numbers without a
// record are gone.
func (s series[R, T]) readColumns(content *boltfile.Bucket, block uint32) (column.Columns, error) {
	first := uint64(block) * column.BlockSize
	n := int(min(s.length(content)-first, column.BlockSize))
	made := column.NewBuilder(n)
	at := 0
	cursor := content.Bucket(s.records).Cursor()
	for key, raw := cursor.Seek(numberKey(first)); key != nil; key, raw = cursor.Next() {
		number := binary.BigEndian.Uint64(key)
		if number >= first+uint64(n) {
			break
		}
		rec, _, err := s.decode(raw)
		if err != nil {
			return column.Columns{}, err
		}
		for ; at < int(number-first); at++ {
			made.Add(gone, "")
		}
		made.Add(rec.word(), rec.searchText())
		at++
	}
	for ; at < n; at++ {
		made.Add(gone, "")
	}
	return made.Columns(), nil
}

// replace stores a changed record, or removes it when rec is nil.
func (s series[R, T]) replace(tx *Tx, p ProjectID, id ID, rec T) error {
	number, _, err := s.find(tx.content(p), id)
	if err != nil {
		return err
	}
	return s.write(tx, p, number, id, rec)
}

// write stores the record of a number, or removes it when rec is nil, and keeps the
// columns of its block in step.
func (s series[R, T]) write(tx *Tx, p ProjectID, number uint64, id ID, rec T) (err error) {
	content := tx.content(p)
	tx.dropHead(headKey{p, s.kind})
	records := content.Bucket(s.records)
	tx.count(p, s.bytes, -int64(len(records.Get(numberKey(number)))))
	if rec == nil {
		err = records.Delete(numberKey(number))
	} else {
		var raw []byte
		if raw, err = encodeRecord(id, rec); err == nil {
			tx.count(p, s.bytes, int64(len(raw)))
			err = records.Put(numberKey(number), raw)
		}
	}
	block := uint32(number / column.BlockSize)
	if err != nil || s.length(content)/column.BlockSize <= uint64(block) {
		return err // the last block has no columns yet
	}
	return s.seal(tx, p, block)
}

// find looks a record up by its id: ids grow with the numbers.
func (s series[R, T]) find(content *boltfile.Bucket, id ID) (number uint64, rec T, err error) {
	missing := notFound(s.what)
	if content == nil {
		return 0, nil, missing
	}
	cursor := content.Bucket(s.records).Cursor()
	first := sort.Search(int(s.length(content)), func(n int) bool {
		key, raw := cursor.Seek(numberKey(uint64(n)))
		return key == nil || string(raw[:len(id)]) >= string(id[:])
	})
	key, raw := cursor.Seek(numberKey(uint64(first)))
	if key == nil || string(raw[:len(id)]) != string(id[:]) {
		return 0, nil, missing
	}
	rec, _, err = s.decode(raw)
	return binary.BigEndian.Uint64(key), rec, err
}

// firstNumber is the number of the first record that is there, or the length when there
// is none.
func (s series[R, T]) firstNumber(content *boltfile.Bucket) uint64 {
	if key, _ := content.Bucket(s.records).Cursor().First(); len(key) == 8 { // otherwise damaged
		return binary.BigEndian.Uint64(key)
	}
	return s.length(content)
}

// since is the number of the first record that was created at or after a
// moment.
func (s series[R, T]) since(content *boltfile.Bucket, moment int64) uint64 {
	if moment <= 0 {
		return 0
	}
	cursor := content.Bucket(s.records).Cursor()
	n := sort.Search(int(s.length(content)), func(n int) bool {
		key, raw := cursor.Seek(numberKey(uint64(n)))
		return key == nil || CreatedAt(ID(raw[:16])) >= moment
	})
	return uint64(n)
}

// span are the numbers of the records created in a range of time, ends
// included: from first up to and without end. Blocks before the first record need not
// have columns.
func (s series[R, T]) span(content *boltfile.Bucket, from, to int64) (first, end uint64) {
	first, end = max(s.since(content, from), s.firstNumber(content)), s.length(content)
	if to < math.MaxInt64 {
		end = s.since(content, to+1)
	}
	return first, max(first, end)
}

// The bits of a filter word that all kinds of records share. Bits 2 to 4 are 0,
// or 1 and the position of the platform in platform.All; from ownShift on the
// bits are those of the kind.
const (
	hidden        column.Word = 1 << 0
	gone          column.Word = 1 << 1 // nothing is left of the record
	platformShift             = 2
	platformMask  column.Word = 7 << platformShift
	ownShift                  = 5
)

func flagWord(flag bool, w column.Word) column.Word {
	if flag {
		return w
	}
	return 0
}

func platformWord(p *platform.Platform) column.Word {
	if p == nil {
		return 0
	}
	for i, known := range platform.All {
		if known == *p {
			return column.Word(i+1) << platformShift
		}
	}
	return 0
}

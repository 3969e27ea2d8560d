package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"go.etcd.io/bbolt"
)

// dictionary numbers the distinct_ids or the session_ids of a project as one
// commit left it. It never changes. Numbers go up from 1 and none is given twice,
// also not after its text was removed.
//
// Its bucket has two buckets, and one value beside them:
//
//	texts  by number of a chunk, which is four bytes, big endian: 1,024 texts, see
//	       dictionary_texts.go; the first chunk has the numbers from 1 on
//	index  the hash index of the texts; payloads are the numbers, four bytes
//	state  the next number, and how many were removed: four bytes each, big endian
type dictionary struct {
	secret  secret
	free    uint32 // the next number
	removed uint32
	index   *hashIndex
}

const (
	dictionaryChunk   = 1 << 10
	dictionaryPayload = 4
)

var (
	dictionaryTexts = []byte("texts")
	dictionaryIndex = []byte("index")
	dictionaryState = []byte("state")

	errDictionaryFull = errors.New("dictionary has all numbers in use")
)

// chunkOf is the chunk of a number and its slot in it.
func chunkOf(number uint32) (chunk uint32, slot int) {
	return (number - 1) / dictionaryChunk, int((number - 1) % dictionaryChunk)
}

// loadDictionary reads a dictionary. The bucket may be empty.
func loadDictionary(b *bbolt.Bucket, s secret) (*dictionary, error) {
	d := &dictionary{secret: s, free: 1, index: emptyHashIndex(dictionaryPayload)}
	raw := b.Get(dictionaryState)
	if raw == nil {
		return d, nil
	}
	texts, index := b.Bucket(dictionaryTexts), b.Bucket(dictionaryIndex)
	if len(raw) != 8 || texts == nil || index == nil {
		return nil, fmt.Errorf("%w: dictionary is not whole", ErrDamaged)
	}
	d.free, d.removed = binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	if d.free == 0 || d.removed >= d.free {
		return nil, fmt.Errorf("%w: dictionary with %d as its next number and %d removed", ErrDamaged, d.free, d.removed)
	}
	var err error
	d.index, err = loadHashIndex(index, dictionaryPayload)
	return d, err
}

// save writes the state.
func (d *dictionary) save(b *bbolt.Bucket) error {
	return b.Put(dictionaryState, append(be32(d.free), be32(d.removed)...))
}

// next is the number that the next text gets.
func (d *dictionary) next() uint32 { return d.free }

// dictionaryReader looks up texts and numbers in one transaction. It is for one
// goroutine.
type dictionaryReader struct {
	d      *dictionary
	texts  *bbolt.Bucket // nil while there is no text
	index  *hashReader
	chunks map[uint32]textChunk // that were looked at
}

// reader needs the bucket that d was loaded from, in a transaction in which d is
// right.
func (d *dictionary) reader(b *bbolt.Bucket) *dictionaryReader {
	r := &dictionaryReader{d: d, texts: b.Bucket(dictionaryTexts), chunks: map[uint32]textChunk{}}
	r.index = d.index.reader(b.Bucket(dictionaryIndex))
	return r
}

// find looks for the number of a text.
func (r *dictionaryReader) find(text string) (number uint32, ok bool, err error) {
	wanted := packText(text)
	var fault error
	err = r.index.each(r.d.secret.hash(text), func(candidate uint32) bool {
		var chunk textChunk
		if chunk, fault = r.chunk(candidate); fault != nil {
			return false
		}
		if _, slot := chunkOf(candidate); chunk.is(slot, &wanted) {
			number, ok = candidate, true
		}
		return !ok
	})
	return number, ok, errors.Join(err, fault)
}

// text is the text of a number. ok is false when there is none, or none any more.
func (r *dictionaryReader) text(number uint32) (text string, ok bool, err error) {
	if number == 0 || number >= r.d.free {
		return "", false, nil
	}
	chunk, err := r.chunk(number)
	if err != nil {
		return "", false, err
	}
	_, slot := chunkOf(number)
	text, ok = chunk.text(slot)
	return text, ok, nil
}

// chunk is the chunk of a number, an empty one where there is none.
func (r *dictionaryReader) chunk(number uint32) (textChunk, error) {
	at, _ := chunkOf(number)
	chunk, ok := r.chunks[at]
	if !ok {
		var err error
		if chunk, err = readChunk(r.texts, at); err != nil {
			return chunk, err
		}
		r.chunks[at] = chunk
	}
	return chunk, nil
}

func readChunk(texts *bbolt.Bucket, number uint32) (textChunk, error) {
	var room [4]byte
	binary.BigEndian.PutUint32(room[:], number)
	raw := texts.Get(room[:])
	if raw == nil {
		return textChunk{}, nil
	}
	chunk, err := openTextChunk(raw)
	if err != nil {
		return chunk, fmt.Errorf("%w: chunk %d of a dictionary: %w", ErrDamaged, number, err)
	}
	return chunk, nil
}

// changeChunk replaces a chunk, unless change says that nothing changes. One
// without a text is removed.
func changeChunk(texts *bbolt.Bucket, number uint32, change func(textChunk) (next textChunk, changed bool)) error {
	chunk, err := readChunk(texts, number)
	if err != nil {
		return err
	}
	if err := chunk.verify(); err != nil {
		return fmt.Errorf("%w: chunk %d of a dictionary: %w", ErrDamaged, number, err)
	}
	chunk, changed := change(chunk)
	if !changed {
		return nil
	}
	if chunk.empty() {
		return texts.Delete(be32(number))
	}
	return texts.Put(be32(number), chunk.encode())
}

// add gives numbers to texts that have none: next, next+1 and so on. What it
// returns is for after the commit; should that fail, d is still right.
func (d *dictionary) add(b *bbolt.Bucket, texts []string) (*dictionary, error) {
	if len(texts) == 0 {
		return d, nil
	}
	if uint64(len(texts)) > math.MaxUint32-uint64(d.free) {
		return nil, errDictionaryFull
	}
	chunks, err := b.CreateBucketIfNotExists(dictionaryTexts)
	if err != nil {
		return nil, fmt.Errorf("create bucket of texts: %w", err)
	}
	index, err := b.CreateBucketIfNotExists(dictionaryIndex)
	if err != nil {
		return nil, fmt.Errorf("create bucket of hashes: %w", err)
	}
	next := *d
	entries := make([]hashEntry, len(texts))
	for i, text := range texts {
		entries[i] = hashEntry{d.secret.hash(text), d.free + uint32(i)}
	}
	for len(texts) > 0 {
		number, slot := chunkOf(next.free)
		n := min(len(texts), dictionaryChunk-slot)
		err := changeChunk(chunks, number, func(c textChunk) (textChunk, bool) { return c.with(slot, texts[:n]), true })
		if err != nil {
			return nil, err
		}
		texts = texts[n:]
		next.free += uint32(n)
	}
	if next.index, err = d.index.add(index, entries); err != nil {
		return nil, err
	}
	return &next, next.save(b)
}

// remove takes texts away. Their numbers are not given out again; those that have
// no text are passed over. What it returns is for after the commit.
func (d *dictionary) remove(b *bbolt.Bucket, numbers []uint32) (*dictionary, error) {
	next := *d
	chunks := map[uint32][]int{} // slots by chunk
	for _, number := range numbers {
		if number > 0 && number < d.free {
			chunk, slot := chunkOf(number)
			chunks[chunk] = append(chunks[chunk], slot)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(chunks)) {
		err := changeChunk(b.Bucket(dictionaryTexts), number, func(c textChunk) (textChunk, bool) {
			left, removed := c.without(chunks[number])
			next.removed += uint32(removed)
			return left, removed > 0
		})
		if err != nil {
			return nil, err
		}
	}
	if next.removed == d.removed {
		return d, nil
	}
	return &next, next.save(b)
}

// compact does a bounded part of the work that is waiting in the index, whose
// changes are for the bucket of that. What it returns is for after the commit.
func (d *dictionary) compact(b *bbolt.Bucket) (next *dictionary, changes *hashPages, worked bool, err error) {
	index := b.Bucket(dictionaryIndex)
	if index == nil {
		return d, nil, false, nil
	}
	changes = changing(index)
	var alive func(number uint32) bool
	var fault error
	if d.removed > 0 {
		r := d.reader(b)
		alive = func(number uint32) bool {
			chunk, err := r.chunk(number)
			if err != nil {
				fault = err
				return true
			}
			_, slot := chunkOf(number)
			return chunk.has(slot)
		}
	}
	compacted := *d
	compacted.index, worked, err = d.index.compact(changes, alive)
	if err = errors.Join(err, fault); err != nil {
		return nil, nil, false, err
	}
	return &compacted, changes, worked, nil
}

// Package dictionary maps texts to numbers and back. A project has one dictionary for its
// distinct_ids and one for its session_ids.
//
//	dictionary.go  the dictionary in its bucket: look up, add, remove, compact
//	chunk.go       a chunk of texts: encode, read in place
//	check.go       checking a dictionary, and rebuilding its index
package dictionary

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/integrity"
)

// Dictionary is the state of a dictionary, which assigns a number to each text, as of one
// commit. It is immutable. Numbers are assigned in ascending order from 1 and are not
// reused, even after their text was removed.
//
// Its bucket contains two buckets and one value:
//
//	texts  the chunks of 1,024 texts, by number (four bytes, big endian); see
//	       chunk.go; the first chunk starts with the text of number 1
//	index  the hash index of the texts; payloads are the numbers, four bytes
//	state  the next number, and the number of removed texts: four bytes each, big endian
type Dictionary struct {
	secret  hashindex.Secret
	free    uint32 // the number that the next text will get
	removed uint32
	index   *hashindex.Index
}

const (
	chunkSlots   = 1 << 10
	payloadBytes = 4
)

var (
	// IndexBucket is the bucket of the hash index.
	IndexBucket = []byte("index")
	textsBucket = []byte("texts")
	stateKey    = []byte("state")

	errFull = errors.New("dictionary has all numbers in use")
)

// chunkOf returns the chunk to which a number belongs, and the number's slot in that
// chunk.
func chunkOf(number uint32) (chunk uint32, slot int) {
	return (number - 1) / chunkSlots, int((number - 1) % chunkSlots)
}

// Load reads the state of the dictionary in a bucket. If the bucket is empty, the
// dictionary is empty.
func Load(b *boltfile.Bucket, s hashindex.Secret) (*Dictionary, error) {
	d := &Dictionary{secret: s, free: 1, index: hashindex.New(payloadBytes)}
	raw := b.Get(stateKey)
	if raw == nil {
		return d, nil
	}
	texts, index := b.Bucket(textsBucket), b.Bucket(IndexBucket)
	if len(raw) != 8 || texts == nil || index == nil {
		return nil, fmt.Errorf("%w: dictionary is incomplete", integrity.ErrDamaged)
	}
	d.free, d.removed = binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
	if d.free == 0 || d.removed >= d.free {
		return nil, fmt.Errorf("%w: dictionary with %d as its next number and %d removed", integrity.ErrDamaged, d.free, d.removed)
	}
	var err error
	d.index, err = hashindex.Load(index, payloadBytes)
	return d, err
}

// save writes the state to the bucket.
func (d *Dictionary) save(b *boltfile.Bucket) error {
	return b.Put(stateKey, append(encoding.Key32(d.free), encoding.Key32(d.removed)...))
}

// Next returns the number that the next text will get.
func (d *Dictionary) Next() uint32 { return d.free }

// Generation identifies the state of the dictionary. It changes whenever a text is added
// or removed, and whenever the index changes.
func (d *Dictionary) Generation() [2]uint64 {
	return [2]uint64{uint64(d.free)<<32 | uint64(d.removed), d.index.Generation()}
}

// Reader looks up texts and numbers in one transaction. It is not safe for concurrent
// use.
type Reader struct {
	d      *Dictionary
	texts  *boltfile.Bucket // nil if the dictionary has no texts
	index  *hashindex.Reader
	chunks map[uint32]textChunk // the chunks that have been read
}

// Reader returns a Reader of the dictionary. b must be the bucket from which d was
// loaded, in a transaction in which d is current.
func (d *Dictionary) Reader(b *boltfile.Bucket) *Reader {
	r := &Reader{d: d, texts: b.Bucket(textsBucket), chunks: map[uint32]textChunk{}}
	r.index = d.index.Reader(b.Bucket(IndexBucket))
	return r
}

// Find returns the number of a text.
func (r *Reader) Find(text string) (number uint32, ok bool, err error) {
	wanted := packText(text)
	var fault error
	err = r.index.Each(r.d.secret.Hash(text), func(candidate uint32) bool {
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

// Text returns the text with a number. ok is false if the number was never assigned or
// its text has been removed.
func (r *Reader) Text(number uint32) (text string, ok bool, err error) {
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

// chunk returns the chunk to which a number belongs. If no such chunk is stored, it
// returns one without slots.
func (r *Reader) chunk(number uint32) (textChunk, error) {
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

func readChunk(texts *boltfile.Bucket, number uint32) (textChunk, error) {
	var room [4]byte
	binary.BigEndian.PutUint32(room[:], number)
	raw := texts.Get(room[:])
	if raw == nil {
		return textChunk{}, nil
	}
	chunk, err := openChunk(raw)
	if err != nil {
		return chunk, fmt.Errorf("%w: chunk %d of a dictionary: %w", integrity.ErrDamaged, number, err)
	}
	return chunk, nil
}

// changeChunk passes the chunk with the given number to the function change, and stores
// the chunk that change returns. If the returned chunk has no texts, changeChunk deletes
// the stored one instead. If changed is false, it stores nothing.
func changeChunk(texts *boltfile.Bucket, number uint32, change func(textChunk) (next textChunk, changed bool)) error {
	chunk, err := readChunk(texts, number)
	if err != nil {
		return err
	}
	if err := chunk.verify(); err != nil {
		return fmt.Errorf("%w: chunk %d of a dictionary: %w", integrity.ErrDamaged, number, err)
	}
	chunk, changed := change(chunk)
	if !changed {
		return nil
	}
	if chunk.empty() {
		return texts.Delete(encoding.Key32(number))
	}
	return texts.Put(encoding.Key32(number), chunk.encode())
}

// Add assigns numbers to texts that have none yet: Next() to the first one, Next()+1 to
// the second, and so on. The returned Dictionary is valid after the commit. If the commit
// fails, d remains valid.
func (d *Dictionary) Add(b *boltfile.Bucket, texts []string) (*Dictionary, error) {
	if len(texts) == 0 {
		return d, nil
	}
	if uint64(len(texts)) > math.MaxUint32-uint64(d.free) {
		return nil, errFull
	}
	chunks, err := b.CreateBucketIfNotExists(textsBucket)
	if err != nil {
		return nil, fmt.Errorf("create bucket of texts: %w", err)
	}
	index, err := b.CreateBucketIfNotExists(IndexBucket)
	if err != nil {
		return nil, fmt.Errorf("create bucket of hashes: %w", err)
	}
	next := *d
	entries := make([]hashindex.Entry, len(texts))
	for i, text := range texts {
		entries[i] = hashindex.Entry{Hash: d.secret.Hash(text), Payload: d.free + uint32(i)}
	}
	for len(texts) > 0 {
		number, slot := chunkOf(next.free)
		n := min(len(texts), chunkSlots-slot)
		err := changeChunk(chunks, number, func(c textChunk) (textChunk, bool) { return c.with(slot, texts[:n]), true })
		if err != nil {
			return nil, err
		}
		texts = texts[n:]
		next.free += uint32(n)
	}
	if next.index, err = d.index.Add(index, entries); err != nil {
		return nil, err
	}
	return &next, next.save(b)
}

// Remove removes the texts with the given numbers. It ignores numbers without a text. The
// numbers are not reused. The returned Dictionary is valid after the commit.
func (d *Dictionary) Remove(b *boltfile.Bucket, numbers []uint32) (*Dictionary, error) {
	next := *d
	chunks := map[uint32][]int{} // slots to empty, by chunk
	for _, number := range numbers {
		if number > 0 && number < d.free {
			chunk, slot := chunkOf(number)
			chunks[chunk] = append(chunks[chunk], slot)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(chunks)) {
		err := changeChunk(b.Bucket(textsBucket), number, func(c textChunk) (textChunk, bool) {
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

// Compact does a limited part of the pending compaction of the index. The caller must
// write the returned changes to the bucket of the index. next is valid after they have
// been committed. worked is false if there was nothing to do.
func (d *Dictionary) Compact(b *boltfile.Bucket) (next *Dictionary, changes *hashindex.Pages, worked bool, err error) {
	index := b.Bucket(IndexBucket)
	if index == nil {
		return d, nil, false, nil
	}
	changes = hashindex.NewPages(index)
	var alive func(number uint32) bool
	var fault error
	if d.removed > 0 {
		r := d.Reader(b)
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
	compacted.index, worked, err = d.index.Compact(changes, alive)
	if err = errors.Join(err, fault); err != nil {
		return nil, nil, false, err
	}
	return &compacted, changes, worked, nil
}

package event

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// check reads all pages and verifies that they are what the directory says.
func (x *hashIndex) check(b *bbolt.Bucket) error {
	for _, p := range x.all() {
		for i := range p.runs {
			r := &p.runs[i]
			n, err := x.countAlive(changing(b), p, r, func(uint32) bool { return true })
			if err != nil {
				return err
			}
			if n != int(r.entries) {
				return fmt.Errorf("%w: hash index: run %d has %d entries, not %d", ErrDamaged, r.number, n, r.entries)
			}
		}
	}
	return nil
}

// check reads all of the dictionary and verifies that each text is found by its
// number and each number by its text.
func (d *dictionary) check(b *bbolt.Bucket) error {
	texts := b.Bucket(dictionaryTexts)
	if texts == nil {
		return nil
	}
	if err := d.index.check(b.Bucket(dictionaryIndex)); err != nil {
		return err
	}
	last, _ := chunkOf(d.free)
	found := uint32(0)
	for number := range last + 1 {
		n, err := d.checkChunk(d.reader(b), number)
		if err != nil {
			return fmt.Errorf("chunk %d of a dictionary: %w", number, err)
		}
		found += n
	}
	if want := d.free - 1 - d.removed; found != want {
		return fmt.Errorf("%w: dictionary has %d texts, not %d", ErrDamaged, found, want)
	}
	return nil
}

// checkChunk verifies a chunk and counts its texts.
func (d *dictionary) checkChunk(r *dictionaryReader, number uint32) (texts uint32, err error) {
	chunk, err := readChunk(r.texts, number)
	if err != nil {
		return 0, err
	}
	if err := chunk.verify(); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for slot := range dictionaryChunk {
		text, ok := chunk.text(slot)
		if !ok {
			continue
		}
		want := number*dictionaryChunk + uint32(slot) + 1
		got, ok, err := r.find(text)
		if err != nil {
			return 0, err
		}
		if !ok || got != want {
			return 0, fmt.Errorf("%w: number %d is not found by its text", ErrDamaged, want)
		}
		texts++
	}
	return texts, nil
}

package dictionary

import (
	"encoding/binary"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/integrity"
)

// Numbers records which numbers of a dictionary currently have a text.
type Numbers struct {
	there encoding.Bitset
	free  uint32 // the number that the next text will get
}

// Has reports whether a number has a text. If the chunk that contains the number cannot
// be read, Has returns true, because the number may have a text.
func (t *Numbers) Has(number uint32) bool {
	return number > 0 && number < t.free && t.there.Has(number)
}

// Checker checks dictionaries for damage.
type Checker struct {
	Report *integrity.Report
	Secret hashindex.Secret
	Read   func(bytes int) error               // called with the number of bytes read, to report the progress
	Fix    func(name string, put func() error) // called for each finding that can be repaired: put performs the repair, and name identifies it
}

// Check reads a whole dictionary. It verifies that each text is found by its number, and
// each number by its text. It adds damage to the report, with path as the path of the
// dictionary.
func (c *Checker) Check(b *boltfile.Bucket, path string) (Numbers, error) {
	t := Numbers{free: 1, there: encoding.NewBitset(1)}
	raw := b.Get(stateKey)
	if raw == nil && b.Bucket(textsBucket) == nil {
		return t, nil
	}
	if len(raw) != 8 || b.Bucket(textsBucket) == nil {
		c.Report.Add(integrity.Text, path, "there are texts without a state of 8 bytes, or a state without texts")
		return t, nil
	}
	d := &Dictionary{secret: c.Secret, free: binary.BigEndian.Uint32(raw), removed: binary.BigEndian.Uint32(raw[4:])}
	last, ok := c.lastChunk(path, b.Bucket(textsBucket), d)
	if !ok {
		return t, nil
	}
	t.free, t.there = d.free, encoding.NewBitset(d.free)
	r := c.indexOf(path, b, d)
	found, whole := uint32(0), true
	for number := range last + 1 {
		n, ok, err := c.checkChunk(path, b, r, number, t)
		if err != nil {
			return t, err
		}
		found += n
		whole = whole && ok
	}
	if want := d.free - 1 - d.removed; whole && found != want {
		c.Report.Add(integrity.Text, path, "there are %d texts, not %d", found, want)
	}
	return t, nil
}

// lastChunk returns the greatest number that a chunk of the dictionary can have. ok is
// false if the state of the dictionary is invalid.
func (c *Checker) lastChunk(path string, texts *boltfile.Bucket, d *Dictionary) (last uint32, ok bool) {
	if d.free == 0 || d.removed >= d.free {
		c.Report.Add(integrity.Text, path+"/state", "the next number is %d, but %d were removed", d.free, d.removed)
		return 0, false
	}
	last, _ = chunkOf(max(d.free, 2) - 1)
	if key, _ := texts.Cursor().Last(); len(key) == 4 && binary.BigEndian.Uint32(key) > last {
		c.Report.Add(integrity.Text, path+"/texts/"+integrity.Key(key), "its numbers were never assigned: the next one is %d", d.free)
		return 0, false
	}
	return last, true
}

// indexOf returns a reader of a dictionary, or nil if the dictionary's index is damaged.
func (c *Checker) indexOf(path string, b *boltfile.Bucket, d *Dictionary) *Reader {
	index := b.Bucket(IndexBucket)
	if index == nil {
		c.indexIsWrong(path, b, "there is no index")
		return nil
	}
	var err error
	if d.index, err = hashindex.Load(index, payloadBytes); err == nil {
		err = d.index.Check(index, func(number uint32) bool { return number > 0 && number < d.free })
	}
	if err != nil {
		c.indexIsWrong(path, b, "%v", err)
		return nil
	}
	return d.Reader(b)
}

func (c *Checker) indexIsWrong(path string, b *boltfile.Bucket, format string, args ...any) {
	c.Report.Add(integrity.DictionaryIndex, path+"/index", format, args...)
	c.Fix(path, func() error { return rebuildIndex(b, c.Secret) })
}

// checkChunk verifies a chunk, records the numbers of its texts in t, and counts the
// texts. ok is false if the chunk cannot be read.
func (c *Checker) checkChunk(path string, b *boltfile.Bucket, r *Reader, number uint32, t Numbers) (texts uint32, ok bool, err error) {
	chunk, damage := readChunk(b.Bucket(textsBucket), number)
	if damage == nil {
		damage = chunk.verify()
	}
	first := number*chunkSlots + 1
	if damage != nil {
		c.Report.Add(integrity.Text, path+"/texts/"+integrity.Key(encoding.Key32(number)), "%v", damage)
		for slot := range uint32(chunkSlots) {
			t.there.Set(first + slot) // the number may have a text
		}
		return 0, false, c.Read(len(chunk.raw))
	}
	for slot := range chunkSlots {
		text, there := chunk.text(slot)
		if !there {
			continue
		}
		texts++
		want := first + uint32(slot)
		t.there.Set(want)
		if r == nil {
			continue
		}
		if got, found, err := r.Find(text); err != nil || !found || got != want {
			c.indexIsWrong(path, b, "number %d is not found by its text", want)
		}
	}
	return texts, true, c.Read(len(chunk.raw))
}

// rebuildIndex builds the index of a dictionary from those texts that can be read.
func rebuildIndex(dictionary *boltfile.Bucket, s hashindex.Secret) error {
	m, err := hashindex.Rebuild(dictionary, IndexBucket, payloadBytes)
	if err != nil {
		return err
	}
	cursor := dictionary.Bucket(textsBucket).Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		chunk, err := openChunk(raw)
		if err != nil || len(key) != 4 {
			continue // the damaged chunk is already in the report
		}
		for slot := range chunkSlots {
			if text, ok := chunk.text(slot); ok {
				number := binary.BigEndian.Uint32(key)*chunkSlots + uint32(slot) + 1
				if err := m.Add(hashindex.Entry{Hash: s.Hash(text), Payload: number}); err != nil {
					return err
				}
			}
		}
	}
	return m.Flush()
}

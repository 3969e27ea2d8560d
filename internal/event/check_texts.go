package event

import (
	"encoding/binary"

	"go.etcd.io/bbolt"

	"svc/internal/finding"
)

// textsCheck says which numbers of a dictionary have a text.
type textsCheck struct {
	there marks
	free  uint32 // the next number
}

// has reports whether a number has a text, or may have had one on a chunk that
// cannot be read.
func (t *textsCheck) has(number uint32) bool {
	return number > 0 && number < t.free && t.there[number/64]&(1<<(number%64)) != 0
}

// checkTexts reads all of a dictionary and verifies that each text is found by its
// number and each number by its text.
func (p *projectCheck) checkTexts(b *bbolt.Bucket, path string) (textsCheck, error) {
	t := textsCheck{free: 1}
	raw := b.Get(dictionaryState)
	if raw == nil && b.Bucket(dictionaryTexts) == nil {
		t.there = newMarks(t.free)
		return t, nil
	}
	if len(raw) != 8 || b.Bucket(dictionaryTexts) == nil {
		p.report.Add(finding.Text, path, "there are texts without a state of 8 bytes, or a state without texts")
		t.there = newMarks(t.free)
		return t, nil
	}
	d := &dictionary{secret: p.secret, free: binary.BigEndian.Uint32(raw), removed: binary.BigEndian.Uint32(raw[4:])}
	last, ok := p.lastChunk(path, b.Bucket(dictionaryTexts), d)
	if !ok {
		t.there = newMarks(t.free)
		return t, nil
	}
	t.free, t.there = d.free, newMarks(d.free)
	r := p.indexOf(path, b, d)
	found, whole := uint32(0), true
	for number := range last + 1 {
		n, ok, err := p.checkChunk(path, b, r, number, t)
		if err != nil {
			return t, err
		}
		found += n
		whole = whole && ok
	}
	if want := d.free - 1 - d.removed; whole && found != want {
		p.report.Add(finding.Text, path, "there are %d texts, not %d", found, want)
	}
	return t, nil
}

// lastChunk is the number of the last chunk that a dictionary can have; ok is
// false where its state cannot be.
func (p *projectCheck) lastChunk(path string, texts *bbolt.Bucket, d *dictionary) (last uint32, ok bool) {
	if d.free == 0 || d.removed >= d.free {
		p.report.Add(finding.Text, path+"/state", "%d is the next number, and %d were removed", d.free, d.removed)
		return 0, false
	}
	last, _ = chunkOf(max(d.free, 2) - 1)
	if key, _ := texts.Cursor().Last(); len(key) == 4 && binary.BigEndian.Uint32(key) > last {
		p.report.Add(finding.Text, path+"/texts/"+finding.Key(key), "its numbers were never given: %d is the next one", d.free)
		return 0, false
	}
	return last, true
}

// indexOf is a reader of a dictionary whose index is sound, otherwise nil.
func (p *projectCheck) indexOf(path string, b *bbolt.Bucket, d *dictionary) *dictionaryReader {
	index := b.Bucket(dictionaryIndex)
	if index == nil {
		p.indexIsWrong(path, b, "there is no index")
		return nil
	}
	var err error
	if d.index, err = loadHashIndex(index, dictionaryPayload); err == nil {
		err = d.index.check(index, func(number uint32) bool { return number > 0 && number < d.free })
	}
	if err != nil {
		p.indexIsWrong(path, b, "%v", err)
		return nil
	}
	return d.reader(b)
}

func (p *projectCheck) indexIsWrong(path string, b *bbolt.Bucket, format string, args ...any) {
	p.report.Add(finding.DictionaryIndex, path+"/index", format, args...)
	p.fix(path, func() error { return renewTextIndex(b, p.secret) })
}

// checkChunk verifies a chunk, notes its numbers, and counts its texts. ok is
// false for one that cannot be read.
func (p *projectCheck) checkChunk(path string, b *bbolt.Bucket, r *dictionaryReader, number uint32, t textsCheck) (texts uint32, ok bool, err error) {
	chunk, damage := readChunk(b.Bucket(dictionaryTexts), number)
	if damage == nil {
		damage = chunk.verify()
	}
	first := number*dictionaryChunk + 1
	if damage != nil {
		p.report.Add(finding.Text, path+"/texts/"+finding.Key(be32(number)), "%v", damage)
		for slot := range uint32(dictionaryChunk) {
			t.there.set(first + slot) // not known to be missing
		}
		return 0, false, p.read(len(chunk.raw))
	}
	for slot := range dictionaryChunk {
		text, there := chunk.text(slot)
		if !there {
			continue
		}
		texts++
		want := first + uint32(slot)
		t.there.set(want)
		if r == nil {
			continue
		}
		if got, found, err := r.find(text); err != nil || !found || got != want {
			p.indexIsWrong(path, b, "number %d is not found by its text", want)
		}
	}
	return texts, true, p.read(len(chunk.raw))
}

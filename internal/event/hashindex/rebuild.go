package hashindex

import (
	"fmt"

	"svc/internal/boltfile"
	"svc/internal/integrity"
)

// rebuildEntries is the number of entries that a Builder collects before it adds them to
// the index.
const rebuildEntries = defaultPartition / 2

// Builder builds an index from entries in any order.
type Builder struct {
	x       *Index
	b       *boltfile.Bucket
	entries []Entry
}

// Rebuild creates the bucket with the given name in the bucket in, and replaces it if it
// exists. It returns a Builder that builds a new index there.
func Rebuild(in *boltfile.Bucket, name []byte, payloadBytes int) (*Builder, error) {
	if in.Bucket(name) != nil {
		if err := in.DeleteBucket(name); err != nil {
			return nil, err
		}
	}
	b, err := in.CreateBucket(name)
	if err != nil {
		return nil, err
	}
	return &Builder{x: New(payloadBytes), b: b}, nil
}

// Add adds an entry.
func (m *Builder) Add(e Entry) error {
	if m.entries = append(m.entries, e); len(m.entries) < rebuildEntries {
		return nil
	}
	return m.Flush()
}

// Flush adds the collected entries to the index and compacts it. The caller must call it
// after the last Add.
func (m *Builder) Flush() (err error) {
	if m.x, err = m.x.Add(m.b, m.entries); err != nil {
		return err
	}
	m.entries = m.entries[:0]
	for worked := true; worked; {
		pages := NewPages(m.b)
		if m.x, worked, err = m.x.Compact(pages, nil); err != nil {
			return err
		}
		if err := pages.Write(m.b); err != nil {
			return err
		}
	}
	return nil
}

// Check reads all pages and verifies that they match the directory. possible reports
// whether a payload can be valid.
func (x *Index) Check(b *boltfile.Bucket, possible func(payload uint32) bool) error {
	for _, p := range x.parts() {
		for i := range p.runs {
			r := &p.runs[i]
			n, err := x.countAlive(&Pages{bucket: b}, p, p.runs[i:i+1], possible)
			if err != nil {
				return err
			}
			if n != int(r.entries) {
				return fmt.Errorf("%w: hash index: run %d has %d entries, not %d", integrity.ErrDamaged, r.number, n, r.entries)
			}
		}
	}
	return nil
}

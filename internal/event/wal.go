package event

import (
	"encoding/binary"
	"errors"
	"fmt"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/encoding"
	"svc/internal/event/submission"
)

// A value of the WAL contains the batches of one commit, concatenated:
//
// 	batch   = project, received, time zone (stats.Offset), platform, region (uvarints)
// 	          subject, session, version, country name, region name, city,
// 	          address, user agent (texts)
// 	          number of events (uvarint) { event }
// 	event   = event_id (text), name, zigzag of time minus received (uvarints)
// 	          0, or 1 + length of the properties (uvarint) and the properties
// 	text    = length (uvarint) and bytes
//
// The key is the number of the commit in its generation.

var errWAL = fmt.Errorf("%w: WAL", ErrDamaged)

// walBatch is a batch in the WAL: the accepted events of one request.
type walBatch struct {
	project  Project
	received int64
	offset   uint8 // stats.Offset
	subject  string
	session  string
	details  block.Details
	items    []walItem
}

type walItem struct {
	id    string
	name  uint32
	at    int64
	props string // a JSON object; "" = none
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// append appends a batch to a value of the WAL. The stored batch contains only the items
// at the indexes in take. names holds the number of the name for each element of take.
func (t *walBatch) append(b []byte, items []submission.Item, take []int, names []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(t.project))
	b = binary.AppendUvarint(b, uint64(t.received))
	b = append(b, t.offset, t.details.Platform)
	b = binary.AppendUvarint(b, uint64(t.details.Region))
	for _, text := range []string{
		t.subject, t.session, t.details.Version, t.details.CountryName,
		t.details.RegionName, t.details.City, t.details.Address, t.details.Agent,
	} {
		b = appendText(b, text)
	}
	b = binary.AppendUvarint(b, uint64(len(take)))
	for i, at := range take {
		item := &items[at]
		b = appendText(b, item.ID)
		b = binary.AppendUvarint(b, uint64(names[i]))
		b = binary.AppendVarint(b, item.At-t.received)
		if item.Properties == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(item.Properties))+1)
		b = append(b, item.Properties...)
	}
	return b
}

// walReader reads the batches from a value of the WAL.
type walReader struct {
	encoding.Reader
	whole string // the value; texts are substrings of it
}

func newWALReader(value []byte) walReader {
	return walReader{encoding.Reader{Rest: value}, string(value)}
}

// take reads a text of n bytes.
func (r *walReader) take(n int) string {
	from := len(r.whole) - len(r.Rest)
	return r.whole[from : from+len(r.Take(n))]
}

func (r *walReader) text() string { return r.take(r.Count(len(r.Rest))) }

// next reads the next batch into t. It reuses the slice of t's items.
func (r *walReader) next(t *walBatch) error {
	*t = walBatch{project: Project(r.Uvarint()), received: int64(r.Uvarint()), items: t.items[:0]}
	t.offset, t.details.Platform = r.Byte(), r.Byte()
	t.details.Region = uint16(r.Uvarint())
	for _, to := range []*string{
		&t.subject, &t.session, &t.details.Version, &t.details.CountryName,
		&t.details.RegionName, &t.details.City, &t.details.Address, &t.details.Agent,
	} {
		*to = r.text()
	}
	for n := r.Uvarint(); n > 0 && !r.Bad; n-- {
		item := walItem{id: r.text(), name: uint32(r.Uvarint()), at: t.received + r.Varint()}
		if size := r.Count(len(r.Rest)); size > 0 {
			item.props = r.take(size - 1)
		}
		t.items = append(t.items, item)
	}
	if r.Bad {
		return errWAL
	}
	return nil
}

// removeFromWAL removes the batches of a project. Otherwise they would be
// replayed with wrong names if the project's number were reused.
func removeFromWAL(tx *boltfile.Tx, p Project) error {
	wal := tx.Bucket(walBucket)
	return wal.ForEachBucket(func(generation []byte) error {
		changed := map[string][]byte{}
		err := wal.Bucket(generation).EachValue(func(key, value []byte) error {
			kept, has, err := valueWithout(value, p)
			if has {
				changed[string(key)] = kept
			}
			return err
		})
		for key, kept := range changed {
			if len(kept) == 0 {
				err = errors.Join(err, wal.Bucket(generation).DeleteValue([]byte(key)))
				continue
			}
			err = errors.Join(err, wal.Bucket(generation).PutValue([]byte(key), kept))
		}
		return err
	})
}

// valueWithout returns a value of the WAL without the batches of a project. The result has reports
// whether the value contained any of them.
func valueWithout(value []byte, p Project) (kept []byte, has bool, err error) {
	var t walBatch
	for r := newWALReader(value); len(r.Rest) > 0; {
		before := r.Rest
		if err := r.next(&t); err != nil {
			return nil, false, err
		}
		if t.project == p {
			has = true
			continue
		}
		kept = append(kept, before[:len(before)-len(r.Rest)]...)
	}
	return kept, has, nil
}

// replay reads the WAL and loads its events into memory.
func (e *Engine) replay(tx *boltfile.Tx) error {
	last := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
	h := newHead(last + 1)
	e.heads.Store(&heads{active: h})
	r := replay{engine: e, tx: tx, heads: e.heads.Load()}
	wal := tx.Bucket(walBucket)
	return wal.ForEachBucket(func(key []byte) error {
		if len(key) != 8 || binary.BigEndian.Uint64(key) <= last {
			return errWAL
		}
		h.generation = max(h.generation, binary.BigEndian.Uint64(key))
		return wal.Bucket(key).EachValue(func(_, value []byte) error { return r.value(h, value) })
	})
}

// replay loads events of the WAL into memory.
type replay struct {
	engine  *Engine
	tx      *boltfile.Tx
	heads   *heads // with the events before those that are loaded
	readers map[Project]*projectReader
	batch   walBatch
	hashes  []uint64
}

// value loads the events of a value of the WAL into h, which is one of the heads.
func (r *replay) value(h *head, value []byte) error {
	if value == nil {
		return errWAL
	}
	h.logged(len(value))
	for values := newWALReader(value); len(values.Rest) > 0; {
		if err := values.next(&r.batch); err != nil {
			return err
		}
		if err := r.load(h); err != nil {
			return err
		}
	}
	return nil
}

// load loads the events of r.batch.
func (r *replay) load(h *head) error {
	t := &r.batch
	p := r.engine.project(t.project)
	if p == nil {
		return nil // deleted
	}
	for i := range t.items {
		if !p.names.has(t.items[i].name) {
			return fmt.Errorf("%w: there is no name %d", errWAL, t.items[i].name)
		}
	}
	reader := r.readers[t.project]
	if reader == nil {
		reader = p.reader(r.tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(p.number))))
		if r.readers == nil {
			r.readers = map[Project]*projectReader{}
		}
		r.readers[t.project] = reader
	}
	var found batchLookup
	var err error
	if found.subject, found.session, err = reader.sender(t.subject, t.session); err != nil {
		return err
	}
	subject, session := numbersOf(r.heads, &Batch{Project: t.project, Subject: t.subject, Session: t.session}, &found)
	r.hashes = r.hashes[:0]
	for i := range t.items {
		r.hashes = append(r.hashes, r.engine.secret.Hash(t.items[i].id))
	}
	before := r.heads.frozen
	if h == before {
		before = nil
	}
	h.append(p, before, t, subject, session, r.hashes)
	p.names.seen(t.items)
	return nil
}

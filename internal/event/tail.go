package event

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// A value of the tail is the batches of one commit, one after the other:
//
//	batch   = project, received, time zone + 1 or 0, platform, region (uvarints)
//	          subject, session, version, country name, region name, city,
//	          address, user agent (texts)
//	          number of events (uvarint) { event }
//	event   = event_id (text), name, zigzag of time less received (uvarints)
//	          0, or 1 + length of the properties (uvarint) and these
//	text    = length (uvarint) and bytes
//
// The key is the number of the commit in its generation.

var errTail = fmt.Errorf("%w: tail", ErrDamaged)

// tailBatch is a batch in the tail: the accepted events of one request.
type tailBatch struct {
	project  Project
	received int64
	offset   uint8 // stats.Offset
	subject  string
	session  string
	details  details
	items    []tailItem
}

type tailItem struct {
	id    string
	name  uint32
	at    int64
	props string // a JSON object; "" = none
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// append adds a batch to a value of the tail, with those of the items that take
// lists, whose names have these numbers.
func (t *tailBatch) append(b []byte, items []Item, take []int, names []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(t.project))
	b = binary.AppendUvarint(b, uint64(t.received))
	b = append(b, t.offset, t.details.platform)
	b = binary.AppendUvarint(b, uint64(t.details.region))
	for _, text := range []string{
		t.subject, t.session, t.details.version, t.details.countryName,
		t.details.regionName, t.details.city, t.details.address, t.details.agent,
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

// tailReader reads a value of the tail. Texts are parts of it.
type tailReader struct {
	rest string
	bad  bool
}

func (r *tailReader) uvarint() (n uint64) {
	for shift := 0; shift < 64 && len(r.rest) > 0; shift += 7 {
		c := r.rest[0]
		r.rest = r.rest[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *tailReader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *tailReader) byte() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *tailReader) take(n uint64) string {
	if n > uint64(len(r.rest)) {
		r.bad = true
		return ""
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *tailReader) text() string { return r.take(r.uvarint()) }

// next reads a batch into t, whose items it uses again.
func (r *tailReader) next(t *tailBatch) error {
	*t = tailBatch{project: Project(r.uvarint()), received: int64(r.uvarint()), items: t.items[:0]}
	t.offset, t.details.platform = r.byte(), r.byte()
	t.details.region = uint16(r.uvarint())
	for _, to := range []*string{
		&t.subject, &t.session, &t.details.version, &t.details.countryName,
		&t.details.regionName, &t.details.city, &t.details.address, &t.details.agent,
	} {
		*to = r.text()
	}
	n := r.uvarint()
	for ; n > 0 && !r.bad; n-- {
		item := tailItem{id: r.text(), name: uint32(r.uvarint()), at: t.received + r.varint()}
		if size := r.uvarint(); size > 0 {
			item.props = r.take(size - 1)
		}
		t.items = append(t.items, item)
	}
	if r.bad {
		return errTail
	}
	return nil
}

// leaveTail removes the batches of a project. Should its number be used again,
// its names would have others.
func leaveTail(tx *bbolt.Tx, p Project) error {
	tail := tx.Bucket(tailBucket)
	return tail.ForEachBucket(func(generation []byte) error {
		changed := map[string][]byte{}
		err := eachValue(tail.Bucket(generation), func(key, value []byte) error {
			kept, has, err := valueWithout(string(value), p)
			if has {
				changed[string(key)] = kept
			}
			return err
		})
		for key, kept := range changed {
			if len(kept) == 0 {
				err = errors.Join(err, deleteValue(tail.Bucket(generation), []byte(key)))
				continue
			}
			err = errors.Join(err, putValue(tail.Bucket(generation), []byte(key), kept))
		}
		return err
	})
}

// valueWithout is a value of the tail without the batches of a project.
func valueWithout(value string, p Project) (kept []byte, has bool, err error) {
	var t tailBatch
	for r := (tailReader{rest: value}); r.rest != ""; {
		before := r.rest
		if err := r.next(&t); err != nil {
			return nil, false, err
		}
		if t.project == p {
			has = true
			continue
		}
		kept = append(kept, before[:len(before)-len(r.rest)]...)
	}
	return kept, has, nil
}

// replay makes the head from the tail.
func (e *Engine) replay(tx *bbolt.Tx) error {
	last := binary.BigEndian.Uint64(tx.Bucket(metaBucket).Get(flushedKey))
	var batch tailBatch
	h := newHead(last + 1)
	e.heads.Store(&heads{active: h})
	tail := tx.Bucket(tailBucket)
	return tail.ForEachBucket(func(key []byte) error {
		if len(key) != 8 || binary.BigEndian.Uint64(key) <= last {
			return errTail
		}
		h.generation = max(h.generation, binary.BigEndian.Uint64(key))
		return eachValue(tail.Bucket(key), func(_, value []byte) error {
			if value == nil {
				return errTail
			}
			h.logged(len(value))
			r := tailReader{rest: string(value)}
			for r.rest != "" {
				if err := r.next(&batch); err != nil {
					return err
				}
				if err := e.replayBatch(tx, h, &batch); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (e *Engine) replayBatch(tx *bbolt.Tx, h *head, t *tailBatch) error {
	p := e.project(t.project)
	if p == nil {
		return nil // deleted
	}
	names := uint32(len(p.names.all()))
	for i := range t.items {
		if t.items[i].name >= names {
			return fmt.Errorf("%w: there is no name %d", errTail, t.items[i].name)
		}
	}
	var found batchLookup
	var err error
	reader := p.reader(tx.Bucket(projectsBucket).Bucket(be32(uint32(p.number))))
	if found.subject, found.session, err = reader.sender(t.subject, t.session); err != nil {
		return err
	}
	subject, session := numbersOf(e.heads.Load(), &Batch{Project: t.project, Subject: t.subject, Session: t.session}, &found)
	hashes := make([]uint64, len(t.items))
	for i := range t.items {
		hashes[i] = e.secret.hash(t.items[i].id)
	}
	h.append(p, nil, t, subject, session, hashes)
	p.names.seen(t.items)
	return nil
}

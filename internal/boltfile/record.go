package boltfile

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"svc/internal/change"
)

// record collects what a write transaction changes. A nil record collects nothing.
//
// It is kept beside the transaction because Tx and Bucket are types of bbolt. A bucket is
// found by its pointer: in a write transaction, bbolt returns the same one each time.
type record struct {
	set    *change.Set
	places map[*bbolt.Bucket]place
	at     *bbolt.Bucket // the bucket that the last operation changed
	begun  bool          // there is an operation
	local  bool          // at is the bucket node, or in it
}

// place is where a bucket is.
type place struct {
	around *bbolt.Bucket // nil at the root
	name   []byte
}

var (
	recorded atomic.Int64 // number of transactions in records
	records  sync.Map     // *bbolt.Tx to *record
)

// startRecord begins to collect the changes of a write transaction in a set, which it empties.
func startRecord(tx *bbolt.Tx, set *change.Set) *record {
	set.Reset()
	r := &record{set: set, places: map[*bbolt.Bucket]place{}}
	records.Store(tx, r)
	recorded.Add(1)
	return r
}

// endRecord must be called when the transaction of a record ends.
func endRecord(tx *bbolt.Tx) {
	records.Delete(tx)
	recorded.Add(-1)
}

func (tx *Tx) record() *record {
	if recorded.Load() == 0 || !tx.bolt().Writable() {
		return nil
	}
	r, _ := records.Load(tx.bolt())
	found, _ := r.(*record)
	return found
}

func (b *Bucket) record() *record {
	if recorded.Load() == 0 {
		return nil
	}
	return b.Tx().record()
}

// enter notes the place of a bucket that was looked up. The bucket is nil if it does not exist.
func (r *record) enter(around *Bucket, name []byte, b *bbolt.Bucket) {
	if r == nil || b == nil {
		return
	}
	if _, known := r.places[b]; !known {
		r.places[b] = place{around.bolt(), append([]byte(nil), name...)}
	}
}

func (r *record) make(around *Bucket, name []byte, b *bbolt.Bucket) {
	if r == nil {
		return
	}
	r.enter(around, name, b)
	if !isNode(around, name) && r.replicates(around) {
		r.set.Make(name)
	}
}

func (r *record) drop(around *Bucket, name []byte) {
	if r != nil && !isNode(around, name) && r.replicates(around) {
		r.set.Drop(name)
	}
}

func (r *record) put(b *Bucket, key, value []byte) {
	if r != nil && r.replicates(b) {
		r.set.Put(key, value)
	}
}

func (r *record) delete(b *Bucket, key []byte) {
	if r != nil && r.replicates(b) {
		r.set.Delete(key)
	}
}

func (r *record) sequence(b *Bucket, n uint64) {
	if r != nil && r.replicates(b) {
		r.set.Sequence(n)
	}
}

// replicates selects the given bucket in the set, unless it is the bucket node or in it. It reports
// whether it did. nil is the root of the file.
func (r *record) replicates(b *Bucket) bool {
	if at := b.bolt(); at != r.at || !r.begun {
		names := r.names(at)
		r.at, r.begun = at, true
		if r.local = len(names) > 0 && bytes.Equal(names[0], nodeBucket); !r.local {
			r.set.In(names...)
		}
	}
	return !r.local
}

// isNode reports whether a bucket is the bucket node.
func isNode(around *Bucket, name []byte) bool { return around == nil && bytes.Equal(name, nodeBucket) }

// names returns the names of a bucket and of those around it, the outermost first.
func (r *record) names(b *bbolt.Bucket) [][]byte {
	if b == nil {
		return nil
	}
	p := r.places[b]
	return append(r.names(p.around), p.name)
}

// Apply changes the file as a change set says. The set must be of a file that was equal to this
// one, except for the bucket node. If it does not fit, the error wraps ErrDamaged or
// change.ErrInvalid, and the transaction must not be committed.
func (tx *Tx) Apply(set []byte) error {
	var b *Bucket
	return change.Each(set, func(op change.Op) (err error) {
		if op.Moved {
			if b, err = tx.at(op.Bucket); err != nil {
				return err
			}
		}
		if b == nil {
			if isNode(nil, op.Key) {
				return change.ErrInvalid
			}
			switch op.Kind {
			case change.Make:
				_, err = tx.CreateBucket(op.Key)
			case change.Drop:
				err = tx.DeleteBucket(op.Key)
			default:
				err = change.ErrInvalid
			}
			return err
		}
		switch op.Kind {
		case change.Put:
			err = b.Put(op.Key, op.Value)
		case change.Delete:
			err = b.Delete(op.Key)
		case change.Make:
			_, err = b.CreateBucket(op.Key)
		case change.Drop:
			err = b.DeleteBucket(op.Key)
		case change.Sequence:
			err = b.SetSequence(op.Number)
		}
		return err
	})
}

// at returns the bucket with the given names, the outermost first. It is nil for the root.
func (tx *Tx) at(names [][]byte) (*Bucket, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if isNode(nil, names[0]) {
		return nil, change.ErrInvalid
	}
	b := tx.Bucket(names[0])
	for _, name := range names[1:] {
		if b == nil {
			break
		}
		b = b.Bucket(name)
	}
	if b == nil {
		return nil, fmt.Errorf("%w: no bucket %q", ErrDamaged, names)
	}
	return b, nil
}

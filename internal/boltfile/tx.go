package boltfile

import (
	"bytes"
	"io"
	"time"

	"go.etcd.io/bbolt"
)

// Tx is a transaction. It and everything read with it are valid until the transaction
// ends. It is not safe for concurrent use.
//
// Tx, Bucket and Cursor are the types of bbolt under different names, so that other
// packages can write to a file only through this package. Converting a pointer to one of
// them costs nothing and preserves nil. What a transaction changes is recorded beside it,
// see record.go.
type Tx bbolt.Tx

func (tx *Tx) bolt() *bbolt.Tx { return (*bbolt.Tx)(tx) }

// ID returns the number of the transaction. For a read transaction it is the number of
// the last commit that it sees.
func (tx *Tx) ID() int { return tx.bolt().ID() }

// Size returns the size of the file, in bytes, as the transaction sees it.
func (tx *Tx) Size() int64 { return tx.bolt().Size() }

// Bucket returns a bucket at the root, or nil.
func (tx *Tx) Bucket(name []byte) *Bucket {
	b := tx.bolt().Bucket(name)
	tx.record().enter(nil, name, b)
	return (*Bucket)(b)
}

// CreateBucket creates a bucket at the root. The bucket must not exist.
func (tx *Tx) CreateBucket(name []byte) (*Bucket, error) {
	b, err := tx.bolt().CreateBucket(name)
	if err == nil {
		tx.record().make(nil, name, b)
	}
	return (*Bucket)(b), err
}

// CreateBucketIfNotExists creates a bucket at the root unless it exists.
func (tx *Tx) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	if b := tx.Bucket(name); b != nil {
		return b, nil
	}
	return tx.CreateBucket(name)
}

// DeleteBucket deletes a bucket at the root with everything in it.
func (tx *Tx) DeleteBucket(name []byte) error {
	if err := deleteNested(tx.bolt().Bucket(name)); err != nil {
		return err
	}
	err := tx.bolt().DeleteBucket(name)
	if err == nil {
		tx.record().drop(nil, name)
	}
	return err
}

// ForEach visits the buckets at the root.
func (tx *Tx) ForEach(visit func(name []byte, b *Bucket) error) error {
	return tx.bolt().ForEach(func(name []byte, b *bbolt.Bucket) error {
		tx.record().enter(nil, name, b)
		return visit(name, (*Bucket)(b))
	})
}

// WriteTime returns how long the commit of an ended transaction waited for the disk.
func (tx *Tx) WriteTime() time.Duration {
	stats := tx.bolt().Stats()
	return stats.GetWriteTime()
}

// PageAlloc returns the number of bytes of pages that a write transaction allocated.
func (tx *Tx) PageAlloc() int64 {
	stats := tx.bolt().Stats()
	return stats.GetPageAlloc()
}

// Check verifies the tree and the free pages of the file by the rules of bbolt. The
// caller must read the channel to its end.
func (tx *Tx) Check() <-chan error { return tx.bolt().Check() }

// WriteTo writes the file to w as the transaction sees it, and returns the number of
// bytes written.
func (tx *Tx) WriteTo(w io.Writer) (int64, error) { return tx.bolt().WriteTo(w) }

// Commit writes the changes of a write transaction to disk and ends it.
func (tx *Tx) Commit() error { return tx.bolt().Commit() }

// Rollback ends a transaction and discards its changes.
func (tx *Tx) Rollback() error { return tx.bolt().Rollback() }

// Bucket is an ordered collection of keys with values or buckets.
type Bucket bbolt.Bucket

func (b *Bucket) bolt() *bbolt.Bucket { return (*bbolt.Bucket)(b) }

// Get returns the value of a key. It returns nil if the key does not exist or is a nested
// bucket. The caller must not change the value.
func (b *Bucket) Get(key []byte) []byte { return b.bolt().Get(key) }

// Put sets the value of a key. The caller must not change the value until the transaction
// ends.
func (b *Bucket) Put(key, value []byte) error {
	err := b.bolt().Put(key, value)
	if err == nil {
		b.record().put(b, key, value)
	}
	return err
}

// Delete deletes a key if it exists.
func (b *Bucket) Delete(key []byte) error {
	err := b.bolt().Delete(key)
	if err == nil {
		b.record().delete(b, key)
	}
	return err
}

// Bucket returns the nested bucket with a name, or nil.
func (b *Bucket) Bucket(name []byte) *Bucket {
	below := b.bolt().Bucket(name)
	b.record().enter(b, name, below)
	return (*Bucket)(below)
}

// CreateBucket creates a nested bucket. The bucket must not exist.
func (b *Bucket) CreateBucket(name []byte) (*Bucket, error) {
	below, err := b.bolt().CreateBucket(name)
	if err == nil {
		b.record().make(b, name, below)
	}
	return (*Bucket)(below), err
}

// CreateBucketIfNotExists creates a nested bucket unless it exists.
func (b *Bucket) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	if below := b.Bucket(name); below != nil {
		return below, nil
	}
	return b.CreateBucket(name)
}

// DeleteBucket deletes a nested bucket with everything in it.
func (b *Bucket) DeleteBucket(name []byte) error {
	if err := deleteNested(b.bolt().Bucket(name)); err != nil {
		return err
	}
	err := b.bolt().DeleteBucket(name)
	if err == nil {
		b.record().drop(b, name)
	}
	return err
}

// deleteNested deletes the buckets in a bucket, which is nil if it does not exist. bbolt deletes them while it iterates
// over them. If the transaction has changed the bucket before, it then skips every second one, and their pages are neither
// reachable nor free.
func deleteNested(b *bbolt.Bucket) error {
	if b == nil {
		return nil
	}
	var names [][]byte
	if err := b.ForEachBucket(func(name []byte) error {
		names = append(names, bytes.Clone(name))
		return nil
	}); err != nil {
		return err
	}
	for _, name := range names {
		if err := deleteNested(b.Bucket(name)); err != nil {
			return err
		}
		if err := b.DeleteBucket(name); err != nil {
			return err
		}
	}
	return nil
}

// ForEach visits the keys in order. The value is nil for a bucket. visit must not change
// the bucket.
func (b *Bucket) ForEach(visit func(key, value []byte) error) error { return b.bolt().ForEach(visit) }

// ForEachBucket visits the names of the nested buckets.
func (b *Bucket) ForEachBucket(visit func(name []byte) error) error {
	return b.bolt().ForEachBucket(visit)
}

// Cursor returns a cursor for the keys. An iteration that deletes keys can skip other
// keys.
func (b *Bucket) Cursor() *Cursor { return (*Cursor)(b.bolt().Cursor()) }

// Sequence returns the last number that NextSequence returned.
func (b *Bucket) Sequence() uint64 { return b.bolt().Sequence() }

// SetSequence sets the sequence of the bucket.
func (b *Bucket) SetSequence(n uint64) error {
	err := b.bolt().SetSequence(n)
	if err == nil {
		b.record().sequence(b, n)
	}
	return err
}

// NextSequence increments the sequence of the bucket and returns it.
func (b *Bucket) NextSequence() (uint64, error) {
	n, err := b.bolt().NextSequence()
	if err == nil {
		b.record().sequence(b, n)
	}
	return n, err
}

// Tx returns the transaction of the bucket.
func (b *Bucket) Tx() *Tx { return (*Tx)(b.bolt().Tx()) }

// Len returns the number of keys. It reads all pages of the bucket.
func (b *Bucket) Len() int { return b.bolt().Inspect().KeyN }

// Stats returns the statistics of the bucket. It reads all its pages.
func (b *Bucket) Stats() bbolt.BucketStats { return b.bolt().Stats() }

// Cursor iterates over the keys of a bucket in order. The value is nil for a nested
// bucket. The key is nil before the first key and after the last one.
type Cursor bbolt.Cursor

func (c *Cursor) bolt() *bbolt.Cursor { return (*bbolt.Cursor)(c) }

// First moves to the first key.
func (c *Cursor) First() (key, value []byte) { return c.bolt().First() }

// Last moves to the last key.
func (c *Cursor) Last() (key, value []byte) { return c.bolt().Last() }

// Next moves to the next key.
func (c *Cursor) Next() (key, value []byte) { return c.bolt().Next() }

// Prev moves to the previous key.
func (c *Cursor) Prev() (key, value []byte) { return c.bolt().Prev() }

// Seek moves to the given key. If that key does not exist, it moves to the next key.
func (c *Cursor) Seek(key []byte) (at, value []byte) { return c.bolt().Seek(key) }

package boltfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// nodeBucket is the bucket at the root with the keys that describe the directory of a file and not
// its data. They are neither recorded nor part of the digest, because they differ between copies.
var nodeBucket = []byte("node")

// The keys that the bucket node can have in every file, regardless of its format.
var (
	writerKey     = []byte("writer")     // the version of svc that last opened it for writing
	positionKey   = []byte("position")   // 8 bytes, see Tx.Position
	unrecordedKey = []byte("unrecorded") // the file has changed since the position, without a Recorder; empty
)

// Node returns the bucket node. In a file that was last open in a version of svc without that
// bucket, its keys are in the bucket meta, which Node then returns.
func (tx *Tx) Node() *Bucket {
	if node := tx.Bucket(nodeBucket); node != nil {
		return node
	}
	return tx.Bucket(metaBucket)
}

// Position returns the position that the file has reached: the number that its Recorder assigned to
// the last change set. It is 0 if there has never been a Recorder. complete is false if the file has
// changed since then without one, so that the change sets up to the position do not lead to its
// content.
func (tx *Tx) Position() (position uint64, complete bool) {
	node := tx.Bucket(nodeBucket)
	if node == nil {
		return 0, false
	}
	if raw := node.Get(positionKey); len(raw) == 8 {
		position = binary.BigEndian.Uint64(raw)
	}
	return position, position > 0 && node.Get(unrecordedKey) == nil
}

// SetPosition stores the position of a file that has the content of another file at that position,
// because it is a copy or because change sets were applied to it. A Recorder sets the position, too.
func (tx *Tx) SetPosition(position uint64) error {
	node, err := tx.CreateBucketIfNotExists(nodeBucket)
	if err != nil {
		return err
	}
	return errors.Join(node.Put(positionKey, binary.BigEndian.AppendUint64(nil, position)), node.Delete(unrecordedKey))
}

// ClearPosition makes the file one that has never had a Recorder.
func (tx *Tx) ClearPosition() error {
	node := tx.Bucket(nodeBucket)
	if node == nil {
		return nil
	}
	return errors.Join(node.Delete(positionKey), node.Delete(unrecordedKey))
}

// advance stores that a transaction has taken the file from one position to the next. The parameter
// to is 0 if the transaction is not recorded. The file then keeps its position only if the
// transaction has set it.
func (tx *Tx) advance(from, to uint64) error {
	if to > 0 {
		return tx.SetPosition(to)
	}
	if now, complete := tx.Position(); now != from || !complete {
		return nil
	}
	return tx.Bucket(nodeBucket).Put(unrecordedKey, []byte{})
}

// ReadPosition returns the result of Tx.Position for the file at path, which no process may have
// open for writing. The error contains the path. It is ErrLocked, ErrDamaged or an error of the file
// system.
func ReadPosition(path string) (position uint64, complete bool, err error) {
	err = readFile(path, [][]byte{nodeBucket}, func(tx *Tx) error {
		position, complete = tx.Position()
		return nil
	})
	return position, complete, err
}

// StartAt stores that the content of the file is the one at a position. It changes nothing if the file
// has a position that is not less, and that leads to its content.
func (w *Writer) StartAt(position uint64) error {
	w.Lock()
	defer w.Unlock()
	var at uint64
	complete := false
	err := w.View(func(tx *Tx) error {
		at, complete = tx.Position()
		return nil
	})
	if err != nil || complete && at >= position {
		return err
	}
	return w.write(w.db.rewrite, func(tx *Tx) error { return tx.SetPosition(position) })
}

// readFile runs fn in a read transaction of the file at path, which no process may have open for
// writing. buckets lists the buckets that fn reads; nil means all. The error contains the path.
func readFile(path string, buckets [][]byte, fn func(*Tx) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read %s: %w", path, err)
		}
	}()
	if err := (&examiner{loaded: buckets, readOnly: true}).examine(path); err != nil {
		return err
	}
	db, err := openReadOnly(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(func(tx *bbolt.Tx) (err error) {
		defer faultsPanic()()
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%w: reading stopped: %v", ErrDamaged, p)
			}
		}()
		return fn((*Tx)(tx))
	})
}

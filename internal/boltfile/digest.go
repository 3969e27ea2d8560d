package boltfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Digest returns the SHA-256 of the buckets, keys, values and sequences of the file, in order, without
// the bucket node at the root. Equal digests mean equal data, however the pages of the files lie.
func (tx *Tx) Digest() (sum [sha256.Size]byte, err error) {
	d := digester{sha256.New()}
	err = tx.ForEach(func(name []byte, b *Bucket) error {
		if bytes.Equal(name, nodeBucket) {
			return nil
		}
		return d.bucket(name, b)
	})
	d.Sum(sum[:0])
	return sum, err
}

// DigestFile returns the digest and the position of the file at path, which no process may have open
// for writing. The error contains the path. It is ErrLocked, ErrDamaged or an error of the file
// system.
func DigestFile(path string) (sum [sha256.Size]byte, position uint64, err error) {
	err = readFile(path, nil, func(tx *Tx) (err error) {
		position, _ = tx.Position()
		sum, err = tx.Digest()
		return err
	})
	return sum, position, err
}

// digester writes the parts of a file to a hash, each so that no two files write the same bytes.
type digester struct{ hash.Hash }

// The marks that precede the parts of a bucket.
const (
	markBucket = 'b' // then its name and its sequence
	markKey    = 'k' // then key and value
	markEnd    = 'e' // the end of a bucket
)

func (d digester) bucket(name []byte, b *Bucket) error {
	d.text(markBucket, name)
	d.number(b.Sequence())
	err := b.ForEach(func(key, value []byte) error {
		if value == nil {
			return d.bucket(key, b.Bucket(key))
		}
		d.text(markKey, key)
		d.number(uint64(len(value)))
		_, _ = d.Write(value) // a hash returns no error
		return nil
	})
	_, _ = d.Write([]byte{markEnd})
	return err
}

func (d digester) text(mark byte, b []byte) {
	_, _ = d.Write([]byte{mark})
	d.number(uint64(len(b)))
	_, _ = d.Write(b)
}

func (d digester) number(n uint64) {
	_, _ = d.Write(binary.BigEndian.AppendUint64(nil, n))
}

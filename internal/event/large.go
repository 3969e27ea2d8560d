package event

import "go.etcd.io/bbolt"

// A large value lies in a bucket of its own, under ownKey. bbolt keeps two to four
// values in a leaf at least, however large they are, and writes a leaf anew when
// one of them changes: among others a value would be written four times.
//
// Smaller ones lie in the common bucket, because a bucket of its own rounds a value
// up to whole pages. Readers take either, whatever the size.
const largeValue = 32 << 10

// ownKey has eight bytes, with which the value begins at a multiple of eight.
var ownKey = []byte("contents")

// putValue stores a value of any size.
func putValue(b *bbolt.Bucket, key, raw []byte) error {
	own := b.Bucket(key)
	if len(raw) < largeValue {
		if own != nil {
			if err := b.DeleteBucket(key); err != nil {
				return err
			}
		}
		return b.Put(key, raw)
	}
	if own == nil {
		err := b.Delete(key)
		if err == nil {
			own, err = b.CreateBucket(key)
		}
		if err != nil {
			return err
		}
	}
	return own.Put(ownKey, raw)
}

// getValue is the value of a key, nil when there is none.
func getValue(b *bbolt.Bucket, key []byte) []byte {
	if own := b.Bucket(key); own != nil { // first, because most are large
		return own.Get(ownKey)
	}
	return b.Get(key)
}

// valueOf is the value of a key at which a cursor of the bucket found raw.
func valueOf(b *bbolt.Bucket, key, raw []byte) []byte {
	if raw != nil {
		return raw
	}
	if own := b.Bucket(key); own != nil {
		return own.Get(ownKey)
	}
	return nil
}

// eachValue visits the values of a bucket.
func eachValue(b *bbolt.Bucket, visit func(key, raw []byte) error) error {
	return b.ForEach(func(key, raw []byte) error { return visit(key, valueOf(b, key, raw)) })
}

// deleteValue removes the value of a key, if there is one.
func deleteValue(b *bbolt.Bucket, key []byte) error {
	if b.Bucket(key) != nil {
		return b.DeleteBucket(key)
	}
	return b.Delete(key)
}

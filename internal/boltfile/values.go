package boltfile

// largeValue is the smallest size of a value, in bytes, that is stored in a bucket of its
// own, under the key ownKey. bbolt does not split a leaf of up to four values, however
// large they are, and rewrites the whole leaf when one of them changes. In a shared
// bucket, changing one large value would therefore write up to four large values.
//
// Smaller values are stored in the shared bucket, because a bucket of its own rounds a
// value up to whole pages.
const largeValue = 32 << 10

// ownKey has eight bytes, so that the value is aligned to eight bytes.
var ownKey = []byte("contents")

// PutValue sets the value of a key. The value can have any size. Get does not find a
// large value; use Value, ValueAt or EachValue instead.
func (b *Bucket) PutValue(key, value []byte) error {
	own := b.Bucket(key)
	if len(value) < largeValue {
		if own != nil {
			if err := b.DeleteBucket(key); err != nil {
				return err
			}
		}
		return b.Put(key, value)
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
	return own.Put(ownKey, value)
}

// Value returns the value that PutValue stored under a key, or nil.
func (b *Bucket) Value(key []byte) []byte {
	if own := b.Bucket(key); own != nil { // checked first, because most values are large
		return own.Get(ownKey)
	}
	return b.Get(key)
}

// ValueAt returns the value of a key that a cursor of the bucket returned together with
// raw.
func (b *Bucket) ValueAt(key, raw []byte) []byte {
	if raw != nil {
		return raw
	}
	if own := b.Bucket(key); own != nil {
		return own.Get(ownKey)
	}
	return nil
}

// EachValue visits the values that PutValue stored, in the order of their keys, until
// visit returns an error.
func (b *Bucket) EachValue(visit func(key, value []byte) error) error {
	return b.ForEach(func(key, raw []byte) error { return visit(key, b.ValueAt(key, raw)) })
}

// DeleteFirst deletes values in the order of their keys. It stops after the given number
// of values, or at the first key for which the given function returns false. It returns
// the number of deleted values.
func (b *Bucket) DeleteFirst(limit int, goes func(key []byte) bool) (n int, err error) {
	var keys [][]byte // deleting during an iteration skips keys
	cursor := b.Cursor()
	for key, _ := cursor.First(); key != nil && len(keys) < limit && goes(key); key, _ = cursor.Next() {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := b.DeleteValue(key); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// DeleteValue deletes the value of a key, if there is one.
func (b *Bucket) DeleteValue(key []byte) error {
	if b.Bucket(key) != nil {
		return b.DeleteBucket(key)
	}
	return b.Delete(key)
}

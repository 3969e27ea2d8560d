package boltfile

// A large value lies in a bucket of its own, under ownKey. bbolt keeps two to four
// values in a leaf at least, however large they are, and writes a leaf anew when
// one of them changes: among others a value would be written four times.
//
// Smaller ones lie in the common bucket, because a bucket of its own rounds a value
// up to whole pages.
const largeValue = 32 << 10

// ownKey has eight bytes, with which the value begins at a multiple of eight.
var ownKey = []byte("contents")

// PutValue stores a value of any size.
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

// Value returns the value that PutValue has stored under a key, or nil.
func (b *Bucket) Value(key []byte) []byte {
	if own := b.Bucket(key); own != nil { // first, because most are large
		return own.Get(ownKey)
	}
	return b.Get(key)
}

// ValueAt returns the value of a key for which a cursor of the bucket returned raw.
func (b *Bucket) ValueAt(key, raw []byte) []byte {
	if raw != nil {
		return raw
	}
	if own := b.Bucket(key); own != nil {
		return own.Get(ownKey)
	}
	return nil
}

// EachValue visits the values that PutValue has stored.
func (b *Bucket) EachValue(visit func(key, value []byte) error) error {
	return b.ForEach(func(key, raw []byte) error { return visit(key, b.ValueAt(key, raw)) })
}

// DeleteFirst removes the first values, as long as the key is one that goes and at
// most limit of them, and returns how many these were.
func (b *Bucket) DeleteFirst(limit int, goes func(key []byte) bool) (n int, err error) {
	var keys [][]byte // deleting while a cursor walks skips keys
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

// DeleteValue removes the value of a key, if there is one.
func (b *Bucket) DeleteValue(key []byte) error {
	if b.Bucket(key) != nil {
		return b.DeleteBucket(key)
	}
	return b.Delete(key)
}

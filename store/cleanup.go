package store

import (
	"encoding/binary"
	"time"
)

// CleanedAt is when the last clean-up of what has grown too old was complete;
// the zero time when there was none.
func (tx *Tx) CleanedAt() time.Time {
	raw := tx.bolt.Bucket(metaBucket).Get(cleanedKey)
	if len(raw) != 8 {
		return time.Time{}
	}
	return time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
}

// MarkCleaned notes that a clean-up is complete.
func (tx *Tx) MarkCleaned(at time.Time) error {
	return tx.bolt.Bucket(metaBucket).Put(cleanedKey, binary.BigEndian.AppendUint64(nil, uint64(at.Unix())))
}

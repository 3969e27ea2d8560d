package rollout

import (
	"crypto/sha256"
	"encoding/binary"
)

// Bucket returns the bucket of a key, from 0 to 9999. A percentage of 25 includes the buckets
// below 2500. Different seeds spread the same keys independently.
func Bucket(seed, key string) int {
	var room [32 + 1 + 4*64]byte // a seed and the longest key, so that nothing is allocated
	text := append(append(append(room[:0], seed...), ':'), key...)
	sum := sha256.Sum256(text)
	return int(binary.BigEndian.Uint64(sum[:8]) % 10000)
}

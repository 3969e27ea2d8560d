// Package encoding provides compact encodings of integers and texts for the event engine.
// All readers check the lengths in their input, so that damaged input cannot make them
// read out of bounds or allocate much memory.
//
//	encoding.go  checksums, keys
//	reader.go    Reader, which reads bytes and remembers the first error
//	numbers.go   columns of numbers, stored as distances from the smallest
//	codes.go     dictionary encoding: codes of 0, 1, 2 or 4 bytes
//	bits.go      numbers of a few bits, and sets of numbers
//	lists.go     ascending rows, and texts
//	pack.go      compression of rarely read bytes, in chunks
//	uuid.go      UUIDs in 16 bytes or slightly less
package encoding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"svc/internal/integrity"
)

// errDamaged is returned for bytes that no function of this package can have written.
var errDamaged = fmt.Errorf("%w encoding", integrity.ErrDamaged)

// ErrChecksum is returned for bytes with a wrong checksum.
var ErrChecksum = errors.New("wrong checksum")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C checksum of raw.
func Checksum(raw []byte) uint32 { return crc32.Checksum(raw, castagnoli) }

// Key32 returns n as a key of four bytes, big endian. Such keys sort like their numbers.
func Key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// Key64 returns n as a key of eight bytes, big endian. Such keys sort like their numbers.
func Key64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

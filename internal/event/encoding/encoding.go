// Package encoding provides the compact encodings of the event engine for integers and
// texts. All readers are bounded by their input and never trust a length in it.
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

// errDamaged is returned for bytes that this package did not write.
var errDamaged = fmt.Errorf("%w encoding", integrity.ErrDamaged)

// ErrChecksum is returned for bytes with a wrong checksum.
var ErrChecksum = errors.New("wrong checksum")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a value.
func Checksum(raw []byte) uint32 { return crc32.Checksum(raw, castagnoli) }

// Key32 returns a number as a key of four bytes, big endian, so that keys sort like the
// numbers.
func Key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// Key64 returns a number as a key of eight bytes, big endian.
func Key64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

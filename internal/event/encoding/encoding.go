// Package encoding is what the values of the event engine are made of: integers
// and texts in few bytes, and how they are read again. Everything that reads is
// bounded by the bytes that it is given and never trusts a length in them.
//
//	encoding.go  checksums, keys
//	reader.go    Reader, which walks over bytes and remembers the first fault
//	numbers.go   columns of numbers, each as the distance from the smallest
//	codes.go     dictionary encoding: codes of 0, 1, 2 or 4 bytes
//	bits.go      numbers of few bits, and sets of numbers
//	lists.go     ascending rows, and texts
//	pack.go      bytes that are seldom read, compressed in chunks
//	uuid.go      UUIDs in 16 bytes, or a little less
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

// ErrChecksum is returned for bytes that do not have the checksum that they should.
var ErrChecksum = errors.New("wrong checksum")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C of a value.
func Checksum(raw []byte) uint32 { return crc32.Checksum(raw, castagnoli) }

// Key32 is a number as a key: four bytes, big endian, so that keys sort as the
// numbers do.
func Key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// Key64 is Key32 with eight bytes.
func Key64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

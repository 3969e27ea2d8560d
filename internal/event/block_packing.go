package event

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Packed bytes are cold: read as a whole or in large stretches. The first byte
// says how they lie there.
const (
	packedPlain  = 0 // as they are
	packedChunks = 1 // chunks of at most packedChunk bytes, most of them zstd

	packedChunk = 256 << 10
	// Fewer bytes are not worth the time.
	packedWorth = 512
)

// Both are made once. They may be used by several goroutines; those that pack
// wait for each other.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(packedChunk), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constant
		}
		return encoder
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
			zstd.WithDecoderMaxMemory(packedChunk), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic(err) // the options are constant
		}
		return decoder
	})
)

// pack appends plain as packed bytes, compressed when that pays. Nothing is
// nothing.
func pack(raw, plain []byte) []byte {
	if len(plain) == 0 {
		return raw
	}
	start := len(raw)
	if len(plain) > packedWorth {
		raw = append(raw, packedChunks)
		for chunk := range slices.Chunk(plain, packedChunk) {
			stored := packer().EncodeAll(chunk, nil)
			if len(stored) >= len(chunk) {
				stored = chunk // same lengths say so
			}
			raw = binary.AppendUvarint(raw, uint64(len(chunk)))
			raw = binary.AppendUvarint(raw, uint64(len(stored)))
			raw = append(raw, stored...)
		}
		if len(raw)-start <= len(plain) {
			return raw
		}
	}
	return append(append(raw[:start], packedPlain), plain...)
}

// unpack is what pack was given. It may lie in raw.
func unpack(raw []byte) ([]byte, error) { return unpackFrom(raw, 0, -1) }

// unpackFrom is length bytes of what pack was given from a place on, or all from
// there on if length is negative. It does not decompress what lies before or
// behind.
func unpackFrom(raw []byte, from, length int) ([]byte, error) {
	c := cursor{raw: raw}
	if len(raw) == 0 || c.byte() == packedPlain {
		return cut(c.raw, from, length)
	}
	if raw[0] != packedChunks {
		return nil, errDamagedBlock
	}
	var plain []byte
	for len(c.raw) > 0 && (length < 0 || len(plain) < from+length) {
		size := c.count(packedChunk)
		stored := c.take(c.count(len(c.raw)))
		switch {
		case c.bad || size == 0 || len(stored) == 0 || len(stored) > size:
			return nil, errDamagedBlock
		case len(plain) == 0 && size <= from:
			from -= size
		case len(stored) == size:
			plain = append(plain, stored...)
		default:
			chunk, err := unpacker().DecodeAll(stored, make([]byte, 0, size))
			if err != nil || len(chunk) != size {
				return nil, errDamagedBlock
			}
			plain = append(plain, chunk...)
		}
	}
	return cut(plain, from, length)
}

// cut is length bytes from a place on, or all of them.
func cut(plain []byte, from, length int) ([]byte, error) {
	if from > len(plain) || length > len(plain)-from {
		return nil, errDamagedBlock
	}
	if length < 0 {
		return plain[from:], nil
	}
	return plain[from : from+length], nil
}

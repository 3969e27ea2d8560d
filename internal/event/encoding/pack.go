package encoding

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Packed bytes are compressed data that is read rarely, and then as a whole or in large
// pieces. The first byte is one of these forms.
const (
	packedPlain  = 0 // uncompressed
	packedChunks = 1 // chunks of at most packedChunk bytes before compression, most of them compressed with zstd

	// packedChunk is the maximum size of a chunk before compression. It is limited because a
	// reader has to decompress a whole chunk to read one of its bytes.
	packedChunk = 256 << 10
	// minPacked is the smallest number of bytes that Pack compresses. For fewer bytes, the
	// gain is not worth the time.
	minPacked = 512
)

// packer and unpacker create the encoder and the decoder only once, because creating them
// is expensive. Both are safe for concurrent use, but concurrent calls of Pack wait for
// each other.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(packedChunk), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // cannot fail with constant options
		}
		return encoder
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
			zstd.WithDecoderMaxMemory(packedChunk), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic(err) // cannot fail with constant options
		}
		return decoder
	})
)

// Pack appends the packed form of plain, which is compressed if that makes it smaller. It
// appends nothing if plain is empty.
func Pack(raw, plain []byte) []byte {
	if len(plain) == 0 {
		return raw
	}
	start := len(raw)
	if len(plain) > minPacked {
		raw = append(raw, packedChunks)
		for chunk := range slices.Chunk(plain, packedChunk) {
			stored := packer().EncodeAll(chunk, nil)
			if len(stored) >= len(chunk) {
				stored = chunk // equal lengths mark a chunk that is not compressed
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

// Unpack returns the bytes that Pack has packed. They can share memory with raw.
func Unpack(raw []byte) ([]byte, error) { return UnpackFrom(raw, 0, -1) }

// UnpackFrom returns length bytes of the unpacked data or, if length is negative, all remaining
// bytes. The parameter from is the offset of the first byte. It decompresses only the chunks that
// contain these bytes.
func UnpackFrom(raw []byte, from, length int) ([]byte, error) {
	r := Reader{Rest: raw}
	if len(raw) == 0 || r.Byte() == packedPlain {
		return cut(r.Rest, from, length)
	}
	if raw[0] != packedChunks {
		return nil, errDamaged
	}
	var plain []byte
	for len(r.Rest) > 0 && (length < 0 || len(plain) < from+length) {
		size := r.Count(packedChunk)
		stored := r.Take(r.Count(len(r.Rest)))
		switch {
		case r.Bad || size == 0 || len(stored) == 0 || len(stored) > size:
			return nil, errDamaged
		case len(plain) == 0 && size <= from:
			from -= size
		case len(stored) == size:
			plain = append(plain, stored...)
		default:
			chunk, err := unpacker().DecodeAll(stored, make([]byte, 0, size))
			if err != nil || len(chunk) != size {
				return nil, errDamaged
			}
			plain = append(plain, chunk...)
		}
	}
	return cut(plain, from, length)
}

// cut returns length bytes of plain or, if length is negative, all remaining bytes. The parameter
// from is the offset of the first byte.
func cut(plain []byte, from, length int) ([]byte, error) {
	if from > len(plain) || length > len(plain)-from {
		return nil, errDamaged
	}
	if length < 0 {
		return plain[from:], nil
	}
	return plain[from : from+length], nil
}

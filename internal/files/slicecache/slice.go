package slicecache

import (
	"container/list"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"svc/internal/disk"
)

const (
	blockSize   = 64 << 10 // bytes that one checksum covers
	sumSize     = 4
	fetchPrefix = "fetch-" // prefix of the names of files that are not complete yet
)

// objectHash is a hash of an object's key. It is part of the file names of the object's slices.
type objectHash [20]byte

func objectOf(key string) objectHash {
	sum := sha256.Sum256([]byte(key))
	return objectHash(sum[:20])
}

// sliceID identifies a slice by the hash of its object's key and by its number in the object.
// Numbers start at 0.
type sliceID struct {
	object objectHash
	number int64
}

// name returns the file name of a slice, which consists of 40 hexadecimal digits, "-" and the
// slice's number.
func (i sliceID) name() string {
	return hex.EncodeToString(i.object[:]) + "-" + strconv.FormatInt(i.number, 10)
}

// parseName returns the id of the slice with the given file name. ok is false if no slice
// has such a name.
func parseName(name string) (i sliceID, ok bool) {
	hash, number, _ := strings.Cut(name, "-")
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) != len(i.object) {
		return i, false
	}
	i.object = objectHash(sum)
	i.number, err = strconv.ParseInt(number, 10, 64)
	return i, err == nil && i.number >= 0 && i.name() == name
}

// slice is a slice on disk.
type slice struct {
	id      sliceID
	bytes   int64     // size of the slice's file
	used    time.Time // time of the last use
	touched time.Time // modification time of the slice's file
	element *list.Element
}

// fileBytes returns the size of the file that holds a slice of the given length and its checksums.
func fileBytes(length int64) int64 {
	return length + (length+blockSize-1)/blockSize*sumSize
}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	blocks     = sync.Pool{New: func() any { return new([blockSize]byte) }}
)

// blockSum returns the checksum of a block of a slice. The checksum includes the file
// name, so that a renamed file is treated as damaged.
func blockSum(name string, block []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(name), castagnoli), castagnoli, block)
}

// uncached wraps an error of the local disk in errUncached. After such an error, readers read from
// the storage instead of the cache.
func uncached(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errUncached, err)
}

// writeSlice fetches a slice into a new file and returns the file's name. It allocates
// the disk space before the fetch, so that it does not fetch a slice that does not fit on
// the disk. The cache never uses the disk's reserve.
func writeSlice(ctx context.Context, root *os.Root, id sliceID, length int64, fetch Fetch) (name string, err error) {
	if err := disk.Need(root.Name(), uint64(fileBytes(length))+disk.Reserve, "the file cache"); err != nil {
		return "", uncached(err)
	}
	name = fetchPrefix + rand.Text()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", uncached(err)
	}
	err = disk.Allocate(f, fileBytes(length))
	if err = uncached(err); err == nil {
		err = fill(ctx, f, id, length, fetch)
	}
	if err = errors.Join(err, uncached(f.Close())); err != nil {
		_ = root.Remove(name)
		return "", err
	}
	return name, nil
}

// fill copies a slice from its storage to f, and appends the checksums of its blocks.
func fill(ctx context.Context, f io.Writer, id sliceID, length int64, fetch Fetch) error {
	body, err := fetch(ctx, id.number*SliceSize, length)
	if err != nil {
		return err
	}
	defer body.Close()
	block := blocks.Get().(*[blockSize]byte)
	defer blocks.Put(block)
	name := id.name()
	var sums []byte
	for left := length; left > 0; {
		piece := block[:min(left, blockSize)]
		if _, err := io.ReadFull(body, piece); err != nil {
			return broken(err)
		}
		sums = binary.BigEndian.AppendUint32(sums, blockSum(name, piece))
		if _, err := f.Write(piece); err != nil {
			return uncached(err)
		}
		left -= int64(len(piece))
	}
	_, err = f.Write(sums)
	return uncached(err)
}

// broken returns err, or a different error if err is io.EOF or io.ErrUnexpectedEOF, because the
// storage has then sent less content than it should. The result is never io.EOF.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the storage broke off in the middle of a file: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// errDamaged reports that a slice on disk does not match its checksums.
var errDamaged = errors.New("slice of the file cache is damaged")

// sliceReader reads a range of a cached slice block by block. It verifies the checksum of each
// block before it returns data from the block.
type sliceReader struct {
	f       *os.File
	name    string
	length  int64            // length of the slice's data
	at, end int64            // positions in the slice: the current one, and the end of the range
	block   *[blockSize]byte // the block that contains at; nil if it is not loaded
	loaded  int64            // number of the loaded block + 1; 0 = none
}

// openSlice opens a cached slice for reading a range, and verifies the first block of the range.
func openSlice(root *os.Root, id sliceID, length, at, end int64) (*sliceReader, error) {
	f, err := root.Open(id.name())
	if err != nil {
		return nil, err
	}
	r := &sliceReader{f: f, name: id.name(), length: length, at: at, end: end, block: blocks.Get().(*[blockSize]byte)}
	if _, err := r.current(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// current loads and verifies the block at the current position, unless it is already
// loaded. It returns the data from that position to the end of the block.
func (r *sliceReader) current() ([]byte, error) {
	number := r.at / blockSize
	start := number * blockSize
	block := r.block[:min(blockSize, r.length-start)]
	if r.loaded != number+1 {
		r.loaded = 0
		var sum [sumSize]byte
		if _, err := r.f.ReadAt(sum[:], r.length+number*sumSize); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if _, err := r.f.ReadAt(block, start); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if blockSum(r.name, block) != binary.BigEndian.Uint32(sum[:]) {
			return nil, errDamaged
		}
		r.loaded = number + 1
	}
	return block[r.at-start:], nil
}

// Read reads from the current block. It returns an error that wraps errDamaged if the block does
// not match its checksum.
func (r *sliceReader) Read(p []byte) (int, error) {
	if r.at == r.end {
		return 0, io.EOF
	}
	rest, err := r.current()
	if err != nil {
		return 0, err
	}
	n := copy(p, rest[:min(int64(len(rest)), r.end-r.at)])
	r.at += int64(n)
	return n, nil
}

// Close closes the file and returns the buffer to the pool.
func (r *sliceReader) Close() error {
	blocks.Put(r.block)
	r.block = nil
	return r.f.Close()
}

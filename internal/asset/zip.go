package asset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// errNoEntry reports that an archive has no entry with a matching name.
var errNoEntry = errors.New("no such entry")

// maxDirectory is the maximum size of an archive's directory, in bytes.
const maxDirectory = 64 << 20

// The records of a zip archive. Each length counts the bytes of a record's fixed part. Each mark
// equals the signature at the beginning of a record.
const (
	endLength, endMark             = 22, 0x06054b50
	locatorLength, locatorMark     = 20, 0x07064b50
	end64Length, end64Mark         = 56, 0x06064b50
	directoryLength, directoryMark = 46, 0x02014b50
	localLength, localMark         = 30, 0x04034b50
)

// zipEntry is an entry in the directory of an archive.
type zipEntry struct {
	method           uint16
	encrypted        bool
	crc              uint32
	compressed, size uint64
	offset           uint64 // position of the entry's local header in the archive
}

// readEntry returns the content of the first entry of a zip archive whose name matches. The
// error is errNoEntry if there is none.
//
// Package archive/zip reads the whole directory into memory, and first allocates memory for
// as many entries as the archive claims to have: 1 GiB for a file of 4 GiB, even if reading the
// directory fails. readEntry keeps only one entry in memory.
func readEntry(r io.ReaderAt, size int64, match func(name string) bool) ([]byte, error) {
	offset, length, err := findDirectory(r, size)
	if err != nil {
		return nil, err
	}
	if length > maxDirectory || offset > uint64(size) || length > uint64(size)-offset {
		return nil, fmt.Errorf("%w: a directory of %d bytes at %d", errContent, length, offset)
	}
	directory := bufio.NewReaderSize(io.NewSectionReader(r, int64(offset), int64(length)), 64<<10)
	for {
		e, name, err := nextEntry(directory)
		if errors.Is(err, io.EOF) {
			return nil, errNoEntry
		}
		if err != nil {
			return nil, err
		}
		if match(name) {
			return e.read(r, size)
		}
	}
}

// findDirectory returns the position and the length of an archive's directory.
func findDirectory(r io.ReaderAt, size int64) (offset, length uint64, err error) {
	tail := make([]byte, min(size, endLength+0xffff)) // a comment of up to 0xffff bytes may follow
	if err := readFull(r, tail, size-int64(len(tail))); err != nil {
		return 0, 0, err
	}
	at := len(tail) - endLength
	for ; at >= 0; at-- {
		end := tail[at:]
		if binary.LittleEndian.Uint32(end) == endMark && endLength+int(binary.LittleEndian.Uint16(end[20:])) <= len(end) {
			break
		}
	}
	if at < 0 {
		return 0, 0, fmt.Errorf("%w: not a zip archive", errContent)
	}
	end := tail[at:]
	length, offset = uint64(binary.LittleEndian.Uint32(end[12:])), uint64(binary.LittleEndian.Uint32(end[16:]))
	if length != 0xffffffff && offset != 0xffffffff && binary.LittleEndian.Uint16(end[10:]) != 0xffff {
		return offset, length, nil
	}
	return findDirectory64(r, size-int64(len(tail))+int64(at), offset, length)
}

// findDirectory64 does the work of findDirectory for an archive in the Zip64 format, which
// allows more and larger entries. endOffset is the position of the end record. If the archive is
// not in that format, findDirectory64 returns the given offset and length.
func findDirectory64(r io.ReaderAt, endOffset int64, offset, length uint64) (uint64, uint64, error) {
	var locator [locatorLength]byte
	if endOffset < locatorLength {
		return offset, length, nil
	}
	if err := readFull(r, locator[:], endOffset-locatorLength); err != nil {
		return 0, 0, err
	}
	if binary.LittleEndian.Uint32(locator[:]) != locatorMark {
		return offset, length, nil
	}
	at := binary.LittleEndian.Uint64(locator[8:])
	var end [end64Length]byte
	if at > uint64(endOffset) || uint64(endOffset)-at < end64Length {
		return 0, 0, fmt.Errorf("%w: an end record at %d", errContent, at)
	}
	if err := readFull(r, end[:], int64(at)); err != nil {
		return 0, 0, err
	}
	if binary.LittleEndian.Uint32(end[:]) != end64Mark {
		return 0, 0, fmt.Errorf("%w: no end record at %d", errContent, at)
	}
	return binary.LittleEndian.Uint64(end[48:]), binary.LittleEndian.Uint64(end[40:]), nil
}

// nextEntry reads an entry of the directory. The error is io.EOF at its end.
func nextEntry(directory io.Reader) (e zipEntry, name string, err error) {
	var header [directoryLength]byte
	if _, err := io.ReadFull(directory, header[:]); err != nil {
		return e, "", err
	}
	if binary.LittleEndian.Uint32(header[:]) != directoryMark {
		return e, "", fmt.Errorf("%w: no entry where one should be", errContent)
	}
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(header[at:])) }
	u32 := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(header[at:])) }
	e = zipEntry{
		method: uint16(u16(10)), encrypted: u16(8)&1 != 0, crc: uint32(u32(16)), compressed: u32(20), size: u32(24), offset: u32(42),
	}
	nameLength, extraLength := u16(28), u16(30)
	rest := make([]byte, nameLength+extraLength+u16(32)) // at most 192 KiB
	if _, err := io.ReadFull(directory, rest); err != nil {
		return e, "", fmt.Errorf("%w: %w", errContent, io.ErrUnexpectedEOF)
	}
	e.extend(rest[nameLength : nameLength+extraLength])
	return e, string(rest[:nameLength]), nil
}

// extend replaces the sizes and the offset that do not fit into 32 bits with the 64-bit values
// in the extra fields of the entry.
func (e *zipEntry) extend(extra []byte) {
	for len(extra) >= 4 {
		id, length := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; length > len(extra) {
			return
		}
		if id != 1 {
			extra = extra[length:]
			continue
		}
		field := extra[:length]
		for _, v := range [...]*uint64{&e.size, &e.compressed, &e.offset} {
			if *v == 0xffffffff && len(field) >= 8 {
				*v, field = binary.LittleEndian.Uint64(field), field[8:]
			}
		}
		return
	}
}

// read returns the content of an entry.
func (e *zipEntry) read(r io.ReaderAt, size int64) ([]byte, error) {
	if e.encrypted || e.size > maxEntry || e.offset > uint64(size) {
		return nil, fmt.Errorf("%w: an entry of %d bytes at %d", errContent, e.size, e.offset)
	}
	var header [localLength]byte
	if err := readFull(r, header[:], int64(e.offset)); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(header[:]) != localMark {
		return nil, fmt.Errorf("%w: no entry at %d", errContent, e.offset)
	}
	at := int64(e.offset) + localLength + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	if at > size || e.compressed > uint64(size-at) {
		return nil, fmt.Errorf("%w: an entry of %d bytes at %d", errContent, e.compressed, at)
	}
	var from io.Reader = io.NewSectionReader(r, at, int64(e.compressed))
	switch e.method {
	case 0:
	case 8:
		from = flate.NewReader(from)
	default:
		return nil, fmt.Errorf("%w: compression method %d", errContent, e.method)
	}
	var content bytes.Buffer
	if _, err := content.ReadFrom(io.LimitReader(from, int64(e.size)+1)); err != nil {
		return nil, err
	}
	if uint64(content.Len()) != e.size || crc32.ChecksumIEEE(content.Bytes()) != e.crc {
		return nil, fmt.Errorf("%w: a damaged entry", errContent)
	}
	return content.Bytes(), nil
}

// readFull fills p with the bytes at an offset.
func readFull(r io.ReaderAt, p []byte, offset int64) error {
	if n, err := r.ReadAt(p, offset); n < len(p) {
		return fmt.Errorf("%w: %w", errContent, err)
	}
	return nil
}

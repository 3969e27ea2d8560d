package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// MaxSegment is the size in bytes, before compression, that a segment of several changes does not exceed. A larger
// change has a segment of its own.
const MaxSegment = 8 << 20

// maxBody limits what Open decompresses, in bytes.
const maxBody = 1 << 30

// File is a database.
type File byte

// The databases. Their values are stored.
const (
	Records File = 1 // svc.db
	Events  File = 2 // events.db
)

// Change is one transaction of one database.
type Change struct {
	File     File
	Position uint64
	Time     int64  // of the commit, Unix milliseconds
	Set      []byte // encoded by package change
}

// Header is the part of a segment that is never encrypted.
type Header struct {
	Epoch     uint32
	Number    uint64 // in its epoch, from 1
	After     uint64 // position before the first change; a gap if the segment before ends at a lower one
	Last      uint64 // position of the last change
	Begin     int64  // time of the first change, Unix milliseconds
	End       int64  // time of the last change, Unix milliseconds
	Before    Sum    // of the segment before; zero for the first of a replica
	Encrypted bool
}

// Sum is the SHA-256 of a segment.
type Sum [sha256.Size]byte

// SumOf returns the SHA-256 of a segment.
func SumOf(segment []byte) Sum { return sha256.Sum256(segment) }

const (
	magic      = "svc-seg1"
	headerSize = 124
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendChange appends the encoding of a change to b. Segments and the spool consist of such encodings.
func AppendChange(b []byte, c Change) []byte {
	start := len(b)
	b = binary.AppendUvarint(b, uint64(len(c.Set)))
	b = append(b, byte(c.File))
	b = binary.AppendUvarint(b, c.Position)
	b = binary.AppendVarint(b, c.Time)
	b = append(b, c.Set...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// ErrIncomplete is returned by NextChange for bytes that end within a change.
var ErrIncomplete = fmt.Errorf("%w: it ends within a change", ErrInvalid)

// NextChange decodes the change at the start of b and returns the remaining bytes. The set points into b.
func NextChange(b []byte) (c Change, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	at := n
	if n <= 0 || at >= len(b) {
		return c, nil, ErrIncomplete
	}
	c.File = File(b[at])
	at++
	if c.Position, n = binary.Uvarint(b[at:]); n <= 0 {
		return c, nil, ErrIncomplete
	}
	at += n
	if c.Time, n = binary.Varint(b[at:]); n <= 0 {
		return c, nil, ErrIncomplete
	}
	at += n
	if size > uint64(len(b)-at) || uint64(len(b)-at)-size < crc32.Size {
		return c, nil, ErrIncomplete
	}
	c.Set = b[at : at+int(size)]
	at += int(size)
	if crc32.Checksum(b[:at], castagnoli) != binary.BigEndian.Uint32(b[at:]) {
		return c, nil, fmt.Errorf("%w: the checksum of a change is wrong", ErrInvalid)
	}
	if c.File != Records && c.File != Events {
		return c, nil, fmt.Errorf("%w: a change of file %d", ErrInvalid, c.File)
	}
	return c, b[at+crc32.Size:], nil
}

// Seal returns a segment with the given changes, encoded by AppendChange. Seal encrypts the segment if there are
// recipients, regardless of h.Encrypted.
func Seal(h Header, changes []byte, recipients ...age.Recipient) ([]byte, error) {
	h.Encrypted = len(recipients) > 0
	var body bytes.Buffer
	var to io.Writer = &body
	closers := []io.Closer{}
	if h.Encrypted {
		sealed, err := age.Encrypt(to, recipients...)
		if err != nil {
			return nil, err
		}
		to, closers = sealed, append(closers, sealed)
	}
	packed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	if _, err := packed.Write(changes); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	for _, c := range closers {
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	return append(h.encode(body.Bytes()), body.Bytes()...), nil
}

func (h Header) encode(body []byte) []byte {
	b := make([]byte, 0, headerSize+len(body))
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint32(b, h.Epoch)
	b = binary.BigEndian.AppendUint64(b, h.Number)
	b = binary.BigEndian.AppendUint64(b, h.After)
	b = binary.BigEndian.AppendUint64(b, h.Last)
	b = binary.BigEndian.AppendUint64(b, uint64(h.Begin))
	b = binary.BigEndian.AppendUint64(b, uint64(h.End))
	b = append(b, h.Before[:]...)
	flags := byte(0)
	if h.Encrypted {
		flags = 1
	}
	b = append(b, flags, 0, 0, 0)
	sum := SumOf(body)
	b = append(b, sum[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// ReadHeader decodes the header of a segment and compares the body with its checksum.
func ReadHeader(segment []byte) (h Header, err error) {
	if len(segment) < headerSize || string(segment[:len(magic)]) != magic {
		return h, fmt.Errorf("%w: not a segment of this format", ErrInvalid)
	}
	if crc32.Checksum(segment[:headerSize-4], castagnoli) != binary.BigEndian.Uint32(segment[headerSize-4:]) {
		return h, fmt.Errorf("%w: the checksum of the header is wrong", ErrInvalid)
	}
	at := segment[len(magic):]
	h.Epoch = binary.BigEndian.Uint32(at)
	h.Number = binary.BigEndian.Uint64(at[4:])
	h.After = binary.BigEndian.Uint64(at[12:])
	h.Last = binary.BigEndian.Uint64(at[20:])
	h.Begin = int64(binary.BigEndian.Uint64(at[28:]))
	h.End = int64(binary.BigEndian.Uint64(at[36:]))
	copy(h.Before[:], at[44:])
	switch flags := binary.BigEndian.Uint32(at[76:]); flags {
	case 0:
	case 1 << 24:
		h.Encrypted = true
	default:
		return h, fmt.Errorf("%w: unknown flags %08x", ErrInvalid, flags)
	}
	if body := SumOf(segment[headerSize:]); !bytes.Equal(body[:], at[80:112]) {
		return h, fmt.Errorf("%w: the checksum of the body is wrong", ErrInvalid)
	}
	return h, h.check()
}

// check returns an error if no segment can have the header.
func (h Header) check() error {
	switch {
	case h.Epoch == 0 || h.Number == 0:
		return fmt.Errorf("%w: segment %d of epoch %d; both count from 1", ErrInvalid, h.Number, h.Epoch)
	case h.After >= h.Last:
		return fmt.Errorf("%w: positions after %d up to %d", ErrInvalid, h.After, h.Last)
	case h.Begin > h.End:
		return fmt.Errorf("%w: it ends before it begins", ErrInvalid)
	}
	return nil
}

// ErrIdentity is returned for an encrypted segment if none of the identities can decrypt it.
var ErrIdentity = errors.New("the replica is encrypted, and none of the given identities can decrypt it")

// Open decodes a segment and returns its changes in order. They share their memory.
func Open(segment []byte, identities ...age.Identity) (h Header, changes []Change, err error) {
	if h, err = ReadHeader(segment); err != nil {
		return h, nil, err
	}
	var from io.Reader = bytes.NewReader(segment[headerSize:])
	if h.Encrypted {
		if len(identities) == 0 {
			return h, nil, ErrIdentity
		}
		from, err = age.Decrypt(from, identities...)
		if errors.As(err, new(*age.NoIdentityMatchError)) {
			return h, nil, ErrIdentity
		}
		if err != nil {
			return h, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	unpacked, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return h, nil, err
	}
	defer unpacked.Close()
	b, err := io.ReadAll(io.LimitReader(unpacked, maxBody+1))
	if err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(b) > maxBody {
		return h, nil, fmt.Errorf("%w: more than %d bytes after decompression", ErrInvalid, maxBody)
	}
	changes, err = h.changes(b)
	return h, changes, err
}

// changes decodes the changes of a segment and compares them with its header.
func (h Header) changes(b []byte) (changes []Change, err error) {
	before := Change{Position: h.After, Time: h.Begin}
	for len(b) > 0 {
		c, rest, err := NextChange(b)
		switch {
		case err != nil:
			return nil, err
		case c.Position <= before.Position:
			return nil, fmt.Errorf("%w: position %d after %d", ErrInvalid, c.Position, before.Position)
		case c.Time < before.Time:
			return nil, fmt.Errorf("%w: the time of position %d is before that of position %d", ErrInvalid, c.Position, before.Position)
		}
		before, b = c, rest
		changes = append(changes, c)
	}
	switch {
	case len(changes) == 0:
		return nil, fmt.Errorf("%w: it has no changes", ErrInvalid)
	case before.Position != h.Last:
		return nil, fmt.Errorf("%w: it ends at position %d, not %d", ErrInvalid, before.Position, h.Last)
	case changes[0].Time != h.Begin || before.Time != h.End:
		return nil, fmt.Errorf("%w: its times differ from those of its changes", ErrInvalid)
	}
	return changes, nil
}

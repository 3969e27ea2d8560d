package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// trailerHead is the beginning of the trailer, which is the last 48 bytes of an archive.
// It consists of the magic number of a skippable zstd frame, the length of the frame's
// content, and a mark. The SHA-256 of all bytes of the archive before the trailer follows
// it.
const trailerHead = "\x5B\x2A\x4D\x18" + "\x28\x00\x00\x00" + "svc:sum1"

const trailerSize = len(trailerHead) + sha256.Size

// summed is a writer that passes bytes on to another writer and computes their checksum.
type summed struct {
	to  io.Writer
	sum hash.Hash
}

func newSummed(to io.Writer) *summed { return &summed{to, sha256.New()} }

// Write writes b to the wrapped writer and updates the checksum.
func (s *summed) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.sum.Write(b[:n])
	return n, err
}

// finish writes the trailer.
func (s *summed) finish() error {
	_, err := s.to.Write(s.sum.Sum([]byte(trailerHead)))
	return err
}

// trailed reads the data of an archive up to its trailer, without knowing the length of
// the archive. It returns io.EOF only after it has read a valid trailer.
type trailed struct {
	from *bufio.Reader
	sum  hash.Hash
	over bool // whether a valid trailer has been read
}

func newTrailed(from io.Reader) *trailed {
	return &trailed{from: bufio.NewReaderSize(from, 256<<10), sum: sha256.New()}
}

// Read reads data. It holds back the last bytes that it has, because they may be the
// trailer.
func (t *trailed) Read(b []byte) (int, error) {
	if len(b) == 0 || t.over {
		return 0, endOf(t.over)
	}
	ahead, err := t.from.Peek(trailerSize + 1)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = t.end(ahead)
		}
		return 0, err
	}
	n, err := t.from.Read(b[:min(len(b), t.from.Buffered()-trailerSize)])
	t.sum.Write(b[:n])
	return n, err
}

func endOf(over bool) error {
	if over {
		return io.EOF
	}
	return nil
}

// end verifies that last, the end of the archive, is the expected trailer. If it is, end
// returns io.EOF.
func (t *trailed) end(last []byte) error {
	if !bytes.Equal(last, t.sum.Sum([]byte(trailerHead))) {
		return fmt.Errorf("%w: it does not end with its checksum, so it was truncated or changed", ErrDamaged)
	}
	t.over = true
	return io.EOF
}

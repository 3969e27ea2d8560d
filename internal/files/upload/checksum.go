package upload

import (
	"io"
	"os"
	"sync"

	"svc/internal/files/digest"
)

// checksum holds the state of computing the checksums of an upload. It includes the chunks
// from the beginning of the upload up to the first one that is missing.
type checksum struct {
	mu         sync.Mutex
	state      *digest.Hash
	next       int // index of the first chunk that is not included
	generation int // number of calls of reset that had an effect
}

func newChecksum() checksum { return checksum{state: digest.New()} }

// fork returns a copy of the state, to which the caller can add the chunk with the given index. It
// returns nil if that chunk is not the next one to add, or if the state is in use.
func (c *checksum) fork(index int) (state *digest.Hash, generation int) {
	if !c.mu.TryLock() {
		return nil, 0
	}
	defer c.mu.Unlock()
	if c.next != index {
		return nil, 0
	}
	clone, err := c.state.Clone()
	if err != nil {
		return nil, 0
	}
	return clone, c.generation
}

// join replaces the state with a forked state to which the caller has added its chunk. It
// does nothing if the checksum has changed since the fork.
func (c *checksum) join(index int, state *digest.Hash, generation int) {
	if state == nil || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if c.next == index && c.generation == generation {
		c.state, c.next = state, index+1
	}
}

// reset must be called after the chunk with the given index has changed. If the checksum includes
// that chunk, reset restarts the checksum from the beginning.
func (c *checksum) reset(index int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	if c.next > index {
		c.state.Reset()
		c.next = 0
	}
}

// advance reads received chunks from content and adds them to the checksum, at most limit
// of them. The caller must hold c.mu.
func (u *session) advance(content io.ReaderAt, limit int) error {
	buffer := takeBuffer()
	defer giveBuffer(buffer)
	for ; limit > 0 && u.settled(u.sum.next); limit-- {
		clone, err := u.sum.state.Clone()
		if err != nil {
			return err
		}
		chunk := io.NewSectionReader(content, int64(u.sum.next)*u.chunkSize, u.length(u.sum.next))
		if n, err := io.CopyBuffer(clone, chunk, *buffer); err != nil {
			return err
		} else if n != chunk.Size() {
			return io.ErrUnexpectedEOF
		}
		u.sum.state = clone
		u.sum.next++
	}
	return nil
}

// settled reports whether a chunk has been received and its current version is in the
// content file.
func (u *session) settled(index int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return index < len(u.chunks) && u.chunks[index] == received && !u.replaced[index]
}

// catchUp adds to the checksum a few chunks that arrived before a preceding one, unless
// another request is already adding chunks. It adds only a few because a client is
// waiting, but more than one so that the checksum does not fall behind.
func (u *session) catchUp(content *os.File) {
	if !u.sum.mu.TryLock() {
		return
	}
	defer u.sum.mu.Unlock()
	_ = u.advance(content, 4) // Complete reports read errors
}

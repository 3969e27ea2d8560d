package upload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files/digest"
)

// bufferSize is the size, in bytes, of the buffer for a chunk that is being received. It
// is small because a client may open thousands of requests and send little data in each.
const bufferSize = 32 << 10

var buffers = sync.Pool{New: func() any { return new(make([]byte, bufferSize)) }}

func takeBuffer() *[]byte  { return buffers.Get().(*[]byte) }
func giveBuffer(b *[]byte) { buffers.Put(b) }

// at returns the offset of the chunk with the given index in the content file.
func (u *session) at(index int) int64 { return int64(index) * u.chunkSize }

// writer represents a request that sends a chunk. If two requests send the same chunk,
// the later one replaces the earlier one, so that a client that has lost its connection
// can retry immediately.
type writer struct {
	index      int
	sum        *digest.Hash // state of the checksum to which the chunk is added; nil if the chunk is not the next one
	generation int
}

// WriteChunk stores a chunk durably. If it fails, for example because the body is incomplete, the
// stored chunk is unchanged. length is the length of the body that the request declares, in bytes,
// or -1 if it declares none. n is the size of the chunk in bytes.
//
// The error is Invalid if there is no such chunk or the body has the wrong length. It is Conflict
// if a later request sends the same chunk or if the session is being completed. It is NotFound if
// the project has no such session, or if the session has expired, been completed or been deleted.
func (s *Sessions) WriteChunk(
	ctx context.Context, project uint32, id string, index int, length int64, body io.Reader,
) (n int64, err error) {
	u, err := s.find(project, id)
	if err != nil {
		return 0, err
	}
	if err := u.usable(); err != nil {
		return 0, err
	}
	if total := totalChunks(u.size, u.chunkSize); index < 0 || index >= total {
		return 0, fault.New(fault.Invalid, "index must be an integer from 0 to %d", total-1)
	}
	if want := u.length(index); length >= 0 && length != want {
		return 0, wrongLength(fmt.Sprintf("chunk %d", index), want, fmt.Sprint(length))
	}
	if err := u.write(ctx, index, body); err != nil {
		if gone := u.usable(); gone != nil { // the end of the session is the cause of the error
			return 0, gone
		}
		return 0, fault.Disk(err)
	}
	return u.length(index), nil
}

func wrongLength(what string, want int64, got string) error {
	return fault.New(fault.Invalid, "%s must have exactly %d bytes, the body has %s", what, want, got)
}

// write stores a new chunk in the content file. If the chunk has been received before, write
// replaces it.
func (u *session) write(ctx context.Context, index int, body io.Reader) error {
	w, there, err := u.claim(index)
	if err != nil {
		return err
	}
	defer u.release(w)
	content, err := u.openContent(os.O_RDWR)
	if err != nil {
		return err
	}
	defer content.Close()
	if there {
		return u.replace(ctx, content, w, body)
	}
	if err := u.fill(ctx, content, w, body); err != nil {
		return err
	}
	u.sum.join(index, w.sum, w.generation)
	u.catchUp(content)
	return nil
}

// openContent opens the content file. The file is missing if a completion has already
// moved it.
func (u *session) openContent(flag int) (*os.File, error) {
	f, err := os.OpenFile(u.path(contentName), flag, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := u.usable(); err != nil {
		return nil, err
	}
	return nil, fault.New(fault.Conflict, "the upload is being completed: all chunks have been received")
}

// claim makes a new writer the current writer of a chunk. The result there reports whether the
// chunk has been received before.
func (u *session) claim(index int) (w *writer, there bool, err error) {
	place := &u.places[index%len(u.places)]
	place.Lock() // wait until no other writer is writing or acknowledging the chunk
	defer place.Unlock()
	if err := u.usable(); err != nil {
		return nil, false, err
	}
	w = &writer{index: index}
	u.mu.Lock()
	u.writers[index] = w
	state := u.chunks[index]
	u.mu.Unlock()
	if state == doubtful {
		if err := u.note(index, absent); err != nil {
			u.release(w)
			return nil, false, err
		}
	}
	if state != received {
		w.sum, w.generation = u.sum.fork(index)
	}
	return w, state == received, nil
}

// release ends the writing of a chunk by w, unless a later writer has replaced w.
func (u *session) release(w *writer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writers[w.index] == w {
		delete(u.writers, w.index)
	}
}

// owns returns an error if a later writer has replaced w, or if the session no longer accepts
// chunks.
func (u *session) owns(w *writer) error {
	if err := u.usable(); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.writers[w.index] != w {
		return fault.New(fault.Conflict, "chunk %d is being sent by another request", w.index)
	}
	return nil
}

// eachPiece reads a body, which must have exactly want bytes. It calls fn with each piece and the
// offset of the piece in the body. The parameter what names the body in error texts.
func eachPiece(ctx context.Context, body io.Reader, what string, want int64, fn func(piece []byte, at int64) error) error {
	buffer := takeBuffer()
	defer giveBuffer(buffer)
	for at := int64(0); at < want; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(body, (*buffer)[:min(bufferSize, want-at)])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return wrongLength(what, want, fmt.Sprint(at+int64(n)))
		}
		if err != nil {
			return err
		}
		if err := fn((*buffer)[:n], at); err != nil {
			return err
		}
		at += int64(n)
	}
	switch n, err := io.ReadFull(body, (*buffer)[:1]); {
	case n > 0:
		return wrongLength(what, want, "more")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// fill receives a chunk that has not been received before and writes it to content.
func (u *session) fill(ctx context.Context, content *os.File, w *writer, body io.Reader) error {
	place := &u.places[w.index%len(u.places)]
	length := u.length(w.index)
	err := eachPiece(ctx, body, fmt.Sprintf("chunk %d", w.index), length, func(piece []byte, at int64) error {
		if err := u.need(length-at, at); err != nil {
			return err
		}
		if w.sum != nil {
			defer w.sum.Begin(piece)()
		}
		place.Lock()
		defer place.Unlock()
		if err := u.owns(w); err != nil {
			return err
		}
		_, err := content.WriteAt(piece, u.at(w.index)+at)
		return err
	})
	if err != nil {
		return err
	}
	place.Lock()
	defer place.Unlock()
	if err := u.owns(w); err != nil {
		return err
	}
	if err := content.Sync(); err != nil {
		return err
	}
	if err := u.note(w.index, received); err != nil {
		return err
	}
	return u.usable()
}

// note stores the state of a chunk durably. The caller must hold the lock of the chunk,
// which is one of u.places.
func (u *session) note(index int, state byte) error {
	u.setState(index, doubtful)
	f, err := os.OpenFile(u.path(chunksName), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{state}, int64(index))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	u.setState(index, state)
	return nil
}

func (u *session) setState(index int, state byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.chunks[index] = state
}

// replace receives a chunk that has been received before. It writes nothing as long as the body
// equals the stored chunk. From the first difference on, it writes the chunk to a separate file.
func (u *session) replace(ctx context.Context, content *os.File, w *writer, body io.Reader) error {
	if err := u.settle(w.index); err != nil {
		return err
	}
	var beside *os.File
	defer func() {
		if beside != nil { // if there was no error, the file is already closed and renamed
			_ = beside.Close()
			_ = os.Remove(beside.Name())
		}
	}()
	old := takeBuffer()
	defer giveBuffer(old)
	length := u.length(w.index)
	err := eachPiece(ctx, body, fmt.Sprintf("chunk %d", w.index), length, func(piece []byte, at int64) (err error) {
		if beside == nil {
			there := (*old)[:len(piece)]
			if _, err := content.ReadAt(there, u.at(w.index)+at); err != nil {
				return err
			}
			if bytes.Equal(there, piece) {
				return nil
			}
			if err := u.need(length, 0); err != nil {
				return err
			}
			if beside, err = os.CreateTemp(u.dir, besidePattern); err != nil {
				return err
			}
			if _, err := io.CopyBuffer(onlyWriter{beside}, io.NewSectionReader(content, u.at(w.index), at), *old); err != nil {
				return err
			}
		}
		_, err = beside.Write(piece)
		return err
	})
	if err != nil {
		return err
	}
	if beside == nil {
		return u.owns(w)
	}
	if err := errors.Join(beside.Sync(), beside.Close()); err != nil {
		return err
	}
	return u.exchange(w, beside.Name())
}

// exchange makes the file at path the current version of the chunk that w has received.
func (u *session) exchange(w *writer, path string) error {
	place := &u.places[w.index%len(u.places)]
	place.Lock()
	defer place.Unlock()
	u.swap.Lock()
	defer u.swap.Unlock()
	if err := u.owns(w); err != nil {
		return err
	}
	content, err := u.openContent(os.O_WRONLY)
	if err != nil {
		return err
	}
	defer content.Close()
	if d := u.description; d.SHA256 != "" { // a completion has failed and must compute the checksum again
		d.Sums = digest.Sums{}
		if err := u.save(d); err != nil {
			return err
		}
	}
	if err := os.Rename(path, u.replacedPath(w.index)); err != nil {
		return err
	}
	u.mu.Lock()
	u.replaced[w.index] = true
	u.mu.Unlock()
	if err := durable.SyncDir(u.dir); err != nil {
		return err
	}
	_ = u.copyReplaced(w.index) // if this fails, the next caller that needs the chunk in content retries
	return nil
}

// settle copies a chunk from its separate file into the content file, if the chunk has a separate
// file.
func (u *session) settle(index int) error {
	u.swap.Lock()
	defer u.swap.Unlock()
	if err := u.usable(); err != nil {
		return err
	}
	return u.copyReplaced(index)
}

// copyReplaced implements settle. The caller must hold u.swap.
func (u *session) copyReplaced(index int) error {
	u.mu.Lock()
	replaced := u.replaced[index]
	u.mu.Unlock()
	if !replaced {
		return nil
	}
	defer u.sum.reset(index)
	from, err := os.Open(u.replacedPath(index))
	if err != nil {
		return err
	}
	defer from.Close()
	content, err := u.openContent(os.O_WRONLY)
	if err != nil {
		return err
	}
	defer content.Close()
	buffer := takeBuffer()
	defer giveBuffer(buffer)
	if _, err := io.CopyBuffer(io.NewOffsetWriter(content, u.at(index)), onlyReader{from}, *buffer); err != nil {
		return err
	}
	if err := content.Sync(); err != nil {
		return err
	}
	if err := os.Remove(u.replacedPath(index)); err != nil {
		return err
	}
	u.mu.Lock()
	delete(u.replaced, index)
	u.mu.Unlock()
	return nil
}

// These types hide the methods ReadFrom and WriteTo of a file, so that io.CopyBuffer uses the given
// buffer.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)

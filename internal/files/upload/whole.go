package upload

import (
	"context"
	"errors"
	"io"
	"os"

	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/digest"
)

// Receive stores a body of exactly r.Size bytes as one file. When all bytes are durable, it calls
// register, which moves the content and creates the record of the file. After an error, nothing
// remains except what register has stored. The error is one of register, or one that Create or
// WriteChunk can return, except TooMany.
func (s *Sessions) Receive(
	ctx context.Context, r Request, body io.Reader, register func(Content) (fileID string, err error),
) (fileID string, err error) {
	u, err := s.begin(r, true)
	if err != nil {
		return "", err
	}
	u.swap.Lock()
	defer u.swap.Unlock()
	defer func() {
		if dropped := s.drop(u); dropped != nil { // if this fails, Sweep removes the session
			s.log.Warn("files of an upload cannot be removed yet", "upload", u.id, "error", dropped)
		}
	}()
	sums, err := u.receive(ctx, body)
	if err != nil {
		return "", fault.Disk(err)
	}
	return register(Content{
		Path: u.path(contentName), Size: r.Size, Sums: sums, Filename: r.Filename, Backend: r.Backend, FileID: files.NewID(),
	})
}

// receive writes a body to the session's content file and returns the checksums of the body.
func (u *session) receive(ctx context.Context, body io.Reader) (sums digest.Sums, err error) {
	content, err := os.OpenFile(u.path(contentName), os.O_WRONLY, 0)
	if err != nil {
		return sums, err
	}
	w, hash := durable.NewPaced(content), digest.New()
	err = eachPiece(ctx, body, "the file", u.size, func(piece []byte, at int64) error {
		if err := u.need(u.size-at, at); err != nil {
			return err
		}
		defer hash.Begin(piece)()
		_, err := w.Write(piece)
		for i := at / u.chunkSize; err == nil && (i+1)*u.chunkSize <= at+int64(len(piece)); i++ {
			u.setState(int(i), received)
		}
		return err
	})
	if err := errors.Join(err, w.Sync(), content.Close()); err != nil {
		return sums, err
	}
	return hash.Sums(), nil
}

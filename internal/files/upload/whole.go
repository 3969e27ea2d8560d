package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files"
)

// Receive stores a body of exactly r.Size bytes as one file. When the whole content is
// durable, it calls register, as Complete does. After an error, only what register has
// stored remains. The error is one of those of Create and WriteChunk, except TooMany.
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
	sum, err := u.receive(ctx, body)
	if err != nil {
		return "", fault.Disk(err)
	}
	return register(Content{
		Path: u.path(contentName), Size: r.Size, SHA256: sum, Filename: r.Filename, Backend: r.Backend, FileID: files.NewID(),
	})
}

// receive writes a body to the content file and returns its SHA-256.
func (u *session) receive(ctx context.Context, body io.Reader) (sum string, err error) {
	content, err := os.OpenFile(u.path(contentName), os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	w, hash := durable.NewPaced(content), sha256.New()
	err = eachPiece(ctx, body, "the file", u.size, func(piece []byte, at int64) error {
		if err := u.need(u.size-at, at); err != nil {
			return err
		}
		hash.Write(piece)
		_, err := w.Write(piece)
		for i := at / u.chunkSize; err == nil && (i+1)*u.chunkSize <= at+int64(len(piece)); i++ {
			u.setState(int(i), received)
		}
		return err
	})
	if err := errors.Join(err, w.Sync(), content.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

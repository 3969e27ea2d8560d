package svcsdk

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// UploadOptions configures [Admin.UploadFile].
type UploadOptions struct {
	// Name is the file name for downloads. The default is the name in the path.
	Name string
	// StorageBackendID selects the storage of the file. The default is the project's storage.
	StorageBackendID Opt[string]
	// UploadID continues an earlier upload.
	UploadID string
	// OnProgress receives the number of bytes sent so far and the total.
	OnProgress func(sent, total int64)
}

// mostRounds is the maximum number of times that missing chunks are sent.
const mostRounds = 3

// UploadFile uploads the file at path. It resends chunks that could not be sent. If the upload
// fails nevertheless, the error is an [*UploadError]. A later call can continue the upload with the
// UploadID of that error.
func (a *Admin) UploadFile(ctx context.Context, path string, opts *UploadOptions) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("the file to upload cannot be opened: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, usage("the file to upload cannot be read: %v", err)
	}
	var o UploadOptions
	if opts != nil {
		o = *opts
	}
	setDefault(&o.Name, filepath.Base(path))
	return a.Upload(ctx, file, info.Size(), &o)
}

// Upload uploads the first size bytes of content. Otherwise, it is like UploadFile. The field Name
// of opts is required, unless UploadID is set.
func (a *Admin) Upload(ctx context.Context, content io.ReaderAt, size int64, opts *UploadOptions) (*File, error) {
	if opts == nil || opts.Name == "" && opts.UploadID == "" {
		return nil, usage("an upload needs the name of the file")
	}
	session, err := a.openUpload(ctx, size, opts)
	if err != nil {
		return nil, err
	}
	id := session.UploadID
	for round := 1; ; round++ {
		failed := a.sendChunks(ctx, content, session, opts.OnProgress)
		if failed == nil {
			break
		}
		if _, local := errors.AsType[*UsageError](failed); local || round == mostRounds || ctx.Err() != nil {
			return nil, &UploadError{UploadID: id, Cause: failed}
		}
		if session, err = a.GetUpload(ctx, id); err != nil {
			return nil, &UploadError{UploadID: id, Cause: err}
		}
		if session == nil {
			return nil, &UploadError{UploadID: id, Cause: failed}
		}
	}
	file, err := a.CompleteUpload(ctx, id)
	if err != nil {
		return nil, &UploadError{UploadID: id, Cause: err}
	}
	return file, nil
}

// openUpload starts an upload, or asks the server for the progress of an earlier one.
func (a *Admin) openUpload(ctx context.Context, size int64, o *UploadOptions) (session *UploadSession, err error) {
	if o.UploadID != "" {
		session, err = a.GetUpload(ctx, o.UploadID)
	} else {
		session, err = a.CreateUpload(ctx, UploadCreate{Filename: o.Name, Size: size, StorageBackendID: o.StorageBackendID})
	}
	switch {
	case err != nil:
		return nil, err
	case session == nil || session.ChunkSize <= 0:
		return nil, usage("the server does not say how to upload")
	case session.Size != size:
		return nil, usage("the upload was begun for %d bytes, not %d", session.Size, size)
	}
	return session, nil
}

// sendChunks sends the chunks that the server has not received yet.
func (a *Admin) sendChunks(ctx context.Context, content io.ReaderAt, s *UploadSession, progress func(sent, total int64)) error {
	chunk := func(i int64) (start, length int64) {
		start = i * s.ChunkSize
		return start, min(s.ChunkSize, s.Size-start)
	}
	var sent int64
	for _, i := range s.ReceivedChunks {
		_, length := chunk(i)
		sent += length
	}
	for i := range s.TotalChunks {
		if slices.Contains(s.ReceivedChunks, i) {
			continue
		}
		start, length := chunk(i)
		body := make([]byte, length)
		if _, err := content.ReadAt(body, start); err != nil && !errors.Is(err, io.EOF) {
			return usage("the content to upload cannot be read: %v", err)
		}
		if _, err := a.PutUploadChunk(ctx, s.UploadID, int(i), body); err != nil {
			return err
		}
		sent += length
		if progress != nil {
			progress(sent, s.Size)
		}
	}
	return nil
}

// UploadError is the error of an incomplete upload. Its cause implements [Error].
type UploadError struct {
	UploadID string // pass it in [UploadOptions] to continue; valid for a day
	Cause    error
}

// Error returns the text of the cause.
func (e *UploadError) Error() string { return "upload: " + e.Cause.Error() }
func (e *UploadError) svcError()     {}

// Unwrap returns the cause.
func (e *UploadError) Unwrap() error { return e.Cause }

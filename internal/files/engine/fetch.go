package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"svc/internal/disk"
	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files/digest"
	"svc/internal/outbound"
	"svc/store"
)

// fetch downloads the attachment of f to the path in the parameter staged. It stores the size, the
// checksums and the facts from the content in the record of the file. If the download fails, fetch
// removes the incomplete file.
func (e *Engine) fetch(ctx context.Context, f *store.File, staged string) error {
	limited, cancel := context.WithTimeout(ctx, e.FetchTime)
	defer cancel()
	err := e.fetchAttachment(limited, f, staged)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return permanentError{fmt.Errorf("the download took longer than %g minutes", e.FetchTime.Minutes())}
	}
	return err
}

func (e *Engine) fetchAttachment(ctx context.Context, f *store.File, staged string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.SourceURL, nil)
	if err != nil {
		return permanentError{err}
	}
	request.Header.Set("Accept", "application/octet-stream")
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := e.Fetch.Do(request)
	if err != nil {
		return outbound.Explain(err)
	}
	defer answer.Body.Close()
	if err := notContent(answer); err != nil {
		return err
	}
	if answer.ContentLength > e.MaxSize {
		return e.tooLarge()
	}
	if err := e.roomFor(f.Project, answer.ContentLength-f.Size); err != nil { // f.Size is already included in the project's pending files
		return err
	}
	size, sums, err := e.download(answer, staged)
	if err != nil {
		return err
	}
	f.Size = size
	if err := e.Describe(f, sums, staged); err != nil {
		return permanentError{errors.Join(errors.New(errPrivate), os.Remove(staged))}
	}
	return e.DB.Update(func(tx *store.Tx) error {
		now, err := tx.File(f.Project, f.ID)
		if err != nil {
			return err
		}
		now.Size, now.Facts = size, f.Facts
		setSums(now, sums)
		return tx.PutFile(f.Project, now)
	})
}

// notContent returns an error unless the body of a response is the complete attachment. A
// successful status is not sufficient, because responses with partial, missing or compressed
// content have successful statuses, too.
func notContent(answer *http.Response) error {
	encoding := answer.Header.Get("Content-Encoding")
	switch status := answer.StatusCode; {
	case status >= 500, status == http.StatusTooManyRequests:
		return fmt.Errorf("the code host answered %d for the attachment", status)
	case status != http.StatusOK:
		return permanentError{fmt.Errorf("the code host answered %d for the attachment", status)}
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return permanentError{errors.New("the code host sent the attachment with a Content-Encoding, although it was asked not to")}
	}
	return nil
}

// roomFor returns an error if the project may not use additional disk space of the given size in
// bytes.
func (e *Engine) roomFor(p store.ProjectID, size int64) error {
	pending, err := store.Read(e.DB, func(tx *store.Tx) (int64, error) { return tx.PendingBytes(p) })
	if err != nil {
		return err
	}
	return e.Uploads.Room(uint32(p), max(size, 0), pending)
}

func (e *Engine) tooLarge() error {
	return permanentError{fmt.Errorf("the attachment is larger than %d MiB, the limit of SVC_UPLOAD_MAX_MB", e.MaxSize>>20)}
}

// download writes the body of a response to the file with the given name, and returns the size and
// the checksums of the file. When it returns without an error, the file is durable. After an error
// the file does not exist.
func (e *Engine) download(answer *http.Response, name string) (size int64, sums digest.Sums, err error) {
	if err := durable.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, sums, fault.Disk(err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, sums, fault.Disk(err)
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = fault.Disk(closed)
		}
		if err != nil {
			_ = os.Remove(name) // if this fails, the clean-up removes the file
		}
	}()
	hash := digest.New()
	body := explained{io.LimitReader(answer.Body, e.MaxSize+1)}
	size, err = disk.Fill(file, io.TeeReader(body, hash), answer.ContentLength, "the attachment")
	switch {
	case err != nil:
		return 0, sums, err
	case size > e.MaxSize:
		return 0, sums, e.tooLarge()
	case answer.ContentLength >= 0 && size != answer.ContentLength:
		return 0, sums, fmt.Errorf("the attachment has %d bytes instead of %d", size, answer.ContentLength)
	}
	return size, hash.Sums(), fault.Disk(durable.SyncDir(filepath.Dir(name)))
}

// explained is a reader for the body of a response. It converts network errors to errors
// that can be shown to users.
type explained struct{ io.Reader }

// Read implements io.Reader.
func (e explained) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = outbound.Explain(err)
	}
	return n, err
}

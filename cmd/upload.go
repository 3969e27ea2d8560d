package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"svc/api/distribution"
	"svc/internal/durable"
)

const (
	// chunksAtOnce is the number of chunks that are sent in parallel. It is large enough to make
	// full use of a connection with high latency.
	chunksAtOnce = 3
	// pollEvery is the interval at which the uploader requests the status of a file that the server
	// is transferring to another storage.
	pollEvery = time.Second
)

// requestPauses are the pauses before the second and each later attempt to send a request.
var requestPauses = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// uploader sends files to a project.
type uploader struct {
	connection
	project, storage string
	bar              *bar
}

func (u *uploader) sessions() string { return projectFiles(u.project) + "/uploads" }

// upload sends a file, waits until it is available for download, and returns the server's
// description of it. If an earlier upload of the same file was interrupted, upload resumes it.
func (u *uploader) upload(ctx context.Context, name string) (*fileAnswer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	note := u.note(name, info)
	s, err := u.begin(ctx, name, info.Size(), note)
	if err != nil {
		return nil, err
	}
	if err := u.send(ctx, s, f); err != nil {
		return nil, err
	}
	u.bar.end()
	var done fileAnswer
	err = repeatedly(ctx, func() error { // complete may have succeeded without a response; repeating it does not create a second file
		return u.callUnlimited(ctx, http.MethodPost, u.sessions()+"/"+s.ID+"/complete", nil, &done)
	})
	if err != nil {
		return nil, err
	}
	_ = os.Remove(note) // if this fails, the next upload notices that the session has ended
	return u.ready(ctx, &done)
}

// note returns the path of the file that stores the session id until the upload is complete, so
// that a repeated command can resume the upload. It returns "" if there is no suitable folder. The
// path depends on the size and the modification time of the uploaded file, so that the upload of a
// changed file starts over.
func (u *uploader) note(name string, info os.FileInfo) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d %d", u.base, u.project, u.storage, path, info.Size(), info.ModTime().UnixNano()))
	return filepath.Join(dir, "svc", "uploads", hex.EncodeToString(sum[:16]))
}

// begin returns the upload session with the id in the file note. If there is none, it creates a
// session and stores its id in that file.
func (u *uploader) begin(ctx context.Context, name string, size int64, note string) (*distribution.SessionView, error) {
	if id, err := os.ReadFile(note); err == nil {
		var s distribution.SessionView
		if err := u.call(ctx, http.MethodGet, u.sessions()+"/"+url.PathEscape(string(id)), nil, &s); err == nil && s.Size == size &&
			s.ChunkSize > 0 {
			return &s, nil
		}
	}
	body := map[string]any{"filename": filepath.Base(name), "size": size}
	if u.storage != "" {
		body["storage_backend_id"] = u.storage
	}
	var s distribution.SessionView
	if err := u.call(ctx, http.MethodPost, u.sessions(), body, &s); err != nil {
		return nil, err
	}
	if s.ChunkSize <= 0 {
		return nil, errors.New("the server's answer is not an upload session")
	}
	if note != "" && durable.MkdirAll(filepath.Dir(note), 0o700) == nil {
		_ = os.WriteFile(note, []byte(s.ID), 0o600) // if this fails, the upload just cannot be resumed
	}
	return &s, nil
}

// send sends the chunks that the server has not received yet, chunksAtOnce in parallel.
func (u *uploader) send(ctx context.Context, s *distribution.SessionView, f io.ReaderAt) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	indexes := make(chan int)
	var senders sync.WaitGroup
	for range chunksAtOnce {
		senders.Go(func() {
			for i := range indexes {
				if err := u.sendChunk(ctx, s, f, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	u.bar.begin(s.Size)
	for i := range s.TotalChunks {
		if slices.Contains(s.Received, i) {
			u.bar.add(min(s.ChunkSize, s.Size-int64(i)*s.ChunkSize))
			continue
		}
		select {
		case indexes <- i:
		case <-ctx.Done():
		}
	}
	close(indexes)
	senders.Wait()
	return context.Cause(ctx)
}

// sendChunk sends the chunk with the given index. It repeats failed requests.
func (u *uploader) sendChunk(ctx context.Context, s *distribution.SessionView, f io.ReaderAt, index int) error {
	offset := int64(index) * s.ChunkSize
	length := min(s.ChunkSize, s.Size-offset)
	err := repeatedly(ctx, func() error {
		return u.callUnlimited(ctx, http.MethodPut, fmt.Sprintf("%s/%s/chunks/%d", u.sessions(), s.ID, index),
			io.NewSectionReader(f, offset, length), nil)
	})
	if err == nil {
		u.bar.add(length)
	}
	return err
}

// repeatedly calls the function send until a call succeeds, the server rejects the request, or all
// requestPauses have been used.
func repeatedly(ctx context.Context, send func() error) error {
	err := send()
	for _, pause := range requestPauses {
		answer, answered := errors.AsType[*answerError](err)
		if err == nil || ctx.Err() != nil || answered && answer.status < http.StatusInternalServerError {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		err = send()
	}
	return err
}

// ready waits until a file that is being transferred to another storage is available for download.
func (u *uploader) ready(ctx context.Context, f *fileAnswer) (*fileAnswer, error) {
	for f.Status == "pending" {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollEvery):
		}
		id := f.ID
		f = &fileAnswer{}
		if err := u.call(ctx, http.MethodGet, projectFiles(u.project)+"/"+url.PathEscape(id), nil, f); err != nil {
			return nil, err
		}
	}
	if f.Status != "ready" {
		reason := "no reason given"
		if f.Error != nil {
			reason = *f.Error
		}
		return nil, fmt.Errorf("the server has file %s but could not store it: %s", f.ID, reason)
	}
	return f, nil
}

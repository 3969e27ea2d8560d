package upload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/digest"
)

// maxMissing limits the number of missing chunks that an error names.
const maxMissing = 20

// Content describes an upload that is complete and durable.
type Content struct {
	// Path is the path of the staged file, which the registration may move. If an earlier
	// registration has moved the file and was then interrupted, Path does not exist, and the
	// content is at the destination of that registration.
	Path     string
	Size     int64
	Filename string
	Backend  string
	FileID   string // the same at every attempt to complete the upload
	digest.Sums
}

// Complete turns a session with all its chunks into a file. It calls register to move the
// content and create the record, and returns when the file is registered. register must
// be safe to repeat. If two calls of Complete run concurrently, one of them registers the
// file and both return its ID. Later calls also return this ID until the session expires.
// An error leaves the session unchanged, so that Complete can be called again.
//
// The error is Conflict if chunks are missing. It is NotFound if the project has no such
// session, or if the session has expired or been deleted.
func (s *Sessions) Complete(project uint32, id string, register func(Content) (fileID string, err error)) (fileID string, err error) {
	u, err := s.find(project, id)
	if err != nil {
		return "", err
	}
	u.swap.Lock()
	defer u.swap.Unlock()
	if u.ended {
		return "", notFound()
	}
	if u.description.Done {
		return u.description.File, nil
	}
	c, err := u.prepare()
	if err != nil {
		return "", fault.Disk(err)
	}
	if fileID, err = register(c); err != nil {
		return "", err
	}
	if err := u.finish(fileID); err != nil {
		// After a restart, the session will appear as not completed. Completing it again will
		// return the registered file.
		s.log.Warn("completed upload session cannot be written", "upload", u.id, "error", err)
	}
	return fileID, nil
}

// prepare durably stores all data needed for the registration, so that the registration can be
// repeated even after a restart of the process. The caller must hold u.swap.
func (u *session) prepare() (Content, error) {
	if err := u.complete(); err != nil {
		return Content{}, err
	}
	d := u.description
	info, err := os.Stat(u.path(contentName))
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.SHA256 != "": // an earlier registration has moved the file
	case err != nil:
		return Content{}, err
	case info.Size() != u.size:
		return Content{}, fault.New(fault.Conflict, "the chunks have %d bytes in total instead of %d", info.Size(), u.size)
	case d.SHA256 == "":
		if d.Sums, err = u.hashAll(); err != nil {
			return Content{}, err
		}
		if d.File == "" {
			d.File = files.NewID()
		}
		if err := u.save(d); err != nil {
			return Content{}, err
		}
	}
	return Content{Path: u.path(contentName), Size: u.size, Sums: d.Sums, Filename: d.Filename, Backend: d.Backend, FileID: d.File}, nil
}

// complete returns a Conflict error if chunks are missing.
func (u *session) complete() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	var missing []string
	count := 0
	for i, state := range u.chunks {
		if state == received {
			continue
		}
		if count++; count <= maxMissing {
			missing = append(missing, strconv.Itoa(i))
		}
	}
	if count == 0 {
		return nil
	}
	text := strings.Join(missing, ", ")
	if count > maxMissing {
		text += fmt.Sprintf(" and %d more", count-maxMissing)
	}
	return fault.New(fault.Conflict, "chunks are missing: %s", text)
}

// hashAll copies all replaced chunks into the content file and completes the checksums. The caller
// must hold u.swap.
func (u *session) hashAll() (sums digest.Sums, err error) {
	for i := range u.chunks {
		if err := u.copyReplaced(i); err != nil {
			return sums, err
		}
	}
	content, err := os.Open(u.path(contentName))
	if err != nil {
		return sums, err
	}
	defer content.Close()
	u.sum.mu.Lock()
	defer u.sum.mu.Unlock()
	if err := u.advance(content, len(u.chunks)); err != nil {
		return sums, err
	}
	return u.sum.state.Sums(), nil
}

// finish stores the ID of the registered file in the session, and deletes the files that a
// completed session no longer needs. The caller must hold u.swap.
func (u *session) finish(fileID string) error {
	d := u.description
	d.File, d.Done = fileID, true
	err := u.save(d)
	if err != nil {
		u.mu.Lock()
		u.description = d
		u.mu.Unlock()
		return err
	}
	for _, name := range []string{contentName, chunksName} {
		if err := os.Remove(u.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

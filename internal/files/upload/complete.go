package upload

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"svc/internal/fault"
	"svc/internal/files"
)

// maxMissing is how many chunks that are missing an error lists.
const maxMissing = 20

// Content is an upload that is whole and durable.
type Content struct {
	// Path is the staged file. It may be moved away. It does not exist any more
	// when an earlier registration moved it and was interrupted afterwards: then
	// the object is where a registration moves it to.
	Path     string
	Size     int64
	SHA256   string // 64 hexadecimal digits
	Filename string
	Backend  string
	FileID   string // the same at every repetition
}

// Complete makes a file of a session whose chunks are all there: it calls register,
// which takes the content over and returns when the file is registered, safely to
// repeat. Of two calls at once one registers and both answer the same id, as does
// every call until the session expires. An error loses nothing: the session is as
// it was, and Complete can be called again.
//
// It fails with Conflict when chunks are missing, and with NotFound as Get does,
// but for completed sessions.
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
		// After a restart the session would be found uncompleted, and completing it
		// would find the file.
		s.log.Warn("completed upload session cannot be written", "upload", u.id, "error", err)
	}
	return fileID, nil
}

// prepare makes everything durable that a registration, and its repetition by
// another process, needs to know. swap is held.
func (u *session) prepare() (Content, error) {
	if err := u.complete(); err != nil {
		return Content{}, err
	}
	d := u.description
	info, err := os.Stat(u.path(contentName))
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.SHA256 != "": // a registration has moved it
	case err != nil:
		return Content{}, err
	case info.Size() != u.size:
		return Content{}, fault.New(fault.Conflict, "the chunks have %d bytes together instead of %d", info.Size(), u.size)
	case d.SHA256 == "":
		if d.SHA256, err = u.hashAll(); err != nil {
			return Content{}, err
		}
		if d.File == "" {
			d.File = files.NewID()
		}
		if err := u.save(d); err != nil {
			return Content{}, err
		}
	}
	return Content{Path: u.path(contentName), Size: u.size, SHA256: d.SHA256, Filename: d.Filename, Backend: d.Backend, FileID: d.File}, nil
}

// complete fails when chunks are missing.
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

// hashAll brings all chunks to their places and hashes what was not yet. swap is
// held.
func (u *session) hashAll() (sum string, err error) {
	for i := range u.chunks {
		if err := u.copyReplaced(i); err != nil {
			return "", err
		}
	}
	content, err := os.Open(u.path(contentName))
	if err != nil {
		return "", err
	}
	defer content.Close()
	u.sum.mu.Lock()
	defer u.sum.mu.Unlock()
	if err := u.advance(content, len(u.chunks)); err != nil {
		return "", err
	}
	return hex.EncodeToString(u.sum.state.Sum(nil)), nil
}

// finish remembers the file and drops what a completed session needs no more. swap
// is held.
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

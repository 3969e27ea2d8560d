// Package upload keeps what is being uploaded on disk until it is a file.
package upload

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"
)

// ChunkSize is the size of every chunk but the last one, in bytes.
const ChunkSize = 8 << 20

// Life is how long a session can be used after its creation.
const Life = 24 * time.Hour

// Session is the state of an upload at one moment.
type Session struct {
	ID       string // 32 hexadecimal digits
	Project  uint32
	Filename string // clean
	Size     int64  // bytes
	Received []int  // the chunks that are there, ascending
	Backend  string // id of the storage that was chosen
	Expires  time.Time
}

// TotalChunks is the number of chunks, at least 1.
func (s *Session) TotalChunks() int { return int(max(1, (s.Size+ChunkSize-1)/ChunkSize)) }

// ChunkLength is the number of bytes that a chunk must have.
func (s *Session) ChunkLength(index int) int64 {
	return min(ChunkSize, s.Size-int64(index)*ChunkSize)
}

// Content is an upload that is whole and durable.
type Content struct {
	// Path is the staged file. It may be moved away. It does not exist any more
	// when an earlier registration moved it and was interrupted afterwards: then
	// the object is where the registration moves it to.
	Path     string
	Size     int64
	SHA256   string // 64 hexadecimal digits
	Filename string
	Backend  string
	FileID   string // the same at every repetition
}

// Sessions are the uploads in a folder.
type Sessions struct{}

var errLater = errors.New("uploads are not there yet")

// Open finds the sessions of a folder again.
func Open(dir string, now func() time.Time, log *slog.Logger) (*Sessions, error) {
	return &Sessions{}, nil
}

// Create begins a session for a file of size bytes; filename is clean.
func (s *Sessions) Create(project uint32, filename string, size int64, backend string) (*Session, error) {
	return nil, errLater
}

// Get is a session that can be used.
func (s *Sessions) Get(project uint32, id string) (*Session, error) { return nil, errLater }

// WriteChunk stores a chunk. length is its declared length, -1 = unknown.
func (s *Sessions) WriteChunk(ctx context.Context, project uint32, id string, index int, length int64, body io.Reader) (n int64, err error) {
	return 0, errLater
}

// Complete makes a file of a session.
func (s *Sessions) Complete(project uint32, id string, register func(Content) (fileID string, err error)) (fileID string, err error) {
	return "", errLater
}

// Receive stores a body of size bytes as one file; it is there as a whole or not
// at all.
func (s *Sessions) Receive(ctx context.Context, filename string, size int64, backend string, body io.Reader, register func(Content) (fileID string, err error)) (fileID string, err error) {
	return "", errLater
}

// Abort drops a session that is not completed.
func (s *Sessions) Abort(project uint32, id string) error { return errLater }

// DropProject drops the sessions of a project.
func (s *Sessions) DropProject(project uint32) error { return nil }

// Sweep removes what is expired or cannot be read.
func (s *Sessions) Sweep() error { return nil }

// Package upload stores uploads on disk until they become files.
//
// An upload is a session (upload.go) with a known size. Its chunks may arrive in any order and
// several at a time, and can be sent again after a failure (chunk.go). They take disk space only as
// they arrive. limits.go limits the number and the size of open sessions. checksum.go hashes chunks
// as they arrive. complete.go turns a session into a file. whole.go receives a file that is sent as
// a single body. A session is a directory with these files (session.go):
//
//	session.json  its description; written last, replaced as a whole, removed first
//	content       the bytes of the upload, each chunk at its offset
//	chunks        a byte for each chunk: 1 = received, 0 = missing
//	replaced-7    the current bytes of chunk 7, which replace those in content
//	beside-*      bytes of a chunk that is being received again
//
// A chunk is synced to content before its byte becomes 1. An acknowledged chunk therefore survives
// a crash of the process or the machine. If a chunk is sent again with other content, the new
// version is written to a separate file. Renaming this file, for example to replaced-7, makes it
// the current version. Then it is copied into content.
//
// Paths consist of validated IDs and of the names above, never of a name chosen by a client.
package upload

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"svc/internal/disk"
	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/integrity"
)

// ChunkSize is the size of every chunk except the last one, in bytes.
const ChunkSize = 8 << 20

// Life is the time for which a session can be used after it was created.
const Life = 24 * time.Hour

// Session is a snapshot of the state of an upload.
type Session struct {
	ID       string // 32 hexadecimal digits
	Project  uint32
	Filename string // cleaned, see files.CleanName
	Size     int64  // bytes
	Received []int  // indexes of the received chunks, in ascending order
	Backend  string // ID of the chosen storage
	Expires  time.Time

	Credential, CredentialName string // as in the Request that created the session

	chunkSize int64
}

// Created returns the time at which the upload session was created.
func (s *Session) Created() time.Time { return s.Expires.Add(-Life) }

// ReceivedBytes returns the total size of the received chunks.
func (s *Session) ReceivedBytes() (n int64) {
	for _, i := range s.Received {
		n += min(s.chunkSize, s.Size-int64(i)*s.chunkSize)
	}
	return n
}

// Request describes the file that a client wants to upload.
type Request struct {
	Project  uint32
	Filename string // cleaned, see files.CleanName
	Size     int64  // bytes
	Backend  string // ID of the storage that the client chose

	Credential     string // ID of the API key; "" = the administrator
	CredentialName string // name of the API key when the upload began

	Pending int64 // total size, in bytes, of the project's files that have not been moved to their storage yet
}

// TotalChunks returns the number of chunks in the session, which is at least 1.
func (s *Session) TotalChunks() int { return totalChunks(s.Size, s.chunkSize) }

func totalChunks(size, chunkSize int64) int { return int(max(1, (size-1)/chunkSize+1)) }

// Sessions manages the upload sessions in a directory. No other process may use the directory.
type Sessions struct {
	dir       string
	now       func() time.Time
	log       *slog.Logger
	chunkSize int64 // chunk size of new sessions
	reserve   int64

	room sync.Mutex // held while the limits are checked and a session is added, and while the directory is scanned
	mu   sync.Mutex // guards open
	open map[string]*session
}

// Open loads the upload sessions in the directory dir, which it creates if necessary. It
// leaves sessions that cannot be read to Sweep.
func Open(dir string, now func() time.Time, log *slog.Logger) (*Sessions, error) {
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &Sessions{dir: dir, now: now, log: log, chunkSize: ChunkSize, reserve: disk.Reserve, open: map[string]*session{}}
	return s, s.scan(func(id string, err error) error {
		log.Warn("upload session cannot be read", "upload", id, "error", err)
		return nil
	})
}

// Create creates a session. The error is TooMany if the credential or the project has reached its
// limit of open sessions. It is NoSpace if the project may not use as much disk space as the file
// needs; see Room.
func (s *Sessions) Create(r Request) (*Session, error) {
	u, err := s.begin(r, false)
	if err != nil {
		return nil, err
	}
	return u.view(), nil
}

// begin creates a session and its directory. If single is true, the session belongs to a
// single request and is hidden from other requests.
func (s *Sessions) begin(r Request, single bool) (*session, error) {
	s.room.Lock()
	defer s.room.Unlock()
	if !single {
		if err := s.count(r); err != nil {
			return nil, err
		}
	}
	if err := s.Room(r.Project, r.Size, r.Pending); err != nil {
		return nil, err
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails, see crypto/rand
	d := description{
		Format: format, ID: hex.EncodeToString(id[:]), Project: r.Project, Filename: r.Filename, Size: r.Size, ChunkSize: s.chunkSize,
		Backend: r.Backend, Credential: r.Credential, CredentialName: r.CredentialName, Expires: s.now().Add(Life).Unix(), Single: single,
	}
	u := s.newSession(d, make([]byte, totalChunks(d.Size, d.ChunkSize)))
	u.swap.Lock()
	defer u.swap.Unlock()
	s.mu.Lock()
	s.open[d.ID] = u // added before its directory exists, so that Sweep does not remove the directory
	s.mu.Unlock()
	if err := u.make(); err != nil {
		return nil, errors.Join(fault.Disk(err), s.drop(u))
	}
	return u, nil
}

// Get returns the session with the given ID if it accepts chunks. The error is NotFound if the ID
// is malformed or unknown or belongs to another project, or if the session has expired or is
// completed.
func (s *Sessions) Get(project uint32, id string) (*Session, error) {
	u, err := s.find(project, id)
	if err != nil {
		return nil, err
	}
	if err := u.usable(); err != nil {
		return nil, err
	}
	return u.view(), nil
}

func notFound() error { return fault.New(fault.NotFound, "upload not found") }

// find returns the project's session with the given ID, even if the session is completed. The error
// is NotFound if there is none, if it has expired, or if it belongs to a single request.
func (s *Sessions) find(project uint32, id string) (*session, error) {
	s.mu.Lock()
	u := s.open[id]
	s.mu.Unlock()
	if u == nil || u.single || u.project != project || !s.now().Before(u.expires) {
		return nil, notFound()
	}
	return u, nil
}

// ListOpen returns the sessions of a project that accept chunks, newest first.
func (s *Sessions) ListOpen(project uint32) (list []*Session) {
	for _, u := range s.list() {
		if u.project == project && u.isOpen(s.now()) {
			list = append(list, u.view())
		}
	}
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(b.Expires.Compare(a.Expires), cmp.Compare(b.ID, a.ID))
	})
	return list
}

// Abort removes a session that is not completed. The error is NotFound under the same conditions as
// for Get.
func (s *Sessions) Abort(project uint32, id string) error {
	u, err := s.find(project, id)
	if err != nil {
		return err
	}
	u.swap.Lock()
	defer u.swap.Unlock()
	if err := u.usable(); err != nil {
		return err
	}
	return s.drop(u)
}

// Projects returns the projects that have sessions.
func (s *Sessions) Projects() []uint32 {
	var numbers []uint32
	for _, u := range s.list() {
		numbers = append(numbers, u.project)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// DropProject removes all sessions of a project, including completed ones. It skips the sessions of
// single requests (see Receive), because these requests remove them.
func (s *Sessions) DropProject(project uint32) error {
	var failed error
	for _, u := range s.list() {
		if u.project == project && !u.single {
			u.swap.Lock()
			failed = errors.Join(failed, s.drop(u))
			u.swap.Unlock()
		}
	}
	return failed
}

// Sweep removes expired sessions, and directories that do not contain a readable session.
// It skips sessions that are in use; a later call removes them.
func (s *Sessions) Sweep() error {
	var failed error
	for _, u := range s.list() {
		if !s.now().Before(u.expires) && u.swap.TryLock() {
			failed = errors.Join(failed, s.drop(u))
			u.swap.Unlock()
		}
	}
	return errors.Join(failed, s.scan(func(id string, err error) error {
		if !errors.Is(err, integrity.ErrDamaged) {
			return err // it may become readable
		}
		s.log.Warn("upload session removed", "upload", id, "error", err)
		return os.RemoveAll(filepath.Join(s.dir, id))
	}))
}

// list returns all sessions that are in memory.
func (s *Sessions) list() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.open))
}

// scan loads the sessions in the directory that are not in memory yet. It calls unreadable for
// those that cannot be read, and returns the errors of these calls.
func (s *Sessions) scan(unreadable func(id string, err error) error) error {
	s.room.Lock()
	defer s.room.Unlock()
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		id := name.Name()
		s.mu.Lock()
		known := s.open[id] != nil
		s.mu.Unlock()
		if known {
			continue
		}
		u, err := s.load(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the session has been dropped in the meantime
		case err != nil:
			failed = errors.Join(failed, unreadable(id, fmt.Errorf("upload %s: %w", id, err)))
		default:
			s.mu.Lock()
			s.open[id] = u
			s.mu.Unlock()
		}
	}
	return failed
}

// drop removes a session. The caller must hold the session's swap lock. If drop returns
// nil, the session does not reappear after a restart.
func (s *Sessions) drop(u *session) error {
	if err := u.end(); err != nil {
		return err
	}
	if err := os.RemoveAll(u.dir); err != nil { // if this fails, Sweep removes the directory
		s.log.Warn("files of an upload session cannot be removed yet", "upload", u.id, "error", err)
	}
	s.mu.Lock()
	delete(s.open, u.id)
	s.mu.Unlock()
	return nil
}

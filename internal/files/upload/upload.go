// Package upload keeps what is being uploaded on disk until it is a file.
//
// An upload is a session (upload.go): its size is known, and its chunks come in any
// order, several at a time, again after a failure (chunk.go). They take their space when
// they come. How many sessions may be open, and how large, is in limits.go. What is hashed while they come is in checksum.go, how a
// session becomes a file in complete.go, and a body that comes in one piece in
// whole.go. A session is a folder of these files (session.go):
//
//	session.json  what it is; written last, replaced as a whole, removed first
//	content       the bytes of the upload, each chunk at its place
//	chunks        a byte for each chunk: 1 = it is there, 0 = it is not
//	replaced-7    the bytes of chunk 7 that count instead of those in content
//	beside-*      bytes of a chunk that is coming again
//
// A chunk is in content and on disk before its byte is 1, so whatever a process or
// a machine dies of, a chunk that was acknowledged is there. A chunk that comes
// again and differs is written beside, renamed to replaced-7, which is the moment
// it counts, and then copied into content.
//
// Paths are made of ids that were checked and of the names above, never of a name
// that a client chose.
package upload

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

	Credential, CredentialName string // as in Request

	chunkSize int64
}

// Created returns when the session began.
func (s *Session) Created() time.Time { return s.Expires.Add(-Life) }

// ReceivedBytes returns the number of bytes in the chunks that are there.
func (s *Session) ReceivedBytes() (n int64) {
	for _, i := range s.Received {
		n += min(s.chunkSize, s.Size-int64(i)*s.chunkSize)
	}
	return n
}

// Request describes a file that a client wants to upload.
type Request struct {
	Project  uint32
	Filename string // clean
	Size     int64  // bytes
	Backend  string // id of the storage

	Credential     string // id of the API key; "" for the administrator
	CredentialName string // of the key when the upload began

	Pending int64 // bytes of the project's files that wait for their storage
}

// TotalChunks is the number of chunks, at least 1.
func (s *Session) TotalChunks() int { return totalChunks(s.Size, s.chunkSize) }

func totalChunks(size, chunkSize int64) int { return int(max(1, (size-1)/chunkSize+1)) }

// Sessions are the uploads in a folder, which they have for themselves.
type Sessions struct {
	dir       string
	now       func() time.Time
	log       *slog.Logger
	chunkSize int64 // of new sessions
	reserve   int64

	room sync.Mutex // one session after the other is compared with the limits and added, or is found again
	mu   sync.Mutex // guards open
	open map[string]*session
}

// Open makes the folder if it is missing and finds the sessions in it again. Those
// that cannot be read are left to Sweep.
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

// Create begins a session. It fails with TooMany when the credential or the project has as
// many as it may have, and with NoSpace as Room does.
func (s *Sessions) Create(r Request) (*Session, error) {
	u, err := s.begin(r, false)
	if err != nil {
		return nil, err
	}
	return u.view(), nil
}

// begin makes the folder of a session. One that is single belongs to one request.
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
	_, _ = rand.Read(id[:]) // it never fails
	d := description{
		Format: format, ID: hex.EncodeToString(id[:]), Project: r.Project, Filename: r.Filename, Size: r.Size, ChunkSize: s.chunkSize,
		Backend: r.Backend, Credential: r.Credential, CredentialName: r.CredentialName, Expires: s.now().Add(Life).Unix(), Single: single,
	}
	u := s.newSession(d, make([]byte, totalChunks(d.Size, d.ChunkSize)))
	u.swap.Lock()
	defer u.swap.Unlock()
	s.mu.Lock()
	s.open[d.ID] = u // before its folder is there, so that Sweep leaves that
	s.mu.Unlock()
	if err := u.make(); err != nil {
		return nil, errors.Join(fault.Disk(err), s.drop(u))
	}
	return u, nil
}

// Get is a session that takes chunks. It fails with NotFound when the id is
// unknown, malformed or of another project, and when the session is expired or
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

// find is a session of a project, completed or not.
func (s *Sessions) find(project uint32, id string) (*session, error) {
	s.mu.Lock()
	u := s.open[id]
	s.mu.Unlock()
	if u == nil || u.single || u.project != project || !s.now().Before(u.expires) {
		return nil, notFound()
	}
	return u, nil
}

// ListOpen lists the sessions of a project that take chunks, the newest first.
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

// Abort drops a session that is not completed.
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

// Projects lists the projects that have sessions.
func (s *Sessions) Projects() []uint32 {
	var numbers []uint32
	for _, u := range s.list() {
		numbers = append(numbers, u.project)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// DropProject drops the sessions of a project, completed ones too.
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

// Sweep removes sessions that are expired, and folders that are none or cannot be
// read. What uses a session at this moment is left until the next time.
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
			return err // it may be readable another time
		}
		s.log.Warn("upload session removed", "upload", id, "error", err)
		return os.RemoveAll(filepath.Join(s.dir, id))
	}))
}

// list is all sessions of this moment.
func (s *Sessions) list() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*session, 0, len(s.open))
	for _, u := range s.open {
		all = append(all, u)
	}
	return all
}

// scan takes the sessions in that are in the folder and not known, and calls
// unreadable for those that cannot be read.
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
		case errors.Is(err, fs.ErrNotExist): // it was dropped meanwhile
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

// drop removes a session, whose swap is held. When it returns without an error
// nothing brings it back.
func (s *Sessions) drop(u *session) error {
	if err := u.end(); err != nil {
		return err
	}
	if err := os.RemoveAll(u.dir); err != nil { // by Sweep, then
		s.log.Warn("files of an upload session cannot be removed yet", "upload", u.id, "error", err)
	}
	s.mu.Lock()
	delete(s.open, u.id)
	s.mu.Unlock()
	return nil
}

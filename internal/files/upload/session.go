package upload

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"svc/internal/disk"
	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/digest"
	"svc/internal/integrity"
)

// The names of a session's files.
const (
	descriptionName = "session.json"
	contentName     = "content"
	chunksName      = "chunks"
	replacedPrefix  = "replaced-"
	besidePattern   = "beside-*"
)

// format is the version of the session format. Sessions in another format are removed.
// They need no migration, because a session exists for at most a day.
const format = 1

// maxDescription limits the size of session.json in bytes. No valid description is that long.
const maxDescription = 64 << 10

// description is the content of session.json.
type description struct {
	Format    int    `json:"format"`
	ID        string `json:"id"`
	Project   uint32 `json:"project"`
	Filename  string `json:"filename"`
	Size      int64  `json:"size"`
	ChunkSize int64  `json:"chunk_size"`
	Backend   string `json:"backend"`
	// Credential and CredentialName are copied from the Request that created the session.
	Credential     string `json:"credential,omitempty"`
	CredentialName string `json:"credential_name,omitempty"`

	Expires     int64  `json:"expires"`          // Unix seconds
	Single      bool   `json:"single,omitempty"` // belongs to a single request and is hidden from other requests
	File        string `json:"file,omitempty"`   // ID that the file gets, chosen when the first completion begins
	Done        bool   `json:"done,omitempty"`   // whether the file is registered
	digest.Sums        // checksums of the content; "" = not known yet
}

// The states of a chunk. doubtful exists only in memory. It means that the chunk was never
// acknowledged, although its byte in the file with the states may be 1 (received).
const (
	absent byte = iota
	received
	doubtful
)

// session is an upload session and its directory. The locks must be acquired in the order of the
// fields.
type session struct {
	all       *Sessions
	dir, id   string
	project   uint32
	owner     string // Request.Credential of the request that created the session
	size      int64
	chunkSize int64
	expires   time.Time
	single    bool

	places [16]sync.Mutex // locks for chunks, chosen by index; held while the chunk is written to content
	swap   sync.Mutex     // held while existing content is replaced, moved or removed
	sum    checksum
	mu     sync.Mutex // guards the following fields; changing the state on disk also requires swap

	description description
	chunks      []byte          // the state of each chunk
	writers     map[int]*writer // the current writers of chunks that are being received, by index
	replaced    map[int]bool    // chunks with a separate file that holds the current version
	ended       bool
}

func (s *Sessions) newSession(d description, chunks []byte) *session {
	return &session{
		all: s, dir: filepath.Join(s.dir, d.ID), id: d.ID, project: d.Project, owner: d.Credential, size: d.Size, chunkSize: d.ChunkSize,
		expires: time.Unix(d.Expires, 0), single: d.Single, sum: newChecksum(),
		description: d, chunks: chunks, writers: map[int]*writer{}, replaced: map[int]bool{},
	}
}

func (u *session) path(name string) string { return filepath.Join(u.dir, name) }

func (u *session) replacedPath(index int) string {
	return u.path(replacedPrefix + strconv.Itoa(index))
}

func (u *session) view() *Session {
	u.mu.Lock()
	defer u.mu.Unlock()
	v := &Session{
		ID: u.id, Project: u.project, Filename: u.description.Filename, Size: u.size, Received: []int{},
		Backend: u.description.Backend, Expires: u.expires, Credential: u.owner, CredentialName: u.description.CredentialName,
		chunkSize: u.chunkSize,
	}
	for i, state := range u.chunks {
		if state == received {
			v.Received = append(v.Received, i)
		}
	}
	return v
}

// isOpen reports whether the session accepts chunks at the given time.
func (u *session) isOpen(now time.Time) bool {
	return !u.single && now.Before(u.expires) && u.usable() == nil
}

func (u *session) length(index int) int64 {
	return min(u.chunkSize, u.size-int64(index)*u.chunkSize)
}

// usable returns a NotFound error if the session does not accept chunks any longer.
func (u *session) usable() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended || u.description.Done {
		return notFound()
	}
	return nil
}

// space returns two sizes in bytes: the disk space that the session needs when all chunks
// have arrived, and the size of the chunks that have already arrived.
func (u *session) space() (whole, arrived int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended || u.description.Done {
		return 0, 0
	}
	for i, state := range u.chunks {
		if state == received {
			arrived += u.length(i)
		}
	}
	return u.size, arrived
}

// need returns a NoSpace error if writing the given number of bytes would use the disk's reserve.
// written is the offset in the body at which they begin. need queries the free disk space only once
// per MiB of the body.
func (u *session) need(bytes, written int64) error {
	if written%(1<<20) != 0 {
		return nil
	}
	return disk.Need(u.dir, uint64(max(bytes+u.all.reserve, 0)), "the rest of the body")
}

// make creates the files of a new session. It writes the description last, because a
// directory without one is not a session.
func (u *session) make() error {
	if err := os.Mkdir(u.dir, 0o700); err != nil {
		return err
	}
	if err := u.makeContent(); err != nil {
		return err
	}
	if err := durable.WriteFile(u.path(chunksName), u.chunks, 0o600); err != nil {
		return err
	}
	if err := u.save(u.description); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(u.dir))
}

// makeContent creates the content file as a sparse file that already has its final
// length.
func (u *session) makeContent() error {
	f, err := os.OpenFile(u.path(contentName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = disk.Extend(f, u.size)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// save replaces the description, first on disk and then in memory. The caller must hold u.swap.
func (u *session) save(d description) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(u.path(descriptionName), text, 0o600); err != nil {
		return err
	}
	u.mu.Lock()
	u.description = d
	u.mu.Unlock()
	return nil
}

// end removes the description from disk, which ends the session: a directory without a
// description is not a session. The caller must hold u.swap.
func (u *session) end() error {
	if err := os.Remove(u.path(descriptionName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk(err)
	}
	u.mu.Lock()
	u.ended = true
	u.mu.Unlock()
	if err := durable.SyncDir(u.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk(err)
	}
	return nil
}

// load reads a session from its directory. The error wraps ErrDamaged if the directory does not
// contain a usable session. Other errors may be temporary.
func (s *Sessions) load(id string) (*session, error) {
	dir := filepath.Join(s.dir, id)
	if info, err := os.Lstat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, damaged("it is not a folder")
	}
	text, err := readFile(filepath.Join(dir, descriptionName), maxDescription)
	if err != nil {
		return nil, err
	}
	d, err := parseDescription(text)
	switch {
	case err != nil:
		return nil, err
	case d.ID != id:
		return nil, damaged("its description is that of %s", d.ID)
	case d.Single:
		return nil, damaged("its request has ended")
	case d.Done:
		return s.newSession(d, nil), nil
	}
	notes, err := readFile(filepath.Join(dir, chunksName), int64(totalChunks(d.Size, d.ChunkSize)))
	if err != nil {
		return nil, err
	}
	chunks, err := parseChunks(d, notes)
	if err != nil {
		return nil, err
	}
	u := s.newSession(d, chunks)
	if err := u.findContent(); err != nil {
		return nil, err
	}
	return u, u.findReplaced()
}

// findContent checks the content file of a session that is being loaded. The file may be
// missing only if a completion has begun.
func (u *session) findContent() error {
	info, err := os.Lstat(u.path(contentName))
	switch {
	case errors.Is(err, fs.ErrNotExist) && u.description.SHA256 != "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return damaged("its content is missing")
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() != u.size:
		return damaged("its content has %d bytes instead of %d", info.Size(), u.size)
	}
	return nil
}

// findReplaced finds the chunks that have their current version in a separate file. It
// removes the files of chunks that were being received when the process ended.
func (u *session) findReplaced() error {
	names, err := os.ReadDir(u.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if ok, _ := filepath.Match(besidePattern, name.Name()); ok {
			if err := os.Remove(u.path(name.Name())); err != nil {
				return err
			}
		}
		number, ok := strings.CutPrefix(name.Name(), replacedPrefix)
		if !ok {
			continue
		}
		index, err := strconv.Atoi(number)
		if err != nil || index < 0 || index >= len(u.chunks) || u.chunks[index] != received {
			return damaged("it has a file %s for a chunk that is not there", name.Name())
		}
		if info, err := name.Info(); err != nil || info.Size() != u.length(index) {
			return damaged("its file %s has not the length of its chunk", name.Name())
		}
		u.replaced[index] = true
	}
	return nil
}

// readFile reads a file of at most limit bytes. If the file is missing or larger, the
// error wraps ErrDamaged.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged("it has no file %s", filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, damaged("its file %s is too long", filepath.Base(path))
	}
	return text, nil
}

// parseDescription parses and validates the content of session.json, which may be
// damaged.
func parseDescription(text []byte) (description, error) {
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return d, damaged("its description is not JSON: %v", err)
	}
	clean, err := files.CleanName(d.Filename)
	switch {
	case d.Format != format:
		return d, damaged("its format is %d", d.Format)
	case !validID(d.ID):
		return d, damaged("its id is malformed")
	case err != nil || clean != d.Filename:
		return d, damaged("its file name is not clean")
	case d.Size < 0 || d.ChunkSize < 1 || d.Size/d.ChunkSize > 1<<30:
		return d, damaged("it has %d bytes in chunks of %d", d.Size, d.ChunkSize)
	case d.File != "" && !files.ValidID(d.File), d.Done && d.File == "":
		return d, damaged("the id of its file is malformed")
	case d.SHA256 != "" && (!isSum(d.SHA256, 32) || d.File == ""), !isSum(d.SHA1, 20), !isSum(d.SHA512, 64), !isSum(d.BLAKE2b, 64):
		return d, damaged("its checksum is malformed")
	}
	return d, nil
}

// parseChunks parses and validates the states of the chunks of a session.
func parseChunks(d description, notes []byte) ([]byte, error) {
	if len(notes) != totalChunks(d.Size, d.ChunkSize) {
		return nil, damaged("it has notes of %d chunks instead of %d", len(notes), totalChunks(d.Size, d.ChunkSize))
	}
	for i, state := range notes {
		if state != absent && state != received {
			return nil, damaged("the state of chunk %d is %d", i, state)
		}
	}
	return notes, nil
}

func validID(id string) bool { return len(id) == 32 && isHex(id) }

// isSum reports whether a text is empty or is a checksum in lower-case hexadecimal. The parameter
// bytes is the length of the checksum in bytes.
func isSum(s string, bytes int) bool { return s == "" || len(s) == 2*bytes && isHex(s) }

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && s == strings.ToLower(s)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", integrity.ErrDamaged, fmt.Sprintf(format, args...))
}

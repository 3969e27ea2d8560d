package upload_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/upload"
	"svc/internal/testutil"
)

const (
	project   = 7
	chunkSize = 1 << 10 // chunk size in most tests
)

// clock is a clock that only tests advance.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Unix(1_800_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// open opens the upload sessions in a directory and sets a small chunk size.
func open(t testing.TB, dir string, now func() time.Time) *upload.Sessions {
	t.Helper()
	s, err := upload.Open(dir, now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.SetChunkSize(chunkSize)
	return s
}

func create(t testing.TB, s *upload.Sessions, size int64) *upload.Session {
	t.Helper()
	u, err := s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: size, Backend: "local"})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// content returns size pseudorandom bytes that depend on seed.
func content(seed, size int) []byte {
	b := make([]byte, size)
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// chunkOf returns the chunk with the given index of a whole content.
func chunkOf(whole []byte, index int) []byte {
	return whole[index*chunkSize : min((index+1)*chunkSize, len(whole))]
}

func send(t testing.TB, s *upload.Sessions, u *upload.Session, index int, body []byte) {
	t.Helper()
	if n, err := s.WriteChunk(t.Context(), project, u.ID, index, int64(len(body)), bytes.NewReader(body)); err != nil || n != int64(len(body)) {
		t.Fatalf("chunk %d: got %d, %v", index, n, err)
	}
}

// storage registers files as a local storage does: it moves the content to a directory
// and records each file.
type storage struct {
	dir string

	mu      sync.Mutex
	calls   int
	records map[string]upload.Content
}

func newStorage(t testing.TB) *storage {
	t.Helper()
	return &storage{dir: t.TempDir(), records: map[string]upload.Content{}}
}

func (s *storage) path(id string) string { return filepath.Join(s.dir, id) }

func (s *storage) register(c upload.Content) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if err := os.Rename(c.Path, s.path(c.FileID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(s.path(c.FileID)); err != nil {
		return "", err
	}
	s.records[c.FileID] = c
	return c.FileID, nil
}

// has checks that exactly one file was registered, and that its content and checksum are right.
func (s *storage) has(t testing.TB, id string, want []byte) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(want)
	c := s.records[id]
	if c.SHA256 != hex.EncodeToString(sum[:]) || c.Size != int64(len(want)) || c.FileID != id || !files.ValidID(id) || c.Backend != "local" || c.Filename != "setup.zip" {
		t.Errorf("registered %+v", c)
	}
	if got, err := os.ReadFile(s.path(id)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has %d bytes, %v; it is not what was sent", len(got), err)
	}
	if names, err := os.ReadDir(s.dir); err != nil || len(names) != 1 {
		t.Errorf("storage has %v, %v; want one file", names, err)
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		size   int
		chunks int
	}{{0, 1}, {1, 1}, {chunkSize - 1, 1}, {chunkSize, 1}, {chunkSize + 1, 2}, {5*chunkSize + 100, 6}, {40 * chunkSize, 40}} {
		for _, order := range []string{"in order", "backwards", "shuffled"} {
			t.Run(fmt.Sprintf("%d bytes %s", tc.size, order), func(t *testing.T) {
				t.Parallel()
				s, to, whole := open(t, t.TempDir(), time.Now), newStorage(t), content(tc.size, tc.size)
				u := create(t, s, int64(tc.size))
				if u.TotalChunks() != tc.chunks || len(u.ID) != 32 || len(u.Received) != 0 || u.Received == nil {
					t.Fatalf("got %+v with %d chunks, want %d", u, u.TotalChunks(), tc.chunks)
				}
				indexes := rand.New(rand.NewPCG(1, 2)).Perm(tc.chunks)
				switch order {
				case "in order":
					slices.Sort(indexes)
				case "backwards":
					slices.Sort(indexes)
					slices.Reverse(indexes)
				}
				for i, index := range indexes {
					if _, err := s.Complete(project, u.ID, to.register); !fault.Is(err, fault.Conflict) {
						t.Fatalf("completing too early: got %v, want Conflict", err)
					}
					send(t, s, u, index, chunkOf(whole, index))
					got, err := s.Get(project, u.ID)
					want := slices.Sorted(slices.Values(indexes[:i+1]))
					if err != nil || !slices.Equal(got.Received, want) {
						t.Fatalf("received %v, %v; want %v", got.Received, err, want)
					}
				}
				id, err := s.Complete(project, u.ID, to.register)
				if err != nil {
					t.Fatal(err)
				}
				to.has(t, id, whole)
			})
		}
	}
}

// TestRestartAnywhere checks that an upload survives a restart at any point. All data
// that was stored before must still be there, and it must be possible to continue the
// upload.
func TestRestartAnywhere(t *testing.T) {
	t.Parallel()
	dir, to, whole := t.TempDir(), newStorage(t), content(1, 5*chunkSize+1)
	u := create(t, open(t, dir, time.Now), int64(len(whole)))
	for i := range u.TotalChunks() {
		s := open(t, dir, time.Now)
		s.SetChunkSize(100) // this affects only new sessions
		got, err := s.Get(project, u.ID)
		if err != nil || len(got.Received) != i || got.Expires != u.Expires || got.Filename != u.Filename || got.Size != u.Size || got.Backend != u.Backend {
			t.Fatalf("got %+v, %v; want %d chunks", got, err, i)
		}
		send(t, s, got, i, chunkOf(whole, i))
	}
	id, err := open(t, dir, time.Now).Complete(project, u.ID, to.register)
	if err != nil {
		t.Fatal(err)
	}
	to.has(t, id, whole)
	s := open(t, dir, time.Now)
	if again, err := s.Complete(project, u.ID, nil); err != nil || again != id {
		t.Errorf("after a restart: got %q, %v; want %q", again, err, id)
	}
	if _, err := s.Get(project, u.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a completed session: got %v, want NotFound", err)
	}
}

// errBody is the error of a request body that ends early.
var errBody = errors.New("connection lost")

func TestChunkThatIsNotWhole(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		s, to, whole := open(t, t.TempDir(), time.Now), newStorage(t), content(1, 3*chunkSize-5)
		u := create(t, s, int64(len(whole)))
		for i := range 3 {
			if i != 1 || there {
				send(t, s, u, i, chunkOf(whole, i))
			}
		}
		other := content(2, 2*chunkSize)
		for _, tc := range []struct {
			name   string
			index  int
			length int64
			body   io.Reader
			want   error // nil = an error of kind Invalid
		}{
			{"shorter", 1, -1, bytes.NewReader(other[:chunkSize-1]), nil},
			{"empty", 1, -1, strings.NewReader(""), nil},
			{"longer", 1, -1, bytes.NewReader(other[:chunkSize+1]), nil},
			{"much longer", 1, -1, bytes.NewReader(other), nil},
			{"shorter than declared", 1, chunkSize, bytes.NewReader(other[:10]), nil},
			{"declared shorter", 1, chunkSize - 1, bytes.NewReader(other[:chunkSize-1]), nil},
			{"declared longer", 1, chunkSize + 1, bytes.NewReader(other[:chunkSize]), nil},
			{"the last one as long as the others", 2, -1, bytes.NewReader(other[:chunkSize]), nil},
			{"before the first", -1, -1, bytes.NewReader(other[:chunkSize]), nil},
			{"after the last", 3, -1, bytes.NewReader(other[:chunkSize]), nil},
			{"broken at the start", 1, chunkSize, iotest.ErrReader(errBody), errBody},
			{"broken in the middle", 1, chunkSize, io.MultiReader(bytes.NewReader(other[:700]), iotest.ErrReader(errBody)), errBody},
			{"broken at the end", 1, chunkSize, io.MultiReader(bytes.NewReader(other[:chunkSize]), iotest.ErrReader(errBody)), errBody},
			{"the same and then broken", 1, chunkSize, io.MultiReader(bytes.NewReader(whole[chunkSize:2*chunkSize-1]), iotest.ErrReader(errBody)), errBody},
			{"the same and then shorter", 1, -1, bytes.NewReader(whole[chunkSize : 2*chunkSize-1]), nil},
		} {
			_, err := s.WriteChunk(t.Context(), project, u.ID, tc.index, tc.length, tc.body)
			if tc.want == nil && !fault.Is(err, fault.Invalid) || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
			}
			if got, err := s.Get(project, u.ID); err != nil || slices.Contains(got.Received, 1) != there {
				t.Errorf("%s, chunk 1 there %t: received %v, %v", tc.name, there, got.Received, err)
			}
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := s.WriteChunk(stopped, project, u.ID, 1, -1, bytes.NewReader(other[:chunkSize])); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: got %v", err)
		}
		if !there {
			send(t, s, u, 1, chunkOf(whole, 1))
		}
		id, err := s.Complete(project, u.ID, to.register)
		if err != nil {
			t.Fatal(err)
		}
		to.has(t, id, whole)
	}
}

// TestChunkAgain checks that a chunk that is sent again replaces the previous version, even if that
// version has already been hashed and even after a restart.
func TestChunkAgain(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	r := rand.New(rand.NewPCG(3, 3))
	for round := range 20 {
		dir, to, whole := t.TempDir(), newStorage(t), content(round, 6*chunkSize-100)
		s := open(t, dir, time.Now)
		u := create(t, s, int64(len(whole)))
		for i := range u.TotalChunks() {
			send(t, s, u, i, chunkOf(whole, i))
		}
		for range 10 {
			index := r.IntN(u.TotalChunks())
			chunk := chunkOf(whole, index)
			if n := r.IntN(3); n > 0 { // otherwise send the same bytes again
				from := r.IntN(len(chunk))
				copy(chunk[from:], content(r.Int(), len(chunk)-from)) // possibly the whole chunk
			}
			send(t, s, u, index, chunk)
			if r.IntN(4) == 0 {
				s = open(t, dir, time.Now)
			}
			if r.IntN(4) == 0 { // a completion that fails must not change anything
				failure := errors.New("no database")
				if _, err := s.Complete(project, u.ID, func(upload.Content) (string, error) { return "", failure }); !errors.Is(err, failure) {
					t.Fatalf("got %v", err)
				}
			}
		}
		id, err := s.Complete(project, u.ID, to.register)
		if err != nil {
			t.Fatal(err)
		}
		to.has(t, id, whole)
	}
}

// TestLaterRequestWins checks that a client can send a chunk again without waiting for an earlier
// request that hangs.
func TestLaterRequestWins(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		s, to := open(t, t.TempDir(), time.Now), newStorage(t)
		hung, want := content(1, chunkSize), content(2, chunkSize)
		u := create(t, s, chunkSize)
		if there {
			send(t, s, u, 0, content(3, chunkSize))
		}
		read, write := io.Pipe()
		failed := make(chan error)
		go func() {
			_, err := s.WriteChunk(t.Context(), project, u.ID, 0, -1, read)
			failed <- err
		}()
		if _, err := write.Write(hung[:chunkSize-1]); err != nil { // the server is now reading the request
			t.Fatal(err)
		}
		send(t, s, u, 0, want)
		if _, err := write.Write(hung[chunkSize-1:]); err != nil {
			t.Fatal(err)
		}
		if err := write.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; !fault.Is(err, fault.Conflict) {
			t.Errorf("the first request: got %v, want Conflict", err)
		}
		id, err := s.Complete(project, u.ID, to.register)
		if err != nil {
			t.Fatal(err)
		}
		to.has(t, id, want)
	}
}

// TestParallel checks that chunks of several sessions can be sent concurrently, some of them twice,
// while other goroutines complete, query and sweep sessions.
func TestParallel(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), time.Now)
	var all sync.WaitGroup
	defer all.Wait()
	for n := range 4 {
		all.Go(func() {
			to, whole := newStorage(t), content(n, 30*chunkSize+n)
			u, err := s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: int64(len(whole)), Backend: "local"})
			if err != nil {
				t.Error(err)
				return
			}
			ids := make(chan string, 8)
			var senders sync.WaitGroup
			for from := range 8 {
				senders.Go(func() {
					for i := range u.TotalChunks() {
						index := (i + from*4) % u.TotalChunks()
						_, err := s.WriteChunk(t.Context(), project, u.ID, index, -1, bytes.NewReader(chunkOf(whole, index)))
						if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
							t.Errorf("chunk %d: %v", index, err)
						}
						if _, err := s.Get(project, u.ID); err != nil && !fault.Is(err, fault.NotFound) {
							t.Error(err)
						}
					}
					if err := s.Sweep(); err != nil {
						t.Error(err)
					}
					var id string
					testutil.Until(t, "the chunks that others are still sending are there", func() bool {
						var err error
						id, err = s.Complete(project, u.ID, to.register)
						missing := err != nil && strings.HasPrefix(err.Error(), "chunks are missing")
						if err != nil && !missing {
							t.Error(err)
						}
						return !missing
					})
					ids <- id
				})
			}
			senders.Wait()
			id := <-ids
			for range 7 {
				if other := <-ids; other != id {
					t.Errorf("completions answered %q and %q", id, other)
				}
			}
			if to.calls != 1 {
				t.Errorf("registered %d times", to.calls)
			}
			to.has(t, id, whole)
		})
	}
}

// TestCompletionIsInterrupted checks a completion that is interrupted after the registration has
// moved the content, because the registration fails or the process ends. When the completion is
// repeated, the registration must get the same file ID.
func TestCompletionIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		dir, to, whole := t.TempDir(), newStorage(t), content(1, 3*chunkSize)
		s := open(t, dir, time.Now)
		u := create(t, s, int64(len(whole)))
		for i := range u.TotalChunks() {
			send(t, s, u, i, chunkOf(whole, i))
		}
		var chosen string
		failure := errors.New("killed")
		for range 3 {
			_, err := s.Complete(project, u.ID, func(c upload.Content) (string, error) {
				if chosen != "" && chosen != c.FileID {
					t.Errorf("the id was %s and is %s", chosen, c.FileID)
				}
				chosen = c.FileID
				if _, err := to.register(c); err != nil {
					return "", err
				}
				return "", failure
			})
			if !errors.Is(err, failure) {
				t.Fatal(err)
			}
			if restart {
				s = open(t, dir, time.Now)
				if err := s.Sweep(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.WriteChunk(t.Context(), project, u.ID, 0, -1, bytes.NewReader(content(9, chunkSize))); !fault.Is(err, fault.Conflict) {
				t.Errorf("a chunk of an upload whose content is moved: got %v, want Conflict", err)
			}
		}
		id, err := s.Complete(project, u.ID, to.register)
		if err != nil || id != chosen {
			t.Fatalf("got %q, %v; want %q", id, err, chosen)
		}
		to.has(t, id, whole)
	}
}

func TestMissingChunksAreListed(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), time.Now)
	u := create(t, s, 25*chunkSize)
	send(t, s, u, 2, content(1, chunkSize))
	_, err := s.Complete(project, u.ID, nil)
	want := "chunks are missing: 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 4 more"
	if !fault.Is(err, fault.Conflict) || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// eachUse calls every operation on a session and passes its error to fn.
func eachUse(t testing.TB, s *upload.Sessions, project uint32, id string, completed bool, fn func(name string, err error)) {
	t.Helper()
	_, err := s.Get(project, id)
	fn("Get", err)
	_, err = s.WriteChunk(t.Context(), project, id, 0, -1, strings.NewReader("x"))
	fn("WriteChunk", err)
	if !completed {
		_, err = s.Complete(project, id, nil)
		fn("Complete", err)
	}
	fn("Abort", s.Abort(project, id))
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	dir, now, to := t.TempDir(), newClock(), newStorage(t)
	s := open(t, dir, now.now)
	notFound := func(why string) func(string, error) {
		return func(name string, err error) {
			t.Helper()
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s of %s: got %v, want NotFound", name, why, err)
			}
		}
	}
	u := create(t, s, 1)
	for _, id := range []string{"", ".", "..", "../" + u.ID, u.ID + "/", strings.ToUpper(u.ID) + "A", u.ID[1:], strings.Repeat("0", 32), u.ID + "\x00", "session.json"} {
		eachUse(t, s, project, id, false, notFound(strconv.Quote(id)))
	}
	eachUse(t, s, project+1, u.ID, false, notFound("another project's"))
	if err := s.DropProject(project + 1); err != nil {
		t.Fatal(err)
	}

	completed := create(t, s, 1)
	send(t, s, completed, 0, []byte("x"))
	id, err := s.Complete(project, completed.ID, to.register)
	if err != nil {
		t.Fatal(err)
	}
	eachUse(t, s, project, completed.ID, true, notFound("a completed one"))
	if again, err := s.Complete(project, completed.ID, to.register); err != nil || again != id {
		t.Errorf("completing again: got %q, %v; want %q", again, err, id)
	}

	aborted := create(t, s, 1)
	if err := s.Abort(project, aborted.ID); err != nil {
		t.Fatal(err)
	}
	eachUse(t, s, project, aborted.ID, false, notFound("an aborted one"))

	now.add(upload.Life - time.Second)
	if _, err := s.Get(project, u.ID); err != nil {
		t.Errorf("a second before it expires: %v", err)
	}
	young := create(t, s, 1)
	now.add(time.Second)
	eachUse(t, s, project, u.ID, false, notFound("an expired one"))
	eachUse(t, s, project, completed.ID, false, notFound("a completed and expired one"))
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	onlySessions(t, dir, young.ID)

	if err := s.DropProject(project); err != nil {
		t.Fatal(err)
	}
	eachUse(t, s, project, young.ID, false, notFound("a dropped project's"))
	onlySessions(t, dir)
	eachUse(t, open(t, dir, now.now), project, young.ID, false, notFound("a dropped project's after a restart"))
}

// onlySessions checks that the directory contains exactly the wanted sessions.
func onlySessions(t testing.TB, dir string, want ...string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names {
		got = append(got, name.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("sessions are %v, want %v", got, want)
	}
}

// TestAbortWhileChunksCome checks that a request that sends a chunk fails with NotFound if the
// session is dropped in the meantime.
func TestAbortWhileChunksCome(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		dir := t.TempDir()
		s := open(t, dir, time.Now)
		u := create(t, s, 2*chunkSize)
		if there {
			send(t, s, u, 0, content(1, chunkSize))
		}
		read, write := io.Pipe()
		failed := make(chan error)
		go func() {
			_, err := s.WriteChunk(t.Context(), project, u.ID, 0, -1, read)
			failed <- err
		}()
		if _, err := write.Write(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := s.Abort(project, u.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := write.Write(make([]byte, chunkSize-10)); err != nil {
			t.Fatal(err)
		}
		if err := write.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want NotFound", err)
		}
		if err := s.Sweep(); err != nil {
			t.Fatal(err)
		}
		onlySessions(t, dir)
	}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, time.Now)
	for _, size := range []int{0, 1, chunkSize, 1<<20 + 1} {
		to, whole := newStorage(t), content(size, size)
		id, err := s.Receive(t.Context(), upload.Request{Project: project, Filename: "setup.zip", Size: int64(size), Backend: "local"}, bytes.NewReader(whole), to.register)
		if err != nil {
			t.Fatal(err)
		}
		to.has(t, id, whole)
		onlySessions(t, dir)
	}
	refused := errors.New("the digest is another one")
	for _, tc := range []struct {
		name string
		body io.Reader
		want error // nil = an error of kind Invalid
	}{
		{"shorter", bytes.NewReader(make([]byte, 999)), nil},
		{"longer", bytes.NewReader(make([]byte, 1001)), nil},
		{"broken", io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(errBody)), errBody},
		{"refused", bytes.NewReader(make([]byte, 1000)), refused},
	} {
		_, err := s.Receive(t.Context(), upload.Request{Project: project, Filename: "setup.zip", Size: 1000, Backend: "local"}, tc.body, func(upload.Content) (string, error) { return "", refused })
		if tc.want == nil && !fault.Is(err, fault.Invalid) || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
		onlySessions(t, dir)
	}
}

func TestFileThatCannotFit(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), time.Now)
	for _, size := range []int64{1 << 50, 1<<63 - 1} {
		if _, err := s.Create(upload.Request{Project: project, Filename: "huge.iso", Size: size, Backend: "local"}); !fault.Is(err, fault.NoSpace) {
			t.Errorf("%d bytes: got %v, want NoSpace", size, err)
		}
	}
	s.SetReserve(1 << 50)
	if _, err := s.Create(upload.Request{Project: project, Filename: "small.iso", Size: 1, Backend: "local"}); !fault.Is(err, fault.NoSpace) {
		t.Errorf("without the reserve: got %v, want NoSpace", err)
	}
}

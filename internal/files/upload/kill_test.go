package upload_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"svc/internal/durable"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/upload"
	"svc/internal/testutil"
)

// killVariable is the environment variable that tells a child process which directory to
// use. The test kills this process.
const killVariable = "UPLOAD_TEST_KILL"

// TestKilled repeatedly starts a process that uploads into the same directory, and kills it. Then
// it completes the remaining sessions. Every acknowledged chunk must exist, either with the
// acknowledged content or with that of a later request. Every file must have been created exactly
// once. With SVC_LONG=1 the process is killed a hundred times.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killVariable); dir != "" {
		uploadUntilKilled(t, dir)
		return
	}
	t.Parallel()
	rounds := 5
	if os.Getenv("SVC_LONG") != "" {
		rounds = 100
	}
	for range rounds {
		dir := t.TempDir()
		for _, name := range []string{"sessions", "objects", "records"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			startAndKill(t, dir)
		}
		checkKilled(t, dir)
	}
}

// startAndKill starts an uploading process and kills it after it has written some lines to its
// journal.
func startAndKill(t *testing.T, dir string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	c.Env = append(os.Environ(), killVariable+"="+dir)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	enough := len(readJournal(t, dir)) + 1 + rand.IntN(150)
	testutil.Until(t, "the process uploads", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the process has ended: %v\n%s", err, &out)
		default:
		}
		return len(readJournal(t, dir)) >= enough
	})
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "kill") && os.PathSeparator == '/' {
		t.Fatalf("the process has ended: %v\n%s", err, &out)
	}
}

// entry is a line of a process's journal. It records either an operation on a session
// that the process is about to begin, or that the operation was acknowledged.
type entry struct {
	what    string // created, sending, sent, completing, completed, aborting, aborted
	session string
	number  int    // number of chunks, or the index of a chunk
	version int    // version of the chunk
	file    string // ID of the registered file
}

func (e entry) String() string {
	return fmt.Sprintf("%s %s %d %d %s.\n", e.what, e.session, e.number, e.version, e.file)
}

func readJournal(t testing.TB, dir string) (entries []entry) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	// The last line may be incomplete, because the process may still be writing it.
	for line := range strings.Lines(string(text[:bytes.LastIndexByte(text, '\n')+1])) {
		var e entry
		rest, ok := strings.CutSuffix(line, ".\n")
		if n, _ := fmt.Sscanf(rest, "%s %s %d %d %s", &e.what, &e.session, &e.number, &e.version, &e.file); !ok || n < 4 {
			t.Fatalf("journal has %q", line)
		}
		entries = append(entries, e)
	}
	return entries
}

// history is the state of a session according to a journal.
type history struct {
	chunks     int
	may        []map[int]bool // versions that each chunk may have now
	there      []bool         // whether each chunk was acknowledged
	latest     int            // the latest version of any chunk
	completing bool
	completed  string
	aborting   bool
	aborted    bool
}

func histories(entries []entry) map[string]*history {
	all := map[string]*history{}
	for _, e := range entries {
		h := all[e.session]
		switch e.what {
		case "created":
			h = &history{chunks: e.number, there: make([]bool, e.number)}
			for range e.number {
				h.may = append(h.may, map[int]bool{})
			}
			all[e.session] = h
		case "sending":
			h.may[e.number][e.version] = true
			h.latest = max(h.latest, e.version)
		case "sent":
			h.may[e.number] = map[int]bool{e.version: true}
			h.there[e.number] = true
		case "completing":
			h.completing = true
		case "completed":
			h.completed = e.file
		case "aborting":
			h.aborting = true
		case "aborted":
			h.aborted = true
		}
	}
	return all
}

// version returns the content that one request sends for a chunk. All versions of a chunk have a
// common prefix.
func version(session string, index, number int) []byte {
	seed := func(parts ...any) int {
		h := fnv.New32()
		_, _ = fmt.Fprint(h, parts...)
		return int(h.Sum32())
	}
	const size = 4 * chunkSize
	b := content(seed(session, index), size)
	from := number % 4 * chunkSize
	copy(b[from:], content(seed(session, index, number), size-from))
	return b
}

// registerDurably returns a function that registers files by moving them to a directory below dir.
// The registered files remain when the process is killed.
func registerDurably(dir string) func(upload.Content) (string, error) {
	return func(c upload.Content) (string, error) {
		object := filepath.Join(dir, "objects", c.FileID)
		if err := os.Rename(c.Path, object); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if _, err := os.Stat(object); err != nil {
			return "", err
		}
		return c.FileID, durable.WriteFile(filepath.Join(dir, "records", c.FileID), []byte(c.SHA256), 0o600)
	}
}

func openKilled(t testing.TB, dir string) *upload.Sessions {
	t.Helper()
	s, err := upload.Open(filepath.Join(dir, "sessions"), time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.SetChunkSize(4 * chunkSize)
	return s
}

// uploadUntilKilled continues the sessions in the journal and creates new ones until the process is
// killed.
func uploadUntilKilled(t *testing.T, dir string) {
	s := openKilled(t, dir)
	known := histories(readJournal(t, dir))
	f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	write := func(e entry) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := f.WriteString(e.String()); err != nil {
			panic(err)
		}
	}
	open := make(chan string, len(known))
	for id, h := range known {
		if !h.completing && !h.aborting {
			open <- id
		}
	}
	close(open)
	for range 3 {
		go func() {
			for {
				id, ok := <-open
				h := known[id]
				if !ok {
					chunks := 1 + rand.IntN(6)
					u, err := s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: int64(chunks) * 4 * chunkSize, Backend: "local", Credential: fmt.Sprint(rand.Uint64())})
					if err != nil {
						panic(err)
					}
					id, h = u.ID, &history{chunks: chunks}
					write(entry{what: "created", session: id, number: chunks})
				}
				uploadOne(s, id, h, registerDurably(dir), write)
			}
		}()
	}
	select {}
}

// uploadOne sends the chunks of a session, two at a time. It sends some chunks several times, and
// some incompletely.
func uploadOne(s *upload.Sessions, id string, h *history, register func(upload.Content) (string, error), write func(entry)) {
	ctx := context.Background()
	for number := h.latest + 1; ; number++ {
		u, err := s.Get(project, id)
		if err != nil {
			panic(err)
		}
		if len(u.Received) == h.chunks && rand.IntN(3) == 0 {
			break
		}
		if rand.IntN(60) == 0 {
			write(entry{what: "aborting", session: id})
			if err := s.Abort(project, id); err != nil {
				panic(err)
			}
			write(entry{what: "aborted", session: id})
			return
		}
		var two sync.WaitGroup
		first := rand.IntN(h.chunks)
		for _, index := range slices.Compact([]int{first, rand.IntN(h.chunks)}) {
			two.Go(func() {
				body := version(id, index, number)
				if rand.IntN(5) == 0 { // make the body fail
					broken := io.MultiReader(bytes.NewReader(body[:rand.IntN(len(body))]), iotest.ErrReader(errBody))
					if _, err := s.WriteChunk(ctx, project, id, index, -1, broken); !errors.Is(err, errBody) {
						panic(err)
					}
					return
				}
				for range 1 + rand.IntN(2) {
					write(entry{what: "sending", session: id, number: index, version: number})
					if _, err := s.WriteChunk(ctx, project, id, index, -1, bytes.NewReader(body)); err != nil {
						panic(err)
					}
					write(entry{what: "sent", session: id, number: index, version: number})
				}
			})
		}
		two.Wait()
	}
	write(entry{what: "completing", session: id})
	file, err := s.Complete(project, id, register)
	if err != nil {
		panic(err)
	}
	write(entry{what: "completed", session: id, file: file})
}

// checkKilled completes all sessions and compares their files with the journal.
func checkKilled(t *testing.T, dir string) {
	t.Helper()
	s, known, made := openKilled(t, dir), histories(readJournal(t, dir)), map[string]bool{}
	for id, h := range known {
		u, err := s.Get(project, id)
		switch {
		case h.aborted:
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("an aborted session: %v", err)
			}
			continue
		case h.aborting && fault.Is(err, fault.NotFound):
			continue
		case h.completing && fault.Is(err, fault.NotFound):
		case err != nil:
			t.Errorf("session: %v", err)
			continue
		default:
			for i := range h.chunks {
				got := slices.Contains(u.Received, i)
				switch {
				case h.there[i] && !got:
					t.Errorf("chunk %d was acknowledged and is not there", i)
				case got && len(h.may[i]) == 0:
					t.Errorf("chunk %d was never sent and is there", i)
				case !got:
					send(t, s, u, i, version(id, i, 0))
					h.may[i] = map[int]bool{0: true}
				}
			}
		}
		file, err := s.Complete(project, id, registerDurably(dir))
		if err != nil || h.completed != "" && h.completed != file {
			t.Errorf("completed as %q, %v; it was %q", file, err, h.completed)
			continue
		}
		made[file] = true
		whole, err := os.ReadFile(filepath.Join(dir, "objects", file))
		if err != nil || len(whole) != h.chunks*4*chunkSize {
			t.Errorf("file has %d bytes, %v; want %d chunks", len(whole), err, h.chunks)
			continue
		}
		for i := range h.chunks {
			got := whole[i*4*chunkSize:][:4*chunkSize]
			if !slices.ContainsFunc(slices.Collect(maps.Keys(h.may[i])), func(number int) bool { return bytes.Equal(got, version(id, i, number)) }) {
				t.Errorf("chunk %d is none of the versions %v that it may be", i, slices.Collect(maps.Keys(h.may[i])))
			}
		}
		sum := sha256.Sum256(whole)
		if record, err := os.ReadFile(filepath.Join(dir, "records", file)); err != nil || string(record) != hex.EncodeToString(sum[:]) {
			t.Errorf("checksum is %s, %v", record, err)
		}
	}
	for _, name := range []string{"objects", "records"} {
		list, err := os.ReadDir(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if files.ValidID(f.Name()) && !made[f.Name()] { // all other files are temporary
				t.Errorf("%s has %s, which no session became", name, f.Name())
			}
		}
	}
	if err := errors.Join(s.DropProject(project), s.Sweep()); err != nil {
		t.Error(err)
	}
	onlySessions(t, filepath.Join(dir, "sessions"))
}

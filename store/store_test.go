package store_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/fault"
	"svc/store"
)

// Environment variables that make the test binary act as another process. One process
// holds a file open until its standard input ends, and the other writes until it is
// killed.
const (
	holdVariable  = "STORE_TEST_HOLD"
	writeVariable = "STORE_TEST_WRITE"
)

func TestMain(m *testing.M) {
	switch hold, write := os.Getenv(holdVariable), os.Getenv(writeVariable); {
	case hold != "":
		os.Exit(holdStore(hold))
	case write != "":
		os.Exit(writeStore(write))
	}
	os.Exit(m.Run())
}

func holdStore(path string) int {
	if _, err := store.Open(path, store.Options{}); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0 // without Close, like a killed process
}

// another returns a command that runs the test binary as the process that the variable
// selects.
func another(t *testing.T, variable, path string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	// The race detector makes each process linger for a second.
	c.Env = append(os.Environ(), variable+"="+path, "GORACE=atexit_sleep_ms=10")
	c.Stderr = t.Output()
	return c
}

func TestOpenCreates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "svc.db")
	if err := os.WriteFile(path+".new", []byte("what a power cut left"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := openStore(t, path, store.Options{})
	if n := len(db.Projects()) + len(db.APIKeys()); n != 0 || db.Account() != nil {
		t.Errorf("a new store has %d records and account %v, want none", n, db.Account())
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "svc.db" {
		t.Errorf("files: got %v, %v, want svc.db alone", files, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode: got %o, want 600", mode)
	}
	dump := db.Dump()
	if got, want := dump[`"meta"/"format"`], string(binary.BigEndian.AppendUint32(nil, store.Format)); got != want {
		t.Errorf("format: got %x, want %x", got, want)
	}
	addProject(t, db, "app")
	closeStore(t, db)

	again := openStore(t, path, store.Options{})
	if _, err := again.FindProject("app"); err != nil {
		t.Errorf("after opening again: %v", err)
	}
	if got, want := again.Dump()[`"node"/"store_id"`], dump[`"node"/"store_id"`]; got != want || len(got) != 16 {
		t.Errorf("the id of the file: got %x, want still %x", got, want)
	}
}

func TestOpenWithoutFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "svc.db")
	if _, err := store.Open(path, store.Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want that %s does not exist", err, path)
	}
}

func TestNewerIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	addProject(t, db, "app")
	closeStore(t, db)
	rewrite(t, path, func(tx *boltfile.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.BigEndian.AppendUint32(nil, store.Format+1))
	})
	before := read(t, path)
	_, err := store.Open(path, store.Options{})
	if !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("got %v, want ErrNewer with path and format", err)
	}
	if !bytes.Equal(read(t, path), before) {
		t.Error("the file that was refused has changed")
	}
}

// rewrite changes a file directly, not through the store.
func rewrite(t *testing.T, path string, fn func(*boltfile.Tx) error) {
	t.Helper()
	if err := bolttest.Change(path, fn); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	c := another(t, holdVariable, path)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	begin := time.Now()
	_, err = store.Open(path, store.Options{})
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want ErrLocked with the path", err)
	}
	if waited := time.Since(begin); waited < store.LockWait/2 || waited > 10*store.LockWait {
		t.Errorf("waited for %v, want about %v", waited, store.LockWait)
	}
	if err := errors.Join(in.Close(), c.Wait()); err != nil {
		t.Fatal(err)
	}
	openStore(t, path, store.Options{})
}

// meta returns the field at an offset of the newer meta page of a file. Offset 32 has the
// page number of the list of free pages, or all ones if there is none. Offset 40 has the
// number of pages in use.
func meta(t *testing.T, path string, offset int) uint64 {
	t.Helper()
	b := read(t, path)
	size := binary.NativeEndian.Uint32(b[16+8:])
	first, second := b[16:], b[size+16:]
	if binary.NativeEndian.Uint64(second[48:]) > binary.NativeEndian.Uint64(first[48:]) {
		first = second
	}
	return binary.NativeEndian.Uint64(first[offset:])
}

func TestCloseWritesFreePages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	p := addProject(t, db, "app")
	if got := meta(t, path, 32); got != 1<<64-1 {
		t.Errorf("while it is open: got free pages on page %d, want no list", got)
	}
	closeStore(t, db)
	var pages []uint64
	for n := range 10 {
		db := openStore(t, path, store.Options{})
		v := addVersion(t, db, p.ID, fmt.Sprintf("1.%d", n))
		update(t, db, func(tx *store.Tx) error { return tx.DeleteVersion(p.ID, v) })
		closeStore(t, db)
		if got := meta(t, path, 32); got == 1<<64-1 {
			t.Error("after Close: got no list of free pages")
		}
		pages = append(pages, meta(t, path, 40))
	}
	if first, last := pages[1], pages[len(pages)-1]; first != last {
		t.Errorf("pages: got %d, want no growth", pages)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	addVersion(t, db, p.ID, "1.0")
	snap := snapshot(t, db, "app")
	closeStore(t, db)
	if err := db.View(func(*store.Tx) error { return nil }); err == nil {
		t.Error("View of a closed store: got no error")
	}
	if err := db.Update(func(*store.Tx) error { return nil }); err == nil {
		t.Error("Update of a closed store: got no error")
	}
	if err := db.Close(); err == nil {
		t.Error("second Close: got no error")
	}
	if again := snapshot(t, db, "app"); again != snap {
		t.Error("what is in memory is gone")
	}
}

// TestPanic checks that a panic in a caller's function does not block later writers.
func TestPanic(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic got lost")
			}
		}()
		_ = db.Update(func(tx *store.Tx) error {
			if err := tx.CreateProject(&store.Project{Key: "half"}); err != nil {
				t.Error(err)
			}
			panic("a bug")
		})
	}()
	addProject(t, db, "app")
	if _, err := db.FindProject("half"); !fault.Is(err, fault.NotFound) {
		t.Errorf("what was written before the panic: got %v, want not found", err)
	}
}

func TestSlowTransactionIsReported(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		run     func(*store.Store, func(*store.Tx) error) error
		takes   time.Duration
		reports int
	}{
		{"a reader", (*store.Store).View, store.SlowTx + time.Millisecond, 1},
		{"a writer", (*store.Store).Update, store.SlowTx + time.Millisecond, 1},
		{"once, however long it takes", (*store.Store).View, 10 * store.SlowTx, 1},
		{"not a quick reader", (*store.Store).View, store.SlowTx - time.Millisecond, 0},
		{"not a quick writer", (*store.Store).Update, store.SlowTx - time.Millisecond, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "svc.db")
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				db := openStore(t, path, store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
				err := tc.run(db, func(*store.Tx) error {
					<-time.After(tc.takes)
					synctest.Wait()
					return nil
				})
				<-time.After(time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Count(log.String(), "transaction open for too long"); got != tc.reports {
					t.Errorf("got %d reports, want %d: %s", got, tc.reports, &log)
				}
				if tc.reports > 0 && !strings.Contains(log.String(), "TestSlowTransactionIsReported") {
					t.Errorf("got %s, want the name of this function", &log)
				}
			})
		})
	}
}

package boltfile_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/integrity"
)

var bucket = []byte("bucket")

// kept is the number of keys in the file. Writing key n deletes key n-kept.
const kept = 50

// file is a file to which consecutive keys are written, with values of different lengths,
// while old keys are deleted.
type file struct {
	*boltfile.DB
	writing sync.Mutex
	last    uint64
}

func open(path string) (*file, error) {
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		_, err := tx.CreateBucket(bucket)
		return err
	})
	if err != nil {
		return nil, err
	}
	db, err := boltfile.Open(path, boltfile.Options{MapSize: 64 << 20})
	if err != nil {
		return nil, err
	}
	f := &file{DB: db}
	err = db.View(func(tx *boltfile.Tx) (err error) {
		f.last, err = whole(tx)
		return err
	})
	return f, err
}

func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func value(n uint64) []byte {
	return []byte(strings.Repeat(strconv.FormatUint(n, 10)+" ", int(n*7919%4000)))
}

// write stores the next key and returns it when it is on disk.
func (f *file) write() (uint64, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	n := f.last + 1
	err := f.Update(func(tx *boltfile.Tx) error {
		b := tx.Bucket(bucket)
		err := errors.Join(b.Put(key(n), value(n)), b.SetSequence(n))
		if n > kept {
			err = errors.Join(err, b.Delete(key(n-kept)))
		}
		return err
	})
	if err == nil {
		f.last = n
	}
	return n, err
}

// compact compacts the file.
func (f *file) compact(always bool) (boltfile.Compaction, error) {
	f.writing.Lock()
	c, err := f.Compact(always)
	f.writing.Unlock()
	return c, errors.Join(err, c.Finish())
}

// whole verifies that all expected keys exist and returns the last one.
func whole(tx *boltfile.Tx) (last uint64, err error) {
	b := tx.Bucket(bucket)
	last = b.Sequence()
	n := 0
	err = b.ForEach(func(k, v []byte) error {
		at := binary.BigEndian.Uint64(k)
		if n++; string(v) != string(value(at)) || at+kept <= last || at > last {
			return fmt.Errorf("key %d of %d is not what it was", at, last)
		}
		return nil
	})
	if want := int(min(last, kept)); err == nil && n != want {
		err = fmt.Errorf("there are %d keys, not %d", n, want)
	}
	return last, err
}

// TestCompactInUse checks that a file becomes smaller while it is in use, that readers
// always see a consistent state, and that data written between two compactions is not
// lost.
func TestCompactInUse(t *testing.T) {
	t.Parallel()
	f, err := open(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	f.Bolt().NoSync = true
	grow(t, f.DB)
	var running sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		running.Go(func() { readOn(t, f, stop) })
	}
	running.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := f.write(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for round := range 10 {
		c, err := f.compact(round > 0)
		if err != nil || !c.Done {
			t.Fatalf("round %d: %+v, %v", round, c, err)
		}
		if round == 0 && c.After > c.Before/4 {
			t.Errorf("it is %d bytes after the compaction, and was %d", c.After, c.Before)
		}
		if size, free, err := f.Usage(); err != nil || free > size {
			t.Errorf("%d of %d bytes are free, %v", free, size, err)
		}
	}
	close(stop)
	running.Wait()
	if !f.Bolt().NoSync {
		t.Error("the new file has other settings")
	}
	if err := boltfile.Close(f.DB); err != nil {
		t.Fatal(err)
	}
	sound(t, f.Path(), f.last)
}

// grow fills a file and then deletes most of its content, so that most pages are free.
func grow(t *testing.T, db *boltfile.DB) {
	t.Helper()
	err := db.Update(func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucket([]byte("big"))
		for i := range uint64(500) {
			err = errors.Join(err, b.Put(key(i), make([]byte, 20_000)))
		}
		return err
	})
	if err == nil {
		err = db.Update(func(tx *boltfile.Tx) error { return tx.DeleteBucket([]byte("big")) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readOn reads all keys repeatedly until stop is closed.
func readOn(t *testing.T, f *file, stop chan struct{}) {
	before := uint64(0)
	for {
		select {
		case <-stop:
			return
		default:
		}
		var last uint64
		err := f.View(func(tx *boltfile.Tx) (err error) {
			last, err = whole(tx)
			return err
		})
		if err != nil || last < before {
			t.Errorf("got key %d after %d: %v", last, before, err)
			return
		}
		before = last
	}
}

// sound verifies that a file has no findings and that its last key is the given key or
// the key after it.
func sound(t *testing.T, path string, last uint64) {
	t.Helper()
	report := integrity.NewReport(nil)
	err := boltfile.Check(path, report, func(tx *boltfile.Tx) error {
		got, err := whole(tx)
		if got != last && got != last+1 {
			t.Errorf("the last key is %d, %d was acknowledged", got, last)
		}
		return err
	})
	if err != nil || !report.Clean() {
		t.Fatalf("the check found %v, %v", report.Listed(), err)
	}
}

// TestNotWorthCompacting checks that a file with little free space is left unchanged.
func TestNotWorthCompacting(t *testing.T) {
	t.Parallel()
	f, err := open(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if c, err := f.compact(false); err != nil || c.Done || c.After != c.Before || c.Before == 0 {
		t.Errorf("got %+v, %v, want that nothing was done", c, err)
	}
}

// TestCompactLosesItsFile checks that the original file stays in use if the smaller file
// disappears before it is renamed.
func TestCompactLosesItsFile(t *testing.T) {
	t.Parallel()
	f, err := open(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	last, err := f.write()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Exchange(f.Path() + ".compact"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the file is not there", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, f.Path(), last)
}

// TestOpenBesideCompact checks that a process that fails to open a file does not remove
// the temporary file of the process that has it open.
func TestOpenBesideCompact(t *testing.T) {
	t.Parallel()
	f, err := open(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	temp := f.Path() + ".compact"
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := boltfile.Open(f.Path(), boltfile.Options{}); !errors.Is(err, boltfile.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if _, err := os.Stat(temp); err != nil {
		t.Errorf("while the file is open: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = open(f.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left behind is still there: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// writeAndCompact writes and compacts until it is killed. It prints each key when it is
// stored.
func writeAndCompact(path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	go func() {
		for {
			if _, err := f.compact(true); err != nil {
				failed <- err
				return
			}
		}
	}()
	go func() {
		for {
			n, err := f.write()
			if err == nil {
				_, err = fmt.Println(n)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	return <-failed
}

// TestCompactIsKilled checks a file after a compacting process was killed at an arbitrary
// time. The file must contain all data that the process had acknowledged, and the
// temporary file must be removed.
func TestCompactIsKilled(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("SVC_LONG") != "" {
		rounds = 200
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	cut := 0
	for range rounds {
		last := killed(t, path, "compact", time.Duration(r.IntN(100_000))*time.Microsecond)
		if _, err := os.Stat(path + ".compact"); err == nil {
			cut++
		}
		sound(t, path, last)
		f, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Fatalf("the folder has %v, %v, want only the file", list, err)
		}
	}
	t.Logf("%d of %d compactions were cut off before the new file had its name", cut, rounds)
}

// killed starts a process that does the given work. It kills the process the given time
// after its first output, and returns the last key that the process acknowledged.
func killed(t *testing.T, path, work string, after time.Duration) (last uint64) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childFile+"="+path, childWork+"="+work)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	said := strings.Split(first+string(rest), "\n")
	last, err = strconv.ParseUint(said[len(said)-2], 10, 64) // after the last newline there is nothing, or an incomplete line
	if err != nil {
		t.Fatal(err)
	}
	return last
}

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svc/internal/fault"
	"svc/internal/testutil"
	"svc/store"
)

// fullVariable names the environment variable that contains the path of the file to write. If the
// variable is set, the test binary acts as the separate process of TestDiskIsFull. The test needs
// this process because the limit on file sizes applies to the whole process.
const fullVariable = "STORE_TEST_FULL"

// TestDiskIsFull runs onAFullDisk in a separate process and checks the file that this process
// leaves.
func TestDiskIsFull(t *testing.T) {
	if os.Getenv(fullVariable) != "" {
		onAFullDisk(t)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	c := another(t, fullVariable, path)
	c.Args = append(c.Args, "-test.run=^TestDiskIsFull$", "-test.v")
	c.Stderr = nil
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestDiskIsFull") {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
	db := openStore(t, path, store.Options{})
	checkWritten(t, db, written(db, nil))
}

// onAFullDisk makes writes beyond an offset of the file fail, for one offset after another.
// Acknowledged transactions must be in the file and readable, refused ones must not be, and the
// next transaction must succeed once there is space again. With SVC_LONG=1 it tries every page and
// twice as many transactions.
func onAFullDisk(t *testing.T) {
	path := os.Getenv(fullVariable)
	limitFiles(t, 100)
	if db, err := store.Open(path, store.Options{NoSync: true}); !errors.Is(err, syscall.EFBIG) && !strings.Contains(err.Error(), "too large") {
		t.Fatalf("a new file: got %v, %v", db, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Fatalf("a start that failed leaves %v, %v", left, err)
	}
	limitFiles(t, unlimited)
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	last, step, refused, spared := -1, 11, 0, 0
	if os.Getenv("SVC_LONG") != "" {
		step = 1
	}
	next := func() error {
		err := db.Update(func(tx *store.Tx) error { return write(tx, last+1) })
		if err == nil {
			last++
		}
		return err
	}
	for last < 30 {
		if err := next(); err != nil {
			t.Fatal(err)
		}
	}
	for page := 2; page < 600; page += step {
		limitFiles(t, uint64(page*4096-page%3*1000))
		var failed error
		for try := 0; try < 5 && failed == nil; try++ {
			failed = next()
		}
		if failed != nil {
			refused++
			f, ok := errors.AsType[*fault.Error](failed)
			if !ok || f.Kind != fault.NoSpace || f.RetryAfter == 0 {
				t.Fatalf("page %d: got %v, want a fault that there is no space", page, failed)
			}
			if err := db.Submit(func(*store.Tx) error { return errors.New("it was tried") }); fault.Is(err, fault.NoSpace) {
				spared++
			}
		}
		if got := written(db, nil); got != last {
			t.Fatalf("page %d: read the state after transaction %d, want %d", page, got, last)
		}
		limitFiles(t, unlimited)
		if err := next(); err != nil {
			t.Fatalf("page %d: with space again: %v", page, err)
		}
		if err := db.Submit(func(*store.Tx) error { return nil }); err != nil {
			t.Fatalf("page %d: a submission with space again: %v", page, err)
		}
		if page%5 == 0 || step == 1 {
			checkWritten(t, db, last)
		}
	}
	checkWritten(t, db, last)
	if refused < 5 {
		t.Errorf("only %d transactions were refused", refused)
	}
	if spared == 0 {
		t.Error("submissions are always tried, also a moment after a failure")
	}
	if err := db.Writable(); err != nil {
		t.Errorf("with space it is not writable: %v", err)
	}
	failures := stateOf(t, db).Failed
	limitFiles(t, 100)
	if err := db.Update(func(tx *store.Tx) error { return write(tx, last+1) }); !fault.Is(err, fault.NoSpace) || !fault.Is(db.Writable(), fault.NoSpace) {
		t.Errorf("without space: got %v, writable: %v", err, db.Writable())
	}
	if got := stateOf(t, db).Failed; got != failures+2 {
		t.Errorf("got %d failed commits, want %d and two more: what is tried counts", got, failures)
	}
	limitFiles(t, unlimited)
	testutil.Until(t, "it is writable although nobody writes", func() bool { return db.Writable() == nil })
	if err := db.Submit(func(*store.Tx) error { return nil }); err != nil {
		t.Errorf("when it is writable: %v", err)
	}
	limitFiles(t, 100)
	if err := db.Close(); err != nil {
		t.Errorf("closing on a full disk: %v", err)
	}
	t.Log(strconv.Itoa(refused), "refused of", last)
}

const unlimited = 1 << 62

// limitFiles makes writes beyond the given offset fail in all files.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		t.Fatal(err)
	}
	l.Cur = min(size, l.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		t.Fatal(err)
	}
}

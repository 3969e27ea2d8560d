package search

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/internal/testutil"
	"svc/store"
)

// fullFolder is the environment variable that passes the data directory to a test binary.
// The test needs its own process because its limits apply to the whole process.
const fullFolder = "SVC_TEST_FULL"

// TestDiskIsFull runs onAFullDisk in a separate process.
func TestDiskIsFull(t *testing.T) {
	if os.Getenv(fullFolder) != "" {
		onAFullDisk(t)
		return
	}
	t.Parallel()
	b, p := filled(t)
	b.addLogs(p, 3000, numbered) // logs that the index has not processed yet
	b.close()
	c := exec.Command(os.Args[0], "-test.run=^TestDiskIsFull$", "-test.v")
	c.Env = append(os.Environ(), fullFolder+"="+b.dir)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestDiskIsFull") {
		t.Errorf("%v:\n%s", err, out)
	}
	b.open()
	b.settle()
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("after a restart: got %d logs, want 2", got)
	}
}

// onAFullDisk checks the index while every write of more than a few bytes fails, and
// afterwards when writes succeed again.
func onAFullDisk(t *testing.T) {
	dir := os.Getenv(fullFolder)
	b := &box{t: t, dir: dir}
	b.open()
	check(t, b.index.admit())
	p := b.db.Projects()[0].ID
	limitFiles(t, 100)
	if _, err := b.index.step(); err == nil {
		t.Fatal("index could be written")
	}
	before := processorTime(t)
	for range 2 {
		if _, err := b.index.step(); err == nil {
			t.Fatal("index could be written")
		}
	}
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("while the disk is full: got %d logs, want 2", got)
	}
	if err := b.index.Rebuild(t.Context(), nil); err == nil {
		t.Error("index could be rebuilt")
	}
	trying := processorTime(t) - before
	limitFiles(t, 1<<62)
	before = processorTime(t)
	b.settle()
	if working := processorTime(t) - before; trying > time.Second+10*working {
		t.Errorf("%s of processor time were spent on three tries, and %s on one that succeeds", trying, working)
	}
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("with space again: got %d logs, want 2", got)
	}

	// Closing does not wait for space.
	b.update(func(tx *store.Tx) error {
		return tx.PutAnnouncement(p, &store.Announcement{Title: "late"})
	})
	limitFiles(t, 100)
	if _, err := b.index.step(); err == nil {
		t.Fatal("index could be written")
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		b.closeIndex()
	}()
	select {
	case <-closed:
	case <-time.After(testutil.Patience):
		t.Fatal("closing waits for space")
	}
	limitFiles(t, 1<<62)
	check(t, b.db.Close())
}

// limitFiles makes writes beyond an offset fail in all files.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var l syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l))
	l.Cur = min(size, l.Max)
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l))
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

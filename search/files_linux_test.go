package search

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"svc/store"
)

// noFilesFolder is the environment variable that passes the data directory to a test
// binary. The test needs its own process because it temporarily prevents the whole
// process from opening files.
const noFilesFolder = "SVC_TEST_NO_FILES"

// TestFilesAreExhausted runs withoutFiles in a separate process.
func TestFilesAreExhausted(t *testing.T) {
	if os.Getenv(noFilesFolder) != "" {
		withoutFiles(t)
		return
	}
	t.Parallel()
	b, p := filled(t)
	b.addLogs(p, 3000, numbered) // logs that the index has not processed yet
	b.close()
	c := exec.Command(os.Args[0], "-test.run=^TestFilesAreExhausted$", "-test.v")
	c.Env = append(os.Environ(), noFilesFolder+"="+b.dir)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFilesAreExhausted") {
		t.Errorf("%v:\n%s", err, out)
	}
	if strings.Contains(string(out), "thrown away") {
		t.Errorf("an index that is whole was thrown away:\n%s", out)
	}
	b.open()
	b.settle()
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("after a restart: got %d logs, want 2", got)
	}
}

// withoutFiles checks that searches continue and the process survives while the process
// cannot open files. Once it can open files again, the index must catch up without being
// rebuilt.
func withoutFiles(t *testing.T) {
	dir := os.Getenv(noFilesFolder)
	b := &box{t: t, dir: dir}
	b.open()
	check(t, b.index.admit())
	p := b.db.Projects()[0].ID
	stop := func() {}
	for round := range 3 {
		release := takeFiles(t)
		if round == 0 {
			if _, err := b.index.step(); err == nil {
				t.Fatal("index could be written")
			}
			if err := b.index.Rebuild(t.Context(), nil); err == nil {
				t.Error("index could be rebuilt")
			}
		}
		b.addLogs(p, 10, numbered)
		want := b.findLogs(p, "line 7 ")
		if want != 3+round {
			t.Errorf("round %d: got %d logs, want %d", round, want, 3+round)
		}
		release()
		if round == 0 {
			b.settle()
			stop = b.run()
		}
		b.seen()
		if got := b.findLogs(p, "line 7 "); !b.narrows(p, "line") || got != want {
			t.Errorf("round %d: with files again: got %d logs, want %d", round, got, want)
		}
	}
	stop()
	b.update(func(tx *store.Tx) error {
		return tx.PutAnnouncement(p, &store.Announcement{Title: "late"})
	})
	release := takeFiles(t)
	b.closeIndex()
	check(t, b.db.Close())
	release()
}

// takeFiles prevents the process from opening files until release is called. Files that
// are already open stay open. Closing some of them, as bleve does in the background, must
// not allow the process to open others.
func takeFiles(t *testing.T) (release func()) {
	t.Helper()
	var before syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	none := before
	none.Cur = 0
	check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	return func() { check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)) }
}

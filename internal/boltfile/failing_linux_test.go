package boltfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// The environment variables of a test binary that writes while system calls fail: the
// file, and whether a reader is open at the same time.
const (
	failingFile   = "SVC_BOLTFILE_FAILING"
	failingReader = "SVC_BOLTFILE_READER"
)

// writeWhileFailing writes and exits if the process was started to do so. Otherwise it
// returns.
func writeWhileFailing() {
	if path := os.Getenv(failingFile); path != "" {
		runtime.LockOSThread() // system calls are counted per thread
		s := &sick{path: path, reads: os.Getenv(failingReader) != "", written: -1}
		if err := s.run(); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Printf("done: refused %d, unconfirmed %d\n", s.refused, s.unconfirmed)
		os.Exit(0)
	}
}

// sick writes to a file on a disk that fails occasionally.
type sick struct {
	path                 string
	db                   *boltfile.DB
	file                 *boltfile.Writer
	reads                bool // a reader is open during the first attempt of a transaction
	written              int  // the last transaction that readers see
	refused, unconfirmed int
}

// transactions is the number of transactions written.
const transactions = 12

// run repeats each transaction until the disk accepts it.
func (s *sick) run() error {
	err := s.untilTaken(func() error {
		err := boltfile.Create(s.path, func(tx *boltfile.Tx) error {
			_, err := tx.CreateBucket(bucket)
			return err
		})
		if err == nil {
			return nil
		}
		if left, _ := filepath.Glob(s.path + ".*"); len(left) > 0 {
			return fmt.Errorf("%s is left behind", left)
		}
		return fault.Unwritable()
	})
	if err != nil {
		return err
	}
	err = s.untilTaken(func() (err error) {
		s.db, err = boltfile.Open(s.path, boltfile.Options{MapSize: 1 << 20})
		return fault.Disk(err)
	})
	if err != nil {
		return err
	}
	s.db.Bolt().AllocSize = 64 << 10 // otherwise the file would grow only once
	s.file = boltfile.NewWriter(s.db, slog.New(slog.DiscardHandler))
	for n := range transactions {
		reads := s.reads
		err := s.untilTaken(func() error {
			defer func() { reads = false }()
			return s.write(n, reads)
		})
		if err != nil {
			return fmt.Errorf("transaction %d: %w", n, err)
		}
		if err := s.check(n); err != nil {
			return fmt.Errorf("after transaction %d: %w", n, err)
		}
	}
	return s.file.Close()
}

// untilTaken repeats fn until the disk accepts the transaction that fn writes.
func (s *sick) untilTaken(fn func() error) error {
	for range 20 {
		err := fn()
		if !fault.Is(err, fault.NoSpace) && !fault.Is(err, fault.Unavailable) {
			return err
		}
		s.refused++
	}
	return errors.New("it is refused for ever")
}

// write attempts transaction n, which stores a new value and deletes an old one.
func (s *sick) write(n int, reads bool) error {
	var reader *boltfile.Tx
	if reads {
		var err error
		if reader, err = s.db.Begin(false); err != nil {
			return err
		}
	}
	refused := s.file.Update(func(tx *boltfile.Tx) error {
		b := tx.Bucket(bucket)
		return errors.Join(b.Put(name(n), some(n)), b.Delete(name(n-5)))
	})
	if boltfile.Written(refused) {
		s.written = n
		if refused != nil {
			s.unconfirmed++
		}
	}
	err := s.check(s.written)
	if reader != nil {
		if refused == nil {
			refused = s.file.Update(func(tx *boltfile.Tx) error { return tx.Bucket(bucket).Put([]byte("x"), some(n)) })
		}
		// Whatever failed, the reader's pages are unchanged.
		if list := values(reader); list != state(n-1) && list != state(n) {
			err = errors.Join(err, fmt.Errorf("the reader sees %.200s", list))
		}
		err = errors.Join(err, reader.Rollback())
	}
	if err != nil {
		return err
	}
	return refused
}

// check verifies that readers see the state after transaction n and that the file obeys
// the rules of bbolt.
func (s *sick) check(n int) error {
	return s.db.View(func(tx *boltfile.Tx) error {
		if got, want := values(tx), state(n); got != want {
			return fmt.Errorf("got %.200s, want %.200s", got, want)
		}
		var all []error
		for err := range tx.Check() {
			all = append(all, err)
		}
		return errors.Join(all...)
	})
}

func name(n int) []byte { return fmt.Appendf(nil, "%03d", n) }

// some returns a value of varying size, from a few bytes to several pages.
func some(n int) []byte { return bytes.Repeat(name(n), 1+n%4*3000) }

// state returns the expected content after transaction n.
func state(n int) string {
	var list strings.Builder
	for i := max(0, n-4); i <= n; i++ {
		fmt.Fprintf(&list, "%s=%s ", name(i), some(i))
	}
	return list.String()
}

// values returns the content that a transaction sees.
func values(tx *boltfile.Tx) string {
	var list strings.Builder
	_ = tx.Bucket(bucket).ForEach(func(k, v []byte) error {
		if string(k) != "x" {
			fmt.Fprintf(&list, "%s=%s ", k, v)
		}
		return nil
	})
	return list.String()
}

// TestSystemCallsFail checks transactions while one system call fails, or three in a row,
// at various places in the sequence of calls. Acknowledged transactions must be stored,
// and refused ones must not. Readers must see the state before or after a transaction,
// the file must be sound, and transactions must be accepted again once the disk works.
// The test tries every place only with SVC_LONG=1.
func TestSystemCallsFail(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace to let calls of the system fail: install the package strace")
	}
	if out, err := exec.Command(strace, "-qq", "-o", os.DevNull, "-e", "inject=fdatasync:error=EIO:when=1", "true").CombinedOutput(); err != nil {
		t.Skipf("needs strace to be allowed to trace: in a container add the capability SYS_PTRACE: %v: %s", err, out)
	}
	for _, tc := range []struct {
		call, number string
		kind         string
		places       int // number of system calls that the transactions make at least
	}{
		{"pwrite64", "ENOSPC", "full", 40},
		{"pwrite64", "EROFS", "read-only", 40},
		{"fdatasync", "EIO", "does not sync", 26},
		{"fdatasync", "EDQUOT", "quota", 26},
		{"ftruncate", "EFBIG", "does not grow", 3},
		{"fsync", "EIO", "does not sync what grew", 3},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			t.Parallel()
			step := 9
			if os.Getenv("SVC_LONG") != "" {
				step = 1
			}
			refused, unconfirmed := 0, 0
			for place := 1; place <= tc.places; place += step {
				for _, reader := range []string{"", "1"} {
					times := fmt.Sprintf("%d..%d", place, place+place%3)
					c := exec.CommandContext(t.Context(), strace, "-f", "-qq", "-o", os.DevNull, "-e", "inject="+tc.call+":error="+tc.number+":when="+times, os.Args[0])
					c.Env = append(os.Environ(), failingFile+"="+filepath.Join(t.TempDir(), "b.db"), failingReader+"="+reader)
					out, err := c.CombinedOutput()
					said := string(out)
					if err != nil || !strings.Contains(said, "done: ") {
						t.Fatalf("%s fails at call %s, reader %q: %v\n%s", tc.call, times, reader, err, said)
					}
					if !strings.Contains(said, "refused 0,") {
						refused++
					}
					if !strings.Contains(said, "unconfirmed 0\n") {
						unconfirmed++
					}
				}
			}
			if refused == 0 {
				t.Error("nothing was ever refused")
			}
			if tc.call == "fdatasync" && unconfirmed == 0 {
				t.Error("the last step of a transaction never failed")
			}
		})
	}
}

// TestUpdateRefused checks that Update changes nothing if its function returns an error,
// and that this error does not count as a failure of the disk.
func TestUpdateRefused(t *testing.T) {
	t.Parallel()
	s := &sick{path: filepath.Join(t.TempDir(), "b.db"), written: -1}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(s.path, boltfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := boltfile.NewWriter(db, slog.New(slog.NewTextHandler(t.Output(), nil)))
	mine := errors.New("mine")
	err = file.Update(func(tx *boltfile.Tx) error { return errors.Join(tx.Bucket(bucket).Put(name(99), nil), mine) })
	if !errors.Is(err, mine) || boltfile.Written(err) || file.Refused() != nil {
		t.Errorf("got %v, refused %v", err, file.Refused())
	}
	if err := db.View(func(tx *boltfile.Tx) error {
		if tx.Bucket(bucket).Get(name(99)) != nil {
			return errors.New("it was written")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := file.Update(func(*boltfile.Tx) error { return nil }); !fault.Is(err, fault.Unavailable) {
		t.Errorf("after closing: got %v", err)
	}
}

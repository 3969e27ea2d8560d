package disk

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"svc/internal/fault"
)

// sized returns a replacement for Free that always returns the given number of bytes.
func sized(bytes uint64) func(string) (uint64, error) {
	return func(string) (uint64, error) { return bytes, nil }
}

func TestNeed(t *testing.T) {
	t.Parallel()
	if err := Need(t.TempDir(), 1, "this test"); err != nil {
		t.Error(err)
	}
	err := Need(t.TempDir(), 1<<62, "this test")
	if !fault.Is(err, fault.NoSpace) || !strings.Contains(err.Error(), "not enough disk space for this test: 4398046511104 MiB are needed") {
		t.Errorf("more than every disk has: got %v", err)
	}
	if err := Need(filepath.Join(t.TempDir(), "missing"), 1, "this test"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is missing: got %v", err)
	}
}

// TestFillKeepsTheReserve checks that a file that does not fit is refused: before it is
// written or, if other writers have taken the space, while it is written.
func TestFillKeepsTheReserve(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		size  int64
		bytes int64
		free  uint64
		want  int64 // number of bytes that are written
		fits  bool
	}{
		{"fits", 7, 7, Reserve + 7, 7, true},
		{"does not fit", 7, 7, Reserve + 6, 0, false},
		{"longer than it said", 7, 9, Reserve + 7, 9, true},
		{"of unknown size", -1, 7, Reserve, 7, true},
		{"of unknown size, on a full disk", -1, 7, Reserve - 1, 0, false},
		{"the space goes on its way", -1, look + 7, Reserve, look, false},
		{"nothing, on a full disk", 0, 0, Reserve - 1, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Create(filepath.Join(t.TempDir(), "file"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			free := func(string) (uint64, error) {
				if n, err := f.Seek(0, io.SeekCurrent); err != nil || n > 0 {
					return tc.free - 1, err // as if another process had written
				}
				return tc.free, nil
			}
			n, err := fill(free, f, io.LimitReader(zeros{}, tc.bytes), tc.size, "this test")
			if n != tc.want || (err == nil) != tc.fits || err != nil && !fault.Is(err, fault.NoSpace) {
				t.Errorf("got %d, %v; want %d, fits: %t", n, err, tc.want, tc.fits)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestFillTellsErrorsApart checks that an error of the reader is returned unchanged, and
// that the data that was read before it is in the file. An error of the file must not be
// mistaken for an error of the reader.
func TestFillTellsErrorsApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	n, err := fill(sized(Reserve), f, io.MultiReader(strings.NewReader("content"), iotest.ErrReader(broken)), -1, "this test")
	if n != 7 || !errors.Is(err, broken) {
		t.Errorf("a reader that breaks off: got %d, %v", n, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	f, err = os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, []byte("content")) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := fill(sized(Reserve+4), f, strings.NewReader("more"), 4, "this test"); !errors.As(err, new(*os.PathError)) {
		t.Errorf("a file that cannot be written: got %v", err)
	}
}

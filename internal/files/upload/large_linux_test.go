package upload_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"svc/internal/files/upload"
)

// largeVariable is the environment variable that tells a child process which directory to
// use. The test measures how many bytes this process writes.
const largeVariable = "UPLOAD_TEST_LARGE"

// TestLarge checks that an upload writes each byte only once and needs little memory. With
// SVC_LONG=1 it uploads 4 GiB.
func TestLarge(t *testing.T) {
	if dir := os.Getenv(largeVariable); dir != "" {
		uploadLarge(t, dir)
		return
	}
	t.Parallel()
	c := exec.Command(os.Args[0], "-test.run=^TestLarge$", "-test.v")
	c.Env = append(os.Environ(), largeVariable+"="+t.TempDir(), "GOGC=")
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func uploadLarge(t *testing.T, dir string) {
	size := int64(5*upload.ChunkSize - 1)
	if os.Getenv("SVC_LONG") != "" {
		size = 4 << 30
	}
	s, err := upload.Open(filepath.Join(dir, "sessions"), time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Create(upload.Request{Project: project, Filename: "setup.zip", Size: size, Backend: "local"})
	if err != nil {
		t.Fatal(err)
	}
	register := func(c upload.Content) (string, error) {
		sum := sha256.New()
		if _, err := io.Copy(sum, &pattern{end: size}); err != nil {
			return "", err
		}
		if want := hex.EncodeToString(sum.Sum(nil)); c.SHA256 != want || c.Size != size {
			t.Errorf("got %+v, want the checksum %s", c, want)
		}
		return c.FileID, os.Rename(c.Path, filepath.Join(dir, c.FileID))
	}
	measure := func(what string, upload func() (string, error)) {
		before, began := written(t), time.Now()
		id, err := upload()
		if err != nil {
			t.Fatal(err)
		}
		took, extra := time.Since(began), written(t)-before-size
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		t.Logf("%s: %d MiB in %v, %d bytes more written, %d MiB of memory", what, size>>20, took.Round(time.Millisecond), extra, memory.Sys>>20)
		// The upload also writes one byte per chunk to the file chunks, and the session's
		// description three times.
		if limit := int64(u.TotalChunks()+4096) * 2; extra < 0 || extra > limit {
			t.Errorf("%s: %d bytes more than the content were written, want at most %d", what, extra, limit)
		}
		if memory.Sys > 64<<20 {
			t.Errorf("%s: %d MiB of memory, want at most 64", what, memory.Sys>>20)
		}
		if err := os.Remove(filepath.Join(dir, id)); err != nil {
			t.Error(err)
		}
	}
	measure("in chunks, four at a time", func() (string, error) {
		indexes := make(chan int)
		var senders sync.WaitGroup
		for range 4 {
			senders.Go(func() {
				for index := range indexes {
					at := int64(index) * upload.ChunkSize
					if _, err := s.WriteChunk(t.Context(), project, u.ID, index, -1, &pattern{at, min(at+upload.ChunkSize, size)}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for index := range u.TotalChunks() {
			indexes <- index
		}
		close(indexes)
		senders.Wait()
		return s.Complete(project, u.ID, register)
	})
	measure("in one piece", func() (string, error) {
		return s.Receive(t.Context(), upload.Request{Project: project, Filename: "setup.zip", Size: size, Backend: "local"}, &pattern{end: size}, register)
	})
}

// pattern is a reader for a section of an endless text that is generated as it is read,
// so that it takes no memory.
type pattern struct{ at, end int64 }

func (p *pattern) Read(b []byte) (int, error) {
	if p.at == p.end {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), p.end-p.at)]
	for i := range b {
		b[i] = byte(p.at) ^ byte(p.at>>8) ^ byte(p.at>>16)
		p.at++
	}
	return len(b), nil
}

// written returns the number of bytes that this process has written.
func written(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("needs /proc/self/io: run this where /proc is mounted, on a kernel with CONFIG_TASK_IO_ACCOUNTING, which those of distributions have: %v", err)
	}
	m := regexp.MustCompile(`wchar: (\d+)`).FindSubmatch(text)
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

package distribution_test

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSessionsTakeNoSpace checks section 4.1 of limits.md: an upload session takes disk space only
// as its chunks arrive.
func TestSessionsTakeNoSpace(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	key := writerOfA(t, s, "builds")
	for range 8 {
		if status, answer, _ := s.Do(t, "POST", fileList+"/uploads", key, `{"filename":"a.zip","size":134217728}`); status != 201 {
			t.Fatalf("got %d %s", status, answer)
		}
	}
	var blocks int64 // number of blocks of 512 bytes
	err := filepath.WalkDir(filepath.Join(s.Dir, "files", "staging"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			blocks += info.Sys().(*syscall.Stat_t).Blocks
		}
		return err
	})
	if err != nil || blocks > 2048 {
		t.Errorf("sessions of 1 GiB without a chunk have %d KiB on disk, %v", blocks/2, err)
	}
}

package slicecache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/disk"
	"svc/internal/files/slicecache"
	"svc/internal/testutil"
)

// TestDiskIsFull checks that a slice is read from the storage, with a single fetch, if caching it
// would use the disk's reserve. Slices must be cached again once there is enough space.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testutil.SmallDisk(t, dir, fmt.Sprintf("%dm", 6+disk.Reserve>>20))
	s := newStorage()
	s.put("a", 4*sliceSize)
	c := open(t, slicecache.Config{Dir: filepath.Join(dir, "cache"), MaxBytes: 1 << 30})
	read(t, c, s, "a", 0, 4*sliceSize)
	if s.sent != 4*sliceSize {
		t.Errorf("fetched %d bytes, want each once", s.sent)
	}
	if !read(t, c, s, "a", 0, 4*sliceSize) || s.sent != 7*sliceSize {
		t.Errorf("fetched %d bytes; want the first slice from the cache and the others again", s.sent)
	}
	other := filepath.Join(dir, "other")
	c.Forget("a")
	if err := os.WriteFile(other, make([]byte, 5<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if read(t, c, s, "a", 0, sliceSize) {
			t.Error("a hit on a full disk")
		}
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if read(t, c, s, "a", 0, sliceSize) || !read(t, c, s, "a", 0, sliceSize) {
		t.Error("with space again nothing is kept")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

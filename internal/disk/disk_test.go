package disk

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if n, err := Free(dir); err != nil || n == 0 {
		t.Errorf("got %d bytes, %v; want room for this test", n, err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Free(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want an error that names %s", err, missing)
	}
}

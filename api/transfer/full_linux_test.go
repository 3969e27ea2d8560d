package transfer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/disk"
	"svc/internal/testutil"
)

// TestImportWithoutRoom checks that an import is refused if it would use the reserved space of the
// disk. In one case the archive is too large, and in the other one the files of the project are.
func TestImportWithoutRoom(t *testing.T) {
	t.Parallel()
	archive := withContents(t, fileLine(t, "content", nil), [2]string{"files/00000000000a", "content"})
	t.Run("archive", func(t *testing.T) {
		t.Parallel()
		s := apitest.NewServer(t)
		testutil.SmallDisk(t, folder(t, s.Dir, "staging"), fmt.Sprint(disk.Reserve))
		status, answer := s.Owner(t, "POST", "/control/import", string(archive))
		if status != 507 || !strings.Contains(answer, "not enough disk space for the archive") {
			t.Errorf("got %d %s, want 507", status, answer)
		}
		if left := leftovers(t, s); left != "[] []" {
			t.Errorf("left over: %s", left)
		}
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		s := apitest.NewServer(t)
		testutil.SmallDisk(t, folder(t, filepath.Dir(s.Files.Storages.Local().Staged("x"))), fmt.Sprint(disk.Reserve))
		got := bringIn(t, s, archive, "")
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0], "not enough disk space for the files of the project") {
			t.Errorf("got %+v", got)
		}
		if left := leftovers(t, s); left != "[] []" {
			t.Errorf("left over: %s", left)
		}
	})
}

// folder creates a directory.
func folder(t *testing.T, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

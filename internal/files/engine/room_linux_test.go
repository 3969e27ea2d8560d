package engine_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/internal/disk"
	"svc/internal/fault"
	"svc/internal/files/engine"
	"svc/internal/testutil"
)

// TestAttachmentWithoutRoom checks that an attachment is refused if it would use the disk's
// reserve, and that no file remains.
func TestAttachmentWithoutRoom(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("content"))
	}))
	defer host.Close()
	d := newDepot(t, host.URL)
	f := d.file(d.mirror(host.URL + "/o/r/releases/download/v1/app.zip"))
	staged := d.Storages.Local().Staged(string(f.ID))
	if err := os.MkdirAll(filepath.Dir(staged), 0o700); err != nil {
		t.Fatal(err)
	}
	testutil.SmallDisk(t, filepath.Dir(staged), fmt.Sprint(disk.Reserve))
	if err := engine.FetchContent(d.Engine, t.Context(), f, staged); !fault.Is(err, fault.NoSpace) || !strings.Contains(err.Error(), "not enough disk space for the attachment") {
		t.Errorf("got %v, want NoSpace", err)
	}
	if !engine.IsGone(staged) {
		t.Error("something is left")
	}
}

// TestCleanUpGoesOn checks that the clean-up reports an object that cannot be moved and continues
// with the other objects.
func TestCleanUpGoesOn(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	known := len(d.ready(27))
	var objects []string
	for _, id := range []string{"000000000001", "000000000002", "000000000003"} {
		object := filepath.Join(d.dir, "objects", "f", "app", id, "app.zip")
		if err := os.MkdirAll(filepath.Dir(object), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(object, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	inUse := objects[1]
	if err := syscall.Mount(inUse, inUse, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("needs a mount, which was refused: run this as root, in a container with the capability SYS_ADMIN: %v", err)
	}
	d.age.Store(int64(26 * time.Hour))
	err := engine.SweepLocal(d.Engine, t.Context())
	if unmounted := syscall.Unmount(inUse, 0); unmounted != nil {
		t.Fatal(unmounted)
	}
	if got := d.objects(); !errors.Is(err, syscall.EBUSY) || len(got) != known+1 || !slices.Contains(got, inUse) {
		t.Errorf("got %v, left %q; want that of the three %s alone is left", err, got, inUse)
	}
	if err := engine.SweepLocal(d.Engine, t.Context()); err != nil || len(d.objects()) != known {
		t.Errorf("when it can be moved: %v, left %q", err, d.objects())
	}
}

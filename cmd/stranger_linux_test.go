package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"svc/internal/datadir"
	"svc/internal/instance"
)

// strange returns a folder that every user may enter. The function run returns a command that runs
// this program as user 65532, which has no name.
func strange(t *testing.T) (dir string, run func(args ...string) *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs to become another user, which only root can: run this as root, such as in a container")
	}
	dir = t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "svc")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, program); err != nil {
		t.Skipf("needs the test binary where another user can run it: set TMPDIR to a folder on the disk that the go command builds on: %v", err)
	}
	return dir, func(args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		c.Dir = "/"
		return c
	}
}

// TestFolderOfAnotherUser runs the program as a user without a name, on a folder that root has
// created. It checks that the first message names the folder's owner, even if the user may not read
// the folder.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	dir, stranger := strange(t)
	for _, mode := range []os.FileMode{0o700, 0o755} {
		data := filepath.Join(dir, mode.String())
		if err := errors.Join(os.Mkdir(data, mode), os.Chmod(data, mode)); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"serve", "config"} {
			out, err := stranger(command, "--data", data, "--listen", "127.0.0.1:0").CombinedOutput()
			if command == "config" && mode == 0o755 {
				if err != nil {
					t.Errorf("%s of a folder that can be read: %v\n%s", command, err, out)
				}
				continue
			}
			failed, ok := errors.AsType[*exec.ExitError](err)
			if !ok || failed.ExitCode() != exitFailed ||
				!strings.HasPrefix(string(out), "svc: "+data+" belongs to user root, and this is user #65532\n     as root: chown -R 65532 "+data+"\n") {
				t.Errorf("%s in a folder with mode %04o: got %v\n%s", command, mode, err, out)
			}
		}
		if made, err := os.ReadDir(data); err != nil || len(made) > 0 {
			t.Errorf("got %v %v, want that nothing is made", made, err)
		}
	}
}

// TestRestoreBelowAFolderOfRoot checks that a restore succeeds even if the user can neither read
// nor write the folder that contains the data directory.
func TestRestoreBelowAFolderOfRoot(t *testing.T) {
	t.Parallel()
	dir, stranger := strange(t)
	above, archive := filepath.Join(dir, "above"), filepath.Join(dir, "svc.tar.zst")
	data := filepath.Join(above, "data")
	if err := os.Mkdir(above, 0o711); err != nil {
		t.Fatal(err)
	}
	fill(t, data)
	svc(t, "backup", archive, "--data", data)
	err := filepath.WalkDir(data, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65532, 65532))
	})
	if err := errors.Join(err, os.Lchown(archive, 65532, 65532), os.Chmod(above, 0o711)); err != nil {
		t.Fatal(err)
	}
	out, err := stranger("restore", archive, "--data", data, "--force").CombinedOutput()
	kept, _ := filepath.Glob(filepath.Join(data, "before-restore-*", "svc.db"))
	if err != nil || len(kept) != 1 || !instance.Has(data, datadir.Database) {
		t.Errorf("got %v, and %v is kept:\n%s", err, kept, out)
	}
}

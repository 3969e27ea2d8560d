package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolderOfAnotherUser: an image runs as a user without a name on a volume
// that root has made. The first thing it says is whose folder it is, also when
// it may not even look into it.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs to become another user, which only root can: run this as root, such as in a container")
	}
	dir := t.TempDir()
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
	for _, mode := range []os.FileMode{0o700, 0o755} {
		data := filepath.Join(dir, mode.String())
		if err := errors.Join(os.Mkdir(data, mode), os.Chmod(data, mode)); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"serve", "config"} {
			c := exec.Command(program, command, "--data", data, "--listen", "127.0.0.1:0")
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
			c.Dir = "/"
			out, err := c.CombinedOutput()
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

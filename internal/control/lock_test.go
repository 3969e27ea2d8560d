package control_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
)

// holdVariable is the environment variable that makes the test binary hold the lock of a
// directory until its standard input ends. Tests thus have a real second process.
const holdVariable = "CONTROL_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		os.Exit(hold(dir))
	}
	os.Exit(m.Run())
}

func hold(dir string) int {
	if _, err := control.Acquire(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := control.Listen(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0 // ends without Release, like a killed process
}

// startHolder starts a process that holds the lock of dir, and returns a function that
// ends the process.
func startHolder(t *testing.T, dir string) (pid int, end func()) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), holdVariable+"="+dir)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("got %q %v from the other process, want held", line, err)
	}
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		_ = in.Close()
		_ = c.Wait()
	}
	t.Cleanup(end)
	return c.Process.Pid, end
}

func TestHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pid, end := startHolder(t, dir)

	_, err := control.Acquire(dir)
	held, ok := errors.AsType[*control.HeldError](err)
	if !ok {
		t.Fatalf("got %v, want a HeldError", err)
	}
	if held.PID != pid || held.Dir != dir || time.Since(held.Since) > time.Minute {
		t.Errorf("got pid %d since %s in %s, want pid %d since now in %s", held.PID, held.Since, held.Dir, pid, dir)
	}
	want := fmt.Sprintf("another process (pid %d, since %s) uses %s", pid, held.Since.Local().Format("15:04"), dir)
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}

	end()
	l, err := control.Acquire(dir)
	if err != nil {
		t.Fatalf("after the holder has died: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}

func TestLockGoesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		l, err := control.Acquire(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = control.Acquire(dir)
		if held, ok := errors.AsType[*control.HeldError](err); !ok || held.PID != os.Getpid() {
			t.Errorf("second time in one process: got %v, want a HeldError of pid %d", err, os.Getpid())
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, datadir.Lock)); err != nil || strings.Trim(string(text), "\x00") != "" {
		t.Errorf("after release the lock file says %q, %v; want nothing", text, err)
	}
}

func TestLockFileIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs file modes of Unix: run this on Linux or macOS")
	}
	dir := t.TempDir()
	acquire(t, dir)
	info, err := os.Stat(filepath.Join(dir, datadir.Lock))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v, want mode 0600", info.Mode(), err)
	}
}

func TestAcquireNeedsTheFolder(t *testing.T) {
	t.Parallel()
	_, err := control.Acquire(filepath.Join(t.TempDir(), "missing"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want one that says it does not exist", err)
	}
}

func TestHeldErrorText(t *testing.T) {
	t.Parallel()
	old := time.Date(2026, 8, 14, 10, 31, 0, 0, time.Local)
	for _, tc := range []struct {
		name string
		err  control.HeldError
		want string
	}{
		{"nothing known", control.HeldError{Dir: "/data"}, "another process uses /data"},
		{"another day has its date", control.HeldError{Dir: "/data", PID: 4242, Since: old}, "another process (pid 4242, since 2026-08-14 10:31) uses /data"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestRootIsRefusedInAnothersFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := control.CheckOwner(dir); err != nil {
		t.Errorf("own folder: %v", err)
	}
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("needs a folder of another user, which only root can make: run this as root, such as in a container")
	}
	if err := os.Chown(dir, 65532, 65532); err != nil {
		t.Skipf("needs to give a folder to another user: in a container add the capability CHOWN: %v", err)
	}
	err := control.CheckOwner(dir)
	if owned, ok := errors.AsType[*control.OwnerError](err); !ok || owned.Owner != "#65532" || owned.Dir != dir || !owned.Root {
		t.Errorf("got %v, want an OwnerError of #65532 for root", err)
	}
}

package cmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"svc/internal/control"
	"svc/internal/datadir"
)

// The states of a data directory in which every command is run.
const (
	noFolder   = iota // the directory does not exist
	stopped           // a server has run and was stopped
	runs              // a server is running
	killed            // a server was killed and has left its socket
	silentLock        // another process holds the lock and does not answer
	foreign           // the directory belongs to another user, and root runs the command
	stateCount
)

// codes are the exit codes of a command in all states.
type codes [stateCount]int

var (
	// needsData holds the exit codes of commands that need existing data.
	needsData = codes{exitNoData, exitOK, exitOK, exitOK, exitLocked, exitFailed}
	always    = codes{}
)

// matrix has a row for each command, with the command's arguments and exit codes. A command without
// the flag --data does not depend on the state of a data directory and is run only once.
var matrix = map[string]struct {
	args string
	want codes
}{
	"svc":                       {"", always},
	"svc admin":                 {"", codes{exitUsage}},
	"svc admin reset-password":  {"", needsData},
	"svc apikey":                {"", codes{exitUsage}},
	"svc apikey create":         {"--name ci", needsData},
	"svc apikey list":           {"", needsData},
	"svc apikey revoke":         {"REVOKE", needsData},
	"svc apikey rotate":         {"ROTATE", needsData},
	"svc backup":                {"-", needsData},
	"svc backup verify":         {"missing.tar.zst", codes{exitFailed}},
	"svc check":                 {"", needsData},
	"svc compact":               {"", needsData},
	"svc completion":            {"", always},
	"svc completion bash":       {"", always},
	"svc completion fish":       {"", always},
	"svc completion powershell": {"", always},
	"svc completion zsh":        {"", always},
	"svc config":                {"", always},
	"svc config example":        {"", always},
	// The invalid --until makes the command fail, because it would otherwise create the folder.
	// testdata/demo.txtar covers valid arguments.
	"svc demo": {"--until tomorrow", codes{exitUsage, exitUsage, exitUsage, exitUsage, exitUsage, exitUsage}},
	// Doctor reports an unused first password only as a note. In another user's folder, the
	// ownership is the only problem that it reports.
	"svc doctor": {"", codes{exitNoData, exitOK, exitOK, exitOK, exitFailed, exitOK}},
	// The project does not exist.
	"svc export":       {"--project missing -", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc feeds":        {"", codes{exitUsage}},
	"svc feeds check":  {"--project missing", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc files":        {"", codes{exitUsage}},
	"svc files adopt":  {"", codes{exitNoData, exitOK, exitLocked, exitOK, exitLocked, exitFailed}},
	"svc files list":   {"--project missing", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc files rm":     {"--project missing 0123456789ab", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc files upload": {"--project missing missing.zip", codes{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed}},
	"svc health":       {"", codes{exitFailed, exitFailed, exitOK, exitFailed, exitFailed, exitFailed}},
	"svc help":         {"", always},
	"svc hooks":        {"", codes{exitUsage}},
	"svc hooks list":   {"", needsData},
	"svc hooks test":   {"missing", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc import":       {"missing.zip", codes{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed}},
	"svc install":      {"", always},
	"svc job":          {"", codes{exitUsage}},
	"svc job list":     {"", needsData},
	"svc job run":      {"retention", needsData},
	"svc logs":         {"", codes{exitUsage}},
	"svc logs prune":   {"missing --before 30d", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc openapi":      {"", always},
	"svc proxy":        {"", always},
	"svc reindex":      {"", needsData},
	"svc replicate":    {"", codes{exitUsage}},
	// The target does not exist.
	"svc replicate points": {"--from file:///missing", codes{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed}},
	"svc replicate verify": {"--from file:///missing", codes{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed}},
	// The data is not that of a standby, and no server replicates.
	"svc promote":            {"", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc replicate snapshot": {"", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	"svc replicate status":   {"", codes{exitNoData, exitFailed, exitFailed, exitFailed, exitLocked, exitFailed}},
	// A directory with data cannot become a standby. The target does not exist.
	"svc standby": {"--from file:///missing", codes{exitFailed, exitStandby, exitStandby, exitStandby, exitStandby, exitStandby}},
	// A new directory becomes one for a standby, which has no data yet.
	"svc standby token": {"", codes{exitOK, exitStandby, exitStandby, exitStandby, exitStandby, exitStandby}},
	// The archive does not exist.
	"svc restore":    {"missing.tar.zst", codes{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed}},
	"svc security":   {"", always},
	"svc status":     {"", codes{exitNoData, exitOK, exitOK, exitOK, exitOK, exitFailed}},
	"svc tls":        {"", always},
	"svc metrics":    {"", always},
	"svc operations": {"", always},
	"svc topics":     {"", always},
	// The listen address is in use, so that the command ends.
	"svc serve":   {"--listen TAKEN", codes{exitFailed, exitFailed, exitLocked, exitFailed, exitLocked, exitFailed}},
	"svc version": {"", always},
}

// TestEveryCommandInEveryState checks the exit codes of all commands in all states of the data
// directory. A new command needs a row in matrix.
func TestEveryCommandInEveryState(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("servers are stopped by signals, which Windows does not send to processes: run this on Linux or macOS")
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	var withData, without []string
	seen := map[string]bool{}
	eachCommand((&program{}).root(), func(c *cobra.Command) {
		path := c.CommandPath()
		if _, ok := matrix[path]; !ok {
			t.Errorf("%s has no row in the matrix: say what it does in each state", path)
			return
		}
		seen[path] = true
		if c.Flags().Lookup("data") != nil {
			withData = append(withData, path)
		} else {
			without = append(without, path)
		}
	})
	for path := range matrix {
		if !seen[path] {
			t.Errorf("the matrix has a row for %s, which does not exist", path)
		}
	}
	// This command creates a missing folder, so it runs last.
	last := slices.Index(withData, "svc serve")
	withData = append(slices.Delete(withData, last, last+1), "svc serve")
	for state, make := range map[int]func(*testing.T) place{
		noFolder: makeNothing, stopped: makeStopped, runs: makeRunning, killed: makeKilled, silentLock: makeSilent, foreign: makeForeign,
	} {
		t.Run([]string{"no folder", "stopped", "running", "killed", "silent lock", "foreign"}[state], func(t *testing.T) {
			t.Parallel()
			at := make(t)
			at.words = append(at.words, "TAKEN", taken.Addr().String())
			if state == noFolder {
				at.runAll(t, state, without)
			}
			at.runAll(t, state, withData, "--data", at.dir)
		})
	}
}

// place is a data directory in one of the states.
type place struct {
	dir   string
	words []string // pairs of a word in the rows of matrix and its replacement
}

// runAll runs commands concurrently, so that commands that wait for the lock wait at the same time.
func (at place) runAll(t *testing.T, state int, paths []string, more ...string) {
	t.Helper()
	var running sync.WaitGroup
	for _, path := range paths {
		row := matrix[path]
		args := append(strings.Fields(path)[1:], strings.Fields(strings.NewReplacer(at.words...).Replace(row.args))...)
		args = append(args, more...)
		run := func() {
			out, got := runSvc(t, args...)
			if got != row.want[state] {
				t.Errorf("svc %s: got exit code %d, want %d\n%s", strings.Join(args, " "), got, row.want[state], out)
			}
		}
		if state == silentLock {
			running.Go(run)
		} else {
			run()
		}
	}
	running.Wait()
}

// eachCommand calls fn with c and all its subcommands.
func eachCommand(c *cobra.Command, fn func(*cobra.Command)) {
	fn(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, fn)
	}
}

// svcCommand returns a command that runs svc without the environment variables of the test process.
func svcCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), "svc", args...)
	c.Env = []string{"GORACE=atexit_sleep_ms=10"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		c.Env = append(c.Env, name+"="+os.Getenv(name))
	}
	return c
}

// runSvc runs a command and returns its combined output and its exit code.
func runSvc(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	text, err := svcCommand(t, args...).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(text), failed.ExitCode()
	}
	if err != nil {
		t.Error(err)
	}
	return string(text), exitOK
}

func makeNothing(t *testing.T) place {
	t.Helper()
	return place{dir: filepath.Join(t.TempDir(), "none")}
}

// makeRunning starts a server that runs until the end of the test, and creates two keys.
func makeRunning(t *testing.T) place {
	t.Helper()
	at, stop := startServer(t)
	t.Cleanup(func() { stop(os.Interrupt) })
	return at
}

func makeStopped(t *testing.T) place {
	t.Helper()
	at, stop := startServer(t)
	stop(os.Interrupt)
	return at
}

func makeKilled(t *testing.T) place {
	t.Helper()
	at, stop := startServer(t)
	stop(os.Kill)
	if _, err := os.Stat(filepath.Join(at.dir, datadir.Socket)); err != nil {
		t.Fatalf("a killed server leaves its socket: %v", err)
	}
	return at
}

func makeSilent(t *testing.T) place {
	t.Helper()
	at := makeStopped(t)
	lock, err := control.Acquire(at.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	})
	return at
}

func makeForeign(t *testing.T) place {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs a folder of another user, which only root can make: run this as root, such as in a container")
	}
	at := makeStopped(t)
	err := filepath.WalkDir(at.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65532, 65532))
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// startServer starts a server on a new data directory and creates two keys.
func startServer(t *testing.T) (at place, stop func(os.Signal)) {
	t.Helper()
	at.dir = filepath.Join(t.TempDir(), "data")
	c := svcCommand(t, "serve", "--listen", "127.0.0.1:0", "--data", at.dir)
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	for line := ""; !strings.Contains(line, `"msg":"listening"`); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("the server did not start: %v", err)
		}
	}
	drained := make(chan struct{})
	go func() {
		_, _ = lines.WriteTo(io.Discard)
		close(drained)
	}()
	for _, name := range []string{"REVOKE", "ROTATE"} {
		out, code := runSvc(t, "apikey", "create", "--json", "--name", name, "--data", at.dir)
		var key struct{ ID string }
		if err := json.Unmarshal([]byte(out), &key); err != nil || code != 0 {
			t.Fatalf("key not made: %v, exit code %d: %s", err, code, out)
		}
		at.words = append(at.words, name, key.ID)
	}
	return at, func(s os.Signal) {
		_ = c.Process.Signal(s)
		<-drained
		_ = c.Wait() // the signal has ended the process, which is an error
	}
}

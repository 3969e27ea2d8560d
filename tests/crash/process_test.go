package crash

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/cmd"
)

// asProgram is an environment variable that makes the test binary run svc. Such a server ends when
// its standard input is closed, so that it does not outlive a killed test.
const (
	asProgram = "SVC_CRASH_PROGRAM"
	aServer   = "server"
	aCommand  = "command"
)

// password is the administrator's password on all servers.
const password = "correct horse battery"

// patience limits how long a test waits for an expected event.
const patience = time.Minute

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case aServer:
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
		fallthrough
	case aCommand:
		os.Exit(cmd.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, nil))
	}
	_ = os.Unsetenv("GOGC") // GOGC was set for the tests, and must not affect the servers
	os.Exit(m.Run())
}

// program returns a command that runs svc as a process.
func program(as string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"="+as, "ADMIN_PASSWORD="+password, "JWT_EXPIRES_IN=30d",
		"SVC_PUBLIC_RATE_LIMIT=0", "SVC_DEDUP_WINDOW_SECONDS=0", "SVC_EVENT_BATCH_MAX=5000", "SVC_HEALTH_BUCKET_SECONDS=1",
		"SVC_LOG_LEVEL=warn", "SVC_LOG_FORMAT=json", "GORACE=atexit_sleep_ms=0")
	return c
}

// process is a server process.
type process struct {
	command *exec.Cmd
	address chan string   // receives the URL when the server responds
	exited  chan struct{} // closed when the process has ended and its log is complete
	killed  atomic.Bool   // the process is expected to end
	lines   strings.Builder
}

// start starts a server on a data directory and appends its output to a log file. before is an
// optional command that starts the server.
func start(t *testing.T, data, log string, before ...string) *process {
	t.Helper()
	c := program(aServer, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if len(before) > 0 {
		through, err := exec.LookPath(before[0])
		check(t, err)
		c.Path, c.Args = through, append(before, c.Args...)
	}
	return launch(t, c, log)
}

// launch starts the given command, which must run a server, and appends its output to a log file.
func launch(t *testing.T, c *exec.Cmd, log string) *process {
	t.Helper()
	p := &process{command: c, address: make(chan string, 1), exited: make(chan struct{})}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(t, err)
	out, err := p.command.StderrPipe()
	check(t, err)
	_, err = p.command.StdinPipe()
	check(t, err)
	check(t, p.command.Start())
	go p.follow(out, file)
	t.Cleanup(p.kill)
	return p
}

// follow copies the log until the process closes it.
func (p *process) follow(out io.Reader, file *os.File) {
	defer close(p.exited)
	defer file.Close()
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		_, _ = file.WriteString(line)
		p.lines.WriteString(line)
		var said struct{ Msg, URL string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "listening" {
			p.address <- said.URL
		}
		if err != nil {
			break
		}
	}
	_ = p.command.Wait()
}

// ready waits until the server responds and returns its URL.
func (p *process) ready() (url string, err error) {
	select {
	case url := <-p.address:
		return url, nil
	case <-p.exited:
		return "", fmt.Errorf("the server ended while it started: %s\n%s", p.command.ProcessState, &p.lines)
	case <-time.After(patience):
		return "", fmt.Errorf("the server does not answer after %s", patience)
	}
}

// kill kills the process immediately.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.command.Process.Kill()
	<-p.exited
}

// end kills a process. If the process has already ended, it does nothing, and surprise returns an
// error.
func (p *process) end() {
	select {
	case <-p.exited: // surprise reports this
	default:
		p.kill()
	}
}

// stop asks the server to stop. If it is still running after the given time, stop kills it.
func (p *process) stop(wait time.Duration) error {
	p.killed.Store(true)
	if runtime.GOOS == "windows" { // Windows has no signal for this
		p.kill()
		return nil
	}
	_ = p.command.Process.Signal(os.Interrupt)
	select {
	case <-p.exited:
		if code := p.command.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("the server stopped with exit code %d\n%s", code, &p.lines)
		}
	case <-time.After(wait):
		p.kill()
	}
	return nil
}

// surprise returns an error if the process ended unexpectedly or no longer responds.
func (p *process) surprise() error {
	if p.killed.Load() {
		return nil
	}
	select {
	case <-p.exited:
		return fmt.Errorf("the server ended by itself: %s\n%s", p.command.ProcessState, &p.lines)
	case <-time.After(patience):
		return errors.New("the server takes no requests any more")
	}
}

// keepOnFailure returns a directory. If the test fails, the directory is retained and its name is
// logged.
func keepOnFailure(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-crash-") //nolint:usetesting // kept if the test fails
	check(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("data directory and log are kept in %s", dir)
			return
		}
		check(t, os.RemoveAll(dir))
	})
	return filepath.Clean(dir)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"svc/internal/testutil"
)

// giveUp is the maximum time that a script waits for an expected result.
const giveUp = time.Minute

// TestMain runs svc instead of the tests if the test binary is started as svc. The scripts thus run
// the real program.
func TestMain(m *testing.M) {
	// Without this, the ACME test server sleeps for random times.
	_ = os.Setenv("PEBBLE_VA_NOSLEEP", "1")
	_ = os.Unsetenv("GOGC") // GOGC is set for the test process only, not for the programs it starts
	testscript.Main(m, map[string]func(){"svc": func() {
		os.Exit(Main(os.Args, os.Stdin, os.Stdout, os.Stderr, []byte("openapi: 3.1.0\n")))
	}})
}

// scripts returns the paths of all scripts.
func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d scripts: %v", len(files), err)
	}
	return files
}

// inDetail lists the scripts that run under the race detector. In these scripts, background work
// runs concurrently with requests. The other scripts start the same code in the same processes.
var inDetail = []string{"backup_schedule.txtar", "compact.txtar", "files.txtar", "moving.txtar", "reload.txtar", "running.txtar", "two_processes.txtar"}

func TestScripts(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	runScripts(t, slices.DeleteFunc(scripts(t), isInDetail))
}

func TestScriptsInDetail(t *testing.T) {
	t.Parallel()
	runScripts(t, slices.DeleteFunc(scripts(t), func(file string) bool { return !isInDetail(file) }))
}

func isInDetail(file string) bool { return slices.Contains(inDetail, filepath.Base(file)) }

func runScripts(t *testing.T, files []string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			// Without this, the race detector delays the exit of each process by a second.
			e.Setenv("GORACE", "atexit_sleep_ms=10")
			e.Values[stageKey{}] = &stage{map[string]*server{}, map[string]stalled{}}
			return nil
		},
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"start":   start,
			"sends":   sends,
			"logged":  logged,
			"awaits":  awaits,
			"ended":   ended,
			"get":     get,
			"stall":   stall,
			"unstall": unstall,
			"silent":  silent,
			"mode":    mode,
			"damage":  damage,
			"falsify": falsify,
			"empty":   empty,
			"flip":    flip,
			"newer":   newer,
			"aged":    aged,
			"ask":     ask,
			"tmpfs":   tmpfs,

			"line":     line,
			"fileid":   fileID,
			"keyid":    keyID,
			"token":    token,
			"password": password,
			"login":    login,
			"give":     give,
			"post":     post,
			"zipped":   zipped,

			"metricsurl": metricsURL,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "mount":
				return canMount(t), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// exits implements the script command "exits N COMMAND…". It runs the given command and compares
// its exit code with N.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s: got exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// server is an "svc serve" process that a script runs in the background.
type server struct {
	command *exec.Cmd
	exited  chan struct{}

	mu   sync.Mutex // guards the fields below
	log  bytes.Buffer
	more chan struct{} // closed and replaced when the log has grown
}

func newServer(command *exec.Cmd) *server {
	return &server{command: command, exited: make(chan struct{}), more: make(chan struct{})}
}

// start implements the script command "start [-tty|-standby] NAME FLAGS…". It starts a server, or a standby, on a free
// port, waits until the server logs its address, and sets $NAME_URL to that address. When the
// server has ended, its log is written to NAME.log.
func start(ts *testscript.TestScript, _ bool, args []string) {
	tty, subcommand := args[0] == "-tty", "serve"
	if args[0] == "-standby" {
		subcommand = "standby"
	}
	if strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	path, err := exec.LookPath("svc")
	ts.Check(err)
	s := newServer(exec.Command(path, append([]string{subcommand, "--listen", "127.0.0.1:0"}, args[1:]...)...))
	s.command.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "ADMIN_PASSWORD", "ADMIN_PASSWORD_FILE", "JWT_SECRET", "API_KEY_SALT", "JWT_EXPIRES_IN", "BOOTSTRAP_SECRET_DIR", "GORACE", "SystemRoot"} {
		s.command.Env = append(s.command.Env, name+"="+ts.Getenv(name))
	}
	var out, other *os.File
	if tty {
		out, other, err = openPTY()
	} else {
		out, other, err = os.Pipe()
	}
	ts.Check(err)
	s.command.Stderr = other
	ts.Check(s.command.Start())
	ts.Check(other.Close())
	ts.Defer(func() {
		_ = s.command.Process.Kill()
		<-s.exited
	})
	go s.follow(out)
	line := s.wait(ts, regexp.MustCompile(`http://[0-9.:]+`))
	ts.Setenv(args[0]+"_URL", line)
	ts.Setenv(args[0]+"_ADDRESS", strings.TrimPrefix(line, "http://"))
	ts.Setenv(args[0]+"_PID", strconv.Itoa(s.command.Process.Pid))
	onStage(ts).servers[args[0]] = s
}

// stage holds the running servers and stalled requests of one script.
type stage struct {
	servers map[string]*server
	stalled map[string]stalled
}

// stalled is a request with an incomplete body. The server is waiting for the remainder.
type stalled struct {
	net.Conn
	answer *bufio.Reader
}

type stageKey struct{}

func onStage(ts *testscript.TestScript) *stage { return ts.Value(stageKey{}).(*stage) }

func find(ts *testscript.TestScript, name string) *server {
	s := onStage(ts).servers[name]
	if s == nil {
		ts.Fatalf("no server %s", name)
	}
	return s
}

// follow reads the log until the process has closed it, then stores the exit code.
func (s *server) follow(out *os.File) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadString('\n')
		s.mu.Lock()
		s.log.WriteString(line)
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			break
		}
	}
	_ = out.Close()
	_ = s.command.Wait()
	close(s.exited)
}

// fataler contains the methods that tests and scripts have in common.
type fataler interface {
	Fatalf(format string, args ...any)
}

// wait waits until the log matches a pattern and returns the match.
func (s *server) wait(ts fataler, pattern *regexp.Regexp) string {
	late := time.After(giveUp)
	for {
		s.mu.Lock()
		found, text, more := pattern.Find(s.log.Bytes()), s.log.String(), s.more
		found = bytes.Clone(found)
		s.mu.Unlock()
		if found != nil {
			return string(found)
		}
		select {
		case <-more:
		case <-s.exited:
			ts.Fatalf("server ended without %s in its log:\n%s", pattern, text)
		case <-late:
			ts.Fatalf("no %s in the log after %s:\n%s", pattern, giveUp, text)
		}
	}
}

// sends implements the script command "sends NAME SIGNAL". It sends a signal to a server.
func sends(ts *testscript.TestScript, _ bool, args []string) {
	sig, ok := signals[args[1]]
	if !ok {
		ts.Fatalf("no signal %s here", args[1])
	}
	ts.Check(find(ts, args[0]).command.Process.Signal(sig))
}

// logged implements the script command "logged NAME PATTERN". It waits until the log of a server
// matches a pattern.
func logged(ts *testscript.TestScript, neg bool, args []string) {
	s, pattern := find(ts, args[0]), regexp.MustCompile(args[1])
	if !neg {
		s.wait(ts, pattern)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if pattern.Match(s.log.Bytes()) {
		ts.Fatalf("%s is in the log:\n%s", pattern, s.log.String())
	}
}

// awaits implements the script command "awaits PATTERN COMMAND…". It runs the given command until its output
// matches a pattern.
func awaits(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[0])
	for end := time.Now().Add(giveUp); ; time.Sleep(20 * time.Millisecond) { //nolint:forbidigo // polls another process
		ts.Check(ts.Exec(args[1], args[2:]...))
		out := ts.ReadFile("stdout")
		if pattern.MatchString(out) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s: the output does not match %s after %s:\n%s", strings.Join(args[1:], " "), pattern, giveUp, out)
		}
	}
}

// ended implements the script command "ended NAME CODE". It waits until a server has ended,
// compares its exit code, and writes its log to NAME.log.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	s := find(ts, args[0])
	select {
	case <-s.exited:
	case <-time.After(giveUp):
		ts.Fatalf("server %s still runs after %s", args[0], giveUp)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".log"), s.log.Bytes(), 0o600))
	if got := strconv.Itoa(s.command.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("server %s: got exit code %s, want %s; log:\n%s", args[0], got, args[1], s.log.String())
	}
}

// exchange makes a request with the API key $TOKEN and returns the status and the body of the
// response.
func exchange(ts *testscript.TestScript, method, address string, content io.Reader) (status string, body []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), giveUp)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", ts.Getenv("TOKEN"))
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	body, err = io.ReadAll(response.Body)
	ts.Check(errors.Join(err, response.Body.Close()))
	return strconv.Itoa(response.StatusCode), body
}

// get implements the script command "get STATUS URL". It makes a request over TCP, with the API key
// $TOKEN if that is set, prints the body and compares the status.
func get(ts *testscript.TestScript, _ bool, args []string) {
	status, body := exchange(ts, http.MethodGet, args[1], nil)
	_, err := ts.Stdout().Write(body)
	ts.Check(err)
	if status != args[0] {
		ts.Fatalf("%s: got status %s, want %s", args[1], status, args[0])
	}
}

// stall implements the script command "stall NAME". It begins a request without sending the body,
// and returns when the server is waiting for the body.
func stall(ts *testscript.TestScript, _ bool, args []string) {
	c, err := net.DialTimeout("tcp", ts.Getenv(args[0]+"_ADDRESS"), giveUp)
	ts.Check(err)
	ts.Defer(func() { _ = c.Close() })
	ts.Check(c.SetDeadline(time.Now().Add(giveUp)))
	_, err = io.WriteString(c, "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
	ts.Check(err)
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	ts.Check(err)
	ts.Check(response.Body.Close()) // the response 100 Continue has no body
	if response.StatusCode != http.StatusContinue {
		ts.Fatalf("got %s, want that the server goes on to the body", response.Status)
	}
	onStage(ts).stalled[args[0]] = stalled{c, r}
}

// silent implements the script command "silent NAME". It opens a connection to a server and sends
// nothing.
func silent(ts *testscript.TestScript, _ bool, args []string) {
	c, err := net.DialTimeout("tcp", ts.Getenv(args[0]+"_ADDRESS"), giveUp)
	ts.Check(err)
	ts.Defer(func() { _ = c.Close() })
}

// unstall implements the script command "unstall NAME STATUS". It sends the body of a stalled
// request and compares the status of the response.
func unstall(ts *testscript.TestScript, _ bool, args []string) {
	c := onStage(ts).stalled[args[0]]
	_, err := io.WriteString(c, "{}")
	ts.Check(err)
	response, err := http.ReadResponse(c.answer, nil)
	ts.Check(err)
	_ = response.Body.Close()
	if got := strconv.Itoa(response.StatusCode); got != args[1] {
		ts.Fatalf("got status %s, want %s", got, args[1])
	}
}

// mode implements the script command "mode MODE FILE…". It compares the permissions of each file
// with MODE.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s: got mode %s, want %s", name, got, args[0])
		}
	}
}

// keyID implements the script command "keyID DATA NAME". It sets $KEY to the id of the API key with
// the given name.
func keyID(ts *testscript.TestScript, _ bool, args []string) {
	out, err := exec.Command("svc", "apikey", "list", "--json", "--data", ts.MkAbs(args[0])).Output()
	ts.Check(err)
	var list struct {
		Data []struct{ ID, Name string }
	}
	ts.Check(json.Unmarshal(out, &list))
	for _, key := range list.Data {
		if key.Name == args[1] {
			ts.Setenv("KEY", key.ID)
			return
		}
	}
	ts.Fatalf("no key %s in %s", args[1], out)
}

// token implements the script command "token". It sets $TOKEN to the last standard output, which
// must be an API key.
func token(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("TOKEN", strings.TrimSpace(ts.ReadFile("stdout")))
}

// line implements the script command "line NAME N". It sets $NAME to line N of the last standard
// output.
func line(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := strings.Split(ts.ReadFile("stdout"), "\n")
	if n < 1 || n >= len(lines) {
		ts.Fatalf("there is no line %d in %q", n, lines)
	}
	ts.Setenv(args[0], lines[n-1])
}

// fileID implements the script command "fileID". It sets $FILE to the id of the only file in the
// last standard output.
func fileID(ts *testscript.TestScript, _ bool, _ []string) {
	var list []struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	if len(list) != 1 {
		ts.Fatalf("there are %d files, want one", len(list))
	}
	ts.Setenv("FILE", list[0].ID)
}

// password implements the script command "password FILE". It sets $PASSWORD to the first password
// in the file.
func password(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(`password: +(\S+)`).FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("no password in %s", args[0])
	}
	ts.Setenv("PASSWORD", found[1])
}

// login implements the script command "login URL PASSWORD STATUS". It logs in over TCP and compares
// the status.
func login(ts *testscript.TestScript, _ bool, args []string) {
	body, err := json.Marshal(map[string]string{"username": "admin", "password": args[1]})
	ts.Check(err)
	if status, answer := exchange(ts, http.MethodPost, args[0]+"/api/v1/auth/login", bytes.NewReader(body)); status != args[2] {
		ts.Fatalf("login: got status %s, want %s: %s", status, args[2], answer)
	}
}

// metricsURL implements the script command "metricsURL DATA NAME". It sets $NAME_METRICS to the
// address of a server's metrics.
func metricsURL(ts *testscript.TestScript, _ bool, args []string) {
	out, err := exec.Command("svc", "status", "--json", "--data", ts.MkAbs(args[0])).Output()
	ts.Check(err)
	ts.Setenv(args[1]+"_METRICS", regexp.MustCompile(`http://[^" ]+/metrics`).FindString(string(out)))
}

// give implements the script command "give FOLDER". It makes another user the owner of a folder,
// which requires root.
func give(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.Chown(ts.MkAbs(args[0]), 65532, 65532))
}

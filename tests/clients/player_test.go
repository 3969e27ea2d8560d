//go:build unix

package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asked is the environment variable that enables the tests that run the libraries. The gate sets it
// in its step "clients".
const asked = "SVC_CLIENTS"

// patience limits how long a test waits for an expected event.
const patience = time.Minute

// clientsDir is the folder of the libraries.
var clientsDir = func() string {
	dir, err := filepath.Abs("../../clients")
	if err != nil {
		panic(err)
	}
	return dir
}()

// languages lists the libraries, and the programs that each library's player needs.
var languages = []struct {
	name  string
	needs []string
}{
	{"go", []string{"go"}},
	{"python", []string{"python3"}},
	{"typescript", []string{"node", "npm"}},
	{"browser", []string{"node", "npm", "chromium"}},
	{"rust", []string{"cargo"}},
}

// eachLanguage runs a test concurrently for every library with a player that works on this machine.
func eachLanguage(t *testing.T, test func(t *testing.T, language string)) {
	t.Helper()
	if os.Getenv(asked) == "" {
		t.Skipf("runs every client library: make test-clients, or set %s=1", asked)
	}
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if program := lacking(l.needs); program != "" {
				if os.Getenv("SVC_REQUIRE_TOOLS") != "" {
					t.Fatalf("%s is missing, which the library for %s needs", program, l.name)
				}
				t.Skipf("the library for %s needs %s, which is not installed", l.name, program)
			}
			if l.name == "rust" {
				// Linux distributions keep old versions of Rust for years, so an old version is a
				// reason to skip the test, not a failure.
				if old := oldCargo(); old != "" {
					t.Skip(old)
				}
			}
			if err := built(l.name); err != nil {
				t.Fatal(err)
			}
			test(t, l.name)
		})
	}
}

// lacking returns the first program that is not installed, or "".
func lacking(programs []string) string {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}

// oldCargo returns "" if cargo can build the Rust library. Otherwise, it returns a message that
// explains how to get a newer cargo.
var oldCargo = sync.OnceValue(func() string {
	manifest, err := os.ReadFile(filepath.Join(clientsDir, "rust", "Cargo.toml"))
	if err != nil {
		return err.Error()
	}
	out, err := exec.Command("cargo", "--version").Output()
	if err != nil {
		return fmt.Sprintf("cargo --version: %v", err)
	}
	var major, minor, leastMajor, leastMinor int
	_, rest, _ := strings.Cut(string(manifest), "\nrust-version = ")
	if _, err := fmt.Sscanf(rest, `"%d.%d"`, &leastMajor, &leastMinor); err != nil {
		return fmt.Sprintf("Cargo.toml has no rust-version: %v", err)
	}
	if _, err := fmt.Sscanf(string(out), "cargo %d.%d", &major, &minor); err != nil {
		return fmt.Sprintf("cargo --version says %q: %v", out, err)
	}
	if major > leastMajor || major == leastMajor && minor >= leastMinor {
		return ""
	}
	return fmt.Sprintf("cargo is %d.%d and the library needs Rust %d.%d; a newer one comes with: curl https://sh.rustup.rs -sSf | sh -s -- -y", major, minor, leastMajor, leastMinor)
})

var builds sync.Map // language -> func() error

// built builds the player of a language. It builds each player only once.
func built(language string) error {
	once, _ := builds.LoadOrStore(language, sync.OnceValue(func() error {
		out, err := exec.Command("bash", playerScript(language), "--build").CombinedOutput()
		if err != nil {
			return fmt.Errorf("the player for %s is not built: %w\n%s", language, err, out)
		}
		return nil
	}))
	return once.(func() error)()
}

// playerScript returns the path of the program that starts a player. If SVC_PLAYERS is set, it
// names the folder of these programs, which is for testing the tests.
func playerScript(language string) string {
	if dir := os.Getenv("SVC_PLAYERS"); dir != "" {
		return filepath.Join(dir, language)
	}
	return filepath.Join(clientsDir, language, "player")
}

// player is a process that runs a library and executes the given steps.
type player struct {
	*recorder
	language string
	state    string // folder of the library's state, which survives the process
	command  *exec.Cmd
	exited   chan struct{}
	output   *bytes.Buffer // may be read after exited is closed
}

// play returns a player that has not been started.
func play(t *testing.T, language string, r *recorder) *player {
	t.Helper()
	p := &player{recorder: r, language: language, state: t.TempDir()}
	t.Cleanup(p.kill)
	return p
}

// start starts the process and waits until it is ready.
func (p *player) start() error {
	p.command = exec.Command("bash", playerScript(p.language))
	p.command.Env = append(os.Environ(), "SVC_PLAYER_CONTROL="+p.control.URL+"/control", "TZ=UTC",
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.output = &bytes.Buffer{}
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.command.WaitDelay = 10 * time.Second // its child processes may keep the output open
	if err := p.command.Start(); err != nil {
		return err
	}
	p.exited = make(chan struct{})
	go func(c *exec.Cmd, exited chan struct{}) {
		_ = c.Wait()
		close(exited)
	}(p.command, p.exited)
	ready, err := p.result()
	if err == nil && !strings.Contains(string(ready), `"ready"`) {
		err = fmt.Errorf("the player for %s begins with %s", p.language, ready)
	}
	return err
}

// result waits for the result of a step.
func (p *player) result() (json.RawMessage, error) {
	select {
	case result := <-p.results:
		return result, nil
	case <-p.exited:
		return nil, fmt.Errorf("the player for %s ended: %s\n%s", p.language, p.command.ProcessState, p.output)
	case <-time.After(patience):
		return nil, fmt.Errorf("the player for %s says nothing for %s", p.language, patience)
	}
}

// give sends the next step to the player.
func (p *player) give(step []byte) error {
	select {
	case p.steps <- step:
		return nil
	case <-p.exited:
		return fmt.Errorf("the player for %s ended: %s\n%s", p.language, p.command.ProcessState, p.output)
	case <-time.After(patience):
		return fmt.Errorf("the player for %s does not ask for a step", p.language)
	}
}

// do sends a step and waits for its result.
func (p *player) do(step map[string]any) (result map[string]any, err error) {
	text, err := json.Marshal(step)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(placeholderURL), []byte(p.url))
	text = bytes.ReplaceAll(text, []byte(placeholderState), []byte(p.state))
	if err := p.give(text); err != nil {
		return nil, err
	}
	if step["do"] == "exit" {
		return map[string]any{}, p.again()
	}
	answer, err := p.result()
	if err != nil {
		return nil, err
	}
	return result, json.Unmarshal(answer, &result)
}

// again waits until a player that was ended runs again. That is a new process or, in a browser, the
// reloaded page.
func (p *player) again() error {
	select {
	case <-p.results:
		return nil
	case <-p.exited:
		return p.start()
	case <-time.After(patience):
		return fmt.Errorf("the player for %s does not end", p.language)
	}
}

// finish ends a player after the last step.
func (p *player) finish() error {
	close(p.steps)
	select {
	case <-p.exited:
		if !p.command.ProcessState.Success() {
			return fmt.Errorf("the player for %s ended: %s\n%s", p.language, p.command.ProcessState, p.output)
		}
		return nil
	case <-time.After(patience):
		return errors.New("the player does not end after the last step")
	}
}

// leave ends the process without closing the library's client first.
func (p *player) leave() error {
	if err := p.give([]byte(`{"do":"exit","hard":true}`)); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the player for %s does not end", p.language)
	}
}

// kill kills the process and its child processes.
func (p *player) kill() {
	if p.command == nil || p.command.Process == nil {
		return
	}
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.exited
}

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The versions of these tools are pinned. The go command fetches them.
const (
	golangciLint = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"
	govulncheck  = "golang.org/x/vuln/cmd/govulncheck@v1.8.0"
)

// machine describes the environment in which the steps run.
type machine struct {
	goroot   string
	vulndb   string
	compiler string // path of a C compiler, or "" if there is none
	state    string // folder for data that one run leaves for the next
	all      bool   // run checks even if their inputs have not changed
	record   *record

	build sync.Once
	built struct {
		path   string
		result result
	}
}

// inspect determines the properties of the machine.
func inspect(ctx context.Context, all bool) (*machine, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVULNDB", "CC").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(out), "\n")
	m := &machine{goroot: lines[0], vulndb: cmp.Or(lines[1], "https://vuln.go.dev"), all: all}
	cc, _, _ := strings.Cut(lines[2], " ")
	for _, name := range []string{cc, "gcc", "clang", "cc"} {
		if path, err := exec.LookPath(name); err == nil {
			m.compiler = path
			break
		}
	}
	if m.state = os.Getenv("SVC_GATE_STATE"); m.state == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		m.state = filepath.Join(cache, "svc-gate")
	}
	if err := os.MkdirAll(m.state, 0o700); err != nil {
		return nil, err
	}
	m.record = readRecord(filepath.Join(m.state, "passes.json"))
	return m, nil
}

// program returns the path of the program built from this tree. The program is built once, in the
// same way as for users. The name of its folder contains a hash of the program. Therefore "go test"
// caches the results of tests that read SVC_BINARY until the program changes.
func (m *machine) program(ctx context.Context) (string, result) {
	m.build.Do(func() { m.built.path, m.built.result = m.buildProgram(ctx) })
	return m.built.path, m.built.result
}

func (m *machine) buildProgram(ctx context.Context) (string, result) {
	dir, err := os.MkdirTemp(m.state, "build-")
	if err != nil {
		return "", failure(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := "svc"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	temporary := filepath.Join(dir, name)
	// Leave out the commit, so that a commit that does not change the program yields the same
	// bytes.
	if built := command(ctx, released, "go", "build", "-buildvcs=false", "-o", temporary, "."); built.failed > 0 {
		return "", built
	}
	content, err := os.ReadFile(temporary)
	if err != nil {
		return "", failure(err)
	}
	kept := filepath.Join(m.state, fmt.Sprintf("program-%x", sha256.Sum256(content)))
	if err := m.removeOldPrograms(); err != nil {
		return "", failure(err)
	}
	if err := os.Rename(dir, kept); err != nil { // an earlier run has built the same program
		if _, err := os.Stat(filepath.Join(kept, name)); err != nil {
			return "", failure(err)
		}
	}
	now := time.Now()
	return filepath.Join(kept, name), failure(os.Chtimes(kept, now, now))
}

// removeOldPrograms removes the programs that have not been used for a day.
func (m *machine) removeOldPrograms() error {
	folders, err := filepath.Glob(filepath.Join(m.state, "program-*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if time.Since(info.ModTime()) > 24*time.Hour {
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// failure returns the result of a step that ended with err. If err is nil, the step has not failed.
func failure(err error) result {
	if err == nil {
		return result{}
	}
	return result{failed: 1, output: err.Error() + "\n"}
}

// command runs a command. The result is one pass or one failure.
func command(ctx context.Context, env []string, name string, args ...string) result {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		return result{failed: 1, output: fmt.Sprintf("%s%v: %s\n", out, err, c)}
	}
	return result{passed: 1}
}

// tool runs a tool that the go command fetches. If the tool cannot be fetched, for example without
// internet access, the step is skipped. A first command, with the argument version, only fetches
// and builds the tool, so that a failure of the second one is a failure of the step.
func tool(ctx context.Context, step, pkg, version string, args ...string) result {
	fetch := exec.CommandContext(ctx, "go", "run", pkg, version)
	fetch.Env = append(os.Environ(), released...)
	if out, err := fetch.CombinedOutput(); err != nil {
		return result{skipped: []skip{{step, fmt.Sprintf("%s cannot be fetched: %s", pkg, lastLine(string(out)))}}}
	}
	return command(ctx, released, "go", append([]string{"run", pkg}, args...)...)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// format checks that gofmt would not change any file.
func format(ctx context.Context, m *machine) result {
	out, err := exec.CommandContext(ctx, filepath.Join(m.goroot, "bin", "gofmt"), "-l", ".").CombinedOutput()
	if err != nil || len(out) > 0 {
		return result{failed: 1, output: fmt.Sprintf("not formatted, run gofmt -w on:\n%s", out)}
	}
	return result{passed: 1}
}

// released holds the environment in which a release is compiled. All steps that compile use it, so
// that they share the build cache.
var released = []string{"CGO_ENABLED=0"}

func vet(ctx context.Context, _ *machine) result {
	return command(ctx, released, "go", "vet", "./...")
}

// lint runs the linters configured in .golangci.yml.
func lint(ctx context.Context, _ *machine) result {
	return tool(ctx, "lint", golangciLint, "version", "run", "./...")
}

// vulnerabilities checks for known vulnerabilities. It needs an online database.
func vulnerabilities(ctx context.Context, m *machine) result {
	const step = "vulnerabilities"
	if err := reach(ctx, m.vulndb+"/index/db.json"); err != nil {
		return result{skipped: []skip{{step, fmt.Sprintf("no vulnerability database at %s: %v", m.vulndb, err)}}}
	}
	return tool(ctx, step, govulncheck, "-version", "./...")
}

// reach returns an error if the page at url cannot be fetched within five seconds.
func reach(ctx context.Context, url string) error {
	if strings.HasPrefix(url, "file:") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

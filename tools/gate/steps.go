package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Tools are pinned here and fetched by the go command itself.
const (
	golangciLint = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"
	govulncheck  = "golang.org/x/vuln/cmd/govulncheck@v1.8.0"
)

// machine is what the steps need to know about where they run.
type machine struct {
	goroot   string
	vulndb   string
	compiler string // a C compiler, "" when there is none
}

// inspect finds out what the machine has.
func inspect(ctx context.Context) (*machine, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVULNDB", "CC").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(string(out), "\n")
	m := &machine{goroot: lines[0], vulndb: lines[1]}
	if m.vulndb == "" {
		m.vulndb = "https://vuln.go.dev"
	}
	cc, _, _ := strings.Cut(lines[2], " ")
	for _, name := range []string{cc, "gcc", "clang", "cc"} {
		if path, err := exec.LookPath(name); err == nil {
			m.compiler = path
			break
		}
	}
	return m, nil
}

// command runs a command that passes or fails as a whole.
func command(ctx context.Context, env []string, name string, args ...string) result {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		return result{failed: 1, output: fmt.Sprintf("%s%v: %s\n", out, err, c)}
	}
	return result{passed: 1}
}

// tool runs a tool that the go command fetches first, and links once: the build cache
// keeps it. Without it, as on a machine without internet, the step is skipped.
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

// format expects every file as gofmt leaves it.
func format(ctx context.Context, m *machine) result {
	out, err := exec.CommandContext(ctx, filepath.Join(m.goroot, "bin", "gofmt"), "-l", ".").CombinedOutput()
	if err != nil || len(out) > 0 {
		return result{failed: 1, output: fmt.Sprintf("not formatted, run gofmt -w on:\n%s", out)}
	}
	return result{passed: 1}
}

// released is how a release is compiled. Steps that compile do it the same way, so that
// they share what the build cache has.
var released = []string{"CGO_ENABLED=0"}

func vet(ctx context.Context, _ *machine) result {
	return command(ctx, released, "go", "vet", "./...")
}

// lint runs what .golangci.yml says.
func lint(ctx context.Context, _ *machine) result {
	return tool(ctx, "lint", golangciLint, "version", "run", "./...")
}

// vulnerabilities needs a database that is not on this machine.
func vulnerabilities(ctx context.Context, m *machine) result {
	const step = "vulnerabilities"
	if err := reach(ctx, m.vulndb+"/index/db.json"); err != nil {
		return result{skipped: []skip{{step, fmt.Sprintf("no vulnerability database at %s: %v", m.vulndb, err)}}}
	}
	return tool(ctx, step, govulncheck, "-version", "./...")
}

// reach reports why a page cannot be fetched within five seconds.
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

// Package server runs svc for measurements as it runs in production. The program is built
// like a release, "svc serve" runs in a process of its own with default settings, and all
// requests are made over HTTP or by the command line. Only the rate limit is off, because
// all requests come from one address.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Program is an executable of svc.
type Program struct{ Path string }

// Find returns the program at the path in the environment variable SVC_BINARY. If the
// variable is not set, Find builds the program in the directory dir. The working
// directory must be in the module.
func Find(ctx context.Context, dir string) (Program, error) {
	if path := os.Getenv("SVC_BINARY"); path != "" {
		return Program{Path: path}, nil
	}
	return build(ctx, dir, "svc")
}

const (
	// indexer is the beginning of the source of the function that BuildWithoutIndex
	// replaces. That function keeps the search index up to date.
	indexerPackage = "svc/search"
	indexerFile    = "indexer.go"
	indexer        = "func (x *Index) Run(ctx context.Context) {\n"
)

// BuildWithoutIndex builds a program that never updates its search index and is otherwise
// identical. There is no setting for that, so it replaces one function during the build.
func BuildWithoutIndex(ctx context.Context, dir string) (Program, error) {
	folder, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", indexerPackage).Output()
	if err != nil {
		return Program{}, fmt.Errorf("go list %s: %w", indexerPackage, err)
	}
	original := filepath.Join(strings.TrimSpace(string(folder)), indexerFile)
	source, err := os.ReadFile(original)
	if err != nil {
		return Program{}, err
	}
	if strings.Count(string(source), indexer) != 1 {
		return Program{}, fmt.Errorf("%s has no %q", original, strings.TrimSpace(indexer))
	}
	changed := strings.Replace(string(source), indexer, indexer+"\t<-ctx.Done()\n\treturn\n", 1)
	path := filepath.Join(dir, indexerFile)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		return Program{}, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: path}})
	if err != nil {
		return Program{}, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return Program{}, err
	}
	return build(ctx, dir, "svc-without-index", "-overlay", list)
}

func build(ctx context.Context, dir, name string, flags ...string) (Program, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	p := Program{Path: filepath.Join(dir, name)}
	args := append([]string{"build", "-ldflags", "-s -w", "-o", p.Path}, flags...)
	c := exec.CommandContext(ctx, "go", append(args, "svc")...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		return Program{}, fmt.Errorf("go build: %w: %s", err, text)
	}
	return p, nil
}

// Size returns the size of the executable in bytes.
func (p Program) Size() (int64, error) {
	info, err := os.Stat(p.Path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Command returns a command that runs the program. The command does not inherit settings
// of svc from the environment.
func (p Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.Path, args...)
	c.Env = []string{}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case strings.HasPrefix(name, "SVC_"), strings.HasPrefix(name, "JWT_"), name == "ADMIN_PASSWORD", name == "API_KEY_SALT", name == "PORT",
			name == "BOOTSTRAP_SECRET_DIR", name == "GOGC":
		default:
			c.Env = append(c.Env, variable)
		}
	}
	return c
}

// Run runs the program with the given arguments and returns what it has written to its
// output.
func (p Program) Run(ctx context.Context, args ...string) (string, error) {
	out, err := p.Command(ctx, args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("svc %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

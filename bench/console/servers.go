package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	user     = "bench@example.org" // account of PocketBase
	password = "correct horse battery"
)

// target is a measured server.
type target struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
}

type servers struct {
	targets []target
	running []*exec.Cmd
}

// stop ends the servers.
func (s *servers) stop() (err error) {
	for _, c := range s.running {
		err = errors.Join(err, c.Process.Signal(os.Interrupt))
		_ = c.Wait() // PocketBase reports the interrupt as an error
	}
	return err
}

// run runs a command to completion. If it fails, the error contains its output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// step runs a long step and prints its name and duration.
func (b *bench) step(what string, do func() error) error {
	begin := time.Now()
	err := do()
	_, _ = fmt.Fprintf(os.Stderr, "%s: %.1f s\n", what, time.Since(begin).Seconds())
	return err
}

// servers builds, fills and starts the measured servers.
func (b *bench) servers(ctx context.Context) (s *servers, err error) {
	s = &servers{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if err := b.startSvc(ctx, s); err != nil {
		return nil, err
	}
	if b.pocketbase != "" {
		if err := b.startPocketBase(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (b *bench) startSvc(ctx context.Context, s *servers) error {
	binary, data := filepath.Join(b.dir, "svc"), filepath.Join(b.dir, "svc-data")
	if err := b.step("build svc", func() error {
		return run(ctx, "", []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-o", binary, ".")
	}); err != nil {
		return err
	}
	_, err := os.Stat(data)
	fresh := errors.Is(err, fs.ErrNotExist)
	c, url, err := startAndRead(ctx, []string{"ADMIN_PASSWORD=" + password, "SVC_LOG_FORMAT=json"}, binary, "serve", "--data", data,
		"--listen", "127.0.0.1:0", "--public-rate-limit", "0")
	if err != nil {
		return err
	}
	s.running = append(s.running, c)
	s.targets = append(s.targets, target{"svc", url, "admin", password})
	if !fresh {
		return nil
	}
	var archive string
	if err := b.step("write the archive", func() (err error) {
		archive, err = writeArchive(b.dir, b.rows, b.events)
		return err
	}); err != nil {
		return err
	}
	if err := b.step("fill svc", func() error { return run(ctx, "", nil, binary, "import", "--data", data, archive) }); err != nil {
		return err
	}
	return os.Remove(archive)
}

// startAndRead starts svc and returns the command and the URL of the server.
func startAndRead(ctx context.Context, env []string, name string, args ...string) (c *exec.Cmd, url string, err error) {
	c = exec.CommandContext(ctx, name, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Env = append(os.Environ(), env...)
	out, err := c.StderrPipe()
	if err != nil {
		return nil, "", err
	}
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	lines := bufio.NewScanner(out)
	var said []string
	for lines.Scan() {
		var line struct{ Msg, URL string }
		if said = append(said, lines.Text()); json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			go func() { _, _ = io.Copy(io.Discard, out) }() // read the output until the process ends, so that it never blocks
			return c, line.URL, nil
		}
	}
	return nil, "", fmt.Errorf("svc ended: %w\n%s", c.Wait(), strings.Join(said, "\n"))
}

// startPocketBase builds PocketBase in a separate module, so that this module does not depend on
// it.
func (b *bench) startPocketBase(ctx context.Context, s *servers) error {
	source, data := filepath.Join(b.dir, "pocketbase-source"), filepath.Join(b.dir, "pocketbase-data")
	binary := filepath.Join(b.dir, "pocketbase")
	err := b.step("build PocketBase "+b.pocketbase, func() error {
		text, err := os.ReadFile("bench/console/pocketbase.go.txt")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(source, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(source, "main.go"), text, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(source, "go.mod"), []byte("module pocketbase\n\ngo 1.25.0\n"), 0o644); err != nil {
			return err
		}
		env := []string{"CGO_ENABLED=0", "GOFLAGS=-mod=mod"}
		return errors.Join(
			run(ctx, source, env, "go", "get", "github.com/pocketbase/pocketbase@"+b.pocketbase),
			run(ctx, source, env, "go", "mod", "tidy"),
			run(ctx, source, env, "go", "build", "-trimpath", "-o", binary, "."),
		)
	})
	if err != nil {
		return err
	}
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) {
		if err := b.fillPocketBase(ctx, binary, data); err != nil {
			return err
		}
	}
	var config net.ListenConfig
	free, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, binary, "serve", "--dir", data, "--http", address)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Start(); err != nil {
		return err
	}
	s.running = append(s.running, c)
	s.targets = append(s.targets, target{"pocketbase", "http://" + address, user, password})
	return awaitPort(ctx, address)
}

func (b *bench) fillPocketBase(ctx context.Context, binary, data string) error {
	return b.step("fill PocketBase", func() error {
		if err := run(ctx, "", nil, binary, "superuser", "upsert", user, password, "--dir", data); err != nil {
			return err
		}
		for _, c := range []struct {
			name     string
			n        int
			feedback bool
		}{{"logs", b.rows, false}, {"feedbacks", feedbacks, true}} {
			path := filepath.Join(b.dir, c.name+".jsonl")
			if err := writeLines(path, c.n, c.feedback); err != nil {
				return err
			}
			if err := errors.Join(run(ctx, "", nil, binary, "seed", c.name, path, "--dir", data), os.Remove(path)); err != nil {
				return err
			}
		}
		return nil
	})
}

// awaitPort waits until a port accepts connections.
func awaitPort(ctx context.Context, address string) error {
	var dialer net.Dialer
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for again := time.NewTicker(50 * time.Millisecond); ; {
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			again.Stop()
			return c.Close()
		}
		select {
		case <-ctx.Done():
			again.Stop()
			return err
		case <-again.C:
		}
	}
}

// assetBytes returns the number of bytes that embedded assets add to the program. To determine it,
// it builds the program with empty assets.
func assetBytes(ctx context.Context, dir string) (int64, error) {
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		return 0, err
	}
	replace := map[string]string{}
	for _, folder := range []string{"console/dist", "pages", "reference"} {
		err := filepath.WalkDir(filepath.Join("assets", folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				path, err = filepath.Abs(path)
				replace[path] = empty
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return 0, err
	}
	overlay, bare := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "svc-bare")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return 0, err
	}
	if err := run(ctx, "", []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-overlay", overlay, "-o", bare, "."); err != nil {
		return 0, err
	}
	with, err := os.Stat(filepath.Join(dir, "svc"))
	if err != nil {
		return 0, err
	}
	without, err := os.Stat(bare)
	if err != nil {
		return 0, err
	}
	return with.Size() - without.Size(), nil
}

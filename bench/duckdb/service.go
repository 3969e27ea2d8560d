package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"svc/internal/sample"
)

// service is the program that is measured, run as anybody runs it.
type service struct {
	ctx      context.Context
	program  string // file, made by build
	data     string // folder
	progress io.Writer
}

func (s *service) build() error {
	c := exec.CommandContext(s.ctx, "go", "build", "-o", s.program, ".")
	c.Stderr = s.progress
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// command is a run of the program without variables, which could be settings.
func (s *service) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(s.ctx, s.program, args...)
	c.Env = []string{}
	c.Stderr = s.progress
	return c
}

// fill sends the events of a plan, unless they are there, and returns what each
// takes on disk.
func (s *service) fill(p sample.Plan) (bytesPerEvent float64, err error) {
	c := s.command("bench", "events", "--keep", s.data, "--json", "--rounds", "1", "--connections", strconv.Itoa(connections),
		"--events", strconv.Itoa(p.Count), "--seed", strconv.FormatUint(p.Seed, 10),
		"--users", strconv.Itoa(p.Users), "--names", strconv.Itoa(p.Names), "--days", strconv.Itoa(p.Days))
	raw, err := c.Output()
	if err != nil {
		return 0, fmt.Errorf("svc bench events: %w", err)
	}
	var report struct {
		Bytes float64 `json:"bytes_per_event"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return 0, fmt.Errorf("svc bench events: %w", err)
	}
	return report.Bytes, nil
}

// key makes one that may ask.
func (s *service) key() (string, error) {
	raw, err := s.command("apikey", "create", "--data", s.data, "--name", "compare", "--scope", "events:read", "--expires", "1d").Output()
	if err != nil {
		return "", fmt.Errorf("svc apikey create: %w", err)
	}
	return string(bytes.TrimSpace(raw)), nil
}

// serve starts the server and says in c where it is. The function that it
// returns stops it.
func (s *service) serve(c *comparison) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(s.ctx)
	server := exec.CommandContext(ctx, s.program, "serve", "--data", s.data, "--listen", "127.0.0.1:0", "--log-level", "warn", "--log-format", "json")
	server.Env = []string{}
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	log, err := server.StderrPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := server.Start(); err != nil {
		cancel()
		return nil, err
	}
	stop = func() error {
		cancel()
		if err := server.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("svc serve: %w", err)
		}
		return nil
	}
	lines := bufio.NewScanner(log)
	for c.Base == "" && lines.Scan() {
		var line struct {
			Message string `json:"msg"`
			URL     string `json:"url"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "listening" {
			c.Base = strings.TrimSuffix(line.URL, "/") + "/api/v1/admin/projects/bench/events/"
			continue
		}
		say(s.progress, "%s", lines.Text())
	}
	if c.Base == "" {
		return nil, errors.Join(errors.New("svc serve has not said where it listens"), stop())
	}
	go func() { _, _ = io.Copy(s.progress, log) }() // until it ends
	return stop, nil
}

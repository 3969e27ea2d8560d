package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/datadir"
)

const (
	project = "bench"
	// chunk is the number of events that are generated in advance, so that generating events is not
	// part of the measured time.
	chunk = 200_000
	// patience is the maximum time for a server to start, and for its background work to end. The
	// work is considered ended when nothing has changed for the duration quiet.
	patience = 5 * time.Minute
	quiet    = 5 * time.Second
)

// service is the measured program. It has default settings, except that it has no rate limit and
// accepts events with old times.
type service struct {
	ctx      context.Context
	program  string
	data     string // folder of the data
	log      string // path of the server's log
	progress io.Writer

	url    string
	server *exec.Cmd
	exited chan error
}

// command returns a command that runs the program. It passes no environment variables, because they
// could be settings.
func (s *service) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(s.ctx, s.program, append(args, "--data", s.data)...)
	c.Env = []string{}
	c.Stderr = s.progress
	return c
}

// start starts the server and waits until it listens.
func (s *service) start() error {
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	s.server = s.command("serve", "--listen", "127.0.0.1:0", "--public-rate-limit", "0",
		"--event-clock-skew-seconds", strconv.Itoa(10*365*86400))
	s.server.Stdout, s.server.Stderr = log, log
	s.server.Cancel = func() error { return s.server.Process.Signal(os.Interrupt) }
	if err := s.server.Start(); err != nil {
		return err
	}
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.server.Wait() }()
	err = s.poll("answer", func() (bool, error) {
		state, err := s.status()
		if err != nil || !state.Running || len(state.Server.Addresses) == 0 {
			return false, nil //nolint:nilerr // the server has not created its folder yet
		}
		s.url = state.Server.Addresses[0]
		return state.Server.Ready, nil
	})
	if err != nil {
		return errors.Join(err, s.server.Process.Kill())
	}
	return nil
}

// stop stops the server. The server then writes the data in memory to disk.
func (s *service) stop() error {
	if err := s.server.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := <-s.exited; err != nil {
		return fmt.Errorf("svc serve: %w; see %s", err, s.log)
	}
	return nil
}

// poll calls done repeatedly until it returns true. The text what completes the error message "svc
// serve does not".
func (s *service) poll(what string, done func() (bool, error)) error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case err := <-s.exited:
			return errors.Join(fmt.Errorf("svc serve has ended; see %s", s.log), err)
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return fmt.Errorf("svc serve does not %s within %s; see %s", what, patience, s.log)
}

// status is the output of "svc status".
type status struct {
	Running bool `json:"running"`
	Server  struct {
		Ready     bool     `json:"ready"`
		Addresses []string `json:"addresses"`
		Events    struct {
			Stored int `json:"stored"`
			background
		} `json:"events"`
	} `json:"server"`
	Files []struct {
		Name  string `json:"name"`
		Bytes int64  `json:"bytes"`
	} `json:"files"`
}

// background holds the values that change as long as background work is running.
type background struct {
	HeadEvents int `json:"head_events"`
	Blocks     int `json:"blocks"`
	FileBytes  int `json:"file_bytes"`
	FreeBytes  int `json:"free_bytes"`
}

func (s *service) status() (state status, err error) {
	c := s.command("status", "--json")
	c.Stderr = nil // if nil, Output includes it in its error
	raw, err := c.Output()
	if err != nil {
		return state, fmt.Errorf("svc status: %w", err)
	}
	return state, json.Unmarshal(raw, &state)
}

// key creates an API key with the given scopes.
func (s *service) key(scopes ...string) (string, error) {
	args := []string{"apikey", "create", "--name", "bench", "--expires", "1d"}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	raw, err := s.command(args...).Output()
	if err != nil {
		return "", fmt.Errorf("svc apikey create: %w", err)
	}
	return string(bytes.TrimSpace(raw)), nil
}

// ingestion holds the results of ingestion and the stored size of an event.
type ingestion struct {
	Connections     int     `json:"connections"`
	EventsPerSecond float64 `json:"events_per_second"`
	SlowestChunk    float64 `json:"slowest_chunk"` // events per second in the slowest chunk
	BytesPerEvent   float64 `json:"bytes_per_event"`
	Events          int     `json:"events"`
}

// ingest sends the events of a plan to a new server. If file contains the results of an earlier
// run, ingest returns those instead.
func (s *service) ingest(file string, p workload.Plan, connections int) (in ingestion, err error) {
	if raw, err := os.ReadFile(file); err == nil {
		return in, json.Unmarshal(raw, &in)
	}
	if err := os.RemoveAll(s.data); err != nil {
		return in, err
	}
	in.Connections, in.Events = connections, p.Count
	if err := s.start(); err != nil {
		return in, err
	}
	if err := errors.Join(s.send(p, &in), s.stop()); err != nil {
		return in, err
	}
	if err := s.start(); err != nil {
		return in, err
	}
	if err := errors.Join(s.settle(&in), s.stop()); err != nil {
		return in, err
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return in, err
	}
	return in, os.WriteFile(file, raw, 0o600)
}

// send generates events and sends them.
func (s *service) send(p workload.Plan, in *ingestion) error {
	key, err := s.key("projects:write")
	if err != nil {
		return err
	}
	if err := s.makeProject(key); err != nil {
		return err
	}
	events := workload.New(p)
	var batch workload.Batch
	var took time.Duration
	var rates []float64
	for sent := 0; sent < p.Count; {
		before := sent
		var requests [][]byte
		for sent-before < chunk && events.Next(&batch) {
			requests = append(requests, batch.Request(project))
			sent += len(batch.Events)
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		r, err := loadgen.Target{Name: "svc", Addr: strings.TrimPrefix(s.url, "http://"), Requests: requests}.Send(in.Connections)
		if err != nil {
			return err
		}
		took += r.Took
		rates = append(rates, float64(sent-before)/r.Took.Seconds())
		say(s.progress, "%d of %d events, %.0f a second", sent, p.Count, rates[len(rates)-1])
	}
	in.EventsPerSecond, in.SlowestChunk = float64(p.Count)/took.Seconds(), slices.Min(rates)
	state, err := s.status()
	if err == nil && state.Server.Events.Stored != p.Count {
		err = fmt.Errorf("the server has stored %d of %d events", state.Server.Events.Stored, p.Count)
	}
	return err
}

// makeProject creates a project. Its events are retained for the longest possible time.
func (s *service) makeProject(key string) error {
	body := fmt.Sprintf(`{"project_key":%q,"name":"Bench","event_retention_days":365}`, project)
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url+"/api/v1/admin/projects", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusCreated {
		err = fmt.Errorf("create project: %s: %s", answer.Status, text)
	}
	return err
}

// settle waits until the server has merged its blocks and released the free space in the file. It
// then sets BytesPerEvent to the average size of a stored event.
func (s *service) settle(in *ingestion) error {
	say(s.progress, "waiting for blocks to be merged")
	var last background
	var since time.Time
	if err := s.poll("finish its work in the background", func() (bool, error) {
		state, err := s.status()
		if now := state.Server.Events.background; now != last {
			last, since = now, time.Now()
		}
		return last.HeadEvents == 0 && time.Since(since) >= quiet, err
	}); err != nil {
		return err
	}
	if err := s.command("compact", "--always").Run(); err != nil {
		return fmt.Errorf("svc compact: %w", err)
	}
	state, err := s.status()
	for _, f := range state.Files {
		if f.Name == datadir.Events {
			in.BytesPerEvent = float64(f.Bytes) / float64(in.Events)
		}
	}
	return err
}

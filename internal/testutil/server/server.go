package server

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
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
)

const (
	// startTime limits the time that a server may take to start. startPoll is the interval
	// between two requests to a server that is starting, which is also the precision of
	// Server.Start.
	startTime = 2 * time.Minute
	startPoll = time.Millisecond
)

// Server is a running process of "svc serve" or "svc standby".
type Server struct {
	Process

	Addr string
	Data string
	// Start is the time from the start of the process to its first response.
	Start time.Duration

	program Program
	command *exec.Cmd
	exited  chan error // receives a value when the process has ended
	log     *os.File
	key     string // an API key; "" until Call needs it
	token   string // a login token; "" until CallAsAdministrator needs it
}

// Serve starts a server with a data directory, which it creates if necessary. It returns
// when the server responds. settings are additional flags.
func (p Program) Serve(ctx context.Context, data string, settings ...string) (*Server, error) {
	return p.start(ctx, "serve", data, settings)
}

// Standby is like Serve for a standby that follows the replica at the target from.
func (p Program) Standby(ctx context.Context, data, from string, settings ...string) (*Server, error) {
	return p.start(ctx, "standby", data, append([]string{"--from", from}, settings...))
}

func (p Program) start(ctx context.Context, command, data string, settings []string) (*Server, error) {
	args := append([]string{command, "--data", data, "--listen", "127.0.0.1:0", "--public-rate-limit", "0"}, settings...)
	s := &Server{Data: data, program: p, command: p.Command(ctx, args...), exited: make(chan error, 1)}
	var err error
	if s.log, err = os.OpenFile(data+".log", os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	s.command.Stdout, s.command.Stderr = s.log, s.log
	begin := time.Now()
	if err := s.command.Start(); err != nil {
		return nil, errors.Join(err, s.log.Close())
	}
	s.Process = Process(s.command.Process.Pid)
	go func() { s.exited <- s.command.Wait() }()
	limited, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = s.Await(limited, startPoll, func() (bool, error) {
		if s.Addr == "" {
			return false, s.findAddr()
		}
		return s.answers(), nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("svc %s: %w", command, err), s.Kill())
	}
	s.Start = time.Since(begin)
	return s, nil
}

// Await calls the function done until it returns true or an error. The parameter every is the
// interval between the calls. If the server ends first, Await returns an error that contains the
// end of the server's log.
func (s *Server) Await(ctx context.Context, every time.Duration, done func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case err := <-s.exited:
			s.exited <- err
			return fmt.Errorf("it has ended: %s", s.lastLines())
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// lastLines returns the end of the server's log.
func (s *Server) lastLines() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	const most = 1000
	text = bytes.TrimSpace(text)
	return string(text[max(0, len(text)-most):])
}

// findAddr finds the address of the server in its log.
func (s *Server) findAddr() error {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var entry struct {
			Message string `json:"msg"`
			URL     string `json:"url"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Message == "listening" {
			s.Addr = strings.TrimSuffix(strings.TrimPrefix(entry.URL, "http://"), "/")
		}
	}
	return nil
}

func (s *Server) answers() bool {
	answer, err := http.Get("http://" + s.Addr + "/healthz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // the body is not used
	return answer.StatusCode == http.StatusOK
}

// Stop interrupts the server and waits until it has ended. On Windows, where a process
// cannot be interrupted, it kills the server.
func (s *Server) Stop() error {
	if s.command.Process.Signal(os.Interrupt) != nil {
		return s.Kill()
	}
	err := <-s.exited
	if err != nil {
		err = fmt.Errorf("svc: %w: %s", err, s.lastLines())
	}
	return errors.Join(err, s.log.Close())
}

// Discard stops the server and removes its data directory.
func (s *Server) Discard() error {
	return errors.Join(s.Stop(), os.RemoveAll(s.Data), os.Remove(s.log.Name()))
}

// Kill kills the server.
func (s *Server) Kill() error {
	_ = s.command.Process.Kill() // fails if the process has already ended
	_, err := fmt.Fprintln(s.log, <-s.exited)
	return errors.Join(err, s.log.Close())
}

// Key returns an API key with all scopes. The first call creates it.
func (s *Server) Key(ctx context.Context) (string, error) {
	if s.key != "" {
		return s.key, nil
	}
	args := []string{"apikey", "create", "--data", s.Data, "--name", "bench"}
	for _, of := range []string{"projects", "versions", "announcements", "events", "feedbacks", "logs", "files"} {
		args = append(args, "--scope", of+":read", "--scope", of+":write")
	}
	key, err := s.program.Run(ctx, args...)
	if err != nil {
		return "", err
	}
	s.key = key
	return key, nil
}

// Call makes a request with an API key. path is relative to /api/v1. Unless the parameter into is
// nil, Call decodes the response into it.
func (s *Server) Call(ctx context.Context, method, path string, body, into any) error {
	key, err := s.Key(ctx)
	if err != nil {
		return err
	}
	return s.call(ctx, "X-Api-Key", key, method, path, body, into)
}

// CallAsAdministrator is like Call, for requests that need a login. The first call logs
// in with the initial password.
func (s *Server) CallAsAdministrator(ctx context.Context, method, path string, body, into any) error {
	if s.token == "" {
		text, err := os.ReadFile(filepath.Join(s.Data, datadir.Bootstrap))
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(string(text), "password:")
		password, _, _ := strings.Cut(rest, "\n")
		login := map[string]string{"username": "admin", "password": strings.TrimSpace(password)}
		var answer struct {
			Token string `json:"access_token"`
		}
		if err := s.call(ctx, "Accept", "application/json", http.MethodPost, "/auth/login", login, &answer); err != nil {
			return err
		}
		s.token = answer.Token
	}
	return s.call(ctx, "Authorization", "Bearer "+s.token, method, path, body, into)
}

// call makes a request with the given additional header.
func (s *Server) call(ctx context.Context, header, value, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set(header, value)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// CreateProject creates a project that keeps its events for a year.
func (s *Server) CreateProject(ctx context.Context, key string) error {
	return s.Call(ctx, http.MethodPost, "/admin/projects", map[string]any{"project_key": key, "name": "Bench", "event_retention_days": 365},
		nil)
}

// Metric returns the value of a metric that has no labels. It requests the metrics over
// the control socket.
func (s *Server) Metric(ctx context.Context, name string) (float64, error) {
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, control.BaseURL+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	// read the whole response, because the server logs an error if the connection is closed
	// early
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("the server has no metric %s", name)
}

// AwaitIndex waits until the search index is up to date, and returns the time for which
// it has waited.
func (s *Server) AwaitIndex(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	err := s.Await(ctx, 20*time.Millisecond, func() (bool, error) {
		lag, err := s.Metric(ctx, "svc_search_lag_changes")
		if err != nil {
			return false, err
		}
		ready, err := s.Metric(ctx, "svc_search_ready")
		return lag == 0 && ready == 1, err
	})
	return time.Since(begin), err
}

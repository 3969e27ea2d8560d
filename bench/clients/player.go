package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience is the maximum duration of a step in a player.
const patience = 2 * time.Minute

// figures holds latencies in microseconds.
type figures struct {
	P50 float64 `json:"p50_us"`
	P99 float64 `json:"p99_us"`
}

// player is a process that uses a library and executes steps, as in tests/clients. It includes the
// server that sends these steps and responds to the library's requests.
type player struct {
	server  *httptest.Server
	state   string
	command *exec.Cmd
	exited  chan struct{}
	output  bytes.Buffer // may be read after the player has exited
	results chan []byte
	steps   chan []byte
	blocked atomic.Pointer[chan struct{}] // while this is set, requests with events wait until the channel is closed
}

func startPlayer(ctx context.Context, language string) (*player, error) {
	script := filepath.Join("clients", language, "player")
	build := exec.CommandContext(ctx, "bash", script, "--build")
	build.Env = append(os.Environ(), "CARGO_PROFILE_DEV_OPT_LEVEL=1") // optimize libraries as in an app
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s --build: %w: %s", script, err, out)
	}
	state, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return nil, err
	}
	p := &player{state: state, results: make(chan []byte), steps: make(chan []byte), exited: make(chan struct{})}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	p.command = exec.CommandContext(ctx, "bash", script)
	p.command.Env = append(os.Environ(), "SVC_PLAYER_CONTROL="+p.server.URL+"/control", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	p.command.Stdout, p.command.Stderr = &p.output, &p.output
	p.command.WaitDelay = 5 * time.Second
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(state))
	}
	go func() {
		_ = p.command.Wait()
		close(p.exited)
	}()
	if _, err := p.result(); err != nil {
		p.kill()
		return nil, err
	}
	_, err = p.do(map[string]any{
		"do": "open", "base_url": p.server.URL + "/api/v1", "real_clock": true,
		"options": map[string]any{"project_key": "bench", "state_dir": state, "analytics": map[string]any{"flush_interval": 0.1}},
	})
	if err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// latest is the response to an update check. The version in it is fictitious but has every field
// that a library reads.
const latest = `{"id":"1","version":"1.0","comparable_version":"1.0","title":null,"content":null,"locale":null,"message":null,` +
	`"download_url":null,"download_links":[],"forced":false,"is_latest":true,"is_preview":false,"is_milestone":false,` +
	`"is_deprecated":false,"platform":null,"platforms":[],"custom_data":null,"published_at":900,"created_at":900,"updated_at":900}`

func (p *player) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return
	case r.URL.Path == "/control":
		p.control(w, r, body)
	case strings.HasSuffix(r.URL.Path, "/events"):
		if blocked := p.blocked.Load(); blocked != nil {
			select {
			case <-*blocked:
			case <-r.Context().Done():
				return
			}
		}
		h.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"accepted":1,"skipped":0,"suppressed":false}`)
	case strings.HasSuffix(r.URL.Path, "/versions/latest"):
		h.Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, latest)
	default:
		http.ServeFile(w, r, page(r.URL.Path))
	}
}

// page returns the path of a file that the player in the browser loads.
func page(path string) string {
	if strings.HasPrefix(path, "/player.") {
		return filepath.Join("clients", "browser", "tests", filepath.Base(path))
	}
	return filepath.Join("clients", "browser", filepath.Base(path))
}

func (p *player) control(w http.ResponseWriter, r *http.Request, result []byte) {
	select {
	case p.results <- result:
	case <-r.Context().Done():
		return
	}
	select {
	case step, more := <-p.steps:
		if !more {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write(step)
	case <-r.Context().Done():
	}
}

func (p *player) result() ([]byte, error) {
	select {
	case result := <-p.results:
		return result, nil
	case <-p.exited:
		return nil, fmt.Errorf("the player ended: %s", &p.output)
	case <-time.After(patience):
		return nil, errors.New("the player says nothing")
	}
}

// do executes a step in the player and returns its result.
func (p *player) do(step map[string]any) ([]byte, error) {
	text, err := json.Marshal(step)
	if err != nil {
		return nil, err
	}
	select {
	case p.steps <- text:
	case <-p.exited:
		return nil, fmt.Errorf("the player ended: %s", &p.output)
	}
	return p.result()
}

// measure runs a measurement in the player. While it measures track, requests with events get no
// response.
func (p *player) measure(name string, count int) (f figures, err error) {
	if name == "track" {
		blocked := make(chan struct{})
		p.blocked.Store(&blocked)
		// A pending send would delay the end of the player after its last call.
		free := sync.OnceFunc(func() { p.blocked.Store(nil); close(blocked) })
		defer free()
		defer time.AfterFunc(time.Duration(count)*500*time.Microsecond+time.Second, free).Stop()
	}
	result, err := p.do(map[string]any{"do": "bench", "name": name, "count": count})
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(result, &f); err != nil || f.P99 == 0 { // a browser's clock is coarse
		return f, fmt.Errorf("%s: got %s", name, result)
	}
	return f, nil
}

// finish ends a player after the last measurement.
func (p *player) finish() error {
	close(p.steps)
	select {
	case <-p.exited:
	case <-time.After(patience):
		return errors.New("the player does not end")
	}
	return nil
}

// kill ends the player's process.
func (p *player) kill() {
	_ = p.command.Process.Kill() // the process may have ended already
	<-p.exited
	p.server.CloseClientConnections()
	p.server.Close()
	_ = os.RemoveAll(p.state)
}

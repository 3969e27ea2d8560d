package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil/server"
)

const (
	forwardVisitors = 200 // number of concurrent visitors, all of which wait for the code host
	hangingBar      = 0.95
)

// codeHost measures how much other requests slow down while visitors forward feedback to a code
// host that accepts every request but never answers.
func (s *suite) codeHost() (err error) {
	host, err := listenSilently()
	if err != nil {
		return err
	}
	defer host.close()
	var servers [2]*server.Server // one without visitors, one with
	var names []string
	for i := range servers {
		svc, err := s.program.Serve(s.ctx, s.folder(fmt.Sprint("codehost ", i)), "--codehost-api-base-url", "http://"+host.Addr().String())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, svc.Discard()) }()
		if names, err = s.publish(svc, answerSize{"2 KB", 30, false, false}); err != nil {
			return err
		}
		if err := connectRepository(s.ctx, svc); err != nil {
			return err
		}
		servers[i] = svc
	}
	ctx, stop := context.WithCancel(s.ctx)
	waiting := forwardFeedback(ctx, servers[0])
	var rows []row
	if err = host.await(ctx); err == nil {
		rows, err = s.besideVisitors(servers, names)
	}
	stop()
	waiting.done.Wait()
	if n := waiting.wrong.Load(); err == nil && n > 0 {
		err = fmt.Errorf("%d answers to forwarded feedback were not 503, and %d were", n, waiting.refused.Load())
	}
	if err != nil {
		return err
	}
	return s.print(fmt.Sprintf("a code host that answers nothing: %d visitors forward feedback and wait; the reference is the same program "+
		"without them", forwardVisitors), rows)
}

// besideVisitors compares the rates at which two servers respond. One of them also has visitors
// that wait for the code host.
func (s *suite) besideVisitors(servers [2]*server.Server, names []string) ([]row, error) {
	var rows []row
	for _, load := range []struct {
		what, unit string
		run        func(*server.Server) func() (loadgen.Result, error)
	}{
		{fmt.Sprintf("update checks, %d connections", checkConnections), "", func(svc *server.Server) func() (loadgen.Result, error) {
			target := loadgen.Target{Name: svc.Addr, Addr: svc.Addr, Requests: checks(names, false)}
			return func() (loadgen.Result, error) { return target.Run(checkConnections, s.each) }
		}},
		{"logs, 128 connections", "logs", func(svc *server.Server) func() (loadgen.Result, error) {
			logs := workload.NewSubmissions(1, false)
			return func() (loadgen.Result, error) {
				return loadgen.Target{Name: svc.Addr, Addr: svc.Addr, Requests: logRequests(logs, s.submissions)}.Send(128)
			}
		}},
	} {
		var both [2]*contender
		for i, svc := range servers {
			if load.unit != "" {
				if err := svc.CreateProject(s.ctx, benchProject); err != nil {
					return nil, err
				}
			}
			both[i] = &contender{process: svc.Process, run: load.run(svc), settle: func() error {
				_, err := svc.AwaitIndex(s.ctx)
				return err
			}}
		}
		if err := interleave(s.rounds, both[0], both[1]); err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: load.what, ratio: ratios(both[0], both[1], rate), bar: hangingBar,
			ours: describe(both[0], 1, load.unit), reference: describe(both[1], 1, load.unit),
		})
	}
	return rows, nil
}

// silentHost is a server that accepts connections and never answers.
type silentHost struct {
	net.Listener
	asked chan struct{} // closed when the first connection is accepted
	mu    sync.Mutex
	conns []net.Conn // guarded by mu
}

func listenSilently() (*silentHost, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &silentHost{Listener: l, asked: make(chan struct{})}
	go func() { // ends when close is called
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			if h.conns = append(h.conns, conn); len(h.conns) == 1 {
				close(h.asked)
			}
			h.mu.Unlock()
		}
	}()
	return h, nil
}

// await waits until the first connection is accepted.
func (h *silentHost) await(ctx context.Context) error {
	select {
	case <-h.asked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *silentHost) close() {
	_ = h.Close() // nothing has been written, so closing loses nothing
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.conns {
		_ = conn.Close()
	}
}

// connectRepository configures a project so that it forwards feedback to a repository.
func connectRepository(ctx context.Context, svc *server.Server) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	app := map[string]any{"app_id": "1", "private_key": string(text), "enabled_features": []string{"feedback_issue"}}
	if err := svc.CallAsAdministrator(ctx, http.MethodPut, "/admin/codehost-app", app, nil); err != nil {
		return err
	}
	return svc.Call(ctx, http.MethodPut, "/admin/projects/desktop-app/codehost-integration",
		map[string]any{"repo_full_name": "example/app", "feedback_issue_enabled": true}, nil)
}

// visitors are clients that repeatedly forward feedback and wait for the response.
type visitors struct {
	done           sync.WaitGroup
	refused, wrong atomic.Int64 // numbers of refused and of unexpected responses
}

// forwardFeedback runs visitors until ctx ends. They use many addresses, so that no quota limits
// them.
func forwardFeedback(ctx context.Context, svc *server.Server) *visitors {
	v := &visitors{}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: forwardVisitors}}
	for i := range forwardVisitors {
		v.done.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				status, err := forwardOnce(ctx, client, svc, fmt.Sprintf("80.%d.%d.%d", n%256, i/256, i%256))
				switch {
				case ctx.Err() != nil:
				case err != nil || status != http.StatusServiceUnavailable:
					v.wrong.Add(1)
				default:
					v.refused.Add(1)
				}
			}
		})
	}
	return v
}

func forwardOnce(ctx context.Context, client *http.Client, svc *server.Server, addr string) (status int, err error) {
	const body = `{"content":"The window is blue.","contact":"mira@mail.example","forward_to_codehost":true}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+svc.Addr+"/api/v1/public/desktop-app/feedbacks",
		strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", addr)
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, errors.Join(err, answer.Body.Close())
}

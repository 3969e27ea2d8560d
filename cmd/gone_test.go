package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/httpserver"
	"svc/internal/release"
	"svc/internal/setting"
	"svc/store"
)

// house is a server that runs in the test's process, so that the test can count the server's
// goroutines.
type house struct {
	*service
	dir, address, token string
	project             *store.Project
}

// openHouse starts a server with a project that has many records of every kind.
func openHouse(t *testing.T) *house {
	t.Helper()
	h := &house{dir: t.TempDir()}
	s, err := setting.Load(setting.Sources{Env: func(name string) (string, bool) {
		v, ok := map[string]string{"SVC_DATA": h.dir, "ADMIN_PASSWORD": "correct horse", "SVC_PUBLIC_RATE_LIMIT": "0"}[name]
		return v, ok
	}})
	must(t, err)
	lock, err := control.Acquire(h.dir)
	must(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	h.service, err = openService(lock, s, nil, nil, nil, log)
	must(t, err)
	must(t, h.ensureAdmin(t.Context(), s, &startReport{}))
	public, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	owner, err := control.Listen(h.dir)
	must(t, err)
	h.address = public.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	unfollow := h.Index.Start(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- httpserver.NewServer(h.handler, httpserver.Limits{Connections: 100}, log).Serve(ctx, time.Second, owner, public)
	}()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
		unfollow()
		must(t, h.Close())
	})
	h.fill(t)
	return h
}

func (h *house) fill(t *testing.T) {
	t.Helper()
	h.project = &store.Project{Key: "a", Name: "A", CollectEvents: true}
	must(t, h.Store.Update(func(tx *store.Tx) error {
		if err := tx.CreateProject(h.project); err != nil {
			return err
		}
		v := &store.Version{Version: "1.0.0", Content: new(strings.Repeat("-", 8<<20)), PublishedAt: 1}
		v.Comparable, _ = release.Parse(v.Version)
		if err := tx.CreateVersion(h.project.ID, v, nil); err != nil {
			return err
		}
		for i := range 20_000 {
			if err := tx.AddLog(h.project.ID, &store.Log{Content: fmt.Sprint("line ", i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	now := time.Now().Unix()
	for n := range 20 {
		b := &event.Batch{Project: event.Project(h.project.ID), Received: now, Subject: "u", Session: "s"}
		for i := range 1000 {
			b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(n, " ", i), Name: "open", At: now - int64(i*60), Properties: []byte(`{"text":"` + strings.Repeat("x", 500) + `"}`)})
		}
		_, err := h.Events.Ingest(b)
		must(t, err)
	}
	response, err := http.Post("http://"+h.address+"/api/v1/auth/login", "application/json", strings.NewReader(`{"username":"admin","password":"correct horse"}`))
	must(t, err)
	defer response.Body.Close()
	var login struct {
		Token string `json:"access_token"`
	}
	must(t, json.NewDecoder(response.Body).Decode(&login))
	h.token = login.Token
	http.DefaultClient.CloseIdleConnections()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// come opens a connection and sends the beginning of a request.
func (h *house) come(t *testing.T, network, beginning string) net.Conn {
	t.Helper()
	address := h.address
	if network == "unix" {
		address = filepath.Join(h.dir, datadir.Socket)
	}
	c, err := (&net.Dialer{}).DialContext(t.Context(), network, address)
	must(t, err)
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	if tcp, ok := c.(*net.TCPConn); ok {
		must(t, tcp.SetReadBuffer(4<<10))
	}
	_, err = io.WriteString(c, beginning)
	must(t, err)
	return c
}

// stacks returns the stacks of all goroutines.
func stacks() []string {
	for size := 1 << 20; ; size *= 2 {
		if raw := make([]byte, size); runtime.Stack(raw, true) < size {
			return strings.Split(string(bytes.TrimRight(raw, "\x00")), "\n\n")
		}
	}
}

// goroutinesIn returns the number of goroutines with the given function in their call stack.
func goroutinesIn(function string) int {
	n := 0
	for _, stack := range stacks() {
		if strings.Contains(stack, function) {
			n++
		}
	}
	return n
}

// TestClientsThatDisappear checks that all goroutines of a request end soon after the client has
// disconnected. It covers clients that disconnect at each stage of a request.
//
//nolint:paralleltest // counts the goroutines of the whole process
func TestClientsThatDisappear(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs to dial the control socket by its path, which is too long for Windows: run this on Linux or macOS")
	}
	h := openHouse(t)
	const many = 6
	request := func(method, path, more string) string {
		return method + " /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + h.token + "\r\nContent-Type: application/json\r\n" + more
	}
	whole := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	reads := func(t *testing.T, c net.Conn) {
		t.Helper()
		_, err := c.Read(make([]byte, 100))
		must(t, err)
	}
	for _, tc := range []struct {
		name, network string
		beginning     func(i int) string
		hold          func() (release func())             // runs while the clients connect and disconnect
		until         func(t *testing.T, c net.Conn)      // returns when a client may disconnect
		all           func(t *testing.T, list []net.Conn) // returns when all clients may disconnect
	}{
		{name: "nothing sent", beginning: func(int) string { return "" }},
		{name: "in the middle of its headers", beginning: func(int) string { return request("GET", "/public/a", "X") }},
		{name: "in the middle of its body", beginning: func(int) string {
			return request("POST", "/public/a/logs", "Content-Length: 1000\r\n\r\n{")
		}},
		{name: "in the middle of a list", beginning: func(int) string { return request("GET", "/public/a/versions", "\r\n") }, until: reads},
		{name: "in the middle of an export", beginning: func(i int) string {
			return request("GET", "/public/a/events/me?distinct_id=u", fmt.Sprintf("X-Forwarded-For: 198.51.100.%d\r\n\r\n", i))
		}, until: reads},
		{name: "during an analysis, or while it waits for one", beginning: func(int) string {
			return request("POST", "/admin/projects/a/events/analysis/paths", whole(`{"depth":6}`))
		}},
		{name: "while the index is built", network: "unix", beginning: func(int) string {
			return "POST /control/reindex HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
		}},
		{name: "while its record waits for the disk", beginning: func(i int) string {
			return request("POST", "/public/a/feedbacks", whole(fmt.Sprintf(`{"content":"%d"}`, i)))
		}, hold: h.Store.Hold, all: func(t *testing.T, list []net.Conn) {
			t.Helper()
			eventually(t, "all wait for the disk", func() bool { return goroutinesIn("store.(*Store).Submit") == len(list) })
		}},
		{name: "while its events wait for the disk", beginning: func(i int) string {
			return request("POST", "/public/a/events", whole(fmt.Sprintf(`{"distinct_id":"v","events":[{"event_id":"v%d","name":"open"}]}`, i)))
		}, hold: h.Events.Hold, all: func(t *testing.T, list []net.Conn) {
			t.Helper()
			eventually(t, "all wait for the disk", func() bool { return goroutinesIn("event.(*Engine).Ingest") == len(list) })
		}},
		{name: "while its change waits for the disk", beginning: func(i int) string {
			return request("PATCH", "/admin/projects/a", whole(fmt.Sprintf(`{"author":"%d"}`, i)))
		}, hold: h.Store.Hold, all: func(t *testing.T, list []net.Conn) {
			t.Helper()
			eventually(t, "all wait for the disk", func() bool { return goroutinesIn("store.(*Store).Update") == len(list) })
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eventually(t, "nobody is there", func() bool { return goroutinesIn("net/http.(*conn).serve") == 0 })
			begun := runtime.NumGoroutine()
			free := func() {}
			if tc.hold != nil {
				free = sync.OnceFunc(tc.hold())
				defer free() // also after a failure, because the test could not end otherwise
			}
			var list []net.Conn
			for i := range many {
				network := tc.network
				if network == "" {
					network = "tcp"
				}
				c := h.come(t, network, tc.beginning(i))
				if tc.until != nil {
					tc.until(t, c)
				}
				list = append(list, c)
			}
			if tc.all != nil {
				tc.all(t, list)
			}
			for i, c := range list {
				if tcp, ok := c.(*net.TCPConn); ok && i%2 == 0 {
					must(t, tcp.SetLinger(0)) // disconnect without a word, like a machine that has lost power
				}
				must(t, c.Close())
			}
			free()
			eventually(t, "nothing of them is left", func() bool {
				return goroutinesIn("net/http.(*conn).serve") == 0 && runtime.NumGoroutine() <= begun
			})
		})
	}
}

// eventually waits until the function ok returns true. It fails the test after 30 seconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still not: %s; there are\n%s", what, strings.Join(stacks(), "\n\n"))
		}
	}
}

package cmd_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestThousandSlowClients checks that a thousand clients, each of which sends or reads one byte per
// second, do not slow down other clients.
func TestThousandSlowClients(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--log-level", "error")
	c.Env = []string{"SVC_PUBLIC_RATE_LIMIT=0", "SVC_DEDUP_WINDOW_SECONDS=0"}
	p := launch(t, c)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	p.ask(t, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"`+strings.Repeat("-", 500<<10)+`"}`, 201)

	post := func(path string) string {
		return "POST /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
	}
	beginnings := []string{
		"",
		"GET /api/v1/public/a HTTP/1.1\r\nX-Long: ",
		post("/auth/login"),
		post("/public/a/logs"),
		post("/public/a/events"),
		reading,
	}
	ctx, stop := context.WithCancel(t.Context())
	var dripping, connected sync.WaitGroup
	for i := range 1000 {
		connected.Add(1)
		dripping.Go(func() { drip(ctx, p.address(), beginnings[i%len(beginnings)], sync.OnceFunc(connected.Done)) })
	}
	connected.Wait()

	for i := range 20 {
		p.ask(t, "GET", "/public/a", "", 200)
		p.ask(t, "POST", "/public/a/feedbacks", fmt.Sprintf(`{"content":"feedback %d"}`, i), 201)
		p.ask(t, "POST", "/public/a/logs", fmt.Sprintf(`{"level":1,"content":"log %d"}`, i), 201)
		p.ask(t, "POST", "/public/a/events", fmt.Sprintf(`{"distinct_id":"u","events":[{"event_id":"%d","name":"open"}]}`, i), 202)
		p.ask(t, "PATCH", "/admin/projects/a", fmt.Sprintf(`{"author":"%d"}`, i), 200)
	}
	for _, list := range []string{"feedbacks", "logs"} {
		if got := int(p.ask(t, "GET", "/admin/projects/a/"+list, "", 200)["total"].(float64)); got != 20 {
			t.Errorf("got %d %s, want 20", got, list)
		}
	}
	stop()
	dripping.Wait()
}

// reading is a request with a large response.
const reading = "GET /api/v1/public/a/versions HTTP/1.1\r\nHost: x\r\n\r\n"

// drip sends the beginning of a request, then sends or reads one byte per second. It reconnects
// when the server closes the connection.
func drip(ctx context.Context, address, beginning string, connected func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	one := []byte("x")
	for ctx.Err() == nil {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			continue // the listen queue of the system is full
		}
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		end := context.AfterFunc(ctx, func() { _ = c.Close() })
		_, err = io.WriteString(c, beginning)
		connected()
		for err == nil {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
			if beginning == reading {
				_, err = c.Read(one)
			} else {
				_, err = c.Write(one)
			}
		}
		end()
		_ = c.Close()
	}
}

package delivery_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/notify"
	"svc/internal/notify/delivery"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/store"
)

// sendVariable is an environment variable that makes the test binary cause events, and send them,
// until it is killed. It contains the path of the store.
const sendVariable = "DELIVERY_TEST_SEND"

func TestMain(m *testing.M) {
	if path := os.Getenv(sendVariable); path != "" {
		fmt.Fprintln(os.Stderr, sendUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// engineOf opens a store, and makes an engine for it.
func engineOf(path string) (*delivery.Engine, error) {
	db, err := store.Open(path, store.Options{})
	return delivery.New(delivery.Config{
		DB: db, Keys: seal.NewKeys([]byte("secret")), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Client: outbound.New(outbound.Config{Profile: outbound.Operator}),
	}), err
}

// sendUntilKilled causes events with ascending numbers, and prints each number once it is stored.
func sendUntilKilled(path string) error {
	e, err := engineOf(path)
	if err != nil {
		return err
	}
	go func() {
		for {
			changed := e.DB.HooksChanged()
			_ = e.Run(context.Background())
			<-changed
		}
	}()
	for n := 1; ; n++ {
		event := notify.Event{Name: notify.LogGuardEvent, Data: notify.LogGuard{Limit: n}}
		if err := e.DB.Submit(func(tx *store.Tx) error { return tx.Notify(0, event) }); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestAtLeastOnce checks that every stored event is delivered although the process is killed, and
// that repetitions have the same id.
func TestAtLeastOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	events, ids := map[string]string{}, map[string]string{} // id of each event, event of each id
	r := newReceiver(t, func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return // the sender was killed
		}
		_, number, _ := strings.Cut(string(body), `"limit":`)
		number, _, _ = strings.Cut(number, ",")
		mu.Lock()
		defer mu.Unlock()
		id := q.Header.Get("Webhook-Id")
		if known := events[number] + ids[id]; known != "" && known != id+number {
			t.Errorf("event %s has the ids %s and %s", number, id, known)
		}
		events[number], ids[id] = id, number
	})
	path := filepath.Join(t.TempDir(), "svc.db")
	e, err := engineOf(path)
	if err != nil {
		t.Fatal(err)
	}
	hook := &store.Hook{Name: "H", Kind: notify.Webhook, Enabled: true, URL: r.URL, Events: []string{"*"}}
	hook.Secret = e.Keys.Seal(seal.HookSecret, notify.NewSecret())
	err = e.DB.Update(func(tx *store.Tx) error { return tx.PutHook(0, hook) })
	if err != nil || e.DB.Close() != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), sendVariable+"="+path, "GORACE=atexit_sleep_ms=10")
	c.Stderr = t.Output()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stored := 0
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the kill can cut a line
		}
		if stored, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
			t.Fatalf("the sender says %q", line)
		}
		if stored == 50 {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.Wait() == nil {
		t.Fatal("the sender ended by itself")
	}
	if e, err = engineOf(path); err != nil {
		t.Fatal(err)
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.DB.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for n := 1; n <= stored; n++ {
		if events[strconv.Itoa(n)] == "" {
			t.Errorf("event %d of %d is lost", n, stored)
		}
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
	"go.etcd.io/bbolt"

	"svc/internal/testutil/server"
)

// reference is a process that shows the minimum cost of a request. Its handler uses httprouter,
// decodes the body like svc, and responds with a constant of about the same size as the response of
// svc. If a file is given, the handler also appends the body to a bbolt bucket before it responds,
// and concurrent requests share one sync to disk. The process runs this program with the argument
// "reference".
type reference struct {
	server.Process

	addr    string
	command *exec.Cmd
	stdin   io.Closer
}

// startReference starts a reference. The parameter kind is the kind of request body, which is a key
// of bodies, and answer is the size of a response in bytes. If file is "", the reference stores
// nothing.
func startReference(ctx context.Context, kind string, answer int, file string) (*reference, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &reference{command: exec.CommandContext(ctx, path, "reference", "-kind", kind, "-answer", strconv.Itoa(answer), "-file", file)}
	r.command.Stderr = os.Stderr
	if r.stdin, err = r.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	r.Process = server.Process(r.command.Process.Pid)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reference: %w", err), r.stop())
	}
	r.addr = strings.TrimSpace(line)
	return r, nil
}

// stop stops the reference by closing its standard input.
func (r *reference) stop() error { return errors.Join(r.stdin.Close(), r.command.Wait()) }

// bodies maps each kind of request body to a function that returns a value into which the handler
// decodes the body.
var bodies = map[string]func() any{
	"check": func() any {
		return &struct {
			CurrentVersion    *string `json:"current_version"`
			CurrentComparable *string `json:"current_comparable_version"`
			IncludePreview    *bool   `json:"include_preview"`
			Locale            *string `json:"locale"`
		}{}
	},
	"log": func() any {
		return &struct {
			Level      int             `json:"level"`
			Content    string          `json:"content"`
			Source     string          `json:"source"`
			Platform   string          `json:"platform"`
			DeviceInfo json.RawMessage `json:"device_info"`
		}{}
	},
	"events": func() any {
		return &struct {
			DistinctID string `json:"distinct_id"`
			SessionID  string `json:"session_id"`
			Platform   string `json:"platform"`
			Events     []struct {
				EventID    string          `json:"event_id"`
				Name       string          `json:"name"`
				OccurredAt int64           `json:"occurred_at"`
				Properties json.RawMessage `json:"properties"`
			} `json:"events"`
		}{}
	},
}

// runReference runs a reference server in this process. It prints the server's address and serves
// requests until the standard input is closed.
func runReference(args []string) (err error) {
	flags := flag.NewFlagSet("reference", flag.ContinueOnError)
	kind := flags.String("kind", "", "what is decoded: check, log or events")
	size := flags.Int("answer", 0, "size of an answer in bytes")
	file := flags.String("file", "", "file that bodies are appended to; none without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	body, ok := bodies[*kind]
	if !ok {
		return fmt.Errorf("there is no kind %q", *kind)
	}
	keep := func([]byte) error { return nil }
	if *file != "" {
		log, err := openAppender(*file)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, log.db.Close()) }()
		keep = log.append
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: bare(body, *size, keep), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent process closes it
	_ = server.Close()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bare returns the handler for all measured paths. The handler decodes the request body into a
// value that the parameter body returns, passes the body to the function keep and responds with the
// given number of bytes.
func bare(body func() any, size int, keep func([]byte) error) http.Handler {
	answer := []byte(`"` + strings.Repeat("x", max(size-2, 0)) + `"`)
	handle := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, body())
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := keep(text); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // the client may have disconnected
	}
	router := httprouter.New()
	for _, path := range []string{"versions/check-update", "logs", "events"} {
		router.POST("/api/v1/public/:k/"+path, handle)
	}
	return router
}

// appender appends request bodies to a single bbolt bucket. While a commit is in progress, new
// requests are queued. The first request in the queue makes the next commit for all of them.
type appender struct {
	db *bbolt.DB

	queue   sync.Mutex
	waiting []*appending
	writing sync.Mutex
}

type appending struct {
	body []byte
	done chan error
}

var bucket = []byte("log")

func openAppender(path string) (*appender, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	return &appender{db: db}, err
}

func (a *appender) append(body []byte) error {
	w := &appending{body, make(chan error, 1)}
	a.queue.Lock()
	a.waiting = append(a.waiting, w)
	leads := len(a.waiting) == 1
	a.queue.Unlock()
	if leads {
		a.commit()
	}
	return <-w.done
}

func (a *appender) commit() {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.queue.Lock()
	group := a.waiting
	a.waiting = nil
	a.queue.Unlock()
	err := a.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		b.FillPercent = 0.9 // keys are appended in order
		for _, w := range group {
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			if err := b.Put(binary.BigEndian.AppendUint64(nil, n), w.body); err != nil {
				return err
			}
		}
		return nil
	})
	for _, w := range group {
		w.done <- err
	}
}

// Command submissions prints how many logs per second the service takes over
// HTTP, each on disk before its answer, beside a bare httprouter handler that
// decodes the same body and writes a constant of the same size.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/api"
	"svc/internal/load"
	"svc/store"
)

// bar is the number of logs a second that must be reached on two cores.
const bar = 15_000

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "submissions:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("submissions", flag.ContinueOnError)
	var plan load.Plan
	flags.IntVar(&plan.Rounds, "rounds", 5, "how often both are measured")
	flags.IntVar(&plan.Connections, "connections", 32, "keep-alive connections")
	flags.DurationVar(&plan.Each, "each", 2*time.Second, "time of each in a round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := store.Open(filepath.Join(dir, "svc.db"), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	subject, reference, stop, err := start(db, filepath.Join(dir, "access.log"))
	if err != nil {
		return err
	}
	defer stop()
	result, err := plan.Compare(subject, reference)
	if err != nil {
		return err
	}
	verdict := "met"
	if result.Median() < bar {
		verdict = "MISSED"
	}
	_, err = fmt.Fprintf(out, "durable logs: %d connections, %s %s/%s, %d cores; bar %d /s %s\n%s",
		plan.Connections, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), bar, verdict,
		result.Report(subject, reference, 0))
	return err
}

// start runs the service as "svc serve" does, and the reference.
func start(db *store.Store, access string) (subject, reference load.Target, stop func(), err error) {
	log, err := os.Create(access)
	if err != nil {
		return subject, reference, nil, err
	}
	p := store.Project{Key: "bench", Name: "Bench", StatsRetentionDays: 365, EventRetentionDays: 90}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(&p) }); err != nil {
		return subject, reference, nil, errors.Join(err, log.Close())
	}
	server, err := api.New(api.Config{
		DB: db, Log: slog.New(slog.NewJSONHandler(log, nil)),
		JWTSecret: bytes.Repeat([]byte("x"), 32), JWTLife: time.Hour, KeySalt: []byte("salt"),
		PublicRateLimit: 1 << 30, DedupWindow: time.Minute, Version: "bench",
	})
	if err != nil {
		return subject, reference, nil, errors.Join(err, log.Close())
	}
	const path = "/api/v1/public/bench/logs"
	svcAddr, stopSvc, err := listen(server)
	if err != nil {
		return subject, reference, nil, errors.Join(err, log.Close())
	}
	bareAddr, stopBare, err := listen(bare(path))
	if err != nil {
		stopSvc()
		return subject, reference, nil, errors.Join(err, log.Close())
	}
	stop = func() {
		stopSvc()
		stopBare()
		_ = log.Close()
	}
	all := requests(path)
	return load.Target{Name: "svc, each log on disk", Addr: svcAddr, Requests: all},
		load.Target{Name: "bare httprouter handler", Addr: bareAddr, Requests: all}, stop, nil
}

func listen(h http.Handler) (addr string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // ends when stop closes it
	}()
	return l.Addr().String(), func() {
		_ = server.Close()
		<-ended
	}, nil
}

func bare(path string) http.Handler {
	answer := []byte(`"` + string(bytes.Repeat([]byte("x"), 500)) + `"`)
	router := httprouter.New()
	router.POST(path, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		var in struct {
			Level      int             `json:"level"`
			Content    string          `json:"content"`
			Source     string          `json:"source"`
			DeviceInfo json.RawMessage `json:"device_info"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(answer)
	})
	return router
}

// distinct is the number of different logs that are sent. Sent again within
// the window they would be folded into one, so it is more than a run sends.
const distinct = 400_000

func requests(path string) [][]byte {
	all := make([][]byte, distinct)
	for i := range all {
		body := fmt.Sprintf(`{"level":%d,"content":"request %d to /api/items/%d took %d ms: connection reset by peer ERR_CONN_%d","source":"net.http","device_info":{"model":"X%d","memory":%d}}`,
			i%4, i, i*7919%100_000, i%977, i%100, i%50, 1<<(i%4+10))
		all[i] = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1 (Linux)\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	}
	return all
}

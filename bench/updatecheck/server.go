package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/api"
	"svc/internal/control"
	"svc/internal/load"
	"svc/internal/logging"
	"svc/internal/origin"
	"svc/store"
)

// listen answers on a free port of this machine until stop is called. The
// limits are those of the program, for both servers.
func listen(handler http.Handler) (addr string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       control.MarkConn,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	stop = func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
	return l.Addr().String(), stop, nil
}

// startReal runs the service as "svc serve" does, with a data file and an access
// log in dir. The rate limit counts, but stops nobody.
func startReal(dir string, versions int) (t load.Target, stop func() error, err error) {
	log, err := os.OpenFile(filepath.Join(dir, "access.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return t, nil, err
	}
	db, err := store.Open(filepath.Join(dir, "svc.db"), store.Options{})
	if err != nil {
		return t, nil, errors.Join(err, log.Close())
	}
	access, flush := logging.New(log, true, slog.LevelInfo)
	giveBack := func() error {
		flush()
		return errors.Join(db.Close(), log.Close())
	}
	t, hangUp, err := serveReal(db, access, versions)
	if err != nil {
		return t, nil, errors.Join(err, giveBack())
	}
	return t, func() error { return errors.Join(hangUp(), giveBack()) }, nil
}

func serveReal(db *store.Store, log *slog.Logger, versions int) (t load.Target, stop func() error, err error) {
	names, err := fill(db, versions)
	if err != nil {
		return t, nil, err
	}
	handler, err := api.New(api.Config{
		DB: db, Log: log,
		JWTSecret: bytes.Repeat([]byte("x"), 32), JWTLife: time.Hour, KeySalt: []byte("salt"),
		PublicRateLimit: 1 << 30, Proxies: origin.Proxies{Count: 1}, Version: "bench",
	})
	if err != nil {
		return t, nil, err
	}
	addr, stop, err := listen(handler)
	return load.Target{Name: "svc", Addr: addr, Requests: questions(names)}, stop, err
}

// startBare runs the reference: it decodes the same body and answers with a
// constant of a size.
func startBare(size int, requests [][]byte) (t load.Target, stop func() error, err error) {
	answer := []byte(`"` + strings.Repeat("x", size-2) + `"`)
	router := httprouter.New()
	router.POST("/api/v1/public/:k/versions/check-update", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		var in struct {
			CurrentVersion    *string `json:"current_version"`
			CurrentComparable *string `json:"current_comparable_version"`
			IncludePreview    *bool   `json:"include_preview"`
			Locale            *string `json:"locale"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})
	addr, stop, err := listen(router)
	return load.Target{Name: "bare httprouter handler", Addr: addr, Requests: requests}, stop, err
}

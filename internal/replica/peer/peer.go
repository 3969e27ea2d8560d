// Package peer is the server of a standby that is the target of its primary. It stores the objects of
// the replica in the data directory of the standby, which follows them there.
//
//	peer.go     the server
//	identity.go its certificate, and the token for the primary
package peer

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"svc/internal/durable"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
)

// Server answers the requests of a primary.
type Server struct {
	objects     *target.Directory
	certificate tls.Certificate
	bearer      string
	log         *slog.Logger
}

// Objects returns the path of the objects in the directory of a server. It is a target.
func Objects(dir string) string { return filepath.Join(dir, "objects") }

// Open opens the objects and the identity in a directory of the data directory, and creates them if
// necessary.
func Open(dir string, log *slog.Logger) (*Server, error) {
	id, err := openIdentity(dir, false)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair([]byte(id.Certificate), []byte(id.Key))
	if err != nil {
		return nil, errIdentity
	}
	token, err := id.token()
	if err != nil {
		return nil, err
	}
	objects := Objects(dir)
	if err := durable.MkdirAll(objects, 0o700); err != nil {
		return nil, err
	}
	return &Server{target.OpenDirectory(objects), certificate, token.Bearer(), log}, nil
}

// addressFile contains the address on which the server accepts its primary.
const addressFile = "address"

// Remember stores the address of the server in its directory, for the time after a promotion.
func Remember(dir, address string) error {
	return durable.WriteFile(filepath.Join(dir, addressFile), []byte(address+"\n"), 0o600)
}

// Remembered returns the address that Remember has stored, or "".
func Remembered(dir string) (address string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// The time limits of connections. Content is not limited as a whole, because a primary may have a slow
// line.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	stopTime   = 5 * time.Second
	maxHeader  = 16 << 10
)

// Serve answers requests on a listener with TLS until ctx ends. It closes the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		TLSConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{s.certificate}, NextProtos: []string{"http/1.1"},
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		if server.Shutdown(limit) != nil {
			_ = server.Close() // the requests that remain are cut off
		}
	}()
	err := server.ServeTLS(listener, "", "")
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	return err
}

// Handler returns the handler of the requests, which must arrive over TLS.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT "+target.PeerObjects+"{name...}", s.put)
	mux.HandleFunc("GET "+target.PeerObjects+"{name...}", s.get)
	mux.HandleFunc("DELETE "+target.PeerObjects+"{name...}", s.delete)
	mux.HandleFunc("GET "+target.PeerList, s.list)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(s.bearer)) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// put stores an object, which must not exist if there is a header "If-None-Match: *".
func (s *Server) put(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if r.ContentLength < 0 {
		w.WriteHeader(http.StatusLengthRequired)
		return
	}
	err := s.current(r.Context(), name)
	switch {
	case err != nil:
	case r.Header.Get("If-None-Match") == "*":
		err = s.objects.CreateFrom(r.Context(), name, r.Body, r.ContentLength)
	case r.ContentLength > format.MaxJSON:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	default:
		content := make([]byte, r.ContentLength)
		if _, err = io.ReadFull(r.Body, content); err == nil {
			err = s.objects.Replace(r.Context(), name, content)
		}
	}
	s.finish(w, r, err)
}

// current returns errPromoted if an object belongs to an epoch that has ended.
func (s *Server) current(ctx context.Context, name string) error {
	folder, rest, _ := strings.Cut(name, "/")
	number, _, _ := strings.Cut(rest, "/")
	epoch, err := strconv.ParseUint(number, 10, 32)
	if folder != format.Log || err != nil {
		return nil
	}
	content, _, err := s.objects.Open(ctx, format.EpochName(uint32(epoch)+1))
	if errors.Is(err, target.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(errPromoted, content.Close())
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	content, size, err := s.objects.Open(r.Context(), r.PathValue("name"))
	if err != nil {
		s.finish(w, r, err)
		return
	}
	defer content.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if _, err := io.Copy(w, content); err != nil {
		s.breakOff(r, err)
	}
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	folder := r.URL.Query().Get("folder")
	if err := target.CheckFolder(folder); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	encoder := json.NewEncoder(w)
	if err := s.objects.List(r.Context(), folder, func(o target.Object) error { return encoder.Encode(o) }); err != nil {
		s.breakOff(r, err)
	}
}

func (s *Server) delete(w http.ResponseWriter, r *http.Request) {
	s.finish(w, r, s.objects.Delete(r.Context(), r.PathValue("name")))
}

// breakOff ends a connection in a response, so that the client does not take it for complete.
func (s *Server) breakOff(r *http.Request, err error) {
	s.log.Debug("response to the primary broke off", "path", r.URL.Path, "error", err)
	panic(http.ErrAbortHandler)
}

// finish answers with a status only.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusNoContent
	switch {
	case err == nil:
	case target.CheckName(r.PathValue("name")) != nil:
		status = http.StatusBadRequest
	case errors.Is(err, target.ErrExists):
		status = http.StatusPreconditionFailed
	case errors.Is(err, target.ErrMissing):
		status = http.StatusNotFound
	case errors.Is(err, errPromoted):
		status = http.StatusConflict
	case errors.Is(err, syscall.ENOSPC):
		status = http.StatusInsufficientStorage
	default:
		status = http.StatusInternalServerError
	}
	if status >= http.StatusInternalServerError {
		s.log.Warn("cannot answer the primary", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	w.WriteHeader(status)
}

var errPromoted = errors.New("a later epoch has begun")

// Package certificate provides the TLS certificates of the server. They are either read
// from files that another program keeps up to date, or obtained automatically from a
// certificate authority.
package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// lookEvery is the minimum interval between two checks whether the files have changed. A
// check is made during a handshake.
const lookEvery = time.Minute

// Files is a certificate that is loaded from PEM files, and reloaded when the files
// change.
type Files struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time
	current           atomic.Pointer[tls.Certificate]

	mu     sync.Mutex // guards the following fields
	seen   [2]version // versions of the files from which the current certificate was loaded
	failed failure    // result of the last check
	looked time.Time  // time of the last check
}

// failure describes why the certificate files could not be used. The zero value means that
// they could be used.
type failure struct {
	of   [2]version // versions of the two files
	text string
}

// version identifies a version of a file by its size and modification time.
type version struct {
	modified time.Time
	bytes    int64
}

// OpenFiles loads a certificate with its chain and its private key. The function now returns the
// current time; nil means time.Now.
func OpenFiles(certFile, keyFile string, log *slog.Logger, now func() time.Time) (*Files, error) {
	if now == nil {
		now = time.Now
	}
	f := &Files{certFile: certFile, keyFile: keyFile, log: log, now: now, looked: now()}
	return f, f.read(true)
}

// Config returns the TLS configuration of an HTTPS listener with HTTP/2.
func (f *Files) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			f.look()
			return f.current.Load(), nil
		},
	}
}

// Reload loads the files immediately. If they cannot be used, the old certificate stays
// in use and Reload returns the error.
func (f *Files) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.read(true); err != nil {
		return fmt.Errorf("the old certificate stays in use: %w", err)
	}
	return nil
}

// look reloads the certificate if its files have changed and the last check was at least
// lookEvery ago. After a failure, it tries again even if they have not changed, because
// files that were unreadable may have become readable. It logs each problem once, unless
// Reload has already returned it. Other handshakes do not wait while a check is in
// progress.
func (f *Files) look() {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	now := f.now()
	if now.Sub(f.looked) < lookEvery {
		return
	}
	f.looked = now
	before := f.failed
	if err := f.read(false); err != nil && f.failed != before {
		f.log.Warn("certificate not reloaded; the old one stays in use", "error", err)
	}
}

func (f *Files) versions() (v [2]version, err error) {
	for i, name := range []string{f.certFile, f.keyFile} {
		var info fs.FileInfo
		if info, err = os.Stat(name); err != nil {
			return v, err
		}
		v[i] = version{info.ModTime(), info.Size()}
	}
	return v, nil
}

// read loads the certificate if the files have changed. If always is true, it loads the
// certificate in any case. The caller must hold mu.
func (f *Files) read(always bool) error {
	// get the versions before reading the files, so that a later check detects a change
	// during the read
	seen, err := f.versions()
	if err == nil && (always || seen != f.seen) {
		err = f.use(seen)
	}
	f.failed = failure{}
	if err != nil {
		f.failed = failure{seen, err.Error()}
	}
	return err
}

func (f *Files) use(seen [2]version) error {
	pair, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); ok { // the error already names the file
			return err
		}
		return fmt.Errorf("%s and %s: %w", f.certFile, f.keyFile, err)
	}
	f.seen = seen
	f.current.Store(&pair)
	f.tell(pair.Leaf)
	return nil
}

// tell logs the new certificate and warns if clients will reject it.
func (f *Files) tell(leaf *x509.Certificate) {
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	if now := f.now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		f.log.Warn("the certificate is not valid at this time; clients will reject it",
			"file", f.certFile, "from", leaf.NotBefore.UTC().Format(time.RFC3339), "until", until)
		return
	}
	f.log.Info("certificate loaded", "file", f.certFile, "names", leaf.DNSNames, "until", until)
}

// Package certificate gives the server its TLS certificates: one from files
// that somebody else keeps up to date, or ones that it fetches and renews
// itself from a certificate authority.
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

// lookEvery is how often a handshake looks whether the files have changed.
const lookEvery = time.Minute

// Files is a certificate in PEM files. It is read again when they change.
type Files struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time
	current           atomic.Pointer[tls.Certificate]

	mu     sync.Mutex // guards what follows
	seen   [2]version // of the files of the current certificate
	failed failure    // when they were last looked at
	looked time.Time
}

// failure is why files could not be used; it is the zero value when they could.
type failure struct {
	of   [2]version
	text string
}

// version tells a file from the one that was there before.
type version struct {
	modified time.Time
	bytes    int64
}

// OpenFiles reads a certificate with its chain, and the key that belongs to it.
// now is the clock, time.Now when nil.
func OpenFiles(certFile, keyFile string, log *slog.Logger, now func() time.Time) (*Files, error) {
	if now == nil {
		now = time.Now
	}
	f := &Files{certFile: certFile, keyFile: keyFile, log: log, now: now, looked: now()}
	return f, f.read(true)
}

// Config is for a listener of HTTPS, with HTTP/2.
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

// Reload reads the files now. When they cannot be used the old certificate
// stays, and the error says why.
func (f *Files) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.read(true); err != nil {
		return fmt.Errorf("the old certificate stays in use: %w", err)
	}
	return nil
}

// look reads the files if they are not those of the current certificate and the
// last look was a while ago: what could not be read may be readable now. What is
// wrong with them it says once, unless Reload has. Handshakes do not wait for one that looks.
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

// read takes the certificate in the files if they have changed, or always. The
// caller holds mu.
func (f *Files) read(always bool) error {
	// Before they are read: what changes meanwhile is then seen later.
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
		if _, ok := errors.AsType[*fs.PathError](err); ok { // it names the file
			return err
		}
		return fmt.Errorf("%s and %s: %w", f.certFile, f.keyFile, err)
	}
	f.seen = seen
	f.current.Store(&pair)
	f.tell(pair.Leaf)
	return nil
}

// tell says what clients will see, and what they will not accept.
func (f *Files) tell(leaf *x509.Certificate) {
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	if now := f.now(); now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		f.log.Warn("the certificate is not valid at this time; clients will reject it",
			"file", f.certFile, "from", leaf.NotBefore.UTC().Format(time.RFC3339), "until", until)
		return
	}
	f.log.Info("certificate loaded", "file", f.certFile, "names", leaf.DNSNames, "until", until)
}

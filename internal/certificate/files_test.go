package certificate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/certificate"
)

var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// pair is a certificate and its private key, both in PEM.
type pair struct{ cert, key []byte }

func makePair(t *testing.T, name string, until time.Time) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: today.Add(-time.Hour), NotAfter: until}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	}
}

// bench contains the files of a certificate, with a clock and a log, for a test.
type bench struct {
	dir   string
	now   time.Time
	wrote int
	log   bytes.Buffer
	files *certificate.Files
}

func newBench(t *testing.T, first pair) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), now: today}
	b.write(t, "cert.pem", first.cert)
	b.write(t, "key.pem", first.key)
	var err error
	b.files, err = certificate.OpenFiles(b.path("cert.pem"), b.path("key.pem"), slog.New(slog.NewTextHandler(&b.log, nil)), func() time.Time { return b.now })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// write replaces a file. Each call gives it a different modification time.
func (b *bench) write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(b.path(name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	b.wrote++
	at := today.Add(time.Duration(b.wrote) * time.Second)
	if err := os.Chtimes(b.path(name), at, at); err != nil {
		t.Fatal(err)
	}
}

// served returns the name in the certificate that a client receives.
func (b *bench) served(t *testing.T) string {
	t.Helper()
	cert, err := b.files.Config().GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf.DNSNames[0]
}

func (b *bench) wants(t *testing.T, name, logged string) {
	t.Helper()
	if got := b.served(t); got != name {
		t.Errorf("got the certificate of %s, want %s", got, name)
	}
	if got := b.log.String(); strings.Count(got, "\n") != min(len(logged), 1) || !strings.Contains(got, logged) {
		t.Errorf("got the log %q, want one line with %q", got, logged)
	}
	b.log.Reset()
}

func TestFilesAreReadAgainWhenTheyChange(t *testing.T) {
	t.Parallel()
	later := today.AddDate(0, 3, 0)
	renewed := makePair(t, "new.example", later)
	b := newBench(t, makePair(t, "old.example", later))
	b.wants(t, "old.example", "certificate loaded")

	b.now = b.now.Add(time.Hour)
	b.wants(t, "old.example", "")
	b.write(t, "cert.pem", renewed.cert)
	b.write(t, "key.pem", renewed.key)
	b.now = b.now.Add(59 * time.Second)
	b.wants(t, "old.example", "") // the last check was less than a minute ago
	b.now = b.now.Add(time.Second)
	b.wants(t, "new.example", "certificate loaded")
}

// TestHalfReplaced checks that the old certificate stays in use while only one of the two
// files has been replaced. They cannot be replaced at the same moment.
func TestHalfReplaced(t *testing.T) {
	t.Parallel()
	later := today.AddDate(0, 3, 0)
	renewed := makePair(t, "new.example", later)
	b := newBench(t, makePair(t, "old.example", later))
	b.log.Reset()

	b.write(t, "cert.pem", renewed.cert)
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "the old one stays in use")
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "") // the problem has already been logged
	b.write(t, "key.pem", renewed.key)
	b.now = b.now.Add(time.Minute)
	b.wants(t, "new.example", "certificate loaded")
}

// TestReadableLater checks that files that could not be used are read again after a
// minute, even if their size and modification time have not changed: their owner, for
// example, may have changed.
func TestReadableLater(t *testing.T) {
	t.Parallel()
	later := today.AddDate(0, 3, 0)
	renewed := makePair(t, "new.example", later)
	b := newBench(t, makePair(t, "old.example", later))
	b.log.Reset()

	b.write(t, "cert.pem", renewed.cert)
	b.write(t, "key.pem", bytes.Repeat([]byte("x"), len(renewed.key)))
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "the old one stays in use")
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "") // the problem has already been logged
	b.wrote--                     // the next file gets the same modification time
	b.write(t, "key.pem", renewed.key)
	b.now = b.now.Add(time.Minute)
	b.wants(t, "new.example", "certificate loaded")
}

func TestReload(t *testing.T) {
	t.Parallel()
	later := today.AddDate(0, 3, 0)
	renewed := makePair(t, "new.example", later)
	b := newBench(t, makePair(t, "old.example", later))
	b.log.Reset()

	b.write(t, "cert.pem", []byte("nothing"))
	if err := b.files.Reload(); err == nil || !strings.Contains(err.Error(), "the old certificate stays in use") || !strings.Contains(err.Error(), "cert.pem") {
		t.Errorf("got %v, want that the old one stays and which file is wrong", err)
	}
	b.wants(t, "old.example", "")
	if err := os.Remove(b.path("cert.pem")); err != nil {
		t.Fatal(err)
	}
	if err := b.files.Reload(); err == nil {
		t.Error("got no error for a file that is gone")
	}
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "") // already logged
	b.write(t, "cert.pem", renewed.cert)
	b.now = b.now.Add(time.Minute)
	b.wants(t, "old.example", "the old one stays in use")
	b.write(t, "key.pem", renewed.key)
	if err := b.files.Reload(); err != nil {
		t.Error(err)
	}
	b.wants(t, "new.example", "certificate loaded")
}

func TestCertificatesThatClientsRefuseAreSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, makePair(t, "old.example", today.Add(-time.Minute)))
	b.wants(t, "old.example", "clients will reject it")
}

func TestOpenFilesRefuses(t *testing.T) {
	t.Parallel()
	one, two := makePair(t, "one.example", today), makePair(t, "two.example", today)
	for _, tc := range []struct {
		name      string
		cert, key []byte
		want      string
	}{
		{"a key of another certificate", one.cert, two.key, "does not match"},
		{"no PEM", []byte("x"), one.key, "cert.pem and "},
		{"the files the wrong way round", one.key, one.cert, "cert.pem and "},
		{"no file", one.cert, nil, "key.pem"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{dir: t.TempDir()}
			b.write(t, "cert.pem", tc.cert)
			if tc.key != nil {
				b.write(t, "key.pem", tc.key)
			}
			_, err := certificate.OpenFiles(b.path("cert.pem"), b.path("key.pem"), slog.New(slog.DiscardHandler), nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

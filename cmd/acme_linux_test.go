package cmd

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"svc/internal/datadir"
	"svc/internal/testutil"
)

// authority is a certificate authority that speaks ACME.
type authority struct {
	url   string
	trust string         // path of the certificate with which clients verify the authority
	roots *x509.CertPool // roots of the certificates that the authority issues
}

// startAuthority starts an authority that is listening but does not respond to requests yet. The
// caller must call answer to let it respond, with the ports at which the authority validates the
// applicant.
func startAuthority(t *testing.T) (a *authority, answer func(httpPort, tlsPort int)) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testutil.WriteCertificate(t, certFile, keyFile, "ca.example")
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	a = &authority{url: "https://" + l.Addr().String() + wfe.DirectoryPath, trust: certFile, roots: x509.NewCertPool()}

	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 3600}})
	a.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	return a, func(httpPort, tlsPort int) {
		checks := va.New(quiet, httpPort, tlsPort, true, "", store)
		front := wfe.New(quiet, store, checks, issuer, []string{"ca.example"}, true, false, 1, 1)
		server := &http.Server{Handler: front.Handler(), ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
		go func() { _ = server.ServeTLS(l, certFile, keyFile) }()
		t.Cleanup(func() { _ = server.Close() })
	}
}

// TestAutomaticCertificates checks that the server obtains a certificate from a real authority,
// with each of the authority's validation methods.
func TestAutomaticCertificates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		http    bool // the server listens on port 80, which redirects to HTTPS
		overTLS bool // the authority's check over TLS reaches the server
	}{
		{"checked over TLS", false, true},
		{"checked over HTTP", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, answer := startAuthority(t)
			dir := t.TempDir()
			run := func() (s *server, address []string) {
				redirect := map[bool]string{false: "off", true: "127.0.0.1:0"}[tc.http]
				s = launch(t, []string{"SSL_CERT_FILE=" + a.trust}, "--data", dir, "--domain", "localhost",
					"--listen", "127.0.0.1:0", "--redirect-listen", redirect, "--acme-ca", a.url, "--acme-email", "admin@svc.example")
				line := s.await(t, `"listening","url":"https://localhost","address":"[^"]*"`)
				return s, strings.Fields(strings.Split(line, `"`)[9])
			}
			s, address := run()
			httpPort, tlsPort := closedPort(t), closedPort(t)
			if tc.http {
				httpPort = portOf(t, address[1])
			}
			if tc.overTLS {
				tlsPort = portOf(t, address[0])
			}
			answer(httpPort, tlsPort)
			const inUse = `"certificate in use","names":\["localhost"\]`
			s.await(t, `"certificate issued","name":"localhost"`)
			s.await(t, inUse)
			first := a.visit(t, address[0])

			if tc.http {
				plain := fetch(t, nil, "http://"+address[1]+"/x?y=1")
				if got := plain.header.Get("Location"); plain.status != http.StatusPermanentRedirect || got != "https://localhost/x?y=1" {
					t.Errorf("plain HTTP: got %d to %q", plain.status, got)
				}
				if got := fetch(t, nil, "http://"+address[1]+"/healthz"); got.body != "ok" {
					t.Errorf("health over plain HTTP: got %q", got.body)
				}
			}

			// After a restart the certificate is read from the data directory, where only the owner
			// can read it.
			s.signal(t, syscall.SIGTERM)
			<-s.exited
			checkPrivate(t, filepath.Join(dir, datadir.Certificates))
			s, address = run()
			s.await(t, inUse)
			s.silent(t, "certificate issued")
			if second := a.visit(t, address[0]); second.SerialNumber.Cmp(first.SerialNumber) != 0 {
				t.Error("a second start fetched another certificate")
			}
		})
	}
}

// visit connects to the given address with the server name localhost and returns the certificate
// that the server presents.
func (a *authority) visit(t *testing.T, address string) *x509.Certificate {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{RootCAs: a.roots, ServerName: "localhost"},
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Strict-Transport-Security"); response.Proto != "HTTP/2.0" || got != "max-age=31536000" {
		t.Errorf("got %s and HSTS %q, want HTTP/2.0 and a year", response.Proto, got)
	}
	return response.TLS.PeerCertificates[0]
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// closedPort returns a port that is bound but refuses connections.
func closedPort(t *testing.T) int {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return name.(*syscall.SockaddrInet4).Port
}

// checkPrivate fails the test unless the folder contains a .key file and only the owner has access
// to the files in it.
func checkPrivate(t *testing.T, folder string) {
	t.Helper()
	keys := 0
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %04o", name, info.Mode().Perm())
		}
		if filepath.Ext(name) == ".key" {
			keys++
		}
		return nil
	})
	if err != nil || keys == 0 {
		t.Errorf("got %d keys in %s, %v", keys, folder, err)
	}
}

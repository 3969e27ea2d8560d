package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"svc/internal/testutil"
)

// answer holds the parts of a response that the tests compare.
type answer struct {
	status int
	proto  string
	tls    uint16 // TLS version; 0 for plain HTTP
	header http.Header
	body   string
}

// fetch makes a request over a new connection. It does not follow redirects.
func fetch(t *testing.T, roots *x509.CertPool, url string) answer {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, proto: response.Proto, header: response.Header, body: string(body)}
	if response.TLS != nil {
		a.tls = response.TLS.Version
	}
	return a
}

func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	old := testutil.WriteCertificate(t, certFile, keyFile, "old.example")
	s := launch(t, nil, "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile)
	url := s.await(t, `https://127[0-9.:]+`)

	first := fetch(t, old, url+"/healthz")
	if first.body != "ok" || first.proto != "HTTP/2.0" || first.tls < tls.VersionTLS12 {
		t.Errorf("got %q over %s and TLS %x, want ok over HTTP/2.0", first.body, first.proto, first.tls)
	}
	if got := first.header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("got HSTS %q: nobody has said that every name here has HTTPS", got)
	}
	if got := fetch(t, nil, strings.Replace(url, "https:", "http:", 1)); got.status != http.StatusBadRequest {
		t.Errorf("plain HTTP: got %d, want 400", got.status)
	}
	if _, err := (&tls.Dialer{Config: &tls.Config{RootCAs: old, MaxVersion: tls.VersionTLS11}}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "https://")); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
	// Failed handshakes of clients are not logged.
	s.silent(t, `handshake`)

	if runtime.GOOS == "windows" {
		return // Windows has no SIGHUP
	}
	s.forget()
	renewed := testutil.WriteCertificate(t, certFile, keyFile, "new.example")
	s.signal(t, syscall.SIGHUP)
	s.await(t, `"certificate loaded".*new\.example`)
	if got := fetch(t, renewed, url+"/healthz"); got.body != "ok" {
		t.Errorf("with the new certificate: got %q", got.body)
	}
	if err := os.WriteFile(certFile, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.signal(t, syscall.SIGHUP)
	s.await(t, `the old certificate stays in use`)
	if got := fetch(t, renewed, url+"/healthz"); got.body != "ok" {
		t.Errorf("after a bad file: got %q", got.body)
	}
}

// TestStartsThatCannotServe checks that a failed start reports the problem and the remedy, and does
// not create any files.
func TestStartsThatCannotServe(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for _, tc := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no such certificate", []string{"--tls-cert", "no.pem", "--tls-key", "no.key"}, 2, []string{"--tls-cert and --tls-key cannot be used:", "no.pem"}},
		{"address taken", []string{"--listen", taken.Addr().String()}, 1, []string{"address already in use", "--listen or SVC_LISTEN"}},
		{"address of the redirect taken", []string{"--listen", "127.0.0.1:0", "--domain", "a.example", "--redirect-listen", taken.Addr().String()}, 1, []string{"address already in use", "--redirect-listen, or off for none"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tc.code == 1 {
				t.Skip("needs the words in which Unix says that an address is taken: run this on Linux or macOS")
			}
			dir := filepath.Join(t.TempDir(), "data")
			s := launch(t, nil, append(tc.args, "--data", dir)...)
			<-s.exited
			if got := s.command.ProcessState.ExitCode(); got != tc.code {
				t.Errorf("got exit code %d, want %d", got, tc.code)
			}
			for _, want := range tc.want {
				if !strings.Contains(s.log.String(), want) {
					t.Errorf("got\n%s\nwant in it %q", s.log.String(), want)
				}
			}
			if _, err := os.Stat(dir); tc.code == 2 && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the data directory was made: %v", err)
			}
		})
	}
}

// overSocket makes a request over a Unix socket.
func overSocket(t *testing.T, path, url string, header http.Header) (status int, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://svc"+url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "http.sock")
	dir := t.TempDir()
	begin := func(args ...string) *server {
		s := launch(t, nil, append([]string{"--listen", "unix:" + socket}, args...)...)
		return s
	}
	s := begin("--data", dir)
	s.await(t, `"listening","url":"unix:[^"]+http.sock"`)

	// The peer is on this machine, so its X-Forwarded-For header is trusted.
	if status, body := overSocket(t, socket, "/nothing", http.Header{"X-Forwarded-For": {"203.0.113.9"}}); status != 404 {
		t.Errorf("got %d %s, want 404", status, body)
	}
	s.await(t, `"path":"/nothing".*"address":"203\.0\.113\.9"`)
	// But the peer is not the owner of the data.
	if status, body := overSocket(t, socket, "/control/version", nil); status != 404 {
		t.Errorf("control route: got %d %s, want 404", status, body)
	}
	if info, err := os.Stat(socket); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o660 {
		t.Errorf("got %v %v, want mode 0660", info, err)
	}
	second := begin("--data", filepath.Join(dir, "other"))
	<-second.exited
	if text := second.log.String(); !strings.Contains(text, "another process listens on "+socket) || !strings.Contains(text, "--listen or SVC_LISTEN") {
		t.Errorf("a second server: got\n%s", text)
	}

	// A killed process leaves the socket behind, and the next start replaces it.
	if err := s.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	if _, err := os.Stat(socket); err != nil {
		t.Fatalf("no dead socket to test with: %v", err)
	}
	s = begin("--data", dir, "--listen-mode", "0600")
	s.await(t, `"listening"`)
	if info, err := os.Stat(socket); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v, want mode 0600", info, err)
	}
	if runtime.GOOS != "windows" {
		s.signal(t, syscall.SIGTERM)
		<-s.exited
		if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after the end: got %v, want that the socket is gone", err)
		}
	}
}

package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"svc/internal/outbound"
	"svc/internal/testutil/nameserver"
)

// fetch sends a GET request with credentials and returns the status and the body of the
// response.
func fetch(t *testing.T, c *http.Client, address string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("user", "password")
	r.Header.Set("X-Secret", "secret")
	r.Header.Set("Range", "bytes=0-9")
	answer, err := c.Do(r)
	if err != nil {
		return 0, "", outbound.Explain(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || err.Error() != text {
		t.Errorf("got error %v; want %q", err, text)
	}
}

const notAllowed = "the address is not allowed"

// TestRebinding checks that a request is refused if its host name has changed to a
// forbidden address, both in a later request and after a redirect. In this test,
// 127.0.0.1 represents a public address.
func TestRebinding(t *testing.T) {
	t.Parallel()
	for _, private := range []string{"10.0.0.1", "127.0.0.2", "169.254.169.254", "192.168.0.1", "0.0.0.0"} {
		t.Run(private, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Connection", "close") // each request needs a new connection, and therefore a lookup
				if r.URL.Path == "/redirect" {
					http.Redirect(w, r, "/", http.StatusFound)
				}
			}))
			defer server.Close()
			base := fmt.Sprintf("https://example.com:%d", server.Listener.Addr().(*net.TCPAddr).Port)
			newClient := func() *http.Client {
				return outbound.NewWithin(
					outbound.Config{Profile: outbound.Data, Resolver: nameserver.New(t, "127.0.0.1", private).Resolver},
					func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.1") }, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
			}
			c := newClient()
			if status, _, err := fetch(t, c, base); err != nil || status != http.StatusOK {
				t.Fatalf("the public address: %d, %v", status, err)
			}
			_, _, err := fetch(t, c, base)
			wantError(t, err, notAllowed)
			_, _, err = fetch(t, newClient(), base+"/redirect")
			wantError(t, err, notAllowed)
		})
	}
}

// TestTargets checks to which addresses each profile may connect, both directly and after a
// redirect.
func TestTargets(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	port := uint16(server.Listener.Addr().(*net.TCPAddr).Port)
	operator := outbound.Config{Profile: outbound.Operator}
	data := outbound.Config{Profile: outbound.Data}
	trusting := outbound.Config{Profile: outbound.Data, Trusted: server.URL}
	for _, tc := range []struct {
		name   string
		config outbound.Config
		to     string
		want   string // text that the error must contain; "" = no error
	}{
		{"operator, private", operator, server.URL, ""},
		{"operator, redirect to private", operator, server.URL + "?to=" + server.URL, ""},
		{"operator, link-local", operator, "http://169.254.169.254/", notAllowed},
		{"operator, link-local in IPv6", operator, "http://[::ffff:a9fe:a9fe]/", notAllowed},
		{"operator, link-local as a number", operator, "http://[64:ff9b::a9fe:a9fe]/", notAllowed},
		{"operator, link-local by 6to4", operator, "http://[2002:a9fe:a9fe::1]/", notAllowed},
		{"operator, redirect to link-local", operator, server.URL + "?to=http://169.254.169.254/", notAllowed},
		{"operator, nowhere", operator, fmt.Sprintf("http://0.0.0.0:%d/", port), notAllowed},
		{"operator, own port", outbound.Config{Profile: outbound.Operator, Ports: []uint16{1, port}}, server.URL, "the address is that of this server"},
		{"operator, own port of another machine", outbound.Config{Profile: outbound.Operator, Ports: []uint16{port - 1}}, server.URL, ""},
		{"operator, file", operator, "file:///etc/passwd", "the address must begin with https://"},
		{"data, http", data, server.URL, "the address must begin with https://"},
		{"data, private", data, strings.Replace(server.URL, "http:", "https:", 1), notAllowed},
		{"data, private by name", data, fmt.Sprintf("https://localhost:%d/", port), notAllowed},
		{"data, link-local", data, "https://169.254.169.254/", notAllowed},
		{"data, trusted host", trusting, server.URL, ""},
		{"data, redirect from the trusted host to http", trusting, server.URL + "?to=http://127.0.0.1/", "the address must begin with https://"},
		{"data, redirect from the trusted host to private", trusting, server.URL + "?to=https://127.0.0.1/", notAllowed},
		{"fixed, private", outbound.Config{Profile: outbound.Fixed}, server.URL, ""},
		{"fixed, redirect to the same host", outbound.Config{Profile: outbound.Fixed}, server.URL + "?to=/other", ""},
		{"fixed, redirect elsewhere", outbound.Config{Profile: outbound.Fixed}, server.URL + "?to=http://localhost/", "a redirect leads to another host"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := fetch(t, outbound.New(tc.config), tc.to)
			if tc.want != "" {
				wantError(t, err, tc.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCredentialsStayWithTheirHost checks that credentials are not sent to another host
// or port after a redirect, and not even after a further redirect back to the first host.
func TestCredentialsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	show := func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%v|%s|%s|%s|%s", r.Header.Get("Authorization") != "", r.Header.Get("X-Secret"),
			r.Header.Get("Referer"), r.Header.Get("Range"), r.Header.Get("User-Agent"))
	}
	var first *httptest.Server
	second := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, first.URL+"/show", http.StatusFound)
			return
		}
		show(w, r)
	}))
	t.Cleanup(second.Close)
	first = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		show(w, r)
	}))
	t.Cleanup(first.Close)
	for to, want := range map[string]string{
		"/show":              "true|secret||bytes=0-9|svc/1.2.3",
		second.URL + "/show": "false|||bytes=0-9|svc/1.2.3",
		second.URL + "/back": "false|||bytes=0-9|svc/1.2.3",
	} {
		c := outbound.New(outbound.Config{Profile: outbound.Operator, Version: "1.2.3"})
		_, got, err := fetch(t, c, first.URL+"?to="+to)
		if err != nil || got != want {
			t.Errorf("to %s: %q, %v; want %q", to, got, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 70<<10))
		}
	}))
	t.Cleanup(server.Close)
	c := outbound.New(outbound.Config{Profile: outbound.Operator})
	_, _, err := fetch(t, c, server.URL+"/loop")
	wantError(t, err, "more than 5 redirects")
	if n := requests.Load(); n != 6 {
		t.Errorf("%d requests were sent, want 6", n)
	}
	_, _, err = fetch(t, c, server.URL+"/header")
	wantError(t, err, "the request failed")
	answer, err := c.Post(server.URL+"/loop", "text/plain", strings.NewReader("body"))
	if err != nil || answer.StatusCode != http.StatusFound {
		t.Fatalf("redirect of POST: %v, %v; want it handed out", answer, err)
	}
	_ = answer.Body.Close() // the body has not been read
}

func TestDowngradeIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.RedirectHandler("http://127.0.0.1/", http.StatusFound))
	t.Cleanup(server.Close)
	c := outbound.NewWithin(outbound.Config{Profile: outbound.Operator}, outbound.Public, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs)
	_, _, err := fetch(t, c, server.URL)
	wantError(t, err, "a redirect leads from https to http")
}

// TestErrorsNameNoAddress checks that the text of an error contains the reason, but no
// address.
func TestErrorsNameNoAddress(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	untrusted := httptest.NewUnstartedServer(nil)
	untrusted.Config.ErrorLog = log.New(t.Output(), "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	plain := httptest.NewServer(nil)
	t.Cleanup(plain.Close)
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(cut.Close)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		ctx        context.Context
		to, want   string
		nameserver *net.Resolver
	}{
		{t.Context(), closed.URL, "the connection was refused", nil},
		{t.Context(), untrusted.URL, "the certificate of the server is not valid", nil},
		{t.Context(), strings.Replace(plain.URL, "http:", "https:", 1), "the server does not speak TLS", nil},
		{t.Context(), cut.URL, "the connection broke off", nil},
		{cancelled, plain.URL, "cancelled", nil},
		{t.Context(), "http://name.invalid", "the host name does not resolve", &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no name server")
		}}},
	} {
		r, err := http.NewRequestWithContext(tc.ctx, http.MethodGet, tc.to, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = outbound.New(outbound.Config{Profile: outbound.Operator, Resolver: tc.nameserver}).Do(r) //nolint:bodyclose // there is no answer
		wantError(t, outbound.Explain(err), tc.want)
	}
}

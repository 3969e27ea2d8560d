package delivery_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"svc/internal/notify"
	"svc/internal/notify/smtp"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/internal/testutil/mailsink"
	"svc/internal/testutil/nameserver"
	"svc/store"
)

const (
	notAllowed  = "the address is not allowed"
	notOurs     = "the address is that of this server"
	notResolved = "the host name does not resolve"
)

// trap accepts connections on this machine, and counts them.
type trap struct {
	port        uint16
	connections atomic.Int64
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	tr := &trap{port: uint16(l.Addr().(*net.TCPAddr).Port)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			tr.connections.Add(1)
			_ = c.Close() // nothing was written
		}
	}()
	return tr
}

// others returns the number of connections that were opened by others.
func (tr *trap) others(t *testing.T) int64 {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", tr.port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.Copy(io.Discard, c); err != nil { // until it was accepted, after all before it
		t.Fatal(err)
	}
	return tr.connections.Load() - 1
}

// hookOf adds a hook of any kind.
func (f *fixture) hookOf(t *testing.T, kind notify.Kind, address string) *store.Hook {
	t.Helper()
	h := &store.Hook{Name: "H", Kind: kind, Enabled: true, URL: address, Events: []string{"*"}}
	if kind.Authorized() {
		h.Authorization = f.Keys.Seal(seal.HookAuthorization, "Bearer of-the-receiver")
	}
	switch kind {
	case notify.Webhook:
		h.Secret = f.Keys.Seal(seal.HookSecret, secret)
	case notify.Slack, notify.Discord:
		h.URL = f.Keys.Seal(seal.HookAddress, address)
	case notify.Email:
		h.URL, h.To = "", []string{"a@example.com"}
	}
	f.update(t, func(tx *store.Tx) error { return tx.PutHook(f.p.ID, h) })
	return h
}

// through makes the engine reach all receivers as a server would: webhooks, ntfy, Slack and Discord
// over HTTP, and e-mail over the mail server at the given host and port.
func (f *fixture) through(t *testing.T, c outbound.Config, mailHost string) {
	t.Helper()
	u, err := url.Parse("smtp://" + mailHost + "?starttls=off")
	if err != nil {
		t.Fatal(err)
	}
	c.Profile = outbound.Operator
	f.Client = outbound.New(c)
	f.Mail = smtp.New(smtp.Config{URL: u, From: "svc@sender.example", Dial: outbound.Dialer(c)})
}

// TestAddresses checks for each kind of hook which addresses are refused. A refused address is a
// failed attempt whose error names no address, and nothing connects to it.
func TestAddresses(t *testing.T) {
	t.Parallel()
	own := newTrap(t)
	f := newFixture(t)
	at := func(host string) string { return fmt.Sprintf("%s:%d", host, own.port) }
	for _, tc := range []struct {
		rule, host string
		resolved   string // address of host if it is a name
		want       string
	}{
		{"link-local", "169.254.1.1:80", "", notAllowed},
		{"link-local, IPv6", "[fe80::1]:80", "", notAllowed},
		{"link-local, IPv6 with a zone", "[fe80::1%25lo]:80", "", notAllowed},
		{"link-local by name", "receiver.example:80", "169.254.1.1", notAllowed},
		{"metadata", "169.254.169.254:80", "", notAllowed},
		{"metadata, IPv6", "[fd00:ec2::254]:80", "", notAllowed},
		{"metadata, IPv4 in IPv6", "[::ffff:169.254.169.254]:80", "", notAllowed},
		{"metadata, NAT64", "[64:ff9b::a9fe:a9fe]:80", "", notAllowed},
		{"metadata, 6to4", "[2002:a9fe:a9fe::1]:80", "", notAllowed},
		{"metadata of another cloud", "100.100.100.200:80", "", notAllowed},
		{"metadata by name", "metadata.google.internal:80", "169.254.169.254", notAllowed},
		{"metadata as a number", "2852039166:80", "169.254.169.254", notResolved},
		{"unspecified", at("0.0.0.0"), "", notAllowed},
		{"unspecified, IPv6", at("[::]"), "", notAllowed},
		{"unspecified, IPv4 in IPv6", at("[::ffff:0.0.0.0]"), "", notAllowed},
		{"unspecified by name", at("receiver.example"), "0.0.0.0", notAllowed},
		{"unspecified, another of the network", at("0.1.2.3"), "", notAllowed},
		{"multicast", "224.0.0.1:80", "", notAllowed},
		{"multicast, IPv6", "[ff02::1]:80", "", notAllowed},
		{"broadcast", "255.255.255.255:80", "", notAllowed},
		{"own listener", at("127.0.0.1"), "", notOurs},
		{"own listener by name", at("localhost"), "127.0.0.1", notOurs},
		{"own listener, IPv6", at("[::1]"), "", notOurs},
		{"own listener, IPv4 in IPv6", at("[::ffff:127.0.0.1]"), "", notOurs},
		{"own listener, another loopback address", at("127.1.2.3"), "", notOurs},
		{"own listener, short form", at("127.1"), "127.0.0.1", notResolved},
		{"own listener as a number", at("2130706433"), "127.0.0.1", notResolved},
		{"own listener by another name", at("receiver.example"), "127.0.0.1", notOurs},
	} {
		var answers []string
		if tc.resolved != "" {
			answers = []string{tc.resolved}
		}
		names := nameserver.New(t, answers...)
		f.through(t, outbound.Config{Ports: []uint16{1, own.port}, Resolver: names.Resolver}, tc.host)
		f.attempts(t, "http://"+tc.host+"/a/b/c", notify.Kinds, func(kind notify.Kind, d *store.HookDelivery) {
			if d.State != store.DeliveryRetrying || *d.LastStatus != 0 || d.LastError != tc.want || d.Response != nil {
				t.Errorf("%s, %s: got %s with the error %q, want %q", tc.rule, kind, d.State, d.LastError, tc.want)
			}
		})
	}
	if n := own.others(t); n > 0 {
		t.Errorf("there were %d connections to addresses that must not be used", n)
	}
}

// TestRebinding checks for each kind of hook that the address of a name is looked up once for each
// attempt, and that an attempt is refused after the name has got an address that must not be used.
func TestRebinding(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mails := mailsink.New(t, mailsink.Config{})
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close") // an open connection needs no address
	})
	named := func(address string) string { return strings.Replace(address, "127.0.0.1", "receiver.example", 1) }
	received := func() int { return int(r.requests.Load()) + len(mails.Received()) }
	for _, later := range []string{"169.254.169.254", "0.0.0.0", "224.0.0.1", "100.100.100.200"} {
		for _, kind := range notify.Kinds {
			names := nameserver.New(t, "127.0.0.1", later)
			f.through(t, outbound.Config{Resolver: names.Resolver}, named(mails.Addr))
			before := received()
			for n, want := range []string{"", notAllowed} {
				f.attempts(t, named(r.URL)+"/a/b/c", []notify.Kind{kind}, func(_ notify.Kind, d *store.HookDelivery) {
					if d.LastError != want || names.Asked() != n+1 {
						t.Errorf("%s, attempt %d: got the error %q after %d queries, want %q", kind, n+1, d.LastError, names.Asked(), want)
					}
				})
			}
			if got := received() - before; got != 1 {
				t.Errorf("%s, later %s: the receiver got %d events, want 1", kind, later, got)
			}
		}
	}
}

// TestFailures checks each kind of hook with receivers that answer with a redirect or are not there.
// Nothing connects to the address of a redirect.
func TestFailures(t *testing.T) {
	t.Parallel()
	elsewhere := newTrap(t)
	redirects := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		status, err := strconv.Atoi(strings.Trim(q.URL.Path, "/abc"))
		if err != nil {
			t.Error(err)
		}
		http.Redirect(w, q, fmt.Sprintf("http://127.0.0.1:%d/", elsewhere.port), status)
	})
	down := newReceiver(t, nil)
	down.Close()
	f := newFixture(t)
	f.through(t, outbound.Config{}, down.Listener.Addr().String())
	overHTTP := slices.DeleteFunc(slices.Clone(notify.Kinds), func(k notify.Kind) bool { return k == notify.Email })
	for _, status := range []int{301, 302, 303, 307, 308} {
		want := fmt.Sprintf("the receiver answered %d, a redirect, which is not followed", status)
		f.attempts(t, fmt.Sprintf("%s/%d/a/b/c", redirects.URL, status), overHTTP, func(kind notify.Kind, d *store.HookDelivery) {
			if d.State != store.DeliveryRetrying || *d.LastStatus != status || d.LastError != want {
				t.Errorf("%s: got %+v, status %d, want %q", kind, d, *d.LastStatus, want)
			}
		})
	}
	f.attempts(t, down.URL+"/a/b/c", notify.Kinds, func(kind notify.Kind, d *store.HookDelivery) {
		if d.State != store.DeliveryRetrying || *d.LastStatus != 0 || d.LastError != "the connection was refused" {
			t.Errorf("%s: got %+v, status %d", kind, d, *d.LastStatus)
		}
	})
	if n, made := elsewhere.others(t), int(redirects.requests.Load()); n != 0 || made != 5*len(overHTTP) {
		t.Errorf("there were %d requests, and %d connections to the address of a redirect", made, n)
	}
}

// attempts makes an attempt with a hook of each given kind, and deletes the hooks.
func (f *fixture) attempts(t *testing.T, address string, kinds []notify.Kind, check func(notify.Kind, *store.HookDelivery)) {
	t.Helper()
	var hooks []*store.Hook
	for _, kind := range kinds {
		hooks = append(hooks, f.hookOf(t, kind, address))
	}
	f.notify(t, 1)
	f.run(t)
	for _, h := range hooks {
		list, _, _ := f.deliveries(t, h)
		check(h.Kind, list[0])
		f.update(t, func(tx *store.Tx) error { return tx.DeleteHook(f.p.ID, h.ID) })
	}
}

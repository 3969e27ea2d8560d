// Package outbound makes all requests of the program to other machines. Its clients
// refuse to connect to addresses that their profile does not allow. They check an address
// after its name has been resolved, and again after every redirect, so that changing the
// address of a name does not circumvent the check.
//
//	outbound.go  profiles, the client, redirects
//	address.go   allowed addresses
//	idle.go      timeout of stalled transfers
//	explain.go   errors as short texts without addresses
//	watch.go     what one server says about its clock and about further requests
package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Profile describes the origin of the addresses to which a client connects. It determines
// which addresses are allowed.
type Profile uint8

// The profiles.
const (
	// Operator is for addresses entered by the administrator. Private addresses are allowed,
	// because storages in local networks have them. Link-local addresses are rejected, because
	// clouds offer credentials there. The listeners of this server are rejected, too.
	Operator Profile = iota + 1
	// Data is for addresses from payloads and records. Only https and public addresses are allowed.
	// No proxy is used, because the addresses behind a proxy cannot be checked. The host of
	// Config.Trusted is exempt from these rules, because the administrator has entered it.
	Data
	// Fixed is for addresses from the configuration. It is like Operator, but rejects redirects to
	// other hosts.
	Fixed
)

// Limits of every request.
const (
	maxHeaderBytes = 64 << 10
	maxRedirects   = 5
	connectTime    = 10 * time.Second // includes the TLS handshake
	// answerTime limits the time from the end of a request to the header of the response. It
	// is long because some storages copy the whole file in that time.
	answerTime = 2 * time.Minute
)

// Config configures a client.
type Config struct {
	Profile Profile
	Version string // version of svc, for the User-Agent
	// Ports lists the ports on which this server listens. Connections to these ports are
	// refused for all addresses of this machine.
	Ports []uint16
	// Trusted is the base address of the code host. It is used only by the profile Data.
	Trusted string
	// Resolver resolves host names. If it is nil, the resolver of the system is used.
	Resolver *net.Resolver
}

// New returns a client. It follows at most five redirects of a GET or HEAD request, and
// returns redirects of other methods to the caller. It does not send credentials to
// another host, and does not decompress responses.
func New(c Config) *http.Client {
	t := newTransport(c)
	t.base = &http.Transport{
		DialContext:            t.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTime,
		ResponseHeaderTimeout:  answerTime,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        90 * time.Second,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
	if c.Profile != Data {
		t.base.Proxy = http.ProxyFromEnvironment
	}
	return &http.Client{Transport: Idle(t, IdleTime), CheckRedirect: t.redirect}
}

// Dialer returns a function that connects to the addresses that the profile allows, for protocols
// other than HTTP. It does not use a proxy.
func Dialer(c Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return newTransport(c).dial
}

func newTransport(c Config) *transport {
	t := &transport{profile: c.Profile, agent: "svc/" + c.Version, ports: slices.Clone(c.Ports), public: Public}
	if trusted, err := url.Parse(c.Trusted); err == nil && trusted.Host != "" {
		t.trusted = hostPort(trusted)
	}
	t.dialer = net.Dialer{Timeout: connectTime, Resolver: c.Resolver}
	return t
}

// transport is a RoundTripper that checks each request, including requests after
// redirects.
type transport struct {
	profile Profile
	agent   string
	ports   []uint16
	trusted string // host:port of Config.Trusted
	public  func(netip.Addr) bool
	dialer  net.Dialer
	base    *http.Transport
}

// RoundTrip sends r if its scheme is allowed.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.URL.Scheme == "https":
	case r.URL.Scheme == "http" && (t.profile != Data || hostPort(r.URL) == t.trusted):
	default:
		closeBody(r)
		return nil, errScheme
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.agent)
	return t.base.RoundTrip(r)
}

// CloseIdleConnections closes unused connections.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// closeBody closes the body of a request that is not sent, as every RoundTripper must.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // nothing has been read from the body
	}
}

// redirect returns an error if a redirect must not be followed. Otherwise it removes the
// headers that must not be sent to the new address.
func (t *transport) redirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet && first.Method != http.MethodHead {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errDowngrade
	}
	elsewhere := func(r *http.Request) bool {
		return r.URL.Scheme != first.URL.Scheme || hostPort(r.URL) != hostPort(first.URL)
	}
	next.Header.Del("Referer") // the referring address may be a signed one
	if slices.ContainsFunc(append(via[1:len(via):len(via)], next), elsewhere) {
		if t.profile == Fixed {
			return errElsewhere
		}
		for name := range next.Header {
			if !slices.Contains(harmless, name) {
				next.Header.Del(name)
			}
		}
	}
	return nil
}

// harmless lists the headers that may be sent to another host after a redirect.
var harmless = []string{"Accept", "Accept-Encoding", "If-Range", "Range", "User-Agent"}

// dial connects to an address if the profile allows it. The method check is called in the
// dialer's ControlContext function, which gets the resolved address instead of the name.
func (t *transport) dial(ctx context.Context, network, address string) (net.Conn, error) {
	private := t.profile != Data || strings.EqualFold(address, t.trusted)
	d := t.dialer
	d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return errAddress
		}
		return t.check(to, private)
	}
	return d.DialContext(ctx, network, address)
}

// check returns an error if connections to an address are not allowed. private reports
// whether private addresses are allowed.
func (t *transport) check(to netip.AddrPort, private bool) error {
	switch {
	case !private && !t.public(to.Addr()):
		return errAddress
	case private && !Routable(to.Addr()):
		return errAddress
	case slices.Contains(t.ports, to.Port()) && ours(to.Addr()):
		return errOwn
	}
	return nil
}

// hostPort returns the host of a URL in lower case, followed by the port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

var (
	errScheme    = errors.New("the address must begin with https://")
	errAddress   = errors.New("the address is not allowed")
	errOwn       = errors.New("the address is that of this server")
	errRedirects = errors.New("more than 5 redirects")
	errDowngrade = errors.New("a redirect leads from https to http")
	errElsewhere = errors.New("a redirect leads to another host")
)

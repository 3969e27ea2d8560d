package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"svc/internal/certificate"
	"svc/internal/setting"
)

// Config contains the arguments of Open that are not settings.
type Config struct {
	Certificate *certificate.Files // the configured certificate; nil without tls.cert
	CertsDir    string             // directory for certificates that are obtained automatically
	UserAgent   string             // User-Agent of requests to the certificate authority
	Log         *slog.Logger
}

// Listeners holds the public listeners: one for plain HTTP or HTTPS and, if certificates
// are automatic, one that redirects to HTTPS.
type Listeners struct {
	Open      []net.Listener
	URLs      []string // the URLs at which the server can be reached
	domain    []string
	automatic *certificate.Automatic // nil unless a domain is configured
}

// Open opens the listeners that the settings specify.
func Open(ctx context.Context, s *setting.Settings, c Config) (*Listeners, error) {
	l := &Listeners{domain: s.Domain}
	if err := l.open(ctx, s, c); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (f *Listeners) open(ctx context.Context, s *setting.Settings, c Config) error {
	if path, ok := strings.CutPrefix(s.Listen, setting.UnixPrefix); ok {
		l, err := listenUnix(ctx, path, s.ListenMode)
		if err != nil {
			return err
		}
		f.Open = append(f.Open, l)
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		f.URLs = []string{setting.UnixPrefix + absolute}
		return nil
	}
	l, err := listenTCP(ctx, s.Listen, "use another address with --listen or SVC_LISTEN")
	if err != nil {
		return err
	}
	f.Open = append(f.Open, l)
	switch {
	case len(s.Domain) > 0:
		return f.automate(ctx, s, l, c)
	case c.Certificate != nil:
		f.URLs = Reachable("https", l.Addr())
		f.Open[0] = tls.NewListener(l, c.Certificate.Config())
	default:
		f.URLs = Reachable("http", l.Addr())
	}
	return nil
}

// automate makes l serve HTTPS with certificates that are obtained automatically.
func (f *Listeners) automate(ctx context.Context, s *setting.Settings, l net.Listener, c Config) error {
	o := certificate.Options{
		Names:     s.Domain,
		Folder:    c.CertsDir,
		CA:        s.ACMECA,
		Email:     s.ACMEEmail,
		TLSPort:   l.Addr().(*net.TCPAddr).Port,
		UserAgent: c.UserAgent,
		Log:       c.Log,
	}
	for _, name := range s.Domain {
		f.URLs = append(f.URLs, "https://"+name)
	}
	if s.RedirectListen != "" {
		plain, err := listenTCP(ctx, s.RedirectListen, "use another address with --redirect-listen, or off for none")
		if err != nil {
			return err
		}
		f.Open = append(f.Open, plain)
		o.HTTPPort = plain.Addr().(*net.TCPAddr).Port
	}
	f.automatic = certificate.NewAutomatic(o)
	f.Open[0] = tls.NewListener(l, f.automatic.Config())
	return nil
}

// Addresses returns the addresses of the listeners as one text, those for HTTPS first.
func (f *Listeners) Addresses() string {
	all := make([]string, len(f.Open))
	for i, l := range f.Open {
		all[i] = l.Addr().String()
	}
	return strings.Join(all, " ")
}

// Start begins to obtain certificates, if they are obtained automatically.
func (f *Listeners) Start(ctx context.Context) error {
	if f.automatic == nil {
		return nil
	}
	return f.automatic.Start(ctx)
}

// Close closes the listeners. Listeners that have been served are already closed.
func (f *Listeners) Close() {
	for _, l := range f.Open {
		_ = l.Close()
	}
	if f.automatic != nil {
		f.automatic.Close()
	}
}

// Guard returns a handler that redirects plain HTTP requests to HTTPS if certificates are
// obtained automatically.
func (f *Listeners) Guard(next http.Handler) http.Handler {
	if f.automatic == nil {
		return next
	}
	return onlySecure(next, f.domain, f.automatic.Challenges)
}

func listenTCP(ctx context.Context, address, hint string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, fs.ErrPermission) {
		hint += ";\nports below 1024 need a right: see \"svc help install\""
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, hint)
	}
	return l, nil
}

// Reachable returns the URLs at which a listener can be reached. If it listens on all
// addresses, these are the addresses of the machine, except link-local ones, which can
// only be used with a zone.
func Reachable(scheme string, a net.Addr) []string {
	return reachable(scheme, a.(*net.TCPAddr), net.InterfaceAddrs)
}

func reachable(scheme string, a *net.TCPAddr, machine func() ([]net.Addr, error)) (urls []string) {
	add := func(ip net.IP) {
		urls = append(urls, scheme+"://"+net.JoinHostPort(ip.String(), strconv.Itoa(a.Port)))
	}
	if !a.IP.IsUnspecified() {
		add(a.IP)
		return urls
	}
	add(net.IPv4(127, 0, 0, 1))
	all, err := machine()
	if err != nil { // only the loopback address is known
		return urls
	}
	for _, four := range []bool{true, false} {
		for _, one := range all {
			of, ok := one.(*net.IPNet)
			if ok && (of.IP.To4() != nil) == four && (four || a.IP.To4() == nil) && of.IP.IsGlobalUnicast() {
				add(of.IP)
			}
		}
	}
	return urls
}

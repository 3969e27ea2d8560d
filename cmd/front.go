package cmd

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
	"strings"

	"svc/internal/certificate"
	"svc/internal/setting"
)

// certsName is the folder of automatic certificates in the data directory.
const certsName = "certs"

// front is where the public asks: one listener for plain HTTP or HTTPS, and with
// automatic certificates one that sends people there.
type front struct {
	listeners []net.Listener
	urls      []string // where it answers, for people
	every     bool     // the address is one of all that this machine has
	domain    []string
	automatic *certificate.Automatic // nil without domain
}

// openCertificate reads the certificate that somebody else keeps up to date, or
// gives nil when there is none. One that cannot be used is a problem of the
// settings.
func openCertificate(s *setting.Settings, log *slog.Logger) (*certificate.Files, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	files, err := certificate.OpenFiles(s.TLSCert, s.TLSKey, log, nil)
	if err != nil {
		return nil, setting.Errors{fmt.Errorf("%s and %s cannot be used: %w", s.Value("tls.cert").Name, s.Value("tls.key").Name, err)}
	}
	return files, nil
}

// openFront listens where the settings say. files is the certificate from
// files, or nil.
func openFront(ctx context.Context, s *setting.Settings, files *certificate.Files, log *slog.Logger) (*front, error) {
	f := &front{domain: s.Domain}
	if err := f.open(ctx, s, files, log); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *front) open(ctx context.Context, s *setting.Settings, files *certificate.Files, log *slog.Logger) error {
	if path, ok := strings.CutPrefix(s.Listen, setting.UnixPrefix); ok {
		l, err := listenUnix(ctx, path, s.ListenMode)
		if err != nil {
			return err
		}
		f.listeners = append(f.listeners, l)
		f.urls = []string{setting.UnixPrefix + absolute(path)}
		return nil
	}
	l, err := listenTCP(ctx, s.Listen, "use another address with --listen or SVC_LISTEN")
	if err != nil {
		return err
	}
	f.listeners = append(f.listeners, l)
	f.every = l.Addr().(*net.TCPAddr).IP.IsUnspecified()
	switch {
	case len(s.Domain) > 0:
		return f.automate(ctx, s, l, log)
	case files != nil:
		f.urls = []string{"https://" + reachable(l.Addr())}
		f.listeners[0] = tls.NewListener(l, files.Config())
	default:
		f.urls = []string{"http://" + reachable(l.Addr())}
	}
	return nil
}

// automate makes l a listener of HTTPS with automatic certificates.
func (f *front) automate(ctx context.Context, s *setting.Settings, l net.Listener, log *slog.Logger) error {
	o := certificate.Options{
		Names:     s.Domain,
		Folder:    filepath.Join(s.Data, certsName),
		CA:        s.ACMECA,
		Email:     s.ACMEEmail,
		TLSPort:   l.Addr().(*net.TCPAddr).Port,
		UserAgent: "svc/" + version,
		Log:       log,
	}
	for _, name := range s.Domain {
		f.urls = append(f.urls, "https://"+name)
	}
	f.every = false // clients must use a name of the certificate
	if s.RedirectListen != "" {
		plain, err := listenTCP(ctx, s.RedirectListen, "use another address with --redirect-listen, or off for none")
		if err != nil {
			return err
		}
		f.listeners = append(f.listeners, plain)
		o.HTTPPort = plain.Addr().(*net.TCPAddr).Port
	}
	f.automatic = certificate.NewAutomatic(o)
	f.listeners[0] = tls.NewListener(l, f.automatic.Config())
	return nil
}

// addresses are those of the listeners, HTTPS first.
func (f *front) addresses() string {
	all := make([]string, len(f.listeners))
	for i, l := range f.listeners {
		all[i] = l.Addr().String()
	}
	return strings.Join(all, " ")
}

// start begins to fetch certificates where that is wanted.
func (f *front) start(ctx context.Context) error {
	if f.automatic == nil {
		return nil
	}
	return f.automatic.Start(ctx)
}

// close ends what open has begun. Listeners that have served are closed already.
func (f *front) close() {
	for _, l := range f.listeners {
		_ = l.Close()
	}
	if f.automatic != nil {
		f.automatic.Close()
	}
}

// guard puts what belongs to HTTPS before a handler.
func (f *front) guard(next http.Handler) http.Handler {
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

// reachable is an address of this machine at which a listener answers.
func reachable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

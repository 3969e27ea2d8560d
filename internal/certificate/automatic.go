package certificate

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

// Options configures how certificates are obtained.
type Options struct {
	Names  []string // host names in ASCII; must not be empty
	Folder string   // directory for certificates, keys and the account
	CA     string   // URL of the certificate authority's directory; "" = Let's Encrypt
	Email  string   // contact address for the certificate authority; "" = none

	// TLSPort and HTTPPort are the ports on which this process listens. They must be
	// reachable from outside as 443 and 80.
	TLSPort  int
	HTTPPort int // 0 = this process has no listener for plain HTTP

	UserAgent string
	Log       *slog.Logger
}

// Automatic obtains certificates from a certificate authority that supports ACME, and
// renews them before they expire.
type Automatic struct {
	names  []string
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer
}

// NewAutomatic returns an Automatic. It sends no requests before Start. The caller must
// close it.
func NewAutomatic(o Options) *Automatic {
	log := zap.New(logCore{o.Log.Handler()})
	a := &Automatic{names: o.Names}
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return a.config, nil },
		Logger:           log,
	})
	a.config = certmagic.New(a.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: o.Folder},
		// for clients that do not send a server name
		DefaultServerName: o.Names[0],
		OnEvent:           tellFetched(o.Log),
		Logger:            log,
	})
	certmagic.UserAgent = o.UserAgent
	a.issuer = certmagic.NewACMEIssuer(a.config, certmagic.ACMEIssuer{
		CA:                   o.CA,
		Email:                o.Email,
		Agreed:               true, // by configuring a domain, the administrator agrees to the terms of the authority, as documented
		DisableHTTPChallenge: o.HTTPPort == 0,
		AltHTTPPort:          o.HTTPPort,
		AltTLSALPNPort:       o.TLSPort,
		Logger:               log,
	})
	a.config.Issuers = []certmagic.Issuer{a.issuer}
	return a
}

// Start loads certificates from the directory. It obtains and renews certificates in the
// background until ctx is done.
func (a *Automatic) Start(ctx context.Context) error {
	if err := a.config.ManageAsync(ctx, a.names); err != nil {
		return fmt.Errorf("automatic certificates: %w", err)
	}
	return nil
}

// Close stops all background work.
func (a *Automatic) Close() { a.cache.Stop() }

// Config returns the TLS configuration for an HTTPS listener with HTTP/2. It also
// responds to the authority's challenges over TLS.
func (a *Automatic) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1", "acme-tls/1"},
		GetCertificate: a.config.GetCertificate,
	}
}

// Challenges returns a handler that responds to the authority's challenges over plain HTTP. It
// passes all other requests to the handler next.
func (a *Automatic) Challenges(next http.Handler) http.Handler {
	return a.issuer.HTTPChallengeHandler(next)
}

// tellFetched returns an event handler that logs when certificates are issued and when
// they are loaded. certmagic itself logs failures.
func tellFetched(log *slog.Logger) func(context.Context, string, map[string]any) error {
	return func(_ context.Context, event string, data map[string]any) error {
		switch event {
		case "cert_obtained":
			log.Info("certificate issued", "name", data["identifier"], "renewal", data["renewal"])
		case "cached_managed_cert":
			log.Info("certificate in use", "names", data["sans"])
		}
		return nil
	}
}

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

// Options say which certificates are fetched, and how.
type Options struct {
	Names  []string // host names in ASCII, at least one
	Folder string   // keeps certificates, keys and the account
	CA     string   // address of the authority's directory; "" = Let's Encrypt
	Email  string   // where the authority writes to; "" = nowhere

	// The ports that this process listens on. The outside reaches them as 443
	// and 80.
	TLSPort  int
	HTTPPort int // 0 = nobody listens for plain HTTP

	UserAgent string
	Log       *slog.Logger
}

// Automatic fetches certificates from an authority that speaks ACME and renews
// them in time.
type Automatic struct {
	names  []string
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer
}

// NewAutomatic prepares everything and asks nobody yet. Close gives it back.
func NewAutomatic(o Options) *Automatic {
	log := zap.New(logCore{o.Log.Handler()})
	a := &Automatic{names: o.Names}
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return a.config, nil },
		Logger:           log,
	})
	a.config = certmagic.New(a.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: o.Folder},
		// For clients that do not say whom they want to reach.
		DefaultServerName: o.Names[0],
		OnEvent:           tellFetched(o.Log),
		Logger:            log,
	})
	certmagic.UserAgent = o.UserAgent
	a.issuer = certmagic.NewACMEIssuer(a.config, certmagic.ACMEIssuer{
		CA:                   o.CA,
		Email:                o.Email,
		Agreed:               true, // whoever names a domain does; the documentation says so
		DisableHTTPChallenge: o.HTTPPort == 0,
		AltHTTPPort:          o.HTTPPort,
		AltTLSALPNPort:       o.TLSPort,
		Logger:               log,
	})
	a.config.Issuers = []certmagic.Issuer{a.issuer}
	return a
}

// Start reads in the background what is in the folder, fetches what is missing
// and keeps everything renewed until ctx ends.
func (a *Automatic) Start(ctx context.Context) error {
	if err := a.config.ManageAsync(ctx, a.names); err != nil {
		return fmt.Errorf("automatic certificates: %w", err)
	}
	return nil
}

// Close ends all work.
func (a *Automatic) Close() { a.cache.Stop() }

// Config is for a listener of HTTPS, with HTTP/2. It answers the checks of the
// authority that come over TLS.
func (a *Automatic) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1", "acme-tls/1"},
		GetCertificate: a.config.GetCertificate,
	}
}

// Challenges answers the checks of the authority that come over plain HTTP and
// gives everything else to next.
func (a *Automatic) Challenges(next http.Handler) http.Handler {
	return a.issuer.HTTPChallengeHandler(next)
}

// tellFetched logs what a person wants to know; what fails is in the log of
// certmagic.
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

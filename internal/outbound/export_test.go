package outbound

import (
	"crypto/x509"
	"net/http"
	"net/netip"
)

// NewWithin makes a client of New for a test, in whose world other addresses are
// public and other certificates are trusted.
func NewWithin(c Config, public func(netip.Addr) bool, roots *x509.CertPool) *http.Client {
	client := New(c)
	t := client.Transport.(*idle).base.(*transport)
	t.public, t.base.TLSClientConfig.RootCAs = public, roots
	return client
}

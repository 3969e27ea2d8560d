package outbound

import (
	"crypto/x509"
	"net/http"
	"net/netip"
)

// NewWithin is New for tests in which other addresses are public and other certificates are
// trusted.
func NewWithin(c Config, public func(netip.Addr) bool, roots *x509.CertPool) *http.Client {
	client := New(c)
	t := client.Transport.(*idle).base.(*transport)
	t.public, t.base.TLSClientConfig.RootCAs = public, roots
	return client
}

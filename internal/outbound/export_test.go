package outbound

import (
	"crypto/x509"
	"net/http"
	"net/netip"
)

// NewWithin is like New, but public determines which addresses are public, and roots
// contains the trusted certificates.
func NewWithin(c Config, public func(netip.Addr) bool, roots *x509.CertPool) *http.Client {
	client := New(c)
	t := client.Transport.(*idle).base.(*transport)
	t.public, t.base.TLSClientConfig.RootCAs = public, roots
	return client
}

package smtp

import "crypto/x509"

// NewWithin is like New, but roots contains the trusted certificates.
func NewWithin(c Config, roots *x509.CertPool) *Server {
	s := New(c)
	s.roots = roots
	return s
}

package setting

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// StartTLS is the name of the query parameter of smtp.url. If the parameter is off, connections
// without TLS are allowed.
const StartTLS = "starttls"

// mailServer parses the address of a mail server. It returns the scheme and the host in lower case,
// and always a port. The error does not contain the value, because the value contains a password.
func mailServer(v string) (*url.URL, error) {
	bad := errors.New("must be an address such as smtp://user:password@mail.example.com:587 or smtps://user:password@mail.example.com:465; " +
		"only smtp can have ?starttls=off")
	u, err := url.Parse(v)
	if err != nil {
		return nil, bad
	}
	ports := map[string]string{"smtp": "587", "smtps": "465"}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = ports[scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || ports[scheme] == "" || !validHost(host) || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return nil, bad
	}
	plain := scheme == "smtp" && u.RawQuery == StartTLS+"=off"
	if u.RawQuery != "" && !plain {
		return nil, bad
	}
	if u.User != nil {
		if password, _ := u.User.Password(); u.User.Username() == "" || password == "" {
			return nil, errors.New("must have both a user and a password, or neither")
		}
	}
	return &url.URL{Scheme: scheme, User: u.User, Host: net.JoinHostPort(host, port), RawQuery: u.RawQuery}, nil
}

// settleMail warns about settings for e-mail that have no effect.
func (s *Settings) settleMail() {
	address, from := s.value("smtp.url"), s.value("smtp.from")
	switch {
	case address.Text != "" && from.Text == "":
		s.warn("%s is not used because smtp.from is not set", address.Name)
	case address.Text == "" && from.Text != "":
		s.warn("%s is not used because smtp.url is not set", from.Name)
	}
}

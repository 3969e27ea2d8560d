package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// maxRead limits the number of bytes that are read from a server in one session.
const maxRead = 256 << 10

var (
	errNoTLS   = errors.New("the mail server does not offer STARTTLS")
	errNoLogin = errors.New("the mail server does not offer a login that is supported")
	errTooLong = errors.New("the mail server sent too much")
)

// deliver sends a message over a new connection. It returns the server's reply to the end of the
// message.
func (s *Server) deliver(ctx context.Context, to []string, m *mail.Msg) (answer string, err error) {
	conn, err := s.Dial(ctx, "tcp", s.URL.Host)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends all reads and writes
	session, err := s.open(&limited{conn, maxRead})
	if err != nil {
		return "", err
	}
	if err := session.Mail("<" + s.From + ">"); err != nil {
		return "", err
	}
	for _, address := range to {
		if err := session.Rcpt("<" + address + ">"); err != nil {
			return "", err
		}
	}
	w, err := session.Data()
	if err != nil {
		return "", err
	}
	if _, err := m.WriteTo(w); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	_ = session.Quit() // the message has been accepted
	if accepted, ok := w.(*smtp.DataCloser); ok {
		answer = accepted.ServerResponse()
	}
	return answer, nil
}

// open begins a session: it negotiates TLS unless the URL turns that off, and logs in if the URL
// contains a user.
func (s *Server) open(conn net.Conn) (*smtp.Client, error) {
	host := s.URL.Hostname()
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}
	implicit, plain := s.URL.Scheme == "smtps", s.URL.RawQuery != ""
	if implicit {
		conn = tls.Client(conn, config)
	}
	session, err := smtp.NewClient(conn, host)
	if err != nil {
		return nil, err
	}
	if err := session.Hello(s.domain); err != nil {
		return nil, err
	}
	if !implicit && !plain {
		if offered, _ := session.Extension("STARTTLS"); !offered {
			return nil, errNoTLS
		}
		if err := session.StartTLS(config); err != nil {
			return nil, err
		}
	}
	if s.URL.User == nil {
		return session, nil
	}
	_, offered := session.Extension("AUTH")
	login := s.login(strings.Fields(offered), plain)
	if login == nil {
		return nil, errNoLogin
	}
	return session, session.Auth(login)
}

// login returns the best supported one of the offered ways to log in, or nil if none is supported.
// plain allows sending the password over a connection without TLS.
func (s *Server) login(offered []string, plain bool) smtp.Auth {
	user, host := s.URL.User.Username(), s.URL.Hostname()
	password, _ := s.URL.User.Password()
	switch {
	case slices.Contains(offered, "SCRAM-SHA-256"):
		return smtp.ScramSHA256Auth(user, password)
	case slices.Contains(offered, "PLAIN"):
		return smtp.PlainAuth("", user, password, host, plain)
	case slices.Contains(offered, "LOGIN"):
		return smtp.LoginAuth(user, password, host, plain)
	case slices.Contains(offered, "CRAM-MD5"):
		return smtp.CRAMMD5Auth(user, password)
	}
	return nil
}

// limited is a connection from which at most left bytes can still be read.
type limited struct {
	net.Conn
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, errTooLong
	}
	n, err := l.Conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

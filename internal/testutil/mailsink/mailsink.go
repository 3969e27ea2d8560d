// Package mailsink is a mail server for tests. It keeps the messages that it accepts.
package mailsink

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Config configures a Sink.
type Config struct {
	// TLS is used for STARTTLS, or from the beginning if Implicit is set. If it is nil, the server
	// does not offer TLS.
	TLS      *tls.Config
	Implicit bool
	// User and Password are the login that clients must use. If User is "", none is required.
	User, Password string
	// Refuse returns the reply with which the server refuses a command, or nil to accept the command.
	// command is MAIL, RCPT or DATA. address is the address in MAIL or RCPT, and "" for DATA. Refuse
	// may block. If Refuse is nil, all commands are accepted.
	Refuse func(command, address string) *smtp.SMTPError
}

// Received is an accepted message.
type Received struct {
	From   string
	To     []string
	Header mail.Header
	Body   string // not decoded
}

// Sink is a mail server on this machine.
type Sink struct {
	Addr string // host:port

	config   Config
	mu       sync.Mutex
	received []Received
}

// New starts a server that stops when the test ends.
func New(t testing.TB, c Config) *Sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sink{Addr: listener.Addr().String(), config: c}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{sink: s}, nil }))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "mail.example", true, quiet{}
	if c.Implicit {
		listener = tls.NewListener(listener, c.TLS)
	} else {
		server.TLSConfig = c.TLS
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Errorf("mail server: %v", err)
		}
	}()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return s
}

// Received returns the messages accepted so far.
func (s *Sink) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

// quiet discards the server's log messages, such as those about connections that clients close.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

type session struct {
	sink     *Sink
	loggedIn bool
	Received
}

// AuthMechanisms returns the ways to log in.
func (s *session) AuthMechanisms() []string {
	if s.sink.config.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth checks a login.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.sink.config.User || password != s.sink.config.Password {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

func (s *session) refuse(command, address string) error {
	if s.sink.config.Refuse != nil {
		if reply := s.sink.config.Refuse(command, address); reply != nil {
			return reply
		}
	}
	return nil
}

// Mail begins a message.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.sink.config.User != "" && !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	s.From = from
	return s.refuse("MAIL", from)
}

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.To = append(s.To, to)
	return s.refuse("RCPT", to)
}

// Data adds the message to those that Received returns.
func (s *session) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(m.Body)
	if err != nil {
		return err
	}
	if err := s.refuse("DATA", ""); err != nil {
		return err
	}
	s.Header, s.Body = m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	s.sink.received = append(s.sink.received, s.Received)
	return nil
}

// Reset discards the message.
func (s *session) Reset() { s.Received = Received{} }

// Logout ends the session.
func (s *session) Logout() error { return nil }

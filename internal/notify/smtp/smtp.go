// Package smtp sends events as messages by e-mail, over the mail server of the instance.
//
//	smtp.go     a server, and a message
//	session.go  the connection to the server: TLS and login
package smtp

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"svc/internal/notify"
	"svc/internal/outbound"
)

// timeout limits the time for a message, including the connection.
const timeout = 20 * time.Second

// Config configures a Server.
type Config struct {
	URL  *url.URL // see the setting smtp.url
	From string   // address of the sender
	// Dial connects to the server, but only to addresses that the instance may use.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Server is the mail server over which messages are sent. It is safe for concurrent use.
type Server struct {
	Config
	domain string         // domain of the sender
	roots  *x509.CertPool // trusted certificates; nil = those of the system
}

// New returns a server without connecting to it.
func New(c Config) *Server {
	return &Server{Config: c, domain: c.From[strings.LastIndexByte(c.From, '@')+1:]}
}

// Answer is the last reply of the server to a message.
type Answer struct {
	Code int    // 0 = there was none
	Text string // "" = none
}

// Final reports whether the server has refused the message permanently.
func (a Answer) Final() bool { return a.Code >= 500 }

// Send sends the event with the given body to all addresses, in one message. id identifies the
// event. If it returns no error, the server has accepted the message. The error contains no address.
func (s *Server) Send(ctx context.Context, to []string, id string, body []byte, now time.Time) (Answer, error) {
	m, err := s.message(to, id, body, now)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := s.deliver(ctx, to, m)
	if err == nil {
		return Answer{250, answer}, nil
	}
	if refusal, ok := errors.AsType[*textproto.Error](err); ok {
		return Answer{refusal.Code, refusal.Msg}, fmt.Errorf("the mail server answered %d", refusal.Code)
	}
	if ctx.Err() != nil { // the connection has been closed for this reason
		err = ctx.Err()
	}
	if errors.Is(err, errNoTLS) || errors.Is(err, errNoLogin) || errors.Is(err, errTooLong) {
		return Answer{}, err
	}
	return Answer{}, outbound.Explain(err)
}

// message returns the e-mail message for an event. body is the result of Event.Body.
func (s *Server) message(to []string, id string, body []byte, now time.Time) (*mail.Msg, error) {
	event, err := notify.Read(body)
	if err != nil {
		return nil, err
	}
	m := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(m.From(s.From), m.To(to...)); err != nil {
		return nil, err
	}
	m.Subject(event.Title)
	m.SetMessageIDWithValue(id + "@" + s.domain)
	m.SetDateWithValue(now)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(mail.TypeTextPlain, text(event))
	return m, nil
}

// text returns the body of the e-mail message for an event.
func text(event notify.Message) string {
	content := event.Text
	if content == "" {
		content = event.Title
	}
	if event.URL != "" {
		content += "\n\n" + event.URL
	}
	return content + "\n"
}

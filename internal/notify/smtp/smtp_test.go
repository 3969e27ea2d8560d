package smtp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"

	"svc/internal/notify"
	"svc/internal/notify/smtp"
	"svc/internal/outbound"
	"svc/internal/testutil"
	"svc/internal/testutil/mailsink"
)

var (
	now = time.Unix(1795327200, 0)
	to  = []string{"a@example.com", "b@example.org"}
)

const id = "msg_01jd9w7k2m0000000000000000"

// certificate returns a TLS configuration for a server on this machine, and the roots that trust it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	cert, key := filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	roots := testutil.WriteCertificate(t, cert, key, "mail.example")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, roots
}

// server returns a client of the mail server at an address. format contains %s for the host.
func server(t *testing.T, format, addr string, roots *x509.CertPool, ports ...uint16) *smtp.Server {
	t.Helper()
	u, err := url.Parse(fmt.Sprintf(format, addr))
	if err != nil {
		t.Fatal(err)
	}
	dial := outbound.Dialer(outbound.Config{Profile: outbound.Operator, Ports: ports})
	return smtp.NewWithin(smtp.Config{URL: u, From: "svc@sender.example", Dial: dial}, roots)
}

func event(t *testing.T, data notify.Data, name string) []byte {
	t.Helper()
	body, err := notify.Event{Name: name, Data: data}.Body(&notify.Project{Key: "demo", Name: "Demo ☃"}, now)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func held(t *testing.T) []byte {
	t.Helper()
	return event(t, notify.Health{Version: "2.3.0\r\nBcc: c@example.com", Percent: 2500, Reason: "5 of 9 failed\n.\nzürich"}, notify.RolloutHeldEvent)
}

// TestMessage checks the headers and the text of a message, over each kind of connection.
func TestMessage(t *testing.T) {
	t.Parallel()
	config, roots := certificate(t)
	for format, sink := range map[string]mailsink.Config{
		"smtp://user:pass@%s":               {TLS: config, User: "user", Password: "pass"},
		"smtps://user:p%%40ss@%s":           {TLS: config, Implicit: true, User: "user", Password: "p@ss"},
		"smtp://%s?starttls=off":            {},
		"smtp://user:pass@%s?starttls=off ": {User: "user", Password: "pass"},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			mails := mailsink.New(t, sink)
			answer, err := server(t, strings.TrimSpace(format), mails.Addr, roots).Send(t.Context(), to, id, held(t), now)
			if err != nil || answer.Code != 250 || answer.Text == "" {
				t.Fatalf("got %+v, %v", answer, err)
			}
			all := mails.Received()
			if len(all) != 1 || all[0].From != "svc@sender.example" || !slices.Equal(all[0].To, to) {
				t.Fatalf("got %+v", all)
			}
			h := all[0].Header
			subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
			if err != nil || subject != "Demo ☃: 2.3.0  Bcc: c@example.com is held at 25 %" || h.Get("Bcc") != "" {
				t.Errorf("got the subject %q, %v", subject, err)
			}
			date, err := h.Date()
			if err != nil || !date.Equal(now) {
				t.Errorf("got the date %v, %v", date, err)
			}
			for name, want := range map[string]string{
				"Message-ID": "<" + id + "@sender.example>", "Auto-Submitted": "auto-generated",
				"From": "<svc@sender.example>", "To": "<a@example.com>, <b@example.org>", "User-Agent": "", "X-Mailer": "",
				"Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "quoted-printable",
			} {
				if got := h.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(all[0].Body)))
			if want := "5 of 9 failed\n.\nzürich\n"; err != nil || strings.TrimRight(string(text), "\r\n")+"\n" != want {
				t.Errorf("got the text %q, %v, want %q", text, err, want)
			}
		})
	}
}

// TestLink checks that a message ends in the address of its event, and that an event without a text
// repeats its title.
func TestLink(t *testing.T) {
	t.Parallel()
	mails := mailsink.New(t, mailsink.Config{})
	s := server(t, "smtp://%s?starttls=off", mails.Addr, nil)
	address := "https://svc.example/projects/demo"
	if _, err := s.Send(t.Context(), to, id, event(t, notify.FeedbackCreated{Content: "Hello", URL: &address}, notify.FeedbackCreatedEvent), now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), to, id, event(t, notify.RolloutAdvanced{Version: "1.0", Percent: 100}, notify.RolloutAdvancedEvent), now); err != nil {
		t.Fatal(err)
	}
	all := mails.Received()
	if len(all) != 2 || strings.TrimSpace(all[0].Body) != "Hello\n\n"+address || strings.TrimSpace(all[1].Body) != "Demo =E2=98=83: 1.0 is at 1 %" {
		t.Errorf("got %+v", all)
	}
}

// TestRefusals checks the answers of servers that refuse a message. What the server says is only in
// the answer.
func TestRefusals(t *testing.T) {
	t.Parallel()
	config, roots := certificate(t)
	at := func(command string, code int) mailsink.Config {
		return mailsink.Config{TLS: config, User: "user", Password: "pass", Refuse: func(c, address string) *gosmtp.SMTPError {
			if c != command || address == to[0] {
				return nil
			}
			return &gosmtp.SMTPError{Code: code, EnhancedCode: gosmtp.NoEnhancedCode, Message: "because"}
		}}
	}
	for _, tc := range []struct {
		name, format string
		sink         mailsink.Config
		code         int
		text, err    string
	}{
		{"sender", "smtp://user:pass@%s", at("MAIL", 550), 550, "because", "the mail server answered 550"},
		{"one recipient of two", "smtp://user:pass@%s", at("RCPT", 450), 450, "because", "the mail server answered 450"},
		{"content", "smtp://user:pass@%s", at("DATA", 554), 554, "because", "the mail server answered 554"},
		{"password", "smtp://user:hidden@%s", at("", 0), 535, "", "the mail server answered 535"},
		{"no login", "smtp://%s", at("", 0), 502, "", "the mail server answered 502"},
		{"no way to log in", "smtp://user:hidden@%s?starttls=off", mailsink.Config{}, 0, "", "the mail server does not offer a login that is supported"},
		{"no STARTTLS", "smtp://user:hidden@%s", mailsink.Config{}, 0, "", "the mail server does not offer STARTTLS"},
		{"TLS where there is none", "smtps://user:hidden@%s", mailsink.Config{}, 0, "", "the server does not speak TLS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			mails := mailsink.New(t, tc.sink)
			answer, err := server(t, tc.format, mails.Addr, roots).Send(t.Context(), to, id, held(t), now)
			if err == nil || err.Error() != tc.err || answer.Code != tc.code || tc.text != "" && answer.Text != tc.text {
				t.Errorf("got %+v and the error %v, want %d and %q", answer, err, tc.code, tc.err)
			}
			if answer.Final() != (tc.code >= 500) || len(mails.Received()) > 0 {
				t.Errorf("got %+v and %d messages", answer, len(mails.Received()))
			}
		})
	}
}

// TestUnreachable checks errors without an answer: unknown certificates, refused addresses, which
// get no connection, and servers that do not answer.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	config, _ := certificate(t)
	mails := mailsink.New(t, mailsink.Config{TLS: config})
	wants := func(s *smtp.Server, want string) {
		t.Helper()
		if answer, err := s.Send(t.Context(), to, id, held(t), now); err == nil || err.Error() != want || answer != (smtp.Answer{}) {
			t.Errorf("got %+v, %v, want %q", answer, err, want)
		}
	}
	wants(server(t, "smtp://%s", mails.Addr, x509.NewCertPool()), "the certificate of the server is not valid")
	_, port, err := net.SplitHostPort(mails.Addr)
	if err != nil {
		t.Fatal(err)
	}
	own, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"} {
		wants(server(t, "smtp://%s", host+":"+port, nil, uint16(own)), "the address is that of this server")
	}
	for _, host := range []string{"169.254.169.254", "0.0.0.0", "224.0.0.1", "[fe80::1]"} {
		wants(server(t, "smtp://%s", host+":25", nil), "the address is not allowed")
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	wants(server(t, "smtp://%s", address, nil), "the connection was refused")
}

// TestBadServers checks that a server that never answers, or never stops to, ends no later than the
// context, or with an error.
func TestBadServers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		talk func(net.Conn)
		want string
	}{
		"silent":  {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, "cancelled"},
		"endless": {func(c net.Conn) { _, _ = io.Copy(c, endless{}) }, "the mail server sent too much"},
		"no SMTP": {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }, "the request failed"},
		"closes":  {func(net.Conn) {}, "the connection broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				if name == "silent" {
					cancel()
				}
				tc.talk(c)
			}()
			answer, err := server(t, "smtp://%s", l.Addr().String(), nil).Send(ctx, to, id, held(t), now)
			if err == nil || err.Error() != tc.want || answer != (smtp.Answer{}) {
				t.Errorf("got %+v, %v, want %q", answer, err, tc.want)
			}
		})
	}
}

// endless is a reply that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "220-mail.example\r\n"), nil }

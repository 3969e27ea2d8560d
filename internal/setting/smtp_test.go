package setting

import (
	"strings"
	"testing"
)

// TestMailServer checks which addresses of mail servers are accepted, and that the password of a
// refused one is not in the message.
func TestMailServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"smtp://user:hidden@Mail.example.com":               "smtp://user:hidden@mail.example.com:587",
		"SMTPS://user:p%40ss@mail.example.com/":             "smtps://user:p%40ss@mail.example.com:465",
		"smtp://127.0.0.1:25?starttls=off":                  "smtp://127.0.0.1:25?starttls=off",
		"smtp://[::1]:2525?starttls=off":                    "smtp://[::1]:2525?starttls=off",
		"smtps://user:hidden@mail.example.com?starttls=off": "",
		"smtp://user:hidden@mail.example.com?starttls=on":   "",
		"smtp://user:hidden@mail.example.com?tls=off":       "",
		"smtp://user:hidden@mail.example.com/inbox":         "",
		"smtp://user:hidden@mail.example.com#inbox":         "",
		"smtp://user:hidden@mail.example.com:0":             "",
		"smtp://user:hidden@mail.example.com:70000":         "",
		"smtp://user:hidden@mail example.com":               "",
		"smtp://user:hidden%zz@mail.example.com":            "",
		"smtp://user:hidden@":                               "",
		"https://user:hidden@mail.example.com":              "",
		"mail.example.com:587":                              "",
		"smtp://user@mail.example.com":                      "",
		"smtp://:hidden@mail.example.com":                   "",
	} {
		s, err := given{env: texts{"SVC_SMTP_URL": text, "SVC_SMTP_FROM": "svc@example.com"}}.load()
		switch {
		case want == "" && (err == nil || !strings.HasPrefix(err.Error(), "SVC_SMTP_URL must ") || strings.Contains(err.Error(), "hidden")):
			t.Errorf("%s: got %v, want a problem without the password", text, err)
		case want != "" && (err != nil || s.SMTPURL.String() != want || len(s.Warnings) > 0):
			t.Errorf("%s: got %v %v, want %s", text, s.SMTPURL, err, want)
		}
	}
}

// TestMailNeedsBoth checks that a server without a sender, and a sender without a server, are
// mentioned, and that the address of the server can come from a file.
func TestMailNeedsBoth(t *testing.T) {
	t.Parallel()
	s, err := given{env: texts{"SVC_SMTP_URL_FILE": "/run/x"}, files: texts{"/run/x": "smtps://u:p@mail.example.com\n"}}.load()
	if err != nil || s.SMTPURL.Host != "mail.example.com:465" || strings.Join(s.Warnings, "") != "SVC_SMTP_URL_FILE is not used because smtp.from is not set" {
		t.Errorf("got %v %q %v", s.SMTPURL, s.Warnings, err)
	}
	if v := s.Value("smtp.url"); v.Shown() != "********" {
		t.Errorf("got %q, want it masked", v.Shown())
	}
	s, err = given{env: texts{"SVC_SMTP_FROM": "svc@example.com"}}.load()
	if err != nil || s.SMTPURL != nil || strings.Join(s.Warnings, "") != "SVC_SMTP_FROM is not used because smtp.url is not set" {
		t.Errorf("got %v %q %v", s.SMTPURL, s.Warnings, err)
	}
	if s, err = (given{env: texts{"SVC_SMTP_FROM": "Sender <svc@example.com>"}}).load(); err == nil {
		t.Errorf("got %q, want a problem", s.SMTPFrom)
	}
}

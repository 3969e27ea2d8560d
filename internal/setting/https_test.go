package setting

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestHTTPS(t *testing.T) {
	t.Parallel()
	s, err := given{env: texts{
		"SVC_DOMAIN": " Updates.Example.org., xn--mller-kva.example,updates.example.org", "SVC_REDIRECT_LISTEN": "OFF",
		"SVC_ACME_EMAIL": " a@example.org ", "SVC_ACME_CA": "https://ca.example/dir", "SVC_LISTEN_MODE": "0600",
	}}.load()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Domain, []string{"updates.example.org", "xn--mller-kva.example"}) || s.RedirectListen != "" ||
		s.ACMEEmail != "a@example.org" || s.ACMECA != "https://ca.example/dir" || s.ListenMode != 0o600 || len(s.Warnings) > 0 {
		t.Errorf("got %+v", s)
	}
	if v := s.Value("listen"); s.Listen != ":443" || v.Text != ":443" || v.Origin != FromEnvironment || v.Name != "SVC_DOMAIN" {
		t.Errorf("got %q, %q from %s %q, want :443 because of SVC_DOMAIN", s.Listen, v.Text, v.Origin, v.Name)
	}
}

// TestHTTPSTogether checks combinations of settings that affect or exclude each other.
func TestHTTPSTogether(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		env            texts
		listen         string // the expected address; "" = Load must return an error
		problem, warns string
	}{
		{"an address that is given stays", texts{"SVC_DOMAIN": "a.example", "SVC_LISTEN": ":8443"}, ":8443", "", ""},
		{"a platform's port stays", texts{"SVC_DOMAIN": "a.example", "PORT": "8443"}, "127.0.0.1:8443", "", ""},
		{"a list of nothing is no domain", texts{"SVC_DOMAIN": " , "}, "127.0.0.1:4000", "", ""},
		{"a socket", texts{"SVC_LISTEN": "unix:/run/svc/http.sock"}, "unix:/run/svc/http.sock", "", ""},
		{"a certificate keeps the address", texts{"SVC_TLS_CERT": "c", "SVC_TLS_KEY": "k"}, "127.0.0.1:4000", "", ""},
		{"what needs a domain says so", texts{"SVC_REDIRECT_LISTEN": ":81"}, "127.0.0.1:4000", "", "SVC_REDIRECT_LISTEN is not used because domain is not set"},
		{"certificate without key", texts{"SVC_TLS_CERT": "c"}, "", "SVC_TLS_CERT requires tls.key", ""},
		{"key without certificate", texts{"SVC_TLS_KEY": "k"}, "", "SVC_TLS_KEY requires tls.cert", ""},
		{"two kinds of certificates", texts{"SVC_TLS_CERT": "c", "SVC_TLS_KEY": "k", "SVC_DOMAIN": "a.example"}, "", "SVC_TLS_CERT and SVC_DOMAIN are both set; keep one of them", ""},
		{"HTTPS on a socket", texts{"SVC_DOMAIN": "a.example", "SVC_LISTEN": "unix:x"}, "", "SVC_LISTEN must be an address when tls.cert or domain is set: HTTPS is not for Unix sockets", ""},
		{"a socket without a path", texts{"SVC_LISTEN": "unix:"}, "", "SVC_LISTEN must name the file of the socket, such as unix:/run/svc/http.sock", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := given{env: tc.env}.load()
			if tc.listen == "" {
				if err == nil || err.Error() != tc.problem {
					t.Errorf("got %v, want %s", err, tc.problem)
				}
				return
			}
			if err != nil || s.Listen != tc.listen || strings.Join(s.Warnings, "\n") != tc.warns {
				t.Errorf("got %q %q %v, want %q %q", s.Listen, s.Warnings, err, tc.listen, tc.warns)
			}
		})
	}
}

func TestHTTPSProblems(t *testing.T) {
	t.Parallel()
	const (
		names = "SVC_DOMAIN must be a comma-separated list of host names in ASCII, such as updates.example.org, without scheme, port or *"
		mode  = "SVC_LISTEN_MODE must be four octal digits from 0000 to 0777, such as 0660, as a text"
		mails = "SVC_ACME_EMAIL must be an e-mail address, such as admin@example.org"
		urls  = "SVC_ACME_CA must be an https URL, such as https://ca.example.org/acme/directory"
		plain = "SVC_REDIRECT_LISTEN must be host:port, such as :80, or off"
	)
	for _, tc := range []struct{ name, variable, value, want string }{
		{"a scheme", "SVC_DOMAIN", "https://a.example", names},
		{"a port", "SVC_DOMAIN", "a.example:443", names},
		{"a wildcard needs DNS", "SVC_DOMAIN", "*.a.example", names},
		{"an address", "SVC_DOMAIN", "192.0.2.1", names},
		{"an address of six", "SVC_DOMAIN", "2001:db8::1", names},
		{"letters that need their other form", "SVC_DOMAIN", "müller.example", names},
		{"a label of 64", "SVC_DOMAIN", strings.Repeat("a", 64) + ".example", names},
		{"a name of 254", "SVC_DOMAIN", strings.Repeat("a.", 126) + "aa", names},
		{"a label that begins with a hyphen", "SVC_DOMAIN", "-a.example", names},
		{"a label that ends in a hyphen", "SVC_DOMAIN", "a-.example", names},
		{"a label of nothing", "SVC_DOMAIN", "a..example", names},
		{"an underscore", "SVC_DOMAIN", "a_b.example", names},
		{"no octal digit", "SVC_LISTEN_MODE", "0680", mode},
		{"over the bound", "SVC_LISTEN_MODE", "1777", mode},
		{"a number that was octal", "SVC_LISTEN_MODE", "432", mode},
		{"signs", "SVC_LISTEN_MODE", "u=rw", mode},
		{"a name without a place", "SVC_ACME_EMAIL", "admin", mails},
		{"a name for people", "SVC_ACME_EMAIL", "Admin <admin@example.org>", mails},
		{"plain HTTP", "SVC_ACME_CA", "http://ca.example/dir", urls},
		{"no host", "SVC_ACME_CA", "https:///dir", urls},
		{"a password", "SVC_ACME_CA", "https://a:b@ca.example/dir", urls},
		{"a socket", "SVC_REDIRECT_LISTEN", "unix:x", plain},
		{"no port", "SVC_REDIRECT_LISTEN", "localhost", plain},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := given{env: texts{tc.variable: tc.value}}.load()
			if errs, ok := errors.AsType[Errors](err); !ok || len(errs) != 1 || errs[0].Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func FuzzHostName(f *testing.F) {
	for _, text := range []string{"a.example", "-", "1.2.3.4", "a..b", "xn--mller-kva.example", strings.Repeat("a", 64)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !hostName(text) {
			return
		}
		if len(text) == 0 || len(text) > 253 || strings.ContainsAny(text, " /:*\\\"'@%") || text != strings.ToLower(text) {
			t.Errorf("%q is no host name", text)
		}
	})
}

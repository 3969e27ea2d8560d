package setting

import (
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// UnixPrefix is the prefix of a listen address that is the path of a Unix socket.
const UnixPrefix = "unix:"

// settleHTTPS sets the default of the listen address if domain is set, and otherwise warns
// about settings that have no effect without domain.
func (s *Settings) settleHTTPS() {
	domain, listen := s.value("domain"), s.value("listen")
	if len(s.Domain) > 0 {
		if listen.Origin == FromDefault {
			listen.Text, listen.Origin, listen.Name = ":443", domain.Origin, domain.Name
			s.Listen = listen.Text
		}
		return
	}
	for _, key := range []string{"redirect.listen", "acme.email", "acme.ca"} {
		if v := s.value(key); v.Origin != FromDefault {
			s.warn("%s is not used because domain is not set", v.Name)
		}
	}
}

// contradictions returns the problems of HTTPS settings that require or exclude other settings.
func (s *Settings) contradictions() (problems []error) {
	cert, key, domain, listen := s.value("tls.cert"), s.value("tls.key"), s.value("domain"), s.value("listen")
	switch {
	case cert.Text != "" && key.Text == "":
		problems = append(problems, problem(cert.Name, errors.New("requires tls.key")))
	case key.Text != "" && cert.Text == "":
		problems = append(problems, problem(key.Name, errors.New("requires tls.cert")))
	case cert.Text != "" && len(s.Domain) > 0:
		problems = append(problems, problem(cert.Name, fmt.Errorf("and %s are both set; keep one of them", domain.Name)))
	}
	if strings.HasPrefix(s.Listen, UnixPrefix) && (cert.Text != "" || len(s.Domain) > 0) {
		problems = append(problems,
			problem(listen.Name, errors.New("must be an address when tls.cert or domain is set: HTTPS is not for Unix sockets")))
	}
	return problems
}

func domains(v string) ([]string, error) {
	names := []string{}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(name), "."))
		if name == "" || slices.Contains(names, name) {
			continue
		}
		if !hostName(name) {
			return nil, errors.New("must be a comma-separated list of host names in ASCII, such as updates.example.org, without scheme, port or *")
		}
		names = append(names, name)
	}
	return names, nil
}

// hostName reports whether lower-case text is a host name (RFC 1123) and not an IP
// address.
func hostName(text string) bool {
	labels := strings.Split(text, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(text) <= 253 && strings.Trim(last, "0123456789") != ""
}

func redirectAddress(v string) (string, error) {
	if strings.EqualFold(v, "off") {
		return "", nil
	}
	v, err := hostPort(v)
	if err != nil {
		return "", errors.New("must be host:port, such as :80, or off")
	}
	return v, nil
}

func email(v string) (string, error) {
	a, err := mail.ParseAddress(v)
	if err != nil || a.Name != "" {
		return "", errors.New("must be an e-mail address, such as admin@example.org")
	}
	return a.Address, nil
}

func directoryURL(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", errors.New("must be an https URL, such as https://ca.example.org/acme/directory")
	}
	return v, nil
}

func fileMode(v string) (fs.FileMode, error) {
	n, err := strconv.ParseUint(v, 8, 32)
	// Without quotation marks, TOML would have parsed the value as a decimal number.
	if err != nil || len(v) != 4 || v[0] != '0' {
		return 0, errors.New("must be four octal digits from 0000 to 0777, such as 0660, as a text")
	}
	return fs.FileMode(n), nil
}

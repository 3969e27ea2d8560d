package setting

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxCount bounds numbers that have no natural limit.
const maxCount = math.MaxInt32

func text(field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		*field(s) = v
		return nil
	}
}

func trimmed(field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		*field(s) = strings.TrimSpace(v)
		return nil
	}
}

func secret(minBytes int, field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		if len(v) < minBytes {
			return fmt.Errorf("must have at least %d bytes", minBytes)
		}
		*field(s) = v
		return nil
	}
}

func number(least, most int, field func(*Settings) *int) setter {
	return func(s *Settings, v string) error {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		*field(s) = n
		return nil
	}
}

// origin is the address of a server, without a path: scheme and host in lower case,
// and the port if there is one. Slashes at its end are dropped.
func origin(field func(*Settings) *string) setter {
	bad := errors.New("must be an address such as https://files.example.com: http or https and a valid host name, without a path")
	return func(s *Settings, v string) error {
		u, err := url.Parse(strings.TrimRight(strings.TrimSpace(v), "/"))
		if err != nil {
			return bad
		}
		host, port := strings.ToLower(u.Hostname()), u.Port()
		whole := url.URL{Scheme: strings.ToLower(u.Scheme), Host: u.Host}
		if whole.Scheme != "http" && whole.Scheme != "https" || u.String() != whole.String() || !validHost(host) || strings.HasSuffix(u.Host, ":") {
			return bad
		}
		if port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return bad
			}
		}
		*field(s) = whole.Scheme + "://" + strings.ToLower(u.Host)
		return nil
	}
}

// validHost reports whether a text in lower case is a host name (RFC 1123; an
// internationalized one in its ASCII form) or an address.
func validHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// maxUploadMB bounds files to 16 TiB.
const maxUploadMB = 16 << 20

// size is a number of bytes, which k, m or g behind it multiplies.
func size(field func(*Settings) *int64) setter {
	form := regexp.MustCompile("^([0-9]+)([kKmMgG]?)$")
	return func(s *Settings, v string) error {
		m := form.FindStringSubmatch(strings.TrimSpace(v))
		if m == nil {
			return errors.New("must be a number of bytes, or a number with k, m or g, such as 10g")
		}
		unit := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[strings.ToLower(m[2])]
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || n > math.MaxInt64/unit {
			return fmt.Errorf("must be at most %d bytes", int64(math.MaxInt64))
		}
		*field(s) = n * unit
		return nil
	}
}

func boolean(field func(*Settings) *bool) setter {
	return func(s *Settings, v string) error {
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "1":
			*field(s) = true
		case "false", "0":
			*field(s) = false
		default:
			return errors.New("must be true or false")
		}
		return nil
	}
}

func address(field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		v = strings.TrimSpace(v)
		if path, ok := strings.CutPrefix(v, UnixPrefix); ok {
			if path == "" {
				return errors.New("must name the file of the socket, such as " + UnixPrefix + "/run/svc/http.sock")
			}
			*field(s) = v
			return nil
		}
		err := hostPort(field)(s, v)
		if errors.Is(err, errNoHostPort) {
			return fmt.Errorf("%w, or %s and a path", err, UnixPrefix)
		}
		return err
	}
}

var errNoHostPort = errors.New("must be host:port, such as " + DefaultListen + " or :4000")

func hostPort(field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		v = strings.TrimSpace(v)
		_, port, err := net.SplitHostPort(v)
		if err != nil || strings.ContainsAny(v, " /") {
			return errNoHostPort
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return errors.New("must end in a port from 0 to 65535")
		}
		*field(s) = v
		return nil
	}
}

func headers(field func(*Settings) *[]string) setter {
	return func(s *Settings, v string) error {
		names := []string{}
		for name := range strings.SplitSeq(v, ",") {
			name = strings.TrimSpace(name)
			if name == "" {
				continue
			}
			if strings.ContainsFunc(name, notToken) {
				return errors.New("must be a comma-separated list of header names")
			}
			names = append(names, textproto.CanonicalMIMEHeaderKey(name))
		}
		*field(s) = names
		return nil
	}
}

// notToken tells characters that no header name has.
func notToken(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func choice(field func(*Settings) *string, allowed ...string) setter {
	return func(s *Settings, v string) error {
		v = strings.ToLower(strings.TrimSpace(v))
		if !slices.Contains(allowed, v) {
			return errors.New("must be " + orList(allowed))
		}
		*field(s) = v
		return nil
	}
}

func level() setter {
	levels := []string{"debug", "info", "warn", "error"}
	return func(s *Settings, v string) error {
		v = strings.ToLower(strings.TrimSpace(v))
		if !slices.Contains(levels, v) {
			return errors.New("must be " + orList(levels))
		}
		return s.LogLevel.UnmarshalText([]byte(v))
	}
}

// limitedDuration is at most an hour.
func limitedDuration(field func(*Settings) *time.Duration) setter {
	return func(s *Settings, v string) error {
		d, err := time.ParseDuration(strings.TrimSpace(v))
		if err != nil || d < 0 || d > time.Hour {
			return errors.New("must be a duration from 0s to 1h, such as 10s")
		}
		*field(s) = d
		return nil
	}
}

// interval is a duration of at least some time, in which d stands for 24 hours,
// or 0, which is never.
func interval(least time.Duration, field func(*Settings) *time.Duration) setter {
	const most = 365 * 24 * time.Hour
	return func(s *Settings, v string) error {
		v = strings.TrimSpace(v)
		d, err := time.ParseDuration(v)
		if days, whole := strings.CutSuffix(v, "d"); whole {
			var n int
			n, err = strconv.Atoi(days)
			d = time.Duration(min(n, 366)) * 24 * time.Hour
		}
		if err != nil || d != 0 && (d < least || d > most) {
			return fmt.Errorf("must be 0 or a duration from %s to 365d, such as 24h or 7d", strings.TrimSuffix(least.String(), "0s"))
		}
		*field(s) = d
		return nil
	}
}

// recipients are public keys, of which this package only sees whether they look
// like some.
func recipients(field func(*Settings) *[]string) setter {
	return func(s *Settings, v string) error {
		var all []string
		for key := range strings.SplitSeq(v, ",") {
			if key = strings.TrimSpace(key); !strings.HasPrefix(key, "age1") || strings.ContainsFunc(key, notToken) {
				return errors.New("must be a comma-separated list of age public keys, which start with age1")
			}
			all = append(all, key)
		}
		*field(s) = all
		return nil
	}
}

func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// problem names the source of a value that cannot be used. The value itself is
// left out: it may be a secret that went into the wrong variable.
func problem(name string, err error) error { return fmt.Errorf("%s %w", name, err) }

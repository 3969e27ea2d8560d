package setting

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/textproto"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/typo"
)

// maxCount is the maximum value of numeric settings that have no natural maximum.
const maxCount = math.MaxInt32

// MaxRetentionDays is the maximum number of days for which feedback and logs can be kept,
// unless they are kept forever.
const MaxRetentionDays = 3650

// into returns a setter that trims white space around a text, parses the text, and stores
// the value in the field whose address the function field returns.
func into[T any](field func(*Settings) *T, parse func(text string) (T, error)) setter {
	return func(s *Settings, text string) error {
		value, err := parse(strings.TrimSpace(text))
		if err == nil {
			*field(s) = value
		}
		return err
	}
}

// verbatim returns a setter that stores a text unchanged, including surrounding white
// space.
func verbatim(field func(*Settings) *string) setter { return secret(0, field) }

// secret returns a setter that stores a text of at least minBytes bytes unchanged.
func secret(minBytes int, field func(*Settings) *string) setter {
	return func(s *Settings, v string) error {
		if len(v) < minBytes {
			return fmt.Errorf("must have at least %d bytes", minBytes)
		}
		*field(s) = v
		return nil
	}
}

func trimmed(v string) (string, error) { return v, nil }

func number(least, most int) func(string) (int, error) {
	return func(v string) (int, error) {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// origin parses the address of a server, which must not have a path. It returns the
// scheme and the host in lower case, and the port if there is one, without trailing
// slashes.
func origin(v string) (string, error) {
	bad := errors.New("must be an address such as https://files.example.com: http or https and a valid host name, without a path")
	u, err := url.Parse(strings.TrimRight(v, "/"))
	if err != nil {
		return "", bad
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	whole := url.URL{Scheme: strings.ToLower(u.Scheme), Host: u.Host}
	if whole.Scheme != "http" && whole.Scheme != "https" || u.String() != whole.String() || !validHost(host) ||
		strings.HasSuffix(u.Host, ":") {
		return "", bad
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", bad
		}
	}
	return whole.Scheme + "://" + strings.ToLower(u.Host), nil
}

// projectKey matches every text that can be the key of a project.
var projectKey = regexp.MustCompile(`^[^\s\pC/\\?#%]{1,64}$`)

// startPage parses the setting of the start page: "list", the key of a project, or the
// address of a web page.
func startPage(v string) (string, error) {
	if projectKey.MatchString(v) {
		return v, nil
	}
	if address, err := webAddress(v); err == nil {
		return address, nil
	}
	return "", errors.New("must be list, the key of a project, or an address such as https://example.com/apps")
}

// webAddress parses the address of a web page.
func webAddress(v string) (string, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !validHost(u.Hostname()) || u.User != nil {
		return "", errors.New("must be an address such as https://docs.example.com/svc: http or https and a valid host name")
	}
	return u.String(), nil
}

// baseAddress parses an origin that may be followed by a path, such as the address of an
// API. It removes trailing slashes.
func baseAddress(v string) (string, error) {
	u, err := url.Parse(strings.TrimRight(v, "/"))
	if err != nil || u.RawQuery != "" || u.Fragment != "" || path.Clean("/"+u.Path) != "/"+strings.TrimPrefix(u.Path, "/") {
		return "", errors.New("must be an address such as https://code.example.com/api/v1: http or https and a valid host name, without a query")
	}
	base := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	host, err := origin(base.String())
	return host + u.EscapedPath(), err
}

// validHost reports whether a text in lower case is an IP address or a host name (RFC
// 1123). An internationalized name must be in its ASCII form.
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

// maxUploadMB is the greatest limit that can be set for the size of uploaded files, in MiB.
// It is 16 TiB.
const maxUploadMB = 16 << 20

var sizeForm = regexp.MustCompile("^([0-9]+)([kKmMgG]?)$")

// size parses a number of bytes, or a number of KiB, MiB or GiB with the suffix k, m or g.
func size(v string) (int64, error) {
	m := sizeForm.FindStringSubmatch(v)
	if m == nil {
		return 0, errors.New("must be a number of bytes, or a number with k, m or g, such as 10g")
	}
	unit := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[strings.ToLower(m[2])]
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("must be at most %d bytes", int64(math.MaxInt64))
	}
	return n * unit, nil
}

func boolean(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, errors.New("must be true or false")
}

func address(v string) (string, error) {
	if path, ok := strings.CutPrefix(v, UnixPrefix); ok {
		if path == "" {
			return "", errors.New("must name the file of the socket, such as " + UnixPrefix + "/run/svc/http.sock")
		}
		return v, nil
	}
	v, err := hostPort(v)
	if errors.Is(err, errNoHostPort) {
		err = fmt.Errorf("%w, or %s and a path", err, UnixPrefix)
	}
	return v, err
}

var errNoHostPort = errors.New("must be host:port, such as " + DefaultListen + " or :4000")

func hostPort(v string) (string, error) {
	_, port, err := net.SplitHostPort(v)
	if err != nil || strings.ContainsAny(v, " /") {
		return "", errNoHostPort
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", errors.New("must end in a port from 0 to 65535")
	}
	return v, nil
}

func headers(v string) ([]string, error) {
	names := []string{}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if strings.ContainsFunc(name, notToken) {
			return nil, errors.New("must be a comma-separated list of header names")
		}
		names = append(names, textproto.CanonicalMIMEHeaderKey(name))
	}
	return names, nil
}

// notToken reports whether a character is not allowed in the name of a header.
func notToken(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func choice(allowed ...string) func(string) (string, error) {
	return func(v string) (string, error) {
		v = strings.ToLower(v)
		if !slices.Contains(allowed, v) {
			text := "must be " + orList(allowed)
			if nearest := typo.Nearest(v, allowed); nearest != "" {
				text += "; did you mean " + nearest + "?"
			}
			return "", errors.New(text)
		}
		return v, nil
	}
}

func level(v string) (l slog.Level, err error) {
	if v, err = choice("debug", "info", "warn", "error")(v); err != nil {
		return l, err
	}
	return l, l.UnmarshalText([]byte(v))
}

// limitedDuration parses a duration of at most one hour.
func limitedDuration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > time.Hour {
		return 0, errors.New("must be a duration from 0s to 1h, such as 10s")
	}
	return d, nil
}

// interval returns a parser for durations that are 0, which means never, or at least the
// given minimum. In addition to Go's units it accepts d, which is 24 hours.
func interval(least time.Duration) func(string) (time.Duration, error) {
	const most = 365 * day
	return func(v string) (time.Duration, error) {
		d, err := parseDuration(v)
		if err != nil || d != 0 && (d < least || d > most) {
			return 0, fmt.Errorf("must be 0 or a duration from %s to 365d, such as 24h or 7d", shortDuration(least))
		}
		return d, nil
	}
}

const day = 24 * time.Hour

// between returns a parser for durations from least to most. In addition to Go's units it accepts d,
// which is 24 hours. example is a valid duration for the error.
func between(least, most time.Duration, example string) func(string) (time.Duration, error) {
	return func(v string) (time.Duration, error) {
		d, err := parseDuration(v)
		if err != nil || d < least || d > most {
			return 0, fmt.Errorf("must be a duration from %s to %s, such as %s", shortDuration(least), shortDuration(most), example)
		}
		return d, nil
	}
}

// zeroOr returns a parser that also accepts the duration 0.
func zeroOr(parse func(string) (time.Duration, error)) func(string) (time.Duration, error) {
	return func(v string) (time.Duration, error) {
		if d, err := parseDuration(v); err == nil && d == 0 {
			return 0, nil
		}
		d, err := parse(v)
		if err != nil {
			return 0, errors.New(strings.Replace(err.Error(), "must be", "must be 0s or", 1))
		}
		return d, nil
	}
}

// parseDuration parses a duration in Go's units or in days.
func parseDuration(v string) (time.Duration, error) {
	days, whole := strings.CutSuffix(v, "d")
	if !whole {
		return time.ParseDuration(v)
	}
	n, err := strconv.ParseInt(days, 10, 64)
	if err != nil || n < 0 || n > int64(math.MaxInt64/day) {
		return 0, errors.New("not a number of days")
	}
	return time.Duration(n) * day, nil
}

// shortDuration formats a duration without the units that are 0, and in days if it is a day or more.
func shortDuration(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if d >= time.Minute {
		text = strings.TrimSuffix(text, "0s")
	}
	if d >= time.Hour {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// atLeast returns a parser like size that refuses fewer bytes than least, which text names.
func atLeast(least int64, text string) func(string) (int64, error) {
	return func(v string) (int64, error) {
		n, err := size(v)
		if err == nil && n < least {
			err = errors.New("must be at least " + text)
		}
		return n, err
	}
}

// recipients parses a comma-separated list of public keys of age. It checks only their form.
func recipients(v string) (all []string, err error) {
	for key := range strings.SplitSeq(v, ",") {
		if key = strings.TrimSpace(key); !strings.HasPrefix(key, "age1") || strings.ContainsFunc(key, notToken) {
			return nil, errors.New("must be a comma-separated list of age public keys, which start with age1")
		}
		all = append(all, key)
	}
	return all, nil
}

func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// problem adds name, the flag, variable or key of a setting, to an error about its value. It
// does not add the value, which may be a secret that was put into the wrong variable.
func problem(name string, err error) error { return fmt.Errorf("%s %w", name, err) }

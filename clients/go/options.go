package svcsdk

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Option is a setting of a client, for [New].
type Option func(*config) error

// config holds the options.
type config struct {
	settings       settings
	noClientTime   bool
	timeout        time.Duration // of one attempt; 0 is none
	connectTimeout time.Duration // 0 is that of one attempt
	retries        int
	userAgent      string
	appIdentifier  string
	headers        http.Header
	httpClient     *http.Client
	logger         *slog.Logger
	analytics      AnalyticsOptions
	clock          *clock
}

const (
	defaultTimeout = 15 * time.Second
	defaultRetries = 3
)

// WithProject binds the client to the project with this key.
func WithProject(key string) Option {
	return func(c *config) error {
		c.settings.project = strings.TrimSpace(key)
		return nil
	}
}

// WithToken sets the credential: an API key or a token of [Client.Login].
func WithToken(token string) Option {
	return func(c *config) error {
		c.settings.token = fixedToken(token)
		return nil
	}
}

// WithTokenFunc sets a function that returns the credential. It is called once for each request
// that needs it, by several goroutines at a time.
func WithTokenFunc(token func(context.Context) (string, error)) Option {
	return func(c *config) error {
		c.settings.token = token
		return nil
	}
}

// WithPlatform sets the platform of the app instead of detecting it.
func WithPlatform(p Platform) Option {
	return func(c *config) error {
		c.settings.setPlatform(p)
		return nil
	}
}

// WithoutPlatform sends neither a platform nor a version of the system that was detected.
func WithoutPlatform() Option { return WithPlatform("") }

// WithPlatformVersion sets the version of the system, instead of what is detected; "" sends none.
func WithPlatformVersion(version string) Option {
	return func(c *config) error {
		c.settings.setPlatformVersion(version)
		return nil
	}
}

// WithoutClientTime does not send the time of this machine.
func WithoutClientTime() Option {
	return func(c *config) error {
		c.noClientTime = true
		return nil
	}
}

// WithTimeout limits one attempt of a request, from its start to the last byte of the answer. 0 is
// no limit; without this option it is 15 seconds.
func WithTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return usage("timeout must not be negative")
		}
		c.timeout = d
		return nil
	}
}

// WithConnectTimeout limits how long a connection may take to be made. Without this option the
// limit is that of the attempt. It has no effect together with [WithHTTPClient].
func WithConnectTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return usage("connect timeout must be greater than 0")
		}
		c.connectTimeout = d
		return nil
	}
}

// WithRetries sets how often a read that found no server is repeated: 3 times without this
// option, never with 0.
func WithRetries(n int) Option {
	return func(c *config) error {
		if n < 0 {
			return usage("retries must not be negative")
		}
		c.retries = n
		return nil
	}
}

// WithUserAgent replaces the User-Agent of this library.
func WithUserAgent(agent string) Option {
	return func(c *config) error {
		c.userAgent = agent
		return checkHeaderValue("user agent", agent)
	}
}

// WithAppIdentifier appends the name of the app to the User-Agent, as in "my-app/1.2".
func WithAppIdentifier(name string) Option {
	return func(c *config) error {
		c.appIdentifier = strings.TrimSpace(name)
		return checkHeaderValue("application name", name)
	}
}

// WithHeader adds a header to every request. Credentials and what begins with x-svc- are not
// replaced by it.
func WithHeader(name, value string) Option {
	return func(c *config) error {
		if name == "" || strings.ContainsAny(name, " :\r\n\t") {
			return usage("header name is not valid")
		}
		if c.headers == nil {
			c.headers = http.Header{}
		}
		c.headers.Set(name, value)
		return checkHeaderValue("header "+name, value)
	}
}

// WithLocale sets the language that reads without a credential ask for unless the call says
// otherwise.
func WithLocale(locale string) Option {
	return func(c *config) error {
		c.settings.locale = locale
		return nil
	}
}

// WithAppVersion sets the version of the app: for announcements, and for update checks that give
// no version.
func WithAppVersion(version string) Option {
	return func(c *config) error {
		c.settings.appVersion = version
		return nil
	}
}

// WithHTTPClient sends requests with this client. Its cookies are not used and its rules about
// redirects are replaced; it is never closed.
func WithHTTPClient(client *http.Client) Option {
	return func(c *config) error {
		if client == nil {
			return usage("HTTP client must not be nil")
		}
		c.httpClient = client
		return nil
	}
}

// WithLogger receives what this library does, at debug level: method, path template, status,
// attempt and duration of requests, and why events were dropped. Nothing is logged without it.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		c.logger = logger
		return nil
	}
}

// WithAnalytics changes how events are collected.
func WithAnalytics(o AnalyticsOptions) Option {
	return func(c *config) error {
		c.analytics = o
		return nil
	}
}

func checkHeaderValue(what, value string) error {
	if strings.ContainsAny(value, "\r\n\x00") {
		return usage("%s must not contain a line break", what)
	}
	return nil
}

func fixedToken(token string) func(context.Context) (string, error) {
	if token == "" {
		return nil
	}
	return func(context.Context) (string, error) { return token, nil }
}

// settings are what a request needs to know and setters can change. A request keeps those that it
// began with. They are never changed once they are stored.
type settings struct {
	project    string
	token      func(context.Context) (string, error) // nil: no credential
	locale     string
	appVersion string

	platform        Platform // as given
	platformIs      source
	platformVersion string
	versionIs       source
}

// source says where a declaration comes from. The zero value is detection.
type source uint8

const (
	detected source = iota
	given
	off
)

func (s *settings) setPlatform(p Platform) {
	s.platform = Platform(cleanHeader(string(p)))
	s.platformIs = given
	if s.platform == "" {
		s.platformIs = off
	}
}

func (s *settings) setPlatformVersion(v string) {
	s.platformVersion = cleanHeader(v)
	s.versionIs = given
	if s.platformVersion == "" {
		s.versionIs = off
	}
}

// declared returns platform and version of the system as they are sent, "" for what is not.
func (s *settings) declared() (platform Platform, version string) {
	platform, version = s.platform, s.platformVersion
	if s.platformIs == detected {
		platform = detectPlatform()
	}
	if s.versionIs == detected && s.platformIs != off {
		version = detectPlatformVersion()
	}
	return platform, version
}

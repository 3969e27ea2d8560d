package svcsdk

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Option configures a client created by [New].
type Option func(*config) error

// config holds the options.
type config struct {
	settings       settings
	noClientTime   bool
	timeout        time.Duration // time limit of one attempt; 0 means no limit
	connectTimeout time.Duration // 0 means the time limit of an attempt
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
// that needs a credential, possibly by several goroutines at the same time.
func WithTokenFunc(token func(context.Context) (string, error)) Option {
	return func(c *config) error {
		c.settings.token = token
		return nil
	}
}

// WithPlatform sets the platform of the app, which is otherwise detected.
func WithPlatform(p Platform) Option {
	return func(c *config) error {
		c.settings.setPlatform(p)
		return nil
	}
}

// WithoutPlatform makes the client send neither the detected platform nor the detected version of
// the operating system.
func WithoutPlatform() Option { return WithPlatform("") }

// WithPlatformVersion sets the version of the operating system, which is otherwise detected. If
// version is "", none is sent.
func WithPlatformVersion(version string) Option {
	return func(c *config) error {
		c.settings.setPlatformVersion(version)
		return nil
	}
}

// WithoutClientTime stops the client from sending the time of this machine.
func WithoutClientTime() Option {
	return func(c *config) error {
		c.noClientTime = true
		return nil
	}
}

// WithTimeout limits the duration of one attempt of a request, from its start to the last byte of
// the response. 0 means no limit. The default is 15 seconds.
func WithTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return usage("timeout must not be negative")
		}
		c.timeout = d
		return nil
	}
}

// WithConnectTimeout limits the time to establish a connection. The default is the timeout of an
// attempt. It has no effect together with [WithHTTPClient].
func WithConnectTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return usage("connect timeout must be greater than 0")
		}
		c.connectTimeout = d
		return nil
	}
}

// WithRetries sets how many times a GET or HEAD request is retried when the server cannot be
// reached or is unavailable. 0 means never. The default is 3.
func WithRetries(n int) Option {
	return func(c *config) error {
		if n < 0 {
			return usage("retries must not be negative")
		}
		c.retries = n
		return nil
	}
}

// WithUserAgent replaces this library's User-Agent.
func WithUserAgent(agent string) Option {
	return func(c *config) error {
		c.userAgent = agent
		return checkHeaderValue("user agent", agent)
	}
}

// WithAppIdentifier appends an identifier of the app to the User-Agent, as in "my-app/1.2".
func WithAppIdentifier(name string) Option {
	return func(c *config) error {
		c.appIdentifier = strings.TrimSpace(name)
		return checkHeaderValue("application name", name)
	}
}

// WithHeader adds a header to every request. It cannot replace the credential or headers that begin
// with x-svc-.
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

// WithLocale sets the language of the texts in responses to requests without a credential. A call
// can specify another one.
func WithLocale(locale string) Option {
	return func(c *config) error {
		c.settings.locale = locale
		return nil
	}
}

// WithAppVersion sets the version of the app. It becomes the property app_version of events that
// have none. It is also sent with requests for announcements, and with update checks that specify
// no version.
func WithAppVersion(version string) Option {
	return func(c *config) error {
		c.settings.appVersion = version
		return nil
	}
}

// WithChannel sets the channel that update checks ask for, such as preview. A call can specify
// another one.
func WithChannel(channel string) Option {
	return func(c *config) error {
		c.settings.channel = channel
		return nil
	}
}

// WithRolloutKey sets the key, of at most 64 characters, by which a rollout decides whether to
// include this app. By default, it is a random number from 0 to 9999 that is kept with the local
// state.
func WithRolloutKey(key string) Option {
	return func(c *config) error {
		c.settings.rolloutKey = key
		return nil
	}
}

// WithHTTPClient makes the client send its requests with the given [http.Client]. The cookie jar of
// the client is not used, and its redirect policy is replaced. The library never closes the client.
func WithHTTPClient(client *http.Client) Option {
	return func(c *config) error {
		if client == nil {
			return usage("HTTP client must not be nil")
		}
		c.httpClient = client
		return nil
	}
}

// WithLogger sets the logger that receives debug records: the method, path template, status,
// attempt and duration of requests, and the reasons why events were dropped. By default, nothing is
// logged.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		c.logger = logger
		return nil
	}
}

// WithAnalytics configures how events are collected.
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

// settings holds the values that setters of the client can change. A stored settings value is never
// modified, so a request uses the same values from start to end.
type settings struct {
	project    string
	token      func(context.Context) (string, error) // nil if there is no credential
	locale     string
	appVersion string
	channel    string
	rolloutKey string // "" = a random one

	platform        Platform // as the caller has passed it
	platformIs      source
	platformVersion string
	versionIs       source
}

// source states where a declared value comes from. The zero value means that it was detected.
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

// declared returns the platform and the operating system version to send. Either is "" if it is not
// sent.
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

package svcsdk

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Client is a client of one server. Create it with [New]. All its methods, including the setters,
// are safe for concurrent use.
type Client struct {
	// Public has the methods that need no credential. Its requests never contain one.
	Public *Public
	// Admin has the methods that need a credential.
	Admin *Admin
	// Updates checks for updates of the app and downloads them.
	Updates *Updates
	// Logs reports errors of the app.
	Logs *Logs

	config   config // the options passed to New; settings holds later changes
	base     string // base address without a trailing slash
	http     *http.Client
	logger   *slog.Logger
	clock    *clock
	settings atomic.Pointer[settings]
	setters  sync.Mutex
	events   *collector

	closing context.Context // ends when Close is called
	closed  context.CancelCauseFunc
}

// Public has the methods that need no credential. See [Client.Public].
type Public struct{ client *Client }

// Admin has the methods that need a credential. See [Client.Admin].
type Admin struct{ client *Client }

// errClosed is the error that methods return after Close.
var errClosed = usage("client is closed")

// New creates a client for the server at baseURL, which usually ends in /api/v1. Errors are of type
// [*UsageError]. The caller must close the client when it is no longer needed.
func New(baseURL string, opts ...Option) (*Client, error) {
	base, err := cleanBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	cfg := config{timeout: defaultTimeout, retries: defaultRetries, userAgent: "svc-sdk-go/" + Version, clock: realClock()}
	for _, option := range opts {
		if err := option(&cfg); err != nil {
			return nil, err
		}
	}
	if err := cfg.analytics.check(); err != nil {
		return nil, err
	}
	c := &Client{config: cfg, base: base, logger: cfg.logger, clock: cfg.clock}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	} else {
		c.logger = slog.New(ownHandler{c.logger.Handler()})
	}
	if parsed, err := url.Parse(base); err != nil {
		return nil, usage("base address is not a valid address")
	} else if !strings.Contains(parsed.Path, "/api/v") {
		c.logger.Warn("the base address of svc usually ends in /api/v1")
	}
	if c.config.appIdentifier != "" {
		c.config.userAgent = strings.TrimSpace(c.config.userAgent + " " + c.config.appIdentifier)
	}
	c.http = httpClient(&cfg)
	c.settings.Store(&cfg.settings)
	c.closing, c.closed = context.WithCancelCause(context.Background())
	c.Public, c.Admin = &Public{c}, &Admin{c}
	c.events = newCollector(c)
	c.Updates = &Updates{client: c}
	c.Logs = newLogs(c)
	return c, nil
}

// cleanBaseURL checks a base address and removes spaces and trailing slashes.
func cleanBaseURL(text string) (string, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	scheme, rest, ok := strings.Cut(text, "://")
	if scheme = strings.ToLower(scheme); !ok || rest == "" || scheme != "http" && scheme != "https" {
		return "", usage("base address must begin with http:// or https://")
	}
	return text, nil
}

// httpClient creates the client that sends requests. It neither sends nor stores cookies.
func httpClient(cfg *config) *http.Client {
	client := &http.Client{}
	if cfg.httpClient != nil {
		*client = *cfg.httpClient
		client.Jar = nil
	} else {
		client.Transport = newTransport(cfg)
	}
	client.CheckRedirect = checkRedirect
	return client
}

func newTransport(cfg *config) *http.Transport {
	t, ok := http.DefaultTransport.(*http.Transport)
	if ok {
		t = t.Clone()
	} else {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	}
	limit := cfg.connectTimeout
	if limit == 0 {
		limit = cfg.timeout
	}
	t.DialContext = (&net.Dialer{Timeout: limit, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = limit
	return t
}

// checkRedirect lets GET and HEAD requests follow up to three redirects on the same host, but not
// from https to http. For any other redirect, it returns the redirect itself as the response.
func checkRedirect(next *http.Request, via []*http.Request) error {
	const most = 3
	first, last := via[0], via[len(via)-1]
	reads := first.Method == http.MethodGet || first.Method == http.MethodHead
	if !reads || len(via) > most || !strings.EqualFold(next.URL.Hostname(), first.URL.Hostname()) ||
		last.URL.Scheme == "https" && next.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// change calls the function set with a copy of the settings, and then replaces the settings with
// that copy.
func (c *Client) change(set func(*settings)) {
	c.setters.Lock()
	defer c.setters.Unlock()
	s := *c.settings.Load()
	set(&s)
	c.settings.Store(&s)
}

// ProjectKey returns the key of the project that the client is bound to, or "" if there is none.
func (c *Client) ProjectKey() string { return c.settings.Load().project }

// SetProjectKey binds the client to another project. Events collected for the previous project are
// never sent to the new one.
func (c *Client) SetProjectKey(key string) {
	c.change(func(s *settings) { s.project = strings.TrimSpace(key) })
	c.events.rebind()
}

// SetToken replaces the credential.
func (c *Client) SetToken(token string) {
	c.change(func(s *settings) { s.token = fixedToken(token) })
}

// ClearToken removes the credential.
func (c *Client) ClearToken() { c.SetToken("") }

// SetPlatform declares the platform of the app. If p is "", no platform is declared.
func (c *Client) SetPlatform(p Platform) {
	c.change(func(s *settings) { s.setPlatform(p) })
}

// SetPlatformVersion declares the version of the operating system. If version is "", none is sent.
func (c *Client) SetPlatformVersion(version string) {
	c.change(func(s *settings) { s.setPlatformVersion(version) })
}

// SetLocale sets the language of the texts in responses to requests without a credential. If locale
// is "", these requests specify no language.
func (c *Client) SetLocale(locale string) {
	c.change(func(s *settings) { s.locale = locale })
}

// String returns the address and the project of the client. It omits credentials and headers.
func (c *Client) String() string {
	return fmt.Sprintf("svcsdk.Client(%s, %q)", origin(c.base), c.ProjectKey())
}

// GoString returns the same text as String.
func (c *Client) GoString() string { return c.String() }

// Health checks whether the server is up.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return fetch[Health](ctx, c.Public.call(http.MethodGet, "/health"))
}

// Login signs in as the administrator and stores the token for the methods of Admin.
func (c *Client) Login(ctx context.Context, in LoginInput) (*Login, error) {
	login, err := fetch[Login](ctx, c.Public.call(http.MethodPost, "/auth/login").body(in))
	if err == nil && login != nil {
		c.SetToken(login.AccessToken)
	}
	return login, err
}

// Close sends the remaining events and reports until ctx ends, and stops the background work. If
// ctx ends first, Close returns its error. Unsent events are stored for the next start if they are
// persistent. After Close, requests return a [*UsageError] and Track does nothing.
func (c *Client) Close(ctx context.Context) error {
	c.setters.Lock()
	again := c.closing.Err() != nil
	c.closed(errClosed)
	c.setters.Unlock()
	if again {
		return nil
	}
	var sending sync.WaitGroup
	sending.Go(func() { c.Logs.close(ctx) })
	c.events.close(ctx)
	sending.Wait()
	if c.config.httpClient == nil {
		c.http.CloseIdleConnections()
	}
	return ctx.Err()
}

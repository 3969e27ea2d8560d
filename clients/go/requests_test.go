package svcsdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// served returns a client of a new test server with the given handler.
func served(t *testing.T, handler http.HandlerFunc, opts ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return clientOf(t, server.URL+"/api/v1", opts...)
}

func clientOf(t *testing.T, base string, opts ...Option) *Client {
	t.Helper()
	opts = append([]Option{WithProject("acme"), WithToken("secret-token"), WithAnalytics(AnalyticsOptions{Persistence: PersistNone})}, opts...)
	c, err := New(base, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestFieldsAreLeftOutNullOrSet(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   VersionFields
		want string
	}{
		"left out": {VersionFields{}, `{}`},
		"null":     {VersionFields{Title: Null[string](), CustomData: Null[map[string]any]()}, `{"title":null,"custom_data":null}`},
		"values": {
			VersionFields{Title: Set("a<b>&"), IsPreview: new(false), Platforms: Set([]Platform{}), PublishedAt: new(int64(0))},
			`{"title":"a<b>&","is_preview":false,"platforms":[],"published_at":0}`,
		},
		"extra comes last": {VersionFields{Title: Set("a"), Extra: map[string]any{"title": "b", "later": 1}}, `{"later":1,"title":"b"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := recorded(t, WithProject("acme"), WithToken("t"))
			if _, err := c.Admin.UpdateVersion(t.Context(), "id", tc.in); err != nil {
				t.Fatal(err)
			}
			if r.bodies[0] != tc.want {
				t.Errorf("got %s, want %s", r.bodies[0], tc.want)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts []Option
		set  func(*Client)
		want map[string]string // "" means that the header is not sent
	}{
		"as detected": {nil, nil, map[string]string{
			"Accept": "application/json", "Authorization": "Bearer t", "User-Agent": "svc-sdk-go/" + Version,
			"X-Svc-Platform": string(detectPlatform()), "X-Svc-Platform-Version": detectPlatformVersion(), "Content-Type": "", "Cookie": "",
		}},
		"platform off": {[]Option{WithoutPlatform()}, nil, map[string]string{"X-Svc-Platform": "", "X-Svc-Platform-Version": ""}},
		"version with platform off": {[]Option{WithoutPlatform(), WithPlatformVersion("11")}, nil,
			map[string]string{"X-Svc-Platform": "", "X-Svc-Platform-Version": "11"}},
		"platform alone": {[]Option{WithPlatform("linux")}, nil,
			map[string]string{"X-Svc-Platform": "linux", "X-Svc-Platform-Version": detectPlatformVersion()}},
		"setters clean": {nil, func(c *Client) {
			c.SetPlatform(" mac\tos ")
			c.SetPlatformVersion("24.04\r\nCookie: x=1")
		}, map[string]string{"X-Svc-Platform": "mac os", "X-Svc-Platform-Version": "24.04 Cookie: x=1", "Cookie": ""}},
		"setters switch off":  {nil, func(c *Client) { c.SetPlatform("") }, map[string]string{"X-Svc-Platform": "", "X-Svc-Platform-Version": ""}},
		"without client time": {[]Option{WithoutClientTime()}, nil, map[string]string{"X-Svc-Client-Time": ""}},
		"user agent":          {[]Option{WithUserAgent("tool/1"), WithAppIdentifier("app/2")}, nil, map[string]string{"User-Agent": "tool/1 app/2"}},
		"extra headers replace none of ours": {
			[]Option{WithHeader("authorization", "Bearer other"), WithHeader("x-svc-platform", "web"), WithHeader("Accept", "text/html"), WithHeader("X-Team", "blue"), WithPlatform("linux")}, nil,
			map[string]string{"Authorization": "Bearer t", "X-Svc-Platform": "linux", "Accept": "application/json", "X-Team": "blue"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := recorded(t, append([]Option{WithToken("t")}, tc.opts...)...)
			if tc.set != nil {
				tc.set(c)
			}
			if _, err := c.Admin.ListProjects(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for name, want := range tc.want {
				if got := r.requests[0].Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestETags(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithToken("t"), WithProject("demo"), WithHeader("If-Match", `"of all"`))
	r.header = http.Header{"Etag": {`"1"`}}
	var etag string
	reading := StoreETag(t.Context(), &etag)
	if _, err := c.Admin.GetVersion(reading, "v1"); err != nil || etag != `"1"` {
		t.Fatalf("got ETag %s, %v", etag, err)
	}
	r.header = http.Header{}
	if err := c.Admin.DeleteVersion(IfMatch(reading, etag), "v1"); err != nil || etag != `"1"` {
		t.Errorf("an answer without a tag: got ETag %s, %v", etag, err)
	}
	r.header, r.answer = http.Header{"Etag": {`"2"`}}, func(*http.Request) (int, string) { return 412, `{"message":"changed"}` }
	_, err := c.Admin.UpdateVersion(IfMatch(reading, etag), "v1", VersionFields{})
	if failed, ok := errors.AsType[*APIError](err); !ok || failed.Status != 412 || etag != `"1"` {
		t.Errorf("a stale change: got %v, ETag %s", err, etag)
	}
	var sent []string
	for _, request := range r.requests {
		sent = append(sent, request.Header.Get("If-Match"))
	}
	if want := []string{"", `"1"`, `"1"`}; !slices.Equal(sent, want) {
		t.Errorf("sent If-Match %q, want %q", sent, want)
	}
}

func TestOptionsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]Option{
		"line break in the user agent":  WithUserAgent("a\r\nb"),
		"line break in the application": WithAppIdentifier("a\nb"),
		"line break in a header":        WithHeader("X-Team", "a\nb"),
		"name of a header":              WithHeader("X Team", "a"),
		"negative retries":              WithRetries(-1),
		"negative timeout":              WithTimeout(-1),
		"no connect timeout":            WithConnectTimeout(0),
		"no HTTP client":                WithHTTPClient(nil),
		"persistence":                   WithAnalytics(AnalyticsOptions{Persistence: "forever"}),
		"flush interval":                WithAnalytics(AnalyticsOptions{FlushInterval: -1}),
		"queue size":                    WithAnalytics(AnalyticsOptions{MaxQueueSize: -1}),
	} {
		if _, err := New(testBase, option); err == nil {
			t.Errorf("%s: not refused", name)
		} else if _, ok := errors.AsType[*UsageError](err); !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
}

func TestTheClientTimeIsThatOfTheAttempt(t *testing.T) {
	t.Parallel()
	fake := newFakeClock(time.Unix(1_800_000_000, 0).UTC())
	c, r := recorded(t, WithProject("acme"), withClock(fake.clock()))
	r.answer = func(*http.Request) (int, string) {
		if len(r.requests) < 2 {
			return http.StatusServiceUnavailable, ""
		}
		return http.StatusOK, "null"
	}
	if _, err := c.Public.GetProject(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	first, second := r.requests[0].Header.Get("X-Svc-Client-Time"), r.requests[1].Header.Get("X-Svc-Client-Time")
	if first != "2027-01-15T08:00:00.000+00:00" || second != "2027-01-15T08:00:00.300+00:00" {
		t.Errorf("got %s and %s", first, second)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		method   string
		statuses []int // statuses of the responses; the last one is repeated
		header   string
		attempts int
		status   int // status of the expected error, 0 for none
		waited   time.Duration
	}{
		"one outage":               {http.MethodGet, []int{503, 200}, "", 2, 0, 300 * time.Millisecond},
		"four attempts":            {http.MethodGet, []int{502}, "", 4, 502, 2100 * time.Millisecond},
		"writes are sent once":     {http.MethodPost, []int{503}, "", 1, 503, 0},
		"Retry-After is honoured":  {http.MethodGet, []int{504, 200}, "7", 2, 0, 7 * time.Second},
		"too long a Retry-After":   {http.MethodGet, []int{503}, "31", 1, 503, 0},
		"other statuses are final": {http.MethodGet, []int{429}, "1", 1, 429, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newFakeClock(time.Now())
			c, r := recorded(t, WithProject("acme"), withClock(fake.clock()))
			r.answer = func(*http.Request) (int, string) {
				return tc.statuses[min(len(r.requests), len(tc.statuses))-1], `{"message":"down"}`
			}
			r.header = http.Header{"Retry-After": {tc.header}}
			var err error
			if tc.method == http.MethodGet {
				_, err = c.Public.GetProject(t.Context(), nil)
			} else {
				_, err = c.Public.UploadLog(t.Context(), LogInput{})
			}
			status := 0
			if e, ok := errors.AsType[*APIError](err); ok {
				status = e.Status
			}
			if len(r.requests) != tc.attempts || status != tc.status || fake.monotonic != tc.waited {
				t.Errorf("%d attempts, status %d, waited %s; want %d, %d, %s", len(r.requests), status, fake.monotonic, tc.attempts, tc.status, tc.waited)
			}
		})
	}
}

func TestAnAnswerThatTakesTooLongIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	end := make(chan struct{})
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if strings.HasSuffix(r.URL.Path, "latest") { // the time limit covers the body, too
			_, _ = io.WriteString(w, `{"id":`)
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-end:
		}
	}, WithTimeout(50*time.Millisecond))
	defer close(end)
	_, slow := c.Public.GetProject(t.Context(), nil)
	_, cut := c.Public.GetLatestVersion(t.Context(), nil)
	for _, err := range []error{slow, cut} {
		e, ok := errors.AsType[*ConnectionError](err)
		if !ok || !e.Timeout {
			t.Errorf("got %T %v", err, err)
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

func TestARefusedConnectionIsTriedAgain(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	fake := newFakeClock(time.Now())
	c := clientOf(t, "http://"+address+"/api/v1", withClock(fake.clock()))
	_, err = c.Public.GetProject(t.Context(), nil)
	wantError[*ConnectionError](t, err)
	if fake.monotonic != 2100*time.Millisecond {
		t.Errorf("waited %s", fake.monotonic)
	}
	if _, err = c.Public.UploadLog(t.Context(), LogInput{}); err == nil || fake.monotonic != 2100*time.Millisecond {
		t.Errorf("a write was tried again: %v, waited %s", err, fake.monotonic)
	}
}

func TestAnUnknownCertificateIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	fake := newFakeClock(time.Now())
	c := clientOf(t, server.URL+"/api/v1", withClock(fake.clock()))
	_, err := c.Public.GetProject(t.Context(), nil)
	wantError[*ConnectionError](t, err)
	if fake.monotonic != 0 {
		t.Errorf("waited %s", fake.monotonic)
	}
}

func TestAConnectionThatBreaksInAHandshakeIsTriedAgain(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1)) // break the connection after it was established
			_ = conn.Close()
		}
	}()
	fake := newFakeClock(time.Now())
	c := clientOf(t, "https://"+listener.Addr().String()+"/api/v1", withClock(fake.clock()))
	_, err = c.Public.GetProject(t.Context(), nil)
	wantError[*ConnectionError](t, err)
	if fake.monotonic != 2100*time.Millisecond {
		t.Errorf("waited %s", fake.monotonic)
	}
}

func TestWaitingEndsWhenTheCallerGivesUpOrTheClientIsClosed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel context.CancelFunc, c *Client) error{
		"cancelled": func(cancel context.CancelFunc, _ *Client) error { cancel(); return nil },
		"closed":    func(_ context.CancelFunc, c *Client) error { return c.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{answer: func(*http.Request) (int, string) { return http.StatusServiceUnavailable, "" }}
				c, err := New(testBase, WithProject("acme"), WithHTTPClient(&http.Client{Transport: r}))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				failed := make(chan error, 1)
				start := time.Now()
				go func() {
					_, err := c.Public.GetProject(ctx, nil)
					failed <- err
				}()
				synctest.Wait() // the client is waiting for the second attempt
				if err := end(cancel, c); err != nil {
					t.Fatal(err)
				}
				if err := <-failed; err == nil || time.Since(start) > 100*time.Millisecond {
					t.Errorf("got %v after %s", err, time.Since(start))
				} else if _, ok := errors.AsType[Error](err); !ok {
					t.Errorf("error is %T", err)
				}
				if err := c.Close(context.Background()); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestNoFormatShowsASecret(t *testing.T) {
	t.Parallel()
	client, err := New("https://me:very-secret@svc.example.com/api/v1", WithProject("acme"), WithToken("very-secret"), WithHeader("X-Key", "very-secret"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(t.Context()) })
	client.SetToken("very-secret")
	if got, want := client.String(), `svcsdk.Client(https://svc.example.com, "acme")`; got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
	for _, value := range []any{client, client.Public, client.Admin, client.Updates, client.Logs, &Update{client: client}} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%v %+v %#v %s", value, value, value, text); strings.Contains(text, "secret") {
			t.Errorf("%T shows a secret: %s", value, text)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const secret = "secret-token"
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		check   func(t *testing.T, p *Project, err error)
	}{
		"list of messages": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "3")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"statusCode":400,"message":["one","two"],"error":"Bad Request"}`)
			},
			func(t *testing.T, _ *Project, err error) {
				e, ok := errors.AsType[*APIError](err)
				if !ok || err.Error() != "[400] one; two" || e.Status != 400 || *e.RetryAfter != 3*time.Second || e.Method != "GET" || e.Path != "/admin/projects/{k}" {
					t.Errorf("got %#v", err)
				}
			},
		},
		"text instead of JSON": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadGateway)
				_, _ = io.WriteString(w, strings.Repeat("<h1>down</h1>", 10_000))
			},
			func(t *testing.T, _ *Project, err error) {
				e, ok := errors.AsType[*APIError](err)
				if body, _ := e.Body.(string); !ok || err.Error() != "[502] HTTP 502" || len(body) != 64<<10 {
					t.Errorf("got %v, %d bytes", err, len(body))
				}
			},
		},
		"nothing": {
			func(http.ResponseWriter, *http.Request) {},
			func(t *testing.T, p *Project, err error) {
				if p != nil || err != nil {
					t.Errorf("got %v, %v", p, err)
				}
			},
		},
		"text with status 200": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			func(t *testing.T, _ *Project, err error) {
				if e, ok := errors.AsType[*APIError](err); !ok || e.Status != 200 || e.Body != "<html>" {
					t.Errorf("got %#v", err)
				}
			},
		},
		"body cut short": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"id":"acme"`)
			},
			func(t *testing.T, _ *Project, err error) { wantError[*ConnectionError](t, err) },
		},
		"too large": {
			func(w http.ResponseWriter, _ *http.Request) {
				chunk := []byte(strings.Repeat(" ", 1<<20))
				for range 33 {
					_, _ = w.Write(chunk)
				}
			},
			func(t *testing.T, _ *Project, err error) { wantError[*ConnectionError](t, err) },
		},
		"unknown fields and values": {
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"id":"acme","later":{"a":1}}`)
			},
			func(t *testing.T, p *Project, err error) {
				if err != nil || p.ID != "acme" || p.Description != nil {
					t.Errorf("got %+v, %v", p, err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged strings.Builder
			logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
			c := served(t, tc.handler, WithRetries(0), WithLogger(logger))
			p, err := c.Admin.GetProject(t.Context())
			tc.check(t, p, err)
			if text := fmt.Sprintf("%v %+v %s", err, err, &logged); strings.Contains(text, secret) {
				t.Errorf("the credential is in %s", text)
			}
			if !strings.Contains(logged.String(), "path=/admin/projects/{k}") || !strings.Contains(logged.String(), "attempt=1") {
				t.Errorf("logged %s", &logged)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	t.Cleanup(other.Close)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for name, tc := range map[string]struct {
		to     func(n int) string // target of the n-th redirect, "" for a response
		write  bool
		status int // status of the expected error, 0 for none
	}{
		"three are followed":   {to: func(n int) string { return map[bool]string{true: "/api/v1/x"}[n <= 3] }},
		"four are not":         {to: func(int) string { return "/api/v1/x" }, status: 302},
		"another host is not":  {to: func(int) string { return elsewhere + "/api/v1/x" }, status: 302},
		"writes do not follow": {to: func(int) string { return "/api/v1/x" }, write: true, status: 302},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			c := served(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer secret-token" {
					t.Errorf("Authorization is %q", got)
				}
				if to := tc.to(int(n.Add(1))); to != "" {
					http.Redirect(w, r, to, http.StatusFound)
				}
			})
			var err error
			if tc.write {
				err = c.Admin.DeleteProject(t.Context())
			} else {
				_, err = c.Admin.GetProject(t.Context())
			}
			status := 0
			if e, ok := errors.AsType[*APIError](err); ok {
				status = e.Status
			} else if err != nil {
				t.Fatal(err)
			}
			if status != tc.status {
				t.Errorf("got status %d, want %d", status, tc.status)
			}
		})
	}
}

func TestLocalChecksComeFirst(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithProject("acme"), WithToken("t"))
	for name, call := range map[string]func() error{
		"empty segment": func() error { return c.Admin.DeleteVersion(t.Context(), "") },
		"dot":           func() error { return c.Admin.DeleteVersion(t.Context(), ".") },
		"two dots":      func() error { return c.Admin.DeleteVersion(t.Context(), "..") },
		"no version":    func() error { _, err := c.Public.CheckUpdate(t.Context(), UpdateCheckInput{}); return err },
		"no identifier": func() error { _, err := c.Public.ExportMyData(t.Context(), ""); return err },
		"forward, no contact": func() error {
			_, err := c.Public.CreateFeedback(t.Context(), FeedbackInput{ForwardToCodehost: new(true), Contact: Set(" ")})
			return err
		},
		"forward, no contact in the extra fields": func() error {
			in := FeedbackInput{ForwardToCodehost: new(true), Contact: Set("a@b.example"), Extra: map[string]any{"contact": nil}}
			_, err := c.Public.CreateFeedback(t.Context(), in)
			return err
		},
	} {
		if _, ok := errors.AsType[*UsageError](call()); !ok {
			t.Errorf("%s: not refused", name)
		}
	}
	c.SetToken("line\nbreak")
	wantError[*AuthError](t, c.Admin.DeleteProject(t.Context()))
	if len(r.requests) > 0 {
		t.Error("something was sent")
	}
}

func TestDefaultsOfTheClientFillReads(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithProject("acme"), WithToken("t"), WithLocale("de"), WithAppVersion("1.2"), WithChannel("beta"), WithRolloutKey("7"))
	for _, call := range []func() error{
		func() error { _, err := c.Public.GetLatestAnnouncement(t.Context(), nil); return err },
		func() error {
			_, err := c.Public.GetLatestAnnouncement(t.Context(), &LatestAnnouncementOptions{Locale: Set("pt"), Version: Null[string]()})
			return err
		},
		func() error {
			_, err := c.Admin.ListAnnouncements(t.Context(), &ListAnnouncementsOptions{Limit: 3, IsPinned: new(false)})
			return err
		},
		func() error { _, err := c.Public.CheckUpdate(t.Context(), UpdateCheckInput{}); return err },
		func() error {
			_, err := c.Public.CheckUpdate(t.Context(), UpdateCheckInput{Channel: Null[string](), RolloutKey: Null[string]()})
			return err
		},
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"locale=de&version=1.2", "locale=pt", "is_pinned=false&limit=3", ""} {
		if got := r.requests[i].URL.RawQuery; got != want {
			t.Errorf("request %d: got %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{
		`{"current_version":"1.2","channel":"beta","rollout_key":"7","locale":"de"}`,
		`{"current_version":"1.2","locale":"de"}`,
	} {
		if got := r.bodies[3+i]; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestRolloutKeyNeedsConsent checks that the key stays in memory until the user agrees.
func TestRolloutKeyNeedsConsent(t *testing.T) {
	t.Parallel()
	storage := &memoryStorage{}
	analytics := AnalyticsOptions{RequireConsent: true, Storage: storage, Namespace: "n"}
	c, r := recorded(t, WithProject("acme"), WithAppVersion("1"), WithAnalytics(analytics))
	for i, stored := range []int{0, 0, 1, 1} {
		if i == 2 {
			c.Public.GrantConsent()
		}
		if _, err := c.Public.CheckUpdate(t.Context(), UpdateCheckInput{}); err != nil {
			t.Fatal(err)
		}
		if r.bodies[i] != r.bodies[0] {
			t.Errorf("check %d: got %s, want the key of %s", i, r.bodies[i], r.bodies[0])
		}
		if len(storage.texts) != stored {
			t.Errorf("check %d: got %v stored, want %d text", i, storage.texts, stored)
		}
	}
}

// TestRolloutKeyIsKept checks where the key is stored, and that an opt-out does not remove it.
func TestRolloutKeyIsKept(t *testing.T) {
	t.Parallel()
	const name = "svc.analytics.n." + rolloutSuffix
	for mode, stored := range map[Persistence]bool{PersistDevice: true, PersistSession: false, PersistNone: false} {
		storage := &memoryStorage{}
		keyOf := func() string {
			analytics := AnalyticsOptions{Persistence: mode, Storage: storage, Namespace: "n"}
			c, r := recorded(t, WithProject("acme"), WithAppVersion("1"), WithAnalytics(analytics))
			for range 2 {
				if _, err := c.Public.CheckUpdate(t.Context(), UpdateCheckInput{}); err != nil {
					t.Fatal(err)
				}
				c.Public.OptOut()
			}
			if r.bodies[0] != r.bodies[1] {
				t.Errorf("%v: got %s, then %s, want the same key", mode, r.bodies[0], r.bodies[1])
			}
			return strings.TrimSuffix(strings.TrimPrefix(r.bodies[0], `{"current_version":"1","rollout_key":"`), `"}`)
		}
		key := keyOf()
		if !validRolloutKey(key) || (storage.texts[name] == key) != stored {
			t.Errorf("%v: got key %q, %q stored", mode, key, storage.texts[name])
		}
		if stored && keyOf() != key {
			t.Errorf("%v: another client has another key", mode)
		}
	}
}

func TestIterWalksAllPages(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithProject("acme"))
	r.answer = func(h *http.Request) (int, string) {
		return http.StatusOK, map[string]string{
			"": `{"total":3,"data":[{"id":"a"},{"id":"b"}]}`, "2": `{"total":3,"data":[{"id":"c"}]}`,
		}[h.URL.Query().Get("offset")]
	}
	var ids []string
	for v, err := range c.Public.IterVersions(t.Context(), &ListPublicVersionsOptions{Limit: 1, Search: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, v.ID)
	}
	if got := strings.Join(ids, ""); got != "abc" || len(r.requests) != 2 || r.requests[1].URL.RawQuery != "limit=100&offset=2&search=x" {
		t.Errorf("got %s with %d requests", got, len(r.requests))
	}
	for _, err := range c.Public.IterVersions(t.Context(), nil) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	r.answer = func(*http.Request) (int, string) { return http.StatusNotFound, "{}" }
	for _, err := range c.Public.IterVersions(t.Context(), nil) {
		wantError[*APIError](t, err)
	}
}

func TestLoginKeepsTheToken(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithToken("old"))
	r.answer = func(*http.Request) (int, string) {
		return http.StatusCreated, `{"access_token":"new","expires_in":7200}`
	}
	if _, err := c.Login(t.Context(), LoginInput{Username: "admin", Password: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Admin.ListProjects(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if first, second := r.requests[0].Header.Get("Authorization"), r.requests[1].Header.Get("Authorization"); first != "" || second != "Bearer new" {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestAClosedClientRefuses(t *testing.T) {
	t.Parallel()
	c, r := recorded(t, WithProject("acme"))
	for range 2 {
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Public.GetProject(t.Context(), nil)
	wantError[*UsageError](t, err)
	_, err = c.Updates.Check(t.Context(), nil)
	wantError[*UsageError](t, err)
	c.Public.Track("late", nil)
	c.Logs.Capture(errors.New("late"), nil)
	c.Logs.Flush(t.Context())
	if len(r.requests) > 0 {
		t.Error("something was sent")
	}
}

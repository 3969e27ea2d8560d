package codehost_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/codehost"
	"svc/internal/codehost/codehosttest"
	"svc/internal/testutil"
)

// inBubble runs a test in a testing/synctest bubble, where waiting takes no real time. The client
// reaches the host through an in-memory pipe.
func inBubble(t *testing.T, run func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{host: codehosttest.NewAt("http://codehost.example")}
		p := make(testutil.Pipes)
		server := &http.Server{Handler: w.host}
		go func() { _ = server.Serve(p) }() // returns when the server is closed
		transport := &http.Transport{DialContext: p.Dial}
		w.Client = codehost.New(codehost.Config{HTTP: &http.Client{Transport: transport}, API: w.host.URL, Web: w.host.URL, Now: w.now})
		defer func() {
			w.host.Close()
			transport.CloseIdleConnections()
			_ = server.Close() // closes connections and makes Serve return
		}()
		run(t, w)
	})
}

// failure returns err as an *Error. The test fails if err has another type.
func failure(t *testing.T, err error) *codehost.Error {
	t.Helper()
	e, ok := errors.AsType[*codehost.Error](err)
	if !ok {
		t.Fatalf("got %v; want an *Error", err)
	}
	return e
}

// fails fails the test unless err is an *Error.
func fails(t *testing.T, err error) {
	t.Helper()
	_ = failure(t, err) // checks the type
}

// TestRateLimits checks that a call waits once for the end of a rate limit if it is near.
// Otherwise the error must contain the time at which the limit ends.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, tc := range map[string]struct {
		fault    codehosttest.Fault
		times    int           // number of calls that the host refuses
		patience time.Duration // timeout of the context
		waits    time.Duration // time after which the call succeeds or fails
		resetIn  time.Duration // remaining time that the error contains; 0 if the call succeeds
		asked    int
	}{
		"ends in 3 s":             {codehosttest.RateLimit(3 * time.Second), 1, 20 * time.Second, 3 * time.Second, 0, 2},
		"ends in 3 s, then again": {codehosttest.RateLimit(3 * time.Second), 2, 20 * time.Second, 3 * time.Second, 3 * time.Second, 2},
		"is over already":         {codehosttest.RateLimit(-3 * time.Second), 1, 20 * time.Second, 0, 0, 2},
		"ends in 6 s":             {codehosttest.RateLimit(6 * time.Second), 1, 20 * time.Second, 0, 6 * time.Second, 1},
		"no time to wait":         {codehosttest.RateLimit(3 * time.Second), 1, 4 * time.Second, 0, 3 * time.Second, 1},
		"ends in an hour":         {codehosttest.RateLimit(time.Hour), 1, 20 * time.Second, 0, time.Hour, 1},
		"ends in a year":          {codehosttest.RateLimit(365 * 24 * time.Hour), 1, 20 * time.Second, 0, 24 * time.Hour, 1},
		"secondary, 2 s":          {codehosttest.SecondaryLimit(403, 2*time.Second), 1, 20 * time.Second, 2 * time.Second, 0, 2},
		"secondary with 429, 2 s": {codehosttest.SecondaryLimit(429, 2*time.Second), 1, 20 * time.Second, 2 * time.Second, 0, 2},
		"secondary, 0 s":          {codehosttest.SecondaryLimit(403, 0), 1, 20 * time.Second, 0, 0, 2},
		"secondary, a minute":     {codehosttest.SecondaryLimit(403, minute), 1, 20 * time.Second, 0, minute, 1},
		"secondary, does not say": {codehosttest.SecondaryLimit(403, -1), 1, 20 * time.Second, 0, minute, 1},
		"429 that does not say":   {codehosttest.Status(429), 1, 20 * time.Second, 0, minute, 1},
		"the same for who writes": {codehosttest.RateLimit(3 * time.Second), 1, 20 * time.Second, 3 * time.Second, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, w *world) {
				repo := w.host.Repository("lumen-works/beacon")
				app, _ := w.app(t, all, repo)
				r := w.Repo(app, "lumen-works/beacon")
				if _, err := r.Get(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.host.BreakTimes(tc.times, "POST", "/issues", tc.fault)
				ctx, cancel := context.WithTimeout(t.Context(), tc.patience)
				defer cancel()
				begun := time.Now()
				_, err := r.CreateIssue(ctx, codehost.NewIssue{Title: "x"})
				if waited := time.Since(begun); waited.Round(time.Second) != tc.waits {
					t.Errorf("waited %s; want %s", waited, tc.waits)
				}
				if tc.resetIn == 0 {
					if err != nil {
						t.Errorf("got %v", err)
					}
				} else if e := failure(t, err); e.Reset.Sub(w.now()).Round(time.Second) != tc.resetIn || e.Unclear {
					t.Errorf("got %v, in %s; want %s", e, e.Reset.Sub(w.now()), tc.resetIn)
				}
				if n := w.host.Asked("POST", "/issues"); n != tc.asked {
					t.Errorf("asked %d times; want %d", n, tc.asked)
				}
			})
		})
	}
}

// TestNobodyAsksWhileLimited checks that the client makes no calls with an identity that
// has exceeded its rate limit until the limit ends. Other identities must not be
// affected.
func TestNobodyAsksWhileLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	installed, anonymous := w.Repo(app, "lumen-works/beacon"), w.Repo(nil, "lumen-works/beacon")
	if _, err := installed.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.host.BreakTimes(1, "GET", "/repos/lumen-works/beacon", codehosttest.RateLimit(10*time.Minute))
	first := failure(t, second(installed.Get(t.Context())))
	asked := w.host.Asked("", "")
	again := failure(t, second(installed.Get(t.Context())))
	if n := w.host.Asked("", ""); n != asked || !again.Reset.Equal(first.Reset) {
		t.Errorf("%d calls until %s; want none until %s", n-asked, again.Reset, first.Reset)
	}
	if _, err := anonymous.Get(t.Context()); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	w.pass(11 * time.Minute)
	if _, err := installed.Get(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func second[V any](_ V, err error) error { return err }

// TestWaitsOnce checks that a call waits for the end of a rate limit at most once.
func TestWaitsOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, w *world) {
		w.host.Repository("lumen-works/beacon")
		r := w.Repo(nil, "lumen-works/beacon")
		w.host.BreakTimes(1, "", "", codehosttest.RateLimit(10*time.Second))
		fails(t, second(r.Get(t.Context())))
		w.pass(6 * time.Second)
		w.host.BreakTimes(1, "", "", codehosttest.RateLimit(3*time.Second))
		begun := time.Now()
		fails(t, second(r.Get(t.Context())))
		if waited := time.Since(begun); waited.Round(time.Second) != 4*time.Second || w.host.Asked("", "") != 2 {
			t.Errorf("waited %s and asked %d times; want the rest of the first limit, and a call after it", waited, w.host.Asked("", ""))
		}
	})
}

// TestLimitIsUsedUp checks that the client stops sending calls when the rate limit is used up.
func TestLimitIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.Repository("lumen-works/beacon")
	w.host.SetLimit(2)
	r := w.Repo(nil, "lumen-works/beacon")
	for range 2 {
		if _, err := r.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if e := failure(t, second(r.Get(t.Context()))); e.Reset.IsZero() || e.Unclear || w.host.Asked("", "") != 2 {
		t.Errorf("got %v after %d calls; want 2", e, w.host.Asked("", ""))
	}
	w.pass(61 * time.Minute)
	if _, err := r.Get(t.Context()); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	if e := failure(t, second(r.LatestRelease(t.Context()))); !errors.Is(e, codehost.ErrNotFound) || !e.Reset.IsZero() {
		t.Errorf("what is not there is not there, also with the last call: %v", e)
	}
}

// TestClockOfTheHost checks that the end of a limit is computed relative to the host's clock.
func TestClockOfTheHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.host.Repository("lumen-works/beacon")
	w.host.SetClock(func() time.Time { return w.now().Add(-2 * time.Hour) })
	w.host.Break("", "", codehosttest.RateLimit(10*time.Minute))
	e := failure(t, second(w.Repo(nil, "lumen-works/beacon").Get(t.Context())))
	if in := e.Reset.Sub(w.now()); in < 9*time.Minute || in > 10*time.Minute+time.Second {
		t.Errorf("ends in %s; want 10 minutes", in)
	}
}

// TestConditionalRequests checks that the host does not send an unchanged response again,
// and that such a call does not reduce the rate limit.
func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	for i := range 150 {
		repo.Publish(codehosttest.Release{Tag: fmt.Sprintf("v1.%d", i)})
	}
	app, _ := w.app(t, all, repo)
	r := w.Repo(app, "lumen-works/beacon")
	w.host.SetLimit(4) // for one call per page and two calls by the app
	read := func() (n int, first string) {
		t.Helper()
		err := r.EachPage(t.Context(), 1000, func(page []codehost.Release) error {
			if n == 0 {
				first = page[0].TagName
			}
			n += len(page)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n, first
	}
	for range 5 { // the cached pages include their links to the next page
		if n, _ := read(); n != 150 {
			t.Fatalf("read %d releases; want 150", n)
		}
	}
	w.host.SetLimit(0)
	repo.Publish(codehosttest.Release{Tag: "v2.0"})
	if n, first := read(); n != 151 || first != "v2.0" {
		t.Errorf("read %d releases, the first %s; want the new one", n, first)
	}
}

// TestUnclear checks which failures to create an issue are reported as unclear, because the issue
// may exist nevertheless.
func TestUnclear(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		part            string // part of the path of the calls that fail
		fault           codehosttest.Fault
		unclear, exists bool
	}{
		"the answer is lost":        {"/issues", codehosttest.Lose(), true, true},
		"the connection breaks off": {"/issues", codehosttest.Cut(), true, false},
		"500":                       {"/issues", codehosttest.Status(500), true, false},
		"502":                       {"/issues", codehosttest.Answer(502, "<html>bad gateway"), true, false},
		"303":                       {"/issues", codehosttest.Status(303), true, false},
		"more than a receipt":       {"/issues", codehosttest.Answer(201, strings.Repeat(" ", 2<<20)), true, false},
		"no answer in time":         {"/issues", codehosttest.Hang(), true, false},
		"403":                       {"/issues", codehosttest.Status(403), false, false},
		"410, issues are off":       {"/issues", codehosttest.Status(410), false, false},
		"422":                       {"/issues", codehosttest.Status(422), false, false},
		"rate limit":                {"/issues", codehosttest.RateLimit(time.Hour), false, false},
		"no token: 500":             {"/access_tokens", codehosttest.Status(500), false, false},
		"no token: lost":            {"/access_tokens", codehosttest.Lose(), false, false},
		"no installation: 500":      {"/installation", codehosttest.Status(500), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, w *world) {
				repo := w.host.Repository("lumen-works/beacon")
				app, _ := w.app(t, all, repo)
				w.host.Break("", tc.part, tc.fault)
				begun := time.Now()
				_, err := w.Repo(app, "lumen-works/beacon").CreateIssue(t.Context(), codehost.NewIssue{Title: "x"})
				if e := failure(t, err); e.Unclear != tc.unclear {
					t.Errorf("unclear is %v after %v; want %v", e.Unclear, e, tc.unclear)
				}
				if exists := len(repo.Issues()) == 1; exists != tc.exists {
					t.Errorf("there is an issue: %v; want %v", exists, tc.exists)
				}
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("took %s; a call may take 10 s", took)
				}
			})
		})
	}
}

// TestCreatedWhateverIsSaid checks that CreateIssue returns the created issue even if the
// response has a malformed body.
func TestCreatedWhateverIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	for answer, want := range map[string]codehost.Issue{
		`<html>`: {}, `{}`: {}, `{"number":null,"html_url":null}`: {},
		`{"number":"7","html_url":"javascript:alert(1)"}`:                          {},
		`{"html_url":"https://code.example/` + strings.Repeat("x", 2048) + `"}`:    {},
		`{"html_url":"https://code.example/lumen-works/beacon/issues/7","body":1}`: {URL: "https://code.example/lumen-works/beacon/issues/7"},
	} {
		w.host.Mend()
		w.host.Break("POST", "/issues", codehosttest.Answer(201, answer))
		if made, err := w.Repo(app, "lumen-works/beacon").CreateIssue(t.Context(), codehost.NewIssue{Title: "x"}); err != nil || *made != want {
			t.Errorf("%.80s: got %+v, %v; want %+v", answer, made, err, want)
		}
	}
}

// TestPatienceEnds checks that a call times out after 10 s, and that all calls of an
// incoming request end when its context does, even while they wait for a token that
// another call has requested.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  codehosttest.Fault
		within time.Duration
	}{
		"hangs": {codehosttest.Hang(), 10 * time.Second},
		"slow":  {codehosttest.Slow(time.Minute), 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, w *world) {
				repo := w.host.Repository("lumen-works/beacon")
				app, _ := w.app(t, all, repo)
				w.host.Break("", "/installation", tc.fault)
				begun := time.Now()
				done := make(chan error)
				for range 5 {
					go func() {
						ctx, cancel := context.WithTimeout(t.Context(), codehost.RequestTime)
						defer cancel()
						_, err := w.Repo(app, "lumen-works/beacon").Get(ctx)
						done <- err
					}()
				}
				for range 5 {
					if err := <-done; err == nil {
						t.Error("a call succeeded")
					}
				}
				if took := time.Since(begun); took != codehost.RequestTime {
					t.Errorf("took %s; want the first after 10 s and the last after %s", took, codehost.RequestTime)
				}
			})
		})
	}
}

// TestRedirectsElsewhere checks that neither reads nor writes follow redirects to another host,
// because that host would receive the token.
func TestRedirectsElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	r := w.Repo(app, "lumen-works/beacon")
	to := func(address string) codehosttest.Fault {
		return func(*codehosttest.Host, http.Handler) http.Handler {
			return http.RedirectHandler(address, http.StatusTemporaryRedirect)
		}
	}
	if _, err := r.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.host.Break("", "/repos/lumen-works/beacon", to(other.URL+"/repos/a/b"))
	fails(t, second(r.Get(t.Context())))
	fails(t, second(r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"})))
	if elsewhere != 0 {
		t.Errorf("%d requests went elsewhere", elsewhere)
	}
	w.host.Mend()
	w.host.Break("POST", "/repos/lumen-works/beacon/issues", to(w.host.URL+"/repos/lumen-works/beacon/issues"))
	if e := failure(t, second(r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"}))); !strings.Contains(e.Error(), "too many redirects") {
		t.Errorf("in a circle: %v", e)
	}
}

// TestPaging checks that links to the next page are followed, but never to another host.
func TestPaging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	for i := range 250 {
		repo.Publish(codehosttest.Release{Tag: fmt.Sprintf("v%d", i)})
	}
	w.host.Break("", "/releases", func(_ *codehosttest.Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			made := httptest.NewRecorder()
			next.ServeHTTP(made, r)
			link := strings.ReplaceAll(made.Header().Get("Link"), w.host.URL, "http://elsewhere.invalid")
			rw.Header().Set("Link", link)
			_, _ = rw.Write(made.Body.Bytes()) // the client reads the body
		})
	})
	r := w.Repo(nil, "lumen-works/beacon")
	for limit, want := range map[int]int{1000: 250, 250: 250, 201: 201, 200: 200, 100: 100, 7: 7} {
		var tags []string
		err := r.EachPage(t.Context(), limit, func(page []codehost.Release) error {
			for _, one := range page {
				tags = append(tags, one.TagName)
			}
			return nil
		})
		if err != nil || len(tags) != want || tags[0] != "v249" || tags[want-1] != fmt.Sprintf("v%d", 250-want) {
			t.Errorf("limit %d: %d releases, %v; want %d", limit, len(tags), err, want)
		}
	}
	enough := errors.New("enough")
	pages := w.host.Asked("GET", "/releases")
	if err := r.EachPage(t.Context(), 1000, func([]codehost.Release) error { return enough }); !errors.Is(err, enough) || w.host.Asked("GET", "/releases") != pages+1 {
		t.Errorf("a visit that ends it: %v", err)
	}
}

// TestFindIssue checks that issues are found by their marker and time of creation.
func TestFindIssue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	r := w.Repo(app, "lumen-works/beacon")
	begun := w.now()
	repo.AddIssue("Long ago", "<!-- svc 1 -->")
	w.pass(time.Hour)
	repo.AddIssue("The one", "Dark.\n\n<!-- svc 2 -->")
	for i := range 150 {
		repo.AddIssue(fmt.Sprint("Another ", i), "x")
	}
	w.pass(time.Minute)
	for name, tc := range map[string]struct {
		marker string
		since  time.Time
		want   int64 // number of the issue; 0 = none
	}{
		"on the second page":  {"<!-- svc 2 -->", w.now().Add(-time.Hour), 2},
		"clocks that differ":  {"<!-- svc 2 -->", w.now().Add(5 * time.Minute), 2},
		"before the time":     {"<!-- svc 1 -->", w.now().Add(-30 * time.Minute), 0},
		"since the beginning": {"<!-- svc 1 -->", begun, 1},
		"none":                {"<!-- svc 3 -->", begun, 0},
	} {
		found, err := r.FindIssue(t.Context(), tc.marker, tc.since)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.want == 0 && found != nil, tc.want != 0 && (found == nil || found.Number == nil || *found.Number != tc.want):
			t.Errorf("%s: got %+v, want %d", name, found, tc.want)
		}
	}
	w.host.Break("GET", "/issues", codehosttest.Status(500))
	if found, err := r.FindIssue(t.Context(), "x", begun); err == nil {
		t.Errorf("a failure is not that there is none: got %+v", found)
	}
	w.host.Mend()
	for i := range 1000 {
		repo.AddIssue(fmt.Sprint("Yet another ", i), "x")
	}
	if found, err := r.FindIssue(t.Context(), "<!-- svc 2 -->", begun); err == nil {
		t.Errorf("too many to look at: got %+v", found)
	}
}

// TestFile checks which files File returns, and which it rejects because they are not text.
func TestFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	long := strings.Repeat("a line of text\n", 1000)
	repo.Write("", ".github/feedback template.md", long)
	repo.Write("v2", "a#b?.md", "Grüße\r\n")
	repo.Write("", "picture.png", "\x89PNG\xff\xfe")
	repo.Write("", "large.md", strings.Repeat("x", 1<<20+1))
	repo.Write("", "empty.md", "")
	for name, tc := range map[string]struct {
		path, ref, want string
		found           bool
	}{
		"long lines of base64": {".github/feedback template.md", "", long, true},
		"slashes around":       {"/.github/feedback template.md/", "", long, true},
		"of a ref":             {"a#b?.md", "v2", "Grüße\r\n", true},
		"empty":                {"empty.md", "", "", true},
		"not on the ref":       {"empty.md", "v2", "", false},
		"a folder":             {".github", "", "", false},
		"above 1 MB":           {"large.md", "", "", false},
		"no text":              {"picture.png", "", "", false},
		"missing":              {"missing.md", "", "", false},
		"no path":              {"", "", "", false},
		"dots":                 {"a/../empty.md", "", "", false},
		"two slashes":          {"a//b", "", "", false},
	} {
		text, err := w.Repo(nil, "lumen-works/beacon").File(t.Context(), tc.path, tc.ref)
		if tc.found && (err != nil || text != tc.want) || !tc.found && !errors.Is(err, codehost.ErrNotFound) {
			t.Errorf("%s: got %.40q, %v", name, text, err)
		}
	}
	for answer, missing := range map[string]bool{
		`{"type":"symlink","encoding":"base64","content":""}`: true, `{"type":"submodule"}`: true, `{"type":"file","encoding":"base64","content":"!"}`: true,
		` []`: true, `{"type":"file","encoding":"none","content":""}`: true, `[`: true, `"x"`: false, `<html>`: false,
	} {
		w.host.Mend()
		w.host.Break("GET", "/contents/", codehosttest.Answer(200, answer))
		if text, err := w.Repo(nil, "lumen-works/beacon").File(t.Context(), "a.md", ""); err == nil || errors.Is(err, codehost.ErrNotFound) != missing {
			t.Errorf("%s: got %q, %v", answer, text, err)
		}
	}
}

package codehost_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/codehost"
	"svc/internal/codehost/codehosttest"
	"svc/internal/outbound"
)

// world holds a client and the code host that it calls. Both use the same clock.
type world struct {
	*codehost.Client
	host  *codehosttest.Host
	ahead atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{host: codehosttest.New(t)}
	w.host.SetClock(w.now)
	client := outbound.New(outbound.Config{Profile: outbound.Fixed, Version: "test"})
	t.Cleanup(client.CloseIdleConnections)
	w.Client = codehost.New(codehost.Config{HTTP: client, API: w.host.URL, Web: w.host.URL, Now: w.now})
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// pass advances the clock.
func (w *world) pass(d time.Duration) { w.ahead.Add(int64(d)) }

// app registers an app and installs it on the given repositories.
func (w *world) app(t *testing.T, permissions map[string]string, repos ...*codehosttest.Repository) (*codehost.App, *codehosttest.App) {
	t.Helper()
	registered := w.host.App(t, permissions)
	if len(repos) > 0 {
		registered.Install(repos...)
	}
	app, err := codehost.NewApp(registered.ID, registered.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	return app, registered
}

var all = map[string]string{"issues": "write", "contents": "read", "actions": "write"}

// calls returns the method, path and kind of caller of each request received so far.
func (w *world) calls() []string {
	var list []string
	for _, r := range w.host.Requests() {
		who, _, _ := strings.Cut(r.Caller, " ")
		list = append(list, strings.TrimSpace(r.Method+" "+r.Path+" "+who))
	}
	return list
}

func TestCallsAreMadeAsTheInstallation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	repo.Change(func(r *codehosttest.Repository) { r.Private = true })
	repo.Publish(codehosttest.Release{Tag: "v1.0.0", Name: "First light"})
	app, _ := w.app(t, all, repo)

	release, err := w.Repo(app, "lumen-works/beacon").LatestRelease(t.Context())
	if err != nil || release.TagName != "v1.0.0" || release.Name != "First light" {
		t.Fatalf("got %+v, %v", release, err)
	}
	requests := w.host.Requests()
	if len(requests) != 3 {
		t.Fatalf("made the calls %q; want installation, token and release", w.calls())
	}
	last := requests[2]
	if last.Header.Get("Accept") != "application/vnd.github+json" || last.Header.Get("X-Github-Api-Version") != "2022-11-28" {
		t.Errorf("headers: %v", last.Header)
	}
	var asked struct {
		Repositories []string          `json:"repositories"`
		Permissions  map[string]string `json:"permissions"`
	}
	if err := json.Unmarshal(requests[1].Body, &asked); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked.Repositories, []string{"beacon"}) || fmt.Sprint(asked.Permissions) != "map[contents:read]" {
		t.Errorf("asked for a token for %v with %v; want the repository and what the call needs", asked.Repositories, asked.Permissions)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	repo.Publish(codehosttest.Release{Tag: "v1.0.0", Assets: []codehosttest.Asset{{Name: "a.zip", Content: "x"}}})
	repo.Publish(codehosttest.Release{Tag: "release/2 now", Prerelease: true})
	repo.Publish(codehosttest.Release{Tag: "v3.0.0", Draft: true})
	r := w.Repo(nil, "lumen-works/beacon")

	found, err := r.Get(t.Context())
	if err != nil || found.FullName != "lumen-works/beacon" || found.CreatedAt == nil {
		t.Errorf("repository: %+v, %v", found, err)
	}
	latest, err := r.LatestRelease(t.Context())
	if err != nil || latest.TagName != "v1.0.0" || len(latest.Assets) != 1 || latest.Assets[0].DownloadURL != w.host.URL+"/lumen-works/beacon/releases/download/v1.0.0/a.zip" {
		t.Errorf("latest release: %+v, %v", latest, err)
	}
	one, err := r.Release(t.Context(), "release/2 now")
	if err != nil || !one.Prerelease {
		t.Errorf("release with a slash in its tag: %+v, %v", one, err)
	}
	for _, tag := range []string{"v3.0.0", "v9", "", "..", "."} {
		if _, err := r.Release(t.Context(), tag); !errors.Is(err, codehost.ErrNotFound) {
			t.Errorf("release %q: %v", tag, err)
		}
	}
	for _, name := range []string{"lumen-works/other", "lumen-works", "lumen-works/..", "a/b/c", "", "a b/c"} {
		if _, err := w.Repo(nil, name).Get(t.Context()); !errors.Is(err, codehost.ErrNotFound) {
			t.Errorf("repository %q: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	repo.AddWorkflow("deploy.yml")
	app, _ := w.app(t, all, repo)
	r := w.Repo(app, "lumen-works/beacon")

	made, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "Too dark", Body: "At night."})
	if err != nil || made.Number == nil || *made.Number != 1 || made.URL != w.host.URL+"/lumen-works/beacon/issues/1" {
		t.Fatalf("issue: %+v, %v", made, err)
	}
	last := w.host.Requests()[len(w.host.Requests())-1]
	if strings.Contains(string(last.Body), "labels") {
		t.Errorf("sent %s; labels are left out when there are none", last.Body)
	}
	if _, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "Too bright", Labels: []string{"feedback"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Dispatch(t.Context(), "deploy.yml", "main", map[string]string{"args": "staging"}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(repo.Dispatches()); got != "[{deploy.yml main map[args:staging]}]" {
		t.Errorf("dispatched %s", got)
	}
	if err := r.Reply(t.Context(), 1, "Done."); err != nil {
		t.Fatal(err)
	}
	if err := r.React(t.Context(), repo.Issues()[0].Comments[0].ID, "rocket"); err != nil {
		t.Fatal(err)
	}
	issues := repo.Issues()
	if len(issues) != 2 || fmt.Sprint(issues[1].Labels) != "[feedback]" || issues[0].Comments[0].Body != "Done." || fmt.Sprint(issues[0].Comments[0].Reactions) != "[rocket]" {
		t.Errorf("the host has %+v", issues)
	}
	for name, err := range map[string]error{
		"unknown workflow": r.Dispatch(t.Context(), "other.yml", "main", nil),
		"dots":             r.Dispatch(t.Context(), "..", "main", nil),
		"unknown issue":    r.Reply(t.Context(), 99, "Hello?"),
		"unknown comment":  r.React(t.Context(), 99, "eyes"),
	} {
		if !errors.Is(err, codehost.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWithoutTheApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	other, _ := w.app(t, all)
	for name, app := range map[string]*codehost.App{"no app": nil, "not installed": other} {
		t.Run(name, func(t *testing.T) {
			r := w.Repo(app, "lumen-works/beacon")
			if _, err := r.Get(t.Context()); err != nil {
				t.Errorf("read: %v", err)
			}
			if _, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"}); !errors.Is(err, codehost.ErrNotInstalled) {
				t.Errorf("write: %v", err)
			}
		})
	}
	if n := len(repo.Issues()); n != 0 {
		t.Errorf("%d issues were made", n)
	}
}

// TestKeptTokens checks how long cached installations and tokens are reused.
func TestKeptTokens(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		between              func(w *world, a *codehosttest.App, repo *codehosttest.Repository)
		installations, token int // number of calls that the second read makes
	}{
		"at once":                  {func(*world, *codehosttest.App, *codehosttest.Repository) {}, 0, 0},
		"54 minutes later":         {func(w *world, _ *codehosttest.App, _ *codehosttest.Repository) { w.pass(54 * time.Minute) }, 0, 0},
		"less than 5 minutes left": {func(w *world, _ *codehosttest.App, _ *codehosttest.Repository) { w.pass(56 * time.Minute) }, 0, 1},
		"an hour later":            {func(w *world, _ *codehosttest.App, _ *codehosttest.Repository) { w.pass(61 * time.Minute) }, 1, 1},
		"token revoked": {func(w *world, a *codehosttest.App, repo *codehosttest.Repository) {
			a.Uninstall()
			a.Install(repo)
		}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			repo := w.host.Repository("lumen-works/beacon")
			repo.Change(func(r *codehosttest.Repository) { r.Private = true })
			app, registered := w.app(t, all, repo)
			r := w.Repo(app, "lumen-works/beacon")
			if _, err := r.Get(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.between(w, registered, repo)
			installations, tokens := w.host.Asked("GET", "/installation"), w.host.Asked("POST", "/access_tokens")
			if _, err := r.Get(t.Context()); err != nil {
				t.Fatal(err)
			}
			installations, tokens = w.host.Asked("GET", "/installation")-installations, w.host.Asked("POST", "/access_tokens")-tokens
			if installations != tc.installations || tokens != tc.token {
				t.Errorf("asked for %d installations and %d tokens; want %d and %d", installations, tokens, tc.installations, tc.token)
			}
		})
	}
}

// TestTokensAreDropped checks that a cached token is dropped after an error. After a 404, the next
// call uses a new token. After a 401, the same call is retried once with a new token.
func TestTokensAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	r := w.Repo(app, "lumen-works/beacon")
	if _, err := r.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.host.BreakTimes(1, "GET", "/repos/lumen-works/beacon", codehosttest.Status(http.StatusNotFound))
	if _, err := r.Get(t.Context()); !errors.Is(err, codehost.ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	if _, err := r.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, m := w.host.Asked("GET", "/installation"), w.host.Asked("POST", "/access_tokens"); n != 2 || m != 2 {
		t.Errorf("after a 404: asked for %d installations and %d tokens; want 2 and 2", n, m)
	}
	w.host.Break("GET", "/releases/latest", codehosttest.Status(http.StatusUnauthorized))
	_, err := r.LatestRelease(t.Context())
	if e, ok := errors.AsType[*codehost.Error](err); !ok || e.Status != http.StatusUnauthorized {
		t.Errorf("got %v", err)
	}
	if n := w.host.Asked("GET", "/releases/latest"); n != 2 {
		t.Errorf("tried %d times; want 2", n)
	}
}

// TestOneAsksForAll checks that concurrent calls share a single request for a token.
func TestOneAsksForAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	app, _ := w.app(t, all, repo)
	const n = 20
	failed := make(chan error, n)
	for range n {
		go func() {
			_, err := w.Repo(app, "Lumen-Works/Beacon").CreateIssue(t.Context(), codehost.NewIssue{Title: "x"})
			failed <- err
		}()
	}
	for range n {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if made, tokens := len(repo.Issues()), w.host.Asked("POST", "/access_tokens"); made != n || tokens != 1 {
		t.Errorf("%d issues with %d tokens; want %d with 1", made, tokens, n)
	}
}

// TestWithoutThePermission checks that an app without the required permission can read only what
// anonymous callers can read.
func TestWithoutThePermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	repo.Publish(codehosttest.Release{Tag: "v1.0.0"})
	app, _ := w.app(t, map[string]string{"issues": "write"}, repo)
	r := w.Repo(app, "lumen-works/beacon")
	if _, err := r.LatestRelease(t.Context()); err != nil {
		t.Errorf("read: %v", err)
	}
	if calls := w.calls(); !strings.HasSuffix(calls[len(calls)-1], " installation") {
		t.Errorf("read as %q; want the installation, whose rate limit is its own", calls[len(calls)-1])
	}
	repo.Change(func(r *codehosttest.Repository) { r.Private = true })
	if e := failure(t, second(r.LatestRelease(t.Context()))); e.Status != http.StatusForbidden || !strings.Contains(e.Detail, "not accessible") {
		t.Errorf("read what is private: %v; want what the app was told", e)
	}
	err := r.Dispatch(t.Context(), "deploy.yml", "main", nil)
	if e, ok := errors.AsType[*codehost.Error](err); !ok || e.Status != http.StatusUnprocessableEntity || e.Unclear {
		t.Errorf("write: %v", err)
	}
}

// TestOddCredentials checks that a call fails if the code host's response contains no
// token. The call must not be repeated anonymously.
func TestOddCredentials(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		part, answer string
		status       int // status of the response
	}{
		"installation without an id": {"/installation", `{}`, 200},
		"installation of no form":    {"/installation", `[]`, 200},
		"installation refused":       {"/installation", `{"message":"no"}`, 403},
		"no token":                   {"/access_tokens", `{"expires_at":"2030-01-01T00:00:00Z"}`, 201},
		"token of no form":           {"/access_tokens", `{"token":1}`, 201},
		"time of no form":            {"/access_tokens", `{"token":"ghs_x","expires_at":"soon"}`, 201},
		"suspended":                  {"/access_tokens", `{"message":"This installation has been suspended"}`, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			repo := w.host.Repository("lumen-works/beacon")
			repo.Change(func(r *codehosttest.Repository) { r.Private = true })
			app, _ := w.app(t, all, repo)
			w.host.Break("", tc.part, codehosttest.Answer(tc.status, tc.answer))
			r := w.Repo(app, "lumen-works/beacon")
			for what, err := range map[string]error{
				"read": second(r.Get(t.Context())), "write": second(r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"})),
			} {
				if e := failure(t, err); e.Unclear || errors.Is(e, codehost.ErrNotFound) || tc.status >= 400 && e.Status != tc.status {
					t.Errorf("%s: %v", what, e)
				}
			}
			if n := len(repo.Issues()); n != 0 {
				t.Errorf("%d issues were made", n)
			}
		})
	}
}

// TestSuspended checks that an app can read only public data while it is suspended.
func TestSuspended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	repo := w.host.Repository("lumen-works/beacon")
	registered := w.host.App(t, all)
	installation := registered.Install(repo)
	app, err := codehost.NewApp(registered.ID, registered.PKCS8)
	if err != nil {
		t.Fatal(err)
	}
	r := w.Repo(app, "lumen-works/beacon")
	if _, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"}); err != nil {
		t.Fatal(err)
	}
	installation.Suspend(true)
	installation.Revoke()
	if e := failure(t, second(r.CreateIssue(t.Context(), codehost.NewIssue{Title: "y"}))); e.Status != http.StatusForbidden || e.Unclear {
		t.Errorf("suspended: %v", e)
	}
	if _, err := r.Get(t.Context()); err != nil {
		t.Errorf("what everybody may read: %v", err)
	}
	installation.Suspend(false)
	if _, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "z"}); err != nil || len(repo.Issues()) != 2 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"before the first call": true, "after tokens were kept": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			repo := w.host.Repository("lumen-works/beacon")
			repo.Publish(codehosttest.Release{Tag: "v1.0.0"})
			repo.Change(func(r *codehosttest.Repository) { r.Private = true })
			app, _ := w.app(t, all, repo)
			r := w.Repo(app, "lumen-works/beacon")
			if !before {
				if _, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "x"}); err != nil {
					t.Fatal(err)
				}
			}
			repo.Rename("lumen-works/lighthouse")
			if release, err := r.LatestRelease(t.Context()); err != nil || release.TagName != "v1.0.0" {
				t.Errorf("read: %+v, %v", release, err)
			}
			if made, err := r.CreateIssue(t.Context(), codehost.NewIssue{Title: "y"}); err != nil || !strings.Contains(made.URL, "/lighthouse/") {
				t.Errorf("write: %+v, %v", made, err)
			}
			if found, err := r.Get(t.Context()); err != nil || found.FullName != "lumen-works/lighthouse" {
				t.Errorf("repository: %+v, %v", found, err)
			}
			for _, asked := range w.host.Requests() {
				if strings.HasSuffix(asked.Path, "/access_tokens") && !strings.Contains(string(asked.Body), `"repositor`) {
					t.Errorf("asked for a token for all repositories: %s", asked.Body)
				}
			}
		})
	}
	t.Run("below a path", func(t *testing.T) { // some code hosts have their API below a path
		t.Parallel()
		var host *codehosttest.Host
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { http.StripPrefix("/api/v1", host).ServeHTTP(rw, r) }))
		t.Cleanup(server.Close)
		host = codehosttest.NewAt(server.URL + "/api/v1")
		client := outbound.New(outbound.Config{Profile: outbound.Fixed, Version: "test"})
		t.Cleanup(client.CloseIdleConnections)
		w := &world{host: host, Client: codehost.New(codehost.Config{HTTP: client, API: host.URL, Web: server.URL, Now: time.Now})}
		repo := host.Repository("lumen-works/beacon")
		repo.Change(func(r *codehosttest.Repository) { r.Private = true })
		app, _ := w.app(t, all, repo)
		repo.Rename("lumen-works/lighthouse")
		if _, err := w.Repo(app, "lumen-works/beacon").CreateIssue(t.Context(), codehost.NewIssue{Title: "y"}); err != nil || len(repo.Issues()) != 1 {
			t.Errorf("write: %v", err)
		}
	})
	t.Run("anonymous", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.host.Repository("lumen-works/beacon").Rename("lumen-works/lighthouse")
		if found, err := w.Repo(nil, "lumen-works/beacon").Get(t.Context()); err != nil || found.FullName != "lumen-works/lighthouse" {
			t.Errorf("got %+v, %v", found, err)
		}
	})
}

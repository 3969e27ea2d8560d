package codehost_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/forward"
	"svc/internal/seal"
	"svc/store"
)

// forwardWorld is a world in which the project forwards feedback to its repository.
type forwardWorld struct {
	*world
	app *codehosttest.App
	log *syncBuffer
	key string // an API key, which outlives a session
}

// syncBuffer is a buffer for the log of a server. It is safe for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newForwardWorld(t *testing.T, options ...apitest.Option) *forwardWorld {
	t.Helper()
	log := &syncBuffer{}
	w := &forwardWorld{world: newWorld(t, append([]apitest.Option{apitest.WithLog(log), apitest.WithWindow(time.Minute)}, options...)...), log: log}
	w.Clock.Stop() // stop the clock, so that quotas and times are exact
	w.key = w.Key(t, `{"name":"reader","scopes":["feedbacks:read"],"all_projects":true}`)
	w.app = w.host.App(t, map[string]string{"issues": "write", "contents": "read"})
	w.app.Install(w.repo)
	w.setApp(t, func(*store.CodehostApp) {})
	w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue, i.Repo = true, w.repo.Name })
	return w
}

// setApp calls change with the settings of the app and stores the result in the server's settings.
func (w *forwardWorld) setApp(t testing.TB, change func(*store.CodehostApp)) {
	t.Helper()
	a := &store.CodehostApp{
		AppID: w.app.ID, PrivateKey: seal.NewKeys([]byte(apitest.Secret)).Seal(seal.AppPrivateKey, w.app.PKCS1),
		Features: []string{store.FeatureFeedbackIssue},
	}
	change(a)
	if err := w.DB.Update(func(tx *store.Tx) error { return store.CodehostAppSettings.Put(tx, a) }); err != nil {
		t.Error(err) // not Fatal, because this may run in the goroutine of a request
	}
}

// integrate changes the project's integration settings.
func (w *forwardWorld) integrate(t testing.TB, change func(*store.CodehostIntegration)) {
	t.Helper()
	err := w.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("beacon")
		if err != nil {
			return err
		}
		i, err := store.IntegrationSettings(p.ID).Get(tx)
		if err != nil {
			return err
		}
		change(i)
		return store.IntegrationSettings(p.ID).Put(tx, i)
	})
	if err != nil {
		t.Error(err)
	}
}

// send submits feedback from the client address addr and requests that it be forwarded.
func (w *forwardWorld) send(t testing.TB, addr, content string) (status int, answer string) {
	t.Helper()
	status, answer, _ = w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": addr}, forwarded(content))
	return status, answer
}

// forwarded returns the body of a submission that requests forwarding.
func forwarded(content string) string {
	return fmt.Sprintf(`{"content":%q,"contact":"mira@example.org","rating":4,"forward_to_codehost":true}`, content)
}

// stored returns the contents of all feedback, newest first.
func (w *forwardWorld) stored(t testing.TB) (contents []string) {
	t.Helper()
	status, list, _ := w.Do(t, "GET", feedbacks+"?limit=100&include_hidden=1", w.key, "")
	if status != 200 {
		t.Fatalf("got %d %s", status, list)
	}
	for _, f := range apitest.Field[[]map[string]any](t, list, "data") {
		contents = append(contents, f["content"].(string))
	}
	return contents
}

// expect checks how many feedback records and issues exist.
func (w *forwardWorld) expect(t testing.TB, records, issues int) {
	t.Helper()
	if got := w.stored(t); len(got) != records {
		t.Errorf("got records %q, want %d", got, records)
	}
	if got := w.repo.Issues(); len(got) != issues {
		t.Errorf("got %d issues, want %d", len(got), issues)
	}
}

// settle advances the clock by after and runs the job that resolves unconfirmed submissions.
func (w *forwardWorld) settle(t testing.TB, after time.Duration) error {
	t.Helper()
	w.Clock.Advance(after)
	return w.Config.Codehost.Forward.Settle(t.Context())
}

// restarted returns the configuration of a new server that uses the same data. The new server does
// not know which submissions were in progress.
func (w *forwardWorld) restarted() api.Config {
	c := w.Config
	c.Codehost.Forward = forward.New(c.Codehost.Forward.Config)
	return c
}

// loseAnswer returns a fault that lets the host create the issue but responds with the given status,
// as a proxy does after a timeout.
func loseAnswer(status int) codehosttest.Fault {
	return func(_ *codehosttest.Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(status)
		})
	}
}

// before returns a fault that calls the function do and then lets the host handle the request.
func before(do func()) codehosttest.Fault {
	return func(_ *codehosttest.Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			do()
			next.ServeHTTP(w, r)
		})
	}
}

// logsWith reports whether a single line of the log contains all of the texts.
func logsWith(log string, texts ...string) bool {
	for line := range strings.Lines(log) {
		all := true
		for _, text := range texts {
			all = all && text != "" && strings.Contains(line, text)
		}
		if all {
			return true
		}
	}
	return false
}

package svcsdk

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// recorder is a transport that records requests and gives the same response to all of them.
type recorder struct {
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	answer   func(*http.Request) (status int, body string)
	header   http.Header // headers of the responses
}

func (r *recorder) RoundTrip(h *http.Request) (*http.Response, error) {
	var body []byte
	if h.Body != nil {
		var err error
		if body, err = io.ReadAll(h.Body); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, h)
	r.bodies = append(r.bodies, string(body))
	status, text := http.StatusOK, "null"
	if r.header == nil {
		r.header = http.Header{}
	}
	if r.answer != nil {
		status, text = r.answer(h)
	}
	return &http.Response{StatusCode: status, Header: r.header, Body: io.NopCloser(strings.NewReader(text)), Request: h}, nil
}

const testBase = "https://svc.example.com/api/v1"

// recorded creates a client that sends its requests to a recorder.
func recorded(t *testing.T, opts ...Option) (*Client, *recorder) {
	t.Helper()
	r := &recorder{}
	opts = append([]Option{
		WithHTTPClient(&http.Client{Transport: r}),
		WithAnalytics(AnalyticsOptions{Persistence: PersistNone}),
	}, opts...)
	c, err := New(testBase, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c, r
}

// sampleArguments returns the minimal arguments of a method and the resulting path.
func sampleArguments(e endpoint) (args map[string]json.RawMessage, path string) {
	args, path = map[string]json.RawMessage{}, strings.ReplaceAll(e.path, "{k}", "acme")
	for _, m := range placeholder.FindAllStringSubmatch(e.path, -1) {
		name, value := m[1], `"a/b"`
		switch name {
		case "k":
			continue
		case "v":
			name = "version"
		case "index":
			value = "7"
		}
		args[name] = json.RawMessage(value)
		path = strings.ReplaceAll(path, m[0], strings.ReplaceAll(strings.Trim(value, `"`), "/", "%2F"))
	}
	for _, name := range []string{"current_version", "distinct_id", "username", "password", "name"} {
		switch {
		case name == "current_version" && e.method == "check_update",
			name == "distinct_id" && strings.HasSuffix(e.method, "_my_data"),
			name == "name" && e.method == "create_project",
			e.method == "login" && (name == "username" || name == "password"):
			args[name] = json.RawMessage(`"x"`)
		}
	}
	return args, path
}

func TestEveryOperationSendsItsRequest(t *testing.T) {
	t.Parallel()
	for _, e := range vectors[[]endpoint](t, "endpoints") {
		t.Run(e.namespace+"."+e.method, func(t *testing.T) {
			t.Parallel()
			args, path := sampleArguments(e)

			c, r := recorded(t, WithProject("acme"), WithToken("t"))
			if err := invoke(t.Context(), c, e, args); err != nil {
				t.Fatal(err)
			}
			if len(r.requests) != 1 {
				t.Fatalf("%d requests were sent", len(r.requests))
			}
			sent := r.requests[0]
			if got := strings.TrimPrefix(sent.URL.EscapedPath(), "/api/v1"); sent.Method != e.verb || got != path {
				t.Errorf("got %s %s, want %s %s", sent.Method, got, e.verb, path)
			}
			want := ""
			if e.namespace == "admin" {
				want = "Bearer t"
			}
			if got := sent.Header.Get("Authorization"); got != want {
				t.Errorf("Authorization is %q, want %q", got, want)
			}

			if e.namespace == "admin" {
				c, r := recorded(t, WithProject("acme"))
				wantError[*AuthError](t, invoke(t.Context(), c, e, args))
				if len(r.requests) > 0 {
					t.Error("something was sent without a credential")
				}
			}
			if strings.Contains(e.path, "{k}") {
				c, r := recorded(t, WithToken("t"))
				wantError[*UsageError](t, invoke(t.Context(), c, e, args))
				if len(r.requests) > 0 {
					t.Error("something was sent without a project")
				}
			}
		})
	}
}

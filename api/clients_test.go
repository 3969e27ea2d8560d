package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/clients/vectors"
)

// notInClients lists the operations that no client library has a method for, each with the reason.
// Deprecated operations need not be listed, because the clients have methods for their successors.
var notInClients = map[string]string{
	"GET /healthz":                                         "for a supervisor; health() of the clients is GET /health",
	"GET /readyz":                                          "for a load balancer",
	"GET /api/v1/auth/status":                              "a probe of an area, see health()",
	"GET /api/v1/events/_status":                           "a probe of an area, see health()",
	"GET /api/v1/feedbacks/_status":                        "a probe of an area, see health()",
	"GET /api/v1/logs/_status":                             "a probe of an area, see health()",
	"GET /api/v1/admin/projects/_status":                   "a probe of an area, see health()",
	"GET /api/v1/admin/projects/{k}/versions/_status":      "a probe of an area, see health()",
	"GET /api/v1/admin/projects/{k}/announcements/_status": "a probe of an area, see health()",

	"POST /api/v1/webhooks/codehost-app": "the code host calls it",
	"POST /api/v1/webhooks/codehost/{k}": "the code host calls it",

	"GET /api/v1/public/{k}/feedbacks/{id}/reply": "a library asks for the feedback that it remembers",

	"GET /f/{project}/{file_id}/{file_name}": "a link, which update.download and browsers follow",
	"GET /sdk/{file}":                        "the library for web pages itself",
	"PUT /api/v1/admin/projects/{k}/files":   "upload_file sends chunks, which can be resumed",

	"GET /api/v1/auth/tokens":              "another address of /auth/api-keys",
	"POST /api/v1/auth/tokens":             "another address of /auth/api-keys",
	"GET /api/v1/auth/tokens/{id}":         "another address of /auth/api-keys",
	"PATCH /api/v1/auth/tokens/{id}":       "another address of /auth/api-keys",
	"DELETE /api/v1/auth/tokens/{id}":      "another address of /auth/api-keys",
	"POST /api/v1/auth/tokens/{id}/rotate": "another address of /auth/api-keys",
}

// TestEndpointsOfClients checks that openapi.yaml has every endpoint that a client library calls.
// Conversely, every operation must have a client method, be deprecated, or be listed in
// notInClients.
func TestEndpointsOfClients(t *testing.T) {
	t.Parallel()
	placeholder := regexp.MustCompile(`\{[^}]*\}`)
	form := func(verb, path string) string { return verb + " " + placeholder.ReplaceAllString(path, "{}") }
	documented := map[string]*apitest.Operation{}
	for _, o := range apitest.LoadContract(t).Operations {
		documented[form(o.Method, strings.TrimPrefix(o.Path, "/api/v1"))] = &o
	}
	methods, offered := map[string]bool{}, map[string]bool{}
	for _, row := range vectors.Section[[][4]string](t, "endpoints") {
		namespace, method, at := row[0], row[1], form(row[2], row[3])
		if methods[namespace+"."+method] {
			t.Errorf("%s.%s is there twice", namespace, method)
		}
		methods[namespace+"."+method], offered[at] = true, true
		o := documented[at]
		if o == nil {
			t.Errorf("%s.%s calls %s %s, which openapi.yaml does not have", namespace, method, row[2], row[3])
			continue
		}
		open := o.Security != nil && len(*o.Security) == 0
		if open == (namespace == "admin") {
			t.Errorf("%s.%s calls %s %s, which needs a credential: %t", namespace, method, row[2], row[3], !open)
		}
	}
	for at, o := range documented {
		switch reason, without := notInClients[o.Method+" "+o.Path]; {
		case offered[at] && without:
			t.Errorf("%s %s has a method in the clients: take it from the list", o.Method, o.Path)
		case !offered[at] && !without && !o.Deprecated:
			t.Errorf("%s %s: no client has a method for it, and nobody says why", o.Method, o.Path)
		case without && reason == "":
			t.Errorf("%s %s: the reason is missing", o.Method, o.Path)
		}
	}
	for operation := range notInClients {
		verb, path, _ := strings.Cut(operation, " ")
		if documented[form(verb, strings.TrimPrefix(path, "/api/v1"))] == nil {
			t.Errorf("the list names %s, which openapi.yaml does not have", operation)
		}
	}
}

// TestEventNameVectors checks that the server skips exactly the event names that a client refuses
// to send. It also checks that the server stores every other name in the form to which the client
// normalizes it.
func TestEventNameVectors(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	for i, c := range vectors.Section[[]struct {
		In  string
		Out *string
	}](t, "event_name") {
		subject := fmt.Sprintf("u%d", i)
		body := fmt.Sprintf(`{"distinct_id":%q,"events":[{"event_id":"a%d","name":"anchor"},{"event_id":"b%d","name":%s}]}`, subject, i, i, apitest.Quoted(c.In))
		if status, answer, _ := s.Do(t, "POST", "/public/app/events", "", body); status != 202 {
			t.Fatalf("%q: got %d %s", c.In, status, answer)
		}
		_, answer, _ := s.Send(t, "GET", "/api/v1/public/app/events/me?distinct_id="+subject, map[string]string{"X-Forwarded-For": apitest.Stranger()}, "")
		var names []string
		for _, e := range apitest.Field[[]map[string]any](t, answer, "data") {
			if name := e["event_name"].(string); name != "anchor" {
				names = append(names, name)
			}
		}
		want := ""
		if c.Out != nil {
			want = *c.Out
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q is stored as %q, want %q", c.In, got, want)
		}
	}
}

// TestHeaderValueVectors checks that the server stores the values that a client has normalized. The
// server only changes them to lower case and trims punctuation.
func TestHeaderValueVectors(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	for i, c := range vectors.Section[[]struct{ In, Out *string }](t, "header_value") {
		if c.Out == nil {
			continue
		}
		headers := map[string]string{"X-Svc-Platform": "linux", "X-Svc-Platform-Version": *c.Out, "X-Forwarded-For": apitest.Stranger()}
		status, answer, _ := s.Send(t, "POST", "/api/v1/public/app/logs", headers, fmt.Sprintf(`{"level":0,"content":"%d"}`, i))
		if status != 201 {
			t.Fatalf("%q: got %d %s", *c.Out, status, answer)
		}
		logs := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", apitest.LogsOf("app")+"?limit=1", ""), "data")
		if got, want := logs[0]["platform_version"], strings.Trim(strings.ToLower(*c.Out), " .-/,;:"); got != want {
			t.Errorf("%q is stored as %v, want %q", *c.Out, got, want)
		}
	}
}

// TestLanguageMatchVectors checks that the server selects the language that the clients' test
// vectors expect for each tag.
func TestLanguageMatchVectors(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	v := vectors.Section[struct {
		Registered []struct {
			Locale  string   `json:"locale"`
			Aliases []string `json:"aliases"`
		}
		Cases []struct {
			Wanted, Locale *string
			Message        bool
		}
	}](t, "language_match")
	var translations []map[string]string
	for _, l := range v.Registered {
		body, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		s.Must(t, 201, "POST", "/admin/projects/app/locales", string(body))
		translations = append(translations, map[string]string{"locale": l.Locale, "title": "in " + l.Locale})
	}
	body, err := json.Marshal(map[string]any{"version": "1.0", "comparable_version": "1.0", "title": "default", "translations": translations})
	if err != nil {
		t.Fatal(err)
	}
	s.Must(t, 201, "POST", apitest.VersionsOf("app"), string(body))
	for _, c := range v.Cases {
		query := ""
		if c.Wanted != nil {
			query = "?locale=" + url.QueryEscape(*c.Wanted)
		}
		status, answer, _ := s.Do(t, "GET", "/public/app/versions/latest"+query, "", "")
		var got struct {
			Title   string  `json:"title"`
			Locale  *string `json:"locale"`
			Message *string `json:"locale_message"`
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 {
			t.Fatalf("%s: got %d %s", query, status, answer)
		}
		title := "default"
		if c.Locale != nil {
			title = "in " + *c.Locale
		}
		if (got.Locale == nil) != (c.Locale == nil) || c.Locale != nil && *got.Locale != *c.Locale || got.Title != title || (got.Message != nil) != c.Message {
			t.Errorf("%s: got %s", query, answer)
		}
	}
}

// TestEscapedSegments checks that a path segment escaped by a client arrives unchanged. The
// segments contain every ASCII character.
func TestEscapedSegments(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	escaped := func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
		return b.String()
	}
	all := ""
	for c := byte('!'); c <= '~'; c++ {
		all += string(c)
	}
	for i, version := range []string{"1.0/a", "1.0+build.7", "1.0 (7)", "..x", "./../x", "50%", "a?b#c&d=e", "a\\b", "%2F", "a%2fb", "~", "ünï 🚀", all[:47], all[47:]} {
		body := fmt.Sprintf(`{"comparable_version":"%d"}`, i+1)
		s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/"+url.PathEscape(version), body)
		for _, segment := range []string{url.PathEscape(version), strings.ReplaceAll(url.QueryEscape(version), "+", "%20"), escaped(version), strings.ToLower(escaped(version))} {
			status, answer, _ := s.Do(t, "GET", "/public/app/versions/by-version/"+segment, "", "")
			if status != 200 || apitest.Field[string](t, answer, "version") != version {
				t.Errorf("%s: got %d %s, want version %q", segment, status, answer, version)
			}
		}
	}
	for _, tag := range []string{"pt(BR)", "sr Latn", "a+b", "x.y", "50%", "日本語"} {
		s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":`+apitest.Quoted(tag)+`}`)
		s.Must(t, 200, "PATCH", "/admin/projects/app/locales/"+url.PathEscape(tag), `{"label":"l"}`)
		s.Must(t, 200, "DELETE", "/admin/projects/app/locales/"+escaped(tag), "")
	}
}

// TestUnloadBatches sends batches like a page that is being closed: JSON with any content type,
// with the time in the body, and with fields that the server does not know.
func TestUnloadBatches(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	events := []string{}
	for i := range 40 {
		events = append(events, fmt.Sprintf(`{"event_id":"%d","name":"a","occurred_at":1,"properties":{"text":"%s"},"later":true}`, i, strings.Repeat("x", 7000)))
	}
	large := `{"distinct_id":"large","session_id":"s","client_time":"2027-03-14T15:09:26.535+00:00","platform":"web","later":{"a":[1]},"events":[` + strings.Join(events, ",") + `]}`
	if len(large) < 256<<10 {
		t.Fatalf("the batch has only %d bytes", len(large))
	}
	for i, kind := range []string{"text/plain;charset=UTF-8", "application/json", "application/octet-stream", ""} {
		body := fmt.Sprintf(`{"distinct_id":"u%d","client_time":"unusable","events":[{"event_id":"of %d","name":"a","later":1}],"later":null}`, i, i)
		for _, body := range []string{body, strings.Replace(large, `"large"`, fmt.Sprintf(`"large%d"`, i), 1)} {
			headers := map[string]string{"Content-Type": kind, "Origin": "https://app.example"}
			if status, answer, _ := s.Send(t, "POST", "/api/v1/public/app/events", headers, body); status != 202 {
				t.Errorf("%q, %d bytes: got %d %s", kind, len(body), status, answer)
			}
		}
	}
}

// TestBooleanQueries checks that booleans in queries can be written as true and false or as 1 and
// 0.
func TestBooleanQueries(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "2.0-rc.1")
	s.Must(t, 200, "PUT", apitest.VersionsOf("app")+"/by-version/2.0-rc.1", `{"is_preview":true}`)
	for query, want := range map[string]int{"": 2, "?is_preview=true": 1, "?is_preview=1": 1, "?is_preview=false": 1, "?is_preview=0": 1, "?is_preview=true&is_deprecated=0": 1, "?is_preview=1&is_deprecated=1": 0} {
		for _, path := range []string{"/public/app/versions", apitest.VersionsOf("app")} {
			if got := apitest.Field[int](t, s.Must(t, 200, "GET", path+query, ""), "total"); got != want {
				t.Errorf("%s%s: got %d versions, want %d", path, query, got, want)
			}
		}
	}
}

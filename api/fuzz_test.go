package api_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/api/apitest"
)

// FuzzRequest sends arbitrary requests to a server with a project, parsed like net/http parses
// them. Each request has no credential, the administrator's credential or a limited key. The response
// must match openapi.yaml and must not be a server error.
func FuzzRequest(f *testing.F) {
	s := apitest.NewServer(f, apitest.WithRateLimit(0))
	s.Project(f, "a")
	const grants = `"name":"k","scopes":["projects:read","projects:write","versions:read","versions:write"],"project_ids":["a"],"never_expires":true}`
	made := s.Must(f, 201, "POST", "/auth/api-keys", "{"+grants)
	key, keyID := apitest.Field[string](f, made, "token"), apitest.Field[string](f, made, "id")
	var id string // the id of a version; paths contain the word ID in its place, because it differs in each run
	// furnish creates the records again that requests may have deleted.
	furnish := func(t testing.TB) {
		if status, _, _ := s.Do(t, "GET", "/admin/projects/a", s.Admin, ""); status == 404 {
			s.Project(t, "a")
			s.Do(t, "PATCH", "/auth/api-keys/"+keyID, s.Admin, "{"+grants) // fails if the key has been revoked
		}
		s.Do(t, "POST", "/admin/projects/a/locales", s.Admin, `{"locale":"de"}`)
		s.Do(t, "PUT", "/admin/projects/a/versions/by-version/1.0.0", s.Admin, "")
		id = s.VersionID(t, "a", "1.0.0")
	}
	furnish(f)

	for _, seed := range []struct {
		who                         byte
		method, path, headers, body string
	}{
		{0, "GET", "/healthz", "", ""},
		{0, "GET", "/api/v1/public/a/versions?limit=5&offset=1&search=x&is_preview=1&platform=ios&locale=de", "Origin: https://x", ""},
		{
			0,
			"POST",
			"/api/v1/public/a/versions/check-update",
			"X-Forwarded-For: 1.2.3.4, [::1]:5",
			`{"current_version":"1.0.0","include_preview":true,"locale":"de_at"}`,
		},
		{0, "POST", "/api/v1/auth/login", "", `{"username":"admin","password":"short"}`},
		{0, "OPTIONS", "/api/v1/x", "Origin: y\nAccess-Control-Request-Method: PUT\nAccess-Control-Request-Headers: z", ""},
		{
			0,
			"POST",
			"/api/v1/public/a/events",
			"X-Svc-Client-Time: 2026-09-24T10:00:00+08:00\nX-Svc-Do-Not-Track: 0",
			`{"distinct_id":"u","session_id":"s","events":[{"event_id":"1","name":"A","occurred_at":5,"properties":{"a":[1e3]}},{}]}`,
		},
		{0, "GET", "/api/v1/public/a/events/me?distinct_id=u", "", ""},
		{1, "DELETE", "/api/v1/admin/projects/a/events/subjects/u%2F1", "", ""},
		{1, "GET", "/api/v1/admin/projects/a/events/stats/breakdown?dimension=property&property_key=a&start_time=0&limit=200", "", ""},
		{1, "GET", "/api/v1/admin/projects/a/events/stats/property-keys?event_name=a&start_time=0&limit=200", "", ""},
		{
			1,
			"POST",
			"/api/v1/admin/projects/a/events/analysis/funnel",
			"",
			`{"start_time":"0","steps":[{"event_name":"a"},{"event_name":"a","filters":[{"property":"a","op":"in","value":[1,"x"]}]}],"entry":"any"}`,
		},
		{1, "POST", "/api/v1/admin/projects/a/events/analysis/retention", "", `{"start_time":0,"start_event":"a","period":"week","tz_offset_minutes":-840}`},
		{1, "POST", "/api/v1/admin/projects/a/events/analysis/paths", "", `{"start_time":0,"scope":"user","depth":6,"branch_limit":1}`},
		{
			1,
			"POST",
			"/api/v1/admin/projects/a/events/analysis/query",
			"",
			`{"type":"timeseries","events":[{"name":"a","alias":"A","measure":"count_per_user"}],"formula":"-(A+1.5)/0"}`,
		},
		{
			1,
			"POST",
			"/api/v1/admin/projects/a/events/dashboards/cards",
			"",
			`{"title":"x","query":{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"region"}},"layout":{},"sort_order":1}`,
		},
		{
			1,
			"POST",
			"/api/v1/admin/projects",
			"",
			`{"project_key":"b","name":"B","docs_url":"https://x","stats_retention_days":"5","translations":[{"locale":"de"}]}`,
		},
		{
			1,
			"PATCH",
			"/api/v1/admin/projects/a",
			"",
			`{"optional_update_min_comparable_version":"1.0-rc.1","event_collection_enabled":"1","storage_backend_id":null}`,
		},
		{
			1,
			"PUT",
			"/api/v1/admin/projects/a/versions/by-version/2%2F0%20x",
			"",
			`{"comparable_version":"2.0","download_links":[{"url":"ftp://x/y","platform":"any"}],"platforms":["web"],"custom_data":{"a":[1e9]}}`,
		},
		{1, "PATCH", "/api/v1/admin/versions/ID", "", `{"is_latest":false,"is_deprecated":true,"translations":[{"locale":"DE","title":"x"}]}`},
		{1, "PATCH", "/api/v1/admin/projects/a/locales/de(AT)", "", `{"locale":"fr","aliases":["de"],"label":" "}`},
		{1, "DELETE", "/api/v1/admin/projects/a/aliases/x", "", ""},
		{1, "POST", "/api/v1/auth/api-keys", "", `{"name":"k","scopes":["logs:read"],"project_ids":["A "],"expires_in_days":365}`},
		{1, "GET", "/api/v1/auth/tokens/", "X-Request-Id: abcdefgh", ""},
		{2, "POST", "/api/v1/admin/projects/versions", "", `{"project_key":"b","project_key":"a","version":"3","comparable_version":"3"}`},
		{2, "GET", "/api/v1/admin/projects/a/versions/ID", "", ""},
		{2, "DELETE", "/api/v1/admin/versions/00000000-0000-7000-8000-000000000000", "", ""},
		{3, "HEAD", "/api/v1/admin/projects/A/versions/_status", "X-API-Key:", ""},
	} {
		f.Add(seed.who, seed.method, seed.path, seed.headers, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, who byte, method, path, headers string, body []byte) {
		r := parsed(method, strings.ReplaceAll(path, "ID", id), headers, body)
		if r == nil {
			return // net/http would have refused the request
		}
		switch who % 4 {
		case 1:
			r.Header.Set("Authorization", "Bearer "+s.Admin)
		case 2:
			r.Header.Set("Authorization", "Bearer "+key)
		case 3:
			r.Header.Set("X-API-Key", key)
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s %q: got %d %s", r.Method, r.RequestURI, w.Code, w.Body)
		}
		if r.Method == http.MethodHead {
			w.Body.Reset() // net/http sends no body then
		}
		apitest.LoadContract(t).Check(t, r, w.Code, w.Header(), w.Body.Bytes())
		if r.Method == http.MethodDelete && w.Code == http.StatusOK {
			furnish(t)
		}
	})
}

// parsed parses a request like the HTTP server does. It returns nil if the request is invalid.
func parsed(method, path, headers string, body []byte) *http.Request {
	var text bytes.Buffer
	text.WriteString(method + " " + path + " HTTP/1.1\r\nHost: x\r\n")
	for line := range strings.SplitSeq(headers, "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && !strings.EqualFold(strings.TrimSpace(name), "Transfer-Encoding") {
			text.WriteString(strings.TrimSuffix(line, "\r") + "\r\n")
		}
	}
	text.WriteString("\r\n")
	r, err := http.ReadRequest(bufio.NewReader(&text))
	if err != nil || r.Host == "" {
		return nil
	}
	r.RemoteAddr = "127.0.0.1:1"
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

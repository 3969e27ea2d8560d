package api_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/testutil"
)

// hostileValues are JSON values that a client may send in any field, whatever its type.
var hostileValues = []string{
	`null`, `true`, `false`, `0`, `-1`, `-0`, `1.5`, `5`, `1e3`, `1e400`, `-1e400`, `1e-400`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`,
	`1` + strings.Repeat("0", 1000), `0.` + strings.Repeat("3", 1000),
	`""`, `" "`, `"\t\n"`, `"5"`, `"true"`, `"null"`, `"x"`, `"X"`, `"\u0000"`, `"a\u0000b"`, `"\u001b[31m"`, `"\ud800"`, `"\udc00\ud800"`, `"\u202e\u200b\ufeff"`,
	`"\ud83d\ude00"`, `"e\u0301"`, `"İ"`, `"ſ"`, `"../../etc/passwd"`, `"a/b\\c?d#e%f"`, `"%00%2f%25"`, `"<script>alert(1)</script>"`, `"'; DROP TABLE projects; --"`,
	`"javascript:alert(1)"`, `"http://"`, `"http://[::1"`, `"https://a.example:99999/%zz"`, `"ftp://x"`, `"1.2.3"`, `"v1.2.3-rc.1"`, `"1.2.3-rc1"`, `"windows"`, `"versions:write"`,
	`"` + strings.Repeat("9", 64) + `"`, `"` + strings.Repeat("1.", 31) + `1"`, `"` + strings.Repeat("😀", 64) + `"`, `"` + strings.Repeat("😀", 65) + `"`, `"` + strings.Repeat("x", 70_000) + `"`,
	`[]`, `[null]`, `[[]]`, `[{}]`, `[1,"1",true]`, `["x"]`, `["x","x"]`, `["\u0000"]`, `["windows","WINDOWS "]`, `[` + strings.Repeat(`"x",`, 200) + `"x"]`,
	`{}`, `{"":null}`, `{"a":1,"a":2}`, `{"__proto__":{"x":1}}`, `{"a":"\ud800"}`, `{"a":1e400}`,
	strings.Repeat("[", 90) + strings.Repeat("]", 90), strings.Repeat(`{"a":`, 99) + `{}` + strings.Repeat("}", 99), strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat("}", 5000),
	strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990), strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
}

var samples atomic.Int64

// sample returns a valid value for a required field. Passwords are wrong, so that no account is
// changed.
func sample(o *apitest.Operation, field string) string {
	switch field {
	case "username":
		return `"admin"`
	case "password", "current_password":
		return `"wrong password"`
	case "new_password":
		return `"another password"`
	case "project_key":
		if o.OperationID == "createProject" {
			return fmt.Sprintf(`"new-%d"`, samples.Add(1))
		}
		return `"a"`
	case "version", "comparable_version":
		return fmt.Sprintf(`"7.%d"`, samples.Add(1))
	case "events":
		if o.OperationID == "ingestEvents" {
			return fmt.Sprintf(`[{"event_id":"%d","name":"x"}]`, samples.Add(1))
		}
		return `[{"name":"x","alias":"A"}]`
	case "steps":
		return `[{"event_name":"x"},{"event_name":"y"}]`
	case "type":
		return `"value"`
	case "alias":
		return `"A"`
	case "op":
		return `"eq"`
	case "query":
		return `{"type":"value","events":[{"name":"x","alias":"A"}]}`
	case "kind":
		if o.OperationID == "translateTexts" {
			return `"announcement"`
		}
		return `"webdav"`
	case "secret":
		return `"0123456789abcdef"`
	case "size":
		return "5"
	case "url", "base_url":
		return `"https://a.example"`
	case "locale":
		return `"de"`
	}
	return `"x"`
}

// propertiesOf returns the fields of an object and the names of those that are required.
func propertiesOf(schema *openapi3.Schema) (fields openapi3.Schemas, required []string) {
	fields = maps.Clone(schema.Properties)
	if fields == nil {
		fields = openapi3.Schemas{}
	}
	required = schema.Required
	for _, part := range schema.AllOf {
		more, needed := propertiesOf(part.Value)
		maps.Copy(fields, more)
		required = append(required, needed...)
	}
	return fields, required
}

// hostileObjects returns objects in which one field has a hostile value and the other required
// fields have valid ones. It treats objects in lists in the same way.
func hostileObjects(o *apitest.Operation, schema *openapi3.Schema) (objects []string) {
	fields, required := propertiesOf(schema)
	with := func(field, value string) {
		var b strings.Builder
		b.WriteString("{")
		for _, name := range required {
			if name != field {
				fmt.Fprintf(&b, "%q:%s,", name, sample(o, name))
			}
		}
		fmt.Fprintf(&b, "%q:%s}", field, value)
		objects = append(objects, b.String())
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range hostileValues {
			with(name, value)
		}
		items := fields[name].Value.Items
		if items == nil {
			continue
		}
		for _, value := range hostileValues {
			with(name, "["+value+"]")
		}
		if len(items.Value.Properties) > 0 {
			for _, entry := range hostileObjects(o, items.Value) {
				with(name, "["+entry+"]")
			}
		}
	}
	return objects
}

// TestHostileBodies sends every hostile value in every field of every body. No response may be a
// server error, and a refused body must not change anything.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for _, e := range bodyRoutes(t) {
		o := apitest.LoadContract(t).Find(e.Method, sampleTarget.path(e.Path))
		t.Run(o.OperationID, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.WithRateLimit(0))
			h := hostility{Server: s, to: e, path: makeTarget(t, s, "a").path(e.Path)}
			bodies := hostileObjects(o, o.RequestBody.Value.Content["application/json"].Schema.Value)
			if len(bodies) < len(hostileValues) {
				t.Fatalf("%s has %d hostile bodies; its schema has no fields", o.OperationID, len(bodies))
			}
			for i, body := range bodies {
				if i%11 == 0 || !strings.HasPrefix(o.Description, "The same as") {
					h.send(t, body)
				}
			}
			h.compare(t)
			readAll(t, s)
		})
	}
}

// hostility sends hostile bodies to a route.
type hostility struct {
	*apitest.Server
	to   api.Endpoint
	path string

	before  string   // result of glance before the refused bodies
	refused []string // bodies refused since then
}

func (h *hostility) send(t *testing.T, body string) {
	t.Helper()
	if h.refused == nil {
		h.before = glance(t, h.Server)
	}
	commits := committed(t, h.Server)
	status, answer, _ := h.Send(t, h.to.Method, h.path, map[string]string{"Authorization": "Bearer " + h.Admin}, body)
	if status < 200 || status >= 500 || status >= 300 && status < 400 {
		t.Errorf("%.300s: got %d %s", body, status, answer)
	}
	if status < 400 {
		h.refused = nil
		return
	}
	if !bytes.Equal(committed(t, h.Server), commits) {
		t.Fatalf("%.300s was refused with %d %s and something was stored", body, status, answer)
	}
	if h.refused = append(h.refused, body); len(h.refused)%10 == 0 {
		h.compare(t)
	}
}

// compare checks that the refused bodies have not changed anything.
func (h *hostility) compare(t *testing.T) {
	t.Helper()
	if h.refused == nil {
		return
	}
	if after := glance(t, h.Server); after != h.before {
		t.Fatalf("one of %.3000q was refused and changed something\nbefore %.3000s\nafter  %.3000s", h.refused, h.before, after)
	}
}

// glance returns the part of the state that a request is most likely to change. Comparing it is
// cheaper than comparing the whole state.
func glance(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return s.InProcess(t, "/admin/projects/a") + s.InProcess(t, "/admin/projects/a/locales") + s.InProcess(t, "/admin/projects/a/versions?limit=2") +
		s.InProcess(t, "/admin/versions/statistics") + s.InProcess(t, "/admin/projects?limit=1")
}

// committed returns the part of the data file that every commit changes: the two meta pages, which
// contain the number of the last transaction.
func committed(t *testing.T, s *apitest.Server) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join(s.Dir, "svc.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pages := make([]byte, 2*os.Getpagesize())
	if _, err := io.ReadFull(file, pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

// readAll reads the stored records like apps and administrators do, and validates the responses
// against openapi.yaml.
func readAll(t *testing.T, s *apitest.Server) {
	t.Helper()
	for _, path := range []string{
		"/public/a", "/public/a/versions?limit=100", "/public/a/versions/latest", "/public/a/versions/latest-preview?locale=de",
		"/admin/projects?limit=100", "/admin/projects/a", "/admin/projects/a/aliases", "/admin/projects/a/locales",
		"/admin/projects/a/versions?limit=100", "/admin/versions/statistics", "/auth/api-keys", "/auth/tokens", "/auth/me",
	} {
		s.Must(t, 200, "GET", path, "")
	}
	s.Must(t, 200, "POST", "/public/a/versions/check-update", `{"current_comparable_version":"0","include_preview":true}`)
}

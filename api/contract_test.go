package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// contract is openapi.yaml made ready to hold exchanges against it.
type contract struct {
	doc        *openapi3.T
	operations []operation
	notFound   openapi3.Content // of an address that is not in the file
}

// operation is one entry of the file under its full address.
type operation struct {
	method   string
	path     string   // as the server serves it: /api/v1/public/{k}
	segments []string // path, cut at the slashes
	*openapi3.Operation
}

// answered is one status of one operation.
type answered struct {
	operation string
	status    int
}

// seen collects the answers that check has met, for TestMain.
var seen = struct {
	sync.Mutex
	answers map[answered]bool
}{answers: map[answered]bool{}}

var readContract = sync.OnceValues(func() (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		return nil, err
	}
	c := &contract{doc: doc, notFound: doc.Components.Responses["NotFound"].Value.Content}
	for path, item := range doc.Paths.Map() {
		servers := doc.Servers
		if len(item.Servers) > 0 {
			servers = item.Servers
		}
		full := strings.TrimSuffix(servers[0].URL, "/") + path
		for method, op := range item.Operations() {
			c.operations = append(c.operations, operation{method, full, strings.Split(full, "/"), op})
		}
	}
	// The first match must be the most specific one: an opening brace sorts
	// behind every letter, digit and underscore.
	slices.SortFunc(c.operations, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method))
	})
	return c, nil
})

// loadContract returns the file at the root of the repository, read once.
func loadContract(t testing.TB) *contract {
	c, err := readContract()
	if err != nil {
		t.Fatalf("openapi.yaml: %v", err)
	}
	return c
}

// find returns the operation that a request is for, nil if there is none.
// escaped is the path as it was on the wire: an encoded slash cuts nothing.
func (c *contract) find(method, escaped string) *operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if len(escaped) > 1 {
		escaped = strings.TrimSuffix(escaped, "/")
	}
	segments := strings.Split(escaped, "/")
	for i := range c.operations {
		if o := &c.operations[i]; o.method == method && matches(o.segments, segments) {
			return o
		}
	}
	return nil
}

func matches(template, segments []string) bool {
	return slices.EqualFunc(template, segments, func(want, got string) bool {
		return want == got || strings.HasPrefix(want, "{") && got != ""
	})
}

// check holds one exchange against the file and fails the test where they
// disagree: in the status, the headers, the type of the body or its shape.
// It may be called from many tests at once.
func (c *contract) check(t testing.TB, r *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	o := c.find(r.Method, r.URL.EscapedPath())
	if err := c.verify(o, r.Method, status, header, body); err != nil {
		t.Errorf("%s %s: %d is not as openapi.yaml says: %v\nheader %v\nbody %.2000s",
			r.Method, r.URL.EscapedPath(), status, err, header, body)
		return
	}
	if o != nil && r.Method != http.MethodHead {
		seen.Lock()
		defer seen.Unlock()
		seen.answers[answered{o.OperationID, status}] = true
	}
}

// verify says what is wrong with an answer of o; nil stands for an address
// that the file does not know, where only a 404 or a preflight is right.
func (c *contract) verify(o *operation, method string, status int, header http.Header, body []byte) error {
	if method == http.MethodOptions && status == http.StatusNoContent {
		return want("length of a preflight's body", len(body), 0)
	}
	content := c.notFound
	if o != nil {
		response := o.Responses.Status(status)
		if response == nil && status >= 500 {
			response = o.Responses.Default()
		}
		if response == nil {
			return fmt.Errorf("%s does not answer %d", o.OperationID, status)
		}
		if err := verifyHeaders(response.Value.Headers, header); err != nil {
			return err
		}
		content = response.Value.Content
	} else if err := want("status of an unknown address", status, http.StatusNotFound); err != nil {
		return err
	}
	media, err := mediaType(content, header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if method == http.MethodHead {
		return want("length of HEAD's body", len(body), 0)
	}
	return verifyBody(media, status, body)
}

// mediaType picks the described form that a Content-Type names.
func mediaType(content openapi3.Content, text string) (*openapi3.MediaType, error) {
	kind, params, err := mime.ParseMediaType(text)
	if err != nil {
		return nil, fmt.Errorf("Content-Type %q: %w", text, err)
	}
	if charset, sent := params["charset"]; sent && !strings.EqualFold(charset, "utf-8") {
		return nil, fmt.Errorf("charset is %s, want utf-8", charset)
	}
	if content[kind] == nil {
		return nil, fmt.Errorf("Content-Type is %s, want one of %v", kind, slices.Sorted(maps.Keys(content)))
	}
	return content[kind], nil
}

// verifyBody visits the schema, and holds an error to what a schema cannot
// say: that it repeats the status and its name. What /readyz says of a server
// that is not ready has a form of its own.
func verifyBody(media *openapi3.MediaType, status int, body []byte) error {
	if media.Schema.Value.Type.Is("string") {
		return media.Schema.Value.VisitJSON(string(body))
	}
	value, err := decodeJSON(body)
	if err != nil {
		return err
	}
	if err := media.Schema.Value.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()); err != nil || status < 400 || media.Schema.Ref == "#/components/schemas/Readiness" {
		return err
	}
	fields := value.(map[string]any)
	if err := want("statusCode", fields["statusCode"], any(json.Number(strconv.Itoa(status)))); err != nil {
		return err
	}
	return want("error", fields["error"], any(http.StatusText(status)))
}

// verifyHeaders wants the required headers, and all that are there as described.
func verifyHeaders(described openapi3.Headers, header http.Header) error {
	for name, h := range described {
		text := header.Get(name)
		if text == "" {
			if h.Value.Required {
				return fmt.Errorf("header %s is missing", name)
			}
			continue
		}
		if err := h.Value.Schema.Value.VisitJSON(json.Number(text)); err != nil {
			return fmt.Errorf("header %s is %q: %w", name, text, err)
		}
	}
	return nil
}

// decodeJSON reads exactly one value and keeps numbers as they were written.
func decodeJSON(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("body is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.Join(errors.New("more follows the JSON body"), err)
	}
	return value, nil
}

func want[T comparable](what string, got, want T) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s is %v, want %v", what, got, want)
}

// TestMain adds one demand to a full run: each status that the file documents
// was provoked by some test. A partial run cannot be held to it.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && fullRun() {
		for _, missing := range unseen() {
			fmt.Fprintln(os.Stderr, "documented but never seen:", missing)
			code = 1
		}
	}
	os.Exit(code)
}

func fullRun() bool {
	partial := map[string]string{"run": "", "skip": "", "bench": "", "fuzz": "", "list": "", "short": "false"}
	for name, usual := range partial {
		if flag.Lookup("test."+name).Value.String() != usual {
			return false
		}
	}
	return true
}

// unseen lists the documented answers that no test has met.
func unseen() (missing []string) {
	c, err := readContract()
	if err != nil {
		return []string{"anything: " + err.Error()}
	}
	seen.Lock()
	defer seen.Unlock()
	for _, o := range c.operations {
		for _, status := range slices.Sorted(maps.Keys(o.Responses.Map())) {
			number, err := strconv.Atoi(status) // default is no number
			if err == nil && !seen.answers[answered{o.OperationID, number}] {
				missing = append(missing, fmt.Sprintf("%s %s answers %s (%s)", o.method, o.path, status, o.OperationID))
			}
		}
	}
	return missing
}

// The checker itself must be able to fail.
func TestContractRefuses(t *testing.T) {
	t.Parallel()
	const notFound = `{"statusCode":404,"message":"project not found","error":"Not Found"}`
	for _, tc := range []struct {
		name, method, path string
		status             int
		body, why          string // why: a part of the reason; empty if it is right
	}{
		{"as documented", "GET", "/health", 200, `{"status":"ok","timestamp":1}`, ""},
		{"slash at the end", "GET", "/health/", 200, `{"status":"ok","timestamp":1}`, ""},
		{"missing field", "GET", "/health", 200, `{"status":"ok"}`, `"timestamp"`},
		{"extra field", "GET", "/health", 200, `{"status":"ok","timestamp":1,"x":1}`, `"x"`},
		{"null where none may be", "GET", "/health", 200, `{"status":"ok","timestamp":null}`, "not nullable"},
		{"fraction for an integer", "GET", "/health", 200, `{"status":"ok","timestamp":1.5}`, "integer"},
		{"value outside the enumeration", "GET", "/health", 200, `{"status":"up","timestamp":1}`, "allowed values"},
		{"two values", "GET", "/health", 200, `{"status":"ok","timestamp":1}{}`, "more follows"},
		{"null as a documented answer", "GET", "/public/a/versions/latest-preview", 200, `null`, ""},
		{"null as another answer", "GET", "/public/a/versions/latest", 200, `null`, "not nullable"},
		{"undocumented status", "GET", "/health", 404, notFound, "getHealth does not answer 404"},
		{"unknown address", "GET", "/nothing", 404, notFound, ""},
		{"unknown method", "PUT", "/health", 404, notFound, ""},
		{"unknown address that answers", "GET", "/nothing", 200, `{}`, "status of an unknown address"},
		{"encoded slash stays in its segment", "GET", "/public/a%2Fb", 200, `{}`, `"project_key" is missing`},
		{"fixed segment before a parameter", "GET", "/admin/projects/statistics", 200, `{"count":0}`, ""},
		{"error that names another status", "GET", "/public/a", 404, `{"statusCode":400,"message":"x","error":"Not Found"}`, "statusCode is 400"},
		{"error with another phrase", "GET", "/public/a", 404, `{"statusCode":404,"message":"x","error":"Bad Request"}`, "error is Bad Request"},
		{"error with an empty list", "GET", "/public/a", 404, `{"statusCode":404,"message":[],"error":"Not Found"}`, "message"},
		{"limit without Retry-After", "POST", "/auth/login", 429, `{"statusCode":429,"message":"x","error":"Too Many Requests"}`, "Retry-After is missing"},
		{"server at fault", "GET", "/health", 500, `{"statusCode":500,"message":"x","error":"Internal Server Error"}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := loadContract(t)
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
			err := c.verify(c.find(tc.method, "/api/v1"+tc.path), tc.method, tc.status, header, []byte(tc.body))
			if tc.why == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.why != "" && (err == nil || !strings.Contains(err.Error(), tc.why)) {
				t.Errorf("got %v, want a reason with %q", err, tc.why)
			}
		})
	}
}

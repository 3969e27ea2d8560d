package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract is openapi.yaml in a form that exchanges can be validated against.
type Contract struct {
	Doc        *openapi3.T
	Operations []Operation
	notFound   openapi3.Content // the documented response for a path that is not in the file
	noLink     openapi3.Content // the documented response for an unknown direct link
}

// Operation is an operation of openapi.yaml with its full path.
type Operation struct {
	Method   string
	Path     string   // the path as served, such as /api/v1/public/{k}
	segments []string // path split at the slashes
	*openapi3.Operation
}

// Raw reports whether the body of a request consists of opaque bytes.
func (o *Operation) Raw() bool {
	return o.RequestBody != nil && o.RequestBody.Value.Content["application/octet-stream"] != nil
}

// readDescription reads openapi.yaml from the nearest parent folder that contains it. It starts in
// the working directory, which is the folder of the tested package. The path of this source file is
// not available in tests that were built with -trimpath.
var readDescription = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.Getwd()
	for err == nil {
		text, readErr := os.ReadFile(filepath.Join(folder, "openapi.yaml"))
		if !errors.Is(readErr, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			return text, readErr
		}
		folder = filepath.Dir(folder)
	}
	return nil, err
})

var readContract = sync.OnceValues(func() (*Contract, error) {
	text, err := readDescription()
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	c := &Contract{Doc: doc, notFound: doc.Components.Responses["NotFound"].Value.Content}
	for path, item := range doc.Paths.Map() {
		servers := doc.Servers
		if len(item.Servers) > 0 {
			servers = item.Servers
		}
		full := strings.TrimSuffix(servers[0].URL, "/") + path
		for method, op := range item.Operations() {
			c.Operations = append(c.Operations, Operation{method, full, strings.Split(full, "/"), op})
		}
	}
	// The first match must be the most specific one. An opening brace sorts after every letter,
	// digit and underscore.
	for _, o := range c.Operations {
		if strings.HasPrefix(o.Path, linkPrefix) {
			c.noLink = o.Responses.Status(http.StatusNotFound).Value.Content
		}
	}
	slices.SortFunc(c.Operations, func(a, b Operation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return c, nil
})

// LoadContract returns the parsed openapi.yaml, which it reads once.
func LoadContract(t testing.TB) *Contract {
	c, err := readContract()
	if err != nil {
		t.Fatalf("openapi.yaml: %v", err)
	}
	return c
}

// Find returns the operation for a request, or nil if there is none. escaped is the path as the
// client sent it: an encoded slash does not separate segments.
func (c *Contract) Find(method, escaped string) *Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if len(escaped) > 1 {
		escaped = strings.TrimSuffix(escaped, "/")
	}
	segments := strings.Split(escaped, "/")
	for i := range c.Operations {
		if o := &c.Operations[i]; o.Method == method && matches(o.segments, segments) {
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

// Check validates one exchange against openapi.yaml. It fails the test if the status, a header or
// the media type is not documented, or if the body does not match its schema. It is safe for
// concurrent use.
func (c *Contract) Check(t testing.TB, r *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	o := c.Find(r.Method, r.URL.EscapedPath())
	unknown := c.notFound
	if strings.HasPrefix(r.URL.Path, linkPrefix) {
		unknown = c.noLink
	}
	if err := verify(o, unknown, r.Method, status, header, body); err != nil {
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

// linkPrefix is the prefix of direct links. Their clients do not expect JSON.
const linkPrefix = "/f/"

// verify returns an error if a response of o does not match openapi.yaml. If o is nil, the file
// does not describe the path. In that case, the response must be a 404 with the content given by
// unknown, or the response to a preflight request.
func verify(o *Operation, unknown openapi3.Content, method string, status int, header http.Header, body []byte) error {
	if method == http.MethodOptions && status == http.StatusNoContent {
		return want("length of a preflight's body", len(body), 0)
	}
	content := unknown
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
	if content == nil {
		return want("length of the body", len(body), 0)
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

// mediaType returns the documented media type that matches a Content-Type header.
func mediaType(content openapi3.Content, text string) (*openapi3.MediaType, error) {
	kind, params, err := mime.ParseMediaType(text)
	if err != nil {
		return nil, fmt.Errorf("Content-Type %q: %w", text, err)
	}
	if charset, sent := params["charset"]; sent && !strings.EqualFold(charset, "utf-8") {
		return nil, fmt.Errorf("charset is %s, want utf-8", charset)
	}
	if anything := content["*/*"]; content[kind] == nil && anything != nil {
		return anything, nil
	}
	if content[kind] == nil {
		return nil, fmt.Errorf("Content-Type is %s, want one of %v", kind, slices.Sorted(maps.Keys(content)))
	}
	return content[kind], nil
}

// verifyBody validates a body against its schema. It also checks that an error repeats the status
// and its name, which a schema cannot express. Only the error of /readyz has a different form.
func verifyBody(media *openapi3.MediaType, status int, body []byte) error {
	if media.Schema.Value.Type.Is("string") {
		return media.Schema.Value.VisitJSON(string(body))
	}
	value, err := decodeJSON(body)
	if err != nil {
		return err
	}
	if err := media.Schema.Value.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()); err != nil || status < 400 ||
		media.Schema.Ref == "#/components/schemas/Readiness" {
		return err
	}
	fields := value.(map[string]any)
	if err := want("statusCode", fields["statusCode"], any(json.Number(strconv.Itoa(status)))); err != nil {
		return err
	}
	return want("error", fields["error"], any(http.StatusText(status)))
}

// verifyHeaders checks that all required headers are present and that all documented headers match
// their schemas.
func verifyHeaders(described openapi3.Headers, header http.Header) error {
	for name, h := range described {
		text := header.Get(name)
		if text == "" {
			if h.Value.Required {
				return fmt.Errorf("header %s is missing", name)
			}
			continue
		}
		var value any = text
		if schema := h.Value.Schema.Value; !schema.Type.Is("string") {
			value = json.Number(text)
		}
		if err := h.Value.Schema.Value.VisitJSON(value); err != nil {
			return fmt.Errorf("header %s is %q: %w", name, text, err)
		}
	}
	return nil
}

// decodeJSON decodes exactly one value and preserves the spelling of numbers.
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
	return spelled(value), nil
}

// spelled replaces integers that are written with a fraction or an exponent by strings, so that the
// validation does not accept them as integers. Typed clients reject 1.0.
func spelled(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = spelled(v[key])
		}
	case []any:
		for i := range v {
			v[i] = spelled(v[i])
		}
	case json.Number:
		f, err := v.Float64()
		if err == nil && strings.ContainsAny(v.String(), ".eE") && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return v.String()
		}
	}
	return value
}

func want[T comparable](what string, got, want T) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s is %v, want %v", what, got, want)
}

package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// request is a sent or expected request.
type request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"` // path below /api/v1, as sent
	Query  string            `json:"query,omitempty"`
	Header map[string]string `json:"header"`
	Body   any               `json:"body,omitempty"` // the decoded JSON, or the text of a body that is not JSON
}

// apiPath is the path of the recorder's API.
const apiPath = "/api/v1"

// answer is the recorder's response to a request.
type answer struct {
	Status int
	Header map[string]string
	Body   string
	// Closed closes the connection without a response. Cut ends the connection in the middle of the
	// body.
	Closed, Cut bool
}

// transports lists headers that depend on the HTTP transport and not on the library.
var transports = []string{
	"host", "user-agent", "connection", "content-length", "transfer-encoding", "accept-encoding", "accept-language",
	"origin", "referer", "priority", "cache-control", "pragma", "dnt", "te",
}

// received converts an HTTP request that the server has received.
func received(r *http.Request, body []byte) request {
	got := request{Method: r.Method, Header: map[string]string{}}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	got.Path = equalEscapes.Replace(strings.TrimPrefix(path, apiPath))
	if values, err := url.ParseQuery(query); err != nil {
		got.Query = "malformed: " + query
	} else {
		for _, many := range values {
			slices.Sort(many)
		}
		got.Query = values.Encode()
	}
	for name, values := range r.Header {
		name = strings.ToLower(name)
		if !slices.Contains(transports, name) && !strings.HasPrefix(name, "sec-") {
			got.Header[name] = strings.Join(values, ", ")
		}
	}
	if len(body) > 0 && json.Unmarshal(body, &got.Body) != nil {
		got.Body = "no JSON: " + string(body)
	}
	if strings.HasSuffix(got.Path, "/check-update") {
		got.withoutRandomKey()
	}
	return got
}

// rolloutKey matches the keys that libraries make.
var rolloutKey = regexp.MustCompile(`^[0-9]{1,4}$`)

// withoutRandomKey removes a rollout key that the library has made from an update check. If the
// check contains no key at all, it adds one that no library makes.
func (r *request) withoutRandomKey() {
	body, _ := r.Body.(map[string]any)
	key, sent := body["rollout_key"].(string)
	switch {
	case body == nil:
	case !sent:
		body["rollout_key"] = "missing"
	case rolloutKey.MatchString(key):
		delete(body, "rollout_key")
	}
}

// equalEscapes unescapes characters that libraries may escape but need not.
var equalEscapes = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// canonical encodes a value as JSON in a unique form, with sorted keys and normalized numbers.
func canonical(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(plain); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// names replaces the random ids of a client with numbers in the order of their first use, so that
// the requests of two clients can be compared.
type names struct {
	of map[string]string
}

func newNames() *names { return &names{of: map[string]string{}} }

var randomText = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func (n *names) name(value string) string {
	if n.of[value] == "" {
		n.of[value] = fmt.Sprintf("id-%d", len(n.of)+1)
	}
	return n.of[value]
}

// line formats a request for comparison.
func (n *names) line(r request) string {
	// A session can be any text, so find it by its position instead of its form.
	if body, ok := r.Body.(map[string]any); ok && strings.HasSuffix(r.Path, "/events") && r.Method == http.MethodPost {
		if session, ok := body["session_id"].(string); ok {
			body = maps.Clone(body)
			body["session_id"] = n.name(session)
			r.Body = body
		}
	}
	return randomText.ReplaceAllStringFunc(canonical(r), n.name)
}

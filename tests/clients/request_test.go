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

// request is what a client sent, or should send.
type request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"` // below /api/v1, as on the wire
	Query  string            `json:"query,omitempty"`
	Header map[string]string `json:"header"`
	Body   any               `json:"body,omitempty"` // decoded JSON, else the text
}

// apiPath is where the recorder has its API.
const apiPath = "/api/v1"

// answer is what the recorder says to a request.
type answer struct {
	Status int
	Header map[string]string
	Body   string
	// Closed is an answer that does not come: the connection ends. Cut is one whose
	// body ends too early.
	Closed, Cut bool
}

// transports are headers that differ between transports, and say nothing about a library.
var transports = []string{
	"host", "user-agent", "connection", "content-length", "transfer-encoding", "accept-encoding", "accept-language",
	"origin", "referer", "priority", "cache-control", "pragma", "dnt", "te",
}

// received is the request that arrived at the server.
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
	return got
}

// equalEscapes makes characters equal that may be escaped in a segment or not.
var equalEscapes = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// canonical is a value as JSON in one form: keys sorted and numbers by value.
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

// names replaces what a client makes at random by the order in which it appears.
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

// line is a request in the form in which it is compared.
func (n *names) line(r request) string {
	// A session is any text, so it is named where it is.
	if body, ok := r.Body.(map[string]any); ok && strings.HasSuffix(r.Path, "/events") && r.Method == http.MethodPost {
		if session, ok := body["session_id"].(string); ok {
			body = maps.Clone(body)
			body["session_id"] = n.name(session)
			r.Body = body
		}
	}
	return randomText.ReplaceAllStringFunc(canonical(r), n.name)
}

package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"svc/internal/control"
	"svc/internal/fault"
	"svc/store"
)

// Request is a request with its route, caller and body.
type Request struct {
	*http.Request
	Writer http.ResponseWriter
	Route  *Route
	Params Params
	ID     string     // for the answer, the access log and the error log
	Addr   netip.Addr // of the caller; the zero Addr on the control connection
	Caller Caller

	Received time.Time

	body   body
	share  share
	values url.Values
	client *Client // nil until it is asked for
}

// Param returns a path parameter, percent-decoded.
func (r *Request) Param(name string) string { return r.Params.get(name) }

// Query returns the first value of a query parameter.
func (r *Request) Query(name string) string {
	if r.values == nil {
		r.values = parseQuery(r.URL.RawQuery)
	}
	return r.values.Get(name)
}

// parseQuery parses a query as browsers do: a % that does not begin an escape, and a semicolon,
// are ordinary characters. net/url omits parameters that contain one, so limit=%zz would count as
// no limit instead of an invalid one.
func parseQuery(raw string) url.Values {
	values, err := url.ParseQuery(raw)
	if err == nil {
		return values
	}
	values = url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			name, value, _ := strings.Cut(pair, "=")
			values.Add(unescape(name), unescape(value))
		}
	}
	return values
}

// unescape decodes the escapes in a part of a query.
func unescape(text string) string {
	var b strings.Builder
	for text != "" {
		size := 1
		if text[0] == '%' && len(text) > 2 {
			size = 3
		}
		decoded, err := url.QueryUnescape(text[:size])
		if err != nil {
			decoded, size = text[:1], 1
		}
		b.WriteString(decoded)
		text = text[size:]
	}
	return b.String()
}

// Sent reports whether a query parameter is there, with or without a value.
func (r *Request) Sent(name string) bool {
	r.Query(name)
	return r.values.Has(name)
}

// LoggedPath returns the path for logs, without the identifier of the person in a deletion of
// events.
func (r *Request) LoggedPath() string {
	if r.Route != nil && strings.HasSuffix(r.Route.Path, "/:distinct_id") {
		return r.Route.Path
	}
	return r.URL.Path
}

// Project returns the project in the path, inside the transaction that uses it. A key or alias
// may have moved to another project since the credential was checked, so the reach of a limited
// key is checked again.
func (r *Request) Project(tx *store.Tx) (*store.Project, error) {
	return r.Reached(tx.Project(r.Param("k")))
}

// Reached returns the project and the error that it is given, or ErrOtherProject if the caller
// may not access the project. Routes without a credential give access to all projects.
func (r *Request) Reached(p *store.Project, err error) (*store.Project, error) {
	if err == nil && !r.Route.Access.Open() && !r.Caller.Reaches(p.ID) {
		return nil, ErrOtherProject
	}
	return p, err
}

// ReadObject reads the request body as a JSON object. No body is an empty one.
func (r *Request) ReadObject() (json.RawMessage, error) {
	b, err := r.ReadBody()
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !utf8.Valid(b) {
		return nil, fault.New(fault.Invalid, "the request body must be UTF-8")
	}
	if !json.Valid(b) {
		return nil, errNoJSON(b)
	}
	if b[0] != '{' {
		return nil, fault.New(fault.Invalid, "the request body must be a JSON object")
	}
	return b, nil
}

// errNoJSON says where a body stops being JSON.
func errNoJSON(b []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(b, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.New(fault.Invalid, "the request body is not JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return fault.New(fault.Invalid, "the request body is not JSON")
}

// DoNotTrack reports whether the client asks to be left out.
func (r *Request) DoNotTrack() bool {
	given := r.Header["X-Svc-Do-Not-Track"]
	if len(given) == 0 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(given[0])) {
	case "1", "true", "yes":
		return true
	}
	return false
}

// Update runs fn in a write transaction with the project in the path.
func (r *Request) Update(db *store.Store, fn func(*store.Tx, *store.Project) error) error {
	return db.Update(func(tx *store.Tx) error {
		p, err := r.Project(tx)
		if err != nil {
			return err
		}
		return fn(tx, p)
	})
}

// ByOwner reports whether the request came over the control connection.
func (r *Request) ByOwner() bool { return control.Owner(r.Context()) }

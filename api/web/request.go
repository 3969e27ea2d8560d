package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
	ID     string     // sent with the response, and written to the access log and the error log
	Addr   netip.Addr // address of the caller; the zero Addr on the control connection
	Caller Caller

	Received time.Time

	// Uncounted keeps the request out of the request statistics, whatever its route says.
	Uncounted bool

	body   body
	share  share
	values url.Values
	client *Client // nil until the first call of Client
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

// parseQuery parses a query as browsers do. It treats a semicolon, and a % that does not begin an
// escape, as ordinary characters. net/url drops parameters that contain either, so that limit=%zz
// would count as not sent instead of invalid.
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

// unescape decodes the escapes in a name or a value of a query. It does not change malformed
// escapes.
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

// Sent reports whether the query contains a parameter, with or without a value.
func (r *Request) Sent(name string) bool {
	r.Query(name)
	return r.values.Has(name)
}

// LoggedPath returns the path for logs. For the deletion of a person's events, it returns the
// route's pattern instead, which does not contain the person's identifier.
func (r *Request) LoggedPath() string {
	if r.Route != nil && strings.HasSuffix(r.Route.Path, "/:distinct_id") {
		return r.Route.Path
	}
	return r.URL.Path
}

// Origin returns the first of the given addresses that is not "", or else the scheme and the host to
// which the request was sent.
func (r *Request) Origin(configured ...string) string {
	sent := "http://" + r.Host
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		sent = "https://" + r.Host
	}
	return cmp.Or(cmp.Or(configured...), sent)
}

// Project returns the project in the path, as seen by tx. The project key or alias may have moved
// to another project since the credential was checked, so Project checks the access of a limited
// API key again.
func (r *Request) Project(tx *store.Tx) (*store.Project, error) {
	return r.Reached(tx.Project(r.Param("k")))
}

// Reached returns p and err unchanged, or ErrOtherProject if the caller may not access p. Routes
// without a credential give access to all projects.
func (r *Request) Reached(p *store.Project, err error) (*store.Project, error) {
	if err == nil && !r.Route.Access.Open() && !r.Caller.Reaches(p.ID) {
		return nil, ErrOtherProject
	}
	return p, err
}

// ReadObject reads the request body, which must be a JSON object. An empty body counts as an empty
// object.
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

// errNoJSON returns an error that names the position of the first syntax error in a body.
func errNoJSON(b []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(b, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.New(fault.Invalid, "the request body is not JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return fault.New(fault.Invalid, "the request body is not JSON")
}

// DoNotTrack reports whether the client asks not to be tracked.
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

// maxReads is the maximum number of attempts of Snapshot.
const maxReads = 100

// Snapshot calls the function read with a snapshot of the project in the path. If read returns
// store.ErrStale, because a text that it needs has been changed or deleted since the snapshot,
// Snapshot calls read again with a new snapshot. After maxReads attempts, Snapshot returns an
// error. That only happens if there was a write during each attempt.
func (r *Request) Snapshot(db *store.Store, read func(*store.Snapshot) error) error {
	for tries := 1; ; tries++ {
		snap, err := db.Snapshot(r.Param("k"))
		if err != nil {
			return err
		}
		if _, err := r.Reached(snap.Project, nil); err != nil {
			return err
		}
		err = read(snap)
		switch {
		case !errors.Is(err, store.ErrStale):
			return err
		case r.Context().Err() != nil:
			return r.Context().Err()
		case tries == maxReads:
			return fmt.Errorf("read project %s %d times: %w", snap.Project.Key, tries, err)
		}
		db.Settle() // wait for the pending commit instead of retrying in a busy loop
	}
}

// ReadSnapshot is like Snapshot, but the function read also returns the body of the response.
func ReadSnapshot[V any](r *Request, db *store.Store, read func(*store.Snapshot) (V, error)) (v V, err error) {
	err = r.Snapshot(db, func(snap *store.Snapshot) (err error) {
		v, err = read(snap)
		return err
	})
	return v, err
}

// View calls fn in a read transaction with the project in the path.
func (r *Request) View(db *store.Store, fn func(*store.Tx, *store.Project) error) error {
	return db.View(r.inProject(fn))
}

// Update calls fn in a write transaction with the project in the path.
func (r *Request) Update(db *store.Store, fn func(*store.Tx, *store.Project) error) error {
	return db.Update(r.inProject(fn))
}

func (r *Request) inProject(fn func(*store.Tx, *store.Project) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		p, err := r.Project(tx)
		if err != nil {
			return err
		}
		return fn(tx, p)
	}
}

// ByOwner reports whether the request came over the control connection, which only the owner of the
// data directory can open.
func (r *Request) ByOwner() bool { return control.Owner(r.Context()) }

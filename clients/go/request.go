package svcsdk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// call is a request that is being constructed.
type call struct {
	client  *Client
	method  string
	path    string   // template; {k} is the project
	args    []string // values of the other placeholders in the template
	admin   bool
	options any         // struct with query tags, or a pointer to one
	params  [][2]string // additional query parameters
	payload any         // encoded as the body
	omitted bool        // the body is not sent if it has no fields
	bytes   []byte      // a body that is not JSON

	replyToken string // token of the feedback whose reply is requested
	project    string // replaces the project of the client if it is not ""
}

func (p *Public) call(method, path string, args ...string) *call {
	return &call{client: p.client, method: method, path: path, args: args}
}

func (a *Admin) call(method, path string, args ...string) *call {
	return &call{client: a.client, method: method, path: path, args: args, admin: true}
}

func (c *call) where(options any) *call {
	c.options = options
	return c
}

func (c *call) param(name string, value any) *call {
	switch v := value.(type) {
	case string:
		if v != "" {
			c.params = append(c.params, [2]string{name, v})
		}
	case bool:
		if v {
			c.params = append(c.params, [2]string{name, "true"})
		}
	}
	return c
}

func (c *call) body(in any) *call {
	c.payload = in
	return c
}

func (c *call) optionalBody(in any) *call {
	c.payload, c.omitted = in, true
	return c
}

func (c *call) raw(body []byte) *call {
	c.bytes = body
	return c
}

// request holds everything that is the same in each attempt.
type request struct {
	method      string
	path        string // path template, for errors and logs
	target      string // path and query, escaped
	token       string
	contentType string
	ifMatch     string
	replyToken  string
	body        []byte
	settings    *settings
}

// prepare makes all checks that are possible before anything is sent.
func (c *call) prepare(ctx context.Context) (*request, error) {
	if c.client.closing.Err() != nil {
		return nil, errClosed
	}
	s := c.client.settings.Load()
	r := &request{method: c.method, path: c.path, settings: s}
	r.ifMatch, _ = ctx.Value(ifMatchKey{}).(string)
	r.replyToken = c.replyToken
	var err error
	if r.target, err = expandPath(c.path, cmp.Or(c.project, s.project), c.args); err != nil {
		return nil, err
	}
	query := encodeQuery(c.options, s, !c.admin)
	for _, p := range c.params {
		query.Set(p[0], p[1])
	}
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	if c.bytes != nil {
		r.body, r.contentType = c.bytes, "application/octet-stream"
	} else if c.payload != nil {
		if r.body, err = encodeBody(c.payload); err != nil {
			return nil, err
		}
		r.contentType = "application/json"
		if c.omitted && string(r.body) == "{}" {
			r.body, r.contentType = nil, ""
		}
	}
	if c.admin {
		if r.token, err = s.credential(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// credential returns the token for methods that require one.
func (s *settings) credential(ctx context.Context) (string, error) {
	if s.token == nil {
		return "", &AuthError{Message: "this method needs a credential: see WithToken and Login"}
	}
	token, err := s.token(ctx)
	if err != nil {
		return "", &AuthError{Message: "the credential could not be obtained", Cause: err}
	}
	if token == "" {
		return "", &AuthError{Message: "this method needs a credential, and the function of WithTokenFunc returned none"}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
		return "", &AuthError{Message: "the credential has characters that cannot be sent"}
	}
	return token, nil
}

// expandPath fills in the placeholders of a template. Each value becomes one segment.
func expandPath(template, project string, args []string) (string, error) {
	var b strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(after, "}")
		var value string
		switch {
		case name != "k":
			value, args = args[0], args[1:]
		case project == "":
			return "", usage("no project is bound: see WithProject and SetProjectKey")
		default:
			value = project
		}
		segment, ok := pathSegment(value)
		if !ok {
			return "", usage("%s of the path %s must not be empty, . or ..", name, template)
		}
		b.WriteString(segment)
		rest = after
	}
}

// pathSegment escapes a text as one path segment. It reports false for texts that URL parsers would
// interpret differently.
func pathSegment(text string) (string, bool) {
	if text == "" || text == "." || text == ".." {
		return "", false
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String(), true
}

// encodeQuery returns a query with the fields of options. If public is true, the fields locale and
// version that options omits get the values of the client.
func encodeQuery(options any, s *settings, public bool) url.Values {
	query := url.Values{}
	v := reflect.ValueOf(options)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(v.Type().Elem())
		} else {
			v = v.Elem()
		}
	}
	if v.Kind() != reflect.Struct {
		return query
	}
	for field, value := range v.Fields() {
		name := field.Tag.Get("query")
		text, sent := queryText(value)
		if o, ok := reflect.TypeAssert[Opt[string]](value); ok && o.IsZero() && public {
			text = map[string]string{"locale": s.locale, "version": s.appVersion}[name]
			sent = text != ""
		}
		if sent {
			query.Set(name, text)
		}
	}
	return query
}

// queryText returns the text of a field in a query, and reports whether the field is sent.
func queryText(v reflect.Value) (string, bool) {
	if o, ok := reflect.TypeAssert[Opt[string]](v); ok {
		return o.Get()
	}
	sent := !v.IsZero()
	if v.Kind() == reflect.Pointer && sent {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), sent
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), sent
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), sent
	default:
		return "", false
	}
}

// encodeBody encodes an input as a JSON object and adds the entries of the input's field Extra to
// this object.
func encodeBody(in any) ([]byte, error) {
	body, err := encodeJSON(in)
	if err != nil {
		return nil, usage("the body cannot be encoded: %v", err)
	}
	v := reflect.ValueOf(in)
	if v.Kind() != reflect.Struct {
		return body, nil
	}
	field := v.FieldByName("Extra")
	if !field.IsValid() || field.Len() == 0 {
		return body, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, usage("the body cannot be encoded: %v", err)
	}
	for name, value := range field.Interface().(map[string]any) {
		if fields[name], err = encodeJSON(value); err != nil {
			return nil, usage("the extra field %s cannot be encoded: %v", name, err)
		}
	}
	return encodeJSON(fields)
}

// encodeJSON encodes a value. It does not escape <, > and &.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// fetch sends a request and decodes the response. It returns nil for a response that is empty or
// null.
func fetch[T any](ctx context.Context, c *call) (*T, error) {
	a, err := c.send(ctx)
	if err != nil || len(a.body) == 0 {
		return nil, err
	}
	var out *T
	if json.Unmarshal(a.body, &out) != nil {
		return nil, newAPIError(c, a, c.client.clock.now())
	}
	return out, nil
}

// perform sends a request and ignores the body of the response.
func perform(ctx context.Context, c *call) error {
	_, err := fetch[json.RawMessage](ctx, c)
	return err
}

// send sends a request. It returns an error if the status is not 2xx.
func (c *call) send(ctx context.Context) (*answer, error) {
	r, err := c.prepare(ctx)
	if err != nil {
		return nil, err
	}
	a, err := c.client.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	if a.status/100 != 2 {
		return nil, newAPIError(c, a, c.client.clock.now())
	}
	keepETag(ctx, a)
	a.body = bytes.TrimSpace(a.body)
	return a, nil
}

// newHTTPRequest creates the HTTP request for one attempt. Each attempt sends the current client
// time.
func (c *Client) newHTTPRequest(ctx context.Context, r *request) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	h, err := http.NewRequestWithContext(ctx, r.method, c.base+r.target, body)
	if err != nil {
		return nil, usage("the address cannot be used")
	}
	// A user name and a password in the base address are not a credential of svc.
	h.URL.User = nil
	for name, values := range c.config.headers {
		if !ownHeader(name) {
			h.Header[name] = values
		}
	}
	h.Header.Set("Accept", "application/json")
	h.Header.Set("User-Agent", c.config.userAgent)
	if r.contentType != "" {
		h.Header.Set("Content-Type", r.contentType)
	}
	if r.token != "" {
		h.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.ifMatch != "" {
		h.Header.Set("If-Match", r.ifMatch)
	}
	if r.replyToken != "" {
		h.Header.Set("X-Reply-Token", r.replyToken)
	}
	platform, version := r.settings.declared()
	if platform != "" {
		h.Header.Set("x-svc-platform", string(platform))
	}
	if version != "" {
		h.Header.Set("x-svc-platform-version", version)
	}
	if !c.config.noClientTime {
		if t := clientTime(c.clock.now()); t != "" {
			h.Header.Set("x-svc-client-time", t)
		}
	}
	return h, nil
}

// ownHeader reports whether a header is set by the library, so that WithHeader must not set it.
func ownHeader(name string) bool {
	name = strings.ToLower(name)
	return name == "authorization" || name == "cookie" || name == "if-match" || strings.HasPrefix(name, "x-svc-")
}

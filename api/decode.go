package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"svc/internal/fault"
)

// Optional is a body field that may be absent, null or a value. One of the
// wrong type is remembered, not refused, so that it is reported with the rest.
type Optional[T any] struct {
	Sent  bool
	Wrong bool
	Value *T // nil when not sent, null or wrong
}

// null reports whether the field was sent as JSON null.
func (o Optional[T]) null() bool { return o.Sent && !o.Wrong && o.Value == nil }

// or is the value, or another one when there is none.
func (o Optional[T]) or(other T) T {
	if o.Value == nil {
		return other
	}
	return *o.Value
}

func (o *Optional[T]) set(raw json.RawMessage) {
	*o = Optional[T]{Sent: true}
	if string(raw) == "null" {
		return
	}
	v := new(T)
	if o.Wrong = !simple(v, raw) && json.Unmarshal(raw, v) != nil; !o.Wrong {
		o.Value = v
	}
}

// simple reads what most fields are, texts without escapes and booleans, and
// leaves the rest to encoding/json.
func simple(v any, raw json.RawMessage) bool {
	switch v := v.(type) {
	case *string:
		if plainText(raw) {
			*v = string(raw[1 : len(raw)-1])
			return true
		}
	case *bool:
		*v = string(raw) == "true"
		return *v || string(raw) == "false"
	}
	return false
}

// plainText reports whether a JSON value is a string without escapes, which
// most are.
func plainText(raw json.RawMessage) bool {
	return raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0
}

// integer is a whole number. JSON knows one kind of number, so 5 and 5.0 are
// the same; 5.5 and "5" are not integers.
type integer int64

// UnmarshalJSON accepts every spelling of a whole number.
func (n *integer) UnmarshalJSON(raw []byte) error {
	if whole, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*n = integer(whole)
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errors.New("not an integer")
	}
	*n = integer(f)
	return nil
}

// looseInteger is an integer that may also come as text.
type looseInteger int64

// UnmarshalJSON accepts 5 and "5".
func (n *looseInteger) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' {
		return (*integer)(n).UnmarshalJSON(raw)
	}
	whole, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
	*n = looseInteger(whole)
	return err
}

// looseBool is a boolean that may also come as text.
type looseBool bool

// UnmarshalJSON accepts true, false and the texts "true", "1", "false", "0".
func (b *looseBool) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case `true`, `"true"`, `"1"`:
		*b = true
	case `false`, `"false"`, `"0"`:
		*b = false
	default:
		return errors.New("not a boolean")
	}
	return nil
}

// object is a free-form JSON object, kept as it was sent but for white space.
type object json.RawMessage

// deepest is how many levels of objects and lists a free-form object may have.
// Go's JSON gives up at 10,000, counted from the outside of each document, so
// what was just readable in a request might not be writable in an answer.
const deepest = 100

// depth is the greatest nesting of valid JSON.
func depth(raw []byte) (greatest int) {
	level, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++ // whatever is escaped is part of the text
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			greatest = max(greatest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return greatest
}

// UnmarshalJSON refuses everything that is not an object.
func (o *object) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '{' || depth(raw) > deepest {
		return errors.New("not an object")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return err
	}
	*o = b.Bytes()
	return nil
}

// body reads the request body once, within the route's limit.
func (r *request) body() ([]byte, error) {
	if r.bodyRead {
		return r.bodyBytes, nil
	}
	limit := r.route.bodyLimit
	if r.ContentLength > limit {
		return nil, errTooLarge(limit)
	}
	if r.ContentLength > slowest { // more time for more bytes, so that slow lines can send them
		deadline := time.Now().Add(time.Duration(30+r.ContentLength/slowest) * time.Second)
		_ = http.NewResponseController(r.writer).SetReadDeadline(deadline)
	}
	b, err := readAll(http.MaxBytesReader(r.writer, r.Body, limit), r.ContentLength)
	if err != nil || r.ContentLength < 0 || r.ContentLength > slowest {
		// The time for the answer has been running since the headers came. After
		// a slow body none of it may be left.
		_ = http.NewResponseController(r.writer).SetWriteDeadline(time.Now().Add(30 * time.Second))
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, errTooLarge(limit)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "the request body ended early")
	}
	r.bodyBytes, r.bodyRead = b, true
	return b, nil
}

func errTooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "the request body must have at most %d bytes", limit)
}

// readAll reads to the end, with one allocation where the length is known.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(body)
	}
	b := make([]byte, length)
	_, err := io.ReadFull(body, b)
	return b, err
}

// object reads the request body as a JSON object. No body is an empty one.
func (r *request) object() (json.RawMessage, error) {
	b, err := r.body()
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

// decode fills the Optional fields of the struct in points to from the request
// body. Names are compared exactly; unknown ones are ignored, and of one that
// comes twice the last counts.
func decode(r *request, in any) error {
	object, err := r.object()
	if err != nil {
		return err
	}
	fill(in, object)
	return nil
}

func fill(in any, object json.RawMessage) {
	v := reflect.ValueOf(in).Elem()
	places := fieldsOf(v.Type())
	eachField(object, func(name []byte, raw json.RawMessage) {
		if at, ok := places[string(name)]; ok {
			v.Field(at).Addr().Interface().(setter).set(raw)
		}
	})
}

// setter is what every Optional is, whatever its type.
type setter interface{ set(raw json.RawMessage) }

// knownFields remembers the names and places of the fields of input structs.
var knownFields sync.Map // reflect.Type -> map[string]int

func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := knownFields.Load(t); ok {
		return known.(map[string]int)
	}
	names := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		names[t.Field(i).Tag.Get("json")] = i
	}
	knownFields.Store(t, names)
	return names
}

// entries reads a list of objects into inputs. What is not an object is a
// problem of the list.
func entries[T any](p *problems, field string, raw Optional[[]json.RawMessage], most int) []T {
	if raw.Wrong {
		p.add("%s must be a list", field)
		return nil
	}
	list := raw.or(nil)
	if len(list) > most {
		p.add("%s must have at most %d entries", field, most)
		return nil
	}
	inputs := make([]T, len(list))
	for i, item := range list {
		if item[0] != '{' {
			p.add("%s[%d] must be an object", field, i)
			continue
		}
		fill(&inputs[i], item)
	}
	return inputs
}

// label names a field of an entry of a list.
func label(list string, i int, field string) string { return fmt.Sprintf("%s[%d].%s", list, i, field) }

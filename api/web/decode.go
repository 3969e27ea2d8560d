package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"svc/internal/jsonscan"
)

// Optional is a body field that may be absent or null. A value of the wrong type only sets Wrong
// and is not a decoding error, so that all problems of a body can be reported together.
type Optional[T any] struct {
	Sent  bool
	Wrong bool
	Value *T // nil if the field was not sent, is null or has the wrong type
}

// Null reports whether the field was sent as JSON null.
func (o Optional[T]) Null() bool { return o.Sent && !o.Wrong && o.Value == nil }

// Or returns the value that was sent, or the parameter other if there is none.
func (o Optional[T]) Or(other T) T {
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

// simple decodes booleans and strings without escapes, which are the most frequent values. It
// returns false if raw is any other value, which encoding/json must decode.
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

// plainText reports whether a JSON value is a string without escapes.
func plainText(raw json.RawMessage) bool {
	return raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0
}

// Integer is a whole number. JSON has only one type of number, so 5 and 5.0 are the same integer.
// 5.5 and "5" are not integers.
type Integer int64

// UnmarshalJSON accepts every spelling of a whole number.
func (n *Integer) UnmarshalJSON(raw []byte) error {
	if whole, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*n = Integer(whole)
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errors.New("not an integer")
	}
	*n = Integer(f)
	return nil
}

// LooseInteger is an integer that may be sent as text.
type LooseInteger int64

// UnmarshalJSON accepts 5 and "5".
func (n *LooseInteger) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' {
		return (*Integer)(n).UnmarshalJSON(raw)
	}
	whole, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
	*n = LooseInteger(whole)
	return err
}

// LooseBool is a boolean that may be sent as text.
type LooseBool bool

// UnmarshalJSON accepts true, false and the texts "true", "1", "false", "0".
func (b *LooseBool) UnmarshalJSON(raw []byte) error {
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

// Object is a free-form JSON object, stored as received except for white space.
type Object json.RawMessage

// maxDepth is the maximum number of nested objects and lists in a free-form object. Go's JSON
// decoder fails at 10,000 levels. A response can nest the object more deeply than the request did,
// so without this limit a stored object could make a response that cannot be decoded.
const maxDepth = 100

// UnmarshalJSON returns an error if the value is not an object or exceeds maxDepth.
func (o *Object) UnmarshalJSON(raw []byte) error {
	s := jsonscan.Scanner{Source: string(raw)}
	if s.Value(); raw[0] != '{' || s.Deepest > maxDepth {
		return errors.New("not an object")
	}
	*o = jsonscan.AppendCompact(nil, s.Source)
	return nil
}

// Decode decodes the request body into a struct with Optional fields. The parameter in must be a
// pointer to that struct. Names must match exactly. Unknown names are ignored. If a name is
// repeated, its last value counts.
func Decode(r *Request, in any) error {
	body, err := r.ReadBody()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 || utf8.Valid(body) && Fill(in, body) {
		return nil
	}
	_, err = r.ReadObject() // returns the error that describes the problem
	return err
}

// Decoded returns a function that decodes the request body and calls the function answer with the
// result.
func Decoded[In, V any](answer func(*Request, In) (V, error)) func(*Request) (V, error) {
	return func(r *Request) (v V, err error) {
		var in In
		if err := Decode(r, &in); err != nil {
			return v, err
		}
		return answer(r, in)
	}
}

// Checked is like Decoded, but calls the function answer with the result of Check.
func Checked[In, How, Change, V any](
	check func(In, How) (Change, error), how How, answer func(*Request, Change) (V, error),
) func(*Request) (V, error) {
	return func(r *Request) (v V, err error) {
		change, err := Check(r, check, how)
		if err != nil {
			return v, err
		}
		return answer(r, change)
	}
}

// Check decodes the request body, passes it to the function check and returns check's result. The
// parameter how is the kind of write, which determines which fields are required and what null
// means.
func Check[In, How, Change any](r *Request, check func(In, How) (Change, error), how How) (change Change, err error) {
	var in In
	if err := Decode(r, &in); err != nil {
		return change, err
	}
	return check(in, how)
}

// Fill decodes a JSON object into a struct, to which its first parameter points. It matches names
// as Decode does, and also sets fields of embedded structs. It reports whether object is a valid
// JSON object. If it is not, some of the fields may have been set.
func Fill(in any, object json.RawMessage) bool {
	v := reflect.ValueOf(in).Elem()
	fields := fieldsOf(v.Type())
	return EachField(object, func(name string, raw json.RawMessage) {
		for i := range fields {
			if fields[i].name == name {
				v.FieldByIndex(fields[i].index).Addr().Interface().(setter).set(raw)
				return
			}
		}
	})
}

// setter is implemented by every Optional, regardless of its type.
type setter interface{ set(raw json.RawMessage) }

// inputField is a field of an input struct.
type inputField struct {
	name  string // JSON name
	index []int  // index path, as in reflect.StructField
}

// knownFields caches the fields of input structs. A struct has few fields, so a linear search by
// name is fast enough.
var knownFields sync.Map // reflect.Type -> []inputField

func fieldsOf(t reflect.Type) []inputField {
	if known, ok := knownFields.Load(t); ok {
		return known.([]inputField)
	}
	var fields []inputField
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			fields = append(fields, inputField{f.Tag.Get("json"), f.Index})
		}
	}
	knownFields.Store(t, fields)
	return fields
}

// Entries decodes a list of objects. It adds a problem if raw is not a list or if the list has more
// entries than the parameter most, and then returns nil. It also adds a problem for each entry that
// is not an object.
func Entries[T any](p *Problems, field string, raw Optional[[]json.RawMessage], most int) []T {
	if raw.Wrong {
		p.Add("%s must be a list", field)
		return nil
	}
	list := raw.Or(nil)
	if len(list) > most {
		p.Add("%s must have at most %d entries", field, most)
		return nil
	}
	inputs := make([]T, len(list))
	for i, item := range list {
		if item[0] != '{' {
			p.Add("%s[%d] must be an object", field, i)
			continue
		}
		Fill(&inputs[i], item)
	}
	return inputs
}

// EntryField returns the path of a field in entry i of a list, such as "links[0].url", for error
// messages.
func EntryField(list string, i int, field string) string {
	return fmt.Sprintf("%s[%d].%s", list, i, field)
}

// Set sets field to the value that was sent, if there is one. It is for fields that cannot be null.
func Set[T any](field *T, o Optional[T]) {
	if o.Value != nil {
		*field = *o.Value
	}
}

// SetText sets field to the trimmed text, if one was sent. null sets it to "".
func SetText(field *string, o Optional[string]) {
	if o.Sent {
		*field = strings.TrimSpace(o.Or(""))
	}
}

// OrNull returns a pointer to v, or nil if v is the zero value, which then appears as null in the
// response.
func OrNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// SetIfSent sets field to the given value if o was sent.
func SetIfSent[T, In any](field *T, o Optional[In], value T) {
	if o.Sent {
		*field = value
	}
}

// SetOrClear sets field to the value that was sent, if one was sent. null sets it to nil.
func SetOrClear[T any](field **T, o Optional[T]) {
	if o.Sent {
		*field = o.Value
	}
}

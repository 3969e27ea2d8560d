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

// Optional is a body field that may be absent, null or a value. A value of the wrong type is
// recorded instead of refused, so that all problems are reported together.
type Optional[T any] struct {
	Sent  bool
	Wrong bool
	Value *T // nil when not sent, null or wrong
}

// Null reports whether the field was sent as JSON null.
func (o Optional[T]) Null() bool { return o.Sent && !o.Wrong && o.Value == nil }

// Or returns the value, or other if there is none.
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

// simple decodes the most frequent values, texts without escapes and booleans. It reports false
// for all others, which encoding/json decodes.
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

// Integer is a whole number. JSON knows one kind of number, so 5 and 5.0 are
// the same; 5.5 and "5" are not integers.
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

// maxDepth is the maximum number of levels of objects and lists in a free-form object. Go's JSON
// decoder fails at 10,000 levels, counted from the outside of each document, so an object that
// was readable in a request might not be readable in an answer.
const maxDepth = 100

// UnmarshalJSON refuses everything that is not an object.
func (o *Object) UnmarshalJSON(raw []byte) error {
	s := jsonscan.Scanner{Source: string(raw)}
	if s.Value(); raw[0] != '{' || s.Deepest > maxDepth {
		return errors.New("not an object")
	}
	*o = jsonscan.AppendCompact(nil, s.Source)
	return nil
}

// Decode decodes the request body into the Optional fields of the struct that in points to. Names
// must match exactly. Unknown names are ignored, and the last one of a repeated name counts.
func Decode(r *Request, in any) error {
	body, err := r.ReadBody()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 || utf8.Valid(body) && Fill(in, body) {
		return nil
	}
	_, err = r.ReadObject() // says what is wrong
	return err
}

// Checked decodes the request body and checks it. how is the kind of write, on which required
// fields and the meaning of null depend.
func Checked[In, How, Change any](r *Request, check func(In, How) (Change, error), how How) (change Change, err error) {
	var in In
	if err := Decode(r, &in); err != nil {
		return change, err
	}
	return check(in, how)
}

// Fill decodes an object as Decode does, including fields of embedded structs. It reports whether
// object is a JSON object; otherwise it may have set some of the fields.
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
	name  string // in JSON
	index []int  // as reflect has it
}

// knownFields caches the fields of input structs. There are few for each, so they are searched by
// comparing names.
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

// Entries decodes a list of objects. An element that is not an object is a problem of the list.
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

// EntryField names a field of an entry of a list.
func EntryField(list string, i int, field string) string {
	return fmt.Sprintf("%s[%d].%s", list, i, field)
}

// Set changes a field that always has a value.
func Set[T any](field *T, o Optional[T]) {
	if o.Value != nil {
		*field = *o.Value
	}
}

// SetText changes a text to what was sent, trimmed; null clears it.
func SetText(field *string, o Optional[string]) {
	if o.Sent {
		*field = strings.TrimSpace(o.Or(""))
	}
}

// OrNull returns a pointer to v, or nil for the zero value, which answers show as null.
func OrNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// SetIfSent sets a field to value if the input was sent.
func SetIfSent[T, In any](field *T, o Optional[In], value T) {
	if o.Sent {
		*field = value
	}
}

// SetOrClear changes a field that null clears.
func SetOrClear[T any](field **T, o Optional[T]) {
	if o.Sent {
		*field = o.Value
	}
}

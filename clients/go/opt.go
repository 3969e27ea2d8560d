package svcsdk

import "encoding/json"

// Opt is a field that can be left out (the zero value), sent as null ([Null]) or sent with a value
// ([Set]). In updates, a field that is left out does not change the stored value, and null clears
// it.
type Opt[T any] struct {
	value T
	state optState
}

type optState uint8

const (
	optAbsent optState = iota
	optNull
	optSet
)

// Set returns a field with the given value.
func Set[T any](v T) Opt[T] { return Opt[T]{value: v, state: optSet} }

// Null returns a field that is sent as null.
func Null[T any]() Opt[T] { return Opt[T]{state: optNull} }

// Get returns the value and reports whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.state == optSet }

// IsNull reports whether the field is sent as null.
func (o Opt[T]) IsNull() bool { return o.state == optNull }

// IsZero reports whether the field is left out. Package encoding/json calls it for fields with the
// tag option omitzero.
func (o Opt[T]) IsZero() bool { return o.state == optAbsent }

// MarshalJSON returns the value or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != optSet {
		return []byte("null"), nil
	}
	return encodeJSON(o.value)
}

// UnmarshalJSON sets the field to a value or null.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	o.state = optSet
	return json.Unmarshal(data, &o.value)
}

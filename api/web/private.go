package web

import (
	"encoding/json"
	"slices"

	"svc/internal/signature"
)

// WithoutPrivateKeys returns a function that calls the function answer unless a string in the
// request body contains a private key. Such a request is refused, so that no key is stored by
// mistake. The error does not contain the string.
func WithoutPrivateKeys[V any](answer func(*Request) (V, error)) func(*Request) (V, error) {
	return func(r *Request) (v V, err error) {
		body, err := r.ReadBody()
		if err != nil {
			return v, err
		}
		var p Problems
		EachField(body, func(name string, raw json.RawMessage) { p.NoPrivateKey(name, raw) })
		if err := p.Err(); err != nil {
			return v, err
		}
		return answer(r)
	}
}

// NoPrivateKey adds a problem if a JSON value contains a private key in any string.
func (p *Problems) NoPrivateKey(field string, raw json.RawMessage) {
	var value any
	if json.Unmarshal(raw, &value) == nil && holdsPrivateKey(value) {
		p.Add("%s %v", field, signature.ErrPrivate)
	}
}

func holdsPrivateKey(value any) bool {
	switch value := value.(type) {
	case string:
		return signature.IsPrivate(value)
	case []any:
		return slices.ContainsFunc(value, holdsPrivateKey)
	case map[string]any:
		for name, one := range value {
			if signature.IsPrivate(name) || holdsPrivateKey(one) {
				return true
			}
		}
	}
	return false
}

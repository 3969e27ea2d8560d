package web

import (
	"bytes"
	"encoding/json"

	"svc/internal/jsonscan"
)

// EachField calls fn with the name and raw value of each field of a JSON object, in order. It
// reports whether the text is a valid object. If it is not, fn may have been called for some
// fields. Unlike encoding/json, it does not copy values, because it is on the hottest path of the
// program.
func EachField(object json.RawMessage, fn func(name string, raw json.RawMessage)) bool {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	s := jsonscan.Scanner{Source: string(object)}
	for more := s.Enter('}'); more; more = s.Next('}') {
		name, value := s.Key(), s.Value()
		if s.Failed {
			return false
		}
		fn(s.Text(name), object[value.From:value.To])
	}
	return !s.Failed && s.At == len(object)
}

package web

import (
	"bytes"
	"encoding/json"

	"svc/internal/event/jsonscan"
)

// EachField calls fn with name and raw value of each field of a JSON object, in
// order. The object must be valid JSON. Values are not copied: encoding/json would
// make a map and a copy of each, on the busiest path of the program.
func EachField(object json.RawMessage, fn func(name string, raw json.RawMessage)) {
	object = bytes.TrimSpace(object)
	s := jsonscan.Scanner{Source: string(object)}
	for more := s.Enter('}'); more; more = s.Next('}') {
		name, value := s.Key(), s.Value()
		fn(s.Text(name), object[value.From:value.To])
	}
}

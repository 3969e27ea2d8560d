package codehost

import (
	"encoding/json"
	"time"
)

// object is a JSON object from a code host. Its fields are parsed separately, so that a
// field of the wrong type is treated as empty and does not affect the others.
type object map[string]json.RawMessage

// objectOf parses a JSON object. It returns nil if raw is not an object.
func objectOf(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o object) object(name string) object { return objectOf(o[name]) }

func (o object) text(name string) string {
	var text string
	if json.Unmarshal(o[name], &text) != nil {
		return ""
	}
	return text
}

func (o object) number(name string) int64 {
	var n int64
	if json.Unmarshal(o[name], &n) != nil {
		return 0
	}
	return n
}

func (o object) is(name string) bool { return string(o[name]) == "true" }

// time parses a field that contains a time in the format of RFC 3339. It returns nil for
// times before 1970, because some code hosts send such a time instead of an unknown one.
func (o object) time(name string) *time.Time {
	t, err := time.Parse(time.RFC3339, o.text(name))
	if err != nil || t.Unix() < 0 {
		return nil
	}
	return &t
}

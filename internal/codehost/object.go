package codehost

import (
	"encoding/json"
	"time"
)

// object is a JSON object of a code host, whose fields are read one by one: one that is
// not of its type is empty, and takes none of the others with it.
type object map[string]json.RawMessage

// objectOf reads a JSON object; nil when it is none.
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

// time reads a time in the form of RFC 3339. One before 1970 is what some send for none.
func (o object) time(name string) *time.Time {
	t, err := time.Parse(time.RFC3339, o.text(name))
	if err != nil || t.Unix() < 0 {
		return nil
	}
	return &t
}

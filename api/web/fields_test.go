package web

import (
	"encoding/json"
	"maps"
	"testing"
	"unicode/utf8"
)

// FuzzEachField checks that EachField accepts the same texts as encoding/json and finds the same
// fields in them.
func FuzzEachField(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":1,"a":2}`, `{"\u0061":"b\\"}`, `{"a":{"b":[1,{"c":"}"}],"d":null}, "e" : -1.5e3 }`,
		`{"a":"\"","b":[],"c":{},"d":true,"e":[[["]"]]]}`, "{\t\"a\"\r\n:\n[ 1 , 2 ]\n}",
		"", "null", `["a"]`, `{"a":01}`, `{"a":1}x`, `{"a":1,}`, `{"a":"\ud800"}`, `{"a"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want := map[string]json.RawMessage{}
		if !utf8.Valid(b) {
			return // Decode refuses such a body before it calls EachField
		}
		is := json.Unmarshal(b, &want) == nil && want != nil
		got := map[string]json.RawMessage{}
		if ok := EachField(b, func(name string, raw json.RawMessage) {
			got[name] = append(json.RawMessage(nil), raw...)
		}); ok != is {
			t.Fatalf("%q is an object: got %v, want %v", b, ok, is)
		}
		if !is {
			return
		}
		if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%s\ngot  %s\nwant %s", b, got, want)
		}
	})
}

package submission

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/internal/testutil"
)

const oneEvent = `{"distinct_id":"u1","session_id":"s1","platform":"Web","events":[{"event_id":"e1","name":"Open","occurred_at":1764550860,"properties":{"format":"pdf","pages":12}}]}`

// item returns a body with one valid item, followed by an item with the given fields.
func item(fields string) string {
	return `{"distinct_id":"u","events":[{"event_id":"sound","name":"open"},` + fields + `]}`
}

// batch returns a body with the given fields and one valid item.
func batch(fields string) string {
	return `{` + fields + `,"events":[{"event_id":"e","name":"open"}]}`
}

func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
}

// bodies lists submissions with the problems that Decode must report. wrong contains all
// problems of the batch or, if the batch has none, the problem of its second event; ""
// means no problems.
var bodies = []struct{ rule, body, wrong string }{
	{"a batch", oneEvent, ""},
	{"no body is an empty object", "", "distinct_id is required; events is required"},
	{"white space around the body", " \r\n" + oneEvent + "\t", ""},
	{"unknown fields are ignored", batch(`"distinct_id":"u","x":{"y":[1,true,null]}`), ""},
	{"names are compared exactly", batch(`"distinct_id":"u","Session_ID":5`), ""},
	{"names may be escaped", batch(`"\u0064istinct_id":"u"`), ""},
	{"of a field that comes twice the last counts", batch(`"distinct_id":5,"distinct_id":"u"`), ""},
	{"also when the last is of no use", batch(`"distinct_id":"u","distinct_id":5`), "distinct_id must be a string"},
	{"the last events count", `{"distinct_id":"u","events":[1,2],"events":[{"event_id":"e","name":"n"}]}`, ""},
	{"the last events count, also null", `{"distinct_id":"u","events":[1,2],"events":null}`, "events is required"},

	{"distinct_id is required", batch(`"distinct_id":null`), "distinct_id is required"},
	{"distinct_id is a string", batch(`"distinct_id":5`), "distinct_id must be a string"},
	{"distinct_id is not empty", batch(`"distinct_id":""`), "distinct_id must have 1 to 128 characters"},
	{"distinct_id has 128 characters", batch(`"distinct_id":"` + strings.Repeat("é", 128) + `"`), ""},
	{"distinct_id has not 129", batch(`"distinct_id":"` + strings.Repeat("x", 129) + `"`), "distinct_id must have 1 to 128 characters"},
	{"an escape is one character", batch(`"distinct_id":"` + strings.Repeat(`\u00e9`, 128) + `"`), ""},
	{"session_id may be null", batch(`"distinct_id":"u","session_id":null`), ""},
	{"session_id may be empty", batch(`"distinct_id":"u","session_id":""`), ""},
	{"session_id is a string", batch(`"distinct_id":"u","session_id":5`), "session_id must be a string"},
	{"session_id has 128 characters", batch(`"distinct_id":"u","session_id":"` + strings.Repeat("é", 128) + `"`), ""},
	{"session_id has not 129", batch(`"distinct_id":"u","session_id":"` + strings.Repeat("é", 129) + `"`), "session_id must have at most 128 characters"},
	{"platform is a string", batch(`"distinct_id":"u","platform":1,"platform_version":[]`), "platform must be a string; platform_version must be a string"},
	{"client_time of no use is not sent", batch(`"distinct_id":"u","client_time":5`), ""},

	{"events is required", `{"distinct_id":"u"}`, "events is required"},
	{"events is a list", `{"distinct_id":"u","events":{}}`, "events must be a list"},
	{"events is not empty", `{"distinct_id":"u","events":[]}`, "events must have 1 to 50 entries"},
	{"50 events", `{"distinct_id":"u","events":[` + strings.Repeat(`{"event_id":"e","name":"n"},`, 49) + `{"event_id":"e","name":"n"}]}`, ""},
	{"51 events", `{"distinct_id":"u","events":[` + strings.Repeat(`{"event_id":"e","name":"n"},`, 50) + `{"event_id":"e","name":"n"}]}`, "events must have 1 to 50 entries"},
	{"the 51st is checked to be JSON", `{"distinct_id":"u","events":[` + strings.Repeat(`1,`, 50) + `tru]}`, "the request body is not JSON: invalid character ']' in literal true (expecting 'e') at byte 133"},
	{"no sound event", `{"distinct_id":"u","events":[1,{"event_id":"e"}]}`, "events[0] must be an object; events[1].name is required"},
	{"all faults of the batch", `{"session_id":1,"events":[1]}`, "distinct_id is required; session_id must be a string; events[0] must be an object"},

	{"an item is an object", item(`"x"`), "events[1] must be an object"},
	{"an item is not null", item(`null`), "events[1] must be an object"},
	{"event_id is required", item(`{"name":"n"}`), "events[1].event_id is required"},
	{"event_id is a string", item(`{"event_id":1,"name":"n"}`), "events[1].event_id must be a string"},
	{"event_id is not empty", item(`{"event_id":"","name":"n"}`), "events[1].event_id must have 1 to 128 characters"},
	{"event_id has not 129 characters", item(`{"event_id":"` + strings.Repeat("x", 129) + `","name":"n"}`), "events[1].event_id must have 1 to 128 characters"},
	{"name is required", item(`{"event_id":"e","name":null}`), "events[1].name is required"},
	{"name is a string", item(`{"event_id":"e","name":true}`), "events[1].name must be a string"},
	{"name is not empty", item(`{"event_id":"e","name":""}`), "events[1].name must have 1 to 64 characters"},
	{"name has not 65 characters as sent", item(`{"event_id":"e","name":" ` + strings.Repeat("n", 64) + `"}`), "events[1].name must have 1 to 64 characters"},
	{"one message for an item", item(`{"event_id":1,"name":2}`), "events[1].event_id must be a string"},
	{"occurred_at may be null", item(`{"event_id":"e","name":"n","occurred_at":null}`), ""},
	{"occurred_at is an integer", item(`{"event_id":"e","name":"n","occurred_at":5.5}`), "events[1].occurred_at must be an integer of at least 0 (Unix seconds)"},
	{"occurred_at is no text", item(`{"event_id":"e","name":"n","occurred_at":"5"}`), "events[1].occurred_at must be an integer of at least 0 (Unix seconds)"},
	{"occurred_at is not negative", item(`{"event_id":"e","name":"n","occurred_at":-1}`), "events[1].occurred_at must be an integer of at least 0 (Unix seconds)"},
	{"occurred_at is no huge number", item(`{"event_id":"e","name":"n","occurred_at":1e99}`), "events[1].occurred_at must be an integer of at least 0 (Unix seconds)"},
	{"properties may be null", item(`{"event_id":"e","name":"n","properties":null}`), ""},
	{"properties is an object", item(`{"event_id":"e","name":"n","properties":[]}`), "events[1].properties must be a JSON object of at most 100 levels"},
	{"properties of 100 levels", item(`{"event_id":"e","name":"n","properties":` + nested(100) + `}`), ""},
	{"properties of 101 levels", item(`{"event_id":"e","name":"n","properties":` + nested(101) + `}`), "events[1].properties must be a JSON object of at most 100 levels"},
	{"properties with many empty values", item(`{"event_id":"e","name":"n","properties":{"a":[` + strings.Repeat("[],{},", 100) + `1]}}`), ""},
	{"the last properties count", item(`{"event_id":"e","name":"n","properties":[],"properties":{}}`), ""},

	{"no object", `[]`, "the request body must be a JSON object"},
	{"no JSON", `{"distinct_id":"u"`, "the request body is not JSON: unexpected end of JSON input at byte 18"},
	{"no JSON in an unknown field", `{"x":[1,}]}`, "the request body is not JSON: invalid character '}' looking for beginning of value at byte 9"},
	{"something behind the object", oneEvent + "x", fmt.Sprintf("the request body is not JSON: invalid character 'x' after top-level value at byte %d", len(oneEvent)+1)},
	{"nesting without end", `{"x":` + strings.Repeat("[", 20_000), "the request body is not JSON: invalid character '[' exceeded max depth at byte 10005"},
	{"no UTF-8", "{\"distinct_id\":\"\xff\"}", "the request body must be UTF-8"},
}

func TestDecodeSubmission(t *testing.T) {
	t.Parallel()
	for _, tc := range bodies {
		var s Request
		problems := Decode([]byte(tc.body), 50, &s)
		if problems == nil {
			for _, r := range s.Rejected {
				problems = append(problems, r.Message)
			}
		}
		if got := strings.Join(problems, "; "); got != tc.wrong {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.wrong)
		}
	}
}

func TestSubmissionIsReadWhole(t *testing.T) {
	t.Parallel()
	body := `{"distinct_id":"U 1","session_id":"s\u00e9\ud800","platform":null,"platform_version":"","client_time":"now","events":[
		{"event_id":"a","name":" Sign.Up:2_x-y ","occurred_at":5.0,"properties":{}},
		7,
		{"event_id":"b","name":"Ünique"},
		{"event_id":"c","name":"  "},
		{"event_id":"d","name":"buy","occurred_at":0,"properties":{ "a" : [ 1 , "x y" ] , "b":"\" {" }} ]}`
	var s Request
	if problems := Decode([]byte(body), 5, &s); problems != nil {
		t.Fatal(problems)
	}
	got := fmt.Sprintf("%q %q %v %v %v %v", s.Subject, s.Session, s.Platform, s.PlatformVersion, s.ClientTime, s.Rejected)
	if want := `"U 1" "sé�" { false} { true} {now true} [{1 events[1] must be an object}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var items []string
	for _, it := range s.Items {
		items = append(items, fmt.Sprintf("%d %s %q %v %v %d %s", it.Index, it.ID, it.Name, it.Usable, it.HasTime, it.At, it.Properties))
	}
	want := []string{
		`0 a "sign.up:2_x-y" true true 5 {}`,
		`2 b "Ünique" false false 0 `,
		`3 c "" false false 0 `,
		`4 d "buy" true true 0 {"a":[1,"x y"],"b":"\" {"}`,
	}
	if !slices.Equal(items, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(items, "\n"), strings.Join(want, "\n"))
	}
	if s.Items[1].Properties != nil {
		t.Error("properties that were not sent are not nil")
	}
}

func TestEachPropertyOnce(t *testing.T) {
	t.Parallel()
	many := manyKeys(40, "")
	for sent, want := range map[string]string{
		`{}`:                          `{}`,
		`{ }`:                         `{}`,
		`{"a":1,"b":2}`:               `{"a":1,"b":2}`,
		`{"a":1,"b":2,"a":3}`:         `{"b":2,"a":3}`,
		`{"a":1,"a":2,"a":3}`:         `{"a":3}`,
		`{"a":1,"\u0061":2}`:          `{"\u0061":2}`,
		`{"a":1,"A":2}`:               `{"a":1,"A":2}`,
		`{"a":{"x":1,"x":2}}`:         `{"a":{"x":1,"x":2}}`, // duplicates are removed only at the first level
		`{"a":1.50,"b":1e3}`:          `{"a":1.50,"b":1e3}`,
		"{\n\"a b\" :\t\" \\\" \"\n}": `{"a b":" \" "}`,
		`{` + many + `}`:              `{` + many + `}`,
		`{` + manyKeys(40, " ") + `}`: `{` + many + `}`,
		`{"k7":null,` + many + `}`:    `{` + many + `}`,
	} {
		var s Request
		Decode([]byte(item(`{"event_id":"e","name":"n","properties":`+sent+`}`)), 2, &s)
		if len(s.Items) != 2 || string(s.Items[1].Properties) != want {
			t.Errorf("%s: got %+v, want %s", sent, s, want)
		}
	}
}

// TestSubmissionUsedAgain checks that a reused Request contains no data of the previous
// body, and that values that were taken from it before stay unchanged.
func TestSubmissionUsedAgain(t *testing.T) {
	t.Parallel()
	var s Request
	Decode([]byte(item(`{"event_id":"x","name":"kept","properties":{ "a":1 }}, 5`)), 50, &s)
	kept := s.Items[1]
	Decode([]byte(item(`{"event_id":"y","name":"other","properties":{ "b":2 }}`)), 50, &s)
	if kept.Name != "kept" || string(kept.Properties) != `{"a":1}` || len(s.Items) != 2 || len(s.Rejected) != 0 {
		t.Errorf("kept %+v, then read %+v", kept, s)
	}
	Decode([]byte(`{"distinct_id":"u","events":[]}`), 50, &s)
	if len(s.Items) != 0 || s.Platform.Sent {
		t.Errorf("an empty batch has %+v", s)
	}
}

// realistic returns a batch like those of a client library.
func realistic(events int) []byte {
	var b strings.Builder
	b.WriteString(`{"distinct_id": "5d0c3c1e-8b7f-4f0e-9d55-0b7b1a6f9a10","session_id":"b3a1c6de-0f4e-4c39-8a57-9a7d1f0a2b3c","events":[`)
	for i := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"event_id":"0b9f%04x-1c2d-4e3f-8a9b-0c1d2e3f4a5b","name":"export_started","occurred_at":%d,"properties":{"format":"pdf","plan":"pro","pages":%d,"screen":"editor/%d","ok":true}}`, i, 1764550860+i, i*7%1000, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

//nolint:paralleltest // counts the allocations of the whole process
func TestDecodingTakesFewAllocations(t *testing.T) {
	testutil.WithoutDetector(t)
	body := realistic(20)
	var s Request
	if n := testing.AllocsPerRun(100, func() { Decode(body, 50, &s) }); n > 2 {
		t.Errorf("%v allocations for a batch", n)
	}
}

func BenchmarkDecodeSubmission(b *testing.B) {
	body := realistic(20)
	var s Request
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Decode(body, 50, &s)
	}
}

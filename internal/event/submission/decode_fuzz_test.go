package submission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// asciiLower converts ASCII letters to lower case.
var asciiLower = strings.NewReplacer("A", "a", "B", "b", "C", "c", "D", "d", "E", "e", "F", "f", "G", "g", "H", "h", "I", "i",
	"J", "j", "K", "k", "L", "l", "M", "m", "N", "n", "O", "o", "P", "p", "Q", "q", "R", "r",
	"S", "s", "T", "t", "U", "u", "V", "v", "W", "w", "X", "x", "Y", "y", "Z", "z")

// FuzzDecodeSubmission compares Decode with a decoder that uses encoding/json. Both must
// return the same submission and the same problems for every body.
func FuzzDecodeSubmission(f *testing.F) {
	f.Add([]byte(oneEvent))
	for _, tc := range bodies {
		f.Add([]byte(tc.body))
	}
	for _, seed := range []string{
		"{\"distinct_id\":\"u\",\"events\":[{\"event_id\":\"\\ud83d\\ude00\",\"name\":\"\\u212aelvin\",\"properties\":{\"a\":1,\"\\u0061\":{ \"b\" : [ ] }}}]}",
		`{"distinct_id":"u","events":[{"event_id":"e","name":"n","occurred_at":1e3},{"event_id":"e","name":"n","occurred_at":-0.0}]}`,
		`{"distinct_id":"u","events":[` + strings.Repeat(`{},`, 60) + `{}]}`,
		`{"distinct_id":"u","events":[{"event_id":"e","name":"n","properties":{` + manyKeys(20, "") + `,"k3":"again"}}]}`,
		`{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
		`{"x":01}`, `{"x":1.}`, `{"x":-}`, `{"x":1e+}`, `{"x":"\x"}`, `{"x":"\u12g4"}`, "{\"x\":\"\t\"}", `{"x":tru}`, `{"x" 1}`, `{"x":1,}`, `{"x":[1,]}`,
	} {
		f.Add([]byte(seed))
	}
	var got Request // reused for each body, as in the program
	f.Fuzz(func(t *testing.T, body []byte) {
		sent := bytes.Clone(body)
		problems := Decode(body, 50, &got)
		var want Request
		wantProblems := naiveDecode(body, 50, &want)
		if !slices.Equal(problems, wantProblems) {
			t.Fatalf("problems %q, want %q", problems, wantProblems)
		}
		if !bytes.Equal(body, sent) {
			t.Fatal("the body was changed")
		}
		if problems == nil {
			equalSubmissions(t, &got, &want)
		}
	})
}

// FuzzDecodeRecord compares DecodeRecord for a line of an export with Decode for a
// submission of the same event. Either both accept the event, or both report the same
// problems.
func FuzzDecodeRecord(f *testing.F) {
	for _, seed := range []string{
		`{"distinct_id":"u","session_id":"s","event_id":"e","event_name":"n","occurred_at":5,"properties":{"a":{"b":1}}}`,
		`{"distinct_id":"","session_id":7,"event_id":null,"event_name":" N ","occurred_at":-1,"properties":[]}`,
		`{"distinct_id":"u","event_id":"e","event_name":"no name","properties":{"a":1,"\u0061":2}}`,
		`{"distinct_id":"u","event_id":"e","event_name":"n","occurred_at":1e3,"event_name":"m","more":[{}]}`,
		`{}`, `{"event_name"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var fields map[string]json.RawMessage
		if !utf8.Valid(line) || json.Unmarshal(line, &fields) != nil || fields == nil {
			return // lines of an archive are always objects
		}
		event, sender := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		for from, to := range map[string]string{"event_id": "event_id", "event_name": "name", "occurred_at": "occurred_at", "properties": "properties"} {
			if value, ok := fields[from]; ok {
				event[to] = value
			}
		}
		for _, name := range []string{"distinct_id", "session_id"} {
			if value, ok := fields[name]; ok {
				sender[name] = value
			}
		}
		list, err := json.Marshal([]any{event})
		if err != nil {
			t.Fatal(err)
		}
		sender["events"] = list
		body, err := json.Marshal(sender)
		if err != nil {
			t.Fatal(err)
		}
		var want Request
		wantProblems := Decode(body, 1, &want)
		for i, text := range wantProblems {
			wantProblems[i] = strings.NewReplacer("events[0].name", "event_name", "events[0].", "").Replace(text)
		}
		if len(want.Items) == 1 {
			if !want.Items[0].Usable {
				wantProblems = append(wantProblems, "event_name "+NameRule)
			}
			if !want.Items[0].HasTime {
				wantProblems = append(wantProblems, "occurred_at is required")
			}
		}
		got, problems := DecodeRecord(line)
		if !slices.Equal(problems, wantProblems) {
			t.Fatalf("problems %q, want %q", problems, wantProblems)
		}
		if problems == nil {
			equalSubmissions(t, &Request{Subject: got.Subject, Session: got.Session, Items: []SentItem{got.Event}}, &want)
		}
	})
}

func equalSubmissions(t *testing.T, got, want *Request) {
	t.Helper()
	if !slices.Equal(got.Rejected, want.Rejected) {
		t.Errorf("rejected %v, want %v", got.Rejected, want.Rejected)
	}
	if len(got.Items) != len(want.Items) {
		t.Fatalf("%d items, want %d", len(got.Items), len(want.Items))
	}
	for i := range got.Items {
		g, w := got.Items[i], want.Items[i]
		if !sameProperties(t, g.Properties, w.Properties) {
			t.Errorf("items[%d] has properties %s, want %s", i, g.Properties, w.Properties)
		}
		g.Properties, w.Properties = nil, nil
		if fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", w) {
			t.Errorf("items[%d] is %+v, want %+v", i, g, w)
		}
	}
	g, w := *got, *want
	g.Items, g.Rejected, w.Items, w.Rejected = nil, nil, nil, nil
	if fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", w) {
		t.Errorf("got %+v, want %+v", g, w)
	}
}

// sameProperties reports whether two objects are equal, ignoring the order of keys. It
// also checks that got is compact and has no duplicate keys.
func sameProperties(t *testing.T, got, want []byte) bool {
	t.Helper()
	if got == nil || want == nil {
		return got == nil && want == nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, got); err != nil || !bytes.Equal(compact.Bytes(), got) {
		t.Errorf("%s is not compact JSON: %v", got, err)
	}
	keys := 0
	d := json.NewDecoder(bytes.NewReader(got))
	_, _ = d.Token()
	for ; d.More(); keys++ {
		_, _ = d.Token()
		var value json.RawMessage
		_ = d.Decode(&value)
	}
	g, w := fieldsOf(got), fieldsOf(want)
	return keys == len(g) && maps.EqualFunc(g, w, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

func fieldsOf(object []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	return fields
}

// naiveDecode is a straightforward implementation of Decode.
func naiveDecode(body []byte, most int, into *Request) (problems []string) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	if !utf8.Valid(body) {
		return []string{"the request body must be UTF-8"}
	}
	var any json.RawMessage
	if syntax, wrong := errors.AsType[*json.SyntaxError](json.Unmarshal(body, &any)); wrong {
		return []string{fmt.Sprintf("the request body is not JSON: %s at byte %d", syntax, syntax.Offset)}
	}
	if body[0] != '{' {
		return []string{"the request body must be a JSON object"}
	}
	fields := fieldsOf(body)
	text := func(field string, most int) string {
		text, problem := naiveText(fields[field], field, most)
		problems = append(problems, problem...)
		return text
	}
	into.Subject = text("distinct_id", 128)
	if sent(fields["session_id"]) && string(fields["session_id"]) != `""` {
		into.Session = text("session_id", 128)
		for i, p := range problems {
			problems[i] = strings.Replace(p, "session_id must have 1 to", "session_id must have at most", 1)
		}
	}
	for _, f := range []struct {
		name string
		into *Text
	}{{"platform", &into.Platform}, {"platform_version", &into.PlatformVersion}, {"client_time", &into.ClientTime}} {
		if raw := fields[f.name]; sent(raw) && raw[0] == '"' {
			*f.into = Text{naiveString(raw), true}
		} else if sent(raw) && f.name != "client_time" {
			problems = append(problems, f.name+" must be a string")
		}
	}
	return append(problems, naiveEvents(fields["events"], most, into)...)
}

func naiveEvents(raw json.RawMessage, most int, into *Request) (problems []string) {
	var events []json.RawMessage
	switch {
	case !sent(raw):
		return []string{"events is required"}
	case json.Unmarshal(raw, &events) != nil:
		return []string{"events must be a list"}
	case len(events) == 0 || len(events) > most:
		return []string{fmt.Sprintf("events must have 1 to %d entries", most)}
	}
	for i, raw := range events {
		item, wrong := naiveItem(raw, i)
		if wrong == nil {
			into.Items = append(into.Items, item)
			continue
		}
		into.Rejected = append(into.Rejected, Rejected{i, wrong[0]})
		problems = append(problems, wrong[0])
	}
	if len(into.Items) > 0 {
		return nil
	}
	return problems
}

var naiveName = regexp.MustCompile(`^[a-z0-9_.:-]{1,64}$`)

func naiveItem(raw json.RawMessage, i int) (item SentItem, problems []string) {
	path := fmt.Sprintf("events[%d]", i)
	if raw[0] != '{' {
		return item, []string{path + " must be an object"}
	}
	fields := fieldsOf(raw)
	id, problems := naiveText(fields["event_id"], path+".event_id", 128)
	name, wrong := naiveText(fields["name"], path+".name", 64)
	problems = append(problems, wrong...)
	item = SentItem{Index: i, ID: id, Name: asciiLower.Replace(strings.TrimSpace(name))}
	item.Usable = naiveName.MatchString(item.Name)
	if at := fields["occurred_at"]; sent(at) {
		var err error
		item.HasTime = true
		if item.At, err = strconv.ParseInt(string(at), 10, 64); err != nil {
			f := -1.0
			err = json.Unmarshal(at, &f)
			if item.At = int64(f); err == nil && (f != math.Floor(f) || f > 1<<53) {
				item.At = -1
			}
		}
		if err != nil || item.At < 0 {
			problems = append(problems, path+".occurred_at must be an integer of at least 0 (Unix seconds)")
		}
	}
	if properties := fields["properties"]; sent(properties) {
		if properties[0] != '{' || naiveDepth(properties) > 100 {
			problems = append(problems, path+".properties must be a JSON object of at most 100 levels")
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, properties)
		item.Properties = compact.Bytes()
	}
	return item, problems
}

func sent(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

func naiveString(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text)
	return text
}

func naiveText(raw json.RawMessage, path string, most int) (text string, problems []string) {
	if !sent(raw) {
		return "", []string{path + " is required"}
	}
	if raw[0] != '"' {
		return "", []string{path + " must be a string"}
	}
	text = naiveString(raw)
	if n := len([]rune(text)); n < 1 || n > most {
		return "", []string{fmt.Sprintf("%s must have 1 to %d characters", path, most)}
	}
	return text, nil
}

// naiveDepth returns the number of levels of objects and lists in a JSON text.
func naiveDepth(raw json.RawMessage) (greatest int) {
	level := 0
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := d.Token()
		if err != nil {
			return greatest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
		case json.Delim('}'), json.Delim(']'):
			level--
		}
		greatest = max(greatest, level)
	}
}

func manyKeys(n int, blank string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,%s"k%d":%d`, blank, i, i)
	}
	return b.String()[1:]
}

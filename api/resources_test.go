package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// exchange is a row of a table: one request, and what must come back.
type exchange struct {
	name, method, path, body string
	status                   int
	want                     string // JSON that the answer must have at least, see lacks
}

// exchanges sends rows in order, as the administrator where that matters. A
// row may build on those before it.
func (s *server) exchanges(t *testing.T, rows []exchange) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			status, answer := s.ask(t, row.method, row.path, row.body)
			if status != row.status {
				t.Fatalf("%s %s %.300s: got %d %.2000s, want %d", row.method, row.path, row.body, status, answer, row.status)
			}
			if why := compareJSON(t, answer, row.want); why != "" {
				t.Errorf("%s %s %.300s: %s\ngot  %.2000s\nwant %.2000s", row.method, row.path, row.body, why, answer, row.want)
			}
		})
	}
}

// ask sends a request, with a credential unless the path is public.
func (s *server) ask(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	credential := s.admin
	if strings.HasPrefix(path, "/public/") {
		credential = ""
	}
	status, answer, _ := s.do(t, method, path, credential, body)
	return status, answer
}

// refusal is a row of a table of requests that must leave no trace.
type refusal struct {
	name, method, path, body string
	status                   int
	message                  string // a part of what the people are told
}

// refusals sends rows that must be refused. What GET look answers must be the
// same to the byte before and after each.
func (s *server) refusals(t *testing.T, look string, rows []refusal) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			before := s.must(t, http.StatusOK, "GET", look, "")
			status, answer := s.ask(t, row.method, row.path, row.body)
			if status != row.status {
				t.Fatalf("%s %s %.300s: got %d %.2000s, want %d", row.method, row.path, row.body, status, answer, row.status)
			}
			if told := message(t, answer); !strings.Contains(told, row.message) {
				t.Errorf("%s %s %.300s: got message %q, want %q in it", row.method, row.path, row.body, told, row.message)
			}
			if after := s.must(t, http.StatusOK, "GET", look, ""); after != before {
				t.Errorf("%s %s %.300s was refused and changed something:\nbefore %.2000s\nafter  %.2000s", row.method, row.path, row.body, before, after)
			}
		})
	}
}

// message is what an error tells people, lists joined as clients join them.
func message(t testing.TB, answer string) string {
	t.Helper()
	switch m := field[any](t, answer, "message").(type) {
	case string:
		return m
	case []any:
		texts := make([]string, len(m))
		for i := range m {
			texts[i] = fmt.Sprint(m[i])
		}
		return strings.Join(texts, "; ")
	}
	t.Fatalf("no message in %s", answer)
	return ""
}

// compareJSON says what an answer lacks of what is wanted. An empty want
// demands nothing.
func compareJSON(t testing.TB, got, want string) string {
	t.Helper()
	if want == "" {
		return ""
	}
	wanted, err := decodeJSON([]byte(want))
	if err != nil {
		t.Fatalf("the table wants %s: %v", want, err)
	}
	answered, err := decodeJSON([]byte(got))
	if err != nil {
		return err.Error()
	}
	return lacks(answered, wanted, "answer")
}

// lacks says where got does not have what is wanted, "" when it has it all.
// An object may have more fields than are wanted; lists must be as long as
// wanted; everything else must be equal.
func lacks(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, sent := object[name]
			if !sent {
				return at + "." + name + " is missing"
			}
			if why := lacks(value, want[name], at+"."+name); why != "" {
				return why
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			break
		}
		for i := range want {
			if why := lacks(list[i], want[i], fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
		return ""
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s is %.300v, want %.300v", at, got, want)
}

// project makes a project of which only the key matters.
func (s *server) project(t testing.TB, key string) {
	t.Helper()
	s.must(t, http.StatusCreated, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":%q,"name":%q}`, key, key))
}

// versionsOf is the path of the versions of a project for administrators.
func versionsOf(key string) string { return "/admin/projects/" + key + "/versions" }

// publish puts versions into a project, each described by its text and what
// is special about it, as in "2.0.0-rc.1 preview at=5".
func (s *server) publish(t testing.TB, key string, versions ...string) {
	t.Helper()
	for _, description := range versions {
		words := strings.Fields(description)
		fields := map[string]any{}
		for _, word := range words[1:] {
			name, value, given := strings.Cut(word, "=")
			switch {
			case name == "at":
				fields["published_at"] = json.Number(value)
			case name == "comparable":
				fields["comparable_version"] = value
			case given:
				t.Fatalf("unknown word %s in %s", word, description)
			default:
				fields["is_"+name] = true
			}
		}
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		s.must(t, http.StatusCreated, "PUT", versionsOf(key)+"/by-version/"+url.PathEscape(words[0]), string(body))
	}
}

// versionID is the id of the version with a display text.
func (s *server) versionID(t testing.TB, key, text string) string {
	t.Helper()
	return field[string](t, s.must(t, http.StatusOK, "GET", "/public/"+key+"/versions/by-version/"+url.PathEscape(text), ""), "id")
}

// quoted is a text as JSON.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

// long is a text of n characters, two bytes each.
func long(n int) string { return strings.Repeat("ж", n) }

// The matcher must be able to fail.
func TestLacks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, got, want string
		has             bool
	}{
		{"nothing wanted", `{"a":1}`, ``, true},
		{"a part of an object", `{"a":1,"b":[1,{"c":null}]}`, `{"b":[1,{}]}`, true},
		{"another value", `{"a":1}`, `{"a":2}`, false},
		{"null is not missing", `{}`, `{"a":null}`, false},
		{"null is not empty", `{"a":null}`, `{"a":""}`, false},
		{"a longer list", `{"a":[1,2]}`, `{"a":[1]}`, false},
		{"another type", `{"a":"1"}`, `{"a":1}`, false},
		{"a list for an object", `[]`, `{}`, false},
		{"null for a list", `null`, `[]`, false},
		{"large numbers to the digit", `{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if why := compareJSON(t, tc.got, tc.want); (why == "") != tc.has {
				t.Errorf("%s against %s: got %q, want it to fit: %v", tc.got, tc.want, why, tc.has)
			}
		})
	}
}

package apitest

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

// Exchange is a row of a table: one request, and what must come back. Rows of
// tables are aliases of their structs: go vet lets a package leave out the names of
// the fields of its own structs only.
type Exchange = struct {
	Name, Method, Path, Body string
	Status                   int
	Want                     string // JSON that the answer must have at least, see lacks
}

// Exchanges sends rows in order, as the administrator where that matters. A
// row may build on those before it.
func (s *Server) Exchanges(t *testing.T, rows []Exchange) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			status, answer := s.Ask(t, row.Method, row.Path, row.Body)
			if status != row.Status {
				t.Fatalf("%s %s %.300s: got %d %.2000s, want %d", row.Method, row.Path, row.Body, status, answer, row.Status)
			}
			if why := CompareJSON(t, answer, row.Want); why != "" {
				t.Errorf("%s %s %.300s: %s\ngot  %.2000s\nwant %.2000s", row.Method, row.Path, row.Body, why, answer, row.Want)
			}
		})
	}
}

// Ask sends a request, with a credential unless the path is public.
func (s *Server) Ask(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	credential := s.Admin
	if strings.HasPrefix(path, "/public/") {
		credential = ""
	}
	status, answer, _ := s.Do(t, method, path, credential, body)
	return status, answer
}

// Refusal is a row of a table of requests that must leave no trace.
type Refusal = struct {
	Name, Method, Path, Body string
	Status                   int
	Message                  string // a part of what the people are told
}

// Refusals sends rows that must be refused. What GET look answers must be the
// same to the byte before and after each.
func (s *Server) Refusals(t *testing.T, look string, rows []Refusal) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			before := s.Must(t, http.StatusOK, "GET", look, "")
			status, answer := s.Ask(t, row.Method, row.Path, row.Body)
			if status != row.Status {
				t.Fatalf("%s %s %.300s: got %d %.2000s, want %d", row.Method, row.Path, row.Body, status, answer, row.Status)
			}
			if told := Message(t, answer); !strings.Contains(told, row.Message) {
				t.Errorf("%s %s %.300s: got message %q, want %q in it", row.Method, row.Path, row.Body, told, row.Message)
			}
			if after := s.Must(t, http.StatusOK, "GET", look, ""); after != before {
				t.Errorf("%s %s %.300s was refused and changed something:\nbefore %.2000s\nafter  %.2000s", row.Method, row.Path, row.Body, before, after)
			}
		})
	}
}

// Message is what an error tells people, lists joined as clients join them.
func Message(t testing.TB, answer string) string {
	t.Helper()
	switch m := Field[any](t, answer, "message").(type) {
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

// CompareJSON says what an answer lacks of what is wanted. An empty want
// demands nothing.
func CompareJSON(t testing.TB, got, want string) string {
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

// Project makes a project of which only the key matters.
func (s *Server) Project(t testing.TB, key string) {
	t.Helper()
	s.Must(t, http.StatusCreated, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":%q,"name":%q}`, key, key))
}

// VersionsOf is the path of the versions of a project for administrators.
func VersionsOf(key string) string { return "/admin/projects/" + key + "/versions" }

// Publish puts versions into a project, each described by its text and what
// is special about it, as in "2.0.0-rc.1 preview at=5".
func (s *Server) Publish(t testing.TB, key string, versions ...string) {
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
		s.Must(t, http.StatusCreated, "PUT", VersionsOf(key)+"/by-version/"+url.PathEscape(words[0]), string(body))
	}
}

// VersionID is the id of the version with a display text.
func (s *Server) VersionID(t testing.TB, key, text string) string {
	t.Helper()
	return Field[string](t, s.Must(t, http.StatusOK, "GET", "/public/"+key+"/versions/by-version/"+url.PathEscape(text), ""), "id")
}

// Quoted is a text as JSON.
func Quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

// Long is a text of n characters, two bytes each.
func Long(n int) string { return strings.Repeat("ж", n) }

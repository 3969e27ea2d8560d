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

// Exchange is a row of a table: one request and the expected answer. Rows are aliases of structs,
// because go vet requires field names for named structs of other packages.
type Exchange = struct {
	Name, Method, Path, Body string
	Status                   int
	Want                     string // JSON that the answer must contain, see lacks
}

// Exchanges sends rows in order, as the administrator unless the path is public. A row may depend
// on earlier ones.
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

// Ask sends a request, with the administrator's credential unless the path is public.
func (s *Server) Ask(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	credential := s.Admin
	if strings.HasPrefix(path, "/public/") {
		credential = ""
	}
	status, answer, _ := s.Do(t, method, path, credential, body)
	return status, answer
}

// Refusal is a row of a table of rejected requests, which must change nothing.
type Refusal = struct {
	Name, Method, Path, Body string
	Status                   int
	Message                  string // a part of the error message
}

// Refusals sends requests that must be rejected. The answer of GET look must be identical before
// and after each.
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
				t.Errorf("%s %s %.300s was refused and changed something:\nbefore %.2000s\nafter  %.2000s", row.Method, row.Path, row.Body, before,
					after)
			}
		})
	}
}

// Message returns the message of an error. It joins lists as clients do.
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

// CompareJSON describes the first part of want that is missing in got, or returns "". An empty want
// matches every answer.
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

// lacks describes the first difference between got and want, "" if there is none. Objects may have
// additional fields; lists must have the same length; other values must be equal.
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

// Project creates a project with the given key.
func (s *Server) Project(t testing.TB, key string) {
	t.Helper()
	s.Must(t, http.StatusCreated, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":%q,"name":%q}`, key, key))
}

// VersionsOf returns the administrators' path of the versions of a project.
func VersionsOf(key string) string { return "/admin/projects/" + key + "/versions" }

// Publish creates versions in a project. Each is described by its text and its special fields, as
// in "2.0.0-rc.1 preview at=5".
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

// VersionID returns the id of the version with a display text.
func (s *Server) VersionID(t testing.TB, key, text string) string {
	t.Helper()
	return Field[string](t, s.Must(t, http.StatusOK, "GET", "/public/"+key+"/versions/by-version/"+url.PathEscape(text), ""), "id")
}

// Quoted returns a text as JSON.
func Quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // encoding a string never fails
	}
	return string(b)
}

// Long returns a text of n characters of two bytes each.
func Long(n int) string { return strings.Repeat("ж", n) }

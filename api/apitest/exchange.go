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

// Exchange is a row of a table: one request and the expected response. It is an alias of a struct,
// because go vet requires field names for named structs of other packages.
type Exchange = struct {
	Name, Method, Path, Body string
	Status                   int
	Want                     string // JSON that the response must contain, see lacks
}

// Exchanges sends the requests of the rows in order and checks the responses. It sends them as the
// administrator unless the path is public. A row may depend on earlier rows.
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

// Refusal is a row of a table of requests that must be rejected without changing anything.
type Refusal = struct {
	Name, Method, Path, Body string
	Status                   int
	Message                  string // a part of the error message
}

// Refusals sends requests that must be rejected. The parameter look is a path. Refusals checks that
// a GET request for it returns the same response before and after each of them.
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

// Message returns the message of an error. It joins a list of messages like the clients do.
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

// CompareJSON describes the first part of want that is missing in got. It returns "" if nothing is
// missing or if want is empty.
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

// lacks describes the first difference between got and want, or returns "" if there is none.
// Objects in got may have additional fields. Lists must have the same length, and other values must
// be equal.
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

// VersionsOf returns the path below /api/v1 at which administrators manage the versions of a
// project.
func VersionsOf(key string) string { return "/admin/projects/" + key + "/versions" }

// Publish creates versions in a project. Each text contains the version and any special fields,
// such as "2.0.0-rc.1 preview at=5".
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

// VersionID returns the ID of the version with the given display text.
func (s *Server) VersionID(t testing.TB, key, text string) string {
	t.Helper()
	return Field[string](t, s.Must(t, http.StatusOK, "GET", "/public/"+key+"/versions/by-version/"+url.PathEscape(text), ""), "id")
}

// Quoted returns text as a JSON string.
func Quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // encoding a string never fails
	}
	return string(b)
}

// Long returns a text of n characters, each of which is two bytes long.
func Long(n int) string { return strings.Repeat("ж", n) }

package api_test

import (
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// TestBodyIsAnObject checks that every endpoint refuses a body that is not a JSON object, with the
// same response and without changing anything.
func TestBodyIsAnObject(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	at := makeTarget(t, s, "a")
	before := s.WholeState(t, "a")
	const object, noJSON = "the request body must be a JSON object", "the request body is not JSON"
	for _, e := range bodyRoutes(t) {
		for _, tc := range []struct{ name, body, message string }{
			{"list", `[]`, object},
			{"list of an object", `[{"name":"x"}]`, object},
			{"text", `"x"`, object},
			{"number", `5`, object},
			{"true", `true`, object},
			{"null", ` null `, object},
			{"cut off", `{"name":"x"`, noJSON},
			{"one brace", `{`, noJSON},
			{"brackets that do not match", `{"a":[}]`, noJSON},
			{"comma at the end", `{"name":"x",}`, noJSON},
			{"no quotes", `{name:"x"}`, noJSON},
			{"single quotes", `{'name':'x'}`, noJSON},
			{"comment", `{"name":"x" /* y */}`, noJSON},
			{"NaN", `{"a":NaN}`, noJSON},
			{"Infinity", `{"a":-Infinity}`, noJSON},
			{"number with a leading zero", `{"a":01}`, noJSON},
			{"number in hex", `{"a":0x10}`, noJSON},
			{"bare line end in a text", "{\"a\":\"x\ny\"}", noJSON},
			{"unknown escape", `{"a":"\x41"}`, noJSON},
			{"two objects", `{}{}`, noJSON},
			{"a word behind", `{} x`, noJSON},
			{"NUL behind", "{}\x00", noJSON},
			{"byte order mark", "\ufeff{}", noJSON},
			{"form", `name=x&project_key=y`, noJSON},
			{"UTF-16", "{\x00}\x00", noJSON},
			{"no UTF-8 in a value", "{\"name\":\"\xff\"}", "the request body must be UTF-8"},
			{"no UTF-8 in a name", "{\"\xc3\x28\":1}", "the request body must be UTF-8"},
			{"surrogate as bytes", "{\"name\":\"\xed\xa0\x80\"}", "the request body must be UTF-8"},
			{"deeper than can be read", `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, noJSON},
			{"deeper than can be read, open", strings.Repeat(`{"a":`, 100_000), noJSON},
			{"a million brackets", strings.Repeat("[", 1_000_000), noJSON},
		} {
			status, answer, _ := s.Send(t, e.Method, at.path(e.Path), map[string]string{"Authorization": "Bearer " + s.Admin}, tc.body)
			want, message := 400, tc.message
			if int64(len(tc.body)) > bodyLimit(e) {
				want, message = 413, "the request body must have at most"
			}
			if status != want || !strings.Contains(answer, message) {
				t.Errorf("%s %s, %s: got %d %.500s, want %d %s", e.Method, e.Path, tc.name, status, answer, want, message)
			}
		}
	}
	if after := s.WholeState(t, "a"); after != before {
		t.Errorf("refused bodies changed something\nbefore %s\nafter  %s", before, after)
	}
}

func TestBodyRules(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	const one = "/admin/projects/a"
	s.Exchanges(t, []apitest.Exchange{
		{"no body is an empty object", "PATCH", one, "", 200, `{"name":"a"}`},
		{"blanks are an empty object", "PATCH", one, " \r\n\t ", 200, `{"name":"a"}`},
		{"blanks around the object", "PATCH", one, "\n {\"author\" : \"b\"}\r\n", 200, `{"author":"b"}`},
		{"unknown fields are ignored", "PATCH", one, `{"colour":"red","":1,"name ":"x"}`, 200, `{"name":"a","author":"b"}`},
		{"names of fields are compared exactly", "PATCH", one, `{"Author":"c","AUTHOR":"c","author_":"c","\u0061uthor\u200b":"c"}`, 200, `{"author":"b"}`},
		{"an escaped name is the name", "PATCH", one, `{"\u0061uthor":"c"}`, 200, `{"author":"c"}`},
		{"of two the last one counts", "PATCH", one, `{"author":"d","author":"e"}`, 200, `{"author":"e"}`},
		{"of two the last one counts, also null", "PATCH", one, `{"author":"d","author":null}`, 200, `{"author":null}`},
		{"a lone surrogate becomes the replacement character", "PATCH", one, `{"author":"a\ud800b\udc00"}`, 200, `{"author":"a�b�"}`},
		{"a pair of surrogates is one character", "PATCH", one, `{"author":"\ud83d\ude00"}`, 200, `{"author":"😀"}`},
		{"control characters are kept", "PATCH", one, `{"author":"\u0000\u001b[1m\u202e"}`, 200, `{"author":"\u0000\u001b[1m\u202e"}`},
		{"angle brackets come back as they are", "PATCH", one, `{"author":"<a&b>\u2028"}`, 200, `{"author":"<a&b>\u2028"}`},
		{"values are not coerced: number", "PATCH", one, `{"author":5}`, 400, `{"message":["author must be a string"]}`},
		{"values are not coerced: text", "PATCH", one, `{"published_at":"5"}`, 400, `{"message":["published_at must be an integer of at least 0 (Unix seconds)"]}`},
		{"unknown query parameters are ignored", "GET", one + "?x=1&locale=de&key=%ff", "", 200, `{"name":"a","locale":null}`},
		{"a body on GET is ignored", "GET", one, `{"name":`, 200, `{"name":"a"}`},
		{"a body on DELETE is ignored", "DELETE", one, `[1`, 200, `{"success":true}`},
	})
}

// TestContentTypeIsIgnored checks that the server parses a body as JSON whatever its Content-Type
// is.
func TestContentTypeIsIgnored(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	for _, kind := range []string{"", "application/json", "application/json; charset=latin1", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/octet-stream", ";;;"} {
		status, answer, _ := s.Send(t, "PATCH", "/api/v1/admin/projects/a",
			map[string]string{"Authorization": "Bearer " + s.Admin, "Content-Type": kind}, `{"author":`+apitest.Quoted(kind)+`}`)
		if status != 200 || apitest.Field[string](t, answer, "author") != kind {
			t.Errorf("Content-Type %q: got %d %s, want 200", kind, status, answer)
		}
	}
	status, answer, _ := s.Send(t, "PATCH", "/api/v1/admin/projects/a", map[string]string{"Authorization": "Bearer " + s.Admin, "Content-Encoding": "gzip"}, "\x1f\x8b\x08")
	if status != 400 {
		t.Errorf("compressed body: got %d %s, want 400", status, answer)
	}
}
